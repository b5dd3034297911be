//! Which languages have an outline, how a file's language is told, and its grammar.
//! What counts as a definition in each stands in `languages/`.

use std::borrow::Cow;

use tree_sitter::Node;

use super::languages::{c, go, java, javascript, python, rust};
use super::macros::without_class_macros;
use super::outline::Sort;

/// A language with an outline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    Rust,
    Python,
    JavaScript,
    TypeScript,
    Tsx,
    Go,
    Java,
    C,
    Cpp,
}

/// The list for people and models.
pub(super) const KNOWN: &str = "Rust, Python, JavaScript, TypeScript/TSX, Go, Java, C, C++";

/// The language of a file, by its ending; a `.h` file is C++ when its text says so.
pub(super) fn of(path: &str, source: &str) -> Option<Language> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let (_, ending) = name.rsplit_once('.')?;
    Some(match ending.to_ascii_lowercase().as_str() {
        "rs" => Language::Rust,
        "py" | "pyi" | "pyw" => Language::Python,
        "js" | "mjs" | "cjs" | "jsx" => Language::JavaScript,
        "ts" | "mts" | "cts" => Language::TypeScript,
        "tsx" => Language::Tsx,
        "go" => Language::Go,
        "java" => Language::Java,
        "c" => Language::C,
        "h" if is_cpp_header(source) => Language::Cpp,
        "h" => Language::C,
        "cc" | "cpp" | "cxx" | "c++" | "hpp" | "hh" | "hxx" | "h++" | "ipp" | "inl" | "tpp" => Language::Cpp,
        _ => return None,
    })
}

impl Language {
    /// Its name.
    pub(super) fn name(self) -> &'static str {
        match self {
            Language::Rust => "Rust",
            Language::Python => "Python",
            Language::JavaScript => "JavaScript",
            Language::TypeScript => "TypeScript",
            Language::Tsx => "TSX",
            Language::Go => "Go",
            Language::Java => "Java",
            Language::C => "C",
            Language::Cpp => "C++",
        }
    }

    /// Its grammar.
    pub(super) fn grammar(self) -> tree_sitter::Language {
        match self {
            Language::Rust => tree_sitter_rust::LANGUAGE.into(),
            Language::Python => tree_sitter_python::LANGUAGE.into(),
            Language::JavaScript => tree_sitter_javascript::LANGUAGE.into(),
            Language::TypeScript => tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
            Language::Tsx => tree_sitter_typescript::LANGUAGE_TSX.into(),
            Language::Go => tree_sitter_go::LANGUAGE.into(),
            Language::Java => tree_sitter_java::LANGUAGE.into(),
            Language::C => tree_sitter_c::LANGUAGE.into(),
            Language::Cpp => tree_sitter_cpp::LANGUAGE.into(),
        }
    }

    /// The source as its grammar can read it, as long as the source itself.
    pub(super) fn view(self, source: &str) -> Cow<'_, [u8]> {
        if self == Language::Cpp { without_class_macros(source) } else { Cow::Borrowed(source.as_bytes()) }
    }

    /// What a node of its syntax tree is to an outline.
    pub(super) fn sort<'tree>(self, node: Node<'tree>, source: &str) -> Sort<'tree> {
        match self {
            Language::Rust => rust::sort(node, source),
            Language::Python => python::sort(node, source),
            Language::JavaScript | Language::TypeScript | Language::Tsx => javascript::sort(node, source),
            Language::Go => go::sort(node, source),
            Language::Java => java::sort(node, source),
            Language::C | Language::Cpp => c::sort(node, source),
        }
    }
}

fn is_cpp_header(source: &str) -> bool {
    source.lines().take(4_000).any(|line| {
        let line = line.trim_start();
        ["class ", "namespace ", "template", "using ", "public:", "private:", "protected:"]
            .iter()
            .any(|word| line.starts_with(word))
            || line.contains("std::")
    })
}
