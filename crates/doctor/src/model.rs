//! Whether the model of the background work answers: what the last questions came to.

use crate::{Finding, Level};
use sprag_config::host::Host;
use sprag_llm::{Backend, Llm, breaker};
use sprag_memory::knowledge::{Knowledge, history, text};
use sprag_terminal::when;

/// Failures in a row, without an answer in between, that are worth a warning.
const MAX_FAILED: usize = 3;

/// What is known of the model; nothing when none is configured.
pub(crate) fn examine(host: &Host) -> Option<Finding> {
    let llm = Llm::read(host);
    let name = match &llm.backend {
        Backend::None => return None,
        Backend::Program(agent) => agent.name().to_owned(),
        Backend::Endpoint { url, .. } => url.clone(),
    };
    let finding =
        |level, what: String, todo: &str| Some(Finding { level, area: "model", what, todo: todo.to_owned() });
    if name.is_empty() {
        let what = "[llm] has the backend openai and no url: no model is asked".to_owned();
        return finding(Level::Fail, what, "write url and model under [llm], or `sprag init` again");
    }
    let todo = "fix [llm], then `sprag knowledge handoff-now` asks at once; `sprag knowledge status` shows what failed";
    if let Some(trouble) = breaker::trouble(&host.paths, &llm) {
        let times = if trouble.failures == 1 {
            "once".to_owned()
        } else {
            format!("{} times in a row", trouble.failures)
        };
        let again = trouble
            .paused(host.clock.now())
            .map(|at| format!("; not asked again before {}", when::local(at)));
        let what = format!("{name} failed {times}: {}{}", trouble.reason, again.unwrap_or_default());
        return finding(Level::Warn, what, todo);
    }
    let judged = history::read(&Knowledge::open(host).state);
    let tried = judged.iter().rev().filter(|done| done.what == "evaluate" && done.result != "skipped");
    let failed: Vec<&history::Done> = tried.take_while(|done| done.result != "ok").collect();
    match failed.first() {
        Some(last) if failed.len() >= MAX_FAILED => {
            let what = format!(
                "the last {} sessions could not be judged: {}",
                failed.len(),
                text::cut(&last.detail, 200)
            );
            finding(Level::Warn, what, todo)
        }
        _ => finding(Level::Ok, format!("{name}, asked in the background"), ""),
    }
}
