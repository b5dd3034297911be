//! Images and PDFs beside messages: what may be attached, and its bytes for requests and for people.
//! What a model takes of them is said by its choice; how a body carries them is `llm`'s.

use std::collections::HashMap;
use std::io::Write as _;
use std::sync::Arc;

use assent_protocol::attachment::{Attachment, Contents, MediaType};
use assent_protocol::failure::{Code, Failure};
use assent_protocol::ids::{ConversationId, Sha};
use assent_protocol::settings::ModelChoice;
use assent_protocol::view::ViewMessage;
use assent_session::Takes;
use assent_store::{Content, Store, StoreError};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::engine::{Engine, storage};

/// Attachments of one message at most.
const MOST: usize = 20;
/// Bytes of an image at most: what the strictest of the providers takes.
const LARGEST_IMAGE: usize = 5_000_000;
/// Bytes of a PDF at most; providers take requests of 32 MB.
const LARGEST_PDF: usize = 32_000_000;
/// From so many bytes on it is stored as a file of its own.
const WORTH_A_FILE: usize = 256 * 1024;
/// Characters of a name at most.
const LONGEST_NAME: usize = 120;

impl Engine {
    /// Stores an image or a PDF, to be sent with a message of this conversation. What it is is told from its bytes.
    pub async fn attach(
        &self,
        conversation: &ConversationId,
        name: &str,
        bytes: Vec<u8>,
    ) -> Result<Attachment, Failure> {
        self.row(conversation)?;
        let name = plain_name(name);
        let media_type = check(&name, &bytes).map_err(|words| Failure::new(Code::Invalid, words))?;
        let store = self.shared.store.clone();
        let content = apart(move || content_of(&store, bytes)).await?;
        let stored = content.stored();
        let kept = self.shared.store.attach(conversation, media_type, content);
        kept.await.map_err(|error| storage(&error))?;
        Ok(Attachment { name, media_type, content: stored })
    }

    pub(crate) async fn attach_base64(
        &self,
        conversation: &ConversationId,
        name: &str,
        data: String,
    ) -> Result<Attachment, Failure> {
        // A third more characters than bytes, before they are decoded.
        if data.len() / 4 * 3 > LARGEST_PDF + 2 {
            return Err(Failure::new(Code::Invalid, too_large(&plain_name(name), "file", LARGEST_PDF)));
        }
        let unreadable = |error| Failure::new(Code::Invalid, format!("{name} arrived in no readable form: {error}"));
        let bytes = apart(move || STANDARD.decode(data)).await?.map_err(unreadable)?;
        self.attach(conversation, name, bytes).await
    }

    /// The bytes of something that was attached in this conversation, as base64.
    pub(crate) fn attachment(&self, conversation: &ConversationId, hash: Sha) -> Result<String, Failure> {
        let store = &self.shared.store;
        let missing = || Failure::new(Code::NotFound, "there is no such attachment in this conversation");
        store.attached(conversation, hash).map_err(|error| storage(&error))?.ok_or_else(missing)?;
        let bytes = store.content(hash).map_err(|error| storage(&error))?.ok_or_else(missing)?;
        Ok(STANDARD.encode(bytes))
    }
}

/// Whether a message may carry these: stored in this conversation as what they are said to be, not too many, and taken by the model.
pub(crate) fn may_send(
    store: &Store,
    conversation: &ConversationId,
    attachments: &[Attachment],
    choice: Option<&ModelChoice>,
) -> Result<(), Failure> {
    let invalid = |words: String| Err(Failure::new(Code::Invalid, words));
    if attachments.len() > MOST {
        return invalid(format!("a message takes {MOST} attachments at most, these are {}", attachments.len()));
    }
    let takes = choice.map(Takes::of).unwrap_or_default();
    for attachment in attachments {
        let Attachment { name, media_type, content } = attachment;
        let known = store.attached(conversation, content.hash).map_err(|error| storage(&error))?;
        if known != Some(*media_type) {
            return invalid(format!("{name} was not attached in this conversation: attach it again"));
        }
        if !takes.takes(*media_type) {
            let model = choice.map_or("the model", |choice| choice.model.as_str());
            let kind = if media_type.is_image() { "images" } else { "PDFs" };
            return invalid(format!("{model} takes no {kind}: remove {name}, or choose another model"));
        }
    }
    Ok(())
}

/// The bytes of all that these messages name, as base64. What `known` has is taken over, the rest is read.
pub(crate) fn contents(store: &Store, messages: &[Arc<ViewMessage>], known: &Contents) -> Result<Contents, StoreError> {
    let attached = messages.iter().flat_map(|message| match message.as_ref() {
        ViewMessage::User { attachments, .. } => attachments.as_slice(),
        ViewMessage::Assistant { .. } | ViewMessage::ToolResult { .. } => &[],
    });
    let named: HashMap<Sha, &Attachment> = attached.map(|attachment| (attachment.content.hash, attachment)).collect();
    if named.len() == known.len() && named.keys().all(|hash| known.contains_key(hash)) {
        return Ok(Arc::clone(known));
    }
    let mut contents = HashMap::with_capacity(named.len());
    for (hash, attachment) in named {
        let data = match known.get(&hash) {
            Some(data) => Arc::clone(data),
            None => {
                let missing =
                    || StoreError::Damaged { message: format!("the attachment {} is missing", attachment.name) };
                STANDARD.encode(store.content(hash)?.ok_or_else(missing)?).into()
            }
        };
        contents.insert(hash, data);
    }
    Ok(Arc::new(contents))
}

/// Does what takes long on another thread than the conversations'.
async fn apart<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Failure> {
    let failed = |_| Failure::new(Code::Other, "storing the attachment failed in the middle");
    tokio::task::spawn_blocking(work).await.map_err(failed)
}

/// The bytes to be stored: large ones lie in a file already, where that can be written.
fn content_of(store: &Store, bytes: Vec<u8>) -> Content {
    let spool = if bytes.len() < WORTH_A_FILE { None } else { store.spool().ok().flatten() };
    // What couldn't be written to a file is stored in the database.
    let written = spool.and_then(|mut spool| spool.write_all(&bytes).is_ok().then_some(spool));
    match written {
        Some(spool) => spool.into_content(bytes),
        None => Content::of(bytes),
    }
}

/// What bytes are, by how they begin.
fn recognise(bytes: &[u8]) -> Option<MediaType> {
    match bytes {
        [0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a, ..] => Some(MediaType::Png),
        [0xff, 0xd8, 0xff, ..] => Some(MediaType::Jpeg),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some(MediaType::Gif),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some(MediaType::Webp),
        [b'%', b'P', b'D', b'F', b'-', ..] => Some(MediaType::Pdf),
        _ => None,
    }
}

fn check(name: &str, bytes: &[u8]) -> Result<MediaType, String> {
    let unknown = || format!("{name} can't be attached: PNG, JPEG, GIF and WebP images and PDFs can");
    let media_type = recognise(bytes).ok_or_else(unknown)?;
    let (what, largest) = if media_type.is_image() { ("image", LARGEST_IMAGE) } else { ("PDF", LARGEST_PDF) };
    if bytes.len() > largest { Err(too_large(name, what, largest)) } else { Ok(media_type) }
}

fn too_large(name: &str, what: &str, largest: usize) -> String {
    let article = if what == "image" { "an" } else { "a" };
    format!("{name} is too large: {article} {what} may have {} MB", largest / 1_000_000)
}

/// The last part of a path, without what could break a line or change the direction of writing.
fn plain_name(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let is_plain = |character: &char| {
        !character.is_control()
            && !matches!(character, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    let plain: String = last.chars().filter(is_plain).take(LONGEST_NAME).collect();
    let plain = plain.trim();
    if plain.is_empty() { "attachment".to_owned() } else { plain.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bytes_say_what_it_is_whatever_the_name() {
        for (bytes, expected) in [
            (&b"\x89PNG\r\n\x1a\nrest"[..], Some(MediaType::Png)),
            (b"\xff\xd8\xff\xe0", Some(MediaType::Jpeg)),
            (b"GIF89a", Some(MediaType::Gif)),
            (b"RIFF\0\0\0\0WEBPVP8 ", Some(MediaType::Webp)),
            (b"RIFF\0\0\0\0WAVEfmt ", None),
            (b"%PDF-1.7\n", Some(MediaType::Pdf)),
            (b"<svg xmlns=", None),
            (b"", None),
        ] {
            assert_eq!(recognise(bytes), expected, "{bytes:?}");
        }
        assert!(check("a.png", b"words").unwrap_err().contains("a.png can't be attached"));
    }

    #[test]
    fn what_is_too_large_is_refused_in_words() {
        let of = |begin: &[u8], size: usize| [begin, &vec![0; size - begin.len()]].concat();
        assert_eq!(check("a", &of(b"\xff\xd8\xff", LARGEST_IMAGE)), Ok(MediaType::Jpeg));
        let words = check("a", &of(b"\xff\xd8\xff", LARGEST_IMAGE + 1)).unwrap_err();
        assert_eq!(words, "a is too large: an image may have 5 MB");
        assert_eq!(check("a", &of(b"%PDF-", LARGEST_IMAGE + 1)), Ok(MediaType::Pdf));
        assert_eq!(check("a", &of(b"%PDF-", LARGEST_PDF + 1)).unwrap_err(), "a is too large: a PDF may have 32 MB");
    }

    #[test]
    fn a_name_is_one_line_and_no_path() {
        assert_eq!(plain_name("/home/me/图 1.png"), "图 1.png");
        assert_eq!(plain_name("C:\\x\\a\n\u{202e}b.png"), "ab.png");
        assert_eq!(plain_name("a/"), "attachment");
        assert_eq!(plain_name(&"x".repeat(500)).len(), LONGEST_NAME);
    }
}
