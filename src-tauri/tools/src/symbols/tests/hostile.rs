//! Sources that broke parsers: deep, endless, broken, foreign.
//! All must end within the budget with a reason, and the process lives.

use std::time::{Duration, Instant};

use expect_test::expect;
use serde_json::json;

use super::{outline, symbol};
use crate::search::tests::{CANARY, Ground};
use crate::symbols::parse::LONGEST;
use crate::symbols::read_symbol::tool;

#[test]
fn p47_deep_nesting_and_endless_parsing_end_with_a_reason() {
    let ground = Ground::new();
    let deep = 100_000;
    let sources = [
        ("brackets.js", "[".repeat(deep)),
        ("parens.rs", format!("fn a() {{ {} }}", "(".repeat(deep))),
        ("blocks.rs", format!("fn a() {}{}", "{".repeat(deep), "}".repeat(deep))),
        ("modules.rs", format!("{}{}", "mod a {".repeat(deep), "}".repeat(deep))),
        ("classes.java", "class A { ".repeat(deep / 2)),
        ("functions.js", "function f(){".repeat(deep / 2)),
        ("namespaces.cpp", "namespace a {".repeat(deep / 2)),
        ("pointers.c", format!("int {}x(void) {{}}", "*".repeat(deep))),
        ("lists.py", format!("x = {}{}", "[".repeat(deep), "]".repeat(deep))),
        ("generics.ts", format!("type A = {}{}", "Array<".repeat(deep), ">".repeat(deep))),
        ("templates.cpp", format!("{} x;", "a<".repeat(deep))),
        ("unary.go", format!("package a\nvar x = {}1", "-".repeat(deep))),
        ("ternary.c", format!("int x = {}1;", "a ? b : ".repeat(deep / 2))),
    ];
    for (name, source) in sources {
        ground.write(name, &source);
        let begin = Instant::now();
        let text = ground.text(tool(), json!({"path": name}));
        let took = begin.elapsed();
        println!("{name}: {took:?}, {}", text.lines().last().unwrap_or_default());
        assert!(took < Duration::from_secs(4), "{name} took {took:?}");
        assert!(!text.is_empty());
    }
}

#[test]
fn p36_a_pipe_is_refused_by_name() {
    let ground = Ground::new();
    ground.pipe("pipe.rs");
    let begin = Instant::now();
    let text = ground.text(tool(), json!({"path": "pipe.rs"}));
    assert!(text.starts_with("REFUSED") && text.contains("not a regular file"), "{text}");
    assert!(begin.elapsed() < Duration::from_secs(2));
}

#[test]
fn p27_a_link_that_leads_outside_is_refused() {
    let ground = Ground::new();
    std::fs::write(ground.out.join("x.rs"), format!("fn {}() {{}}", CANARY.replace('-', "_"))).unwrap();
    ground.link("l.rs", ground.out.join("x.rs"));
    let text = ground.text(tool(), json!({"path": "l.rs"}));
    assert!(text.starts_with("REFUSED") && !text.contains("CANARY"), "{text}");
}

#[test]
fn p37_links_to_devices_are_refused() {
    let ground = Ground::new();
    ground.link("zero.rs", "/dev/zero").link("environ.py", "/proc/self/environ");
    for path in ["zero.rs", "environ.py"] {
        let text = ground.text(tool(), json!({"path": path}));
        assert!(text.starts_with("REFUSED"), "{text}");
    }
}

#[test]
fn broken_code_gives_what_parses() {
    let rust =
        "fn first() { if x {\n\nfn second(a: u8) {}\n\nstruct Third { a: }\n\nimpl Third { fn fourth(&self) {} }\n";
    outline(
        "a.rs",
        rust,
        expect![[r#"
        a.rs: Rust, 7 lines
        3  fn second(a: u8)
        5  struct Third
        7  impl Third
        7    fn fourth(&self)
    "#]],
    );
    outline(
        "a.py",
        "def first(:\n    pass\n\nclass Second:\n    def third(self):\n        return (\n\ndef fourth():\n    pass\n",
        expect![[r#"
        a.py: Python, 9 lines
        1-2  def first(
        4-6  class Second
        5-6    def third(self)
        8-9  def fourth()
    "#]],
    );
    outline(
        "a.js",
        "function first( {\n}\nclass Second { third() { }\nfunction fourth() {}\n",
        expect![[r#"
        a.js: JavaScript, 4 lines
        3  method third()
        4  method fourth()
    "#]],
    );
}

#[test]
fn what_is_no_source_is_said() {
    outline(
        "notes.md",
        "# hello\n",
        expect![
            "notes.md: no outline for this kind of file. Known are Rust, Python, JavaScript, TypeScript/TSX, Go, Java, C, C++. Use read_file or grep"
        ],
    );
    outline(
        "empty.rs",
        "",
        expect![[r#"
        empty.rs: Rust, 0 lines
        [no definitions]
    "#]],
    );
    outline("a.rs", "\0\0\0", expect!["a.rs is a binary file, not text"]);
    symbol(
        "a.go",
        "package a\n",
        "  ",
        expect![[r#"
        a.go: Go, 1 line
        [no definitions]
    "#]],
    );
    let long = format!("// {}\n", "x".repeat(1_100_000));
    outline(
        "long.rs",
        &long,
        expect!["REFUSED long.rs is 1,100,004 bytes long; at most 1,048,576 bytes are read at once"],
    );
}

#[test]
fn a_long_definition_is_cut_at_a_line_and_a_long_outline_counted() {
    let ground = Ground::new();
    let body = "    let value = compute(value);\n".repeat(600);
    ground.write("a.rs", format!("fn long() {{\n{body}}}\n"));
    let text = ground.text(tool(), json!({"path": "a.rs", "symbol": "long"}));
    assert!(text.lines().last().unwrap().contains("more lines; go on with read_file at line"), "{text}");
    let many: String = (0..600).map(|index| format!("fn function_number_{index}() {{}}\n")).collect();
    ground.write("b.rs", many);
    let text = ground.text(tool(), json!({"path": "b.rs"}));
    assert!(text.lines().last().unwrap().contains("more definitions"), "{text}");
}

#[test]
fn a_shown_definition_counts_as_seen() {
    let ground = Ground::new();
    ground.write("a.rs", "fn one() {}\n");
    let output = ground.call(tool(), json!({"path": "a.rs", "symbol": "one"})).unwrap();
    let hash = assent_protocol::ids::Sha::of(b"fn one() {}\n");
    assert_eq!(output.seen, [assent_protocol::tool::FileState { path: "a.rs".into(), hash: Some(hash) }]);
    let output = ground.call(tool(), json!({"path": "a.rs"})).unwrap();
    assert_eq!(output.seen, []);
}

#[test]
fn a_likely_secret_file_waits_for_a_person_and_is_read_as_it_was_then() {
    let ground = Ground::new();
    let source = "-----BEGIN PRIVATE KEY-----\nfn one() {}\n";
    ground.write("key.rs", source);
    let assessment = ground.fixture.assess(&tool(), json!({"path": "key.rs"})).unwrap();
    assert_eq!(assessment.tier, assent_protocol::permission::Tier::Medium);
    let cleared = ground.fixture.clear(&tool(), json!({"path": "key.rs"})).unwrap();
    let output = ground.fixture.read(&tool(), &cleared);
    assert_eq!(output.outcome, assent_protocol::tool::Outcome::Ok, "approved, it is read");
    ground.write("key.rs", source.replace("one", "two"));
    let output = ground.fixture.read(&tool(), &cleared);
    assert_eq!(output.outcome, assent_protocol::tool::Outcome::Rejected);
}

#[test]
fn the_largest_hostile_sources_take_little_memory() {
    for name in ["brackets.js", "blocks.rs", "generics.ts", "numbers.js", "signs.go", "names.py", "templates.cpp"] {
        // In a process of its own, whose peak is this source's alone.
        let probe = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "symbols::tests::hostile::probe_one_large_source", "--nocapture"])
            .env("PROBE_SOURCE", name)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&probe.stdout).into_owned();
        let grown = said.split("GREW ").nth(1).and_then(|rest| rest.split(' ').next()?.parse::<u64>().ok());
        println!("{name}: {} MB", grown.unwrap() / 1024);
        assert!(grown.unwrap() < 100 * 1024, "{name} took {grown:?} KB");
    }
}

/// Speaks only when the test above starts it, which then reads what it says.
#[test]
fn probe_one_large_source() {
    let Ok(name) = std::env::var("PROBE_SOURCE") else { return };
    let piece = match name.as_str() {
        "brackets.js" => "[",
        "blocks.rs" => "{",
        "generics.ts" => "A<",
        "numbers.js" => "1;",
        "signs.go" => "-",
        "names.py" => "a\n",
        "templates.cpp" => "a<",
        other => panic!("no source {other}"),
    };
    let source = piece.repeat(usize::try_from(LONGEST).unwrap() / piece.len());
    let ground = Ground::new();
    ground.write(&name, source);
    let peak = || {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap().to_owned();
        line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap()
    };
    let before = peak();
    let text = ground.text(tool(), json!({"path": name}));
    println!("GREW {} KB {text}", peak() - before);
}
