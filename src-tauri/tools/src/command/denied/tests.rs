//! Texts that the last net holds, and everyday texts that it must let through.

use crate::command::named::named;

#[test]
fn what_wrecks_a_machine_is_held() {
    for text in [
        "rm -rf /",
        "rm -fr /*",
        "rm -r -f ~",
        "rm -rf ~/",
        "rm -rf $HOME",
        "rm -rf \"$HOME\"/",
        "rm -rf ${HOME}/*",
        "rm --recursive /usr",
        "rm -rf --no-preserve-root x",
        "sudo rm -rf /",
        "sudo --unknown value rm -rf /",
        "cd x && rm -rf //",
        "sh -c 'rm -rf /'",
        "bash -lc \"sh -c 'rm -rf /'\"",
        "env A=1 rm -rf /etc/",
        "ls | xargs rm -rf /",
        "echo $(rm -rf /)",
        "sh <<E\nrm -rf /\nE",
        "find / -delete",
        "mkfs.ext4 /dev/sda1",
        "mkfs -t ext4 /dev/sda1",
        "dd if=/dev/zero of=/dev/sda",
        "cat x > /dev/sda",
        "echo x >/dev/nvme0n1",
        "tee /dev/sdb < x",
        "shutdown -h now",
        "sudo reboot",
        "systemctl poweroff",
        "init 0",
        "format C:",
        "rd /s /q C:\\",
        "chmod -R 777 /",
        "chown -R me /usr",
        "kill -9 -1",
        ":(){ :|:& };:",
        "bomb() { bomb | bomb & }; bomb",
        "sh -c ':(){ :|:& };:'",
    ] {
        assert!(named(text).denied.is_some(), "{text:?}");
    }
    let late = format!("{}rm -rf /", "true; ".repeat(2000));
    assert!(named(&late).denied.is_some());
}

#[test]
fn everyday_texts_pass() {
    for text in [
        "rm -rf target",
        "rm -rf ./build /tmp/x",
        "rm -rf ~/project/target",
        "rm -f /",
        "git commit -m 'rm -rf / is bad'",
        "echo shutdown",
        "grep -r reboot .",
        "npm run format",
        "cargo fmt",
        "dd if=a of=b",
        "dd if=/dev/zero of=/dev/null count=1",
        "make > /dev/null 2>&1",
        "echo x > /dev/stderr",
        "echo x > /dev/tcp/127.0.0.1/80",
        "kill -1 123",
        "find . -delete",
        "chmod -R u+w .",
        "systemctl status x",
        "f() { echo x | cat & }; f",
        "cat <<E\nrm -rf /\nE",
    ] {
        assert_eq!(named(text).denied, None, "{text:?}");
    }
}
