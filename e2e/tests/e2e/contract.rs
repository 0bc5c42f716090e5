//! What the installed agents send today, against the payloads recorded before: each must still be the same event
//! with the same fields. `UPDATE_RECORDINGS=1` adds payloads of events that have no recording yet.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::path::Path;
use std::time::Duration;
use std::{env, fs, io};

use serde_json::{Map, Value, json};
use sprag_e2e::{World, delegating, failing};
use sprag_protocol::{AgentId, Event, EventKind, decode, dialects, recordings};
use sprag_testkit::{Agent, Block, Step, text, tool};

/// Registers a recorder on every event of the agent, by hand: sprag has no part in this.
fn listen(world: &World) {
    let folder = world.sandbox.home().join("payloads");
    fs::create_dir(&folder).unwrap();
    let script = format!("cat >\"$(mktemp {}/XXXXXXXX)\"", folder.display());
    let command = format!("sh {}", world.sandbox.write_home("record.sh", script).display());
    let entry = json!([{"hooks": [{"type": "command", "command": command, "name": "record"}]}]);
    let bare = json!([{"hooks": [{"type": "command", "command": command}]}]);
    let agent = world.agent();
    let strict = matches!(agent, Agent::Claude | Agent::Codex);
    let hooks: Map<String, Value> = dialects::of(id(agent))
        .rows
        .iter()
        // A hook on these replaces git worktree.
        .filter(|row| !matches!(row.kind, EventKind::WorktreeCreate | EventKind::WorktreeRemove))
        .map(|row| (row.native.to_owned(), if strict { bare.clone() } else { entry.clone() }))
        .collect();
    let file = match agent {
        Agent::Claude => ".claude/settings.json",
        Agent::Codex => ".codex/hooks.json",
        Agent::Gemini => ".gemini/settings.json",
        Agent::Qwen => ".qwen/settings.json",
        other => unreachable!("{other:?} is recorded elsewhere"),
    };
    let mut settings = json!({"hooks": hooks});
    if agent == Agent::Gemini {
        settings["hooksConfig"] = json!({"enabled": true});
    }
    world.sandbox.write_home(file, settings.to_string());
}

fn id(agent: Agent) -> AgentId {
    AgentId::from_name(agent.name()).unwrap()
}

/// What was recorded so far, as it came. One that is empty was cut by the agent's end.
fn texts(world: &World) -> Vec<Vec<u8>> {
    let files = fs::read_dir(world.sandbox.home().join("payloads")).unwrap();
    files.map(|file| fs::read(file.unwrap().path()).unwrap()).filter(|text| !text.is_empty()).collect()
}

/// A session with the agent's usual tools, a compaction, and whatever else a script can bring about. `None` when
/// something that it needs is not there.
fn play(world: &World) -> Option<()> {
    let agent = world.agent();
    let file = world.sandbox.write("birds.txt", "heron\n");
    let new = world.sandbox.project().join("new.txt");
    let look = |name: &str, args: Value| -> Block { tool(name, args) };
    let shell = |command: &str| agent.shell(command);
    let edit = json!({"file_path": file, "old_string": "heron", "new_string": "egret", "instruction": "x"});
    let mut edit_claude = edit.clone();
    edit_claude.as_object_mut().unwrap().remove("instruction");
    let delegate = json!({"description": "a look", "prompt": "COUNT", "subagent_type": "general-purpose",
        "run_in_background": false});
    let steps: Vec<Block> = match agent {
        Agent::Claude => vec![
            shell("echo hi"),
            shell("false"),
            shell("cd sub"),
            look("Read", json!({"file_path": file})),
            look("Edit", edit_claude),
            look("Write", json!({"file_path": new, "content": "x\n"})),
            look("Glob", json!({"pattern": "*.txt"})),
            look(
                "Grep",
                json!({"pattern": "egret", "path": world.sandbox.project(), "output_mode": "content"}),
            ),
            look("Agent", delegate),
            // The subagent's.
            shell("echo sub"),
        ],
        Agent::Codex => vec![
            shell("echo hi"),
            look("apply_patch", json!("*** Begin Patch\n*** Add File: new.txt\n+x\n*** End Patch\n")),
        ],
        Agent::Gemini => vec![
            shell("echo hi"),
            look("read_file", json!({"file_path": file})),
            look("replace", edit),
            look("write_file", json!({"file_path": new, "content": "x\n"})),
            look("glob", json!({"pattern": "*.txt"})),
            look("grep_search", json!({"pattern": "egret"})),
        ],
        Agent::Qwen => vec![
            shell("echo hi"),
            shell("false"),
            look("read_file", json!({"file_path": file})),
            look("edit", edit_claude),
            look("write_file", json!({"file_path": new, "content": "x\n"})),
            look("agent", delegate),
            shell("echo sub"),
        ],
        other => unreachable!("{other:?} is recorded elsewhere"),
    };
    world.sandbox.write("CLAUDE.md", "Herons wade.\n");
    world.sandbox.write("sub/x", "");
    let _ = world.say("look around").script(steps).step(text("two")).step(text("done")).go().ok();
    match agent {
        Agent::Claude => {
            let asking = world.say("touch").resume().asking().args(["--permission-mode", "default"]);
            let _ = asking.step(shell("touch asked")).step(text("done")).go().ok();
            let summary = text("<analysis>short</analysis><summary>BIRDS</summary>");
            let _ = world.say("/compact").resume().step(summary).go().ok();
            let screen = failing(world)?;
            let is_failure = |text: &Vec<u8>| {
                serde_json::from_slice(text).is_ok_and(|raw: Value| raw["hook_event_name"] == "StopFailure")
            };
            let failed = |_: &str| texts(world).iter().any(is_failure);
            screen.wait(failed, Duration::from_secs(60));
            screen.close();
        }
        Agent::Codex => {
            let full = Step::from(shell("echo heron")).input_tokens(400_000);
            let _ = world.say("go on").resume().step(full).step(text("seen")).aux(text("BIRDS")).go().ok();
            let _ = delegating(world.say("delegate"), "COUNT").go().ok();
        }
        Agent::Qwen => {
            let _ = world.say("/compress").resume().aux(text("BIRDS")).go();
        }
        _ => {}
    }
    Some(())
}

/// A payload, what it is, and the name a recording of it has.
struct Sent {
    raw: Map<String, Value>,
    event: Event,
    name: String,
}

fn sent(raw: Map<String, Value>, agent: AgentId) -> Sent {
    let event = decode::read(raw.clone(), dialects::of(agent));
    let native = raw.get("hook_event_name").and_then(Value::as_str).unwrap_or_default();
    let tool = event.tool.as_ref().map(|tool| format!(".{}", tool.native_name)).unwrap_or_default();
    let name = format!("{}/{native}{tool}", agent.name());
    Sent { raw, event, name }
}

/// The recordings of one agent by event and tool.
fn recorded(agent: AgentId) -> BTreeMap<String, Vec<Sent>> {
    let mut all: BTreeMap<String, Vec<Sent>> = BTreeMap::new();
    for recording in recordings::ALL {
        if recording.name.starts_with(&format!("{}/", agent.name())) {
            let recording = sent(decode::parse_object(recording.text.as_bytes()).unwrap(), agent);
            all.entry(recording.name.clone()).or_default().push(recording);
        }
    }
    all
}

/// The fields of a payload with their types, those of the tool's input and result too.
fn fields(raw: &Map<String, Value>) -> BTreeMap<String, &'static str> {
    let kind = |value: &Value| match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "text",
        Value::Array(_) => "list",
        Value::Object(_) => "object",
    };
    let mut all: BTreeMap<String, &'static str> = BTreeMap::new();
    for (key, value) in raw {
        all.insert(key.clone(), kind(value));
        if let (Value::Object(inner), "tool_input" | "tool_response") = (value, key.as_str()) {
            all.extend(inner.iter().map(|(field, value)| (format!("{key}.{field}"), kind(value))));
        }
    }
    all
}

/// What all of these have, with the types that were seen.
fn common(all: &[Sent]) -> BTreeMap<String, BTreeSet<&'static str>> {
    let mut common: BTreeMap<String, BTreeSet<&'static str>> = BTreeMap::new();
    for (field, kind) in all.iter().flat_map(|sent| fields(&sent.raw)) {
        common.entry(field).or_default().insert(kind);
    }
    common.retain(|field, _| all.iter().all(|sent| fields(&sent.raw).contains_key(field)));
    common
}

/// Fields that depend on what was done before: the agents leave them out when there is nothing to say.
const OPTIONAL: [(&str, &str); 2] = [
    ("claude/PostToolUse.Edit", "tool_response.contentNotInModelContext"),
    ("gemini/AfterTool.grep_search", "tool_input.context"),
];

/// What is different from the recordings of the same event: faults, and news.
fn compare(now: &Sent, before: &[Sent]) -> (Vec<String>, Vec<String>) {
    let mut faults = Vec::new();
    let first = &before[0].event;
    if now.event.kind != first.kind {
        faults.push(format!("is now the event {}, was {}", now.event.kind.name(), first.kind.name()));
    }
    if let (Some(tool), Some(old)) = (&now.event.tool, &first.tool)
        && (tool.kind, &tool.name, tool.paths.is_empty()) != (old.kind, &old.name, old.paths.is_empty())
    {
        faults.push(format!("is now the call {tool:?}, was {old:?}"));
    }
    let present = fields(&now.raw);
    for (field, kinds) in common(before) {
        match present.get(&field) {
            None if OPTIONAL.contains(&(&now.name, &field)) => {}
            None => faults.push(format!("has no field `{field}` any more")),
            Some(kind) if !kinds.contains(kind) && *kind != "null" && !kinds.contains("null") => {
                faults.push(format!("has `{field}` as {kind} now, it was {kinds:?}"));
            }
            Some(_) => {}
        }
    }
    let known: BTreeSet<String> = before.iter().flat_map(|sent| fields(&sent.raw).into_keys()).collect();
    // Any event may come from a subagent.
    let known = |field: &str| known.contains(field) || matches!(field, "agent_id" | "agent_type");
    let news = present.into_keys().filter(|field| !known(field)).collect();
    (faults, news)
}

fn contract(agent: Agent) {
    let Some(world) = World::new(agent) else { return };
    listen(&world);
    if play(&world).is_none() {
        return;
    }
    let title = format!("{} {}", agent.name(), world.installed.version());
    let before = recorded(id(agent));
    let mut news: BTreeSet<String> = BTreeSet::new();
    let mut faults: BTreeSet<String> = BTreeSet::new();
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for text in texts(&world) {
        let raw = match decode::parse_object(&text) {
            Ok(raw) => raw,
            Err(error) => {
                let text = String::from_utf8_lossy(&text).chars().take(200).collect::<String>();
                faults.insert(format!("{title}: {error}: {text}"));
                continue;
            }
        };
        let detected = dialects::detect(&raw, &|_| None).agent;
        let now = sent(raw, id(agent));
        if detected != id(agent) {
            faults.insert(format!("{title}: {} is taken for {}'s", now.name, detected.name()));
        }
        if now.event.native_name == "UserPromptSubmit" && now.event.kind == EventKind::Unknown {
            // Qwen Code's tool results.
            continue;
        }
        *seen.entry(now.name.clone()).or_default() += 1;
        let Some(recordings) = before.get(&now.name) else {
            news.insert(format!("{} has no recording", now.name));
            record(&world, &now);
            continue;
        };
        let (missing, new) = compare(&now, recordings);
        faults.extend(missing.into_iter().map(|fault| format!("{title}: {} {fault}", now.name)));
        news.extend(new.into_iter().map(|field| format!("{} has a new field: {field}", now.name)));
    }
    for name in expected(agent) {
        let name = format!("{}/{name}", agent.name());
        if !seen.contains_key(&name) {
            faults.insert(format!("{title}: {name} was not sent"));
        }
    }
    let total: usize = seen.values().sum();
    let mut report = format!("{title}: {total} payloads of {} kinds\n", seen.len());
    report.extend(news.iter().map(|line| format!("  {line}\n")));
    // Past the test harness, which would hide it.
    let _ = io::stderr().write_all(report.as_bytes());
    let all: Vec<String> = faults.into_iter().collect();
    assert!(all.is_empty(), "the contract changed:\n  {}", all.join("\n  "));
}

/// What the play must bring about.
fn expected(agent: Agent) -> &'static [&'static str] {
    match agent {
        Agent::Claude => &[
            "SessionStart", "InstructionsLoaded", "SessionEnd", "UserPromptSubmit", "MessageDisplay",
            "PreToolUse.Bash", "PreToolUse.Read", "PreToolUse.Edit", "PreToolUse.Write", "PreToolUse.Glob",
            "PreToolUse.Grep", "PreToolUse.Agent", "PermissionRequest.Bash", "PostToolUse.Bash",
            "PostToolUse.Read", "PostToolUse.Edit", "PostToolUse.Write", "PostToolUse.Glob",
            "PostToolUse.Grep", "PostToolUse.Agent", "PostToolUseFailure.Bash", "PostToolBatch",
            "SubagentStart", "SubagentStop", "Stop", "StopFailure", "CwdChanged", "PreCompact",
            "PostCompact",
        ],
        Agent::Codex => &[
            "SessionStart", "UserPromptSubmit", "PreToolUse.Bash", "PreToolUse.apply_patch",
            "PostToolUse.Bash", "PostToolUse.apply_patch", "PreCompact", "PostCompact", "SubagentStart",
            "SubagentStop", "Stop", "SessionEnd",
        ],
        Agent::Gemini => &[
            "SessionStart", "SessionEnd", "BeforeAgent", "AfterAgent", "BeforeModel", "AfterModel",
            "BeforeToolSelection", "BeforeTool.run_shell_command", "BeforeTool.read_file",
            "BeforeTool.replace", "BeforeTool.write_file", "BeforeTool.glob", "BeforeTool.grep_search",
            "AfterTool.run_shell_command", "AfterTool.replace", "AfterTool.write_file", "PreCompress",
        ],
        Agent::Qwen => &[
            "SessionStart",
            "UserPromptSubmit",
            "PreToolUse.run_shell_command",
            "PreToolUse.read_file",
            "PreToolUse.edit",
            "PreToolUse.write_file",
            "PreToolUse.agent",
            "PostToolUse.run_shell_command",
            "PostToolUse.edit",
            "PostToolUseFailure.run_shell_command",
            "SubagentStart",
            "SubagentStop",
            "PreCompact",
            "Stop",
        ],
        _ => &[],
    }
}

/// Keeps a payload with neutral paths, when asked to.
fn record(world: &World, now: &Sent) {
    if env::var("UPDATE_RECORDINGS").is_err() {
        return;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/protocol/recordings");
    let path = folder.join(format!("{}.json", now.name));
    let slug = |path: &str| path.replace(|c: char| !c.is_ascii_alphanumeric(), "-");
    let (project, home) =
        (world.sandbox.project().display().to_string(), world.sandbox.home().display().to_string());
    let text = serde_json::to_string_pretty(&now.raw)
        .unwrap()
        .replace(&project, "/home/dev/shop")
        .replace(&home, "/home/dev")
        .replace(&slug(&project), "-home-dev-shop");
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    if !path.exists() {
        fs::write(path, text + "\n").unwrap();
    }
}

#[test]
fn claude_sends_what_it_sent() {
    contract(Agent::Claude);
}

#[test]
fn codex_sends_what_it_sent() {
    contract(Agent::Codex);
}

#[test]
fn gemini_sends_what_it_sent() {
    contract(Agent::Gemini);
}

#[test]
fn qwen_sends_what_it_sent() {
    contract(Agent::Qwen);
}

/// The check itself: a field that is gone, one of another type and another tool are faults; a new one is news.
#[test]
fn a_changed_payload_is_named() {
    let before = recorded(AgentId::Claude).remove("claude/PreToolUse.Bash").unwrap();
    let mut raw = before[0].raw.clone();
    assert_eq!(compare(&sent(raw.clone(), AgentId::Claude), &before), (vec![], vec![]));
    raw.remove("tool_use_id");
    raw.insert("cwd".into(), json!(["/"]));
    raw.insert("weather".into(), json!("fine"));
    raw["tool_input"].as_object_mut().unwrap().remove("command");
    let (faults, news) = compare(&sent(raw.clone(), AgentId::Claude), &before);
    for part in ["no field `tool_use_id`", "no field `tool_input.command`", "`cwd` as list"] {
        assert!(faults.iter().any(|fault| fault.contains(part)), "{part}: {faults:?}");
    }
    assert_eq!((faults.len(), news), (3, vec!["weather".to_owned()]));
    raw.insert("tool_name".into(), json!("Read"));
    let (faults, _) = compare(&sent(raw, AgentId::Claude), &before);
    assert!(faults.iter().any(|fault| fault.contains("is now the call")), "{faults:?}");
}
