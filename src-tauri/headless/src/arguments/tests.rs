//! Command lines and what they mean. What the commands do is tested with the real program.

use super::*;

fn read(line: &str) -> Result<Command, UsageError> {
    parse(line.split('|').filter(|word| !word.is_empty()).map(OsString::from))
}

#[test]
fn exec_takes_all_its_options() {
    let command = read("exec|fix it|--workspace|/w|--mode|auto|--protocol|chat-completions|--base-url|http://x/v1|--model|m|--context|1000|--max-iterations|4|--attach|a.png|--attach|b.pdf|--json").unwrap();
    let Command::Exec { prompt, attach, options, json } = command else { panic!("not exec") };
    assert_eq!((prompt.as_str(), json), ("fix it", true));
    assert_eq!(attach, ["a.png", "b.pdf"]);
    assert_eq!(options.mode, Some(Mode::Auto));
    assert_eq!(options.context, Some(1000));
    assert_eq!(options.max_iterations, Some(4));
    assert_eq!(options.base_url.as_deref(), Some("http://x/v1"));
}

#[test]
fn nonsense_is_a_usage_error() {
    for line in [
        "",
        "dance",
        "exec",
        "exec|a",
        "exec|a|b|--workspace|/w",
        "exec|a|--workspace|/w|--attach|",
        "chat|--attach|a.png",
        "exec|  |--workspace|/w",
        "exec|a|--workspace|/w|--mode|yolo",
        "exec|a|--workspace|/w|--protocol|practice",
        "exec|a|--workspace|/w|--context|0",
        "exec|a|--workspace|/w|--max-iterations|x",
        "exec|a|--workspace=",
        "exec|a|--workspace|/w|--model= ",
        "exec|a|--workspace|/w|--base-url=",
        "exec|a|--conversation=",
        "exec|a|--workspace|/w|--digest|d",
        "approve|c",
        "replay|c",
        "replay|c|--request|0",
        "export|c|--format|pdf",
        "import",
        "import|a|b",
        "import|a|--format|json",
        "log",
        "search",
        "search| ",
        "search|two|words",
        "search|words|--limit|0",
        "log|c|--limit|3",
        "approvals|x",
    ] {
        assert!(read(line).is_err(), "{line:?}");
    }
}

#[test]
fn a_run_for_a_script_is_known_by_its_first_word_and_its_flag() {
    let asks = |line: &str| asks_for_events(&line.split('|').map(OsString::from).collect::<Vec<_>>());
    assert!(asks("exec|--bogus|--json") && asks("approve|c|--json") && asks("reject|--json"));
    assert!(!asks("exec|a") && !asks("log|c|--json") && !asks("exec|--|--json") && !asks(""));
}

#[test]
fn usage_looks_back_a_month_unless_told_otherwise() {
    assert_eq!(read("usage"), Ok(Command::Usage { days: 30, json: false }));
    assert_eq!(read("usage|--days|7|--json"), Ok(Command::Usage { days: 7, json: true }));
    for wrong in ["usage|--days|0", "usage|--days|367", "usage|--days|many", "usage|yesterday", "log|x|--days|3"] {
        assert!(read(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn a_search_takes_its_words_as_one_argument() {
    let search = |limit, json| Command::Search { query: "重试 loop".to_owned(), limit, json };
    assert_eq!(read("search|重试 loop"), Ok(search(20, false)));
    assert_eq!(read("search|重试 loop|--limit|3|--json"), Ok(search(3, true)));
}
