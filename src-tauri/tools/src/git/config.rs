//! Reads git's configuration text for the few settings that decide whether and how a repository is read.
//! It follows no include by itself and never reads a person's own configuration.

/// One setting: section and key in lower case, the subsection as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Setting {
    pub(super) section: String,
    pub(super) subsection: Option<String>,
    pub(super) key: String,
    /// `None`: the key stands alone, which means true.
    pub(super) value: Option<String>,
}

impl Setting {
    /// Whether this is `section.key`, or `section.<any>.key`.
    pub(super) fn is(&self, section: &str, key: &str) -> bool {
        self.section == section && self.key == key
    }

    /// Its value as git reads booleans; `None` where it is none.
    pub(super) fn truth(&self) -> Option<bool> {
        let Some(value) = &self.value else {
            return Some(true);
        };
        match value.to_ascii_lowercase().as_str() {
            "true" | "yes" | "on" => Some(true),
            "false" | "no" | "off" | "" => Some(false),
            number => number.parse::<i64>().ok().map(|number| number != 0),
        }
    }
}

/// Parses configuration text; `None` where git would call it broken.
pub(super) fn parse(text: &str) -> Option<Vec<Setting>> {
    let mut out = Vec::new();
    let (mut section, mut subsection) = (String::new(), None);
    let mut lines = text.strip_prefix('\u{feff}').unwrap_or(text).lines();
    while let Some(line) = lines.next() {
        let mut rest = line.trim_start();
        if let Some(header) = rest.strip_prefix('[') {
            (section, subsection, rest) = parse_header(header)?;
            rest = rest.trim_start();
        }
        if rest.is_empty() || rest.starts_with(['#', ';']) {
            continue;
        }
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '-').unwrap_or(rest.len());
        let (key, after) = rest.split_at(end);
        if key.is_empty() || section.is_empty() {
            return None;
        }
        let after = after.trim_start();
        let value = match after.strip_prefix('=') {
            Some(value) => Some(parse_value(value, &mut lines)?),
            None if after.is_empty() || after.starts_with(['#', ';']) => None,
            None => return None,
        };
        out.push(Setting {
            section: section.clone(),
            subsection: subsection.clone(),
            key: key.to_ascii_lowercase(),
            value,
        });
    }
    Some(out)
}

/// The header after its bracket: section, subsection, and what follows on the line.
fn parse_header(text: &str) -> Option<(String, Option<String>, &str)> {
    let end = text.find([']', '"', ' ', '\t'])?;
    let name = text[..end].to_ascii_lowercase();
    let rest = text[end..].trim_start();
    if let Some(rest) = rest.strip_prefix(']') {
        return Some(match name.split_once('.') {
            Some((section, subsection)) => (section.to_owned(), Some(subsection.to_owned()), rest),
            None => (name, None, rest),
        });
    }
    let quoted = rest.strip_prefix('"')?;
    let mut subsection = String::new();
    let mut characters = quoted.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '\\' => subsection.push(characters.next()?.1),
            '"' => {
                return Some((name, Some(subsection), quoted[at + 1..].trim_start().strip_prefix(']')?));
            }
            other => subsection.push(other),
        }
    }
    None
}

/// A value: quotes, escapes, comments, and lines joined by a back slash.
fn parse_value(first: &str, lines: &mut std::str::Lines<'_>) -> Option<String> {
    let mut out = String::new();
    // White space that is kept only when something follows it.
    let mut held = String::new();
    let mut quoted = false;
    let mut line = first.trim_start();
    loop {
        let mut characters = line.chars();
        let mut goes_on = false;
        while let Some(character) = characters.next() {
            match character {
                '"' => quoted = !quoted,
                '#' | ';' if !quoted => break,
                '\\' => match characters.next() {
                    None => goes_on = true,
                    Some(escaped) => {
                        out.push_str(&std::mem::take(&mut held));
                        out.push(match escaped {
                            'n' => '\n',
                            't' => '\t',
                            'b' => '\u{8}',
                            '"' | '\\' => escaped,
                            _ => return None,
                        });
                    }
                },
                space if space.is_whitespace() && !quoted => held.push(space),
                other => {
                    out.push_str(&std::mem::take(&mut held));
                    out.push(other);
                }
            }
        }
        if goes_on {
            line = lines.next()?;
        } else {
            return (!quoted).then_some(out);
        }
    }
}
