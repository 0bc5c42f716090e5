//! The hooks in the agents' own settings.

use crate::{AdoptFindings, OwnHook};
use serde_json::Value;
use sprag_config::host::Host;
use sprag_config::plan;
use sprag_deploy::{AgentFiles, ImportedHook, Scope, agent_env};
use sprag_project::Project;
use sprag_protocol::agents::files::TimeUnit;
use sprag_protocol::kind::Subject;
use sprag_protocol::{AgentId, EventKind, dialects};
use std::time::Duration;

pub(crate) fn find(host: &Host, project: &Project, found: &mut AdoptFindings) {
    let known = sprag_deploy::imported(&host.paths);
    for agent in AgentId::ALL {
        let files = &agent.spec().settings;
        for (scope, _) in files.files {
            let Ok(path) = files.path(*scope, &agent_env(host, project, *scope)) else { continue };
            let Ok(text) = sprag_base::files::read_text(&path, sprag_base::files::STATE) else { continue };
            let shown = host.paths.tilde(&path);
            let foreign = match sprag_deploy::foreign(files, host.exe.as_deref(), &text) {
                Ok(foreign) => foreign,
                Err(error) => {
                    found.left.push(format!("{shown}:{error}; {}", error.hint));
                    continue;
                }
            };
            if *scope != Scope::User {
                let own = files
                    .path(Scope::User, &agent_env(host, project, Scope::User))
                    .is_ok_and(|user| user == path);
                if !foreign.is_empty() && !own {
                    found
                        .left
                        .push(format!("{} hooks in {shown}: they belong to the project", foreign.len()));
                }
                continue;
            }
            for (event, matcher, handler) in foreign {
                let native = native(agent, files, &event, matcher.clone(), &handler);
                let what =
                    handler.get("command").and_then(Value::as_str).unwrap_or("a hook without a command");
                let place = format!(
                    "{event}{} in {shown}",
                    matcher.iter().map(|m| format!(" ({m})")).collect::<String>()
                );
                let earlier = known.iter().find(|hook| {
                    (&hook.file, &hook.event, &hook.matcher, &hook.handler)
                        == (&path, &event, &matcher, &handler)
                });
                let name = match (earlier, native) {
                    (Some(earlier), _) => earlier.hook.clone(),
                    (None, Ok((kind, hook))) => found.hook(host, hook, Some(agent), kind),
                    (None, Err(why)) => {
                        found.left.push(format!("`{what}` on {place}: {why}"));
                        continue;
                    }
                };
                found.taken.push(format!("`{what}` on {place}: own hook {name}"));
                if !found.agents.contains(&agent) {
                    found.agents.push(agent);
                }
                if earlier.is_none() {
                    let file = path.clone();
                    found.imported.push(ImportedHook { agent, file, event, matcher, handler, hook: name });
                }
            }
        }
        toml_hooks(host, files, project, found);
    }
}

/// Hooks in an agent's TOML file, which sprag only reads.
fn toml_hooks(host: &Host, files: &'static AgentFiles, project: &Project, found: &mut AdoptFindings) {
    let Ok(path) = files.path(Scope::User, &agent_env(host, project, Scope::User)) else { return };
    let (Some(file), Some(toml)) = (files.toml_path(&path), files.toml_file) else { return };
    let Ok(text) = sprag_base::files::read_text(&file, sprag_base::files::STATE) else { return };
    if sprag_deploy::toml_hooks(&text, toml, |_| false).is_ok_and(|hooks| hooks.foreign) {
        found.left.push(format!("hooks in {}: sprag does not change that file", host.paths.tilde(&file)));
    }
}

/// A hook of an agent as an own hook, or why it cannot be one.
fn native(
    agent: AgentId,
    files: &AgentFiles,
    event: &str,
    matcher: Option<String>,
    handler: &Value,
) -> Result<(EventKind, OwnHook), String> {
    let dialect = dialects::of(agent);
    let kind = dialect.kind_of(event);
    if kind == EventKind::Unknown {
        return Err("sprag does not know the event".to_owned());
    }
    // An own hook is given Claude Code's payload and names; one that was written for others would not understand.
    let tools = &agent.spec().tools;
    let canonical = |kind: EventKind| dialect.row(kind).is_some_and(|row| row.native == kind.name());
    let foreign_tools = kind.has_tool()
        && (!(tools.matcher.names)(Subject::Tool, &["Bash".to_owned()])
            || tools
                .aliases
                .iter()
                .any(|(name, _)| matcher.as_ref().is_some_and(|matcher| matcher.contains(name))));
    if !canonical(kind) || !canonical(EventKind::PreToolUse) || foreign_tools {
        return Err(format!(
            "it is written for the payload of {}; it stays there and runs beside sprag",
            agent.title()
        ));
    }
    let text = |key: &str| handler.get(key).and_then(Value::as_str);
    let flag = |key: &str| handler.get(key).and_then(Value::as_bool) == Some(true);
    match text("type") {
        None | Some("command") => {}
        Some(other) => return Err(format!("its type is {other}")),
    }
    if handler.get("if").is_some() {
        return Err("sprag has no `if`".to_owned());
    }
    if flag("asyncRewake") || text("shell").is_some_and(|shell| shell != "bash") {
        return Err("sprag cannot start it that way".to_owned());
    }
    let line = text("command").ok_or("it has no command")?;
    let args = handler.get("args").and_then(Value::as_array);
    let command = match args {
        Some(args) => {
            let args = args.iter().filter_map(Value::as_str).map(str::to_owned);
            std::iter::once(line.to_owned()).chain(args).collect()
        }
        None => argv(line),
    };
    // What the end of a session starts has a second there; in the background it has its own time.
    let background = flag("async") || kind == EventKind::SessionEnd;
    let most = u32::try_from(plan::LONGEST_CHAIN.as_millis()).unwrap_or(u32::MAX);
    let timeout = handler.get("timeout").and_then(Value::as_u64).map(|time| match files.unit {
        TimeUnit::Seconds => Duration::from_secs(time),
        TimeUnit::Millis => Duration::from_millis(time),
    });
    if timeout.is_some_and(|time| time > plan::LONGEST_CHAIN) && !background {
        let seconds = plan::LONGEST_CHAIN.as_secs();
        return Err(format!(
            "it may take longer than the {seconds} s that sprag has for an event; it stays where it is"
        ));
    }
    let timeout_ms = timeout.and_then(|time| u32::try_from(time.as_millis()).ok()).unwrap_or(most);
    let env = handler.get("env").and_then(Value::as_object).into_iter().flatten();
    let hook = OwnHook {
        name: name(line),
        command,
        matcher: matcher.filter(|matcher| !matches!(matcher.as_str(), "" | "*")),
        timeout_ms: Some(timeout_ms),
        background,
        gate: files.gate.is_some_and(|gate| text(gate.key) == Some(gate.value)),
        env: env.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned()))).collect(),
    };
    Ok((kind, hook))
}

/// A shell line as a command; without a shell where it needs none.
pub(crate) fn argv(line: &str) -> Vec<String> {
    let plain = !line.contains(['$', '~', '*', '?', '[', '{', '\n']);
    match sprag_shell::simple_words(line).filter(|_| plain) {
        Some(words) if words.first().is_some_and(|word| !word.contains('=')) => words,
        _ => vec!["sh".to_owned(), "-c".to_owned(), line.to_owned()],
    }
}

/// A name for a command: that of its script or program.
pub(crate) fn name(line: &str) -> String {
    const STARTERS: [&str; 14] = [
        "sh", "bash", "zsh", "python", "python3", "node", "bun", "deno", "uv", "uvx", "npx", "bunx", "run",
        "env",
    ];
    let bare = line.replace(['"', '\''], "");
    let words = bare.split([' ', '\t', '\n', ';', '|', '&', '(', ')']);
    let base = words
        .filter(|word| !word.is_empty() && !word.starts_with('-') && !word.contains('='))
        .map(|word| word.rsplit(['/', '\\']).next().unwrap_or(word))
        .find(|word| !STARTERS.contains(word))
        .unwrap_or("imported");
    let stem = base.rsplit_once('.').map_or(base, |(stem, _)| stem);
    let safe: String = stem
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || c == '_' { c.to_ascii_lowercase() } else { '-' })
        .take(40)
        .collect();
    let safe = safe.trim_matches('-');
    if safe.is_empty() { "imported".to_owned() } else { safe.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn taken(agent: AgentId, event: &str, handler: Value) -> Result<(EventKind, OwnHook), String> {
        native(agent, &agent.spec().settings, event, Some("Bash".to_owned()), &handler)
    }

    #[test]
    fn names_come_from_scripts() {
        for (line, wanted) in [
            ("python3 ~/.claude/hooks/Lint Check.py", "lint"),
            ("\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/no_wip.sh --x", "no_wip"),
            ("FOO=1 npx prettier --write", "prettier"),
            ("uv run guard.py", "guard"),
            ("", "imported"),
            ("../..", "imported"),
        ] {
            assert_eq!(name(line), wanted, "{line}");
        }
    }

    #[test]
    fn a_shell_is_kept_where_the_line_needs_one() {
        assert_eq!(argv("/opt/guard --fast 'a b'"), ["/opt/guard", "--fast", "a b"]);
        for line in ["~/x.sh", "a | b", "X=1 a", "$HOME/x", "ls *.rs"] {
            assert_eq!(argv(line), ["sh", "-c", line]);
        }
    }

    #[test]
    fn matcher_timeout_gate_and_background_are_kept() {
        let (kind, hook) = taken(
            AgentId::Claude,
            "PreToolUse",
            json!({"type": "command", "command": "guard", "timeout": 5, "onFailure": "block"}),
        )
        .unwrap();
        assert_eq!((kind, hook.timeout_ms, hook.gate), (EventKind::PreToolUse, Some(5_000), true));
        assert_eq!(hook.matcher.as_deref(), Some("Bash"));
        let (_, hook) =
            taken(AgentId::Qwen, "Stop", json!({"command": "x", "timeout": 1500, "async": true})).unwrap();
        assert_eq!((hook.timeout_ms, hook.background), (Some(1_500), true));
        let (_, hook) =
            taken(AgentId::Claude, "SessionEnd", json!({"command": "x", "timeout": 300})).unwrap();
        assert_eq!((hook.timeout_ms, hook.background), (Some(300_000), true));
    }

    #[test]
    fn what_cannot_run_here_stays_where_it_is() {
        for (agent, event, handler) in [
            (AgentId::Claude, "Stop", json!({"type": "prompt", "prompt": "?"})),
            (AgentId::Claude, "PreToolUse", json!({"command": "x", "if": "Bash(git *)"})),
            (AgentId::Claude, "Stop", json!({"command": "x", "timeout": 300})),
            (AgentId::Claude, "Tomorrow", json!({"command": "x"})),
            (AgentId::Gemini, "BeforeTool", json!({"command": "x"})),
            (AgentId::Gemini, "SessionStart", json!({"command": "x"})),
            (AgentId::Qwen, "PreToolUse", json!({"command": "x"})),
        ] {
            assert!(taken(agent, event, handler.clone()).is_err(), "{event} {handler}");
        }
    }
}
