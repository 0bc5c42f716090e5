//! plan-reminder: after planning, what comes next. The words wait until the main agent reads: at a subagent's stop
//! they would only send the planner on.

use serde_json::Value;
use sprag_config::settings;
use sprag_project::plan::Plan;
use sprag_protocol::{Event, EventKind};
use sprag_runtime::hook::{
    Builtin, Bundle, Cx, Family, HookResult, HookSpec, Note, Preset, Presets, Repeat, Reply, Sees, priority,
};
use sprag_runtime::session::WORKSPACE_FACTS;

settings! {
    struct PlanReminderSettings<'a> {
        /// what to do or run after planning; `{plan}` is the plan's path
        next: Text = "Show the user the plan; when they agree, implement it phase by phase, and test each phase.";
        /// the folder with plans, below the project's root
        plans_dir: Text = "plans";
    }
}

/// The hook.
pub const HOOK: Builtin = Builtin {
    spec: HookSpec {
        name: "plan-reminder",
        family: Family::Team,
        bundle: Bundle::Advice,
        summary: "after a planning subagent, says what to run next and where the plan is",
        sees: &[
            Sees { kind: EventKind::SubagentStop, matcher: "Plan" },
            Sees { kind: EventKind::PostToolUse, matcher: "Agent|Task" },
            Sees { kind: EventKind::UserPromptSubmit, matcher: "" },
        ],
        presets: Presets::of(&[Preset::Standard]),
        settings: PlanReminderSettings::SETTINGS,
        timeout_ms: 500,
    },
    run,
};

/// The words that wait.
const WAITING: &str = "plan.next";

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    let settings: PlanReminderSettings<'_> = cx.settings.read();
    if event.kind == EventKind::SubagentStop {
        let facts: Value = serde_json::from_str(&cx.session.read(WORKSPACE_FACTS)).unwrap_or_default();
        let named = facts.get("plan").and_then(Value::as_str).unwrap_or_default();
        let branch = cx.project.branch();
        let plan = Plan::find(&cx.project.root, settings.plans_dir, named, branch.as_deref());
        let place = plan.line().map(|line| format!(" {line}.")).unwrap_or_default();
        let path = match &plan {
            Plan::Active(path) | Plan::Suggested(path) => path.display().to_string(),
            Plan::None => String::new(),
        };
        let next = settings.next.replace("{plan}", &path);
        cx.session.write(WAITING, &format!("Planning is done.{place} Next: {}", next.trim_end()))?;
        return Ok(Reply::pass());
    }
    // A subagent's own calls are not the main agent's.
    if event.agent_id.is_some() || !cx.session.has(WAITING) {
        return Ok(Reply::pass());
    }
    let text = cx.session.take(WAITING);
    let note =
        Note { key: "plan-reminder".to_owned(), priority: priority::REMINDER, text, repeat: Repeat::Always };
    Ok(Reply { notes: vec![note], ..Reply::pass() })
}
