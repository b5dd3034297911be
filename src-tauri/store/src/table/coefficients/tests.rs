//! Tests of learned coefficients.
//! How they are learned is tested where that happens.

use std::collections::BTreeMap;

use crate::Store;

#[test]
fn the_last_sound_value_of_a_model_counts() {
    let store = Store::memory().unwrap();
    store.set_coefficient("m", 0.25).wait().unwrap();
    store.set_coefficient("n/模型", 0.5).wait().unwrap();
    store.set_coefficient("m", 0.3125).wait().unwrap();
    for wrong in [f64::NAN, f64::INFINITY, 0.0, -1.0] {
        store.set_coefficient("m", wrong).wait().unwrap();
    }
    let expected = BTreeMap::from([("m".to_owned(), 0.3125), ("n/模型".to_owned(), 0.5)]);
    assert_eq!(store.coefficients().unwrap(), expected);
}
