//! The files that guard the agent, by their names: as written, in another case, or as a pattern that finds them.

use super::{BINARY, CONFIG, HOOKS, PROJECT};
use crate::Rule;
use sprag_protocol::agents::AGENTS;
use sprag_protocol::agents::files::{AgentFiles, Layout};
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
    let system = parent.eq_ignore_ascii_case("managed-settings.d");
    (system || !is_unknown(name) && AGENTS.iter().any(|agent| is_hook_file(full, &agent.settings)))
        .then_some(&HOOKS)
}

/// Whether a path ends with one of the files that decide which hooks an agent runs, whole: `.copilot/hooks/sprag.json`.
fn is_hook_file(full: &str, agent: &AgentFiles) -> bool {
    let per_event = matches!(agent.layout, Layout::Block(block) if block.script_per_event);
    let inside = per_event.then(|| full.rsplit_once('/')).flatten().map(|(folder, _)| folder);
    agent
        .hook_files()
        .any(|(dir, file)| ends_with(full, dir, file) || inside.is_some_and(|at| ends_with(at, dir, file)))
}

/// Whether the last parts of a path are `dir` and below it `file`; either may have several parts.
fn ends_with(full: &str, dir: &str, file: &str) -> bool {
    let mut parts = full.rsplit('/');
    file.rsplit('/')
        .filter(|name| !name.is_empty())
        .all(|name| parts.next().is_some_and(|part| is(part, name)))
        && dir.rsplit('/').all(|name| parts.next().is_some_and(|part| is_named(part) && is(part, name)))
}

/// Whether `folder` is one of the folders above `file`; both are absolute and normalised.
pub fn holds(folder: &str, file: &str) -> bool {
    let mut above = folder.trim_end_matches('/').split('/');
    let mut parts = file.split('/');
    above.all(|part| parts.next().is_some_and(|name| is(part, name) && (part.is_empty() || is_named(part))))
        && parts.next().is_some()
}

/// Taking the directory around a protected one away takes that away too.
pub(super) fn around(full: &str, ctx: &Context) -> Option<&'static Rule> {
    let home = ctx.home.trim_end_matches('/');
    if OWN.iter().any(|dir| within(&format!("{home}/{dir}"), full)) && full != home && full != "/" {
        return Some(&CONFIG);
    }
    let above = || {
        below(full, home)
            .is_some_and(|inside| AGENTS.iter().any(|agent| holds(inside, agent.settings.folder)))
    };
    (is_agent_folder(full) || is_hook_place(full) || above())
        .then_some(&HOOKS)
        .or_else(|| around_program(full, ctx))
}

/// The folder of programs of the user, in which sprag is.
pub(super) fn around_program(full: &str, ctx: &Context) -> Option<&'static Rule> {
    let inside = below(full, ctx.home.trim_end_matches('/'))?;
    matches!(inside, ".local/bin" | ".cargo/bin").then_some(&BINARY)
}

/// The folder of an agent itself, in which the file with its hooks is.
pub(super) fn is_agent_folder(full: &str) -> bool {
    let name = full.rsplit('/').next().unwrap_or_default();
    !is_unknown(name) && AGENTS.iter().any(|agent| ends_with(full, agent.settings.folder, ""))
}

/// A folder in an agent's own that exists for its hooks: `.copilot/hooks`, `.config/opencode/plugins`.
pub(super) fn is_hook_place(full: &str) -> bool {
    AGENTS.iter().map(|agent| &agent.settings).any(|agent| {
        let per_event = matches!(agent.layout, Layout::Block(block) if block.script_per_event);
        agent.files.iter().any(|(_, file)| {
            let place = if per_event { Some(*file) } else { file.rsplit_once('/').map(|(place, _)| place) };
            place.is_some_and(|place| ends_with(full, agent.folder, place))
        })
    })
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
            "/h/.claude/settings.json",
            "/h/.Claude/SETTINGS.json",
            "/h/.claude/settings.jso[n]",
            "/h/.cl*/settings.local.json",
            "/h/.claude/s*",
            "/h/.codex/hooks.json",
            "/h/.claude/settings\u{E000}",
            "/h/.copilot/hooks/sprag.json",
            "/h/.copilot/hooks/spra*",
            "/h/.copilot/config.json",
            "/h/.cline/hooks/PreToolUse",
            "/h/.config/opencode/plugins/*.js",
            "/h/.grok/hooks/*",
            "/h/.pi/agent/extensions/sprag.js",
        ] {
            assert_eq!(rule(path), Some("self-protection:agent-hooks"), "{path}");
        }
        for path in ["/h/.config/sprag/config.toml", "/h/.CONFIG/sprag", "/h/.local/state/sprag/x/y"] {
            assert_eq!(rule(path), Some("self-protection:config"), "{path}");
        }
        for path in [
            "/h/p/settings.json",
            "/h/p/.vscode/settings.json",
            "/h/.claude/commands/x.md",
            "/h/.claude/*.md",
            "/h/.claude/\u{E000}",
            "/h/\u{E000}/settings.json",
            "/h/*/settings.json",
            "/h/.config/spragx",
            "/h/p/.spragignore",
            "/h/p/bin/*",
            "/h/.claude",
            "/h/.claude/settings.json.bak",
            "/h/p/.sprag/tests/a",
            "/h/p/packages/*/dist",
            "/h/p/docs/**/*.md",
            "/h/p/*/requirements.toml",
            "/h/p/hooks/sprag.json",
            "/h/p/plugins/*.js",
            "/h/.config/opencode/opencode.json",
            "/h/.cline/data/x",
            "/h/p/hooks/useCart.ts",
        ] {
            assert_eq!(rule(path), None, "{path}");
        }
        assert_eq!(rule("/usr/local/bin/sprag"), Some("self-protection:binary"));
        assert_eq!(rule("/h/p/.Sprag/config.toml"), Some("self-protection:project-config"));
    }

    #[test]
    fn folders_above_the_hooks_of_every_agent() {
        let ctx = Context { cwd: "/h/p".into(), home: "/h".into(), project_root: "/h/p".into() };
        for path in [
            "/h/.copilot/hooks", "/h/.config/opencode/plugins", "/h/.config/opencode", "/h/.pi",
            "/h/.pi/agent", "/h/.cline/hooks", "/h/.grok", "/h/.claude", "/h/p/.claude",
        ] {
            assert_eq!(around(path, &ctx), Some(&HOOKS), "{path}");
        }
        for path in ["/h/p/hooks", "/h/p/plugins", "/h/p/agent", "/h/p/src", "/h/.config/nvim", "/h", "/h/p"]
        {
            assert_eq!(around(path, &ctx), None, "{path}");
        }
        assert!(holds("/h/tools", "/h/tools/sprag/bin/sprag") && holds("/h/to*", "/h/tools/sprag/bin/sprag"));
        assert!(
            !holds("/h/tools/x", "/h/tools/sprag")
                && !holds("/h/tools", "/h/tools")
                && !holds("/h/*", "/h/t/s")
        );
    }
}
