//! Table. Programs that run another program which their arguments name, and how the arguments say so.
//! It only serves to name what a card should show: whatever stands here, or is missing, changes no permission.

/// How a wrapper's arguments name what it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Runs {
    /// The rest of the arguments, after its own options, is a command.
    Rest,
    /// As `Rest`, after this many operands of its own (`timeout 5 make`).
    RestAfter(usize),
    /// The rest of the arguments, joined by spaces, is shell text.
    Text,
    /// The argument after this option is shell text; without it the first operand is a script.
    TextAfter(&'static [&'static str]),
    /// A command stands after one of these words.
    After(&'static [&'static str]),
    /// An interpreter: its first operand is a script, unless one of these options gives the code itself.
    Script(&'static [&'static str]),
}

/// One wrapper.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wrapper {
    /// Its names.
    pub names: &'static [&'static str],
    /// Options that take the next argument as their value.
    pub valued: &'static [&'static str],
    /// Where the inner program stands.
    pub runs: Runs,
}

/// The wrapper of that name, if it is one.
pub(super) fn wrapper(name: &str) -> Option<&'static Wrapper> {
    let name = name.to_ascii_lowercase();
    WRAPPERS.iter().find(|wrapper| wrapper.names.contains(&name.as_str()))
}

const fn of(names: &'static [&'static str], valued: &'static [&'static str], runs: Runs) -> Wrapper {
    Wrapper { names, valued, runs }
}

const WRAPPERS: &[Wrapper] = &[
    of(&["env"], &["-u", "--unset", "-C", "--chdir"], Runs::Rest),
    of(
        &["sh", "bash", "dash", "zsh", "ksh", "ash", "mksh", "fish"],
        &["-o", "-O", "--rcfile"],
        Runs::TextAfter(&["-c"]),
    ),
    of(
        &["busybox", "toybox", "nohup", "setsid", "command", "builtin", "exec", "unbuffer", "winpty"],
        &["-a"],
        Runs::Rest,
    ),
    of(&["time", "gtime"], &["-f", "-o"], Runs::Rest),
    of(&["nice"], &["-n", "--adjustment"], Runs::Rest),
    of(&["ionice"], &["-c", "-n", "-p"], Runs::Rest),
    of(&["chrt", "taskset", "flock", "chroot"], &[], Runs::RestAfter(1)),
    of(&["timeout", "gtimeout"], &["-k", "-s", "--kill-after", "--signal"], Runs::RestAfter(1)),
    of(&["stdbuf"], &["-i", "-o", "-e"], Runs::Rest),
    of(&["xargs", "gxargs"], &["-n", "-I", "-P", "-L", "-d", "-a", "-E", "-s", "--arg-file", "--max-args"], Runs::Rest),
    of(&["parallel"], &["-j", "--jobs", "-a", "-I"], Runs::Rest),
    of(&["sudo"], &["-u", "-g", "-h", "-p", "-C", "-D", "-R", "-T", "--user", "--group"], Runs::Rest),
    of(&["doas"], &["-u", "-C"], Runs::Rest),
    of(&["su"], &["-s", "-g"], Runs::TextAfter(&["-c", "--command"])),
    of(&["script"], &["-T", "-B", "-I", "-O"], Runs::TextAfter(&["-c", "--command"])),
    of(&["eval"], &[], Runs::Text),
    of(&["watch"], &["-n", "--interval"], Runs::Text),
    of(&["strace", "ltrace"], &["-o", "-e", "-p", "-s", "-u"], Runs::Rest),
    of(&["gdb", "valgrind", "perf", "unshare", "nsenter", "firejail", "bwrap", "dbus-run-session"], &[], Runs::Rest),
    of(&["find", "fd"], &[], Runs::After(&["-exec", "-execdir", "-ok", "-okdir", "-x", "-X"])),
    of(&["npx", "bunx", "pnpx", "uvx", "pipx"], &["-p", "--package"], Runs::Rest),
    of(&["cmd"], &[], Runs::After(&["/c", "/C", "/k", "/K"])),
    of(&["powershell", "pwsh"], &[], Runs::TextAfter(&["-c", "-Command", "-command"])),
    of(&["source", "."], &[], Runs::Script(&[])),
    of(&["python", "python2", "python3", "pypy3"], &["-W", "-X"], Runs::Script(&["-c", "-m"])),
    of(&["perl", "ruby"], &["-I", "-r"], Runs::Script(&["-e", "-E"])),
    of(
        &["node", "nodejs", "bun", "tsx", "ts-node"],
        &["-r", "--require", "--import"],
        Runs::Script(&["-e", "-p", "--eval"]),
    ),
    of(&["php", "lua", "luajit", "rscript", "julia", "osascript", "tclsh"], &[], Runs::Script(&["-r", "-e"])),
    of(&["awk", "gawk", "mawk"], &["-v", "-F"], Runs::After(&["-f"])),
    of(&["deno"], &[], Runs::RestAfter(1)),
];

/// Tools that run what a file says which their arguments need not name, and the names that such a file has.
pub(super) const BUILD_FILES: &[(&[&str], &[&str])] = &[
    (&["make", "gmake"], &["GNUmakefile", "makefile", "Makefile"]),
    (&["npm", "pnpm", "yarn", "bun"], &["package.json"]),
    (&["just"], &["justfile", "Justfile", ".justfile"]),
    (&["task"], &["Taskfile.yml", "Taskfile.yaml"]),
    (&["rake"], &["Rakefile"]),
    (&["gradle", "gradlew"], &["build.gradle", "build.gradle.kts"]),
    (&["mvn", "mvnw"], &["pom.xml"]),
    (&["ninja"], &["build.ninja"]),
    (&["meson"], &["meson.build"]),
    (&["cmake"], &["CMakeLists.txt"]),
    (&["tox", "nox"], &["tox.ini", "noxfile.py"]),
    (&["composer"], &["composer.json"]),
    (&["docker-compose", "docker"], &["compose.yaml", "compose.yml", "docker-compose.yml", "docker-compose.yaml"]),
];

/// Variables whose value is a program (or makes one run) for whoever inherits them.
pub(super) const PROGRAM_VARIABLES: &[&str] = &[
    "PAGER",
    "GIT_PAGER",
    "MANPAGER",
    "EDITOR",
    "VISUAL",
    "GIT_EDITOR",
    "GIT_SEQUENCE_EDITOR",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "GIT_EXTERNAL_DIFF",
    "GIT_ASKPASS",
    "SSH_ASKPASS",
    "SUDO_ASKPASS",
    "BROWSER",
    "SHELL",
    "BASH_ENV",
    "ENV",
    "LD_PRELOAD",
    "DYLD_INSERT_LIBRARIES",
    "CC",
    "CXX",
    "LD",
    "AR",
    "MAKE",
    "RUSTC",
    "RUSTC_WRAPPER",
    "RUSTC_WORKSPACE_WRAPPER",
    "RUSTDOC",
    "PYTHONSTARTUP",
    "LESSOPEN",
    "LESSCLOSE",
];
