//! Writes the bytes of attachments into a body, as base64 and as `data:` URLs.
//! Which part of a message carries them is each wire format's own.

use assent_protocol::attachment::{Attachment, Contents};
use bytes::{BufMut as _, BytesMut};

/// Appends the base64 text of an attachment as a JSON string.
pub(crate) fn write_data(out: &mut BytesMut, contents: &Contents, attachment: &Attachment) {
    out.put_u8(b'"');
    put_data(out, contents, attachment);
    out.put_u8(b'"');
}

/// Appends an attachment as a `data:` URL in a JSON string.
pub(crate) fn write_data_url(out: &mut BytesMut, contents: &Contents, attachment: &Attachment) {
    out.put_slice(b"\"data:");
    out.put_slice(attachment.media_type.as_str().as_bytes());
    out.put_slice(b";base64,");
    put_data(out, contents, attachment);
    out.put_u8(b'"');
}

/// Base64 has nothing that JSON would have escaped.
fn put_data(out: &mut BytesMut, contents: &Contents, attachment: &Attachment) {
    let data = contents.get(&attachment.content.hash);
    debug_assert!(data.is_some(), "whoever makes a view brings the bytes of {}", attachment.name);
    out.put_slice(data.map_or(&[], |data| data.as_bytes()));
}

#[cfg(test)]
mod tests;
