//! Tests of the table and of the days.
//! The sums are the store's.

use assent_protocol::event::Purpose;
use assent_protocol::usage::{UsageOfDay, UsageOfModel, UsageOfPurpose, UsedModel};
use assent_protocol::view::Usage;

use super::*;

fn totals(requests: u64, unpriced: u64, input: Option<u64>, cost_micros: Option<u64>) -> UsageTotals {
    let usage = Usage { input, output: input, cache_read: input, ..Usage::default() };
    UsageTotals { requests, uncounted: 0, unpriced, usage, cost_micros }
}

#[test]
fn a_table_says_what_is_unknown() {
    let named = |model: &str| UsedModel { provider: "p".to_owned(), model: model.to_owned() };
    let (dear, local) = (totals(1_200, 3, Some(1_000), Some(520_000)), totals(1, 1, None, None));
    let sum = totals(1_201, 4, Some(1_000), Some(520_000));
    let report = UsageReport {
        total: sum,
        days: vec![
            UsageOfDay { day: 1, model: named("dear"), totals: dear },
            UsageOfDay { day: 1, model: named("local"), totals: local },
        ],
        models: vec![
            UsageOfModel { model: named("dear"), totals: dear },
            UsageOfModel { model: named("local"), totals: local },
        ],
        purposes: vec![UsageOfPurpose { purpose: Purpose::Chat, totals: sum }],
        ..UsageReport::default()
    };
    let expected = "\
day         requests    input   output  cache read  cache write               cost
2026-11-30     1,201    1,000    1,000       1,000      unknown  $0.52 + 4 unknown

model       requests    input   output  cache read  cache write               cost
dear           1,200    1,000    1,000       1,000      unknown  $0.52 + 3 unknown
local              1  unknown  unknown     unknown      unknown            unknown

purpose     requests    input   output  cache read  cache write               cost
chat           1,201    1,000    1,000       1,000      unknown  $0.52 + 4 unknown

total          1,201    1,000    1,000       1,000      unknown  $0.52 + 4 unknown
";
    assert_eq!(table(&report, &["2026-11-29".to_owned(), "2026-11-30".to_owned()]), expected);
    assert_eq!(table(&UsageReport::default(), &[]), "total  0  0  0  0  0  $0.00\n");
}

/// On 25 October 2026 clocks in Berlin went back: that day has 25 hours.
#[test]
fn a_day_begins_at_the_midnight_of_the_time_zone() {
    let berlin = jiff::tz::TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").unwrap();
    let now = jiff::civil::date(2026, 10, 26).at(9, 30, 0, 0).to_zoned_datetime(berlin).unwrap();
    let (names, bounds) = last(3, &now).unwrap();
    assert_eq!(names, ["2026-10-24", "2026-10-25", "2026-10-26"]);
    let hours: Vec<i64> = bounds.windows(2).map(|pair| (pair[1] - pair[0]) / 3_600_000).collect();
    assert_eq!(hours, [24, 25, 24]);
}
