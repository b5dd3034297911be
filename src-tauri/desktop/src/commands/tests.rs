//! What the page sends becomes the request it means, or a failure in words.
//! That names, capabilities and methods agree is tested beside the capability files.

use assent_protocol::failure::Code;
use assent_protocol::request::{METHODS, Request};
use serde_json::{Value, json};
use tauri::ipc::InvokeBody;

use super::request;

fn read(method: &str, arguments: Value) -> Result<Request, assent_protocol::failure::Failure> {
    request(method, &InvokeBody::Json(arguments))
}

#[test]
fn arguments_become_a_request() {
    assert_eq!(read("overview", json!({ "params": {} })), Ok(Request::Overview {}));
    let opened = read("open_folder", json!({ "params": { "path": "/项目 a", "allow_home": false } }));
    assert_eq!(opened, Ok(Request::OpenFolder { path: "/项目 a".to_owned(), allow_home: false }));
}

#[test]
fn arguments_that_make_no_sense_are_refused_in_words() {
    for arguments in [json!({}), json!({ "params": [] }), json!({ "params": { "path": 7 } }), json!(null)] {
        let failure = read("open_folder", arguments).unwrap_err();
        assert_eq!(failure.code, Code::Invalid);
        assert!(failure.message.starts_with("\"open_folder\" can't be asked like this: "), "{}", failure.message);
    }
    assert_eq!(request("overview", &InvokeBody::Raw(vec![1, 2])).unwrap_err().code, Code::Invalid);
}

#[test]
fn every_method_is_known_to_the_request() {
    for method in METHODS {
        if let Err(failure) = read(method, json!({ "params": {} })) {
            assert!(!failure.message.contains("unknown variant"), "{}", failure.message);
        }
    }
}
