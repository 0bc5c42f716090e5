//! strict-rules: what the preset `strict` adds to the guards. Code that the session wrote is asked about when it runs, and so is
//! every change of the continuous integration; programs and hidden folders of the home directory are not changed; tools of servers
//! and inline programs talk only to hosts that are named.

use serde_json::Value;
use sprag_config::settings;
use sprag_guard::scripts;
use sprag_guard::session_record::SessionRecord;
use sprag_guard::shell;
use sprag_protocol::{Access, Event, EventKind, ToolCall, ToolKind};
use sprag_rules::{GuardConfig, is_workflow, persistent_path};
use sprag_runtime::hook::{Builtin, Bundle, Cx, Family, HookResult, HookSpec, Preset, Presets, Reply, Sees};
use sprag_shell::{Analysis, Cmd, Context, EffectKind, HOLE, WriteHow};

settings! {
    struct StrictRulesSettings<'a> {
        /// ask before a script runs that this session wrote
        written_code: bool = true, tighten ToTrue;
        /// ask before a change of the continuous integration
        workflows: bool = true, tighten ToTrue;
        /// deny changes of programs and hidden folders in the home directory, outside of the project
        home: bool = true, tighten ToTrue;
        /// hosts that tools of MCP servers and inline programs may talk to; `*` is all
        hosts: Texts = ["localhost", "github.com", "githubusercontent.com", "npmjs.org", "pypi.org", "crates.io", "docs.rs"];
    }
}

/// The hook.
pub const HOOK: Builtin = Builtin {
    spec: HookSpec {
        name: "strict-rules",
        family: Family::Guard,
        bundle: Bundle::Guards,
        summary: "asks before code runs that the session wrote and before changes of the continuous integration, keeps the home directory, names the hosts that tools of servers may talk to",
        sees: &[Sees { kind: EventKind::PreToolUse, matcher: "" }],
        presets: Presets::of(&[Preset::Strict]),
        settings: StrictRulesSettings::SETTINGS,
        timeout_ms: 1_000,
    },
    run,
};

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    let Some(tool) = &event.tool else { return Ok(Reply::pass()) };
    let settings: StrictRulesSettings<'_> = cx.settings.read();
    let reply = match tool.kind {
        ToolKind::Shell => in_command(event, cx, &settings),
        ToolKind::Write | ToolKind::Edit | ToolKind::Patch => in_paths(tool, event, cx, &settings),
        ToolKind::Mcp => in_paths(tool, event, cx, &settings).or_else(|| to_a_host(tool, event, &settings)),
        _ => None,
    };
    Ok(reply.unwrap_or_else(Reply::pass))
}

fn in_command(event: &Event, cx: &Cx<'_>, settings: &StrictRulesSettings<'_>) -> Option<Reply> {
    let (analysis, context) = shell::analysis(event, cx)?;
    let home = analysis.effects.iter().find_map(|effect| match &effect.kind {
        EffectKind::Write(path, how) if *how != WriteHow::Create => {
            (settings.home && is_of_home(&path.full, &context)).then_some(path)
        }
        _ => None,
    });
    if let Some(path) = home {
        return Some(of_home(&path.written));
    }
    if let Some(reply) = inline_request(&analysis, settings) {
        return Some(reply);
    }
    if let Some(cmd) = analysis.commands.iter().find(|cmd| builds_with_secrets(cmd)) {
        return Some(
            Reply::ask("This build gets secrets or the ssh agent of the user.")
                .rule("containers:build-secrets")
                .instead("Show the user the Dockerfile.")
                .about(cmd.to_string()),
        );
    }
    if settings.written_code {
        let record = SessionRecord::of(event, cx);
        let scripts = if record.is_empty() { Vec::new() } else { scripts::run_by(&analysis, &context) };
        if let Some(script) = scripts.iter().find(|script| record.wrote(&script.path)) {
            let found = script.stopped(&context, &GuardConfig::default());
            let found = found
                .map(|found| format!(" Its content would be stopped by {} ({}).", found.rule, found.what));
            let reason =
                format!("This runs {}, which this session wrote.{}", script.path, found.unwrap_or_default());
            return Some(
                Reply::ask(reason)
                    .rule("remote-execution:session-written")
                    .instead("Show the user the script.")
                    .about(script.path.as_str()),
            );
        }
    }
    let changed = analysis.effects.iter().find_map(|effect| match &effect.kind {
        EffectKind::Write(path, how) if *how != WriteHow::Create && is_workflow(&path.full) => Some(path),
        _ => None,
    })?;
    settings.workflows.then(|| workflow(&changed.written))
}

fn in_paths(
    tool: &ToolCall,
    event: &Event,
    cx: &Cx<'_>,
    settings: &StrictRulesSettings<'_>,
) -> Option<Reply> {
    let context = shell::context(event, cx);
    let changed = tool.paths.iter().filter(|used| used.access != Access::Read || tool.kind == ToolKind::Mcp);
    for used in changed {
        let full = shell::full(&used.path, &context);
        let writes = used.access != Access::Read || sprag_guard::protected::may_change(tool, used.access);
        if writes && settings.home && is_of_home(&full, &context) {
            return Some(of_home(&used.path));
        }
        if let Some(rule) = persistent_path(&full, &context).filter(|_| writes) {
            return Some(Reply::ask(rule.reason).rule(rule.id).instead(rule.safer).about(used.path.as_str()));
        }
        if writes && settings.workflows && is_workflow(&full) {
            return Some(workflow(&used.path));
        }
    }
    None
}

/// A program of the home directory, or a file of one of its hidden folders, that is none of the project's, of a cache or of an
/// agent's own notes.
fn is_of_home(full: &str, context: &Context) -> bool {
    const FREE: [&str; 16] = [
        ".cache", ".claude", ".codex", ".gemini", ".qwen", ".npm", ".cargo/registry", ".cargo/git",
        ".rustup", ".gradle", ".m2", ".pnpm-store", ".bun", ".local/share", ".local/state", ".config/sprag",
    ];
    let below =
        |dir: &str| full.strip_prefix(dir.trim_end_matches('/')).and_then(|rest| rest.strip_prefix('/'));
    if below(&context.project_root).is_some() || full.contains(HOLE) {
        return false;
    }
    let Some(rest) = below(&context.home) else { return false };
    let inside = |dir: &str| rest == dir || rest.strip_prefix(dir).is_some_and(|rest| rest.starts_with('/'));
    (rest.starts_with('.') || rest.starts_with("bin/")) && !FREE.iter().any(|dir| inside(dir))
}

fn of_home(path: &str) -> Reply {
    Reply::deny(format!(
        "This changes {path}: a program or a hidden folder of the home directory, outside of the project."
    ))
    .rule("persistence:home")
    .instead("Let the user change it, or switch this off with `[hook.strict-rules] home = false`.")
    .about(path)
}

/// An inline program that talks to a host which is not named.
fn inline_request(analysis: &Analysis, settings: &StrictRulesSettings<'_>) -> Option<Reply> {
    let inline = |cmd: usize| {
        analysis.commands.get(cmd).is_some_and(|cmd| {
            ["python", "node", "perl", "ruby", "php", "deno", "bun"]
                .iter()
                .any(|name| cmd.name.starts_with(name))
        })
    };
    let to = analysis.effects.iter().find_map(|effect| match &effect.kind {
        EffectKind::Fetch { from: to } | EffectKind::Send { to, .. } if inline(effect.cmd) => {
            (to.contains("://") && !is_named(to, settings)).then_some(to)
        }
        _ => None,
    })?;
    Some(unknown_host(to))
}

/// `docker build --ssh`, `--secret`: what the build sees besides the project.
fn builds_with_secrets(cmd: &Cmd) -> bool {
    let words = || cmd.args.iter().map(|arg| arg.text.as_str());
    matches!(cmd.name.as_str(), "docker" | "podman" | "nerdctl" | "buildah")
        && words().any(|word| matches!(word, "build" | "buildx" | "bud"))
        && words().any(|word| word.starts_with("--ssh") || word.starts_with("--secret"))
}

fn workflow(path: &str) -> Reply {
    Reply::ask(format!("This changes {path}, which runs later with the repository's secrets."))
        .rule("persistence:workflow")
        .instead("Show the user the change.")
        .about(path)
}

/// A tool of a server that sends something to a host which is not named. Opening a page is left to the agent's own prompt.
fn to_a_host(tool: &ToolCall, event: &Event, settings: &StrictRulesSettings<'_>) -> Option<Reply> {
    let name = tool.name.to_ascii_lowercase();
    if name.contains("navigate")
        || name.contains("open_page")
        || settings.hosts.iter().any(|host| host == "*")
    {
        return None;
    }
    let url = address(event.tool_input()?, 0)?;
    (!is_named(url, settings)).then(|| unknown_host(url))
}

fn host(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let host = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    host.rsplit('@').next().unwrap_or(host).split(':').next().unwrap_or(host)
}

fn is_named(url: &str, settings: &StrictRulesSettings<'_>) -> bool {
    let host = host(url);
    let is = |own: &str| {
        own == "*" || host == own || host.strip_suffix(own).is_some_and(|rest| rest.ends_with('.'))
    };
    host == "127.0.0.1" || settings.hosts.iter().any(is)
}

fn unknown_host(url: &str) -> Reply {
    Reply::deny(format!("This talks to {}, which is none of the hosts that are named.", host(url)))
        .rule("exfiltration:unknown-host")
        .instead("Name the host in `[hook.strict-rules] hosts`, or let the user make the call.")
        .about(url)
}

/// The first address of the network among the values.
fn address(value: &Value, depth: usize) -> Option<&str> {
    const DEPTH: usize = 6;
    match value {
        Value::String(text) => (text.starts_with("http://") || text.starts_with("https://")).then_some(text),
        Value::Array(items) if depth < DEPTH => items.iter().find_map(|item| address(item, depth + 1)),
        Value::Object(object) if depth < DEPTH => object.values().find_map(|item| address(item, depth + 1)),
        _ => None,
    }
}
