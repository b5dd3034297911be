//! Decoding and encoding: byte order marks, UTF-16, GBK, GB 18030 and Big5.
//! A guess is taken only when the text encodes back to the same bytes; nothing here decides what may be edited.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{BIG5, EncoderResult, Encoding, GB18030, GBK, UTF_16BE, UTF_16LE};

use super::{Content, NotEncodable, Text, TextEncoding};

/// How much of a file the detector of legacy encodings gets to see, in bytes.
const DETECTED_BYTES: usize = 256 * 1024;

/// How much of a file is looked at for the zeros of UTF-16, in bytes.
const COUNTED_BYTES: usize = 64 * 1024;

/// How many characters beyond ASCII are looked at to believe a guess.
const JUDGED_CHARACTERS: usize = 100_000;

/// Part of the characters beyond ASCII that must be Chinese characters or punctuation for a guess to be believed.
const CHINESE_PART: f64 = 0.9;

/// Everyday characters, simplified and traditional: those that no page goes without, and the words of programs.
const COMMON: &str = "的一是不了在有人这這中大来來上国國个個到说說们們为為子和你地出道也时時年得就那要下以生会會自着著去之过過家学學对對可里\
    裡后後小么麼心多天而能好都然没沒日于於起还還发發成事只作当當想看文无無开開手十用主行方又如前所本见見经經头頭面公同三已从從动動两兩长長知\
    样樣现現分将將外但些与與高意进進把法此实實回二理点點月明其种種全工己话話者向情部正名定问問力机機给給等几幾很业業最间間新什打便位因重被\
    电電第相次使再平真信并內内加化由却入先水万萬读讀写寫取配置结結果数數据據件错錯误誤返参參字符类類型码碼编編默认認路径徑令行输輸";

/// Content that begins with a byte order mark; `None` when it has none.
pub(super) fn marked(bytes: &[u8]) -> Option<Content> {
    // UTF-32 begins like UTF-16 LE and goes on with zeros.
    if bytes.starts_with(&[0xff, 0xfe, 0, 0]) || bytes.starts_with(&[0, 0, 0xfe, 0xff]) {
        return Some(Content::Binary("text in UTF-32, which is not supported"));
    }
    let (encoding, rest) = match bytes {
        [0xef, 0xbb, 0xbf, rest @ ..] => (TextEncoding::Utf8, rest),
        [0xff, 0xfe, rest @ ..] => (TextEncoding::Utf16Le, rest),
        [0xfe, 0xff, rest @ ..] => (TextEncoding::Utf16Be, rest),
        _ => return None,
    };
    let decoded = match encoding {
        TextEncoding::Utf16Le | TextEncoding::Utf16Be => from_utf16(rest, encoding),
        _ => std::str::from_utf8(rest).map(str::to_owned).map_err(|_| String::from_utf8_lossy(rest).into_owned()),
    };
    Some(match decoded {
        Ok(text) if text.contains('\0') => Content::Binary("a binary file"),
        Ok(text) => Content::Text(Text::of(text, encoding, true)),
        Err(shown) => Content::Unclear { shown },
    })
}

/// UTF-16 without a mark: an even length, and at least half of the bytes on one side zero, as in western text.
pub(super) fn unmarked_utf16(bytes: &[u8]) -> Option<Text> {
    if bytes.len() < 4 || !bytes.len().is_multiple_of(2) {
        return None;
    }
    let head = &bytes[..bytes.len().min(COUNTED_BYTES)];
    let zeros = |side: usize| head.iter().skip(side).step_by(2).filter(|byte| **byte == 0).count();
    let (even, odd, half) = (zeros(0), zeros(1), head.len() / 4);
    let encoding = match (even, odd) {
        (0, odd) if odd >= half => TextEncoding::Utf16Le,
        (even, 0) if even >= half => TextEncoding::Utf16Be,
        _ => return None,
    };
    let text = from_utf16(bytes, encoding).ok()?;
    let is_text = !text.chars().any(|character| character < ' ' && !matches!(character, '\t' | '\n' | '\r' | '\u{c}'));
    is_text.then(|| Text::of(text, encoding, false))
}

/// GBK, GB 18030 or Big5: what the detector takes it for, if it decodes without a fault, is Chinese for the most part
/// and encodes back to the same bytes.
pub(super) fn chinese(bytes: &[u8]) -> Option<Text> {
    if bytes.contains(&0) {
        return None;
    }
    let first = bytes.iter().position(|byte| !byte.is_ascii())?;
    let end = bytes.len().min(first + DETECTED_BYTES);
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    // Half a character at the end of a sample is no fault of the text.
    detector.feed(&bytes[first..end], end == bytes.len());
    let guess = detector.guess(None, Utf8Detection::Deny);
    if ![GBK, GB18030, BIG5].contains(&guess) {
        return None;
    }
    let sound = |encoding: TextEncoding| {
        let text = legacy(encoding)?.decode_without_bom_handling_and_without_replacement(bytes)?;
        let is_sound = is_chinese(&text) && encodes_to(&text, encoding, bytes);
        is_sound.then(|| (common(&text), Text::of(text.into_owned(), encoding, false)))
    };
    let mainland = sound(TextEncoding::Gbk).or_else(|| sound(TextEncoding::Gb18030));
    let (mainland, taiwan) = match (mainland, sound(TextEncoding::Big5)) {
        (Some(mainland), Some(taiwan)) => (mainland, taiwan),
        (mainland, taiwan) => return if guess == BIG5 { taiwan } else { mainland }.map(|(_, text)| text),
    };
    // Read in the wrong one of the two it is all rare characters; the detector decides where both are as common.
    let is_taiwan = if mainland.0 == taiwan.0 { guess == BIG5 } else { taiwan.0 > mainland.0 };
    Some(if is_taiwan { taiwan.1 } else { mainland.1 })
}

/// How many everyday characters a text has.
fn common(text: &str) -> usize {
    let chinese = text.chars().filter(|character| !character.is_ascii()).take(JUDGED_CHARACTERS);
    chinese.filter(|character| COMMON.contains(*character)).count()
}

/// `text` in `encoding`.
pub(super) fn encode(text: &str, encoding: TextEncoding, bom: bool) -> Result<Vec<u8>, NotEncodable> {
    let mut out = Vec::with_capacity(text.len() + 3);
    match encoding {
        TextEncoding::Utf8 => {
            if bom {
                out.extend_from_slice(&[0xef, 0xbb, 0xbf]);
            }
            out.extend_from_slice(text.as_bytes());
        }
        TextEncoding::Utf16Le | TextEncoding::Utf16Be => {
            let in_order = |unit: u16| {
                if encoding == TextEncoding::Utf16Le { unit.to_le_bytes() } else { unit.to_be_bytes() }
            };
            let mark = bom.then_some(0xfeff);
            out.extend(mark.into_iter().chain(text.encode_utf16()).flat_map(in_order));
        }
        TextEncoding::Gbk | TextEncoding::Gb18030 | TextEncoding::Big5 => {
            let Some(table) = legacy(encoding) else { return Ok(out) };
            let mut encoder = table.new_encoder();
            let most = encoder.max_buffer_length_from_utf8_without_replacement(text.len());
            out.resize(most.unwrap_or(text.len().saturating_mul(4)), 0);
            let (result, _, written) = encoder.encode_from_utf8_without_replacement(text, &mut out, true);
            if let EncoderResult::Unmappable(character) = result {
                return Err(NotEncodable { character, encoding });
            }
            out.truncate(written);
        }
    }
    Ok(out)
}

/// Whether `text` encodes to just these bytes, looked at piece by piece so that no second copy of the file is held.
fn encodes_to(text: &str, encoding: TextEncoding, bytes: &[u8]) -> bool {
    let (mut text, mut bytes) = (text, bytes);
    while !text.is_empty() {
        let (piece, rest) = text.split_at(text.floor_char_boundary(64 * 1024));
        let encoded = encode(piece, encoding, false).unwrap_or_default();
        let Some(left) = bytes.strip_prefix(encoded.as_slice()).filter(|_| !encoded.is_empty()) else {
            return false;
        };
        (text, bytes) = (rest, left);
    }
    bytes.is_empty()
}

fn legacy(encoding: TextEncoding) -> Option<&'static Encoding> {
    match encoding {
        TextEncoding::Gbk => Some(GBK),
        TextEncoding::Gb18030 => Some(GB18030),
        TextEncoding::Big5 => Some(BIG5),
        TextEncoding::Utf8 | TextEncoding::Utf16Le | TextEncoding::Utf16Be => None,
    }
}

/// The text, or what can be shown of it where a unit is missing its pair or a byte its fellow.
fn from_utf16(bytes: &[u8], encoding: TextEncoding) -> Result<String, String> {
    let table = if encoding == TextEncoding::Utf16Le { UTF_16LE } else { UTF_16BE };
    match table.decode_without_bom_handling_and_without_replacement(bytes) {
        Some(text) => Ok(text.into_owned()),
        None => Err(table.decode_without_bom_handling(bytes).0.into_owned()),
    }
}

fn is_chinese(text: &str) -> bool {
    let (mut chinese, mut all) = (0u32, 0u32);
    for character in text.chars().filter(|character| !character.is_ascii()).take(JUDGED_CHARACTERS) {
        all += 1;
        let is_one = matches!(character,
            // Arrows, units, numbers in circles, frames and the like are on a Chinese keyboard, and in many a heading.
            '\u{b7}' | '\u{d7}' | '\u{2010}'..='\u{2027}' | '\u{2100}'..='\u{26ff}' | '\u{3000}'..='\u{303f}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
            | '\u{ff00}'..='\u{ffef}');
        chinese += u32::from(is_one);
    }
    f64::from(chinese) >= CHINESE_PART * f64::from(all)
}
