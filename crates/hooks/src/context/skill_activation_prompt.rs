//! skill-activation-prompt: names the skills that fit a prompt, by an existing `skill-rules.json`, each once per session,
//! and says when subagents, the window or memory run short.

mod resources;
mod rules;
mod teams;

use rules::{Match, Rules, Strength};
use sprag_base::files::read_whole;
use sprag_base::paths::from_home;
use sprag_config::settings;
use sprag_protocol::{Event, EventKind};
use sprag_runtime::hook::{
    Builtin, Bundle, Cx, Family, HookError, HookResult, HookSpec, Note, Preset, Presets, Repeat, Reply, Sees,
    priority,
};
use std::fmt::Write as _;

settings! {
    struct SkillActivationPromptSettings<'a> {
        /// the first of these that is there has the rules
        files: Texts = [".claude/skills/skill-rules.json", "~/.claude/skills/skill-rules.json"];
        /// this many skills are named at most
        most: usize = 5, min 1;
        /// suggest how several agents could share a large task
        teams: bool = true;
        /// subagents at once; a warning at 80 percent and when it is reached, 0 never
        max_agents: u64 = 10;
        /// percent of the window for a word on handing off, between the warnings of usage-context-awareness; 0 never
        window_at: u64 = 80;
        /// free memory below which a warning is given while subagents run; 0 never
        min_free_mb: u64 = 500;
    }
}

/// The hook.
pub const HOOK: Builtin = Builtin {
    spec: HookSpec {
        name: "skill-activation-prompt",
        family: Family::Context,
        bundle: Bundle::Context,
        summary: "names the skills and agents of skill-rules.json that fit the prompt, and suggests how several agents could share it",
        sees: &[
            Sees { kind: EventKind::UserPromptSubmit, matcher: "" },
            Sees { kind: EventKind::SessionStart, matcher: "compact|clear" },
            Sees { kind: EventKind::SubagentStart, matcher: "" },
            Sees { kind: EventKind::SubagentStop, matcher: "" },
        ],
        presets: Presets::of(&[Preset::Standard, Preset::Strict, Preset::Swarm]),
        settings: SkillActivationPromptSettings::SETTINGS,
        timeout_ms: 1_000,
    },
    run,
};

/// What this session was told of, one name per line.
const TOLD: &str = "skills-told";
/// A file of rules is smaller than this.
const LARGEST: u64 = 1 << 20;

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    let settings: SkillActivationPromptSettings<'_> = cx.settings.read();
    match event.kind {
        EventKind::SessionStart => {
            cx.session.remove(TOLD)?;
            return Ok(Reply::pass());
        }
        EventKind::SubagentStart | EventKind::SubagentStop => {
            resources::note(event, cx)?;
            return Ok(Reply::pass());
        }
        _ => {}
    }
    let prompt = event.text("prompt").unwrap_or_default();
    if !event.is_from_user()
        || prompt.trim().is_empty()
        || prompt.starts_with('/')
        || event.agent_id.is_some()
    {
        return Ok(Reply::pass());
    }
    let told = cx.session.read(TOLD);
    let new = |name: &str| !told.lines().any(|line| line == name);
    let mut matches = read(cx)?.map(|rules| rules.matching(prompt)).unwrap_or_default();
    matches.retain(|found| new(&found.name));
    matches.sort_by_key(|found| (found.is_agent, found.unsure, std::cmp::Reverse(found.strength)));
    matches.truncate(settings.most);
    let team = teams::suggest(prompt).filter(|_| settings.teams && new("team"));
    if matches.is_empty() && team.is_none() {
        return with_warning(Reply::pass(), cx);
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
    with_warning(Reply { notes: vec![note], ..Reply::pass() }, cx)
}

/// The same with what is short, when that is news. A prompt that is stopped is not the time for it.
fn with_warning(mut reply: Reply, cx: &Cx<'_>) -> HookResult {
    if let Some(text) = resources::warning(cx)? {
        reply.notes.extend(Reply::warn("resources", text).notes);
    }
    Ok(reply)
}

/// The rules: the first file that is there, whole. One that is broken is an error that the journal shows.
fn read(cx: &Cx<'_>) -> Result<Option<Rules>, HookError> {
    let settings: SkillActivationPromptSettings<'_> = cx.settings.read();
    for name in settings.files.iter() {
        let path = from_home(name, &cx.host.paths.home, &cx.project.root);
        let bytes = read_whole(&path, LARGEST).map_err(|error| HookError::about(path.display(), error))?;
        if let Some(bytes) = bytes {
            return Rules::parse(&bytes).map(Some).map_err(|error| HookError::about(path.display(), error));
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
