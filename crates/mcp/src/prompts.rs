//! Prompts: what a person starts by its name in the agent.

use crate::error::ToolError;
use crate::resources;
use crate::tools::Call;
use rmcp::model::{GetPromptResult, JsonObject, Prompt, PromptArgument, PromptMessage, Role};
use serde_json::Value;
use sprag_lessons::library;
use sprag_lessons::model::Status;
use sprag_scan::scrub::scrub;
use sprag_worker::sync;
use std::fmt::Write as _;

/// The prompts.
pub(crate) fn listed() -> Vec<Prompt> {
    let focus =
        || vec![PromptArgument::new("focus").with_description("What matters most").with_required(false)];
    vec![
        Prompt::new("resume", Some("Go on where the last session of this project stopped"), Some(focus())),
        Prompt::new("handoff", Some("Write down what the next session needs"), Some(focus())),
        Prompt::new("review-lessons", Some("Judge the lessons that wait for a review"), None),
    ]
}

/// A prompt with what belongs into it.
pub(crate) fn made(
    call: &Call<'_>,
    name: &str,
    arguments: &JsonObject,
) -> Result<GetPromptResult, ToolError> {
    let focus = arguments.get("focus").and_then(Value::as_str).unwrap_or_default();
    let focus = if focus.is_empty() { String::new() } else { format!(" Focus on: {focus}.") };
    let text = match name {
        "resume" => {
            let left = resources::handoff(call).unwrap_or_else(|| {
                "(There is no handoff; use memory_recall and knowledge_search.)".to_owned()
            });
            format!(
                "Go on with the work of this project.{focus} Below is what the last session left. Check it against the \
                 repository before you rely on it, then say in two sentences where the work stands and what you do next.\n\n{left}"
            )
        }
        "handoff" => format!(
            "Write a handoff for the next session of this project.{focus} Use these headings: Goal, Done, Open, Decisions, \
             Failed attempts, Next steps. Name files and commands exactly; no secrets. Keep every decision that outlives this \
             work with memory_add (kind `decision`), one call each, then show me the handoff."
        ),
        "review-lessons" => format!(
            "Judge the lessons below, each in one line: is it true, is it general enough to help again, would its trigger stop \
             ordinary work? Recommend keep, change or drop. Deciding is mine: `sprag lessons review`.\n\n{}",
            waiting(call)?
        ),
        _ => {
            return Err(ToolError::new(
                format!("unknown prompt `{name}`"),
                "Known: resume, handoff, review-lessons.",
            ));
        }
    };
    Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)]))
}

/// Lessons that wait for a review.
fn waiting(call: &Call<'_>) -> Result<String, ToolError> {
    const MAX_LESSONS: usize = 30;
    let all = match sync::look(call.host)? {
        Some(mut store) => library::lessons(&mut store)?,
        None => Vec::new(),
    };
    let waiting: Vec<_> = all.iter().filter(|lesson| lesson.status == Status::Candidate).collect();
    if waiting.is_empty() {
        return Ok("(No lesson waits for a review.)".to_owned());
    }
    let mut text = String::new();
    for lesson in waiting.iter().take(MAX_LESSONS) {
        let _ = writeln!(text, "## {}\n{}\n", lesson.slug, lesson.text());
    }
    if waiting.len() > MAX_LESSONS {
        let _ = writeln!(text, "({} more)", waiting.len() - MAX_LESSONS);
    }
    Ok(scrub(&text).into_owned())
}
