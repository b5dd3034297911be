//! Tests of `file_info` on real files.

use std::fs;
use std::time::{Duration, Instant, SystemTime};

use serde_json::json;

use super::*;
use crate::fixture::Fixture;

#[test]
fn text_and_binary_files_are_told() {
    let fixture = Fixture::new();
    fixture.write("a.txt", "\u{feff}x\r\ny\r\n");
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
    fs::File::options().write(true).open(fixture.root.join("a.txt")).unwrap().set_modified(time).unwrap();
    let text = fixture.text(&tool(), json!({"path": "a.txt"}));
    assert!(text.starts_with("path: a.txt\nkind: text, UTF-8 with BOM, 2 lines, CRLF line ends\n"), "{text}");
    assert!(text.contains("\nsize: 9 bytes\nchanged: 2023-11-14 22:13:20 UTC\n"), "{text}");
    let cases: [(&[u8], &str); 4] = [
        (b"", "kind: an empty file"),
        (b"one line", "kind: text, UTF-8, 1 line, no line end"),
        (b"caf\xe9\n", "kind: text in neither UTF-8 nor another known encoding; it can't be edited"),
        (b"\x7fELF\x02", "kind: an ELF program or library"),
    ];
    for (content, kind) in cases {
        fixture.write("x", content);
        let text = fixture.text(&tool(), json!({"path": "x"}));
        assert_eq!(text.lines().nth(1).unwrap(), kind);
    }
    assert_eq!(fixture.run(&tool(), json!({"path": "none"})).unwrap_err(), "none does not exist");
}

#[test]
fn folders_and_huge_files_are_told_without_reading_them() {
    let fixture = Fixture::new();
    fixture.write("src/a.rs", "");
    fixture.write("src/b.rs", "");
    assert!(fixture.text(&tool(), json!({"path": "src"})).contains("\nkind: folder with 2 entries\n"));
    fs::File::create(fixture.root.join("disk.img")).unwrap().set_len(10 << 30).unwrap();
    let start = Instant::now();
    let text = fixture.text(&tool(), json!({"path": "disk.img"}));
    assert!(text.contains("kind: a file, too large to look into\nsize: 10,737,418,240 bytes\n"), "{text}");
    assert!(start.elapsed() < Duration::from_secs(2));
}

#[cfg(unix)]
#[test]
fn links_modes_and_hard_links_are_told() {
    use std::os::unix::fs::PermissionsExt as _;
    let fixture = Fixture::new();
    fixture.write("real.sh", "#!/bin/sh\n");
    fs::set_permissions(fixture.root.join("real.sh"), fs::Permissions::from_mode(0o750)).unwrap();
    fs::hard_link(fixture.root.join("real.sh"), fixture.root.join("twin.sh")).unwrap();
    fixture.link("real.sh", "run");
    let text = fixture.text(&tool(), json!({"path": "run"}));
    assert!(text.starts_with("path: run\nlink to: real.sh\nkind: text, UTF-8, 1 line, LF line ends\n"), "{text}");
    assert!(text.contains("\npermissions: rwxr-x---\nhard links: 2\n"), "{text}");
}

#[cfg(unix)]
#[test]
fn p36_p37_what_is_no_regular_file_is_named_and_left_alone() {
    let fixture = Fixture::new();
    fixture.pipe("pipe");
    let listener = std::os::unix::net::UnixListener::bind(fixture.root.join("sock")).unwrap();
    let start = Instant::now();
    for (path, what) in [("pipe", "named pipe"), ("sock", "socket")] {
        let text = fixture.text(&tool(), json!({"path": path}));
        assert!(text.contains(&format!("kind: {what}, not a regular file")), "{text}");
    }
    fixture.link("/dev/zero", "zero");
    assert!(fixture.run(&tool(), json!({"path": "zero"})).unwrap_err().contains("outside of the workspace"));
    assert!(start.elapsed() < Duration::from_secs(2));
    drop(listener);
}
