//! Tests of `read_file` on real files.

use std::fs;
use std::time::{Duration, Instant};

use assent_protocol::ids::Sha;
use assent_protocol::tool::Cause;
use encoding_rs::GBK;
use serde_json::json;

use super::*;
use crate::fixture::{CANARY, Fixture};

#[test]
fn a_file_is_shown_with_line_numbers_and_seen_whole() {
    let fixture = Fixture::new();
    fixture.write("src/主 要.rs", "fn main() {\n}\n");
    let output = fixture.run(&tool(), json!({"path": "src/主 要.rs"})).unwrap();
    assert_eq!(output.outcome, Outcome::Ok);
    assert_eq!(String::from_utf8(output.full).unwrap(), "src/主 要.rs: lines 1 to 2 of 2\n1\tfn main() {\n2\t}\n");
    assert_eq!(output.brief, Brief::Lines { first: 1, last: 2, total: 2 });
    let hash = Some(Sha::of(b"fn main() {\n}\n"));
    assert_eq!(output.seen, [FileState { path: "src/主 要.rs".to_owned(), hash }]);
}

#[test]
fn pages_end_at_line_ends_and_join_to_the_whole() {
    let fixture = Fixture::new();
    let lines: Vec<String> =
        (1..=640).map(|number| format!("line {number} 你好 {}", "x".repeat(number % 70))).collect();
    fixture.write("long.txt", lines.join("\n") + "\n");
    let (mut next, mut joined, mut pages) = (Some(1), Vec::new(), 0);
    while let Some(offset) = next {
        let output = fixture.run(&tool(), json!({"path": "long.txt", "offset": offset})).unwrap();
        let text = String::from_utf8(output.full).unwrap();
        assert!(text.chars().count() <= MAX_CHARACTERS, "{}", text.chars().count());
        let Brief::Lines { first, last, total: 640 } = output.brief else { panic!("{:?}", output.brief) };
        assert_eq!(first, offset);
        let header = text.lines().next().unwrap();
        next = (last < 640).then_some(last + 1);
        match next {
            Some(next) => assert_eq!(header, format!("long.txt: lines {first} to {last} of 640, go on at {next}")),
            None => assert_eq!(header, format!("long.txt: lines {first} to 640 of 640")),
        }
        joined.extend(text.lines().skip(1).map(|line| line.split_once('\t').unwrap().1.to_owned()));
        pages += 1;
    }
    assert_eq!(joined, lines);
    assert!((4..12).contains(&pages), "{pages}");
    let text = fixture.text(&tool(), json!({"path": "long.txt", "offset": 3, "limit": 2}));
    assert!(text.starts_with("long.txt: lines 3 to 4 of 640, go on at 5\n3\t"));
    let output = fixture.run(&tool(), json!({"path": "long.txt", "offset": 700})).unwrap();
    assert_eq!((output.outcome, output.seen.len()), (Outcome::Error, 0));
    assert_eq!(output.full, b"long.txt has 640 lines; there is no line 700");
}

#[test]
fn empty_files_and_missing_line_ends_are_said() {
    let fixture = Fixture::new();
    fixture.write("empty", "");
    fixture.write("open", "a\nb");
    assert_eq!(fixture.text(&tool(), json!({"path": "empty"})), "empty is empty");
    assert!(!fixture.run(&tool(), json!({"path": "empty"})).unwrap().seen.is_empty());
    let text = fixture.text(&tool(), json!({"path": "open"}));
    assert_eq!(text, "open: lines 1 to 2 of 2\n1\ta\n2\tb\n(no line end after the last line)\n");
}

#[test]
fn p46_a_line_of_650_kb_is_cut_at_a_character_and_marked() {
    let fixture = Fixture::new();
    fixture.write("one.json", "字".repeat(650_012 / 3) + "\nlast\n");
    let text = fixture.text(&tool(), json!({"path": "one.json"}));
    assert!(text.chars().count() <= MAX_CHARACTERS);
    assert!(text.contains("… [cut here: the line has 216,670 characters]\n2\tlast\n"), "{text}");
    assert!(!text.contains('\u{fffd}'));
}

#[test]
fn encodings_are_decoded_and_named() {
    let fixture = Fixture::new();
    let chinese = "// 初始化数据库连接，读取配置文件并检查版本。\n";
    fixture.write("gbk.c", GBK.encode(chinese).0);
    fixture.write("bom.txt", "\u{feff}x\r\ny\r\n");
    let utf16: Vec<u8> = "\u{feff}你好\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    fixture.write("utf16.txt", utf16);
    assert_eq!(
        fixture.text(&tool(), json!({"path": "gbk.c"})),
        format!("gbk.c: lines 1 to 1 of 1 (GBK)\n1\t{chinese}")
    );
    let text = fixture.text(&tool(), json!({"path": "bom.txt"}));
    assert_eq!(text, "bom.txt: lines 1 to 2 of 2 (UTF-8 with BOM, CRLF line ends)\n1\tx\n2\ty\n");
    let text = fixture.text(&tool(), json!({"path": "utf16.txt"}));
    assert_eq!(text, "utf16.txt: lines 1 to 1 of 1 (UTF-16 LE with BOM)\n1\t你好\n");
}

#[test]
fn p41_a_file_in_no_known_encoding_is_shown_lossily_and_says_so() {
    let fixture = Fixture::new();
    fixture.write("old.txt", b"caf\xc3\xa9\nplain\ncaf\xe9\n");
    let text = fixture.text(&tool(), json!({"path": "old.txt"}));
    assert!(text.contains("neither UTF-8 nor another known encoding"));
    assert!(text.contains("can't be edited"));
    assert!(text.ends_with("1\tcafé\n2\tplain\n3\tcaf\u{fffd}\n"));
}

#[test]
fn binary_files_are_described_and_not_seen() {
    let fixture = Fixture::new();
    fixture.write("logo.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR");
    let output = fixture.run(&tool(), json!({"path": "logo.png"})).unwrap();
    assert_eq!(String::from_utf8(output.full).unwrap(), "logo.png is a PNG image, 16 bytes; it is not text");
    assert!(output.seen.is_empty());
}

#[test]
fn a_sparse_file_of_10_gb_is_refused_at_once() {
    let fixture = Fixture::new();
    fs::File::create(fixture.root.join("disk.img")).unwrap().set_len(10 << 30).unwrap();
    let start = Instant::now();
    let words = fixture.run(&tool(), json!({"path": "disk.img"})).unwrap_err();
    assert_eq!(words, "disk.img has 10.0 GB; files up to 8.0 MB are read. Search it with grep");
    assert!(start.elapsed() < Duration::from_secs(2));
}

/// Time that this thread was on a processor, so that a busy machine doesn't count.
#[cfg(target_os = "linux")]
fn busy() -> Duration {
    let fields = fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    Duration::from_nanos(fields.split(' ').next().unwrap().parse().unwrap())
}

#[cfg(target_os = "linux")]
#[test]
fn files_at_the_cap_take_little_time_whatever_is_in_them() {
    let fixture = Fixture::new();
    let size = MAX_BYTES as usize;
    let chinese = GBK.encode("初始化数据库连接，读取配置文件并检查版本。").0.into_owned();
    let utf16: Vec<u8> = "你好世界".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let contents = [
        ("one line", vec![b'x'; size]),
        ("line feeds", vec![b'\n'; size]),
        ("zeros", vec![0; size]),
        ("no encoding", b"caf\xe9\n".repeat(size / 5)),
        ("nothing but Chinese", vec![0xe9; size]),
        ("GBK", chinese.repeat(size / chinese.len())),
        ("UTF-16", [b"\xff\xfe".to_vec(), utf16.repeat(size / utf16.len() - 1)].concat()),
    ];
    for (name, content) in contents {
        fixture.write("big", &content);
        drop(content);
        let start = busy();
        let output = fixture.run(&tool(), json!({"path": "big"})).unwrap();
        let took = busy() - start;
        assert_eq!(output.outcome, Outcome::Ok, "{name}");
        assert!(output.full.len() < 4 * MAX_CHARACTERS, "{name}");
        println!("{name}: {} ms", took.as_millis());
        assert!(took < Duration::from_secs(2), "{name}: {took:?}");
    }
}

#[test]
fn what_is_no_file_is_named() {
    let fixture = Fixture::new();
    fixture.write("src/a.rs", "");
    assert_eq!(fixture.run(&tool(), json!({"path": "nope.rs"})).unwrap_err(), "nope.rs does not exist");
    let words = fixture.run(&tool(), json!({"path": "src"})).unwrap_err();
    assert_eq!(words, "src is a folder, not a file; use list_directory");
}

#[test]
fn misfits_are_bad_arguments_that_name_the_field() {
    let fixture = Fixture::new();
    let cases = [
        (json!({}), "`path` is missing"),
        (json!({"path": 5}), "`path` must be a string, not 5"),
        (json!({"path": "a", "offset": "5"}), "`offset` must be an integer, not the string \"5\""),
        (json!({"path": "a", "offset": 0}), "`offset` must be at least 1, not 0"),
        (json!({"path": "a", "limit": -1}), "`limit` must be at least 1, not -1"),
        (json!({"path": "a", "lines": 1}), "`lines` is unknown; there are `limit`, `offset`, `path`"),
    ];
    for (arguments, words) in cases {
        let refusal = fixture.assess(&tool(), arguments).unwrap_err();
        assert_eq!((refusal.words.as_str(), refusal.cause), (words, Cause::BadArguments));
    }
    fixture.write("a", "x\n");
    assert!(fixture.assess(&tool(), json!({"path": "a", "offset": null})).is_ok());
}

#[test]
fn secret_files_ask_once_each() {
    let mut fixture = Fixture::new();
    fixture.write(".env.local", "TOKEN=abc\n");
    fixture.write("deploy/notes.txt", "-----BEGIN OPENSSH PRIVATE KEY-----\nabc\n");
    fixture.write("innocent", "plain");
    for path in [".env.local", "deploy/notes.txt"] {
        let assessment = fixture.assess(&tool(), json!({"path": path})).unwrap();
        assert_eq!(assessment.tier, Tier::Medium, "{path}");
        assert_eq!(assessment.reason, Reason::ReadSecret { path: path.to_owned() });
        assert_eq!(assessment.reach.raised, Some(Raised::Secret));
        assert!(matches!(assessment.preview, Preview::Read { .. }));
        assert!(assessment.read_only);
        assert_eq!(fixture.run(&tool(), json!({"path": path})).unwrap().outcome, Outcome::Ok);
        fixture.allowed.push(path.to_owned());
        assert_eq!(fixture.assess(&tool(), json!({"path": path})).unwrap().tier, Tier::Low);
        assert_eq!(fixture.run(&tool(), json!({"path": path})).unwrap().outcome, Outcome::Ok);
    }
    assert_eq!(fixture.assess(&tool(), json!({"path": "innocent"})).unwrap().tier, Tier::Low);
}

#[cfg(unix)]
#[test]
fn a_link_to_a_secret_is_a_secret() {
    let fixture = Fixture::new();
    fixture.write(".env", "TOKEN=abc\n");
    fixture.link(".env", "notes.txt");
    let assessment = fixture.assess(&tool(), json!({"path": "notes.txt"})).unwrap();
    assert_eq!(assessment.reason, Reason::ReadSecret { path: "notes.txt (a link to .env)".to_owned() });
    assert_eq!(assessment.touches[0].path, ".env");
}

#[cfg(unix)]
#[test]
fn what_turns_secret_after_the_clearance_is_not_shown() {
    let fixture = Fixture::new();
    fixture.write("notes.txt", "plain\n");
    fixture.write(".env", "TOKEN=abc\n");
    let cleared = fixture.clear(&tool(), json!({"path": "notes.txt"})).unwrap();
    fs::remove_file(fixture.root.join("notes.txt")).unwrap();
    fixture.link(".env", "notes.txt");
    let output = fixture.read(&tool(), &cleared);
    assert_eq!((output.outcome, output.cause), (Outcome::Rejected, Some(Cause::Refused)));
    assert!(!String::from_utf8(output.full).unwrap().contains("TOKEN"));

    let cleared = fixture.clear(&tool(), json!({"path": ".env"})).unwrap();
    fixture.write(".env", "TOKEN=other\n");
    let output = fixture.read(&tool(), &cleared);
    assert_eq!(output.outcome, Outcome::Rejected);
    assert!(!String::from_utf8(output.full).unwrap().contains("TOKEN"));
}

#[cfg(unix)]
#[test]
fn p27_a_link_that_leaves_shows_no_canary() {
    let fixture = Fixture::new();
    fixture.link(fixture.out.join("canary.txt"), "l");
    fixture.link("../out/canary.txt", "m");
    fixture.link("../out", "d");
    for path in ["l", "m", "d/canary.txt", "d/../out/canary.txt"] {
        let words = fixture.run(&tool(), json!({"path": path})).unwrap_err();
        assert!(!words.contains(CANARY), "{words}");
    }
    // Cleared while it was a file, a link when it is read.
    fixture.write("x", "plain\n");
    let cleared = fixture.clear(&tool(), json!({"path": "x"})).unwrap();
    fs::remove_file(fixture.root.join("x")).unwrap();
    fixture.link(fixture.out.join("canary.txt"), "x");
    let output = fixture.read(&tool(), &cleared);
    assert_eq!(output.outcome, Outcome::Rejected);
    assert!(!String::from_utf8(output.full).unwrap().contains(CANARY));
}

#[cfg(unix)]
#[test]
fn p36_a_fifo_is_named_at_once() {
    let fixture = Fixture::new();
    fixture.pipe("pipe");
    let start = Instant::now();
    let words = fixture.run(&tool(), json!({"path": "pipe"})).unwrap_err();
    assert_eq!(words, "pipe is a named pipe, not a regular file; it is neither read nor written");
    // Cleared while it was a file, a pipe when it is read.
    fixture.write("x", "plain\n");
    let cleared = fixture.clear(&tool(), json!({"path": "x"})).unwrap();
    fs::remove_file(fixture.root.join("x")).unwrap();
    fixture.pipe("x");
    assert_eq!(fixture.read(&tool(), &cleared).outcome, Outcome::Rejected);
    assert!(start.elapsed() < Duration::from_secs(2));
}

#[cfg(unix)]
#[test]
fn p37_links_to_devices_and_kernel_views_and_sockets_are_refused() {
    let fixture = Fixture::new();
    let listener = std::os::unix::net::UnixListener::bind(fixture.root.join("sock")).unwrap();
    for (at, target) in [("zero", "/dev/zero"), ("env", "/proc/self/environ"), ("s", "sock"), ("fd", "/proc/self/fd/0")]
    {
        fixture.link(target, at);
    }
    let start = Instant::now();
    for path in ["zero", "env", "fd"] {
        let words = fixture.run(&tool(), json!({"path": path})).unwrap_err();
        assert!(words.contains("outside of the workspace"), "{words}");
    }
    for path in ["s", "sock"] {
        let words = fixture.run(&tool(), json!({"path": path})).unwrap_err();
        assert!(words.contains("is a socket, not a regular file"), "{words}");
    }
    assert!(start.elapsed() < Duration::from_secs(2));
    drop(listener);
}
