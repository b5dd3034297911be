//! Sizes, times and names of files as words.
//! Nothing here reads a file.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::time::{SystemTime, UNIX_EPOCH};

pub(crate) use assent_protocol::words::{counted, grouped};

const SECONDS_A_DAY: u64 = 86_400;

/// A size for a list: `812 B`, `1.2 KB`, `3.4 GB` (powers of 1024).
pub(super) fn size(bytes: u64) -> String {
    let units = ["KB", "MB", "GB", "TB", "PB", "EB"];
    if bytes < 1024 {
        return format!("{bytes} B");
    }
    let mut amount = bytes as f64 / 1024.0;
    let mut unit = 0;
    // 1023.95 would be printed as 1024.0 of the smaller unit.
    while amount >= 1023.95 && unit + 1 < units.len() {
        amount /= 1024.0;
        unit += 1;
    }
    format!("{amount:.1} {}", units[unit])
}

/// A moment in UTC: `2026-11-30 09:41:12 UTC`. Moments before 1970 are said to be that.
pub(super) fn moment(time: SystemTime) -> String {
    let Ok(since) = time.duration_since(UNIX_EPOCH) else {
        return "before 1970".to_owned();
    };
    let seconds = since.as_secs();
    let (year, month, day) = date(seconds / SECONDS_A_DAY);
    let of_day = seconds % SECONDS_A_DAY;
    let (hour, minute, second) = (of_day / 3600, of_day / 60 % 60, of_day % 60);
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02} UTC")
}

/// A path of a list on one line: control characters, which no tool takes in a path anyway, become visible escapes.
pub(crate) fn on_one_line(path: &str) -> Cow<'_, str> {
    if !path.contains(char::is_control) {
        return Cow::Borrowed(path);
    }
    let shown = |character: char| {
        if character.is_control() { character.escape_unicode().to_string() } else { character.to_string() }
    };
    Cow::Owned(path.chars().map(shown).collect())
}

/// A name on one line: control, invisible and direction-changing characters become visible escapes.
pub(super) fn name(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    for character in raw.chars() {
        let is_hidden = character.is_control()
            || matches!(character,
                '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}');
        if is_hidden {
            let _ = write!(out, "\\u{{{:x}}}", u32::from(character));
        } else {
            out.push(character);
        }
    }
    out
}

/// Year, month and day of the Gregorian calendar, `days` after 1 January 1970.
fn date(days: u64) -> (u64, u64, u64) {
    let is_leap = |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    // 400 years always have the same number of days, so a far year needs no long count.
    const DAYS_IN_400_YEARS: u64 = 146_097;
    let mut year = 1970 + days / DAYS_IN_400_YEARS * 400;
    let mut left = days % DAYS_IN_400_YEARS;
    while left >= 365 + u64::from(is_leap(year)) {
        left -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let february = 28 + u64::from(is_leap(year));
    let mut month = 1;
    for days in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30] {
        if left < days {
            break;
        }
        left -= days;
        month += 1;
    }
    (year, month, left + 1)
}

#[cfg(test)]
mod tests;
