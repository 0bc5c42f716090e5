//! skill-activation-prompt: names the skills that fit a prompt, by an existing `skill-rules.json`, each once per session.

mod rules;
mod teams;

use rules::{Match, Rules, Strength};
use sprag_engine::files::read_whole;
use sprag_engine::hook::{Builtin, Cx, Family, HookResult, Note, Presets, Repeat, Reply, Sees, priority};
use sprag_engine::settings::{Kind, Setting};
use sprag_protocol::{Event, EventKind};
use std::fmt::Write as _;

/// The hook.
pub const HOOK: Builtin = Builtin {
    name: "skill-activation-prompt",
    family: Family::Context,
    summary: "names the skills and agents of skill-rules.json that fit the prompt, and suggests how several agents could share it",
    sees: &[
        Sees { kind: EventKind::UserPromptSubmit, matcher: "" },
        Sees { kind: EventKind::SessionStart, matcher: "compact|clear" },
    ],
    presets: Presets("sxw"),
    settings: &[
        Setting::new(
            "files",
            Kind::Texts(&[".claude/skills/skill-rules.json", "~/.claude/skills/skill-rules.json"]),
            "the first of these that is there has the rules",
        ),
        Setting::new("most", Kind::Int { default: 5, min: 1 }, "this many skills are named at most"),
        Setting::new("teams", Kind::Bool(true), "suggest how several agents could share a large task"),
    ],
    timeout_ms: 1_000,
    run,
};

/// What this session was told of, one name per line.
const TOLD: &str = "skills-told";
/// A file of rules is smaller than this.
const LARGEST: u64 = 1 << 20;

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    if event.kind == EventKind::SessionStart {
        cx.session.remove(TOLD)?;
        return Ok(Reply::pass());
    }
    let prompt = event.text("prompt").unwrap_or_default();
    if prompt.trim().is_empty() || prompt.starts_with('/') || event.agent_id.is_some() {
        return Ok(Reply::pass());
    }
    let told = cx.session.read(TOLD);
    let new = |name: &str| !told.lines().any(|line| line == name);
    let mut matches = read(cx)?.map(|rules| rules.matching(prompt)).unwrap_or_default();
    matches.retain(|found| new(&found.name));
    matches.sort_by_key(|found| (found.is_agent, found.unsure, std::cmp::Reverse(found.strength)));
    matches.truncate(cx.settings.count("most"));
    let team = teams::suggest(prompt).filter(|_| cx.settings.flag("teams") && new("team"));
    if matches.is_empty() && team.is_none() {
        return Ok(Reply::pass());
    }
    let mut names: Vec<&str> = matches.iter().map(|found| found.name.as_str()).collect();
    if team.is_some() {
        names.push("team");
    }
    cx.session.append(TOLD, &names.join("\n"))?;
    // A block is for the person, once: the same prompt again goes through, and the model is told what it must use.
    let must: Vec<&str> = matches
        .iter()
        .filter(|found| found.blocks && !found.unsure)
        .map(|found| found.name.as_str())
        .collect();
    if !must.is_empty() {
        return Ok(Reply::block(format!(
            "The rules of this project want {} for this. Send the prompt again with `/{}` in front, or as it is to go on \
             without.",
            must.join(", "),
            must.first().copied().unwrap_or_default()
        )));
    }
    let note = Note {
        key: "skill-activation-prompt".to_owned(),
        priority: priority::RULES,
        text: text(&matches, team.as_deref()),
        repeat: Repeat::Always,
    };
    Ok(Reply { notes: vec![note], ..Reply::pass() })
}

/// The rules: the first file that is there, whole. One that is broken is an error that the journal shows.
fn read(cx: &Cx<'_>) -> Result<Option<Rules>, String> {
    for name in cx.settings.texts("files") {
        let path = match name.strip_prefix("~/") {
            Some(rest) => cx.host.paths.home.join(rest),
            None => cx.project.root.join(name),
        };
        if let Some(bytes) =
            read_whole(&path, LARGEST).map_err(|error| format!("{}: {error}", path.display()))?
        {
            return Rules::parse(&bytes).map(Some).map_err(|error| format!("{}: {error}", path.display()));
        }
    }
    Ok(None)
}

fn text(matches: &[Match], team: Option<&str>) -> String {
    let mut text = String::new();
    let (sure, unsure): (Vec<&Match>, Vec<&Match>) = matches.iter().partition(|found| !found.unsure);
    let heads = [
        (Strength::Critical, "Required"),
        (Strength::High, "Recommended"),
        (Strength::Medium, "Suggested"),
        (Strength::Low, "Optional"),
    ];
    for (strength, head) in heads {
        let names: Vec<String> = sure
            .iter()
            .filter(|found| !found.is_agent && found.strength == strength)
            .map(|found| found.named())
            .collect();
        if !names.is_empty() {
            let _ = writeln!(text, "{head} skills: {}", names.join("; "));
        }
    }
    let agents: Vec<String> = sure.iter().filter(|found| found.is_agent).map(|found| found.named()).collect();
    if !agents.is_empty() {
        let _ = writeln!(text, "Agents for this: {}", agents.join("; "));
    }
    if !unsure.is_empty() {
        let names: Vec<String> =
            unsure.iter().map(|found| format!("{} (\"{}\")", found.named(), found.word)).collect();
        let _ = writeln!(text, "Only if the word is meant so: {}", names.join("; "));
    }
    if !sure.is_empty() {
        text.push_str("Use the Skill tool (or the agent) before you answer.\n");
    }
    text.push_str(team.unwrap_or_default());
    text.trim_end().to_owned()
}
