//! The table that is printed, and medians.
//! It takes no figures.

use std::time::Duration;

/// What is aimed at.
#[derive(Clone, Copy)]
pub enum Aim {
    /// At most so many times the other figure.
    Times(f64),
    /// The other figure is at least so many times this one.
    Faster(f64),
    /// Below this, in the row's unit.
    Below(f64),
    /// At least this, in the row's unit.
    AtLeast(f64),
}

/// One row: a figure of ours beside another one.
pub struct Row {
    /// What is measured.
    pub figure: String,
    /// Ours.
    pub ours: f64,
    /// The bare client's, or whatever the figure's name says; none: ours stands alone.
    pub other: Option<f64>,
    /// Unit of both.
    pub unit: &'static str,
    /// The aim.
    pub aim: Aim,
}

impl Row {
    /// A row of times.
    pub fn times(figure: impl Into<String>, ours: Duration, other: Option<Duration>, aim: Aim) -> Self {
        let other = other.map(milliseconds);
        Self { figure: figure.into(), ours: milliseconds(ours), other, unit: "ms", aim }
    }

    /// Whether the aim is met.
    fn is_met(&self) -> bool {
        match (self.aim, self.other) {
            (Aim::Times(most), Some(other)) => self.ours <= most * other,
            (Aim::Faster(least), Some(other)) => other >= least * self.ours,
            (Aim::Below(most), _) => self.ours < most,
            (Aim::AtLeast(least), _) => self.ours >= least,
            (_, None) => false,
        }
    }
}

/// Prints the table's head.
pub fn head() {
    println!("| figure | Assent | beside it | ratio | aim | |");
    println!("|---|--:|--:|--:|---|---|");
}

/// Prints a row.
pub fn print(row: &Row) {
    let Row { figure, ours, other, unit, aim } = row;
    let beside = other.map_or_else(String::new, |other| format!("{} {unit}", number(other)));
    let ratio = match (aim, other) {
        (Aim::Faster(_), Some(other)) => format!("{:.2}", other / ours),
        (_, Some(other)) => format!("{:.2}", ours / other),
        (_, None) => String::new(),
    };
    let aimed = match aim {
        Aim::Times(most) => format!("at most {most} ×"),
        Aim::Faster(least) => format!("at least {least} × as fast"),
        Aim::Below(most) => format!("below {most} {unit}"),
        Aim::AtLeast(least) => format!("at least {least} {unit}"),
    };
    let met = if row.is_met() { "met" } else { "**not met**" };
    println!("| {figure} | {} {unit} | {beside} | {ratio} | {aimed} | {met} |", number(*ours));
}

/// As many digits as a noisy machine gives.
fn number(value: f64) -> String {
    match value {
        ..10.0 => format!("{value:.2}"),
        ..1_000.0 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// The median; of an even number the upper one.
pub fn median<T: Ord + Copy>(values: impl IntoIterator<Item = T>) -> T {
    let mut values: Vec<T> = values.into_iter().collect();
    values.sort();
    values[values.len() / 2]
}
