//! Splits a shell text into the simple commands that stand in it, so that a card can name programs and files.
//! It is no shell parser and permits nothing: whether a command is plain is `policy`'s question alone.

/// Deepest nesting of substitutions and of shells in shells that is looked into.
pub(super) const MAX_DEPTH: usize = 12;

/// Shells that read commands from `-c`, from a file or from their input.
pub(super) const SHELLS: &[&str] = &["sh", "bash", "dash", "zsh", "ksh", "ash", "mksh", "fish"];

/// One word, quotes resolved.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Word {
    /// The text; expansions stand in it as they were written.
    pub text: String,
    /// Whether the shell would put something else in place of a part of it.
    pub expands: bool,
    /// Whether any part of it was quoted: such a word is never a keyword.
    pub quoted: bool,
}

/// One simple command: assignments, a program, its arguments.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Simple {
    /// The words, assignments first.
    pub words: Vec<Word>,
    /// Files that its redirections name.
    pub redirects: Vec<Word>,
}

/// Words that begin or end a compound command and are no programs.
const KEYWORDS: &[&str] = &["{", "}", "!", "if", "then", "else", "elif", "fi", "do", "done", "while", "until", "esac"];

/// The simple commands of `text` in the order in which they are written, each before those that its substitutions
/// hold.
pub(super) fn simple_commands(text: &str) -> Vec<Simple> {
    commands_at(text, 0)
}

fn commands_at(text: &str, depth: usize) -> Vec<Simple> {
    let mut reader = Reader { characters: text.chars().collect(), at: 0, found: Vec::new(), heredocs: Vec::new() };
    reader.list(None, depth);
    reader.found
}

/// The last segment of a program's path, without `.exe`.
pub(super) fn base_name(program: &str) -> &str {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    name.strip_suffix(".exe").unwrap_or(name)
}

struct Reader {
    characters: Vec<char>,
    at: usize,
    found: Vec<Simple>,
    /// Here-documents whose bodies begin after this line: the word that ends them, and whether a shell reads them.
    heredocs: Vec<(String, bool)>,
}

/// What the next finished word is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Argument,
    Redirect,
    Heredoc,
}

struct Draft {
    simple: Simple,
    word: Option<Word>,
    role: Role,
    /// Where it goes among those found: before the commands of its own substitutions.
    place: usize,
}

impl Draft {
    fn new(place: usize) -> Self {
        Self { simple: Simple::default(), word: None, role: Role::Argument, place }
    }

    fn word(&mut self) -> &mut Word {
        self.word.get_or_insert_default()
    }
}

impl Reader {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.characters.get(self.at + ahead).copied()
    }

    fn next(&mut self) -> Option<char> {
        let character = self.peek(0);
        self.at += 1;
        character
    }

    /// Reads commands up to `until` (which is consumed) or to the end of the text.
    fn list(&mut self, until: Option<char>, depth: usize) {
        let mut draft = Draft::new(self.found.len());
        while let Some(character) = self.next() {
            if Some(character) == until {
                break;
            }
            match character {
                ' ' | '\t' => self.end_word(&mut draft),
                '\n' => {
                    self.end_command(&mut draft);
                    self.skip_heredocs(depth);
                    draft.place = self.found.len();
                }
                '#' if draft.word.is_none() => {
                    while self.peek(0).is_some_and(|next| next != '\n') {
                        self.at += 1;
                    }
                }
                '&' if self.peek(0) == Some('>') => self.end_word(&mut draft),
                '(' => {
                    self.end_command(&mut draft);
                    if depth < MAX_DEPTH {
                        self.list(Some(')'), depth + 1);
                    }
                }
                ';' | '&' | '|' | ')' | '\r' => self.end_command(&mut draft),
                '<' | '>' => self.redirect(character, &mut draft, depth),
                other => self.part(other, &mut draft, depth),
            }
        }
        self.end_command(&mut draft);
    }

    /// Takes one character, quoted part or expansion into the word.
    fn part(&mut self, character: char, draft: &mut Draft, depth: usize) {
        match character {
            '\'' => {
                draft.word().quoted = true;
                while let Some(inner) = self.next().filter(|inner| *inner != '\'') {
                    draft.word().text.push(inner);
                }
            }
            '"' => {
                draft.word().quoted = true;
                while let Some(inner) = self.next().filter(|inner| *inner != '"') {
                    match inner {
                        '\\' => match self.next() {
                            Some(escaped @ ('"' | '\\' | '$' | '`')) => draft.word().text.push(escaped),
                            Some('\n') | None => {}
                            Some(other) => draft.word().text.extend(['\\', other]),
                        },
                        '$' | '`' => self.expansion(inner, draft, depth),
                        plain => draft.word().text.push(plain),
                    }
                }
            }
            '\\' => match self.next() {
                Some('\n') | None => {}
                Some(escaped) => {
                    draft.word().quoted = true;
                    draft.word().text.push(escaped);
                }
            },
            '$' | '`' => self.expansion(character, draft, depth),
            glob @ ('*' | '?' | '[' | '~') => {
                draft.word().expands = true;
                draft.word().text.push(glob);
            }
            plain => draft.word().text.push(plain),
        }
    }

    fn expansion(&mut self, opener: char, draft: &mut Draft, depth: usize) {
        let word = draft.word();
        word.expands = true;
        match (opener, self.peek(0)) {
            ('`', _) => {
                word.text.push_str("`…`");
                self.nested('`', depth);
            }
            (_, Some('(')) => {
                word.text.push_str("$(…)");
                self.at += 1;
                self.nested(')', depth);
            }
            (_, Some('{')) => {
                word.text.push('$');
                while let Some(inner) = self.next() {
                    draft.word().text.push(inner);
                    if inner == '}' {
                        break;
                    }
                }
            }
            _ => word.text.push('$'),
        }
    }

    fn nested(&mut self, until: char, depth: usize) {
        if depth < MAX_DEPTH {
            self.list(Some(until), depth + 1);
        }
    }

    fn redirect(&mut self, character: char, draft: &mut Draft, depth: usize) {
        if draft.word.as_ref().is_some_and(|word| !word.quoted && word.text.chars().all(|c| c.is_ascii_digit())) {
            draft.word = None;
        }
        self.end_word(draft);
        match (character, self.peek(0)) {
            (_, Some('(')) => {
                self.at += 1;
                self.nested(')', depth);
            }
            ('<', Some('<')) => {
                self.at += 1;
                if self.peek(0) == Some('<') {
                    self.at += 1; // a here-string: its word is text
                    draft.role = Role::Argument;
                    return;
                }
                if self.peek(0) == Some('-') {
                    self.at += 1;
                }
                draft.role = Role::Heredoc;
            }
            (_, Some('>' | '|' | '!' | '&')) => {
                self.at += 1;
                draft.role = Role::Redirect;
            }
            _ => draft.role = Role::Redirect,
        }
    }

    fn end_word(&mut self, draft: &mut Draft) {
        let Some(word) = draft.word.take() else { return };
        match std::mem::replace(&mut draft.role, Role::Argument) {
            Role::Redirect => draft.simple.redirects.push(word),
            Role::Heredoc => {
                let program = draft.simple.words.first().map_or("", |first| base_name(&first.text));
                self.heredocs.push((word.text, SHELLS.contains(&program)));
            }
            Role::Argument => {
                let keyword = !word.quoted && KEYWORDS.contains(&word.text.as_str());
                if !(keyword && draft.simple.words.is_empty()) {
                    draft.simple.words.push(word);
                }
            }
        }
    }

    fn end_command(&mut self, draft: &mut Draft) {
        self.end_word(draft);
        let simple = std::mem::take(&mut draft.simple);
        if !simple.words.is_empty() || !simple.redirects.is_empty() {
            self.found.insert(draft.place, simple);
        }
        *draft = Draft::new(self.found.len());
    }

    /// Passes over the bodies of here-documents; what a shell would read from one counts as commands.
    fn skip_heredocs(&mut self, depth: usize) {
        for (end, is_shell) in std::mem::take(&mut self.heredocs) {
            let mut body = String::new();
            while self.at < self.characters.len() {
                let mut line = String::new();
                while let Some(character) = self.next().filter(|character| *character != '\n') {
                    line.push(character);
                }
                if line.trim_start_matches('\t') == end {
                    break;
                }
                body.push_str(&line);
                body.push('\n');
            }
            if is_shell && depth < MAX_DEPTH {
                self.found.extend(commands_at(&body, depth + 1));
            }
        }
    }
}

#[cfg(test)]
mod tests;
