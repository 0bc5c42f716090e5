//! subagent-init: what a subagent cannot know, in about 200 tokens: where it is, plan, paths, names, rules.

use serde_json::Value;
use sprag_config::settings::{Kind, Setting};
use sprag_project::plan::{Plan, issue_of};
use sprag_protocol::{Event, EventKind};
use sprag_runtime::hook::{Builtin, Cx, Family, HookResult, HookSpec, Presets, Reply, Sees, priority};
use sprag_runtime::session::WORKSPACE_FACTS;

/// The hook.
pub const HOOK: Builtin = Builtin {
    spec: HookSpec {
        name: "subagent-init",
        family: Family::Context,
        summary: "tells a new subagent where it is, the plan, the folders, how files are named, and the house rules",
        sees: &[Sees { kind: EventKind::SubagentStart, matcher: "" }],
        presets: Presets("sxw"),
        settings: &[
            Setting::new("plans_dir", Kind::Text("plans"), "the folder with plans, below the project's root"),
            Setting::new("reports_dir", Kind::Text("plans/reports"), "where reports go"),
            Setting::new("docs_dir", Kind::Text("docs"), "where documentation is"),
            Setting::new("naming", Kind::Text("{date}-{issue}-{slug}.md"), "how plans and reports are named"),
            Setting::new("response_language", Kind::Text(""), "the language of answers; empty says nothing"),
            Setting::new("thinking_language", Kind::Text(""), "the language of thoughts; empty says nothing"),
            Setting::new(
                "rules",
                Kind::Texts(&[
                    "Do what was asked, no more; the simplest thing that works; do not repeat code.",
                    "Answer briefly. Put open questions at the end.",
                ]),
                "house rules for every subagent",
            ),
            Setting::new("agents", Kind::Free, "a text for subagents of one type: `agents.reviewer = \"…\"`"),
        ],
        timeout_ms: 1_000,
    },
    run,
};

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    let root = &cx.project.root;
    let branch = cx.project.branch();
    let facts: Value = serde_json::from_str(&cx.session.read(WORKSPACE_FACTS)).unwrap_or_default();
    let fact = |key: &str| facts.get(key).and_then(Value::as_str).unwrap_or_default();
    let kind = event.agent_type.as_deref().filter(|kind| !kind.is_empty()).unwrap_or("subagent");
    let mut lines = vec![format!("## {kind} {} in {}", event.agent_id.as_deref().unwrap_or(""), event.cwd)];

    if let Some(text) =
        cx.settings.raw("agents").and_then(|agents| agents.get(kind)).and_then(|text| text.as_text())
    {
        lines.push(text.to_owned());
    }
    let plan = Plan::find(root, cx.settings.text("plans_dir"), fact("plan"), branch.as_deref());
    lines.push(plan.line().unwrap_or_else(|| "Plan: none".to_owned()));
    let below = |key: &str| root.join(cx.settings.text(key)).display().to_string();
    lines.push(format!(
        "Folders: reports {}, plans {}, docs {}",
        below("reports_dir"),
        below("plans_dir"),
        below("docs_dir")
    ));
    lines.push(format!("Name plans and reports {}", naming(cx, branch.as_deref())));
    if !fact("package_manager").is_empty() {
        lines.push(format!("Package manager: {}", fact("package_manager")));
    }
    if !fact("venv").is_empty() {
        lines.push(format!("Python environment: {}", fact("venv")));
    }
    let (thinking, response) = (cx.settings.text("thinking_language"), cx.settings.text("response_language"));
    if !response.is_empty() {
        let thinking = if thinking.is_empty() { "English" } else { thinking };
        lines.push(format!("Think in {thinking}, answer in {response}"));
    } else if !thinking.is_empty() {
        lines.push(format!("Think in {thinking}"));
    }
    lines.extend(cx.settings.texts("rules").iter().map(|rule| format!("- {rule}")));
    // A subagent is new each time; one that is resumed has its own id and was told.
    let key = format!("subagent-init:{}", event.agent_id.as_deref().unwrap_or(kind));
    Ok(Reply::note(key, priority::FACTS, lines.join("\n")))
}

/// The naming pattern with what is known filled in; the slug is the writer's.
fn naming(cx: &Cx<'_>, branch: Option<&str>) -> String {
    let (year, month, day, hour, minute, _) = cx.host.clock.now().civil();
    let date = format!("{:02}{month:02}{day:02}-{hour:02}{minute:02}", year % 100);
    let pattern = cx.settings.text("naming").replace("{date}", &date);
    match branch.and_then(issue_of) {
        Some(issue) => pattern.replace("{issue}", &issue),
        None => pattern.replace("{issue}-", "").replace("{issue}", ""),
    }
}
