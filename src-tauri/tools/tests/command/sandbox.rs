//! What a sandboxed command can't write, and what it still can. Without Landlock these tests say so and end.

use assent_protocol::assessment::Warning;
use assent_protocol::preview::Preview;
use assent_protocol::tool::Outcome;
use assent_tools::command::sandbox_status;

use serde_json::json;

use super::call::Call;
use super::{ground, long_sleep, processes_with};

/// Whether the kernel has what these tests are about; says so when it hasn't.
fn is_on() -> bool {
    let status = sandbox_status();
    if !status.is_on() {
        eprintln!("skipped: {status:?}");
    }
    status.is_on()
}

#[test]
fn writes_outside_of_the_workspace_fail() {
    if !is_on() {
        return;
    }
    let ground = ground();
    let out = ground.out.display();
    for way in [
        format!("echo x > '{out}/new'"),
        format!("echo x >> '{out}/canary.txt'"),
        format!(": > '{out}/canary.txt'"),
        format!("truncate -s 0 '{out}/canary.txt'"),
        format!("rm '{out}/canary.txt'"),
        format!("mv '{out}/canary.txt' ."),
        format!("mv '{out}/canary.txt' '{out}/renamed'"),
        format!("ln '{out}/canary.txt' hard"),
        format!("mkdir '{out}/new'"),
        format!("ln -s x '{out}/new'"),
        format!("mkfifo '{out}/new'"),
        format!("ln -s '{out}' way && echo x > way/new"),
        "echo x > /tmp/assent-escape".to_owned(),
        "echo x > ~/assent-escape".to_owned(),
    ] {
        let output = ground.output(&way);
        assert_eq!(output.outcome, Outcome::Error, "{way}: {}", String::from_utf8_lossy(&output.full));
        assert_eq!(std::fs::read_to_string(ground.out.join("canary.txt")).unwrap(), "CANARY-OUT", "{way}");
        assert_eq!(std::fs::read_dir(&ground.out).unwrap().count(), 1, "{way}");
    }
}

#[test]
fn writes_in_the_workspace_to_its_temporary_folder_and_to_devices_work() {
    if !is_on() {
        return;
    }
    let ground = ground();
    for way in [
        "echo x > a && echo y >> a && mkdir -p d/e && mv a d/e/a && ln d/e/a b && rm b && truncate -s 0 d/e/a",
        "ln -s d l && mkfifo p && rm p l",
        "echo x > $TMPDIR/a && mv $TMPDIR/a . && mv a $TMPDIR/b",
        "echo x > /dev/null && echo x > /dev/zero && test -w /dev/tty",
        "echo x > /dev/stderr; echo x > /dev/stdout; echo x > /proc/self/fd/2",
        "cat ../OUT/canary.txt /etc/hostname > /dev/null",
        "git init -q . && git -c user.name=a -c user.email=b commit -q --allow-empty -m x && git log --oneline",
    ] {
        let output = ground.output(way);
        assert_eq!(output.outcome, Outcome::Ok, "{way}: {}", String::from_utf8_lossy(&output.full));
    }
}

#[test]
fn nothing_in_it_can_end_its_supervisor_or_a_stranger() {
    if !matches!(sandbox_status(), assent_tools::command::SandboxStatus::On { abi: 6.. }) {
        eprintln!("skipped: {:?} does not keep signals in", sandbox_status());
        return;
    }
    let ground = ground();
    let sleep = long_sleep();
    let mut stranger = std::process::Command::new("sleep").arg(long_sleep()).spawn().unwrap();
    let output = ground.output(&format!(
        "(setsid sleep {sleep} &); kill -9 $PPID || echo kept; kill -9 {} || echo kept; echo end",
        stranger.id()
    ));
    let text = String::from_utf8(output.full).unwrap();
    assert_eq!((text.matches("kept\n").count(), text.ends_with("end\n")), (2, true), "{text}");
    assert_eq!(processes_with(&sleep), 0);
    assert_eq!(stranger.try_wait().unwrap(), None);
    stranger.kill().unwrap();
    stranger.wait().unwrap();
}

#[test]
fn a_program_that_would_gain_rights_gains_none() {
    if !is_on() {
        return;
    }
    let ground = ground();
    let output = ground.output("grep NoNewPrivs /proc/self/status");
    assert_eq!(String::from_utf8(output.full).unwrap().trim(), "NoNewPrivs:\t1");
}

#[test]
fn a_command_runs_without_it_once_when_its_own_card_is_approved() {
    if !is_on() {
        return;
    }
    let ground = ground();
    let command = format!("echo x > '{}/new'", ground.out.display());
    let call = Call::with(&ground.root, json!({ "command": command, "unsandboxed": true }));
    let card = call.assess().unwrap();
    assert!(matches!(card.preview, Preview::Command { sandboxed: false, .. }), "{:?}", card.preview);
    assert!(card.reach.warnings.contains(&Warning::Unsandboxed) && !card.reach.inside, "{:?}", card.reach);
    assert_eq!(call.complete().outcome, Outcome::Ok);
    assert_eq!(std::fs::read_to_string(ground.out.join("new")).unwrap(), "x\n");
    // The next one is limited again.
    assert_eq!(ground.output(&format!("echo x > '{}/other'", ground.out.display())).outcome, Outcome::Error);
}
