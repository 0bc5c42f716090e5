//! memory-awareness: what the prompt is about is looked up in the memories, and what is worth it is named to the model.

use sprag_config::settings;
use sprag_memory::memories;
use sprag_memory::recall::line;
use sprag_memory::recall::words::{beginning, intent};
use sprag_memory::recall::{Question, RecalledMemory};
use sprag_protocol::{Event, EventKind};
use sprag_runtime::hook::{
    Builtin, Bundle, Cx, Family, HookResult, HookSpec, Note, Preset, Presets, Repeat, Reply, Sees, priority,
};
use std::fmt::Write as _;

settings! {
    struct MemoryAwarenessSettings {
        /// this many memories are named at most
        most: usize = 3, min 1;
        /// shorter prompts are not looked up
        min_prompt_chars: usize = 15, min 1;
        /// the most characters of one memory
        max_chars: usize = 400, min 40;
    }
}

/// The hook.
pub const HOOK: Builtin = Builtin {
    spec: HookSpec {
        name: "memory-awareness",
        family: Family::Memory,
        bundle: Bundle::Memory,
        summary: "looks the prompt up in the memories and names those that are worth it",
        sees: &[
            Sees { kind: EventKind::UserPromptSubmit, matcher: "" },
            Sees { kind: EventKind::SessionStart, matcher: "compact|clear" },
        ],
        presets: Presets::of(&[Preset::Standard, Preset::Strict, Preset::Swarm]),
        settings: MemoryAwarenessSettings::SETTINGS,
        timeout_ms: 3_000,
    },
    run,
};

/// The memories that this session was told of, one id per line.
const TOLD: &str = "recalled";
/// As much of a prompt is looked up.
const QUESTION: usize = 600;

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    let settings: MemoryAwarenessSettings = cx.settings.read();
    if event.kind == EventKind::SessionStart {
        // The model has forgotten what it was told.
        cx.session.remove(TOLD)?;
        return Ok(Reply::pass());
    }
    let prompt = event.text("prompt").unwrap_or_default().trim();
    let skip = !event.is_from_user()
        || event.agent_id.is_some()
        || prompt.chars().take(settings.min_prompt_chars).count() < settings.min_prompt_chars
        || prompt.starts_with('/')
        || !memories::anything(cx.host);
    if skip {
        return Ok(Reply::pass());
    }
    let wanted = intent(beginning(prompt, QUESTION));
    let question = Question {
        text: wanted.to_owned(),
        reach: memories::reach(cx.host, cx.project, event.agent.name()),
        most: 10,
        only: None,
    };
    let found = memories::ask(cx.host, question)?;
    let told = cx.session.read(TOLD);
    let worth: Vec<&RecalledMemory> = found
        .iter()
        .filter(|found| found.is_worth_it() && !told.lines().any(|id| id == found.memory.id))
        .take(settings.most)
        .collect();
    if worth.is_empty() {
        return Ok(Reply::pass());
    }
    let ids: Vec<String> = worth.iter().map(|found| found.memory.id.clone()).collect();
    cx.session.append(TOLD, &ids.join("\n"))?;
    memories::mark_used(cx.host, &ids);
    let note = Note {
        key: "memory-awareness".to_owned(),
        priority: priority::FACTS,
        text: text(&worth, wanted, settings.max_chars),
        repeat: Repeat::Always,
    };
    Ok(Reply { notes: vec![note], ..Reply::pass() })
}

fn text(worth: &[&RecalledMemory], wanted: &str, most: usize) -> String {
    let about: String = beginning(wanted, 80).replace(['\n', '"'], " ");
    let mut text = format!("MEMORY MATCH ({}) for \"{about}\", from earlier sessions:", worth.len());
    for (number, found) in worth.iter().enumerate() {
        let _ = write!(text, "\n{}. {}", number + 1, line(found, most));
    }
    text.push_str(
        "\nCheck that it still holds before you rely on it. `sprag memory show ID` has more; say so when one helped.",
    );
    text
}
