//! Tests of parsing: what is taken, and every trap by name.

use super::*;

fn names(path: &str) -> Result<Vec<String>, String> {
    parse(path, Path::new("/w/app")).map(|asked| asked.names).map_err(|refusal| refusal.words)
}

#[test]
fn plain_paths_of_every_spelling_are_taken() {
    let cases: [(&str, &[&str]); 14] = [
        ("", &[]),
        (".", &[]),
        ("./", &[]),
        ("/w/app", &[]),
        ("src/main.rs", &["src", "main.rs"]),
        ("./src//main.rs", &["src", "main.rs"]),
        ("src\\main.rs", &["src", "main.rs"]),
        ("src/./main.rs/", &["src", "main.rs"]),
        ("/w/app/src/a", &["src", "a"]),
        ("源码/主 要.rs", &["源码", "主 要.rs"]),
        (".gitignore", &[".gitignore"]),
        ("...a/..b", &["...a", "..b"]),
        ("a~b/notes.txt~/console.log", &["a~b", "notes.txt~", "console.log"]),
        ("communication/nullable/auxiliary/com10", &["communication", "nullable", "auxiliary", "com10"]),
    ];
    for (path, expected) in cases {
        assert_eq!(names(path).unwrap(), expected, "{path:?}");
    }
    assert!(!parse("a/b", Path::new("/w")).unwrap().must_be_folder);
    assert!(parse("a/b/", Path::new("/w")).unwrap().must_be_folder);
    assert!(parse("a/b\\.", Path::new("/w")).unwrap().must_be_folder);
}

#[cfg(unix)]
#[test]
fn a_colon_that_is_no_trap_is_taken_on_unix() {
    assert_eq!(names("logs/2026-11-30T10:15:00.log").unwrap(), ["logs", "2026-11-30T10:15:00.log"]);
}

#[test]
fn what_leaves_the_workspace_is_refused() {
    for path in ["..", "../x", "a/../../x", "a/..", "a\\..\\x", "/", "/etc/passwd", "/w/app-old/x", "/w", "/w/app/../x"]
    {
        assert!(names(path).is_err(), "{path:?}");
    }
    for path in ["~", "~/x", "~\\x", "$HOME/x", "${HOME}/x", "%USERPROFILE%\\x"] {
        assert!(names(path).unwrap_err().contains("not expanded"), "{path:?}");
    }
}

#[test]
fn p32_p33_spellings_that_windows_reads_otherwise_are_refused_everywhere() {
    let cases = [
        "a.txt::$DATA",
        ".git::$INDEX_ALLOCATION",
        ".git::$INDEX_ALLOCATION/config",
        "a.txt:stream:$DATA",
        ":a",
        "a:b",
        "GIT~1/config",
        "git~1",
        "PROGRA~2/x",
        "INDEX~1.HTM",
        "a.txt.",
        "a.txt ",
        "a./b",
        "a /b",
        "...",
        ". ",
        "NUL",
        "nul",
        "con.txt",
        "CON.tar.gz",
        "aux.tar.gz",
        "PRN",
        "COM1",
        "com9.log",
        "LPT¹",
        "CONIN$",
        "conout$",
        "NUL .txt",
        "a/NUL/b",
        "nul:x",
        "\\\\server\\share\\x",
        "//server/share/x",
        "\\??\\C:\\x",
        "\\\\?\\C:\\x",
        "\\\\.\\pipe\\x",
        "D:\\x",
        "D:x",
        "C:",
        "c:/w/app/x",
    ];
    for path in cases {
        assert!(names(path).is_err(), "{path:?} was taken as {:?}", names(path));
    }
}

#[test]
fn what_is_no_name_at_all_is_refused() {
    for path in ["a\0b", "a/\0", "a\nb", "a\u{1b}[31m", "a\tb", "\u{7f}"] {
        assert!(names(path).unwrap_err().contains("control character"), "{path:?}");
    }
    assert!(names(&"x".repeat(256)).unwrap_err().contains("255"));
    assert!(names(&"a/".repeat(2_049)).unwrap_err().contains("4096"));
    assert!(names(&"a/".repeat(300)).unwrap_err().contains("too many folders"));
}
