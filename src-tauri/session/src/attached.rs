//! What of a message's attachments the present model is sent, the words in the place of the rest, and what they weigh.
//! Holds no bytes: a model's view names them by hash.

use assent_protocol::attachment::{Attachment, MediaType};
use assent_protocol::settings::ModelChoice;

use crate::tokens::UNSURE;

/// Tokens of an image, whatever its size: providers scale large ones down to about 1.15 megapixels, and count a token
/// for each 750 pixels of that.
const IMAGE_TOKENS: f64 = 1_600.0;
/// Bytes of a PDF for each token: pages count 1,500 to 3,000 tokens with their pictures, and have some 50 kB.
const PDF_BYTES_A_TOKEN: f64 = 25.0;
/// Tokens of a PDF at least (a page) and at most: scans are large, and have no more than 100 pages.
const PDF_TOKENS: (f64, f64) = (1_600.0, 60_000.0);

/// A person's words with what stands beside them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Said {
    /// The words.
    pub text: String,
    /// What stands beside them.
    pub attachments: Vec<Attachment>,
}

impl Said {
    /// Adds what was said next, in a paragraph of its own.
    pub fn join(&mut self, next: Self) {
        if !self.text.is_empty() && !next.text.is_empty() {
            self.text.push_str("\n\n");
        }
        self.text.push_str(&next.text);
        self.attachments.extend(next.attachments);
    }
}

/// What kinds of attachments a model takes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Takes {
    images: bool,
    documents: bool,
}

impl Takes {
    /// What a model takes, as far as is known.
    pub fn of(choice: &ModelChoice) -> Self {
        Self { images: choice.images, documents: choice.documents }
    }

    /// Whether it takes this kind.
    pub fn takes(self, media_type: MediaType) -> bool {
        if media_type.is_image() { self.images } else { self.documents }
    }

    /// Whether it takes all of these.
    pub(crate) fn takes_all(self, attachments: &[Attachment]) -> bool {
        attachments.iter().all(|attachment| self.takes(attachment.media_type))
    }

    /// The same with words in the place of what isn't taken.
    pub(crate) fn fit(self, said: Said) -> Said {
        let (taken, left): (Vec<_>, Vec<_>) =
            said.attachments.into_iter().partition(|attachment| self.takes(attachment.media_type));
        let mut fitted = Said { text: said.text, attachments: taken };
        for attachment in left {
            fitted.join(Said { text: left_out(&attachment), attachments: Vec::new() });
        }
        fitted
    }
}

fn left_out(attachment: &Attachment) -> String {
    let (what, kind) = if attachment.media_type.is_image() { ("image", "images") } else { ("PDF", "PDFs") };
    format!("[{what} {}: left out, this model takes no {kind}]", attachment.name)
}

/// Its weight for estimates, in the unit of [`crate::tokens::weigh`].
pub(crate) fn weight(attachment: &Attachment) -> f64 {
    let tokens = match attachment.media_type.is_image() {
        true => IMAGE_TOKENS,
        false => (attachment.content.bytes as f64 / PDF_BYTES_A_TOKEN).clamp(PDF_TOKENS.0, PDF_TOKENS.1),
    };
    tokens / UNSURE
}

#[cfg(test)]
mod tests {
    use assent_protocol::tool::Stored;

    use super::*;

    fn attachment(name: &str, media_type: MediaType, bytes: &[u8]) -> Attachment {
        Attachment { name: name.to_owned(), media_type, content: Stored::of(bytes) }
    }

    #[test]
    fn what_is_not_taken_is_named_in_its_place() {
        let attachments = vec![attachment("a.png", MediaType::Png, b"x"), attachment("b.pdf", MediaType::Pdf, b"y")];
        let said = Said { text: "look".to_owned(), attachments };
        let only_images = Takes { images: true, documents: false };
        let fitted = only_images.fit(said.clone());
        assert_eq!(fitted.text, "look\n\n[PDF b.pdf: left out, this model takes no PDFs]");
        assert_eq!(fitted.attachments, said.attachments[..1]);
        let none = Takes::default().fit(Said { text: String::new(), ..said });
        assert!(none.text.starts_with("[image a.png: left out, this model takes no images]\n\n["), "{}", none.text);
        assert!(none.attachments.is_empty());
    }

    #[test]
    fn an_image_weighs_the_same_whatever_its_size_and_a_pdf_by_its_bytes() {
        let tokens = |media_type, bytes: usize| weight(&attachment("a", media_type, &vec![0; bytes])) * UNSURE;
        assert!((tokens(MediaType::Png, 10) - tokens(MediaType::Jpeg, 100_000)).abs() < 1e-6);
        assert!((tokens(MediaType::Pdf, 10) - 1_600.0).abs() < 1e-6);
        assert!((tokens(MediaType::Pdf, 1_000_000) - 40_000.0).abs() < 1e-6);
        assert!((tokens(MediaType::Pdf, 9_000_000) - 60_000.0).abs() < 1e-6);
    }
}
