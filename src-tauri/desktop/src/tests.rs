//! Holds the configuration and the capability files to what the window needs.
//! They are read as files, as the build reads them.

use std::{collections::BTreeSet, fs, path::Path};

use assent_protocol::request::METHODS;
use serde_json::Value;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

macro_rules! shells {
    (shell: [$($shell:ident),*] engine: [$($engine:ident),*]) => {
        &[$(stringify!($shell)),*]
    };
}

macro_rules! methods {
    (shell: [$($shell:ident),*] engine: [$($engine:ident),*]) => {
        &[$(stringify!($engine)),*]
    };
}

/// The window's own commands, each of which the dispatcher has as a function, or it wouldn't compile.
const SHELL: &[&str] = commands!(shells);

/// The engine's methods as the table has them.
const ENGINE: &[&str] = commands!(methods);

fn read(path: &Path) -> Value {
    let text = fs::read_to_string(path).unwrap_or_else(|failure| panic!("{}: {failure}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|failure| panic!("{}: {failure}", path.display()))
}

fn capabilities() -> Vec<Value> {
    let folder = Path::new(ROOT).join("src-tauri/desktop/capabilities");
    let files: Vec<Value> = folder.read_dir().unwrap().map(|file| read(&file.unwrap().path())).collect();
    assert!(!files.is_empty(), "no capability file");
    files
}

/// The identifiers of a capability's permissions, with or without a scope.
fn permissions(capability: &Value) -> impl Iterator<Item = &str> {
    let listed = capability["permissions"].as_array().unwrap();
    listed.iter().map(|entry| entry.as_str().or_else(|| entry["identifier"].as_str()).unwrap())
}

/// What is wrong with the security of a `tauri.conf.json`, in words.
fn faults(config: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    if config["app"]["withGlobalTauri"] != false {
        faults.push("withGlobalTauri must be false: any script of the page could call the backend".to_owned());
    }
    let security = &config["app"]["security"];
    let Some(policy) = security["csp"].as_object() else {
        faults.push("csp must be a table of directives".to_owned());
        return faults;
    };
    if policy.get("default-src").and_then(Value::as_str) != Some("'none'") {
        faults.push("default-src must be 'none'".to_owned());
    }
    if policy.get("script-src").and_then(Value::as_str) != Some("'self'") {
        faults.push("script-src must be 'self'".to_owned());
    }
    for (directive, sources) in policy {
        let sources = sources.as_str().unwrap_or("*");
        let lax = ["unsafe-inline", "unsafe-eval", "*", "https:", "wss:"];
        if let Some(source) = lax.iter().find(|source| sources.contains(**source)) {
            faults.push(format!("{directive} must not allow {source}"));
        }
    }
    for switch in ["devCsp", "dangerousDisableAssetCspModification", "dangerousRemoteDomainIpcAccess"] {
        if security.get(switch).is_some_and(|value| *value != Value::Bool(false)) {
            faults.push(format!("{switch} must not be set"));
        }
    }
    faults
}

#[test]
fn p83_the_page_is_under_a_strict_policy_and_has_no_global_tauri() {
    let config = read(&Path::new(ROOT).join("tauri.conf.json"));
    assert_eq!(faults(&config), Vec::<String>::new());
}

#[test]
fn p83_a_missing_policy_or_a_global_tauri_is_a_fault() {
    let config = read(&Path::new(ROOT).join("tauri.conf.json"));
    let broken = |pointer: &str, value: Value| {
        let mut config = config.clone();
        *config.pointer_mut(pointer).unwrap() = value;
        faults(&config).len()
    };
    assert_eq!(broken("/app/security/csp", Value::Null), 1);
    assert_eq!(broken("/app/withGlobalTauri", Value::Bool(true)), 1);
    assert_eq!(broken("/app/security/csp/style-src", "'self' 'unsafe-inline'".into()), 1);
    assert_eq!(broken("/app/security/csp/connect-src", "https://example.org".into()), 1);
}

#[test]
fn the_table_has_every_method_of_the_protocol_and_no_other() {
    assert_eq!(ENGINE, METHODS);
    assert!(SHELL.iter().all(|name| !METHODS.contains(name)), "a command of the shell would never be reached");
}

#[test]
fn the_capabilities_name_exactly_the_commands_of_the_table() {
    let of_the_table: BTreeSet<String> =
        SHELL.iter().chain(ENGINE).map(|name| format!("allow-{}", name.replace('_', "-"))).collect();
    let capabilities = capabilities();
    let of_the_files: BTreeSet<String> = capabilities
        .iter()
        .flat_map(permissions)
        .filter(|permission| !permission.contains(':'))
        .map(str::to_owned)
        .collect();
    assert_eq!(of_the_files, of_the_table);
}

#[test]
fn the_capabilities_reach_one_local_window_and_take_no_whole_plugin() {
    for capability in capabilities() {
        assert_eq!(capability["windows"], serde_json::json!(["main"]));
        assert!(capability.get("remote").is_none(), "no remote page may call the backend");
        for permission in permissions(&capability) {
            assert!(!permission.ends_with("default"), "{permission}: name what is used");
            assert!(
                !permission.contains("fs:") && !permission.contains("shell:"),
                "{permission}: files and processes are the engine's"
            );
        }
    }
}

#[test]
fn addresses_leave_only_for_the_browser_and_the_mail_program() {
    let capabilities = capabilities();
    let scopes: Vec<&Value> = capabilities
        .iter()
        .flat_map(|capability| capability["permissions"].as_array().unwrap())
        .filter(|entry| entry["identifier"] == "opener:allow-open-url")
        .map(|entry| &entry["allow"])
        .collect();
    assert_eq!(scopes, [&serde_json::json!([{ "url": "http://*" }, { "url": "https://*" }, { "url": "mailto:*" }])]);
}
