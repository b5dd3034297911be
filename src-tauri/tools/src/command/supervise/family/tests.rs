//! Reading the parent of a process. The rest of a family is tested with real ones, from outside.

use rustix::process::{Pid, getpid, getppid};

use super::descendants::parent_in;

#[test]
fn the_parent_stands_behind_a_name_that_may_hold_anything() {
    assert_eq!(parent_in("12 (sh) S 34 1 1 0"), Pid::from_raw(34));
    assert_eq!(parent_in("12 (a) S 5 (b)) R 34 1 1 0"), Pid::from_raw(34));
    assert_eq!(parent_in("12 (init) S 0 1"), None);
    assert_eq!(parent_in(""), None);
    let own = std::fs::read_to_string(format!("/proc/{}/stat", getpid().as_raw_nonzero())).unwrap();
    assert_eq!(parent_in(&own), getppid());
}
