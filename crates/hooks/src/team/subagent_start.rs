//! subagent-start: an agent that takes part in a pattern is told its role, and after its tool calls what the others
//! posted; whoever coordinates is told when all are done. Shared state is in the store, each change in one step.

use serde_json::Value;
use sprag_config::settings;
use sprag_coord::patterns::author::{NotYours, may_post};
use sprag_coord::patterns::kind::PatternKind;
use sprag_coord::patterns::live::{self, later, leads, member_part};
use sprag_coord::patterns::part::Part;
use sprag_coord::patterns::status::{Circuit, circuit, progress};
use sprag_coord::patterns::{clip, texts_of};
use sprag_guard::shell;
use sprag_protocol::tool::ToolKind;
use sprag_protocol::{Event, EventKind};
use sprag_runtime::hook::{
    Builtin, Bundle, Cx, Family, HookResult, HookSpec, Note, Preset, Presets, Repeat, Reply, Sees, priority,
};
use sprag_scan::scrub::scrub;
use sprag_shell::Cmd;
use sprag_store::OpKind;
use std::path::Path;

settings! {
    struct SubagentStartSettings {
        /// members are shown what others posted at most this often
        news_seconds: u64 = 5;
        /// a member that did not report for so long counts as lost
        stale_minutes: i64 = 60, min 1;
    }
}

/// The hook.
pub const HOOK: Builtin = Builtin {
    spec: HookSpec {
        name: "subagent-start",
        family: Family::Team,
        bundle: Bundle::Team,
        summary: "tells an agent its role in a pattern (swarm, jury, pipeline …), what the others posted, and the coordinator when all are done",
        sees: &[
            Sees { kind: EventKind::SubagentStart, matcher: "" },
            Sees { kind: EventKind::SessionStart, matcher: "" },
            Sees { kind: EventKind::UserPromptSubmit, matcher: "" },
            Sees { kind: EventKind::PreToolUse, matcher: "" },
            Sees { kind: EventKind::PostToolUse, matcher: "" },
            Sees { kind: EventKind::PostToolUseFailure, matcher: "" },
        ],
        presets: Presets::of(&[Preset::Swarm]),
        settings: SubagentStartSettings::SETTINGS,
        timeout_ms: 3_000,
    },
    run,
};

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    match event.kind {
        EventKind::SubagentStart => begin(event, cx),
        EventKind::SessionStart => session(event, cx),
        EventKind::PreToolUse => Ok(not_itself(event, cx).unwrap_or_else(|| isolated(event, cx))),
        EventKind::PostToolUse | EventKind::PostToolUseFailure => after(event, cx),
        EventKind::UserPromptSubmit => Ok(tell(event, cx)),
        _ => Ok(Reply::pass()),
    }
}

/// A session that the environment gives a part.
fn session(event: &Event, cx: &Cx<'_>) -> HookResult {
    match live::env_part(cx) {
        Ok(None) => Ok(Reply::pass()),
        // A person set these variables, so a person is told.
        Err(wrong) => Ok(Reply::pass().with_message(format!("sprag: no pattern: {wrong}."))),
        Ok(Some(part)) if part.leads() => {
            live::remember_lead(cx.session, &part)?;
            let sent = live::send(cx, &part, vec![OpKind::PatternJoin(live::join_of(&part, event))]);
            let reply = Reply::note(note_key(&part), priority::FACTS, texts_of(&part).unwrap_or_default());
            Ok(if sent.is_ok() { reply } else { later(reply) })
        }
        Ok(Some(part)) => take_part(event, cx, part),
    }
}

fn begin(event: &Event, cx: &Cx<'_>) -> HookResult {
    match live::new_member(event, cx) {
        Some(part) => take_part(event, cx, part),
        None => Ok(Reply::pass()),
    }
}

fn take_part(event: &Event, cx: &Cx<'_>, part: Part) -> HookResult {
    let mut changes = vec![OpKind::PatternJoin(live::join_of(&part, event))];
    if part.role == "primary" && part.given == "half_open" {
        changes.push(post(&part, "half_open", "a trial"));
    }
    let sent = live::send(cx, &part, changes);
    let Some(part) = live::seated(part, sent.as_ref().ok().and_then(Option::as_ref)) else {
        return Ok(Reply::pass());
    };
    live::keep(event, cx, &part)?;
    let mut text = texts_of(&part).unwrap_or_default();
    if let Ok(Some(view)) = &sent
        && let Some(news) = live::news_in(event, cx, &part, view)
    {
        text = format!("{text}\n{news}");
    }
    let reply = Reply::note(note_key(&part), priority::FACTS, text);
    Ok(if sent.is_ok() { reply } else { later(reply) })
}

fn note_key(part: &Part) -> String {
    format!("pattern:{}:{}", part.run, part.member)
}

fn post(part: &Part, topic: &str, text: &str) -> OpKind {
    OpKind::PatternPost {
        project: part.project.clone(),
        run: part.run.clone(),
        author: part.member.clone(),
        role: part.role.clone(),
        topic: topic.to_owned(),
        text: scrub(text).into_owned(),
    }
}

/// A post under a name that is not the agent's own is not made. Subagents share one session, so only their hooks tell them apart.
fn not_itself(event: &Event, cx: &Cx<'_>) -> Option<Reply> {
    let command = event.tool.as_ref()?.command.as_deref()?;
    if !(command.contains("pattern") && command.contains("post")) {
        return None;
    }
    let (line, _) = shell::analysis(event, cx)?;
    let posts = line.local_commands().filter(|command| command.name == "sprag" && !command.inert);
    let wrong = posts.filter_map(posted).find_map(|(run, name)| {
        may_post(member_part(event, cx).as_ref(), &run, name.as_deref()).err().map(|why| (run, why))
    });
    let (run, why) = wrong?;
    let how = match &why {
        NotYours::Seated(own) => format!("Post as yourself: `sprag pattern post {run} --as {own} \"…\"`."),
        NotYours::Another(_) | NotYours::Unknown(_) => {
            format!("Post without `--as`: `sprag pattern post {run} \"…\"`.")
        }
    };
    Some(Reply::deny(format!("The post to `{run}` was not made: {why}. {how}")))
}

/// Run and name of `sprag pattern post RUN … --as NAME`.
fn posted(command: &Cmd) -> Option<(String, Option<String>)> {
    let words: Vec<&str> = command.args.iter().map(|arg| arg.text.as_str()).collect();
    let ["pattern", "post", rest @ ..] = words.as_slice() else { return None };
    let name = rest.iter().enumerate().find_map(|(at, word)| match word.strip_prefix("--as") {
        Some("") => rest.get(at + 1).map(|name| (*name).to_owned()),
        Some(name) => name.strip_prefix('=').map(str::to_owned),
        None => None,
    });
    Some(((*rest.iter().find(|word| !word.starts_with('-'))?).to_owned(), name))
}

/// A juror in strict isolation reads nothing that other jurors left: their transcripts, sprag's own state.
fn isolated(event: &Event, cx: &Cx<'_>) -> Reply {
    let Some(part) =
        member_part(event, cx).filter(|part| part.conf.strict && part.kind() == Some(PatternKind::Jury))
    else {
        return Reply::pass();
    };
    let Some(tool) = &event.tool else { return Reply::pass() };
    let state = cx.host.paths.state.display().to_string();
    let closed =
        |text: &str| text.contains("/subagents/") || text.contains(&state) || text.contains("sprag pattern");
    let talks = matches!(tool.name.as_str(), "SendMessage" | "Agent" | "Task");
    let input = event.tool_input().map(Value::to_string).unwrap_or_default();
    if !talks && !closed(&input) {
        return Reply::pass();
    }
    Reply::deny(format!(
        "Jurors of `{}` judge alone: what other jurors wrote, and talking to them, is closed until all have voted.",
        part.run
    ))
}

/// After a tool call: what the member made counts, and it is shown what the others posted.
fn after(event: &Event, cx: &Cx<'_>) -> HookResult {
    let settings: SubagentStartSettings = cx.settings.read();
    let Some(part) = member_part(event, cx) else {
        // Only the return of a subagent can complete a run of this session.
        let of_agent = event.tool.as_ref().is_some_and(|tool| tool.kind == ToolKind::Agent);
        return Ok(if of_agent { tell(event, cx) } else { Reply::pass() });
    };
    let Some(kind) = part.kind() else { return Ok(Reply::pass()) };
    let mut reply = Reply::pass();
    if let Some(made) = written(event)
        && let Some(change) = made_by(kind, &part, event, &made, &mut reply)
        && live::send(cx, &part, vec![change]).is_err()
    {
        reply = later(reply);
    }
    if kind == PatternKind::CircuitBreaker && part.role == "primary" {
        return breaker(event, cx, &part);
    }
    let every = settings.news_seconds;
    if let Some(news) = live::news_now(event, cx, &part, every) {
        let note =
            Note { key: note_key(&part), priority: priority::FACTS, text: news, repeat: Repeat::Always };
        reply.notes.push(note);
    }
    Ok(reply)
}

/// A file that was written whole: its path and its text.
fn written(event: &Event) -> Option<(String, String)> {
    let input = event
        .tool_input()
        .filter(|_| event.tool.as_ref().is_some_and(|tool| tool.kind == ToolKind::Write))?;
    let text = |key: &str| input.get(key).and_then(Value::as_str).map(str::to_owned);
    Some((text("file_path")?, text("content")?))
}

/// What a written file is in the pattern.
fn made_by(
    kind: PatternKind,
    part: &Part,
    event: &Event,
    made: &(String, String),
    reply: &mut Reply,
) -> Option<OpKind> {
    let (path, text) = made;
    match kind {
        // It is kept from now on, whatever the last message says or leaves out.
        PatternKind::MapReduce | PatternKind::Adversarial => Some(OpKind::PatternDone {
            join: live::join_of(part, event),
            state: "running".to_owned(),
            vote: String::new(),
            output: scrub(&clip(text)).into_owned(),
            topic: String::new(),
        }),
        PatternKind::Blackboard => {
            let path = Path::new(path);
            let on_board =
                path.parent().and_then(Path::file_name).is_some_and(|folder| folder == "blackboard");
            let key = path.file_stem().filter(|_| on_board)?.to_string_lossy().into_owned();
            if !part.writes.is_empty() && !part.writes.contains(&key) {
                let own = part.writes.join(", ");
                let text =
                    format!("The key `{key}` of the blackboard is not yours ({own}): it was not taken.");
                *reply = Reply::warn("pattern-key", text);
                return None;
            }
            Some(post(part, &key, &clip(text)))
        }
        _ => None,
    }
}

/// Counts what fails, and says when the circuit opens.
fn breaker(event: &Event, cx: &Cx<'_>, part: &Part) -> HookResult {
    let file = live::failures_file(event);
    let failed = failed(event);
    // A success is news only after a failure: most calls need no store.
    if !failed && !cx.session.has(&file) && part.given != "half_open" {
        return Ok(Reply::pass());
    }
    let (topic, text) = if failed { ("failure", what_failed(event)) } else { ("success", String::new()) };
    let sent = live::send(cx, part, vec![post(part, topic, &text)]);
    if failed {
        cx.session.append(&file, "f")?;
    } else {
        cx.session.remove(&file)?;
    }
    let Ok(Some(view)) = sent else { return Ok(later(Reply::pass())) };
    if failed && circuit(&view.posts, "", part.conf.failures) == Circuit::Open {
        let text = format!(
            "The circuit of `{}` is open after this failure. Stop here and report what failed; a fallback takes over.",
            part.run
        );
        return Ok(Reply::warn("pattern-circuit", text));
    }
    Ok(Reply::pass())
}

fn failed(event: &Event) -> bool {
    if event.kind == EventKind::PostToolUseFailure {
        return true;
    }
    let field = |key: &str| event.tool_response().and_then(|response| response.get(key));
    let code = ["exit_code", "exitCode", "code"].iter().find_map(|key| field(key).and_then(Value::as_i64));
    code.is_some_and(|code| code != 0)
        || ["is_error", "isError"].iter().any(|key| field(key).and_then(Value::as_bool) == Some(true))
        || field("error").is_some_and(|error| !error.is_null() && error.as_str() != Some(""))
}

fn what_failed(event: &Event) -> String {
    let tool = event.tool.as_ref().map(|tool| tool.name.as_str()).unwrap_or_default();
    let error: String = event.text("error").unwrap_or_default().chars().take(200).collect();
    format!("{tool} {error}").trim().to_owned()
}

/// Tells whoever coordinates what its runs have come to: the end once, what comes next as often as it changes.
fn tell(event: &Event, cx: &Cx<'_>) -> Reply {
    let settings: SubagentStartSettings = cx.settings.read();
    let mut reply = Reply::pass();
    for part in leads(event, cx) {
        let Some((view, status)) = live::look(cx, &part, settings.stale_minutes) else { continue };
        if !status.complete {
            if status.next.is_some() {
                let key = format!("pattern-next:{}", part.run);
                reply = reply.with_note(key, priority::FACTS, progress(&view, &status));
            }
            continue;
        }
        if live::may_tell(cx, &part) {
            reply = reply.with_note(
                format!("pattern-end:{}", part.run),
                priority::WARNING,
                status.result.join("\n"),
            );
        }
        let _ = live::close(cx, &part.run);
    }
    reply
}
