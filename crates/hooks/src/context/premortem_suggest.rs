//! premortem-suggest: before a plan is carried out or something large begins, what is likely to go wrong.

use sprag_base::files::read_limited;
use sprag_config::settings;
use sprag_config::settings::Texts;
use sprag_protocol::{Event, EventKind};
use sprag_runtime::hook::{
    Builtin, Bundle, Cx, Family, HookResult, HookSpec, Preset, Presets, Reply, Sees, priority,
};

settings! {
    struct PremortemSuggestSettings<'a> {
        /// a path of the prompt below one of these that ends in .md is a plan
        plans: Texts = ["thoughts/shared/plans/", "plans/", "docs/plans/"];
        /// a task without a plan is risky when it touches this many of the known risks
        min_risks: usize = 2, min 1;
    }
}

/// The hook.
pub const HOOK: Builtin = Builtin {
    spec: HookSpec {
        name: "premortem-suggest",
        family: Family::Context,
        bundle: Bundle::Advice,
        summary: "suggests a premortem before a plan without one is carried out or a risky task begins",
        sees: &[Sees { kind: EventKind::UserPromptSubmit, matcher: "" }],
        presets: Presets::of(&[Preset::Standard, Preset::Strict]),
        settings: PremortemSuggestSettings::SETTINGS,
        timeout_ms: 1_000,
    },
    run,
};

/// Words of a prompt, and what such work is known to fail of.
const RISKS: [(&[&str], &str); 8] = [
    (&["migration", "migrate", "schema"], "a migration that locks a large table or cannot be taken back"),
    (
        &["auth", "authentication", "login", "permission", "permissions", "oauth"],
        "a way around the check on an old path",
    ),
    (
        &["payment", "payments", "billing", "invoice", "charge"],
        "the same thing happening twice (retries, double clicks)",
    ),
    (
        &["concurrent", "concurrency", "parallel", "thread", "threads", "async", "lock"],
        "two at once: lost updates, deadlocks",
    ),
    (
        &["rewrite", "redesign", "rearchitect", "overhaul"],
        "behaviour that nobody wrote down and everybody relies on",
    ),
    (&["upgrade", "replace", "port"], "callers and data of the old version that are still there"),
    (
        &["distributed", "microservice", "microservices", "queue", "kafka"],
        "partial failure: one side did it, the other did not",
    ),
    (
        &["production", "rollout", "deploy", "release"],
        "no way back: no flag, no backup, no rollback that was tried",
    ),
];

const CARRY_OUT: [&str; 9] = [
    "implement", "implementing", "start the build", "begin implementation", "let's build",
    "execute the plan", "work on the plan", "follow the plan", "carry out",
];

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    let settings: PremortemSuggestSettings<'_> = cx.settings.read();
    let prompt = event.text("prompt").unwrap_or_default();
    if !event.is_from_user() || event.agent_id.is_some() || prompt.starts_with('/') || prompt.len() < 15 {
        return Ok(Reply::pass());
    }
    let lower = prompt.to_lowercase();
    let open: Vec<String> =
        plans(prompt, settings.plans).into_iter().filter(|plan| is_open(plan, cx)).collect();
    let begins = CARRY_OUT.iter().any(|words| lower.contains(words));
    if !open.is_empty() {
        let strength = if begins { "Do a premortem first" } else { "A premortem is missing" };
        let text = format!(
            "{strength}: {} names no risks yet. Assume that it failed, list why, and put the ways to prevent the likeliest \
             under a heading `## Pre-Mortem`.",
            open.join(", ")
        );
        return Ok(Reply::note(format!("premortem:{}", open.join(",")), priority::REMINDER, text));
    }
    let risks = risks(&lower);
    // A large change is announced, not asked about.
    if risks.len() < settings.min_risks || lower.trim_end().ends_with('?') {
        return Ok(Reply::pass());
    }
    let text = format!(
        "This task touches what often goes wrong: {}. Before you begin, say how you rule these out.",
        risks.join("; ")
    );
    Ok(Reply::note("premortem:task", priority::REMINDER, text))
}

/// The plans that a prompt names.
fn plans(prompt: &str, folders: Texts<'_>) -> Vec<String> {
    let mut found: Vec<String> = prompt
        .split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '(' | ')' | ',' | '@'))
        .map(|word| word.trim_end_matches(['.', ':', ';', '?', '!']))
        .filter(|word| word.strip_suffix(".md").is_some() && !word.contains(".."))
        .filter(|word| folders.iter().any(|folder| word.starts_with(folder)))
        .map(str::to_owned)
        .collect();
    found.dedup();
    found
}

/// True for a plan that is there and names no risks. One that is not there is not open: there is nothing to add to.
fn is_open(plan: &str, cx: &Cx<'_>) -> bool {
    let Ok(Some(bytes)) = read_limited(&cx.project.root.join(plan), 256 << 10) else { return false };
    let text = String::from_utf8_lossy(&bytes).to_lowercase();
    !text.lines().any(|line| {
        line.starts_with('#')
            && ["pre-mortem", "premortem", "risk mitigation", "risks"].iter().any(|word| line.contains(word))
    })
}

fn risks(lower: &str) -> Vec<&'static str> {
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).collect();
    let has = |names: &[&str]| names.iter().any(|name| words.contains(name));
    RISKS.iter().filter(|(names, _)| has(names)).map(|(_, risk)| *risk).collect()
}
