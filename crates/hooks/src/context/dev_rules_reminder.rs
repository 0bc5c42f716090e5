//! dev-rules-reminder: the project's rules and the plan again, when they are far back in the conversation.
//! How far is known from the size of the transcript's file: nothing of it is read.

use serde_json::Value;
use sprag_base::files::read_limited;
use sprag_config::settings;
use sprag_project::plan::Plan;
use sprag_project::rules::{body, lines_within, rule_files};
use sprag_protocol::{Event, EventKind};
use sprag_runtime::hook::{
    Builtin, Bundle, Cx, Family, HookResult, HookSpec, Note, Preset, Presets, Repeat, Reply, Sees, priority,
};
use sprag_runtime::session::WORKSPACE_FACTS;

settings! {
    struct DevRulesReminderSettings<'a> {
        /// folders with *.md files, below the project's root; `~config` is sprag's own folder, `~` the home
        folders: Texts = ["~config/rules", ".sprag/rules", "rules"];
        /// they are far back when the transcript grew by this much since they were said
        distance_kb: u64 = 200, min 1;
        /// the most characters of the reminder
        max_chars: usize = 1_200, min 100;
        /// the folder with plans, below the project's root
        plans_dir: Text = "plans";
    }
}

/// The hook.
pub const HOOK: Builtin = Builtin {
    spec: HookSpec {
        name: "dev-rules-reminder",
        family: Family::Context,
        bundle: Bundle::Advice,
        summary: "says the rules and the plan again when they are far back in the conversation",
        sees: &[
            Sees { kind: EventKind::UserPromptSubmit, matcher: "" },
            Sees { kind: EventKind::SessionStart, matcher: "" },
        ],
        presets: Presets::of(&[Preset::Standard, Preset::Strict, Preset::Swarm]),
        settings: DevRulesReminderSettings::SETTINGS,
        timeout_ms: 1_000,
    },
    run,
};

/// How long the transcript was when the rules were last said.
const SAID_AT: &str = "rules-said-at";

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    let settings: DevRulesReminderSettings<'_> = cx.settings.read();
    let silent =
        event.agent_id.is_some() || event.kind == EventKind::UserPromptSubmit && !event.is_from_user();
    let Some(path) = event.transcript_path.as_deref().filter(|_| !silent) else {
        return Ok(Reply::pass());
    };
    let size = std::fs::metadata(path).map_or(0, |meta| meta.len());
    let known: Option<u64> = cx.session.read(SAID_AT).trim().parse().ok();
    let distance = settings.distance_kb * 1024;
    let far = match known {
        // inject-rules has just said them, or this is the first that is seen of the session.
        _ if event.kind == EventKind::SessionStart => false,
        None => false,
        // A shorter file is another one.
        Some(known) => size < known || size - known >= distance,
    };
    let begins = event.kind == EventKind::SessionStart || known.is_none();
    if begins || far {
        cx.session.write(SAID_AT, &size.to_string())?;
    }
    if !far {
        return Ok(Reply::pass());
    }
    let text = reminder(cx)?;
    if text.is_empty() {
        return Ok(Reply::pass());
    }
    let note = Note {
        key: "dev-rules-reminder".to_owned(),
        priority: priority::RULES,
        text,
        repeat: Repeat::Always,
    };
    Ok(Reply { notes: vec![note], ..Reply::pass() })
}

/// The rules within the budget, with what was left out named; and the plan.
fn reminder(cx: &Cx<'_>) -> Result<String, std::io::Error> {
    let settings: DevRulesReminderSettings<'_> = cx.settings.read();
    let mut left = settings.max_chars;
    let (mut parts, mut cut) = (Vec::new(), Vec::new());
    for (name, path) in rule_files(&cx.project.root, &cx.host.paths, settings.folders.iter()) {
        let Some(bytes) = read_limited(&path, 64 << 10)? else { continue };
        let text = String::from_utf8_lossy(&bytes);
        let text = body(&text);
        if text.is_empty() {
            continue;
        }
        let shown = lines_within(text, left);
        if left < 80 || shown.is_empty() {
            cut.push(name);
            continue;
        }
        left = left.saturating_sub(shown.chars().count());
        if shown.len() < text.len() {
            cut.push(name.clone());
        }
        parts.push(format!("{name}:\n{shown}"));
    }
    let facts: Value = serde_json::from_str(&cx.session.read(WORKSPACE_FACTS)).unwrap_or_default();
    let named = facts.get("plan").and_then(Value::as_str).unwrap_or_default();
    // Looked up now: a plan that changed since the start is the plan.
    let plan = Plan::find(&cx.project.root, settings.plans_dir, named, cx.project.branch().as_deref());
    parts.extend(plan.line());
    if parts.is_empty() {
        return Ok(String::new());
    }
    if !cut.is_empty() {
        parts.push(format!("More in {}.", cut.join(", ")));
    }
    Ok(format!("A reminder, because they are far back: the rules here.\n{}", parts.join("\n")))
}
