//! As much of HTTP/1.1 as a client of a model needs: requests with a length, answers whole or in chunks, keep-alive.
//! Knows neither scripts nor models.

use std::io;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};

/// Longer heads are no requests.
const MAX_HEAD: usize = 64 << 10;

/// Longer bodies aren't read, whatever a script allows.
const MAX_BODY: usize = 256 << 20;

/// A request.
#[derive(Debug)]
pub(super) struct Request {
    pub method: String,
    /// Path with query.
    pub path: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Request {
    /// The first header of this name.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str())
    }
}

/// The reading side of a connection, with what was read too far.
#[derive(Debug)]
pub(super) struct Reader {
    socket: OwnedReadHalf,
    rest: Vec<u8>,
}

impl Reader {
    pub(super) fn new(socket: OwnedReadHalf) -> Self {
        Self { socket, rest: Vec::new() }
    }

    /// The next request; `None` when the client is done.
    pub(super) async fn request(&mut self) -> io::Result<Option<Request>> {
        let end = loop {
            if let Some(at) = self.rest.windows(4).position(|window| window == b"\r\n\r\n") {
                break at;
            }
            if self.rest.len() > MAX_HEAD {
                return Err(io::Error::other("the head is too long"));
            }
            if self.more().await? == 0 {
                return Ok(None);
            }
        };
        let head = String::from_utf8_lossy(&self.rest[..end]).into_owned();
        self.rest.drain(..end + 4);
        let mut lines = head.split("\r\n");
        let mut first = lines.next().unwrap_or_default().split(' ');
        let (method, path) = (first.next().unwrap_or_default().to_owned(), first.next().unwrap_or_default().to_owned());
        let headers: Vec<(String, String)> = lines
            .filter_map(|line| line.split_once(':'))
            .map(|(name, value)| (name.trim().to_ascii_lowercase(), value.trim().to_owned()))
            .collect();
        let mut request = Request { method, path, headers, body: Vec::new() };
        let length = request.header("content-length").and_then(|length| length.parse::<usize>().ok()).unwrap_or(0);
        if length > MAX_BODY {
            return Err(io::Error::other("the body is too long"));
        }
        while self.rest.len() < length {
            if self.more().await? == 0 {
                return Ok(None);
            }
        }
        request.body = self.rest.drain(..length).collect();
        Ok(Some(request))
    }

    /// Returns when the client left.
    pub(super) async fn until_left(&mut self) {
        while let Ok(1..) = self.more().await {}
    }

    async fn more(&mut self) -> io::Result<usize> {
        self.socket.read_buf(&mut self.rest).await
    }
}

/// The writing side of a connection.
#[derive(Debug)]
pub(super) struct Writer {
    socket: OwnedWriteHalf,
}

impl Writer {
    pub(super) fn new(socket: OwnedWriteHalf) -> Self {
        Self { socket }
    }

    /// A whole answer.
    pub(super) async fn whole(&mut self, status: u16, headers: &[(String, String)], body: &[u8]) -> io::Result<()> {
        let mut answer = head(status, headers);
        answer.extend_from_slice(format!("content-length: {}\r\n\r\n", body.len()).as_bytes());
        answer.extend_from_slice(body);
        self.socket.write_all(&answer).await
    }

    /// The beginning of an answer in chunks.
    pub(super) async fn begin(&mut self, status: u16, headers: &[(String, String)]) -> io::Result<()> {
        let mut answer = head(status, headers);
        answer.extend_from_slice(b"transfer-encoding: chunked\r\n\r\n");
        self.socket.write_all(&answer).await
    }

    /// One chunk, in one write.
    pub(super) async fn chunk(&mut self, bytes: &[u8]) -> io::Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        let mut chunk = format!("{:x}\r\n", bytes.len()).into_bytes();
        chunk.extend_from_slice(bytes);
        chunk.extend_from_slice(b"\r\n");
        self.socket.write_all(&chunk).await
    }

    /// The end of an answer in chunks.
    pub(super) async fn end(&mut self) -> io::Result<()> {
        self.socket.write_all(b"0\r\n\r\n").await
    }
}

fn head(status: u16, headers: &[(String, String)]) -> Vec<u8> {
    let mut head = format!("HTTP/1.1 {status} Fake\r\n");
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.into_bytes()
}
