//! Leftovers of crashes removed, and nothing else.
//! That a crash leaves them, and a sweep then finds them, is tested with `replace`.

use super::{Swept, sweep};
use crate::effects::bench::Bench;

#[test]
fn only_leftovers_go() {
    let bench = Bench::new();
    let (leftover, deep) = (".assent-0123456789abcdef.tmp", "a/b/.assent-fedcba9876543210.tmp");
    bench.write(leftover, "half");
    bench.write(deep, "half");
    let others = [
        ".assent-0123456789abcdef.tmpx",
        ".assent-0123456789ABCDEF.tmp",
        ".assent-123.tmp",
        "x.tmp",
        ".git/.assent-0123456789abcdef.tmp",
        "a/.assent-0123456789abcde1.tmp/file",
    ];
    for other in others {
        bench.write(other, "theirs");
    }
    std::fs::write(bench.out.join(".assent-0123456789abcdef.tmp"), "theirs").unwrap();
    bench.link(&bench.out, "out");
    bench.link("../out/canary.txt", "b.link");
    bench.link("../out/canary.txt", ".assent-00000000000000aa.tmp");
    assert_eq!(sweep(&bench.workspace).unwrap(), Swept { removed: 2, skipped: 0 });
    assert!(!bench.exists(leftover) && !bench.exists(deep));
    assert!(others.iter().all(|other| bench.exists(other)));
    std::fs::remove_file(bench.out.join(".assent-0123456789abcdef.tmp")).unwrap();
    bench.out_is_untouched();
}

#[test]
fn a_temporary_file_that_is_being_written_stays() {
    let bench = Bench::new();
    let name = ".assent-0123456789abcdef.tmp";
    bench.write(name, "half");
    let writer = std::fs::File::open(bench.root.join(name)).unwrap();
    writer.try_lock().unwrap();
    assert_eq!(sweep(&bench.workspace).unwrap(), Swept { removed: 0, skipped: 1 });
    drop(writer);
    assert_eq!(sweep(&bench.workspace).unwrap(), Swept { removed: 1, skipped: 0 });
}
