//! The files that guard the agent, by their names: as written, in another case, or as a pattern that finds them.

use super::{BINARY, CONFIG, HOOKS, PROJECT};
use crate::Rule;
use sprag_protocol::agents::AGENTS;
use sprag_shell::{Context, HOLE, glob_match, has_glob, within};

/// sprag's own folders below the home directory, when no variable says otherwise.
const OWN: [&str; 3] = [".config/sprag", ".local/state/sprag", ".local/share/sprag"];

/// The folder of the managed policy.
const POLICY_DIR: &str = "/etc/sprag";

/// The rule that keeps a path from being changed: sprag's own files, the project's `.sprag`, and the files in which
/// agents keep their hooks. `full` is absolute and normalised; links are for who can see the disk. A name counts in any
/// case, because there are disks on which it is the same file, and so does a pattern that finds it.
pub fn protected_path(full: &str, ctx: &Context) -> Option<&'static Rule> {
    let home = ctx.home.trim_end_matches('/');
    let own = below(full, home).is_some_and(|rest| OWN.iter().any(|dir| is_within(rest, dir)));
    if own || within(full, POLICY_DIR) {
        return Some(&CONFIG);
    }
    let mut parts = full.rsplit('/');
    let (name, parent) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    if is(name, ".sprag") && is_named(name) {
        return Some(&PROJECT);
    }
    if let Some(inside) = inside_project_folder(full) {
        // A case only tells what a hook answers; it decides nothing.
        let case = within(inside, "tests") || inside.ends_with(".hook.toml");
        return (!case).then_some(&PROJECT);
    }
    if is(parent, "bin") && (is(name, "sprag") || is(name, "sprag.exe")) && is_named(name) {
        return Some(&BINARY);
    }
    let known = |(dir, file): (&str, &str)| is(name, file) && is(parent, dir);
    let system = parent.eq_ignore_ascii_case("managed-settings.d");
    let named = is_named(parent) && !is_unknown(name);
    (system || named && AGENTS.iter().any(|agent| agent.settings.hook_files().any(known))).then_some(&HOOKS)
}

/// Taking the directory around a protected one away takes that away too.
pub(super) fn around(full: &str, ctx: &Context) -> Option<&'static Rule> {
    let home = ctx.home.trim_end_matches('/');
    if OWN.iter().any(|dir| within(&format!("{home}/{dir}"), full)) && full != home && full != "/" {
        return Some(&CONFIG);
    }
    is_agent_folder(full).then_some(&HOOKS).or_else(|| around_program(full, ctx))
}

/// The folder of programs of the user, in which sprag is.
pub(super) fn around_program(full: &str, ctx: &Context) -> Option<&'static Rule> {
    let inside = below(full, ctx.home.trim_end_matches('/'))?;
    matches!(inside, ".local/bin" | ".cargo/bin").then_some(&BINARY)
}

/// The folder of an agent itself, in which the file with its hooks is.
pub(super) fn is_agent_folder(full: &str) -> bool {
    let name = full.rsplit('/').next().unwrap_or_default();
    !is_unknown(name) && AGENTS.iter().any(|agent| is(name, agent.settings.folder))
}

/// The folder with an agent's hook programs: the folder itself is kept, files come and go.
pub(super) fn is_hooks_folder(full: &str) -> bool {
    full.rsplit('/').next() == Some("hooks")
}

/// A file that sets variables for whatever is started later.
pub(super) fn is_environment(full: &str) -> bool {
    const NAMES: [&str; 16] = [
        ".bashrc", ".bash_profile", ".bash_login", ".profile", ".zshrc", ".zprofile", ".zshenv", ".zlogin",
        ".kshrc", ".cshrc", ".tcshrc", "config.fish", ".envrc", ".pam_environment", ".xprofile",
        ".xsessionrc",
    ];
    let name = full.rsplit('/').next().unwrap_or_default();
    NAMES.contains(&name)
        || full == "/etc/environment"
        || full.starts_with("/etc/profile")
        || full.contains("/environment.d/")
        || full.contains("/fish/conf.d/")
}

fn inside_project_folder(full: &str) -> Option<&str> {
    const FOLDER: &str = "/.sprag/";
    let lower = full.to_ascii_lowercase();
    let at = lower.find(FOLDER)?;
    full.get(at + FOLDER.len()..)
}

fn below<'a>(full: &'a str, dir: &str) -> Option<&'a str> {
    let (head, rest) = full.split_at_checked(dir.len())?;
    rest.strip_prefix('/').filter(|_| head.eq_ignore_ascii_case(dir))
}

/// Whether `path` is `dir` or lies below it, part by part.
fn is_within(path: &str, dir: &str) -> bool {
    let mut parts = path.split('/');
    dir.split('/').all(|name| parts.next().is_some_and(|part| is(part, name) && !is_unknown(part)))
}

/// Nothing of the name is known.
fn is_unknown(part: &str) -> bool {
    part.chars().all(|c| c == HOLE)
}

/// More of it is known than a star.
fn is_named(part: &str) -> bool {
    part.contains(|c: char| c.is_ascii_alphabetic())
}

/// Whether a part of a path is this name, in any case, or a pattern that finds it.
fn is(part: &str, name: &str) -> bool {
    if part.eq_ignore_ascii_case(name) {
        return true;
    }
    if !has_glob(part) && !part.contains(HOLE) {
        return false;
    }
    // A star at the beginning does not find hidden names.
    if name.starts_with('.') && !part.starts_with(['.', HOLE]) {
        return false;
    }
    glob_match(&part.to_ascii_lowercase().replace(HOLE, "*"), &name.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(path: &str) -> Option<&'static str> {
        let ctx = Context { cwd: "/h/p".into(), home: "/h".into(), project_root: "/h/p".into() };
        protected_path(path, &ctx).map(|rule| rule.id)
    }

    #[test]
    fn names_patterns_and_case() {
        for path in [
            "/h/.claude/settings.json", "/h/.Claude/SETTINGS.json", "/h/.claude/settings.jso[n]",
            "/h/.cl*/settings.local.json", "/h/.claude/s*", "/h/.codex/hooks.json",
            "/h/.claude/settings\u{E000}",
        ] {
            assert_eq!(rule(path), Some("self-protection:agent-hooks"), "{path}");
        }
        for path in ["/h/.config/sprag/config.toml", "/h/.CONFIG/sprag", "/h/.local/state/sprag/x/y"] {
            assert_eq!(rule(path), Some("self-protection:config"), "{path}");
        }
        for path in [
            "/h/p/settings.json", "/h/p/.vscode/settings.json", "/h/.claude/commands/x.md",
            "/h/.claude/*.md", "/h/.claude/\u{E000}", "/h/\u{E000}/settings.json", "/h/*/settings.json",
            "/h/.config/spragx", "/h/p/.spragignore", "/h/p/bin/*", "/h/.claude",
            "/h/.claude/settings.json.bak", "/h/p/.sprag/tests/a", "/h/p/packages/*/dist",
            "/h/p/docs/**/*.md", "/h/p/*/requirements.toml",
        ] {
            assert_eq!(rule(path), None, "{path}");
        }
        assert_eq!(rule("/usr/local/bin/sprag"), Some("self-protection:binary"));
        assert_eq!(rule("/h/p/.Sprag/config.toml"), Some("self-protection:project-config"));
    }
}
