//! Finds definitions by qualified name: `Type::method`, `Class.method`, `module.func`, with either separator.
//! Which file they are looked for in is the caller's part.

use super::outline::Symbol;

/// What a name leads to.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Named<'a> {
    /// Nothing.
    Nothing,
    /// One definition.
    One(&'a Symbol),
    /// Several.
    Several(Vec<&'a Symbol>),
}

/// The group (Rust's `impl`) that a definition stands in, which tells apart what has the same name.
pub(super) fn group_of<'a>(symbol: &Symbol, all: &'a [Symbol]) -> Option<&'a Symbol> {
    let holds = |group: &&Symbol| {
        group.is_group
            && group.depth + 1 == symbol.depth
            && group.path == symbol.path[..symbol.path.len().saturating_sub(1)]
            && (group.first_line..=group.last_line).contains(&symbol.first_line)
    };
    all.iter().rfind(holds)
}

/// The definitions whose qualified name ends with `name`. Of `<Type as Trait>::method` those in the trait's `impl` are
/// meant. A type wins over the `impl` blocks and constructors
/// that carry its name, and a definition over its prototypes.
pub(super) fn find<'a>(symbols: &'a [Symbol], name: &str) -> Named<'a> {
    if let Some((of, as_trait, method)) = qualified(name) {
        let Named::Several(found) = find(symbols, &format!("{of}::{method}")) else {
            return find(symbols, &format!("{of}::{method}"));
        };
        let is_in_trait = |symbol: &&Symbol| {
            group_of(symbol, symbols).is_some_and(|group| {
                let words = group.signature.split(|c: char| !c.is_alphanumeric() && c != '_');
                words.take_while(|word| *word != "for").any(|word| word == as_trait)
            })
        };
        let meant: Vec<&Symbol> = found.iter().copied().filter(is_in_trait).collect();
        return match meant.as_slice() {
            [] => Named::Nothing,
            [one] => Named::One(one),
            _ => Named::Several(meant),
        };
    }
    let wanted = segments(name);
    if wanted.is_empty() {
        return Named::Nothing;
    }
    let mut found: Vec<&Symbol> = symbols.iter().filter(|symbol| ends_with(&symbol.path, &wanted)).collect();
    let is_constructor = |symbol: &Symbol| {
        let mut names = symbol.path.iter().rev();
        names.next() == names.next()
    };
    let weaker: [fn(&Symbol) -> bool; 3] =
        [|symbol| symbol.is_group, |symbol| symbol.kind == "prototype", is_constructor];
    for is_weak in weaker {
        if found.iter().any(|symbol| !is_weak(symbol)) {
            found.retain(|symbol| !is_weak(symbol));
        }
    }
    // The whole name, written out, is meant before names that merely end so.
    let whole = |symbol: &&Symbol| flat(&symbol.path).len() == wanted.len();
    if found.iter().any(whole) && found.iter().filter(|symbol| whole(symbol)).count() < found.len() {
        found.retain(whole);
    }
    match found.as_slice() {
        [] => Named::Nothing,
        [one] => Named::One(one),
        _ => Named::Several(found),
    }
}

/// The parts of `<Type as Trait>::method`; of a trait's path only its last name counts.
fn qualified(name: &str) -> Option<(&str, &str, &str)> {
    let (inner, method) = name.trim().strip_prefix('<')?.split_once(">::")?;
    let (of, as_trait) = inner.split_once(" as ")?;
    let as_trait = as_trait.split('<').next().unwrap_or(as_trait);
    Some((of.trim(), as_trait.rsplit("::").next().unwrap_or(as_trait).trim(), method))
}

/// `a::b`, `a.b`, `a#b` as segments, type parameters and a trailing `()` left out, unless that is an operator's name.
fn segments(name: &str) -> Vec<String> {
    let mut plain = String::new();
    let mut depth = 0_u32;
    let name = name.trim();
    let name = name.strip_suffix("()").filter(|name| !name.trim_end().ends_with("operator")).unwrap_or(name);
    for character in name.chars() {
        match character {
            '<' if !plain.trim_end_matches('<').ends_with("operator") => depth += 1,
            '>' if depth > 0 => depth -= 1,
            _ if depth > 0 => {}
            other => plain.push(other),
        }
    }
    plain.split([':', '.', '#']).map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

/// A namespace may have a qualified name of its own.
fn flat(path: &[String]) -> Vec<&str> {
    path.iter().flat_map(|part| part.split("::")).collect()
}

fn ends_with(path: &[String], wanted: &[String]) -> bool {
    let path = flat(path);
    path.len() >= wanted.len() && path[path.len() - wanted.len()..].iter().zip(wanted).all(|(a, b)| *a == b.as_str())
}
