//! `assent usage`: what was used and what it cost, by day, model and purpose, as a table or as JSON.
//! It sums nothing but the models of a day; unknown is written as such.

use assent_engine::Engine;
use assent_protocol::failure::{Code, Failure};
use assent_protocol::usage::{UsageReport, UsageTotals};
use assent_protocol::words::{dollars, grouped};
use jiff::{ToSpan as _, ZonedDateTime};
use serde_json::json;

use crate::print;

/// Prints the last `days` days of this machine's time zone, today included.
pub async fn usage(engine: &Engine, days: u32, json: bool) -> Result<u8, Failure> {
    let (names, bounds) =
        last(days, &ZonedDateTime::now()).map_err(|error| Failure::new(Code::Invalid, error.to_string()))?;
    let report = engine.usage(bounds.clone()).await?;
    if json {
        print::value(&json!({ "bounds": bounds, "days": names, "report": report }));
    } else {
        print::out(&print::plain(&table(&report, &names)));
    }
    Ok(0)
}

/// Names of the days up to `now`, and where each begins, with the end of the last.
fn last(days: u32, now: &ZonedDateTime) -> Result<(Vec<String>, Vec<i64>), jiff::Error> {
    let mut names = Vec::new();
    let mut bounds = Vec::new();
    for back in (0..i64::from(days)).rev() {
        let day = now.checked_sub(back.days())?.start_of_day()?;
        names.push(day.date().to_string());
        bounds.push(day.timestamp().as_millisecond());
    }
    bounds.push(now.tomorrow()?.start_of_day()?.timestamp().as_millisecond());
    Ok((names, bounds))
}

/// One line of the table: a name and its figures.
type Line = [String; 7];

fn table(report: &UsageReport, names: &[String]) -> String {
    let mut lines: Vec<Line> = Vec::new();
    let mut block = |title: &str, rows: Vec<(String, UsageTotals)>| {
        lines.push([title, "requests", "input", "output", "cache read", "cache write", "cost"].map(str::to_owned));
        lines.extend(rows.into_iter().map(|(name, totals)| line(name, &totals)));
        lines.push(<Line>::default());
    };
    if report.total.requests > 0 {
        block("day", by_day(report, names));
        block("model", report.models.iter().map(|one| (one.model.model.clone(), one.totals)).collect());
        let purpose = |one: &assent_protocol::usage::UsageOfPurpose| (word(&one.purpose), one.totals);
        block("purpose", report.purposes.iter().map(purpose).collect());
    }
    lines.push(line("total".to_owned(), &report.total));
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let widths: [usize; 7] = std::array::from_fn(width);
    let mut out = String::new();
    for line in &lines {
        let mut text = format!("{:<1$}", line[0], widths[0]);
        for (cell, width) in line.iter().zip(widths).skip(1) {
            text.push_str(&format!("  {cell:>width$}"));
        }
        out.push_str(text.trim_end());
        out.push('\n');
    }
    out
}

/// The days on which something was used, each as one sum.
fn by_day(report: &UsageReport, names: &[String]) -> Vec<(String, UsageTotals)> {
    let mut rows: Vec<(u32, UsageTotals)> = Vec::new();
    for one in &report.days {
        match rows.last_mut() {
            Some((day, totals)) if *day == one.day => totals.add(&one.totals),
            _ => rows.push((one.day, one.totals)),
        }
    }
    let name = |day: u32| names.get(day as usize).cloned().unwrap_or_default();
    rows.into_iter().map(|(day, totals)| (name(day), totals)).collect()
}

fn line(name: String, totals: &UsageTotals) -> Line {
    let usage = &totals.usage;
    let counts = [usage.input, usage.output, usage.cache_read, usage.cache_write].map(|count| match count {
        Some(count) => grouped(count),
        None if totals.requests == 0 => "0".to_owned(),
        None => "unknown".to_owned(),
    });
    let [input, output, read, written] = counts;
    [name, grouped(totals.requests), input, output, read, written, cost(totals)]
}

/// The known cost, and how many requests it leaves out.
fn cost(totals: &UsageTotals) -> String {
    match (totals.cost_micros, totals.unpriced) {
        (Some(cost), 0) => dollars(cost),
        (Some(cost), unknown) => format!("{} + {} unknown", dollars(cost), grouped(unknown)),
        (None, 0) => dollars(0),
        (None, _) => "unknown".to_owned(),
    }
}

/// A purpose as it is written in the log.
fn word(purpose: &assent_protocol::event::Purpose) -> String {
    json!(purpose).as_str().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests;
