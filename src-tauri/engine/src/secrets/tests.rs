//! Keys survive a restart, are the owner's alone, and a damaged file is neither replaced nor quoted.
//! The keychain is the window's and tested there.

use assent_protocol::settings::KeyPlace;

use super::{FILE, SecretFile};

#[test]
fn a_key_is_kept_changed_and_forgotten() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("尚无 yet");
    let file = SecretFile::new(folder.clone());
    assert_eq!(file.get("https://a.example:443"), Ok(None));
    assert_eq!(file.place("https://a.example:443"), KeyPlace::Nowhere);
    assert_eq!(file.keep("https://a.example:443", Some("one")), Ok(KeyPlace::File));
    assert_eq!(file.keep("https://b.example:443", Some("二\"\\")), Ok(KeyPlace::File));
    assert_eq!(file.keep("https://a.example:443", Some("two")), Ok(KeyPlace::File));

    let again = SecretFile::new(folder);
    assert_eq!(again.get("https://a.example:443"), Ok(Some("two".to_owned())));
    assert_eq!(again.get("https://b.example:443"), Ok(Some("二\"\\".to_owned())));
    assert_eq!(again.keep("https://a.example:443", None), Ok(KeyPlace::Nowhere));
    assert_eq!(again.keep("https://never.example:443", None), Ok(KeyPlace::Nowhere));
    assert_eq!(again.place("https://a.example:443"), KeyPlace::Nowhere);
    assert_eq!(again.place("https://b.example:443"), KeyPlace::File);
}

#[cfg(unix)]
#[test]
fn only_the_owner_can_read_the_file() {
    use std::os::unix::fs::PermissionsExt as _;
    let home = tempfile::tempdir().unwrap();
    let folder = home.path();
    let file = SecretFile::new(folder.to_owned());
    let path = folder.join(FILE);
    let mode = || std::fs::metadata(&path).unwrap().permissions().mode() & 0o777;
    // What a crash left behind lends its permissions to nobody.
    std::fs::write(folder.join(format!("{FILE}.new")), "half").unwrap();
    file.keep("a", Some("one")).unwrap();
    assert_eq!(mode(), 0o600);
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
    assert_eq!(file.get("a"), Ok(Some("one".to_owned())));
    assert_eq!(mode(), 0o600);
    assert_eq!(std::fs::read_dir(folder).unwrap().count(), 1);
}

#[test]
fn a_damaged_file_is_told_of_left_alone_and_not_quoted() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path();
    std::fs::write(folder.join(FILE), "{\"a\": \"sk-canary").unwrap();
    let file = SecretFile::new(folder.to_owned());
    let words = file.get("a").unwrap_err().to_string();
    assert!(words.contains("damaged") && !words.contains("canary"), "{words}");
    assert!(file.keep("b", Some("two")).is_err());
    assert_eq!(std::fs::read_to_string(folder.join(FILE)).unwrap(), "{\"a\": \"sk-canary");
}
