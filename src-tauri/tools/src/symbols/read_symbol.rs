//! The tool `read_symbol`.
//! What is found in a file is the outline's part; what it looks like, the renderer's.

use std::sync::Arc;

use assent_policy::Cleared;
use assent_protocol::assessment::Assessment;
use assent_protocol::permission::Tier;
use assent_protocol::tool::{Brief, FileState};
use serde_json::{Map, Value};

use super::language::{self, KNOWN};
use super::named::{self, Named};
use super::outline::Symbol;
use super::parse::{self, LONGEST, Unparsed};
use super::render;
use crate::arguments;
use crate::content::{self, Content};
use crate::files::read_file;
use crate::tool::{Looking, Refusal, Running, Tool, ToolOutput, ToolSpec};

/// The tool.
pub fn tool() -> Arc<dyn Tool> {
    Arc::new(ReadSymbol {
        spec: ToolSpec {
            name: "read_symbol",
            version: 1,
            description: "Outline of a source file, or with `symbol` one definition with its documentation. Rust, Python, JavaScript, TypeScript, Go, Java, C, C++.",
            parameters: arguments::schema::<Arguments>(),
            tier: Tier::Low,
            rare: false,
        },
    })
}

struct ReadSymbol {
    spec: ToolSpec,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    path: String,
    /// e.g. Type::method or Class.method; without it: the outline.
    symbol: Option<String>,
}

impl Tool for ReadSymbol {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn assess(&self, given: &Map<String, Value>, looking: &Looking<'_>) -> Result<Assessment, Refusal> {
        let arguments: Arguments = arguments::read(given)?;
        let place = looking.workspace.place(&arguments.path)?;
        let file = looking.workspace.open_file(&place)?;
        let bytes = file.metadata().map_or(0, |metadata| metadata.len());
        read_file::assess_reading(looking, &place, &file, bytes)
    }

    fn read(&self, cleared: &Cleared, running: &Running<'_>) -> ToolOutput {
        match arguments::read(&cleared.arguments).and_then(|arguments| read(cleared, &arguments, running)) {
            Ok(output) => output,
            Err(refusal) => ToolOutput::refused(refusal),
        }
    }
}

fn read(cleared: &Cleared, arguments: &Arguments, running: &Running<'_>) -> Result<ToolOutput, Refusal> {
    let workspace = running.looking.workspace;
    let place = workspace.place(&arguments.path)?;
    let file = workspace.read(&place, LONGEST)?;
    read_file::admit(cleared, &running.looking, &place, &file)?;
    let shown = place.shown();
    let source = match content::recognise(&file.bytes) {
        Content::Text(text) => text.text,
        Content::Unclear { shown } => shown,
        Content::Binary(kind) => return Ok(ToolOutput::error(format!("{shown} is {kind}, not text"))),
    };
    let Some(language) = language::of(&place.path, &source) else {
        let words = format!("{shown}: no outline for this kind of file. Known are {KNOWN}. Use read_file or grep");
        return Ok(ToolOutput::error(words));
    };
    let outline = match parse::definitions(&source, language, running.cancel) {
        Ok(outline) => outline,
        Err(Unparsed::Stopped) => return Ok(ToolOutput::stopped("stopped")),
        Err(unparsed) => {
            return Ok(ToolOutput::error(format!("{shown}: {unparsed}; use read_file or grep")));
        }
    };
    let lines = source.lines().count();
    let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    let Some(name) = arguments.symbol.as_deref().filter(|name| !name.trim().is_empty()) else {
        let brief = Brief::Entries { count: count(outline.symbols.len()), more: outline.is_partial };
        return Ok(ToolOutput::ok(render::outline(shown, language, lines, &outline), brief));
    };
    match named::find(&outline.symbols, name) {
        Named::Nothing => Ok(ToolOutput::error(unknown(shown, name, &outline.symbols))),
        Named::Several(symbols) => {
            let brief = Brief::Entries { count: count(symbols.len()), more: false };
            Ok(ToolOutput::ok(render::choice(name, &symbols, &outline.symbols), brief))
        }
        Named::One(symbol) => {
            let members = members_elsewhere(symbol, &outline.symbols);
            let brief =
                Brief::Lines { first: count(symbol.lead_line), last: count(symbol.last_line), total: count(lines) };
            let mut output = ToolOutput::ok(render::definition(shown, &source, symbol, &members), brief);
            output.seen.push(FileState { path: place.path.clone(), hash: Some(file.hash) });
            Ok(output)
        }
    }
}

/// Members of a type that are defined outside of its lines (`impl` blocks, Go's methods, C++'s definitions).
fn members_elsewhere<'a>(symbol: &Symbol, symbols: &'a [Symbol]) -> Vec<&'a Symbol> {
    let lines = symbol.first_line..=symbol.last_line;
    symbols
        .iter()
        .filter(|other| !other.is_hidden && !other.is_group && !lines.contains(&other.first_line))
        .filter(|other| other.path.len() == symbol.path.len() + 1 && other.path.starts_with(&symbol.path))
        .collect()
}

fn unknown(path: &str, name: &str, symbols: &[Symbol]) -> String {
    let last = name.rsplit([':', '.', '#']).next().unwrap_or(name).to_lowercase();
    let mut near: Vec<String> = symbols
        .iter()
        .filter(|symbol| !symbol.is_group)
        .filter(|symbol| symbol.path.last().is_some_and(|own| !last.is_empty() && own.to_lowercase().contains(&last)))
        .map(render::name)
        .take(8)
        .collect();
    near.dedup();
    if near.is_empty() {
        format!("{path} defines no {name}; call read_symbol without `symbol` for its outline")
    } else {
        format!("{path} defines no {name}; there is {}", near.join(", "))
    }
}
