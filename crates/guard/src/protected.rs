//! Self-protection with a view of the disk: sprag's own files, its program and the agents' hook configuration,
//! wherever variables put them and whichever link leads to them.

use crate::links;
use sprag_base::links::real;
use sprag_protocol::agents::AGENTS;
use sprag_protocol::agents::files::{AgentEnv, Scope};
use sprag_protocol::{Access, ToolCall, ToolKind};
use sprag_rules::Rule;
use sprag_rules::protect::{BINARY, CONFIG, HOOKS, holds, protected_path};
use sprag_runtime::hook::Cx;
use sprag_shell::{Cmd, Context, PathRef, flag};
use std::path::{Path, PathBuf};

/// The rule that keeps a path (absolute, normalised) from being changed.
pub fn rule(full: &str, cx: &Cx<'_>, context: &Context) -> Option<&'static Rule> {
    if full.contains(sprag_shell::HOLE) {
        return None;
    }
    let elsewhere = links::elsewhere(full);
    named(full, cx, context)
        .or_else(|| elsewhere.as_deref().and_then(|real| named(real, cx, context)))
        .or_else(|| same_file(Path::new(full), cx))
}

/// The rule that keeps a folder from being moved away, deleted or locked: below it is the program, or a file that guards
/// the agent, wherever a variable puts it.
pub fn around(folder: &str, cx: &Cx<'_>) -> Option<&'static Rule> {
    let is_above = |file: &Path| file.to_str().is_some_and(|file| holds(folder, file));
    let exe = cx.host.exe.as_deref();
    if exe.is_some_and(is_above) || exe.and_then(real).is_some_and(|file| is_above(&file)) {
        return Some(&BINARY);
    }
    let own = &cx.host.paths;
    if [&own.config, &own.state, &own.data].into_iter().any(|dir| is_above(dir)) {
        return Some(&CONFIG);
    }
    let env = places(cx);
    let moved = AGENTS.iter().map(|agent| &agent.settings).filter(|agent| agent.moved_folder(&env).is_some());
    moved.filter_map(|agent| agent.path(Scope::User, &env).ok()).any(|file| is_above(&file)).then_some(&HOOKS)
}

/// A command that puts another folder over one above the program: `ln -sfn /tmp ~/tools`, `mount --bind`.
pub fn covered<'a>(cmd: &'a Cmd, cx: &Cx<'_>, context: &Context) -> Option<(&'static Rule, &'a str)> {
    let replaces = match cmd.name.as_str() {
        "ln" | "gln" => cmd
            .args
            .iter()
            .any(|arg| flag(arg, 'n', "no-dereference") || flag(arg, 'T', "no-target-directory")),
        "mount" | "umount" | "bindfs" | "sshfs" => true,
        _ => false,
    };
    let target = cmd.args.last().filter(|_| replaces && !cmd.inert)?;
    let dir = cmd.dir.as_deref().unwrap_or(&context.cwd);
    let full = PathRef::below(&target.text, Some(dir), context).full;
    Some((around(&full, cx)?, target.text.as_str()))
}

/// True when a tool call may change the paths that it names. What an unknown tool does is not known.
pub fn may_change(tool: &ToolCall, access: Access) -> bool {
    const READERS: [&str; 20] = [
        "read", "get", "list", "search", "find", "stat", "view", "show", "tree", "info", "grep", "glob",
        "open", "fetch", "git_add", "stage", "commit", "diff", "blame", "log",
    ];
    access != Access::Read
        || matches!(tool.kind, ToolKind::Mcp | ToolKind::Other) && {
            let name = tool.name.rsplit("__").next().unwrap_or(&tool.name).to_ascii_lowercase();
            !READERS.iter().any(|word| name.contains(word))
        }
}

/// By its name alone.
fn named(full: &str, cx: &Cx<'_>, context: &Context) -> Option<&'static Rule> {
    if let Some(rule) = protected_path(full, context) {
        return Some(rule);
    }
    let path = Path::new(full);
    let own = &cx.host.paths;
    if [&own.config, &own.state, &own.data].into_iter().any(|dir| path.starts_with(dir)) {
        return Some(&CONFIG);
    }
    if cx.host.exe.as_deref() == Some(path) {
        return Some(&BINARY);
    }
    moved(path, cx).then_some(&HOOKS)
}

/// An agent's file where a variable puts it; where it usually is, its name tells.
fn moved(path: &Path, cx: &Cx<'_>) -> bool {
    let env = places(cx);
    AGENTS.iter().map(|agent| &agent.settings).filter(|agent| agent.moved_folder(&env).is_some()).any(
        |agent| {
            agent
                .path(Scope::User, &env)
                .is_ok_and(|file| file == path || file.with_file_name("config.toml") == path)
        },
    )
}

fn places(cx: &Cx<'_>) -> AgentEnv {
    let (home, project) = (cx.host.paths.home.clone(), cx.project.root.clone());
    AgentEnv::new(Some(home), Some(project), |name| cx.host.env.get(name).map(PathBuf::from))
}

/// A file that is the very one which is protected: its other name is a hard link, or the protected name is a link to it.
#[cfg(unix)]
fn same_file(path: &Path, cx: &Cx<'_>) -> Option<&'static Rule> {
    use std::os::unix::fs::MetadataExt as _;
    let identity = |path: &Path| path.metadata().ok().map(|meta| (meta.dev(), meta.ino()));
    let this = identity(path)?;
    let is = |other: &Path| identity(other) == Some(this);
    if is(&cx.host.paths.config_file()) {
        return Some(&CONFIG);
    }
    let env = places(cx);
    let scopes = [Scope::User, Scope::Project, Scope::Local];
    let mut files = AGENTS.iter().flat_map(|agent| scopes.iter().map(move |scope| (&agent.settings, *scope)));
    files.any(|(agent, scope)| agent.path(scope, &env).is_ok_and(|file| is(&file))).then_some(&HOOKS)
}

#[cfg(not(unix))]
fn same_file(_path: &Path, _cx: &Cx<'_>) -> Option<&'static Rule> {
    None
}
