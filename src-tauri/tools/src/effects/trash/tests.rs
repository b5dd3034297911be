//! The trash emptied by age and by size, and its names.
//! How things get there is tested with `delete_file`.

use std::time::{Duration, SystemTime};

use assent_protocol::ids::CallId;

use super::{Emptied, empty_trash, touches_trash, trash_path};
use crate::effects::bench::Bench;

const FOREVER: Duration = Duration::from_secs(1 << 40);

fn aged(bench: &Bench, call: &str, content: &str, hours: u64) {
    bench.write(&format!(".assent/trash/{call}/file"), content);
    let time = SystemTime::now() - Duration::from_secs(hours * 3600);
    let folder = std::fs::File::open(bench.root.join(format!(".assent/trash/{call}"))).unwrap();
    folder.set_modified(time).unwrap();
}

#[test]
fn the_old_go_first_then_the_oldest_until_it_fits() {
    let bench = Bench::new();
    assert_eq!(empty_trash(&bench.workspace, FOREVER, 0).unwrap(), Emptied::default());
    bench.write(".assent/trash/.gitignore", "*\n");
    for (call, hours) in [("a", 50), ("b", 30), ("c", 20), ("d", 10)] {
        aged(&bench, call, "12345", hours);
    }
    let day = Duration::from_secs(24 * 3600);
    assert_eq!(empty_trash(&bench.workspace, day, 100).unwrap(), Emptied { calls: 2, bytes: 10 });
    assert_eq!(empty_trash(&bench.workspace, day, 9).unwrap(), Emptied { calls: 1, bytes: 5 });
    assert!(bench.exists(".assent/trash/d/file") && !bench.exists(".assent/trash/c"));
    assert_eq!(empty_trash(&bench.workspace, day, 5).unwrap(), Emptied::default());
    assert!(bench.exists(".assent/trash/.gitignore"));
}

#[test]
fn what_cannot_be_removed_does_not_keep_the_rest() {
    let bench = Bench::new();
    // So deep that removing it is given up.
    let deep = "d/".repeat(crate::effects::tree::MAX_DEPTH + 10);
    std::fs::create_dir_all(bench.root.join(".assent/trash/deep").join(deep)).unwrap();
    for (call, hours) in [("deep", 60), ("a", 50), ("b", 40)] {
        aged(&bench, call, "12345", hours);
    }
    assert!(empty_trash(&bench.workspace, Duration::from_secs(3600), u64::MAX).is_err());
    assert!(!bench.exists(".assent/trash/a") && !bench.exists(".assent/trash/b"));
    assert!(bench.exists(".assent/trash/deep"));
}

#[test]
fn emptying_follows_no_link() {
    let bench = Bench::new();
    aged(&bench, "a", "x", 50);
    bench.link(&bench.out, ".assent/trash/a/out");
    bench.link(&bench.out, ".assent/trash/out");
    assert_eq!(empty_trash(&bench.workspace, Duration::ZERO, 0).unwrap().calls, 1);
    assert!(!bench.exists(".assent/trash/a"));
    bench.out_is_untouched();
    std::fs::remove_dir_all(bench.root.join(".assent/trash")).unwrap();
    bench.link(&bench.out, ".assent/trash");
    assert!(empty_trash(&bench.workspace, Duration::ZERO, 0).is_err());
    bench.out_is_untouched();
}

#[test]
fn names_of_calls_become_single_folders() {
    assert_eq!(trash_path(&CallId::new("a-1"), "x"), ".assent/trash/a-1/x");
    for id in ["../..", "", "a/b", "a\\b", "con.", &"x".repeat(65)] {
        let path = trash_path(&CallId::new(id), "x");
        assert_eq!(path.split('/').count(), 4, "{path}");
        assert!(path.split('/').nth(2).is_some_and(|name| name.len() == 64), "{path}");
    }
    assert!(touches_trash(".assent/trash") && touches_trash(".ASSENT/Trash/x") && touches_trash(".assent"));
    assert!(touches_trash(".a\u{17f}sent/trash/x") && touches_trash(".as\u{200c}sent"));
    assert!(!touches_trash(".assent/trash2") && !touches_trash(".assent/rules.md") && !touches_trash("a/.assent"));
}
