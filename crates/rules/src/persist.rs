//! Persistence: what runs again later, outside of the session that wrote it.

use sprag_shell::{
    Analysis, Cmd, Context, Effect, EffectKind, HOLE, PathRef, Words, WriteHow, host, is_local, within,
};

use crate::{Hit, Rule, Verdict};

macro_rules! rules {
    ($($name:ident = $id:literal, $reason:literal, $safer:literal;)*) => {
        $(static $name: Rule = Rule { id: $id, verdict: Verdict::Ask, reason: $reason, safer: $safer };)*
        /// All rules of this file.
        pub(crate) static RULES: &[&Rule] = &[$(&$name),*];
    };
}

rules! {
    STARTUP = "persistence:shell-startup", "This changes a file that runs whenever a shell or a desktop starts.", "Show the user the line, and let them add it.";
    SERVICE = "persistence:service", "This installs a service, a timer or a program that starts at login.", "Keep the unit in the project, and let the user install it.";
    SCHEDULE = "persistence:schedule", "This schedules a command that runs after the session.", "Let the user schedule it.";
    SSH = "persistence:ssh", "This changes how ssh connects, or what it runs at a login.", "Show the user the lines, and let them add them.";
    GIT_HOOK = "persistence:git-hook", "This installs code that git runs at the next commit, checkout or push.", "Keep hooks in a tracked folder (`.githooks/`), and let the user switch it on.";
    GIT_CONFIG = "persistence:git-config", "This setting makes git run a program or take another server.", "Let the user change it.";
    EDITOR = "persistence:editor-task", "An editor runs these tasks, some of them when the folder is opened.", "Show the user the task, and let them add it.";
    INTERPRETER = "persistence:interpreter", "Python runs this file whenever it starts.", "Put the code into the program that needs it.";
    INDEX = "persistence:package-index", "From now on packages would come from another server.", "Name the index for one command, or let the user change it.";
}

/// Start-up files, from the home directory.
const STARTUP_FILES: &[&str] = &[
    ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".zshrc",
    ".zprofile", ".zshenv", ".zlogin", ".zlogout", ".kshrc", ".cshrc", ".tcshrc", ".login",
    ".config/fish/config.fish", ".config/fish/conf.d", ".xprofile", ".xinitrc", ".xsession", ".xsessionrc",
    ".pam_environment", ".config/environment.d", ".config/plasma-workspace/env",
];

/// Folders of services, from the home directory.
const SERVICES: &[&str] = &[
    ".config/systemd/user", ".local/share/systemd/user", ".config/autostart", "Library/LaunchAgents",
    ".config/upstart",
];

/// Files that say where packages come from, from the home directory.
const INDEXES: &[&str] = &[
    ".npmrc", ".yarnrc", ".yarnrc.yml", ".pip/pip.conf", ".config/pip/pip.conf", ".config/pip/pip.ini",
    ".cargo/config.toml", ".cargo/config", ".config/uv/uv.toml", ".bunfig.toml", ".config/pnpm/rc",
    ".pydistutils.cfg",
];

/// The rule about a file that makes something run later; `full` is absolute and normalised. Files of the project that only
/// look like one (`dotfiles/.bashrc`) are not meant.
pub fn persistent_path(full: &str, ctx: &Context) -> Option<&'static Rule> {
    let home = ctx.home.trim_end_matches('/');
    let below = full.strip_prefix(home).and_then(|rest| rest.strip_prefix('/'));
    // The home directory of the administrator, whoever works here.
    let below = below.or_else(|| full.strip_prefix("/root/")).filter(|_| !home.is_empty());
    if let Some(rest) = below {
        let is = |list: &[&str]| list.iter().any(|entry| within(rest, entry));
        if is(STARTUP_FILES) {
            return Some(&STARTUP);
        }
        if is(SERVICES) {
            return Some(&SERVICE);
        }
        if is(INDEXES) {
            return Some(&INDEX);
        }
        if matches!(rest, ".ssh/config" | ".ssh/rc" | ".ssh/environment")
            || rest.starts_with(".ssh/config.d/")
        {
            return Some(&SSH);
        }
        if matches!(rest, ".gitconfig" | ".config/git/config") || within(rest, ".config/git/hooks") {
            return Some(&GIT_CONFIG);
        }
    }
    if let Some((_, inside)) = full.split_once("/.git/") {
        if within(inside, "hooks") && !inside.ends_with(".sample") {
            return Some(&GIT_HOOK);
        }
        if matches!(inside, "config" | "config.worktree" | "info/attributes") {
            return Some(&GIT_CONFIG);
        }
    }
    if full.ends_with("/.vscode/tasks.json") {
        return Some(&EDITOR);
    }
    python_start(full, ctx).or_else(|| system_start(full))
}

/// What Python runs at its start.
fn python_start(full: &str, ctx: &Context) -> Option<&'static Rule> {
    let packages = full.contains("/site-packages/") || full.contains("/dist-packages/");
    let name = full.rsplit('/').next().unwrap_or(full);
    let hit = packages
        && (matches!(name, "sitecustomize.py" | "usercustomize.py")
            || name.ends_with(".pth") && !within(full, ctx.project_root.trim_end_matches('/')));
    hit.then_some(&INTERPRETER)
}

/// Start-up files of the whole machine.
fn system_start(full: &str) -> Option<&'static Rule> {
    const STARTS: &[&str] = &[
        "/etc/profile", "/etc/profile.d", "/etc/bash.bashrc", "/etc/zsh", "/etc/rc.local",
        "/etc/environment", "/etc/ld.so.preload", "/etc/fish",
    ];
    const UNITS: &[&str] = &[
        "/etc/systemd", "/usr/lib/systemd", "/lib/systemd", "/etc/init.d", "/Library/LaunchDaemons",
        "/Library/LaunchAgents", "/etc/xdg/autostart",
    ];
    const CRON: &[&str] = &[
        "/etc/crontab", "/etc/cron.d", "/etc/cron.daily", "/etc/cron.hourly", "/etc/cron.weekly",
        "/etc/cron.monthly", "/var/spool/cron", "/etc/anacrontab",
    ];
    let is = |list: &[&str]| list.iter().any(|entry| within(full, entry));
    if is(STARTS) {
        Some(&STARTUP)
    } else if is(UNITS) {
        Some(&SERVICE)
    } else if is(CRON) {
        Some(&SCHEDULE)
    } else {
        None
    }
}

/// Whether a file is one of the continuous integration's, which runs it later with the repository's secrets.
pub fn is_workflow(full: &str) -> bool {
    let name = full.rsplit('/').next().unwrap_or(full);
    full.contains("/.github/workflows/")
        || full.contains("/.github/actions/")
        || full.contains("/.circleci/")
        || full.contains("/.buildkite/")
        || full.contains("/.gitea/workflows/")
        || full.contains("/.forgejo/workflows/")
        || [
            ".gitlab-ci.yml", "Jenkinsfile", ".travis.yml", "azure-pipelines.yml", "bitbucket-pipelines.yml",
            ".drone.yml", "appveyor.yml", ".woodpecker.yml",
        ]
        .contains(&name)
}

/// The path that an effect writes, when that makes a file with content.
fn written<'a>(analysis: &Analysis, effect: &'a Effect) -> Option<&'a PathRef> {
    match &effect.kind {
        EffectKind::Write(path, WriteHow::Create) => {
            let command = analysis.commands.get(effect.cmd)?;
            matches!(command.name.as_str(), "ln" | "gln" | "link").then_some(path)
        }
        EffectKind::Write(path, _)
        | EffectKind::Move { to: path, .. }
        | EffectKind::Unpack { into: path, .. } => Some(path),
        _ => None,
    }
}

pub(crate) fn check_effect(analysis: &Analysis, effect: &Effect, ctx: &Context, out: &mut Vec<Hit>) {
    let Some(path) = written(analysis, effect) else { return };
    if let Some(rule) = persistent_path(&path.full, ctx) {
        out.push(Hit { rule, cmd: effect.cmd, what: path.expanded.clone() });
    }
}

pub(crate) fn check_command(i: usize, cmd: &Cmd, words: &Words<'_>, out: &mut Vec<Hit>) {
    let rule = match cmd.name.as_str() {
        "crontab" => (!cmd.args.iter().any(|a| matches!(a.text.as_str(), "-l" | "-r" | "-e" | "-V")))
            .then_some(&SCHEDULE),
        "at" | "batch" => {
            let reads = |o: &str| matches!(o, "-l" | "-c" | "-r" | "-d" | "-V" | "-q");
            (!words.options.iter().any(|o| reads(o)) && (cmd.name == "batch" || !words.operands.is_empty()))
                .then_some(&SCHEDULE)
        }
        "systemd-run" => words.options.iter().any(|o| o.starts_with("--on-")).then_some(&SCHEDULE),
        "launchctl" => {
            matches!(words.operands.first(), Some(&("load" | "bootstrap" | "submit"))).then_some(&SERVICE)
        }
        "systemctl" => {
            let installs = matches!(words.operands.first(), Some(&("enable" | "link" | "reenable")));
            let units = || words.operands.iter().skip(1).filter(|_| installs);
            let timer = units().any(|unit| unit.ends_with(".timer")).then_some(&SCHEDULE);
            units().any(|unit| unit.contains('/')).then_some(&SERVICE).or(timer)
        }
        "schtasks" => cmd.args.iter().any(|a| a.text.eq_ignore_ascii_case("/create")).then_some(&SCHEDULE),
        "ssh-copy-id" => {
            // The user's own key goes to another machine; any other key, or this machine, opens a door.
            let key = cmd.args.iter().skip_while(|a| a.text != "-i").nth(1);
            let strange = key.is_some_and(|key| !key.text.contains("/.ssh/"));
            let here = words
                .operands
                .iter()
                .any(|o| matches!(o.rsplit('@').next(), Some("localhost" | "127.0.0.1" | "::1")));
            ((strange || here) && !words.has("-n")).then_some(&SSH)
        }
        "git" => git(cmd),
        "npm" | "pnpm" | "yarn" | "pip" | "pip3" | "bun" | "poetry" | "uv" | "gem" | "bundle" => index(words),
        _ => None,
    };
    if let Some(rule) = rule {
        out.push(Hit { rule, cmd: i, what: cmd.to_string().chars().take(120).collect() });
    }
}

/// A setting of git that makes it run a program or take another server.
fn git(cmd: &Cmd) -> Option<&'static Rule> {
    let mut words = cmd.args.iter().map(|a| a.text.as_str());
    while let Some(word) = words.next() {
        match word {
            "-c" => {
                let (key, value) = words.next().unwrap_or_default().split_once('=').unwrap_or_default();
                if key.eq_ignore_ascii_case("core.hookspath")
                    && let Some(rule) = setting(key, value)
                {
                    return Some(rule);
                }
            }
            "-C" | "--git-dir" | "--work-tree" => {
                words.next();
            }
            "config" => break,
            _ if word.starts_with('-') => {}
            _ => return None,
        }
    }
    let rest: Vec<&str> = words.collect();
    let reads = |o: &&str| {
        matches!(
            *o,
            "--get"
                | "--get-all"
                | "--get-regexp"
                | "--list"
                | "-l"
                | "--unset"
                | "--unset-all"
                | "get"
                | "list"
                | "unset"
                | "--get-urlmatch"
                | "--remove-section"
                | "-e"
                | "--edit"
                | "--show-origin"
        )
    };
    if rest.iter().any(reads) {
        return None;
    }
    let mut operands = rest.iter().filter(|o| !o.starts_with('-') && !matches!(**o, "set" | "add"));
    setting(operands.next()?, operands.next()?)
}

fn setting(key: &str, value: &str) -> Option<&'static Rule> {
    let key = key.to_ascii_lowercase();
    let value = value.trim();
    let boolean = matches!(value, "true" | "false" | "" | "0" | "1");
    let program = |v: &str| v.starts_with(['!', '/', '.', '~']) || v.contains(['|', ';', '&', '$']);
    let hit = match key.as_str() {
        "core.hookspath" => {
            return (value != "/dev/null" && !value.is_empty()).then_some(&GIT_HOOK);
        }
        "core.fsmonitor" => !boolean,
        "core.sshcommand" => {
            !matches!(value.split_whitespace().next(), Some("ssh")) || value.contains("ProxyCommand")
        }
        "init.templatedir" | "include.path" | "diff.external" | "core.attributesfile" => true,
        "gpg.program" | "gpg.ssh.program" | "core.pager" | "core.editor" | "sequence.editor" => {
            value.contains("/tmp/") || value.contains(['|', ';', '$'])
        }
        "protocol.ext.allow" => value != "never",
        "http.sslverify" => matches!(value, "false" | "0" | "no" | "off"),
        _ if key.starts_with("includeif.") => true,
        _ if key.starts_with("credential.") && key.ends_with(".helper") || key == "credential.helper" => {
            program(value) && !value.contains("git-credential-") && !value.contains("gh auth git-credential")
        }
        _ if key.starts_with("filter.")
            && matches!(key.rsplit('.').next(), Some("clean" | "smudge" | "process")) =>
        {
            !value.starts_with("git-lfs") && !value.starts_with("git lfs")
        }
        _ if key.starts_with("url.") => {
            let server = key
                .trim_start_matches("url.")
                .trim_end_matches(".pushinsteadof")
                .trim_end_matches(".insteadof");
            server_of(server) != server_of(value)
        }
        _ if key.starts_with("alias.") => {
            // A program by its path; `!git …` and `!f() { … }` are how aliases are written.
            value.strip_prefix('!').is_some_and(|code| {
                code.contains("curl") || code.trim_start().starts_with(['/', '~', '.', '$'])
            }) || value.contains("| sh")
        }
        _ => false,
    };
    hit.then_some(&GIT_CONFIG)
}

/// The host of a git address, whichever way it is written (`git@host:`, `https://host/`).
fn server_of(address: &str) -> &str {
    match host(address.trim_end_matches(['/', ':'])) {
        "gh" | "github" => "github.com",
        name => name,
    }
}

/// A setting of a package manager that names another server.
fn index(words: &Words<'_>) -> Option<&'static Rule> {
    let (key, value) = match words.operands.as_slice() {
        ["config" | "c", "set", pair, ..] if pair.contains('=') => pair.split_once('=')?,
        ["config" | "c", "set", key, value, ..] => (*key, *value),
        ["set", pair, ..] if pair.contains('=') => pair.split_once('=')?,
        ["sources", ..] if words.has("--add") || words.has("-a") => {
            ("source", words.operands.get(1).copied().unwrap_or_default())
        }
        _ => return None,
    };
    let key = key.to_ascii_lowercase();
    let names_a_server = key.ends_with("registry")
        || key.contains("index-url")
        || key.contains("registryserver")
        || key.contains("index_url")
        || key == "source"
        || key.contains("find-links")
        || key.contains("trusted-host")
        || key.starts_with("repositories.")
        || key.starts_with("mirror.");
    (names_a_server && foreign_index(value)).then_some(&INDEX)
}

/// Whether an address of packages is neither of the public registries nor on this machine.
pub(crate) fn foreign_index(address: &str) -> bool {
    const KNOWN: &[&str] = &[
        "npmjs.org", "npmjs.com", "yarnpkg.com", "pypi.org", "pythonhosted.org", "pytorch.org", "nvidia.com",
        "crates.io", "rubygems.org", "github.com", "githubusercontent.com", "gitlab.com", "bitbucket.org",
        "codeberg.org", "googleapis.com", "pkg.dev", "jsr.io", "anaconda.org", "anaconda.com", "sr.ht",
        "huggingface.co", "jfrog.io",
    ];
    let name = host(address);
    if name.is_empty() || address.contains(HOLE) {
        return false;
    }
    let own = is_local(address) && address.contains("://") || name == "localhost";
    !own && !KNOWN.iter().any(|k| name == *k || name.strip_suffix(k).is_some_and(|rest| rest.ends_with('.')))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ctx() -> Context {
        Context { cwd: "/home/dev/p".into(), home: "/home/dev".into(), project_root: "/home/dev/p".into() }
    }

    #[test]
    fn files_that_run_later() {
        for (path, id) in [
            ("/home/dev/.bashrc", "persistence:shell-startup"),
            ("/home/dev/p/.git/hooks/pre-commit", "persistence:git-hook"),
            ("/home/dev/.config/systemd/user/a.service", "persistence:service"),
            ("/home/dev/.ssh/config", "persistence:ssh"),
            ("/etc/cron.d/x", "persistence:schedule"),
            ("/home/dev/.npmrc", "persistence:package-index"),
        ] {
            assert_eq!(persistent_path(path, &ctx()).map(|rule| rule.id), Some(id), "{path}");
        }
        for path in [
            "/home/dev/p/.bashrc",
            "/home/dev/p/dotfiles/.zshrc",
            "/home/dev/p/.git/hooks/pre-commit.sample",
            "/home/dev/p/.npmrc",
            "/home/dev/p/.vscode/settings.json",
            "/home/dev/p/.github/workflows/ci.yml",
            "/home/dev/.bashrc.d.md",
        ] {
            assert_eq!(persistent_path(path, &ctx()).map(|rule| rule.id), None, "{path}");
        }
    }

    #[test]
    fn a_setting_of_git_that_runs_a_program() {
        assert!(setting("core.hooksPath", "/tmp/h").is_some());
        assert!(setting("core.hooksPath", "/dev/null").is_none());
        assert!(setting("core.fsmonitor", "true").is_none());
        assert!(setting("credential.helper", "!/tmp/x").is_some());
        assert!(setting("credential.helper", "osxkeychain").is_none());
        assert!(setting("url.git@github.com:.insteadOf", "https://github.com/").is_none());
        assert!(setting("url.https://example.net/.insteadOf", "https://github.com/").is_some());
    }
}
