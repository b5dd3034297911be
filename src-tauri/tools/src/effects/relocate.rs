//! What deleting and renaming have in common: an entry looked over with all that hangs on it, and moved by a rename.
//! Where it goes is said by the tools; nothing is ever copied, replaced or removed here.

use assent_protocol::assessment::{Raised, Tracked};

use super::entry::Entry;
use super::guards::write_verdict;
use super::tree::{Halt, Kind, Survey, survey};
use crate::git;
use crate::tool::{Looking, Refusal};
use crate::workspace::{Place, Workspace};

/// An entry that is to be moved.
pub struct Moving {
    /// Where it stands.
    pub entry: Entry,
    /// What hangs on it.
    pub survey: Survey,
    /// Why the call is raised above the tool's own tier.
    pub raised: Option<Raised>,
}

impl Moving {
    /// Looks over the entry at `path`. Refused are protected names, in it as well as above it, under the old path and,
    /// for a rename, under the new one.
    pub fn survey(workspace: &Workspace, path: &str, to: Option<&Place>) -> Result<Self, Refusal> {
        let entry = Entry::find(workspace, path)?;
        let new_names = to.into_iter().flat_map(|to| [to.asked.as_str(), to.path.as_str()]);
        let raised = write_verdict([entry.asked.as_str(), entry.path.as_str()].into_iter().chain(new_names))?;
        let ends = [Some(entry.path.as_str()), to.map(|to| to.path.as_str())];
        let survey = survey(&entry.folder, &entry.leaf, |below| {
            for end in ends.into_iter().flatten() {
                let path = format!("{end}/{below}");
                workspace.admit(&path).and_then(|()| write_verdict([path.as_str()])).map_err(|refusal| {
                    Refusal::new(format!("{} can't be moved with what it holds. {}", entry.path, refusal.words))
                })?;
            }
            Ok(())
        });
        match survey {
            Ok(Some(survey)) => Ok(Self { entry, survey, raised }),
            Ok(None) => Err(Refusal::new(format!("{} does not exist", entry.path))),
            Err(Halt::Visitor(refusal)) => Err(refusal),
            Err(halt) => Err(Refusal::new(format!("{} can't be moved as a whole: {halt}", entry.path))),
        }
    }

    /// How git sees the entry. Of a folder git sees only what is in it.
    pub fn tracked(&self, looking: &Looking<'_>) -> Option<Tracked> {
        (self.survey.kind != Kind::Folder).then(|| git::tracked(looking, &self.entry.path)).flatten()
    }
}
