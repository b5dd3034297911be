//! Table. Kinds of binary files by their first bytes, and the signs of binary data in general.
//! The names are for people and models; nothing is decided by them but that the file is not text.

/// What the beginning says beyond doubt: bytes that no text begins with.
#[rustfmt::skip]
const CERTAIN: &[(&[u8], &str)] = &[
    (b"\x89PNG\r\n\x1a\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF87a", "a GIF image"),
    (b"GIF89a", "a GIF image"),
    (b"%PDF-", "a PDF document"),
    (b"\x7fELF", "an ELF program or library"),
    (b"PK\x03\x04", "a ZIP archive (or an office document, or a Java archive)"),
    (b"PK\x05\x06", "an empty ZIP archive"),
    (b"\x1f\x8b\x08", "gzip-compressed data"),
    (b"BZh", "bzip2-compressed data"),
    (b"\xfd7zXZ\0", "xz-compressed data"),
    (b"\x28\xb5\x2f\xfd", "zstd-compressed data"),
    (b"\x04\x22\x4d\x18", "LZ4-compressed data"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
    (b"Rar!\x1a\x07", "a RAR archive"),
    (b"!<arch>\n", "a static library or package archive"),
    (b"\xfe\xed\xfa\xce", "a Mach-O program or library"),
    (b"\xfe\xed\xfa\xcf", "a Mach-O program or library"),
    (b"\xce\xfa\xed\xfe", "a Mach-O program or library"),
    (b"\xcf\xfa\xed\xfe", "a Mach-O program or library"),
    (b"\xca\xfe\xba\xbe", "a Java class or a Mach-O program"),
    (b"\0asm", "a WebAssembly module"),
    (b"SQLite format 3\0", "a SQLite database"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old office document"),
    (b"OggS\0", "Ogg audio or video"),
    (b"fLaC", "FLAC audio"),
    (b"\x1aE\xdf\xa3", "Matroska or WebM video"),
    (b"wOFF", "a web font"),
    (b"wOF2", "a web font"),
    (b"OTTO", "a font"),
    (b"\0\x01\0\0\0", "a font"),
    (b"\0\0\x01\0", "an icon"),
    (b"II*\0", "a TIFF image"),
    (b"MM\0*", "a TIFF image"),
    (b"8BPS", "a Photoshop image"),
    (b"DIRC\0", "a git index"),
    (b"PACK\0", "a git pack"),
    (b"\xfftOc", "a git pack index"),
    (b"PAR1", "a Parquet table"),
    (b"\x89HDF\r\n\x1a\n", "HDF5 data"),
    (b"\x93NUMPY", "a NumPy array"),
    (b"GGUF", "a GGUF model"),
];

/// What the beginning says once it is known that the file isn't plain text.
#[rustfmt::skip]
const LIKELY: &[(&[u8], &str)] = &[
    (b"MZ", "a Windows program or library"),
    (b"BM", "a BMP image"),
    (b"ID3", "MP3 audio"),
    (b"\xff\xfb", "MP3 audio"),
    (b"\xff\xf3", "MP3 audio"),
    (b"bplist", "a binary property list"),
    (b"\x78\x01", "zlib-compressed data"),
    (b"\x78\x9c", "zlib-compressed data"),
    (b"\x78\xda", "zlib-compressed data"),
];

/// A kind of file that the first bytes leave no doubt about.
pub(super) fn certain(bytes: &[u8]) -> Option<&'static str> {
    let at = |offset: usize, wanted: &[u8]| bytes.get(offset..).is_some_and(|rest| rest.starts_with(wanted));
    match bytes {
        [b'R', b'I', b'F', b'F', ..] if at(8, b"WEBP") => return Some("a WebP image"),
        [b'R', b'I', b'F', b'F', ..] if at(8, b"WAVE") => return Some("WAV audio"),
        [b'R', b'I', b'F', b'F', ..] if at(8, b"AVI ") => return Some("AVI video"),
        [0, 0, 0, _, ..] if at(4, b"ftypavif") => return Some("an AVIF image"),
        [0, 0, 0, _, ..] if at(4, b"ftyphei") => return Some("a HEIF image"),
        [0, 0, 0, _, ..] if at(4, b"ftyp") => return Some("MP4 audio or video"),
        _ if at(257, b"ustar") => return Some("a tar archive"),
        _ => {}
    }
    named(CERTAIN, bytes)
}

/// A kind of file, or plainly binary data: asked once the bytes are known not to be UTF-8 text.
pub(super) fn likely(bytes: &[u8]) -> Option<&'static str> {
    named(LIKELY, bytes).filter(|_| bytes.contains(&0) || is_control_heavy(bytes))
}

/// Zeros, or more than one control character in thirty bytes: no text in any encoding that is known here.
pub(super) fn is_control_heavy(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(64 * 1024)];
    let is_control = |byte: &&u8| **byte < 0x20 && !matches!(**byte, b'\t' | b'\n' | b'\r' | 0x0c | 0x1b);
    bytes.contains(&0) || head.iter().filter(is_control).count() * 30 > head.len()
}

fn named(table: &[(&[u8], &'static str)], bytes: &[u8]) -> Option<&'static str> {
    table.iter().find(|(beginning, _)| bytes.starts_with(beginning)).map(|(_, name)| *name)
}
