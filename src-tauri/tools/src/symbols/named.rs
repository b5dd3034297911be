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

/// The definitions whose qualified name ends with `name`. A type wins over the `impl` blocks and constructors
/// that carry its name, and a definition over its prototypes.
pub(super) fn find<'a>(symbols: &'a [Symbol], name: &str) -> Named<'a> {
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

/// `a::b`, `a.b`, `a#b` as segments, type parameters and a trailing `()` left out.
fn segments(name: &str) -> Vec<String> {
    let mut plain = String::new();
    let mut depth = 0_u32;
    for character in name.trim().trim_end_matches("()").chars() {
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
