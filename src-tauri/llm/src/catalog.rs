//! The data file of models: windows, limits, what they take and what they cost, with the page and the day of each figure.
//! Guesses nothing: a price is for the very model at the very provider, and what no page says is absent.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use assent_protocol::known::{DataSource, ModelFacts};
use serde::Deserialize;

use crate::endpoint::Endpoint;
use crate::presets::preset_at;

/// Read when the first model is looked up, not at start.
const FILE: &str = include_str!("../data/models.json");

/// What the data file says of a model.
#[derive(Debug, Clone, PartialEq)]
pub struct Cataloged {
    /// Its figures; what isn't known is absent.
    pub facts: ModelFacts,
    /// Where they come from.
    pub source: DataSource,
}

/// What is on file for a model at a base URL. Nothing for servers that are reached without TLS: what those hold depends on
/// how they were started.
pub fn cataloged(base_url: &str, model: &str) -> Option<Cataloged> {
    if Endpoint::parse(base_url).ok()?.is_plain() {
        return None;
    }
    file().look_up(preset_at(base_url).map(|preset| preset.id), model)
}

fn file() -> &'static File {
    static READ: OnceLock<File> = OnceLock::new();
    READ.get_or_init(|| File::parse(FILE).unwrap_or_default())
}

#[derive(Debug, Default, Deserialize)]
struct File {
    groups: Vec<Group>,
}

/// Models whose figures stand on one page.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Group {
    /// Whose models they are, for readers of the file.
    #[serde(rename = "vendor")]
    _vendor: String,
    /// The vendor's page.
    source: String,
    /// Who quotes the page, where it was not read itself.
    #[serde(default, rename = "via")]
    _via: Option<String>,
    /// The day on which the page said so.
    date: String,
    /// Presets at which the prices hold.
    sold_by: Vec<String>,
    /// What holds for all of the group.
    facts: ModelFacts,
    /// By name; with a star at its end for all names that begin so, and then without a price.
    models: BTreeMap<String, ModelFacts>,
}

impl File {
    fn parse(text: &str) -> Result<Self, serde_json::Error> {
        let mut file: Self = serde_json::from_str(text)?;
        for group in &mut file.groups {
            group.models =
                std::mem::take(&mut group.models).into_iter().map(|(name, facts)| (plain(&name), facts)).collect();
        }
        Ok(file)
    }

    /// The model's own entry, and what it leaves open from those of its families, the nearer one first.
    fn look_up(&self, provider: Option<&str>, model: &str) -> Option<Cataloged> {
        let asked = plain(model);
        let entries = self.groups.iter().flat_map(|group| group.models.iter().map(move |entry| (group, entry)));
        let mut fitting: Vec<_> =
            entries.filter_map(|(group, (name, facts))| Some((fit(name, &asked)?, group, facts))).collect();
        fitting.sort_by_key(|(fit, ..)| std::cmp::Reverse(*fit));
        let (_, group, own) = fitting.first()?;
        let is_sold_here = provider.is_some_and(|provider| group.sold_by.iter().any(|seller| seller == provider));
        let price = own.price.filter(|price| is_sold_here && !price.is_unknown());
        let source = DataSource { page: group.source.clone(), date: group.date.clone() };
        let layers = fitting.iter().flat_map(|(_, group, facts)| [*facts, &group.facts]);
        let facts = layers.fold(ModelFacts { price, ..ModelFacts::default() }, |known, more| ModelFacts {
            window: known.window.or(more.window),
            output_limit: known.output_limit.or(more.output_limit),
            images: known.images.or(more.images),
            documents: known.documents.or(more.documents),
            tools: known.tools.or(more.tools),
            reasoning: known.reasoning.or(more.reasoning),
            price,
        });
        Some(Cataloged { facts, source })
    }
}

/// How well an entry's name fits: its own name before families, the longer name before the shorter.
fn fit(name: &str, asked: &str) -> Option<(bool, usize)> {
    match name.strip_suffix('*') {
        Some(family) => asked.starts_with(family).then_some((false, family.len())),
        None => {
            let rest = asked.strip_prefix(name)?;
            (rest.is_empty() || is_snapshot(rest)).then_some((true, name.len()))
        }
    }
}

/// Whether this, behind a name, only says which edition of the model is meant: `-20251001`, `-2026-04-23`, `-0813`, `-latest`.
fn is_snapshot(rest: &str) -> bool {
    let Some(edition) = rest.strip_prefix(['-', '@']) else { return false };
    let digits: String = edition.chars().filter(|letter| *letter != '-').collect();
    edition == "latest" || (matches!(digits.len(), 4 | 8) && digits.bytes().all(|digit| digit.is_ascii_digit()))
}

/// A name as it is compared: in lower case, without the maker before a slash, and with `-` for `.`, because sellers differ
/// in both.
fn plain(name: &str) -> String {
    let own = name.rsplit('/').next().unwrap_or(name);
    own.to_ascii_lowercase().replace('.', "-")
}

#[cfg(test)]
mod tests;
