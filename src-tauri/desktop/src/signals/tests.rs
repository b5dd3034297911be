//! A flood becomes portions that say the same, in the same order.
//! The channel itself is shown in the real window.

use assent_protocol::ids::{CallId, ConversationId};
use assent_protocol::signal::{Delta, Phase, Signal};

use super::{PORTION, portions};

fn output(offset: u64, text: String) -> Signal {
    let delta = Delta::Output { call: CallId::new("call"), offset, text };
    Signal::Delta { conversation: ConversationId::new("c"), delta }
}

fn phase(since: i64) -> Signal {
    Signal::Delta { conversation: ConversationId::new("c"), delta: Delta::Phase { phase: Phase::Idle, since } }
}

#[test]
fn a_small_batch_stays_as_it_is() {
    let batch = vec![phase(1), output(7, "x".repeat(PORTION)), phase(2)];
    assert_eq!(portions(batch.clone()), [batch]);
}

#[test]
fn a_flood_is_cut_between_characters_and_keeps_its_offsets() {
    let text = "字".repeat(PORTION);
    let batch = vec![phase(1), output(5, text.clone()), output(5 + text.len() as u64, "end".to_owned()), phase(2)];
    let portions = portions(batch);
    assert_eq!(portions.len(), 4, "three bytes a character");

    let mut whole = String::new();
    let mut phases = 0;
    for portion in portions {
        let mut bytes = 0;
        for signal in portion {
            match signal {
                Signal::Delta { delta: Delta::Output { offset, text, .. }, .. } => {
                    assert_eq!(offset, 5 + whole.len() as u64);
                    bytes += text.len();
                    whole.push_str(&text);
                }
                _ => phases += 1,
            }
        }
        assert!(bytes <= PORTION, "{bytes}");
    }
    assert_eq!(whole, text + "end");
    assert_eq!(phases, 2);
}
