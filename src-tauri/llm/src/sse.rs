//! Server-sent events by the WHATWG rules: bytes in any portions become events.
//! Doesn't interpret data; `id` and `retry` are read over, because nothing here reconnects by itself.

use std::mem;

/// Collects bytes into lines and lines into events. Works on bytes, so a cut inside of a character harms nothing.
#[derive(Debug, Default)]
pub(crate) struct EventReader {
    /// The line that has begun but not ended.
    line: Vec<u8>,
    /// Data lines of the event so far, each followed by LF.
    data: Vec<u8>,
    /// The event's name, if it has one.
    name: Vec<u8>,
    /// The last byte was CR: an LF that comes next belongs to it.
    after_cr: bool,
    /// The first line is through, and with it the byte order mark.
    begun: bool,
}

impl EventReader {
    /// Reads on, and calls `each` with name and data of every event that is now complete.
    pub(crate) fn push(&mut self, mut bytes: &[u8], mut each: impl FnMut(&[u8], &[u8])) {
        if self.after_cr && !bytes.is_empty() {
            self.after_cr = false;
            bytes = bytes.strip_prefix(b"\n").unwrap_or(bytes);
        }
        while let Some(end) = memchr::memchr2(b'\r', b'\n', bytes) {
            if self.line.is_empty() {
                self.take_line(&bytes[..end], &mut each);
            } else {
                let mut line = mem::take(&mut self.line);
                line.extend_from_slice(&bytes[..end]);
                self.take_line(&line, &mut each);
                line.clear();
                self.line = line;
            }
            let ended_by_cr = bytes[end] == b'\r';
            bytes = &bytes[end + 1..];
            if ended_by_cr {
                match bytes.first() {
                    Some(b'\n') => bytes = &bytes[1..],
                    Some(_) => {}
                    None => self.after_cr = true,
                }
            }
        }
        self.line.extend_from_slice(bytes);
    }

    /// The stream is over: hands out an event that lacks only its empty line. The standard drops it; whether such
    /// data is whole is for the caller to judge, who parses it.
    pub(crate) fn finish(&mut self, mut each: impl FnMut(&[u8], &[u8])) {
        if !self.line.is_empty() {
            let line = mem::take(&mut self.line);
            self.take_line(&line, &mut each);
        }
        self.take_line(b"", &mut each);
    }

    fn take_line(&mut self, line: &[u8], each: &mut impl FnMut(&[u8], &[u8])) {
        let line =
            if mem::replace(&mut self.begun, true) { line } else { line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line) };
        if line.is_empty() {
            if let Some((_, data)) = self.data.split_last() {
                each(&self.name, data);
            }
            self.data.clear();
            self.name.clear();
            return;
        }
        let (field, value) = match memchr::memchr(b':', line) {
            Some(colon) => (&line[..colon], &line[colon + 1..]),
            None => (line, &b""[..]),
        };
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match field {
            b"data" => {
                self.data.extend_from_slice(value);
                self.data.push(b'\n');
            }
            b"event" => {
                self.name.clear();
                self.name.extend_from_slice(value);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests;
