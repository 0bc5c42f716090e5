//! What the demo prints: event by event, which hooks ran, what they decided, what was injected, how long it took.

use super::scene::{Scene, WrittenFile};
use super::{Played, PlayedPart};
use serde_json::{Value, json};
use sprag_runtime::journal::Run;
use sprag_runtime::queue::Done;
use sprag_terminal::when;
use sprag_terminal::{Out, Tone};
use std::path::Path;

/// Lines of an injected text that are shown.
const LINES: usize = 8;

pub(super) fn opening(out: &Out) {
    out.heading("sprag demo: one session, event by event");
    out.line(&out.paint(
        Tone::Dim,
        "Recorded payloads of real agents, the real chain, a scratch home (~ below). No agent, no key, no network.",
    ));
}

pub(super) fn part(scene: &Scene, part: &PlayedPart, out: &Out) {
    out.line("");
    out.heading(part.part.title);
    if part.part.circle {
        circle(scene, part, out);
        return;
    }
    for played in &part.steps {
        event(scene, played, part.part.raw, out);
    }
}

/// What an event was about: the tool and the command or file, the prompt.
fn about(scene: &Scene, played: &Played) -> String {
    let payload: Value = serde_json::from_str(&scene.payload(&played.step, 1)).unwrap_or_default();
    let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
    let input = payload.get("tool_input");
    let what = ["command", "file_path", "prompt"]
        .iter()
        .find_map(|key| text(input.and_then(|input| input.get(*key))))
        .or_else(|| text(payload.get("prompt")))
        .or_else(|| text(payload.get("source")))
        .or_else(|| text(payload.get("agent_type")))
        .or_else(|| text(payload.get("reason")))
        .unwrap_or_default();
    let tool = played.answer.entry.tool.clone().unwrap_or_default();
    scene.plain(format!("{tool} {}", what.replace('\n', " ⏎ ")).trim())
}

fn event(scene: &Scene, played: &Played, raw: bool, out: &Out) {
    let entry = &played.answer.entry;
    let verdict = &played.answer.verdict;
    let agent = if raw { format!("{} ", entry.agent) } else { String::new() };
    let about = about(scene, played);
    let mut words = vec![out.paint(Tone::Strong, &format!("{agent}{}", entry.event))];
    words.extend(
        [about, when::micros(entry.us)].iter().filter(|w| !w.is_empty()).map(|w| out.paint(Tone::Dim, w)),
    );
    out.line(&format!("  {}", words.join("  ")));
    if entry.runs.is_empty() {
        out.line(&out.paint(Tone::Dim, "    no hook is in this chain"));
    }
    for run in &entry.runs {
        out.line(&format!("    {}", ran(run, out)));
    }
    if let Some(error) = &entry.error {
        out.line(&format!("    {} {}", out.paint(Tone::Bad, "error:"), scene.plain(error)));
    }
    if raw {
        let answer = played.answer.stdout.as_deref().unwrap_or("(silence)");
        out.line(&format!("    answer: {}", scene.plain(answer)));
        return;
    }
    let say = |label: &str, tone: Tone, text: &Option<String>| {
        if let Some(text) = text {
            block(label, tone, &scene.plain(text), out);
        }
    };
    say("reason to the model:", Tone::Bad, &verdict.reason);
    say("added for the model:", Tone::Warn, &verdict.context);
    say("shown to the user:", Tone::Good, &verdict.message);
    say("stops the agent:", Tone::Bad, &verdict.stop);
    if let Some(input) = &verdict.rewrite {
        block("rewritten input:", Tone::Warn, &scene.plain(&input.to_string()), out);
    }
}

/// One hook in one line.
fn ran(run: &Run, out: &Out) -> String {
    let said = match (&run.skip, &run.error, run.verdict.as_str()) {
        (_, Some(error), _) => out.paint(Tone::Bad, &format!("failed: {error}")),
        (Some(skip), _, _) => out.paint(Tone::Dim, &format!("skipped: {skip}")),
        (_, _, verdict) => out.paint(Tone::of_verdict(verdict), verdict),
    };
    let chars = if run.chars > 0 { format!("  +{} characters", run.chars) } else { String::new() };
    let time = out.paint(Tone::Dim, &format!("{:>8}", when::micros(run.us)));
    format!("{:<24}{time}  {said}{chars}", run.hook)
}

fn block(label: &str, tone: Tone, text: &str, out: &Out) {
    out.line(&format!("    {}", out.paint(tone, label)));
    let lines: Vec<&str> = text.lines().collect();
    for line in lines.iter().take(LINES) {
        out.line(&format!("      {}", short(line)));
    }
    if lines.len() > LINES {
        out.line(&out.paint(Tone::Dim, &format!("      … {} more lines", lines.len() - LINES)));
    }
}

/// A line that fits on a screen.
fn short(line: &str) -> String {
    const MAX_LINE_CHARS: usize = 140;
    match line.char_indices().nth(MAX_LINE_CHARS) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line.to_owned(),
    }
}

/// Calls that went round: equal outcomes in one line.
fn circle(scene: &Scene, part: &PlayedPart, out: &Out) {
    let calls: Vec<&Played> =
        part.steps.iter().filter(|played| played.step.recording.contains("PreToolUse")).collect();
    let outcome = |played: &Played| {
        let verdict = &played.answer.verdict;
        (verdict.decision, verdict.context.is_some())
    };
    if let Some(first) = calls.first() {
        let event = out.paint(Tone::Strong, &first.answer.entry.event);
        out.line(&format!("  {event}  {}", out.paint(Tone::Dim, &about(scene, first))));
    }
    let mut number = 1;
    for group in calls.chunk_by(|a, b| outcome(a) == outcome(b)) {
        let Some(first) = group.first() else { continue };
        let last = number + group.len() - 1;
        let range =
            if last == number { format!("call {number}") } else { format!("calls {number} to {last}") };
        let verdict = &first.answer.verdict;
        let (word, text) = match (verdict.decision.stops(), &verdict.context) {
            (true, _) => (out.paint(Tone::Bad, "denied"), verdict.reason.clone()),
            (false, Some(context)) => (out.paint(Tone::Warn, "warned"), Some(context.clone())),
            (false, None) => (out.paint(Tone::Dim, verdict.decision.name()), None),
        };
        let mut times: Vec<u64> = group.iter().map(|played| played.answer.entry.us).collect();
        times.sort_unstable();
        let median = times.get(times.len() / 2).copied().unwrap_or_default();
        out.line(&format!("    {range:<16}{word}  {}", out.paint(Tone::Dim, &when::micros(median))));
        for line in text.iter().flat_map(|text| text.lines()).take(LINES) {
            out.line(&format!("      {}", short(&scene.plain(line))));
        }
        number = last + 1;
    }
}

pub(super) fn worker(done: Done, out: &Out) {
    out.line("");
    out.heading("The background worker, after the agent is gone");
    let failed = if done.failed > 0 { format!(", {} failed", done.failed) } else { String::new() };
    out.line(&format!("    {} jobs done{failed}", done.finished));
}

pub(super) fn closing(parts: &[PlayedPart], files: &[WrittenFile], out: &Out) {
    out.line("");
    out.heading("What came out");
    for WrittenFile { path, bytes, first_line } in files {
        out.line(&format!("    {path}  {}", out.paint(Tone::Dim, &format!("{bytes} bytes"))));
        if let Some(line) = first_line {
            out.line(&out.paint(Tone::Dim, &format!("      {}", short(line))));
        }
    }
    let entries = || parts.iter().flat_map(|part| part.steps.iter().map(|played| &played.answer.entry));
    let mut times: Vec<u64> = entries().map(|entry| entry.us).collect();
    times.sort_unstable();
    let median = times.get(times.len() / 2).copied().unwrap_or_default();
    let blocked = entries().filter(|entry| matches!(entry.verdict.as_str(), "deny" | "block")).count();
    let runs: usize = entries().map(|entry| entry.runs.len()).sum();
    let tokens: u64 = entries().map(|entry| entry.tokens).sum();
    out.line("");
    out.line(&format!(
        "{} events, {runs} hook runs, {blocked} stopped, about {tokens} tokens injected, median {} per event.",
        times.len(),
        when::micros(median),
    ));
    out.line(&out.paint(Tone::Dim, "Next: sprag init, then sprag deploy, then start your agent."));
}

pub(super) fn kept(folder: &Path, out: &Out) {
    let home = folder.join("home");
    out.line(&format!("Kept: {0}    (try: HOME={0} sprag logs)", home.display()));
}

pub(super) fn part_json(scene: &Scene, part: &PlayedPart) -> Value {
    let steps: Vec<Value> = part
        .steps
        .iter()
        .map(|played| {
            let (entry, verdict) = (&played.answer.entry, &played.answer.verdict);
            let plain = |text: &Option<String>| text.as_deref().map(|text| scene.plain(text));
            json!({
                "agent": entry.agent,
                "event": entry.event,
                "recording": played.step.recording,
                "tool": entry.tool,
                "verdict": entry.verdict,
                "reason": plain(&verdict.reason),
                "context": plain(&verdict.context),
                "message": plain(&verdict.message),
                "us": entry.us,
                "tokens": entry.tokens,
                "error": entry.error,
                "hooks": entry.runs,
                "answer": plain(&played.answer.stdout),
            })
        })
        .collect();
    json!({ "title": part.part.title, "events": steps })
}
