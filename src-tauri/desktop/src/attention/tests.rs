//! Counts follow the rows, and a notice shows no markup and nothing hidden.
//! Badge, tray and notices themselves are the system's.

use assent_protocol::ids::ConversationId;
use assent_protocol::permission::Mode;
use assent_protocol::settings::Settings;
use assent_protocol::signal::Signal;
use assent_protocol::snapshot::ConversationRow;

use super::{Counted, Counts, plain};

fn row(id: &str, generating: bool, pending: u32) -> ConversationRow {
    ConversationRow {
        id: ConversationId::new(id),
        project: None,
        workspace: None,
        fork: None,
        title: String::new(),
        mode: Mode::default(),
        model: None,
        fallbacks: Vec::new(),
        generating,
        pending,
        queued: 0,
        ended: None,
        unread: false,
        archived: false,
        parent: None,
        seq: 1,
        created_at: 0,
        updated_at: 0,
    }
}

#[test]
fn counts_follow_the_rows() {
    let mut counted = Counted::default();
    counted.begin(vec![row("a", true, 2), row("b", false, 0)], None);
    assert_eq!(counted.counts(), Counts { running: 0, waiting: 2, language: None });
    counted.apply(Signal::Row { row: row("b", true, 1) });
    counted.apply(Signal::Row { row: row("c", true, 0) });
    assert_eq!(counted.counts(), Counts { running: 1, waiting: 3, language: None });
    counted.apply(Signal::Gone { conversation: ConversationId::new("a") });
    let settings = Settings { language: Some("zh-CN".to_owned()), ..Settings::default() };
    counted.apply(Signal::Settings { settings });
    assert_eq!(counted.counts(), Counts { running: 1, waiting: 1, language: Some("zh-CN".to_owned()) });
}

#[test]
fn a_notice_has_no_markup_nothing_hidden_and_an_end() {
    if cfg!(target_os = "linux") {
        assert_eq!(plain("<a href=\"x\">run</a> & rm"), "&lt;a href=\"x\"&gt;run&lt;/a&gt; &amp; rm");
    }
    assert_eq!(plain("写 a\u{202e}b\n\u{1b}[2Jc"), "写 a\u{fffd}b\u{fffd}\u{fffd}[2Jc");
    assert_eq!(plain(&"长".repeat(500)).chars().count(), super::NOTICE + 1);
}
