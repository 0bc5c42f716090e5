//! The caps of the hook cost-limit, as the configuration has them.

use sprag_config::host::{Host, project_at};
use sprag_config::plan::Mode;
use sprag_hooks::guard::cost_limit::{self, CostLimitSettings};
use sprag_protocol::EventKind;

/// The caps for a day and for a session, when the hook is on.
pub fn configured(host: &Host) -> Option<(String, String)> {
    let plan = sprag_config::cache::plan(host, &project_at(host, None), EventKind::UserPromptSubmit).plan;
    let hook = plan
        .hooks
        .iter()
        .find(|hook| hook.name == cost_limit::HOOK.spec.name && hook.mode == Mode::Enforce)?;
    let settings: CostLimitSettings<'_> = hook.settings.read();
    Some((settings.day.to_owned(), settings.session.to_owned()))
}
