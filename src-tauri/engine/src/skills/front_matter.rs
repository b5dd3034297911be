//! The front matter of a `SKILL.md`: YAML between two lines of three dashes, of which the name and the description matter.
//! Whatever else stands there is left alone; what is wrong is said with its line.

use assent_protocol::skill::SkillTrouble;
use granit_parser::{Event, Parser};

/// What the front matter says, and where the text behind it begins.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct FrontMatter {
    /// `name`, and its line from 1.
    pub name: Option<(String, u32)>,
    /// `description`, and its line from 1.
    pub description: Option<(String, u32)>,
    /// Byte at which the body begins.
    pub body: usize,
}

/// Where something is wrong, from line 1, and what.
pub(super) type Wrong = (u32, SkillTrouble);

/// Longest front matter that is read, in bytes.
const LONGEST: usize = 16 * 1024;

/// Reads the front matter at the beginning of `text`.
pub(super) fn read(text: &str) -> Result<FrontMatter, Wrong> {
    let start = text.strip_prefix('\u{feff}').unwrap_or(text);
    let skipped = text.len() - start.len();
    let mut lines = start.split_inclusive('\n');
    let Some(first) = lines.next().filter(|line| is_fence(line)) else {
        return Err((1, SkillTrouble::NoFrontMatter));
    };
    let from = skipped + first.len();
    let mut at = from;
    let Some((end, body)) = lines.find_map(|line| {
        let begin = at;
        at += line.len();
        is_fence(line).then_some((begin, at))
    }) else {
        return Err((1, SkillTrouble::NoFrontMatter));
    };
    if end - from > LONGEST {
        let message = format!("it is longer than {LONGEST} bytes");
        return Err((1, SkillTrouble::BadFrontMatter { message }));
    }
    entries(&text[from..end]).map(|entries| FrontMatter { body, ..entries })
}

fn is_fence(line: &str) -> bool {
    line.trim_end() == "---"
}

/// The two entries that matter. Lines of the YAML are counted from 1, and the fence stands above them.
fn entries(yaml: &str) -> Result<FrontMatter, Wrong> {
    let mut found = FrontMatter::default();
    let mut depth = 0_usize;
    // At depth 1 keys and values take turns.
    let mut key: Option<String> = None;
    for next in Parser::new_from_str(yaml) {
        let (event, span) = next
            .map_err(|error| (line(error.marker().line()), SkillTrouble::BadFrontMatter { message: error.info() }))?;
        let line = line(span.start.line());
        match event {
            Event::MappingStart(..) | Event::SequenceStart(..) => {
                if depth == 0 && !matches!(event, Event::MappingStart(..)) {
                    return Err((line, no_list()));
                }
                if depth == 1 {
                    key = match key.take() {
                        // A list or map as a key is nothing that we know; its value is skipped like any other.
                        None => Some(String::new()),
                        Some(_) => None,
                    };
                }
                depth += 1;
            }
            Event::MappingEnd | Event::SequenceEnd => depth = depth.saturating_sub(1),
            Event::Scalar(..) if depth == 0 => return Err((line, no_list())),
            Event::Scalar(value, ..) if depth == 1 => match key.take() {
                None => key = Some(value.into_owned()),
                Some(key) => take(&mut found, &key, &value, line),
            },
            Event::Alias(_) if depth == 1 => key = if key.is_none() { Some(String::new()) } else { None },
            _ => {}
        }
    }
    Ok(found)
}

fn take(found: &mut FrontMatter, key: &str, value: &str, line: u32) {
    let place = match key {
        "name" => &mut found.name,
        "description" => &mut found.description,
        _ => return,
    };
    *place = Some((value.trim().to_owned(), line));
}

fn no_list() -> SkillTrouble {
    SkillTrouble::BadFrontMatter { message: "it is no list of names and values".to_owned() }
}

/// The line in the file of a line in the YAML.
fn line(of_yaml: usize) -> u32 {
    u32::try_from(of_yaml).unwrap_or(u32::MAX - 1) + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trouble(text: &str) -> (u32, String) {
        match read(text).expect_err("it is wrong") {
            (line, SkillTrouble::BadFrontMatter { message }) => (line, message),
            (line, other) => (line, format!("{other:?}")),
        }
    }

    #[test]
    fn name_and_description_are_read_and_all_else_is_left_alone() {
        let text = "---\nname: review\nallowed-tools: [read_file, {x: 1}]\nmetadata:\n  name: inner\n? [odd, key]\n: v\n\
                    description: >-\n  Looks at changes\n  closely.\n---\n# Body\n";
        let found = read(text).unwrap();
        assert_eq!(found.name, Some(("review".to_owned(), 2)));
        assert_eq!(found.description.map(|(words, _)| words).as_deref(), Some("Looks at changes closely."));
        assert_eq!(&text[found.body..], "# Body\n");
    }

    #[test]
    fn line_ends_and_a_byte_order_mark_of_other_systems_are_no_trouble() {
        let text = "\u{feff}---\r\nname: 评审\r\ndescription: \"看: 改动\"\r\n---\r\nBody";
        let found = read(text).unwrap();
        assert_eq!(found.name, Some(("评审".to_owned(), 2)));
        assert_eq!(found.description, Some(("看: 改动".to_owned(), 3)));
        assert_eq!(&text[found.body..], "Body");
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        assert_eq!(trouble("# no front matter\n").1, "NoFrontMatter");
        assert_eq!(trouble("---\nname: x\n").1, "NoFrontMatter");
        assert_eq!(trouble("---\n- a\n- b\n---\n"), (2, "it is no list of names and values".to_owned()));
        assert_eq!(trouble("---\njust words\n---\n"), (2, "it is no list of names and values".to_owned()));
        assert_eq!(trouble("---\nname: x\ndescription: a: b\n---\n").0, 3);
        assert_eq!(trouble("---\nname: \"x\ndescription: y\n---\n").0, 2);
        assert_eq!(trouble(&format!("---\nname: {}\n---\n", "x".repeat(LONGEST))).0, 1);
    }

    #[test]
    fn nesting_and_references_without_end_cost_nothing() {
        assert!(trouble(&format!("---\na: {}\n---\n", "[".repeat(4_000))).0 >= 2);
        let bomb = "---\na: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nd: [*c, *c]\nname: n\ndescription: d\n---\n";
        assert_eq!(read(bomb).unwrap().name.map(|(name, _)| name).as_deref(), Some("n"));
    }

    #[test]
    fn an_empty_one_says_nothing() {
        assert_eq!(read("---\n---\nBody").unwrap(), FrontMatter { body: 8, ..FrontMatter::default() });
    }
}
