//! Resolves the links of a parsed path once, beneath the root's handle, name by name.
//! It opens nothing for reading; what it returns holds no links at the time and is opened without following any.

use std::collections::VecDeque;
use std::io;
use std::path::{Component, Path};

use cap_std::fs::Dir;

use super::beneath::{self, is_link_in_the_way};
use super::segments::segment_trouble;
use super::{Form, Place, trouble};
use crate::tool::Refusal;

/// As many links as Linux follows in one path (`path_resolution(7)`).
const MAX_LINKS: u32 = 40;

/// Where a path leads.
pub(super) struct Found {
    /// Plain names from the root.
    pub names: Vec<String>,
    pub form: Form,
}

/// One step of a path that isn't resolved yet.
enum Step {
    Down(String),
    Up,
    /// A dot or a final slash: what stands before it must be a folder.
    Here,
}

/// Follows `asked` (plain names) from `root`. Links may lead anywhere beneath the root; those that leave it, end in
/// nothing or go round are refused.
pub(super) fn resolve(root: &Dir, root_path: &Path, asked: &[String]) -> Result<Found, Refusal> {
    let whole = asked.join("/");
    if let Ok(look) = beneath::look(root, &whole)
        && let Some(form) = look.form
    {
        return Ok(Found { names: asked.to_vec(), form });
    }
    let mut steps: VecDeque<Step> = asked.iter().cloned().map(Step::Down).collect();
    let mut real: Vec<String> = Vec::new();
    let mut form = Form::Folder;
    let mut links = 0;
    // Steps that stand in `steps` because the asked path has them, and not because a link has.
    let mut own_steps = steps.len();
    while let Some(step) = steps.pop_front() {
        let is_own = steps.len() < own_steps;
        own_steps = own_steps.min(steps.len());
        let name = match step {
            Step::Down(name) => name,
            Step::Here => continue,
            Step::Up if real.pop().is_none() => return Err(outside(&whole)),
            Step::Up => continue,
        };
        real.push(name);
        let path = real.join("/");
        match beneath::look(root, &path) {
            Ok(look) => match look.form {
                Some(Form::Folder) => form = Form::Folder,
                Some(other) if steps.is_empty() => form = other,
                Some(_) => return Err(Refusal::new(format!("part of {whole} is not a folder: {path}"))),
                None => {
                    links += 1;
                    if links > MAX_LINKS {
                        return Err(Refusal::new(format!("{whole} goes through too many links, perhaps in a loop")));
                    }
                    let target = beneath::read_link(root, &path).map_err(|error| words(&whole, &error))?;
                    real.pop();
                    for step in steps_of(&target, root_path, &mut real, &whole)?.into_iter().rev() {
                        steps.push_front(step);
                    }
                }
            },
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                if (steps.is_empty() && is_own) || links == 0 {
                    real.extend(steps.into_iter().filter_map(|step| match step {
                        Step::Down(name) => Some(name),
                        Step::Up | Step::Here => None,
                    }));
                    return Ok(Found { names: real, form: Form::Missing });
                }
                return Err(Refusal::new(format!(
                    "{whole} goes through a link and can't be resolved: {path} does not exist"
                )));
            }
            Err(error) => return Err(words(&whole, &error)),
        }
    }
    Ok(Found { names: real, form })
}

/// The steps of a link's target. An absolute target starts again at the root when it lies in it.
fn steps_of(target: &Path, root_path: &Path, real: &mut Vec<String>, whole: &str) -> Result<Vec<Step>, Refusal> {
    let mut target_path = target;
    if target.has_root() || target.is_absolute() {
        target_path = target.strip_prefix(root_path).map_err(|_| outside(whole))?;
        real.clear();
    }
    let mut steps = Vec::new();
    for component in target_path.components() {
        match component {
            Component::Normal(name) => {
                let name = name.to_str().ok_or_else(|| {
                    Refusal::new(format!("{whole} goes through a link to a name that is not valid Unicode"))
                })?;
                if let Some(why) = segment_trouble(name) {
                    return Err(Refusal::new(format!("{whole} goes through a link to {name:?}, which {why}")));
                }
                steps.push(Step::Down(name.to_owned()));
            }
            Component::ParentDir => steps.push(Step::Up),
            Component::CurDir => {}
            Component::Prefix(_) | Component::RootDir => return Err(outside(whole)),
        }
    }
    let text = target.as_os_str().as_encoded_bytes();
    if text.ends_with(b"/") || text.ends_with(b"/.") || cfg!(windows) && text.ends_with(b"\\") {
        steps.push(Step::Here);
    }
    Ok(steps)
}

fn outside(whole: &str) -> Refusal {
    Refusal::new(format!("{whole} leads outside of the workspace through a link"))
}

fn words(whole: &str, error: &io::Error) -> Refusal {
    if is_link_in_the_way(error) {
        return Refusal::new(format!("{whole} changed while it was being resolved; look again"));
    }
    let place = Place { asked: whole.to_owned(), path: whole.to_owned(), form: Form::Missing };
    trouble(&place, error)
}
