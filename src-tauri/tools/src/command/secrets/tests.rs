//! Which variables are secrets, by their names and by their values.

use super::{PROVIDER_KEYS, is_secret_address, is_secret_name, is_secret_value};

#[test]
fn p70_names_that_say_so_are_secrets() {
    for name in [
        "ASSENT_API_KEY",
        "ASSENT_HOME",
        "assent_x",
        "GITHUB_TOKEN",
        "GH_TOKEN",
        "AWS_SECRET_ACCESS_KEY",
        "AWS_ACCESS_KEY_ID",
        "DB_PASSWORD",
        "PGPASSWORD",
        "MYSQL_PWD",
        "GOOGLE_APPLICATION_CREDENTIALS",
        "npm_config__authToken",
        "NPM_CONFIG__AUTH",
        "SSH_PASSPHRASE",
        "MY_APIKEY",
        "apiKey",
        "SIGNING_KEY",
        "DOCKER_PASS",
        "GITHUB_PAT",
        "SESSION_SECRETS",
        "my-secret",
    ] {
        assert!(is_secret_name(name), "{name}");
    }
    assert!(PROVIDER_KEYS.iter().all(|name| is_secret_name(name)));
}

#[test]
fn names_that_only_sound_like_it_are_kept() {
    for name in [
        "PATH",
        "HOME",
        "PWD",
        "OLDPWD",
        "SSH_AUTH_SOCK",
        "XAUTHORITY",
        "DISPLAY",
        "KEYBOARD",
        "XKB_KEYMAP",
        "MONKEY",
        "LANG",
        "EDITOR",
        "PATTERN",
        "COMPASS",
        "AUTHOR",
        "GOPATH",
        "CARGO_HOME",
        "PASSENGER",
    ] {
        assert!(!is_secret_name(name), "{name}");
    }
}

#[test]
fn values_that_are_keys_are_secrets_whatever_their_name() {
    let known = ["0123456789abcdef-known"];
    assert!(is_secret_value("0123456789abcdef-known", &known));
    assert!(is_secret_value("https://x/?k=0123456789abcdef-known", &known));
    for value in ["sk-ant-0123456789abcdef", "ghp_0123456789abcdefghij", "AKIA0123456789ABCDEF", "hf_0123456789abcdef"]
    {
        assert!(is_secret_value(value, &[]), "{value}");
    }
    for value in ["/usr/bin:/bin", "sk-1", "sk-SK.UTF-8 and more words", "npm_", "zh_CN.UTF-8"] {
        assert!(!is_secret_value(value, &known), "{value}");
    }
    // A short "key" is in too many values by chance.
    assert!(!is_secret_value("/usr/bin", &["usr"]));
}

#[test]
fn p70_an_address_with_a_password_in_it_is_a_secret() {
    for value in
        ["postgres://app:word@localhost/db", "redis://:word@10.0.0.1:6379/0", "amqp://a:b:c@host", "x y://u:p@h"]
    {
        assert!(is_secret_address("DATABASE_URL", value), "{value}");
    }
    for value in [
        "postgres://app@localhost/db",
        "https://host:8080/a@b",
        "https://host/?to=a:b@c",
        "postgres://app:@localhost",
        "user:word@host",
        "/usr/bin:/bin",
        "",
    ] {
        assert!(!is_secret_address("DATABASE_URL", value), "{value}");
    }
    for name in ["HTTPS_PROXY", "http_proxy", "npm_config_https_proxy"] {
        assert!(!is_secret_address(name, "http://user:word@proxy:3128"), "{name}");
    }
    assert!(is_secret_address("é", "http://user:word@host"));
}
