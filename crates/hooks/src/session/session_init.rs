//! session-init: what kind of project this is, for the agent's shell, for later hooks, and in one line for the model.

use serde_json::json;
use sprag_base::text::name;
use sprag_config::settings;
use sprag_project::plan::Plan;
use sprag_project::workspace::Workspace;
use sprag_protocol::{Event, EventKind};
use sprag_runtime::hook::{
    Builtin, Bundle, Cx, Family, HookResult, HookSpec, Preset, Presets, Reply, Sees, priority,
};
use sprag_runtime::session::WORKSPACE_FACTS;

settings! {
    struct SessionInitSettings<'a> {
        /// `auto`, or what it is
        project_type: Text = "auto";
        /// `auto`, or what it is
        package_manager: Text = "auto";
        /// `auto`, or what it is
        framework: Text = "auto";
        /// the folder with plans, below the project's root
        plans_dir: Text = "plans";
        /// the plan that sessions work on; empty is the branch's
        plan: Text;
    }
}

/// The hook.
pub const HOOK: Builtin = Builtin {
    spec: HookSpec {
        name: "session-init",
        family: Family::Session,
        bundle: Bundle::Context,
        summary: "tells project type, package manager, framework, languages, toolchain and branch to shell, hooks and model",
        sees: &[Sees { kind: EventKind::SessionStart, matcher: "" }],
        presets: Presets::of(&[Preset::Standard, Preset::Strict, Preset::Swarm]),
        settings: SessionInitSettings::SETTINGS,
        timeout_ms: 2_000,
    },
    run,
};

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    let settings: SessionInitSettings<'_> = cx.settings.read();
    let project = cx.project;
    let mut workspace = Workspace::read(&project.root, &project.cwd);
    let forced = |setting: &str, fact: &mut String| {
        if setting != "auto" {
            setting.clone_into(fact);
        }
    };
    forced(settings.project_type, &mut workspace.project_type);
    forced(settings.package_manager, &mut workspace.package_manager);
    forced(settings.framework, &mut workspace.framework);
    let branch = project.branch();
    let plan = Plan::find(&project.root, settings.plans_dir, &named_plan(cx), branch.as_deref());

    let mut facts = workspace.to_json();
    if let (Some(map), Plan::Active(path)) = (facts.as_object_mut(), &plan) {
        map.insert("plan".to_owned(), json!(path));
    }
    if !event.session_id.is_empty() {
        cx.session.write(WORKSPACE_FACTS, &facts.to_string())?;
    }

    let source = event.text("source").unwrap_or("startup");
    let mut reply =
        Reply::note("session-init", priority::FACTS, line(source, &workspace, cx, branch.as_deref(), &plan));
    if source == "compact" {
        reply = reply.with_note(
            "session-init:approval",
            priority::FACTS,
            "The conversation was compacted. An approval that the user had not given yet must be asked for again.",
        );
    }
    reply.env = variables(event, cx, &workspace, branch, &plan);
    Ok(reply)
}

/// The plan that somebody named: a setting, a variable, or this session before a resume or a compaction.
fn named_plan(cx: &Cx<'_>) -> String {
    let settings: SessionInitSettings<'_> = cx.settings.read();
    let set = settings.plan;
    if !set.is_empty() {
        return set.to_owned();
    }
    cx.host.env.get("SPRAG_ACTIVE_PLAN").unwrap_or_else(|| {
        let facts: serde_json::Value =
            serde_json::from_str(&cx.session.read(WORKSPACE_FACTS)).unwrap_or_default();
        facts.get("plan").and_then(serde_json::Value::as_str).unwrap_or_default().to_owned()
    })
}

fn line(source: &str, workspace: &Workspace, cx: &Cx<'_>, branch: Option<&str>, plan: &Plan) -> String {
    let mut parts = vec![format!("Session {source}.")];
    let mut push = |label: &str, value: &str| {
        if !value.is_empty() {
            parts.push(format!("{label}: {value}"));
        }
    };
    push("Project", &workspace.project_type);
    push("Package manager", &workspace.package_manager);
    push("Framework", &workspace.framework);
    push("Languages", &workspace.languages.join(", "));
    push("Toolchain", &workspace.toolchain.join(", "));
    push("Branch", &name(branch.unwrap_or_default()));
    push("Root", &name(&cx.project.root.display().to_string()));
    if let Ok(below) = cx.project.cwd.strip_prefix(&cx.project.root)
        && !below.as_os_str().is_empty()
    {
        push("Started in", &name(&below.display().to_string()));
    }
    let mut text = parts.join(" | ").replacen(". |", ".", 1);
    if let Some(plan) = plan.line() {
        text.push_str(" | ");
        text.push_str(&plan);
    }
    text
}

/// Variables for the agent's shell. What is unknown is not set.
fn variables(
    event: &Event,
    cx: &Cx<'_>,
    workspace: &Workspace,
    branch: Option<String>,
    plan: &Plan,
) -> Vec<(String, String)> {
    let settings: SessionInitSettings<'_> = cx.settings.read();
    let path = |path: &std::path::Path| path.display().to_string();
    let (active, suggested) = match plan {
        Plan::Active(plan) => (path(plan), String::new()),
        Plan::Suggested(plan) => (String::new(), path(plan)),
        Plan::None => (String::new(), String::new()),
    };
    [
        ("SPRAG_SESSION_ID", event.session_id.clone()),
        ("SPRAG_PROJECT_ROOT", path(&cx.project.root)),
        ("SPRAG_PROJECT_TYPE", workspace.project_type.clone()),
        ("SPRAG_PACKAGE_MANAGER", workspace.package_manager.clone()),
        ("SPRAG_FRAMEWORK", workspace.framework.clone()),
        ("SPRAG_LANGUAGES", workspace.languages.join(",")),
        ("SPRAG_TOOLCHAIN", workspace.toolchain.join(",")),
        ("SPRAG_VENV", workspace.venv.clone()),
        ("SPRAG_GIT_ROOT", cx.project.git_root().map(path).unwrap_or_default()),
        ("SPRAG_GIT_BRANCH", branch.unwrap_or_default()),
        ("SPRAG_GIT_URL", cx.project.remote().unwrap_or_default()),
        ("SPRAG_PLANS_DIR", path(&cx.project.root.join(settings.plans_dir))),
        ("SPRAG_ACTIVE_PLAN", active),
        ("SPRAG_SUGGESTED_PLAN", suggested),
    ]
    .into_iter()
    .filter(|(_, value)| !value.is_empty())
    .map(|(name, value)| (name.to_owned(), value))
    .collect()
}
