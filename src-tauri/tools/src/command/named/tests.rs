//! What the card names of a text: programs inside of others, scripts, files, folders, and the last net's verdict.

use super::named;

fn inner(text: &str) -> String {
    named(text).inner().join(" ")
}

#[test]
fn p03_p04_what_stands_in_compounds_and_substitutions_is_named() {
    for (text, wanted) in [
        ("ls", ""),
        ("ls && touch MARK", "touch"),
        ("git status\ntouch MARK", "touch"),
        ("echo a & touch MARK", "touch"),
        ("cat <(touch MARK)", "touch"),
        ("(touch MARK)", "touch"),
        ("{ touch MARK; }", "touch"),
        ("$(echo touch MARK)", "echo"),
        ("`echo touch MARK`", "echo"),
        ("for f in a b; do rm $f; done", "rm"),
    ] {
        assert_eq!(inner(text), wanted, "{text:?}");
    }
}

#[test]
fn p05_wrappers_and_variable_prefixes_are_looked_through() {
    for (text, wanted) in [
        ("env sh -c 'touch MARK'", "sh touch"),
        ("PAGER=./x git log", "git ./x"),
        ("A=1 B=2 cargo test", "cargo"),
        ("GIT_SSH_COMMAND='./x -y' git fetch", "git ./x"),
        ("busybox sh -c 'touch MARK'", "sh touch"),
        ("/usr/bin/env -i -u X A=1 python3 a.py", "python3"),
        ("sudo -u root rm -rf x", "rm"),
        ("bash -lc 'a && b'", "a b"),
        ("xargs -n 1 -P4 rm", "rm"),
        ("find . -name x -exec rm {} ';'", "rm"),
        ("timeout -k 1 5 make all", "make"),
        ("nice -n 5 nohup setsid tool", "nohup setsid tool"),
        ("eval \"touch MARK; rm x\"", "touch rm"),
        ("sh -c \"sh -c 'sh -c tool'\"", "sh sh tool"),
        ("watch -n 1 ls -l", "ls"),
        ("cmd /c del x", "del"),
    ] {
        assert_eq!(inner(text), wanted, "{text:?}");
    }
}

#[test]
fn scripts_are_programs_by_path_and_what_interpreters_read() {
    for (text, wanted) in [
        ("sh build.sh", "build.sh"),
        ("bash -x a/b.sh arg", "a/b.sh"),
        ("./x --flag", "./x"),
        ("python3 -u a.py", "a.py"),
        ("python3 -W error a.py", "a.py"),
        ("node x.js", "x.js"),
        (". ./env.sh", "./env.sh"),
        ("env -i sh build.sh", "build.sh"),
        ("cd a && sh build.sh", "build.sh"),
        ("sh -c './inner'", "./inner"),
        ("PAGER=./x git log", "./x"),
        ("git log", ""),
        ("python3 -c 'print(1)'", ""),
    ] {
        let scripts = named(text).scripts.join(" ");
        assert!(scripts.split(' ').take(wanted.split(' ').count()).eq(wanted.split(' ')), "{text:?}: {scripts:?}");
    }
}

#[test]
fn files_are_all_tokens_and_what_options_hold() {
    let found = named("tool a.txt --in=b.txt -o c.txt @d.txt < e.txt 'f g' $X *.h --flag");
    assert_eq!(found.files, ["e.txt", "a.txt", "b.txt", "c.txt", "@d.txt", "d.txt", "f g"]);
}

#[test]
fn build_tools_and_folders_are_known() {
    let found = named("cd app && make -C sub all && npm --prefix web test");
    assert_eq!(found.build_files, ["GNUmakefile", "makefile", "Makefile", "package.json"]);
    assert_eq!(found.folders, ["app", "sub", "web"]);
    assert!(named("cargo test").build_files.is_empty());
}

#[test]
fn wrappers_without_end_are_bounded() {
    let began = std::time::Instant::now();
    named(&"find -exec ".repeat(5000));
    named(&"env ".repeat(10_000));
    named(&"sh -c '".repeat(5000));
    named(&"$(sh <<E\n".repeat(3000));
    assert!(began.elapsed().as_secs() < 10);
}
