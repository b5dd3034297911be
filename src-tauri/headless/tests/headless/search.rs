//! `assent search`: what was said is found in a later process, as text and as JSON.
//! Which words find what is tested with the store.

use serde_json::Value;

use crate::support::{Place, text};

#[test]
fn what_was_said_is_found_again() {
    let place = Place::new();
    let ran = place.exec("say 先把数据库连接池调大", &[]);
    let conversation = ran.conversation();
    place.exec("say nothing of the kind", &[]);
    let ran = place.run(&["search", "数据库 调大", "--json"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let hits: Vec<Value> = serde_json::from_str(&ran.out).unwrap();
    let mut who: Vec<&str> = hits.iter().map(|hit| text(hit, "who")).collect();
    who.sort_unstable();
    assert_eq!(who, ["assistant", "title", "user"]);
    assert!(hits.iter().all(|hit| hit["conversation"] == conversation.as_str()), "{hits:?}");
    let answer = hits.iter().find(|hit| hit["who"] == "assistant").unwrap();
    let log = place.log(&conversation);
    let event = log.iter().find(|event| event["seq"] == answer["seq"]).unwrap();
    assert_eq!((&event["kind"], &event["message"]), (&Value::from("assistant/message"), &answer["message"]));
    let shown = place.run(&["search", "数据库", "--limit", "1"]);
    assert_eq!(shown.out.lines().count(), 2, "{shown:?}");
    assert!(shown.out.contains(&conversation) && shown.out.contains("数据库连接池"), "{shown:?}");
    let nothing = place.run(&["search", "\"\" OR ("]);
    assert_eq!((nothing.code, nothing.out.as_str()), (Some(0), "Nothing is found.\n"));
    place.check();
}
