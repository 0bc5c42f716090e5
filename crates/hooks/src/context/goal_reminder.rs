//! goal-reminder: task, progress and goal survive a compaction: they are given to the summariser before it, and to the
//! model after it.

use sprag_config::settings;
use sprag_coord::store::Setup;
use sprag_coord::tasks::{self, Bound};
use sprag_protocol::{Event, EventKind};
use sprag_runtime::hook::{
    Builtin, Bundle, Cx, Family, HookResult, HookSpec, Note, Preset, Presets, Repeat, Reply, Sees, priority,
};
use sprag_store::TaskState;

settings! {
    struct GoalReminderSettings {
        /// the goal is cut to this; the task and the last part of the progress stay
        max_chars: usize = 3_000, min 200;
    }
}

/// The hook.
pub const HOOK: Builtin = Builtin {
    spec: HookSpec {
        name: "goal-reminder",
        family: Family::Context,
        bundle: Bundle::Context,
        summary: "brings the current task, its progress and its goal through a compaction",
        sees: &[
            Sees { kind: EventKind::PreCompact, matcher: "" },
            Sees { kind: EventKind::SessionStart, matcher: "compact" },
        ],
        presets: Presets::of(&[Preset::Standard, Preset::Strict, Preset::Swarm]),
        settings: GoalReminderSettings::SETTINGS,
        timeout_ms: 3_000,
    },
    run,
};

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    let settings: GoalReminderSettings = cx.settings.read();
    // The matcher is the agent's; a source that is none of it must not slip through.
    let compacts = event.kind == EventKind::PreCompact || event.text("source") == Some("compact");
    let Some(task) = tasks::bound(cx.host, cx.session).filter(|_| compacts) else { return Ok(Reply::pass()) };
    let id = task.id.clone();
    let asked =
        Setup::quick(cx.host).and_then(|setup| setup.ask_lightly(cx.host, move |store| store.task(&id)));
    let task = match asked {
        Ok(Some(now)) if now.state == TaskState::Running || now.state == TaskState::Open => Bound::from(&now),
        // It is over: cancel-check says so where that matters.
        Ok(Some(_)) => return Ok(Reply::pass()),
        // The session's own copy, when the store is unavailable.
        Ok(None) | Err(_) if !task.title.is_empty() => task,
        Ok(None) | Err(_) => return Ok(Reply::pass()),
    };
    let most = settings.max_chars;
    let text = match event.kind {
        EventKind::PreCompact => {
            format!("The summary must keep this task as it stands:\n{}", shown(&task, most))
        }
        _ => format!(
            "The conversation was compacted. You are still working on this task:\n{}",
            shown(&task, most)
        ),
    };
    let note =
        Note { key: "goal-reminder".to_owned(), priority: priority::FACTS, text, repeat: Repeat::Always };
    Ok(Reply { notes: vec![note], ..Reply::pass() })
}

/// Task, goal and progress within a number of characters. Progress keeps its end: that is where the work is.
fn shown(task: &Bound, most: usize) -> String {
    let first = |text: &str, most: usize| -> String {
        if text.chars().count() <= most {
            return text.to_owned();
        }
        text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
    };
    let last = |text: &str, most: usize| -> String {
        let count = text.chars().count();
        if count <= most {
            return text.to_owned();
        }
        ['…'].into_iter().chain(text.chars().skip(count - most + 1)).collect()
    };
    let mut text = format!("Task {}: {}", task.id, first(&task.title, most / 4));
    let progress = last(&task.progress, most / 3);
    if !task.goal.is_empty() {
        let rest = most.saturating_sub(text.chars().count() + progress.chars().count() + 40);
        text.push_str(&format!("\nGoal: {}", first(&task.goal, rest)));
    }
    if !progress.is_empty() {
        text.push_str(&format!("\nProgress so far: {progress}"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn whatever_the_task_says_it_stays_within_its_bounds(
            title in ".{0,3000}", goal in ".{0,9000}", progress in ".{0,9000}", most in 200_usize..4_000,
        ) {
            let end: String = progress.chars().rev().take(20).collect::<Vec<_>>().into_iter().rev().collect();
            let text = shown(&Bound { id: "t0123456789".into(), title, goal, progress }, most);
            prop_assert!(text.chars().count() <= most + 60, "{}", text.chars().count());
            prop_assert!(text.ends_with(&end), "the end of the progress stays");
        }
    }
}
