//! Sizes and headers: every file opens with its duty, and stays short enough to be read at one sitting.
//! Lines inside of string literals don't count: an expectation is data. Neither do files that say `//! Table.`

use syn::visit::{self, Visit};

use super::{Source, none, sources};

/// Lines of a file.
const FILE: usize = 500;
/// Lines of a function.
const FUNCTION: usize = 80;

/// Functions that may be longer, and why.
const LONG: [(&str, &str, &str); 1] = [(
    "src-tauri/engine/src/handle.rs",
    "handle",
    "one exhaustive match over the table of methods, a line or two each",
)];

/// Functions and multi-line literals of one file.
#[derive(Default)]
struct Found {
    /// Name, first and last line.
    functions: Vec<(String, usize, usize)>,
    /// First and last line.
    literals: Vec<(usize, usize)>,
}

impl Found {
    fn function(&mut self, name: &syn::Ident, block: &impl syn::spanned::Spanned, whole: &impl syn::spanned::Spanned) {
        let (first, last) = (whole.span().start().line, block.span().end().line);
        self.functions.push((name.to_string(), first, last));
    }

    fn tokens(&mut self, tokens: proc_macro2::TokenStream) {
        for token in tokens {
            match token {
                proc_macro2::TokenTree::Group(group) => self.tokens(group.stream()),
                proc_macro2::TokenTree::Literal(literal) => self.span(literal.span()),
                proc_macro2::TokenTree::Ident(_) | proc_macro2::TokenTree::Punct(_) => {}
            }
        }
    }

    fn span(&mut self, span: proc_macro2::Span) {
        let (first, last) = (span.start().line, span.end().line);
        if last > first {
            self.literals.push((first, last));
        }
    }

    /// Lines from `first` to `last` without those inside of literals; a literal counts as one.
    fn lines(&self, first: usize, last: usize) -> usize {
        let inside = self.literals.iter().filter(|(from, to)| *from >= first && *to <= last);
        last + 1 - first - inside.map(|(from, to)| to - from).sum::<usize>()
    }
}

impl<'ast> Visit<'ast> for Found {
    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.function(&item.sig.ident, &item.block, &item.sig);
        visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.function(&item.sig.ident, &item.block, &item.sig);
        visit::visit_impl_item_fn(self, item);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if let Some(block) = &item.default {
            self.function(&item.sig.ident, block, &item.sig);
        }
        visit::visit_trait_item_fn(self, item);
    }

    fn visit_macro(&mut self, called: &'ast syn::Macro) {
        self.tokens(called.tokens.clone());
        visit::visit_macro(self, called);
    }

    fn visit_lit(&mut self, literal: &'ast syn::Lit) {
        self.span(literal.span());
        visit::visit_lit(self, literal);
    }
}

fn found(source: &Source) -> Found {
    let file = syn::parse_file(&source.text).unwrap_or_else(|error| panic!("{}: {error}", source.path));
    let mut found = Found::default();
    found.visit_file(&file);
    found
}

#[test]
fn every_file_opens_with_its_duty() {
    let is_headed = |source: &Source| source.text.starts_with("//! ");
    let complaints: Vec<String> =
        sources().iter().filter(|source| !is_headed(source)).map(|source| source.path.clone()).collect();
    none(&complaints, "Open with `//!`: one to three sentences on the duty, one on what it deliberately does not do.");
}

#[test]
fn files_are_short() {
    let is_table = |source: &Source| source.text.starts_with("//! Table.\n");
    let mut complaints = Vec::new();
    for source in sources().iter().filter(|source| !is_table(source)) {
        let lines = found(source).lines(1, source.text.lines().count());
        if lines > FILE {
            complaints.push(format!("{} has {lines} lines", source.path));
        }
    }
    none(&complaints, "At most 500 lines: split it where two duties meet. A table may be longer when it says so.");
}

#[test]
fn functions_are_short() {
    let mut complaints = Vec::new();
    for source in sources() {
        let found = found(&source);
        let long = found.functions.iter().map(|(name, first, last)| (name, found.lines(*first, *last)));
        let may_be = |name: &str| LONG.iter().any(|(path, function, _)| *path == source.path && *function == name);
        let long = long.filter(|(name, lines)| *lines > FUNCTION && !may_be(name));
        complaints.extend(long.map(|(name, lines)| format!("{}: {name} has {lines} lines", source.path)));
    }
    none(&complaints, "At most 80 lines: take a step out and name it by a verb.");
}

#[test]
fn the_counting_counts() {
    let text = "//! X.\nfn long() {\n    let a = \"one\n    two\n    three\";\n    drop(a);\n}\n".to_owned();
    let found = found(&Source { path: "x.rs".to_owned(), text });
    let (_, first, last) = &found.functions[0];
    assert_eq!((found.lines(*first, *last), found.lines(1, 7)), (4, 5));
}
