//! Tests of notices: kept until they are dismissed.
//! The one that an opening makes is tested there.

use assent_protocol::snapshot::Notice;

use crate::Store;

#[test]
fn a_notice_stays_until_it_is_dismissed() {
    let store = Store::memory().unwrap();
    let notice = |place: &str| Notice::HistoryDamaged { kept_at: place.to_owned(), message: "坏了".to_owned() };
    store.add_notice(notice("one")).wait().unwrap();
    store.add_notice(notice("two")).wait().unwrap();
    store.add_notice(notice("one")).wait().unwrap();
    assert_eq!(store.notices().unwrap(), [notice("one"), notice("two")]);
    store.dismiss_notice(notice("one")).wait().unwrap();
    store.dismiss_notice(notice("never there")).wait().unwrap();
    assert_eq!(store.notices().unwrap(), [notice("two")]);
}
