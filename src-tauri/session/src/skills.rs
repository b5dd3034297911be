//! Skills in use: which were invoked, each with the content that it had last.
//! Their texts stand in the messages that invoked them.

use assent_protocol::skill::SkillUse;

use crate::fold::Session;

impl Session {
    /// Skills that were invoked, in the order of their first use.
    pub fn skills(&self) -> &[SkillUse] {
        &self.skills
    }

    pub(crate) fn skills_used(&mut self, used: &[SkillUse]) {
        for skill in used {
            match self.skills.iter_mut().find(|known| known.name == skill.name) {
                Some(known) => known.clone_from(skill),
                None => self.skills.push(skill.clone()),
            }
        }
    }
}
