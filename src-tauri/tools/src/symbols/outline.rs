//! Finds the definitions of a file: one iterative walk over the syntax tree, so that depth costs no stack.
//! It neither parses nor prints; broken code simply has fewer nodes that are definitions.

use std::ops::ControlFlow;

use tree_sitter::{Node, Tree};

use super::language::Language;

/// What a node is to an outline.
pub(super) enum Sort<'tree> {
    /// Nothing by itself; its children are looked at.
    Plain,
    /// A comment, attribute or decorator: belongs to the definition that follows it.
    Lead,
    /// Part of the definition inside it, e.g. `export` or `template <…>`.
    Wrap {
        /// Whether a signature begins with it (`export`) or after it (a decorator).
        signs: bool,
    },
    /// An anonymous function: what is inside isn't part of the file's outline.
    Body,
    /// A definition.
    Is(Definition<'tree>),
}

/// A definition as a language's rules see it.
pub(super) struct Definition<'tree> {
    /// What it is, with the language's own word where there is one.
    pub(super) kind: &'static str,
    /// Its name; several segments when it is defined outside of its type (`Foo::bar`).
    pub(super) names: Vec<String>,
    /// Where the signature ends.
    pub(super) body: Option<Node<'tree>>,
    /// Whether it is a function.
    pub(super) is_function: bool,
    /// Whether it is worth listing only where no function is around it (variables, constants).
    pub(super) is_value: bool,
    /// Whether it only groups members of a type that is defined elsewhere (Rust's `impl`).
    pub(super) is_group: bool,
}

impl<'tree> Definition<'tree> {
    /// A type, module or other thing with members.
    pub(super) fn of(kind: &'static str, name: &str, body: Option<Node<'tree>>) -> Sort<'tree> {
        Self::build(kind, vec![name.to_owned()], body, |_| ())
    }

    /// A function or method.
    pub(super) fn function(kind: &'static str, names: Vec<String>, body: Option<Node<'tree>>) -> Sort<'tree> {
        Self::build(kind, names, body, |definition| definition.is_function = true)
    }

    /// A variable or constant.
    pub(super) fn value(kind: &'static str, name: &str, body: Option<Node<'tree>>) -> Sort<'tree> {
        Self::build(kind, vec![name.to_owned()], body, |definition| definition.is_value = true)
    }

    /// A group of members of a type that is defined elsewhere.
    pub(super) fn group(kind: &'static str, name: String, body: Option<Node<'tree>>) -> Sort<'tree> {
        Self::build(kind, vec![name], body, |definition| definition.is_group = true)
    }

    fn build(
        kind: &'static str,
        mut names: Vec<String>,
        body: Option<Node<'tree>>,
        adjust: impl FnOnce(&mut Self),
    ) -> Sort<'tree> {
        names.retain(|name| !name.is_empty());
        if names.is_empty() {
            return Sort::Plain;
        }
        let mut definition = Self { kind, names, body, is_function: false, is_value: false, is_group: false };
        adjust(&mut definition);
        Sort::Is(definition)
    }
}

/// A definition in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Symbol {
    /// Qualified name, outermost first.
    pub(super) path: Vec<String>,
    /// What it is.
    pub(super) kind: &'static str,
    /// How many listed definitions are around it.
    pub(super) depth: usize,
    /// First line with its comments and attributes, from 1.
    pub(super) lead_line: usize,
    /// First line of the definition itself, from 1.
    pub(super) first_line: usize,
    /// Last line.
    pub(super) last_line: usize,
    /// One line.
    pub(super) signature: String,
    /// Inside a function: found by name, not listed.
    pub(super) is_hidden: bool,
    /// Only groups members of a type.
    pub(super) is_group: bool,
}

/// The definitions of a file, in order.
#[derive(Debug, Default)]
pub(super) struct Outline {
    /// All of them.
    pub(super) symbols: Vec<Symbol>,
    /// The walk was ended by time or count; what is there is still right.
    pub(super) is_partial: bool,
}

/// Most definitions that are kept of one file.
const MOST_SYMBOLS: usize = 20_000;
/// Deepest nesting of definitions that is followed.
const DEEPEST: usize = 64;
/// Longest signature, in characters.
const SIGNATURE: usize = 160;
/// How many nodes are looked at between two looks at the clock.
const NODES_PER_LOOK: u32 = 1_024;

/// Walks the tree; `is_over` is asked now and then whether to end early.
pub(super) fn outline(
    tree: &Tree,
    source: &str,
    language: Language,
    is_over: &mut dyn FnMut() -> ControlFlow<()>,
) -> Outline {
    let mut walk = Walk { source, out: Outline::default(), around: Vec::new(), leads: vec![None] };
    let mut cursor = tree.walk();
    let mut depth = 0_usize;
    let mut looked = 0_u32;
    loop {
        looked = looked.wrapping_add(1);
        let is_full = walk.out.symbols.len() >= MOST_SYMBOLS;
        if is_full || (looked.is_multiple_of(NODES_PER_LOOK) && is_over().is_break()) {
            walk.out.is_partial = true;
            return walk.out;
        }
        let descends = walk.visit(cursor.node(), language, depth);
        if descends && cursor.goto_first_child() {
            depth += 1;
            walk.leads.push(None);
            continue;
        }
        loop {
            if cursor.goto_next_sibling() {
                walk.leave(depth);
                break;
            }
            if !cursor.goto_parent() {
                return walk.out;
            }
            walk.leads.pop();
            depth -= 1;
        }
    }
}

/// Something around the present node.
struct Around {
    /// Depth in the syntax tree of the node that opened it.
    depth: usize,
    is: Frame,
}

enum Frame {
    Symbol { index: usize, is_function: bool, has_error: bool },
    Wrap(Extent),
    Body,
}

/// Where a definition begins and ends, wrapper included.
#[derive(Clone, Copy)]
struct Extent {
    start_byte: usize,
    start_row: usize,
    end_row: usize,
    signs: bool,
    lead_row: usize,
}

/// Comments and attributes that stand right before the next sibling.
#[derive(Clone, Copy)]
struct Lead {
    start_row: usize,
    end_row: usize,
}

struct Walk<'source> {
    source: &'source str,
    out: Outline,
    around: Vec<Around>,
    /// One a level of the syntax tree.
    leads: Vec<Option<Lead>>,
}

impl Walk<'_> {
    /// Drops what was around nodes at `depth` or deeper.
    fn leave(&mut self, depth: usize) {
        while self.around.last().is_some_and(|around| around.depth >= depth) {
            self.around.pop();
        }
    }

    /// Looks at one node; says whether its children are to be looked at.
    fn visit(&mut self, node: Node<'_>, language: Language, depth: usize) -> bool {
        self.leave(depth);
        if !node.is_named() {
            return false;
        }
        match language.sort(node, self.source) {
            Sort::Plain => {
                self.take_lead(node);
                true
            }
            Sort::Lead => {
                self.add_lead(node);
                false
            }
            Sort::Wrap { signs } => {
                let lead_row = self.take_lead(node);
                let extent = Extent {
                    start_byte: node.start_byte(),
                    start_row: node.start_position().row,
                    end_row: end_row(node),
                    signs,
                    lead_row,
                };
                let extent = match self.wrapper(depth) {
                    Some(outer) => Extent {
                        start_byte: if outer.signs { outer.start_byte } else { extent.start_byte },
                        signs: outer.signs || extent.signs,
                        ..outer
                    },
                    None => extent,
                };
                self.around.push(Around { depth, is: Frame::Wrap(extent) });
                true
            }
            Sort::Body => {
                self.take_lead(node);
                self.around.push(Around { depth, is: Frame::Body });
                true
            }
            Sort::Is(definition) => self.define(node, definition, depth),
        }
    }

    fn define(&mut self, node: Node<'_>, definition: Definition<'_>, depth: usize) -> bool {
        let lead_row = self.take_lead(node);
        let parent = self.around.iter().rev().find_map(|around| match around.is {
            Frame::Symbol { index, .. } => Some(index),
            Frame::Wrap(_) | Frame::Body => None,
        });
        // A function that didn't parse may have swallowed its neighbours: those are listed all the same.
        let is_hidden = self.around.iter().any(|around| match around.is {
            Frame::Symbol { is_function, has_error, .. } => is_function && !has_error,
            Frame::Body => true,
            Frame::Wrap(_) => false,
        });
        let in_function = self.around.iter().any(|around| match around.is {
            Frame::Symbol { is_function, .. } => is_function,
            Frame::Body => true,
            Frame::Wrap(_) => false,
        });
        if definition.is_value && in_function {
            return true;
        }
        let (mut path, level) = match parent.and_then(|index| self.out.symbols.get(index)) {
            Some(parent) => (parent.path.clone(), parent.depth + 1),
            None => (Vec::new(), 0),
        };
        if level > DEEPEST {
            return false;
        }
        path.extend(definition.names);
        let extent = self.wrapper(depth).unwrap_or_else(|| Extent {
            start_byte: node.start_byte(),
            start_row: node.start_position().row,
            end_row: end_row(node),
            signs: true,
            lead_row,
        });
        let from = if extent.signs { extent.start_byte } else { node.start_byte() };
        let to = definition.body.map_or(node.end_byte(), |body| body.start_byte());
        self.out.symbols.push(Symbol {
            path,
            kind: definition.kind,
            depth: level,
            lead_line: extent.lead_row.min(extent.start_row) + 1,
            first_line: extent.start_row + 1,
            last_line: extent.end_row + 1,
            signature: one_line(self.source.get(from..to).unwrap_or_default()),
            is_hidden,
            is_group: definition.is_group,
        });
        let index = self.out.symbols.len() - 1;
        let is = Frame::Symbol { index, is_function: definition.is_function, has_error: node.has_error() };
        self.around.push(Around { depth, is });
        true
    }

    /// The wrapper that a node at `depth` is the immediate content of. What lies deeper in it has lines of its own.
    fn wrapper(&self, depth: usize) -> Option<Extent> {
        match self.around.last() {
            Some(Around { depth: outer, is: Frame::Wrap(extent) }) if outer + 1 == depth => Some(*extent),
            _ => None,
        }
    }

    fn add_lead(&mut self, node: Node<'_>) {
        let (start_row, end_row) = (node.start_position().row, end_row(node));
        if let Some(level) = self.leads.last_mut() {
            let joined = level.filter(|lead| start_row <= lead.end_row + 1);
            *level = Some(Lead { start_row: joined.map_or(start_row, |lead| lead.start_row), end_row });
        }
    }

    /// The row where what belongs to `node` begins; later siblings don't get it too.
    fn take_lead(&mut self, node: Node<'_>) -> usize {
        let row = node.start_position().row;
        let lead = self.leads.last_mut().and_then(Option::take);
        lead.filter(|lead| row <= lead.end_row + 1).map_or(row, |lead| lead.start_row.min(row))
    }
}

/// The last row that holds something of the node: some nodes end after their line feed.
fn end_row(node: Node<'_>) -> usize {
    let (start, end) = (node.start_position(), node.end_position());
    if end.column == 0 && end.row > start.row { end.row - 1 } else { end.row }
}

/// White space to one space, ends trimmed, cut at a character boundary and marked.
fn one_line(text: &str) -> String {
    let mut out = String::new();
    let mut characters = 0;
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
            characters += 1;
        }
        for character in word.chars() {
            if characters >= SIGNATURE {
                out.push('…');
                return out;
            }
            out.push(character);
            characters += 1;
        }
    }
    let trimmed = out.trim_end_matches("=>").trim_end_matches([' ', '{', ':', '=', ';', ',']);
    if trimmed.len() < out.len() { trimmed.to_owned() } else { out }
}
