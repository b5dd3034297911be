//! What asking means for a repository outside of the workspace: the workspace is a linked worktree of it, and a person
//! lets it be read. How it is found and checked stands in `contain`.

use assent_policy::Cleared;
use assent_protocol::assessment::{Assessment, Raised, Reach, Reason, Warning};
use assent_protocol::permission::Tier;
use assent_protocol::preview::Preview;
use assent_protocol::tool::FileState;

use super::open::{self, Opened};
use crate::files::look::look_at;
use crate::tool::{Looking, Refusal};

/// The assessment of a call that reads the repository: it runs unasked after a `check`, but for a repository elsewhere,
/// of which nothing is said before a person allowed it.
pub(super) fn assess(
    looking: &Looking<'_>,
    target: String,
    check: impl FnOnce(&Opened) -> Result<(), Refusal>,
) -> Result<Assessment, Refusal> {
    let assessment = look_at(target, 0);
    let Some(folder) = open::elsewhere(looking.workspace)? else {
        open::with(looking.workspace, &|_| false, |opened| Ok(check(opened)))??;
        return Ok(assessment);
    };
    Ok(Assessment {
        tier: Tier::Medium,
        touches: vec![FileState { path: folder.clone(), hash: None }],
        preview: Preview::Repository { path: folder.clone() },
        reason: Reason::ReadRepository { folder: folder.clone() },
        reach: Reach {
            raised: Some(Raised::Elsewhere),
            warnings: vec![Warning::LinkedWorktree { folder }],
            ..Reach::default()
        },
        ..assessment
    })
}

/// Which repositories outside of the workspace a clearance allows: the one that its card or its rule named.
pub(super) fn allowed_by(cleared: &Cleared) -> impl Fn(&str) -> bool {
    |folder| cleared.touches.iter().any(|touched| touched.path == folder)
}
