//! Table. Which paths are always refused, and which are raised when written or read: judged by names alone, folded,
//! so that every spelling of a name gets one verdict on every system. Whether a raised call runs is decided in `policy`.

use assent_protocol::assessment::Raised;

use super::spelling::folded;

/// What a path's names say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Guard {
    /// Nothing special.
    Free,
    /// The call stands above its tool's own tier: High for writing, Medium for reading.
    Raised(Raised),
    /// Refused whoever approves, with the reason.
    Protected(&'static str),
}

/// Folders whose content is never read or written, at any depth.
#[rustfmt::skip]
const KEY_FOLDERS: &[&str] = &[".ssh", ".aws", ".gnupg", ".kube"];

/// Folders (at any depth) from which something is run later.
#[rustfmt::skip]
const FOLDERS_RUN_LATER: &[&str] = &[
    ".vscode", ".idea", ".husky", ".github", ".gitlab", ".gitea", ".forgejo", ".githooks", ".circleci", ".buildkite",
    ".woodpecker", ".devcontainer", ".cargo", ".config", ".zed", ".fleet", ".vs", ".settings", ".mvn", ".yarn", ".ci",
    ".hg", ".svn", ".jj", ".direnv", ".terraform", ".ipython", ".bundle",
];

/// Files (at any depth) that something runs later.
#[rustfmt::skip]
const FILES_RUN_LATER: &[&str] = &[
    // Version control and hooks.
    ".gitattributes", ".gitmodules", ".gitconfig", ".lfsconfig", ".pre-commit-config.yaml", ".pre-commit-hooks.yaml",
    "lefthook.yml", "lefthook.yaml", ".lefthook.yml", ".lintstagedrc", ".lintstagedrc.json",
    // Continuous integration and deployment.
    ".gitlab-ci.yml", ".travis.yml", "appveyor.yml", ".appveyor.yml", "azure-pipelines.yml", ".drone.yml",
    ".cirrus.yml", "bitbucket-pipelines.yml", "jenkinsfile", "procfile", "vagrantfile", "dockerfile", "containerfile",
    "docker-compose.yml", "docker-compose.yaml", "compose.yml", "compose.yaml", "netlify.toml", "vercel.json",
    // Shells, editors, debuggers and environments.
    ".envrc", ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".profile", ".zshrc", ".zshenv", ".zprofile",
    ".zlogin", ".vimrc", ".nvimrc", ".exrc", ".nvim.lua", ".lvimrc", ".emacs", ".dir-locals.el", ".tmux.conf",
    ".gdbinit", ".lldbinit", ".tool-versions", "mise.toml", ".mise.toml", "devbox.json", "flake.nix", "shell.nix",
    "default.nix", "crontab",
    // Package managers and manifests with scripts.
    ".npmrc", ".yarnrc", ".yarnrc.yml", ".pnpmfile.cjs", "package.json", "pnpm-workspace.yaml", "deno.json",
    "deno.jsonc", "bunfig.toml", "composer.json", "cargo.toml", "rust-toolchain", "rust-toolchain.toml",
    "pyproject.toml", "setup.py", "setup.cfg", "conftest.py", "sitecustomize.py", "usercustomize.py", "noxfile.py",
    "tox.ini", "pytest.ini", "fabfile.py", "pip.conf", "gemfile", "rakefile", "mix.exs", "rebar.config",
    "package.swift", "podfile", "fastfile", "nuget.config", "directory.build.props", "directory.build.targets",
    // Build scripts.
    "build.rs", "makefile", "gnumakefile", "bsdmakefile", "justfile", ".justfile", "taskfile.yml", "taskfile.yaml",
    "cmakelists.txt", "cmakepresets.json", "configure", "configure.ac", "meson.build", "wscript", "sconstruct",
    "sconscript", "build", "build.bazel", "workspace.bazel", "module.bazel", ".bazelrc", "build.gradle",
    "build.gradle.kts", "settings.gradle", "settings.gradle.kts", "gradle.properties", "gradlew", "gradlew.bat",
    "gradle-wrapper.properties", "gradle-wrapper.jar", "pom.xml", "mvnw", "mvnw.cmd", "build.xml", "build.sbt",
    "build.sh", "build.ps1", "build.zig", "tiltfile", "earthfile", "makefile.am", "makefile.in", "xmake.lua",
    "premake5.lua", "jamfile", "snakefile", "dune", "dune-project", "setup.hs", "stack.yaml", "project.clj",
    "build.clj", "guardfile", "capfile", "thorfile", "dangerfile", "berksfile",
    // Settings of interpreters, linters and tests that load code, and of services that run commands.
    ".rprofile", ".irbrc", ".pryrc", ".byebugrc", ".rspec", ".rubocop.yml", ".pylintrc", "pylintrc", "mypy.ini",
    ".coveragerc", ".pnp.cjs", ".pnp.loader.mjs", "nx.json", "ansible.cfg", ".gitpod.yml", "cloudbuild.yaml",
    "buildspec.yml", "codemagic.yaml",
];

/// Endings of files that something runs later.
#[rustfmt::skip]
const ENDINGS_RUN_LATER: &[&str] = &[
    ".code-workspace", ".sublime-project", ".mk", ".cmake", ".bzl", ".gradle", ".gemspec", ".csproj", ".fsproj",
    ".vbproj", ".vcxproj", ".props", ".targets", ".sln", ".pth", ".desktop", ".config.js", ".config.cjs",
    ".config.mjs", ".config.ts", ".config.cts", ".config.mts", ".cabal", ".nimble", ".podspec",
];

/// Beginnings of files that something runs later: configuration written as code.
#[rustfmt::skip]
const BEGINNINGS_RUN_LATER: &[&str] =
    &[
        "gulpfile.", "gruntfile.", "webpack.", "rollup.", ".eslintrc", ".babelrc", ".mocharc", ".prettierrc", ".stylelintrc",
        ".postcssrc", ".nycrc", ".commitlintrc", ".huskyrc", ".lintstagedrc", "dockerfile.", "makefile.",
    ];

/// Folders (at any depth) whose content steers the assistant, this one or another.
#[rustfmt::skip]
const FOLDERS_STEER: &[&str] = &[
    ".assent", ".claude", ".codex", ".gemini", ".cursor", ".windsurf", ".clinerules", ".cline", ".roo", ".kilocode",
    ".continue", ".agents", ".agent", ".opencode", ".qwen", ".kiro", ".amazonq", ".junie", ".trae", ".goose",
    ".aider", ".copilot",
];

/// Files (at any depth) that steer the assistant: rules, skills, servers of tools.
#[rustfmt::skip]
const FILES_STEER: &[&str] = &[
    "agents.md", "agent.md", "agents.override.md", "claude.md", "claude.local.md", "gemini.md", "qwen.md",
    "copilot-instructions.md", "skill.md", ".cursorrules", ".windsurfrules", ".roorules", ".goosehints",
    ".aider.conf.yml", ".mcp.json", "mcp.json", "mcp.yaml", "opencode.json", "opencode.jsonc",
];

/// Endings of files that steer the assistant.
#[rustfmt::skip]
const ENDINGS_STEER: &[&str] = &[".instructions.md", ".prompt.md", ".chatmode.md", ".agent.md"];

/// Files that hold keys or passwords.
#[rustfmt::skip]
const SECRET_FILES: &[&str] = &[
    "id_rsa", "id_dsa", "id_ecdsa", "id_ecdsa_sk", "id_ed25519", "id_ed25519_sk", "id_xmss", ".netrc", "_netrc",
    ".git-credentials", ".pgpass", ".my.cnf", ".mylogin.cnf", ".npmrc", ".yarnrc.yml", ".pypirc", ".htpasswd",
    ".dockercfg", ".vault-token", ".s3cfg", ".boto", ".terraformrc", "terraform.rc", "kubeconfig", "credentials",
    "credentials.json", "credentials.toml", "credentials.yml", "credentials.yaml", "credentials.xml",
    "credentials.ini", ".credentials", ".credentials.json", "credentials.yml.enc", "master.key", "secrets.json",
    "secrets.toml", "secrets.yml", "secrets.yaml", "secrets.env", "application_default_credentials.json",
    "service-account.json", "service_account.json", "serviceaccount.json", "terraform.tfstate",
    "terraform.tfstate.backup", "local.settings.json", "auth.json",
];

/// Endings of files that hold keys or passwords.
#[rustfmt::skip]
const SECRET_ENDINGS: &[&str] = &[
    ".pem", ".key", ".p12", ".pfx", ".ppk", ".jks", ".keystore", ".kdbx", ".p8", ".pkcs12", ".tfvars", ".ovpn",
    ".agekey", ".env",
];

/// Beginnings of files that hold keys or passwords.
#[rustfmt::skip]
const SECRET_BEGINNINGS: &[&str] = &[".env", "client_secret", "service-account-", "service_account_"];

const KEYS: &str = "it holds keys and sign-ins";
const REPOSITORY: &str = "what is in .git can make git run programs";

/// What writing, renaming or deleting `path` (relative, `/` between names) means.
pub fn write_guard(path: &str) -> Guard {
    let names = names(path);
    if let Some(why) = refused(&names) {
        return Guard::Protected(why);
    }
    if names.iter().any(|name| name == ".git") {
        return Guard::Protected(REPOSITORY);
    }
    let Some(leaf) = names.last() else {
        return Guard::Free;
    };
    let in_folder = |folders: &[&str]| names.iter().any(|name| folders.contains(&name.as_str()));
    if in_folder(FOLDERS_STEER) || FILES_STEER.contains(&leaf.as_str()) || ends(leaf, ENDINGS_STEER) {
        return Guard::Raised(Raised::SteersAssistant);
    }
    if in_folder(FOLDERS_RUN_LATER) || FILES_RUN_LATER.contains(&leaf.as_str()) || ends(leaf, ENDINGS_RUN_LATER) {
        return Guard::Raised(Raised::RunsLater);
    }
    // A bare repository, by its usual name: what is in it makes git run programs as well.
    if names[..names.len() - 1].iter().any(|name| name.ends_with(".git")) {
        return Guard::Raised(Raised::RunsLater);
    }
    if BEGINNINGS_RUN_LATER.iter().any(|beginning| leaf.starts_with(beginning)) {
        return Guard::Raised(Raised::RunsLater);
    }
    Guard::Free
}

/// What reading `path` (relative, `/` between names) means.
pub fn read_guard(path: &str) -> Guard {
    let names = names(path);
    if let Some(why) = refused(&names) {
        return Guard::Protected(why);
    }
    match names.last() {
        Some(leaf) if is_secret(leaf) => Guard::Raised(Raised::Secret),
        _ => Guard::Free,
    }
}

fn is_secret(leaf: &str) -> bool {
    let begins = SECRET_BEGINNINGS.iter().any(|beginning| leaf.starts_with(beginning));
    begins || SECRET_FILES.contains(&leaf) || ends(leaf, SECRET_ENDINGS)
}

fn refused(names: &[String]) -> Option<&'static str> {
    let is_docker = names.windows(2).any(|pair| pair[0] == ".docker" && pair[1] == "config.json");
    (is_docker || names.iter().any(|name| KEY_FOLDERS.contains(&name.as_str()))).then_some(KEYS)
}

fn ends(leaf: &str, endings: &[&str]) -> bool {
    endings.iter().any(|ending| leaf.ends_with(ending))
}

/// The names as the widest file system compares them: folded, without an alternate data stream, without the dots and
/// blanks that Windows drops, and with the short form of `.git` written out.
fn names(path: &str) -> Vec<String> {
    let split = path.split(['/', '\\']).map(|name| {
        let folded = folded(name);
        let plain = folded.split(':').next().unwrap_or_default();
        let plain = if plain == "." || plain == ".." { plain } else { plain.trim_end_matches(['.', ' ']) };
        if is_short_git(plain) { ".git".to_owned() } else { plain.to_owned() }
    });
    split.filter(|name| !name.is_empty() && name != ".").collect()
}

/// `git~1` and its later numbers, and the forms that NTFS makes of `.git` by hashing (as git's own `protectNTFS`).
fn is_short_git(name: &str) -> bool {
    let digits = name.strip_prefix("git~").or_else(|| name.strip_prefix("gi").filter(|rest| rest.contains('~')));
    digits.is_some_and(|rest| rest.rsplit('~').next().is_some_and(|number| number.parse::<u32>().is_ok()))
}

#[cfg(test)]
mod tests;
