//! Which addresses the web view may load.
//! The window itself is tested through WebDriver.

use tauri::Url;

use super::is_ours;

#[test]
fn only_the_programs_own_page_loads() {
    let loads = |address: &str| is_ours(&Url::parse(address).unwrap());
    assert!(loads("tauri://localhost/"));
    assert!(loads("http://tauri.localhost/index.html"));
    for foreign in [
        "https://example.org/",
        "https://tauri.localhost.example.org/",
        "file:///etc/passwd",
        "data:text/html,<b>x</b>",
        "javascript:alert(1)",
        "about:blank",
    ] {
        assert!(!loads(foreign), "{foreign}");
    }
}
