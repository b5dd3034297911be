//! The WHATWG rules one by one, and every way of cutting the bytes.
//! Says nothing about what is in the data.

use super::EventReader;

fn read(portions: &[&[u8]]) -> Vec<(String, String)> {
    let mut reader = EventReader::default();
    let mut events = Vec::new();
    for portion in portions {
        reader.push(portion, |name, data| {
            events.push((String::from_utf8(name.to_vec()).unwrap(), String::from_utf8(data.to_vec()).unwrap()));
        });
    }
    events
}

fn data(stream: &str) -> Vec<String> {
    let whole = read(&[stream.as_bytes()]);
    let bytes = stream.as_bytes();
    for cut in 0..=bytes.len() {
        assert_eq!(read(&[&bytes[..cut], &bytes[cut..]]), whole, "cut at {cut}");
    }
    let single: Vec<&[u8]> = bytes.chunks(1).collect();
    assert_eq!(read(&single), whole, "byte by byte");
    whole.into_iter().map(|(_, data)| data).collect()
}

#[test]
fn p71_crlf_cr_and_lf_give_the_same_events() {
    for end in ["\n", "\r\n", "\r"] {
        let stream = ["data: a", "", "data: b", "data: c", "", "data: d", "", ""].join(end);
        assert_eq!(data(&stream), ["a", "b\nc", "d"], "{end:?}");
    }
}

#[test]
fn p71_mixed_line_ends() {
    assert_eq!(data("data: a\r\n\ndata: b\r\r\ndata: c\n\r"), ["a", "b", "c"]);
}

#[test]
fn p72_characters_cut_at_every_byte_stay_whole() {
    assert_eq!(data("data: 你好🙂\n\ndata: é\n\n"), ["你好🙂", "é"]);
}

#[test]
fn p73_comments_and_missing_spaces() {
    let stream = ": ping\n\n:\n\ndata:x\n\n: PROCESSING\n\ndata:  two\n\nretry: 5\nid: 1\ndata\n\n";
    assert_eq!(data(stream), ["x", " two", ""]);
}

#[test]
fn byte_order_mark_is_dropped_once() {
    assert_eq!(data("\u{feff}data: a\n\n\u{feff}data: b\n\ndata: c\n\n"), ["a", "c"]);
}

#[test]
fn names_belong_to_one_event() {
    let events = read(&[b"event: error\ndata: a\n\ndata: b\n\nevent: lost\n\ndata: c\n\n"]);
    let names: Vec<&str> = events.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["error", "", ""]);
}

#[test]
fn an_event_without_its_empty_line_comes_out_at_the_end_only() {
    let mut reader = EventReader::default();
    reader.push(b"data: a\ndata: b", |_, _| panic!("not complete"));
    let mut seen = Vec::new();
    reader.finish(|_, data| seen.push(data.to_vec()));
    assert_eq!(seen, [b"a\nb".to_vec()]);
    reader.finish(|_, _| panic!("handed out twice"));
}
