//! Skills: `SKILL.md` files of the workspace and of the person, found by name, and invoked with `/name` in a message.
//! A workspace's count only as the content that the person trusted; reading and comparing is `steering`'s part.

mod front_matter;
mod mentions;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use assent_protocol::ids::Sha;
use assent_protocol::skill::{SkillList, SkillProblem, SkillRow, SkillSource, SkillTrouble, SkillUse};
use assent_tools::steering::{SKILL_FOLDERS, skill_files};
use assent_tools::workspace::Workspace;

use crate::steering::{Looked, MAX_TEXT, Trust, look};
use crate::visible::{shown, visible};
use front_matter::FrontMatter;

pub(crate) use mentions::mentions;

/// Longest name of a skill, in characters.
const LONGEST_NAME: usize = 64;
/// Longest description that is shown, in characters.
const LONGEST_DESCRIPTION: usize = 240;
/// What the list of skills takes of a prompt at most, in bytes.
const LONGEST_LIST: usize = 8 * 1024;
/// Names that commands of the composer have.
const RESERVED: [&str; 6] = ["compact", "clear", "model", "mode", "export", "help"];

/// A skill with everything that its use needs.
#[derive(Debug, Clone)]
pub(crate) struct Skill {
    /// As it is offered.
    pub row: SkillRow,
    /// SHA-256 of its file.
    hash: Sha,
    /// Its text behind the front matter, hidden characters made visible.
    body: String,
}

/// All skills that were found.
#[derive(Debug, Clone, Default)]
pub(crate) struct Skills {
    skills: Vec<Skill>,
    problems: Vec<SkillProblem>,
}

/// A person's own folders of skills: in the app's data, and the one that several programs share.
pub(crate) fn own_folders(home: Option<&Path>, user: Option<&str>) -> Vec<PathBuf> {
    let shared = user.map(|user| Path::new(user).join(".agents").join("skills"));
    home.map(|home| home.join("skills")).into_iter().chain(shared).collect()
}

impl Skills {
    /// Finds all skills: of the workspace, then a person's own. The first of a name wins.
    pub fn find(workspace: Option<&Workspace>, trust: &Trust, own: &[PathBuf]) -> Self {
        let mut found = Self::default();
        for folder in SKILL_FOLDERS {
            if let Some(workspace) = workspace {
                found.add_folder(workspace, folder, SkillSource::Workspace, trust);
            }
        }
        for folder in own.iter().filter(|folder| folder.is_dir()) {
            match Workspace::open_own(folder) {
                Ok(opened) => found.add_folder(&opened, "", SkillSource::User, &Trust::default()),
                Err(error) => {
                    let trouble = SkillTrouble::Unreadable { message: error.to_string() };
                    found.problems.push(SkillProblem { path: folder.display().to_string(), line: None, trouble });
                }
            }
        }
        found.skills.sort_by(|one, other| one.row.name.cmp(&other.row.name));
        found
    }

    fn add_folder(&mut self, workspace: &Workspace, folder: &str, source: SkillSource, trust: &Trust) {
        let found = skill_files(workspace, folder);
        for path in found.paths {
            self.add(workspace, &path, source, trust);
        }
        if found.is_partial {
            let path = shown_path(workspace, folder, source);
            self.problems.push(SkillProblem { path, line: None, trouble: SkillTrouble::TooMany });
        }
    }

    fn add(&mut self, workspace: &Workspace, path: &str, source: SkillSource, trust: &Trust) {
        let place = shown_path(workspace, path, source);
        let problem = |line, trouble| SkillProblem { path: place.clone(), line, trouble };
        let read = match look(workspace, path, trust) {
            Looked::There(read) => read,
            Looked::Unreadable(message) => {
                return self.problems.push(problem(None, SkillTrouble::Unreadable { message }));
            }
            Looked::Missing => return,
        };
        let matter = match front_matter::read(&read.raw) {
            Ok(matter) => matter,
            Err((line, trouble)) => return self.problems.push(problem(Some(line), trouble)),
        };
        let folder = path.rsplit('/').nth(1).unwrap_or_default();
        let (name, description, line) = match named(&matter, folder) {
            Ok(named) => named,
            Err((line, trouble)) => return self.problems.push(problem(Some(line), trouble)),
        };
        if let Some(first) = self.get(&name) {
            let first = first.row.path.clone();
            return self.problems.push(problem(Some(line), SkillTrouble::Duplicate { name, first }));
        }
        let trusted = source == SkillSource::User || read.trusted;
        let body = shown(&read.raw, matter.body, MAX_TEXT);
        let row = SkillRow { name, description, source, path: place, trusted };
        self.skills.push(Skill { row, hash: read.hash, body });
    }

    fn get(&self, name: &str) -> Option<&Skill> {
        self.skills.iter().find(|skill| skill.row.name == name)
    }

    /// As they are offered, with what is wrong with others.
    pub fn list(&self) -> SkillList {
        SkillList {
            skills: self.skills.iter().map(|skill| skill.row.clone()).collect(),
            problems: self.problems.clone(),
        }
    }

    /// The skills that a text invokes, each once, in the order of their mentions.
    pub fn invoked_by(&self, text: &str) -> Vec<&Skill> {
        let mut invoked: Vec<&Skill> = Vec::new();
        for mention in mentions(text) {
            let skill = self.get(mention).or_else(|| self.get(mentions::before_cjk(mention)));
            if let Some(skill) = skill
                && !invoked.iter().any(|known| known.row.name == skill.row.name)
            {
                invoked.push(skill);
            }
        }
        invoked
    }

    /// The part of a prompt that names the skills that may be used; empty without any.
    pub fn in_prompt(&self) -> String {
        let usable: Vec<&Skill> = self.skills.iter().filter(|skill| skill.row.trusted).collect();
        if usable.is_empty() {
            return String::new();
        }
        let mut list = String::from(
            "\nSkills: instructions that the user invokes with /name in a message; their text then comes with it. Where a \
             file is named and the task is what the skill is for, read the file first.\n",
        );
        for (place, skill) in usable.iter().enumerate() {
            let SkillRow { name, description, source, path, .. } = &skill.row;
            let file = if *source == SkillSource::Workspace { format!(" ({path})") } else { String::new() };
            let line = format!("- {name}: {description}{file}\n");
            if list.len() + line.len() > LONGEST_LIST {
                let _ = writeln!(list, "[{} more skills are left out of this list]", usable.len() - place);
                break;
            }
            list.push_str(&line);
        }
        list
    }
}

impl Skill {
    /// How the log names it.
    pub fn used(&self) -> SkillUse {
        SkillUse { name: self.row.name.clone(), source: self.row.source, hash: self.hash }
    }

    /// What stands in front of the message that invokes it.
    pub fn context(&self) -> String {
        let SkillRow { name, source, path, trusted, .. } = &self.row;
        if !trusted {
            return format!("[The skill {name} is left out: the user has not trusted it.]");
        }
        let place = match source {
            SkillSource::Workspace => {
                let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
                format!("Its files lie in the folder {folder}")
            }
            SkillSource::User => "Its other files lie outside of this folder and can't be read".to_owned(),
        };
        format!("[The user invokes the skill {name}. {place}.]\n<skill name=\"{name}\">\n{}\n</skill>", self.body)
    }
}

fn shown_path(workspace: &Workspace, path: &str, source: SkillSource) -> String {
    match source {
        SkillSource::Workspace => visible(path),
        SkillSource::User => visible(&workspace.root().join(path).to_string_lossy()),
    }
}

/// The name (the folder's where none stands there), the description in one line, and the name's line.
fn named(matter: &FrontMatter, folder: &str) -> Result<(String, String, u32), front_matter::Wrong> {
    let (name, line) = matter.name.clone().unwrap_or_else(|| (folder.to_owned(), 1));
    let fits = |character: char| character.is_alphanumeric() || matches!(character, '-' | '_');
    let begins = name.chars().next().is_some_and(char::is_alphanumeric);
    if !begins || !name.chars().all(fits) || name.chars().count() > LONGEST_NAME {
        let name = visible(&name.chars().take(LONGEST_NAME).collect::<String>());
        return Err((line, SkillTrouble::BadName { name }));
    }
    if RESERVED.contains(&name.as_str()) {
        return Err((line, SkillTrouble::Reserved { name }));
    }
    let description = matter.description.as_ref().map(|(words, _)| words.as_str()).unwrap_or_default();
    let words: Vec<String> = description.split_whitespace().map(visible).collect();
    let mut description = words.join(" ");
    if description.is_empty() {
        return Err((matter.description.as_ref().map_or(1, |(_, line)| *line), SkillTrouble::NoDescription));
    }
    if let Some((end, _)) = description.char_indices().nth(LONGEST_DESCRIPTION) {
        description.truncate(end);
        description.push('…');
    }
    Ok((name, description, line))
}

#[cfg(test)]
mod tests;
