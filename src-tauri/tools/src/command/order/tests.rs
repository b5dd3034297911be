//! Orders and endings survive the socket.

use std::fs::File;
use std::io::Write as _;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::net::UnixStream;
use std::path::Path;

use super::{ENDING_BYTES, read_ending, receive, send, write_ending};
use crate::command::launch::{Ending, How, Stage};

#[test]
fn an_order_arrives_with_its_handles() {
    let folder = tempfile::tempdir().unwrap();
    let (inner, root) = (folder.path().join("内"), folder.path().to_owned());
    std::fs::create_dir(&inner).unwrap();
    let command = format!("echo '{}'\n\r", "长".repeat(20_000));
    let (ours, theirs) = UnixStream::pair().unwrap();
    let (inner_handle, root_handle) = (File::open(&inner).unwrap(), File::open(&root).unwrap());
    std::thread::scope(|scope| {
        scope.spawn(|| send(&ours, &command, &inner_handle, Some((&root_handle, &root))).unwrap());
        let order = receive(&theirs).unwrap();
        assert_eq!(order.command, command);
        let inode = |file: &File| file.metadata().unwrap().ino();
        assert_eq!(inode(&order.folder), inode(&inner_handle));
        let limit = order.limit.unwrap();
        assert_eq!((inode(&limit.root), limit.path.as_path()), (inode(&root_handle), root.as_path()));
    });
    send(&ours, "x", &inner_handle, None).unwrap();
    assert!(receive(&theirs).unwrap().limit.is_none());
    assert_ne!(Path::new("/"), root);
}

#[test]
fn what_is_no_order_is_refused() {
    for bytes in
        [b"".as_slice(), b"\x05\0\0\0", b"\xff\xff\xff\xff....", b"\x08\0\0\0\xff\xff\0\0abcd", b"\x05\0\0\0\0\0\0\0x"]
    {
        let (mut ours, theirs) = UnixStream::pair().unwrap();
        ours.write_all(bytes).unwrap();
        drop(ours);
        assert!(receive(&theirs).is_err(), "{bytes:?}");
    }
}

#[test]
fn endings_are_read_as_they_were_written() {
    let stages = [Stage::Adopt, Stage::Temporary, Stage::Sandbox, Stage::Shell];
    let hows = [How::Exit(0), How::Exit(255), How::Signal(9)].into_iter();
    for how in hows.chain(stages.map(|stage| How::NotStarted(stage, 28))) {
        let ending = Ending { how, left: 3 };
        assert_eq!(read_ending(write_ending(ending)), Some(ending));
    }
    assert_eq!(read_ending([9; ENDING_BYTES]), None);
}
