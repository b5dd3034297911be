//! Tests of the tables: one verdict for every spelling.

use super::*;

/// Spellings that some file system takes for the same name.
fn spellings(name: &str) -> Vec<String> {
    let wide: String = name.chars().map(|letter| if letter == 'k' { '\u{212a}' } else { letter }).collect();
    let mut with_ignored = name.to_owned();
    with_ignored.insert(2, '\u{200c}');
    let mut mixed: Vec<char> = name.chars().collect();
    mixed[1] = mixed[1].to_ascii_uppercase();
    vec![
        name.to_owned(),
        name.to_uppercase(),
        mixed.into_iter().collect(),
        format!("{name}."),
        format!("{name} "),
        format!("{name} . ."),
        format!("{name}::$INDEX_ALLOCATION"),
        format!("{name}:x"),
        wide,
        with_ignored,
    ]
}

#[test]
fn p34_nothing_in_a_repository_is_written_whoever_approves() {
    for path in [".git/hooks/pre-push", "sub/.git/config", ".git", "a/.git", "GIT~1/config", "a/git~1", ".git\\config"]
    {
        assert_eq!(write_guard(path), Guard::Protected(REPOSITORY), "{path}");
    }
    for name in spellings(".git") {
        for path in [name.clone(), format!("{name}/config"), format!("a/{name}/hooks/x")] {
            assert_eq!(write_guard(&path), Guard::Protected(REPOSITORY), "{path:?}");
            assert_eq!(read_guard(&path), Guard::Free, "{path:?}");
        }
    }
    for path in [".gitignore", "git/config", "a.git", "digit~1.txt", ".github2/x"] {
        assert_eq!(write_guard(path), Guard::Free, "{path}");
    }
}

#[test]
fn p31_case_variants_get_the_verdict_of_lower_case() {
    assert_eq!(write_guard(".GIT/config"), write_guard(".git/config"));
    assert_eq!(write_guard(".Vscode/settings.json"), write_guard(".vscode/settings.json"));
    assert_eq!(read_guard("Sub/.SSH/id_rsa"), read_guard("sub/.ssh/id_rsa"));
    assert_eq!(read_guard(".ENV.Local"), read_guard(".env.local"));
    assert_eq!(write_guard("MAKEFILE"), write_guard("Makefile"));
}

#[test]
fn p35_what_something_runs_later_is_raised() {
    let later = [
        ".vscode/settings.json",
        "mirror.git/hooks/post-update",
        "a/mirror.GIT/config",
        "r/.Rprofile",
        ".pylintrc",
        ".prettierrc.cjs",
        "web/.pnp.cjs",
        "x.podspec",
        "app.code-workspace",
        ".github/hooks/x.json",
        ".github/workflows/ci.yml",
        ".idea/x.xml",
        ".husky/pre-commit",
        ".gitlab-ci.yml",
        ".envrc",
        ".npmrc",
        ".gitattributes",
        ".gitmodules",
        "build.rs",
        "crates/a/build.rs",
        "Makefile",
        "sub/GNUmakefile",
        "package.json",
        "Cargo.toml",
        ".cargo/config.toml",
        "pyproject.toml",
        "conftest.py",
        "CMakeLists.txt",
        "vite.config.ts",
        ".eslintrc.cjs",
        "gulpfile.js",
        ".devcontainer/devcontainer.json",
        "Dockerfile",
        "App.csproj",
        ".vscode",
        "x/.hg/hgrc",
    ];
    for path in later {
        assert_eq!(write_guard(path), Guard::Raised(Raised::RunsLater), "{path}");
    }
    let steers = [
        "AGENTS.md",
        "docs/CLAUDE.md",
        ".mcp.json",
        ".assent/rules.md",
        ".assent",
        ".claude/settings.json",
        ".cursor/mcp.json",
        ".cursorrules",
        "skills/x/SKILL.md",
        "GEMINI.md",
        "x.instructions.md",
    ];
    for path in steers {
        assert_eq!(write_guard(path), Guard::Raised(Raised::SteersAssistant), "{path}");
    }
    for name in spellings(".vscode").into_iter().chain(spellings(".husky")) {
        assert_eq!(write_guard(&format!("{name}/x")), Guard::Raised(Raised::RunsLater), "{name:?}");
    }
    for path in ["src/main.rs", "README.md", "docs/agents-of-change.md", "build/out.txt", "src/windows/x.rs", "notes"] {
        assert_eq!(write_guard(path), Guard::Free, "{path}");
    }
}

#[test]
fn keys_and_sign_ins_are_always_refused() {
    for folder in [".ssh", ".aws", ".gnupg", ".kube"] {
        for name in spellings(folder) {
            for path in [name.clone(), format!("a/{name}/x")] {
                assert_eq!(read_guard(&path), Guard::Protected(KEYS), "{path:?}");
                assert_eq!(write_guard(&path), Guard::Protected(KEYS), "{path:?}");
            }
        }
    }
    assert_eq!(read_guard(".docker/config.json"), Guard::Protected(KEYS));
    assert_eq!(read_guard("a/.Docker/Config.json"), Guard::Protected(KEYS));
    assert_eq!(read_guard(".docker/Dockerfile"), Guard::Free);
}

#[test]
fn files_that_hold_secrets_are_raised_when_read() {
    let secret = [
        ".env",
        ".env.local",
        "a/.env.production",
        ".envrc",
        "id_rsa",
        "keys/id_ed25519",
        "server.pem",
        "tls.KEY",
        "store.p12",
        ".netrc",
        ".git-credentials",
        ".npmrc",
        ".pypirc",
        "credentials.json",
        "client_secret_123.json",
        "secrets.yaml",
        "terraform.tfstate",
        "prod.tfvars",
        "prod.env",
    ];
    for path in secret {
        assert_eq!(read_guard(path), Guard::Raised(Raised::Secret), "{path}");
    }
    for path in ["src/env.rs", "secrets.rs", "id_rsa.pub", "src/credentials.rs", "keyboard.md", "environment.ts", ""] {
        assert_eq!(read_guard(path), Guard::Free, "{path}");
    }
}
