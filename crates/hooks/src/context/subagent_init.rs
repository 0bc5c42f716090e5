//! subagent-init: what a subagent cannot know, in about 200 tokens: where it is, plan, paths, names, and the user's own rules.

use serde_json::Value;
use sprag_config::settings;
use sprag_project::plan::{Plan, issue_of};
use sprag_protocol::{Event, EventKind};
use sprag_runtime::hook::{
    Builtin, Bundle, Cx, Family, HookResult, HookSpec, Preset, Presets, Reply, Sees, priority,
};
use sprag_runtime::session::WORKSPACE_FACTS;

settings! {
    struct SubagentInitSettings<'a> {
        /// the folder with plans, below the project's root
        plans_dir: Text = "plans";
        /// where reports go
        reports_dir: Text = "plans/reports";
        /// where documentation is
        docs_dir: Text = "docs";
        /// how plans and reports are named
        naming: Text = "{date}-{issue}-{slug}.md";
        /// the language of answers; empty says nothing
        response_language: Text;
        /// the language of thoughts; empty says nothing
        thinking_language: Text;
        /// house rules for every subagent
        rules: Texts;
        /// a text for subagents of one type: `agents.reviewer = "…"`
        agents: Map;
    }
}

/// The hook.
pub const HOOK: Builtin = Builtin {
    spec: HookSpec {
        name: "subagent-init",
        family: Family::Context,
        bundle: Bundle::Context,
        summary: "tells a new subagent where it is, the plan, the folders, how files are named, and the house rules",
        sees: &[Sees { kind: EventKind::SubagentStart, matcher: "" }],
        presets: Presets::of(&[Preset::Standard, Preset::Strict, Preset::Swarm]),
        settings: SubagentInitSettings::SETTINGS,
        timeout_ms: 1_000,
    },
    run,
};

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    let settings: SubagentInitSettings<'_> = cx.settings.read();
    let root = &cx.project.root;
    let branch = cx.project.branch();
    let facts: Value = serde_json::from_str(&cx.session.read(WORKSPACE_FACTS)).unwrap_or_default();
    let fact = |key: &str| facts.get(key).and_then(Value::as_str).unwrap_or_default();
    let kind = event.agent_type.as_deref().filter(|kind| !kind.is_empty()).unwrap_or("subagent");
    let mut lines = vec![format!("## {kind} {} in {}", event.agent_id.as_deref().unwrap_or(""), event.cwd)];

    if let Some(text) = settings.agents.get(kind) {
        lines.push(text.to_owned());
    }
    let plan = Plan::find(root, settings.plans_dir, fact("plan"), branch.as_deref());
    lines.push(plan.line().unwrap_or_else(|| "Plan: none".to_owned()));
    // A folder that is not there would be made by somebody who was only told where things go.
    let named =
        [("reports", settings.reports_dir), ("plans", settings.plans_dir), ("docs", settings.docs_dir)];
    let there: Vec<(&str, String)> = named
        .into_iter()
        .map(|(what, folder)| (what, root.join(folder)))
        .filter(|(_, folder)| folder.is_dir())
        .map(|(what, folder)| (what, folder.display().to_string()))
        .collect();
    if !there.is_empty() {
        let all: Vec<String> = there.iter().map(|(what, folder)| format!("{what} {folder}")).collect();
        lines.push(format!("Folders: {}", all.join(", ")));
    }
    if there.iter().any(|(what, _)| *what != "docs") {
        lines.push(format!("Name plans and reports {}", naming(cx, branch.as_deref())));
    }
    if !fact("package_manager").is_empty() {
        lines.push(format!("Package manager: {}", fact("package_manager")));
    }
    if !fact("venv").is_empty() {
        lines.push(format!("Python environment: {}", fact("venv")));
    }
    let (thinking, response) = (settings.thinking_language, settings.response_language);
    if !response.is_empty() {
        let thinking = if thinking.is_empty() { "English" } else { thinking };
        lines.push(format!("Think in {thinking}, answer in {response}"));
    } else if !thinking.is_empty() {
        lines.push(format!("Think in {thinking}"));
    }
    lines.extend(settings.rules.iter().map(|rule| format!("- {rule}")));
    // A subagent is new each time; one that is resumed has its own id and was told.
    let key = format!("subagent-init:{}", event.agent_id.as_deref().unwrap_or(kind));
    Ok(Reply::note(key, priority::FACTS, lines.join("\n")))
}

/// The naming pattern with what is known filled in; the slug is the writer's.
fn naming(cx: &Cx<'_>, branch: Option<&str>) -> String {
    let settings: SubagentInitSettings<'_> = cx.settings.read();
    let (year, month, day, hour, minute, _) = cx.host.clock.now().civil();
    let date = format!("{:02}{month:02}{day:02}-{hour:02}{minute:02}", year % 100);
    let pattern = settings.naming.replace("{date}", &date);
    match branch.and_then(issue_of) {
        Some(issue) => pattern.replace("{issue}", &issue),
        None => pattern.replace("{issue}-", "").replace("{issue}", ""),
    }
}
