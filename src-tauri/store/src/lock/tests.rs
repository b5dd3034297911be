//! Tests of the instance lock. A second process is needed only where the system ties locks to processes.
//! What an opening makes of them is tested there.

use super::*;

#[test]
fn p58_a_held_lock_refuses_and_names_its_holder_and_is_free_when_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let first = InstanceLock::take(folder.path()).unwrap();
    let Err(StoreError::InUse { holder }) = InstanceLock::take(folder.path()) else { panic!("taken twice") };
    assert!(holder.ends_with(&format!("(process {})", std::process::id())), "{holder}");
    drop(first);
    InstanceLock::take(folder.path()).unwrap();
}

#[test]
fn it_remembers_how_the_database_was_left() {
    let folder = tempfile::tempdir().unwrap();
    let take = || InstanceLock::take(folder.path()).unwrap();
    assert_eq!(take().left, Left::Never);
    assert_eq!(take().left, Left::Uncertain { history: false });
    let mut lock = take();
    lock.note_history().unwrap();
    drop(lock);
    assert_eq!(take().left, Left::Uncertain { history: true });
    let mut lock = take();
    assert_eq!(lock.left, Left::Uncertain { history: true }, "not forgotten by a start in between");
    lock.note_clean("4096 17").unwrap();
    drop(lock);
    assert_eq!(take().left, Left::Clean("4096 17".to_owned()));
    assert_eq!(take().left, Left::Uncertain { history: true });
}

#[test]
#[cfg(unix)]
fn a_lock_that_a_killed_process_left_to_its_child_is_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let mut dead = std::process::Command::new("true").spawn().unwrap();
    dead.wait().unwrap();
    let mut left = InstanceLock::take(folder.path()).unwrap();
    left.write(&format!("assent (process {})", dead.id())).unwrap();
    // The child lets go of it between the third look and the fourth.
    let (mut left, mut looks) = (Some(left), 0);
    let taken = InstanceLock::take_pausing(folder.path(), || {
        looks += 1;
        if looks == 3 {
            drop(left.take());
        }
    });
    assert!(taken.is_ok() && looks == 3, "neither taken nor refused while the child has it: {looks} looks");
}
