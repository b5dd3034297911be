//! What the app and its supervisor say to each other over their socket: one order one way, one ending the other way.
//! It starts and ends nothing. The closing of the app's end is itself a message: end everything.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, IoSlice, IoSliceMut, Read as _, Write as _};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd as _, BorrowedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags,
    recvmsg, sendmsg,
};

use super::launch::{Ending, How, Stage};

/// Longest order. A command is at most 64 KiB and a path 4 KiB.
const MAX_ORDER: usize = 256 * 1024;

/// What a supervisor is to run.
#[derive(Debug)]
pub(super) struct Order {
    /// The text for the shell.
    pub command: String,
    /// The folder to run in, by handle: its path may lead elsewhere by now.
    pub folder: File,
    /// The workspace that writes are limited to; `None` runs without a sandbox.
    pub limit: Option<Limit>,
}

/// The folder that a sandboxed command may write to.
#[derive(Debug)]
#[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "there is no sandbox elsewhere"))]
pub(super) struct Limit {
    /// Its handle, which the rule is made from.
    pub root: File,
    /// Its path, only for comparing others with it.
    pub path: PathBuf,
}

/// Sends an order. The handles travel with its length.
pub(super) fn send(socket: &UnixStream, command: &str, folder: &File, limit: Option<(&File, &Path)>) -> io::Result<()> {
    let path = limit.map_or(OsStr::new(""), |(_, path)| path.as_os_str()).as_bytes();
    let mut body = Vec::with_capacity(4 + path.len() + command.len());
    body.extend(u32::try_from(path.len()).map_err(io::Error::other)?.to_le_bytes());
    body.extend(path);
    body.extend(command.as_bytes());
    let length = u32::try_from(body.len()).map_err(io::Error::other)?.to_le_bytes();
    let handles: Vec<BorrowedFd<'_>> =
        std::iter::once(folder.as_fd()).chain(limit.map(|(root, _)| root.as_fd())).collect();
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(2))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    control.push(SendAncillaryMessage::ScmRights(&handles));
    let sent = sendmsg(socket, &[IoSlice::new(&length)], &mut control, SendFlags::empty())?;
    let mut socket = socket;
    socket.write_all(&length[sent..])?;
    socket.write_all(&body)
}

/// Receives the order.
pub(super) fn receive(socket: &UnixStream) -> io::Result<Order> {
    let mut length = [0; 4];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(2))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    #[cfg(target_os = "linux")]
    let flags = RecvFlags::CMSG_CLOEXEC;
    #[cfg(not(target_os = "linux"))]
    let flags = RecvFlags::empty();
    let received = recvmsg(socket, &mut [IoSliceMut::new(&mut length)], &mut control, flags)?.bytes;
    let mut handles = control.drain().flat_map(|message| match message {
        RecvAncillaryMessage::ScmRights(handles) => handles.collect::<Vec<_>>(),
        _ => Vec::new(),
    });
    let (folder, root) = (handles.next(), handles.next());
    #[cfg(not(target_os = "linux"))]
    for handle in [&folder, &root].into_iter().flatten() {
        // This process has one thread, so nothing can be started between the two calls.
        rustix::io::fcntl_setfd(handle, rustix::io::FdFlags::CLOEXEC)?;
    }
    let mut socket = socket;
    socket.read_exact(&mut length[received..])?;
    let length = u32::from_le_bytes(length) as usize;
    if length > MAX_ORDER {
        return Err(malformed("an order is longer than any can be"));
    }
    let mut body = vec![0; length];
    socket.read_exact(&mut body)?;
    let (path_length, rest) = body.split_first_chunk::<4>().ok_or_else(|| malformed("an order is cut off"))?;
    let path_length = u32::from_le_bytes(*path_length) as usize;
    let (path, command) = rest.split_at_checked(path_length).ok_or_else(|| malformed("an order is cut off"))?;
    Ok(Order {
        command: String::from_utf8(command.to_vec()).map_err(io::Error::other)?,
        folder: folder.ok_or_else(|| malformed("an order comes without its folder"))?.into(),
        limit: root.map(|root| Limit { root: root.into(), path: PathBuf::from(OsStr::from_bytes(path)) }),
    })
}

fn malformed(words: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, words)
}

/// Length of an ending on the wire.
pub(super) const ENDING_BYTES: usize = 16;

/// The ending as it is sent.
pub(super) fn write_ending(ending: Ending) -> [u8; ENDING_BYTES] {
    let (kind, value, stage) = match ending.how {
        How::Exit(code) => (0, code, 0),
        How::Signal(signal) => (1, signal, 0),
        How::NotStarted(stage, error) => (2, error, stage as i32),
        // Nothing that a supervisor says of itself; it reads as no ending.
        How::Lost => (3, 0, 0),
    };
    let mut bytes = [0; ENDING_BYTES];
    for (slot, field) in
        bytes.chunks_exact_mut(4).zip([kind, value, stage, i32::try_from(ending.left).unwrap_or(i32::MAX)])
    {
        slot.copy_from_slice(&field.to_le_bytes());
    }
    bytes
}

/// Reads what [`write_ending`] wrote; `None` for anything else.
pub(super) fn read_ending(bytes: [u8; ENDING_BYTES]) -> Option<Ending> {
    let field = |at: usize| Some(i32::from_le_bytes(*bytes.get(at * 4..)?.first_chunk::<4>()?));
    let (value, left) = (field(1)?, u32::try_from(field(3)?).ok()?);
    let how = match field(0)? {
        0 => How::Exit(value),
        1 => How::Signal(value),
        2 => {
            let stages = [Stage::Adopt, Stage::Temporary, Stage::Sandbox, Stage::Shell];
            How::NotStarted(*stages.get(usize::try_from(field(2)?).ok()?)?, value)
        }
        _ => return None,
    };
    Some(Ending { how, left })
}

#[cfg(test)]
mod tests;
