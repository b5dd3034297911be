//! Which command lines are plain, by the public cases. What a rule does with that is tested in `decide`.

use super::plain_argv;

#[test]
fn p02_p03_p04_p05_p07_nothing_but_one_plain_argv_is_plain() {
    for command in [
        "ls && touch MARK",
        "git status\ntouch MARK",
        "git status\rtouch MARK",
        "git status\r\ntouch MARK",
        "echo a & touch MARK",
        "cat <(touch MARK)",
        "(touch MARK)",
        "{ touch MARK; }",
        "$(echo touch MARK)",
        "`echo touch MARK`",
        "echo \"$(touch MARK)\"",
        "env sh -c 'touch MARK'",
        "PAGER=./x git log",
        "busybox sh -c 'touch MARK'",
        "/bin/sh x",
        "echo x >! OUT/f",
        "echo x >| OUT/f",
        "ls *",
        "ls ~",
        "echo $HOME",
        "echo 'open",
        "",
        "   ",
    ] {
        assert_eq!(plain_argv(command), None, "{command:?}");
    }
}

#[test]
fn words_and_whole_quotes_are_plain() {
    let argv = plain_argv("cargo test --package 'a b' \"中文 文件\" x=1").unwrap().0;
    assert_eq!(argv, ["cargo", "test", "--package", "a b", "中文 文件", "x=1"]);
    assert_eq!(plain_argv("echo ''").unwrap().0, ["echo", ""]);
}

#[test]
fn p09_a_program_name_with_a_trailing_space_keeps_it() {
    assert_eq!(plain_argv("'tool ' x").unwrap().0, ["tool ", "x"]);
}
