//! Tests of recognising, decoding and encoding back.

use encoding_rs::{BIG5, GBK};

use super::*;

fn text_of(bytes: &[u8]) -> Text {
    match recognise(bytes) {
        Content::Text(text) => text,
        other => panic!("not text: {other:?}"),
    }
}

const SIMPLIFIED: &str = "// 初始化数据库连接，读取配置文件并检查版本。\nlet name = \"用户名称\";\n";
const TRADITIONAL: &str = "// 這個程式會讀取設定檔，並且檢查資料庫的版本。\nlet name = \"使用者名稱\";\n";

#[test]
fn every_encoding_goes_there_and_back() {
    let utf16 = |text: &str, big: bool, bom: bool| {
        let units = bom.then_some(0xfeff).into_iter().chain(text.encode_utf16());
        units.flat_map(|unit: u16| if big { unit.to_be_bytes() } else { unit.to_le_bytes() }).collect::<Vec<u8>>()
    };
    let cases = [
        (b"plain\n".to_vec(), TextEncoding::Utf8, false, "plain\n"),
        (Vec::new(), TextEncoding::Utf8, false, ""),
        (SIMPLIFIED.as_bytes().to_vec(), TextEncoding::Utf8, false, SIMPLIFIED),
        ("\u{feff}x\r\n".as_bytes().to_vec(), TextEncoding::Utf8, true, "x\r\n"),
        (utf16("hi 你好🙂\n", false, true), TextEncoding::Utf16Le, true, "hi 你好🙂\n"),
        (utf16("hi 你好🙂\n", true, true), TextEncoding::Utf16Be, true, "hi 你好🙂\n"),
        (utf16("[Section]\r\nkey=value\r\n", false, false), TextEncoding::Utf16Le, false, "[Section]\r\nkey=value\r\n"),
        (utf16("[Section]\nkey=value\n", true, false), TextEncoding::Utf16Be, false, "[Section]\nkey=value\n"),
        (GBK.encode(SIMPLIFIED).0.into_owned(), TextEncoding::Gbk, false, SIMPLIFIED),
        (BIG5.encode(TRADITIONAL).0.into_owned(), TextEncoding::Big5, false, TRADITIONAL),
    ];
    for (bytes, encoding, bom, expected) in cases {
        let text = text_of(&bytes);
        assert_eq!((text.encoding, text.bom, text.text.as_str()), (encoding, bom, expected));
        assert_eq!(text.encode(&text.text).unwrap(), bytes);
    }
}

#[test]
fn short_chinese_comments_are_recognised() {
    for words in ["初始化", "读取配置", "用户名称", "你好，世界", "这是一个测试"] {
        let bytes = GBK.encode(&format!("int main() {{ return 0; }} // {words}\n")).0.into_owned();
        let text = text_of(&bytes);
        assert_eq!(text.encoding, TextEncoding::Gbk, "{words}");
        assert!(text.text.contains(words));
    }
}

#[test]
fn a_character_that_the_encoding_lacks_is_named() {
    let text = text_of(&BIG5.encode(TRADITIONAL).0);
    assert_eq!(text.encode("好🙂").unwrap_err().character, '🙂');
    assert_eq!(text.encode("好").unwrap(), BIG5.encode("好").0.as_ref());
}

#[test]
fn p41_neither_utf8_nor_plausibly_another_encoding_is_unclear() {
    let western: [&[u8]; 7] = [
        b"caf\xc3\xa9\nplain\ncaf\xe9\n",
        b"caf\xc3\xa9\nplain\n\xe9",
        b"d\xe9j\xe0 vu \xe0 la carte, na\xefve cr\xe8me br\xfbl\xe9e\n",
        b"Gr\xfc\xdfe aus M\xfcnchen, sch\xf6ne Stra\xdfe\n",
        b"\xe9e\n",
        b"// na\xefve\nfn main() {}\n",
        b"\xcf\xf0\xe8\xe2\xe5\xf2, \xec\xe8\xf0! \xdd\xf2\xee \xf2\xe5\xea\xf1\xf2.\n",
    ];
    for bytes in western {
        assert!(matches!(recognise(bytes), Content::Unclear { .. }), "{:?}", recognise(bytes));
    }
    let Content::Unclear { shown } = recognise(western[0]) else { panic!() };
    assert_eq!(shown, "café\nplain\ncaf\u{fffd}\n");
    // A mark that the rest doesn't keep to.
    assert!(matches!(recognise(b"\xef\xbb\xbfcaf\xe9"), Content::Unclear { .. }));
    assert!(matches!(recognise(b"\xff\xfea\0\x00\xd8"), Content::Unclear { .. }));
    assert!(matches!(recognise(b"\xff\xfea\0b"), Content::Unclear { .. }));
}

#[test]
fn long_chinese_texts_are_recognised_wherever_the_sample_ends() {
    for shift in 0..4 {
        let text = format!("{}{}", "x".repeat(shift), "中文内容很多，足够判断编码。\n".repeat(12_000));
        for (encoding, expected) in [(GBK, TextEncoding::Gbk), (BIG5, TextEncoding::Big5)] {
            let text = if expected == TextEncoding::Big5 {
                text.replace("内容", "中文").replace("够判断编码", "中文中文中")
            } else {
                text.clone()
            };
            let (bytes, _, has_gaps) = encoding.encode(&text);
            assert!(!has_gaps && bytes.len() > 256 * 1024);
            let Content::Text(read) = recognise(&bytes) else { panic!("{expected}, shifted by {shift}") };
            assert_eq!(read.encoding, expected);
            assert!(read.encode(&read.text).unwrap() == *bytes, "{expected}");
        }
    }
}

#[test]
fn chinese_with_frames_arrows_and_numbers_in_circles_is_recognised() {
    let text = "┌──────────────┐\n│ ① 读取配置 → 写入结果 │\n└──────────────┘\n温度：25℃，乘积：3×4·5\n";
    let Content::Text(read) = recognise(&GBK.encode(text).0) else { panic!() };
    assert_eq!((read.text.as_str(), read.encoding), (text, TextEncoding::Gbk));
}

#[test]
fn other_legacy_encodings_are_unclear_and_not_taken_for_chinese() {
    use encoding_rs::{EUC_JP, EUC_KR, KOI8_R, SHIFT_JIS, WINDOWS_1251, WINDOWS_1252};
    let cases = [
        (EUC_KR, "안녕하세요. 이것은 설정 파일을 읽는 프로그램입니다.\n"),
        (SHIFT_JIS, "このファイルは設定を読み込むプログラムです。\n"),
        (EUC_JP, "このファイルは設定を読み込むプログラムです。\n"),
        (WINDOWS_1251, "Это программа читает файл настроек\n"),
        (KOI8_R, "Это программа читает файл настроек\n"),
        (WINDOWS_1252, "L’été à Besançon: où êtes-vous, chère Zoë? Ça va «bien»\n"),
    ];
    for (encoding, text) in cases {
        let bytes = encoding.encode(text).0.into_owned();
        assert!(matches!(recognise(&bytes), Content::Unclear { .. }), "{}: {:?}", encoding.name(), recognise(&bytes));
    }
}

#[test]
fn binary_is_described() {
    let cases: [(&[u8], &str); 8] = [
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "a PNG image"),
        (b"%PDF-1.7\n%\xe2\xe3", "a PDF document"),
        (b"\x7fELF\x02\x01", "an ELF program or library"),
        (b"PK\x03\x04\x14\0", "a ZIP archive (or an office document, or a Java archive)"),
        (b"SQLite format 3\0\x10", "a SQLite database"),
        (b"MZ\x90\0\x03", "a Windows program or library"),
        (b"text with\0a zero", "a binary file"),
        (b"\xff\xfe\0\0a\0\0\0", "text in UTF-32, which is not supported"),
    ];
    for (bytes, name) in cases {
        assert_eq!(recognise(bytes), Content::Binary(name));
    }
    for text in ["MZ is a prefix", "BM", "ID3 tags are explained here"] {
        assert!(matches!(recognise(text.as_bytes()), Content::Text(_)), "{text}");
    }
}

#[test]
fn line_ends_are_told_apart_and_applied() {
    let cases = [
        ("", LineEnds::None),
        ("one", LineEnds::None),
        ("a\nb", LineEnds::Lf),
        ("a\r\nb\r\n", LineEnds::CrLf),
        ("a\rb", LineEnds::Cr),
        ("a\r\nb\n", LineEnds::Mixed),
        ("a\rb\n", LineEnds::Lf),
        ("a\rb\r\n", LineEnds::CrLf),
    ];
    for (text, ends) in cases {
        assert_eq!(LineEnds::of(text), ends, "{text:?}");
    }
    assert_eq!(LineEnds::CrLf.apply("a\nb\r\nc"), "a\r\nb\r\nc");
    assert_eq!(LineEnds::Lf.apply("a\nb"), "a\nb");
    let lines = |text: &str| {
        let text = Text::plain(text);
        let lines: Vec<_> = text.lines().map(str::to_owned).collect();
        assert_eq!(lines.len(), text.line_count());
        lines
    };
    assert_eq!(lines(""), Vec::<String>::new());
    assert_eq!(lines("\n"), [""]);
    assert_eq!(lines("a\r\n\r\nb"), ["a", "", "b"]);
    assert_eq!(lines("a\rb\r"), ["a", "b"]);
    assert_eq!(lines("a\rb\n"), ["a\rb"]);
}

#[test]
fn keys_are_known_by_their_first_line() {
    assert!(begins_as_private_key(b"-----BEGIN OPENSSH PRIVATE KEY-----\nabc"));
    assert!(begins_as_private_key(b"\n-----BEGIN RSA PRIVATE KEY-----\n"));
    assert!(begins_as_private_key(b"-----BEGIN PGP PRIVATE KEY BLOCK-----\n"));
    assert!(!begins_as_private_key(b"-----BEGIN CERTIFICATE-----\n"));
    assert!(!begins_as_private_key(b"the line -----BEGIN PRIVATE KEY----- in prose"));
}

mod properties {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3_000))]

        /// Whatever is called text encodes back to the same bytes.
        #[test]
        fn text_is_lossless(bytes in prop::collection::vec(prop_oneof![
            3 => any::<u8>(), 3 => 0xa1u8..0xfe, 2 => 0x20u8..0x7f, 1 => Just(b'\n'), 1 => Just(0)], 0..200)) {
            if let Content::Text(text) = recognise(&bytes) {
                prop_assert_eq!(text.encode(&text.text).unwrap(), bytes);
            }
        }

        /// Chinese text in any of the encodings is read as what it is, or not at all, but never as another text.
        #[test]
        fn chinese_is_never_misread(words in "[的一是不了在人有我他这中大来上国个到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可她里后]{12,60}") {
            let bytes = GBK.encode(&words).0.into_owned();
            if let Content::Text(text) = recognise(&bytes) {
                prop_assert_eq!(text.text, words);
            }
        }
    }
}
