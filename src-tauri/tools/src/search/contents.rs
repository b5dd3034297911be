//! Looks into files, two threads at a time, in the order given, so that the same search has the same result.
//! Each file is opened beneath the workspace's handle; what is no regular file by then is passed over.

use std::fs::File;
use std::io::{self, Read};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use grep_matcher::{LineTerminator, Matcher as _};
use grep_regex::RegexMatcher;
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkFinish, SinkMatch};

use super::budget::{Budget, Over};
use super::line;
use super::text::{Readable, readable};
use crate::content::begins_as_private_key;
use crate::workspace::{Form, Place, Workspace};

/// Most matching lines that are collected.
pub(super) const MOST_MATCHES: usize = 2_000;
/// Most matching lines that are collected of one file.
const MOST_IN_FILE: usize = 500;
/// Files up to this size are read whole, so that their encoding can be told; longer ones are streamed.
const WHOLE: u64 = 1024 * 1024;
/// Longer files are left out.
const LONGEST: u64 = 512 * 1024 * 1024;
/// Longest file in another encoding than UTF-8 that is read whole, to be decoded.
const DECODED: u64 = 8 * 1024 * 1024;
/// Beginning of a long file that is looked at first, in bytes.
const HEAD: u64 = 64 * 1024;
/// Longest line of a streamed file that is held in memory.
const LINE: usize = 4 * 1024 * 1024;

/// What to look for.
pub(super) struct Wanted {
    pub(super) matcher: RegexMatcher,
    pub(super) context: usize,
}

/// A file to look into.
pub(super) struct Candidate {
    pub(super) path: String,
}

/// One shown line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    /// From 1.
    pub(super) number: u64,
    /// Whether it matches, or only stands near a match.
    pub(super) is_match: bool,
    /// Whether lines are left out before it.
    pub(super) after_gap: bool,
    /// What is shown of it.
    pub(super) text: String,
}

/// A file with matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FileHits {
    pub(super) path: String,
    pub(super) lines: Vec<Line>,
    pub(super) matches: usize,
    /// It has more matches than were collected.
    pub(super) is_cut: bool,
}

/// What a search found.
#[derive(Debug, Default)]
pub(super) struct Searched {
    /// Files with matches, in order.
    pub(super) files: Vec<FileHits>,
    /// Matching lines in them.
    pub(super) matches: usize,
    /// There were more matches than are collected.
    pub(super) is_cut: bool,
    /// Binary files, which aren't searched.
    pub(super) binary: u32,
    /// Files that turn out to be private keys.
    pub(super) secret: Vec<String>,
    /// Files that couldn't be opened or read.
    pub(super) unreadable: Vec<String>,
    /// Files that are too long, or have a line that is.
    pub(super) too_long: Vec<String>,
    /// It ended early.
    pub(super) over: Option<Over>,
}

/// Searches the candidates on two threads.
pub(super) fn search(
    workspace: &Workspace,
    wanted: &Wanted,
    candidates: &[Candidate],
    budget: &Budget<'_>,
) -> Searched {
    let shared = Shared {
        workspace,
        wanted,
        candidates,
        budget,
        next: AtomicUsize::new(0),
        matches: AtomicUsize::new(0),
        ends: AtomicBool::new(false),
        cut_short: AtomicBool::new(false),
        results: Mutex::new(Vec::new()),
    };
    if candidates.len() < 8 {
        shared.work();
    } else {
        std::thread::scope(|scope| {
            scope.spawn(|| shared.work());
            shared.work();
        });
    }
    let is_cut_short = shared.cut_short.into_inner();
    let mut results = shared.results.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    results.sort_by_key(|(index, _)| *index);
    let is_whole = results.len() == candidates.len();
    // When all was looked at, that the time is up by now changes nothing.
    let over = if is_whole && !is_cut_short { None } else { budget.over() };
    let mut out = Searched { over, ..Searched::default() };
    for (index, looked) in results {
        let path = || candidates.get(index).map(|candidate| candidate.path.clone()).unwrap_or_default();
        match looked {
            // Whoever took a file finished it, so all files before the last one were looked at.
            Looked::Hits(_) if out.matches >= MOST_MATCHES => out.is_cut = true,
            Looked::Hits(hits) => {
                out.matches += hits.matches;
                out.files.push(hits);
            }
            Looked::Nothing => {}
            Looked::Binary => out.binary += 1,
            Looked::Secret => out.secret.push(path()),
            Looked::Unreadable => out.unreadable.push(path()),
            Looked::TooLong => out.too_long.push(path()),
        }
    }
    out.is_cut |= out.matches >= MOST_MATCHES && !is_whole;
    out
}

enum Looked {
    Hits(FileHits),
    Nothing,
    Binary,
    Secret,
    Unreadable,
    TooLong,
}

struct Shared<'a> {
    workspace: &'a Workspace,
    wanted: &'a Wanted,
    candidates: &'a [Candidate],
    budget: &'a Budget<'a>,
    /// The next candidate that nobody has taken.
    next: AtomicUsize,
    /// Matches of both threads, to end when there are enough.
    matches: AtomicUsize,
    ends: AtomicBool,
    /// A long file was left in its middle.
    cut_short: AtomicBool,
    results: Mutex<Vec<(usize, Looked)>>,
}

impl Shared<'_> {
    fn work(&self) {
        let mut searcher = SearcherBuilder::new()
            .line_number(true)
            .line_terminator(LineTerminator::crlf())
            .before_context(self.wanted.context)
            .after_context(self.wanted.context)
            .heap_limit(Some(LINE))
            .bom_sniffing(true)
            .binary_detection(BinaryDetection::quit(0))
            .build();
        let mut buffer = Vec::new();
        let mut found = Vec::new();
        while !self.ends.load(Ordering::Relaxed) && self.budget.over().is_none() {
            let index = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(candidate) = self.candidates.get(index) else {
                break;
            };
            let looked = self.look(&candidate.path, &mut searcher, &mut buffer);
            if let Looked::Hits(hits) = &looked {
                let matches = self.matches.fetch_add(hits.matches, Ordering::Relaxed) + hits.matches;
                if matches >= MOST_MATCHES {
                    self.ends.store(true, Ordering::Relaxed);
                }
            }
            found.push((index, looked));
        }
        let mut results = self.results.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        results.append(&mut found);
    }

    fn look(&self, path: &str, searcher: &mut Searcher, buffer: &mut Vec<u8>) -> Looked {
        let place = Place { asked: path.to_owned(), path: path.to_owned(), form: Form::File };
        let Ok(file) = self.workspace.open_file(&place) else {
            return Looked::Unreadable;
        };
        let Ok(metadata) = file.metadata() else {
            return Looked::Unreadable;
        };
        let length = metadata.len();
        if length > LONGEST {
            return Looked::TooLong;
        }
        let mut sink =
            Collect { wanted: self.wanted, lines: Vec::new(), matches: 0, gap: false, is_binary: false, is_cut: false };
        let Ok(is_whole) = fill(buffer, &file, length) else {
            return Looked::Unreadable;
        };
        let done = if is_whole {
            match readable(buffer) {
                Readable::Secret => return Looked::Secret,
                Readable::Binary => return Looked::Binary,
                Readable::Text(text) => searcher.search_slice(&self.wanted.matcher, text.as_bytes(), &mut sink),
            }
        } else {
            if begins_as_private_key(buffer) {
                return Looked::Secret;
            }
            let reader = buffer.as_slice().chain(Bounded { file, budget: self.budget });
            searcher.search_reader(&self.wanted.matcher, reader, &mut sink)
        };
        match done {
            Ok(()) => {}
            Err(_) if self.budget.over().is_some() => self.cut_short.store(true, Ordering::Relaxed),
            Err(error) if error.to_string().contains("allocation limit") => return Looked::TooLong,
            Err(_) => return Looked::Unreadable,
        }
        match sink {
            Collect { is_binary: true, .. } => Looked::Binary,
            Collect { matches: 0, .. } => Looked::Nothing,
            Collect { lines, matches, is_cut, .. } => {
                Looked::Hits(FileHits { path: path.to_owned(), lines, matches, is_cut })
            }
        }
    }
}

/// Reads a file whole, or the beginning of one that is to be streamed; says which.
fn fill(buffer: &mut Vec<u8>, mut file: &File, length: u64) -> io::Result<bool> {
    buffer.clear();
    if length <= WHOLE {
        file.take(WHOLE + 1).read_to_end(buffer)?;
        return Ok(true);
    }
    file.by_ref().take(HEAD).read_to_end(buffer)?;
    if length > DECODED || !is_in_another_encoding(buffer) {
        return Ok(false);
    }
    file.take(DECODED).read_to_end(buffer)?;
    Ok(true)
}

/// Whether text that begins so has to be decoded as a whole. UTF-16 with its mark is decoded while it is streamed.
fn is_in_another_encoding(head: &[u8]) -> bool {
    let is_broken = std::str::from_utf8(head).is_err_and(|error| error.error_len().is_some());
    is_broken && !head.contains(&0) && !head.starts_with(b"\xff\xfe") && !head.starts_with(b"\xfe\xff")
}

/// A long file, read as long as there is time.
struct Bounded<'a> {
    file: File,
    budget: &'a Budget<'a>,
}

impl Read for Bounded<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self.budget.over() {
            Some(_) => Err(io::ErrorKind::TimedOut.into()),
            None => self.file.read(into),
        }
    }
}

/// Keeps what is shown of each line.
struct Collect<'a> {
    wanted: &'a Wanted,
    lines: Vec<Line>,
    matches: usize,
    gap: bool,
    is_binary: bool,
    is_cut: bool,
}

impl Collect<'_> {
    fn keep(&mut self, number: Option<u64>, bytes: &[u8], is_match: bool) {
        let hit = if is_match { self.wanted.matcher.find(bytes).ok().flatten() } else { None };
        let text = String::from_utf8_lossy(bytes);
        self.lines.push(Line {
            number: number.unwrap_or(0),
            is_match,
            after_gap: std::mem::take(&mut self.gap),
            text: line::shown(&text, hit.map(|hit| hit.start()..hit.end())),
        });
    }
}

impl Sink for Collect<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> Result<bool, io::Error> {
        if self.matches >= MOST_IN_FILE {
            self.is_cut = true;
            return Ok(false);
        }
        self.matches += 1;
        self.keep(found.line_number(), found.bytes(), true);
        Ok(true)
    }

    fn context(&mut self, _: &Searcher, near: &SinkContext<'_>) -> Result<bool, io::Error> {
        self.keep(near.line_number(), near.bytes(), false);
        Ok(true)
    }

    fn context_break(&mut self, _: &Searcher) -> Result<bool, io::Error> {
        self.gap = true;
        Ok(true)
    }

    fn binary_data(&mut self, _: &Searcher, _: u64) -> Result<bool, io::Error> {
        self.is_binary = true;
        Ok(false)
    }

    fn finish(&mut self, _: &Searcher, finish: &SinkFinish) -> Result<(), io::Error> {
        self.is_binary |= finish.binary_byte_offset().is_some();
        Ok(())
    }
}
