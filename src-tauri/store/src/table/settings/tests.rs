//! Tests of settings: what was set is there again; what doesn't fit is an error.
//! Defaults are the protocol's part.

use assent_protocol::settings::Settings;

use crate::{Durability, Store, StoreError};

#[test]
fn what_was_set_is_there_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let settings = Settings { global_slots: 7, language: Some("zh-CN".to_owned()), ..Settings::default() };
    {
        let (store, _) = Store::open(folder.path()).unwrap();
        assert_eq!(store.setting::<Settings>("app"), Ok(None));
        store.set_setting("app", &Settings::default()).wait().unwrap();
        store.set_setting("app", &settings).wait().unwrap();
        store.set_setting("window", &[1, 2]).wait().unwrap();
    }
    let (store, _) = Store::open(folder.path()).unwrap();
    assert_eq!(store.setting("app"), Ok(Some(settings)));
    assert_eq!(store.setting("window"), Ok(Some(vec![1, 2])));
}

#[test]
fn a_setting_that_does_not_fit_is_an_error_and_not_a_default() {
    let store = Store::memory().unwrap();
    let sql = "INSERT INTO settings VALUES ('app', '{\"global_slots\":\"many\"}')";
    store.write::<_, StoreError, _>(Durability::Light, move |writing| Ok(writing.execute(sql, [])?)).wait().unwrap();
    assert!(matches!(store.setting::<Settings>("app"), Err(StoreError::Damaged { .. })));
}
