//! Images and PDFs that stand beside a message: what they are called, what they are, and where their bytes are kept.
//! Holds no bytes itself; those are stored once, by hash, and never travel with a message.

use std::collections::HashMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::ids::Sha;
use crate::tool::Stored;

/// Something that was attached to a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Attachment {
    /// Its file name, for people and models; never a path.
    pub name: String,
    /// What its bytes are.
    pub media_type: MediaType,
    /// Its bytes.
    pub content: Stored,
}

/// What may be attached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
pub enum MediaType {
    /// A PNG image.
    #[serde(rename = "image/png")]
    Png,
    /// A JPEG image.
    #[serde(rename = "image/jpeg")]
    Jpeg,
    /// A GIF image.
    #[serde(rename = "image/gif")]
    Gif,
    /// A WebP image.
    #[serde(rename = "image/webp")]
    Webp,
    /// A PDF document.
    #[serde(rename = "application/pdf")]
    Pdf,
}

impl MediaType {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Png, Self::Jpeg, Self::Gif, Self::Webp, Self::Pdf];

    /// Its name among media types.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Gif => "image/gif",
            Self::Webp => "image/webp",
            Self::Pdf => "application/pdf",
        }
    }

    /// The one of this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.as_str() == name)
    }

    /// Whether it is an image; else it is a document.
    pub fn is_image(self) -> bool {
        !matches!(self, Self::Pdf)
    }
}

/// The bytes of attachments as standard base64 text, by hash: made once, then shared by all requests that carry them.
pub type Contents = Arc<HashMap<Sha, Arc<str>>>;
