//! `sprag init --import`: takes over the hooks that the agents' settings have now, and settings of other hook tools.
//! What is taken is shown first. The agents' files change only together with the registration of sprag, and `undeploy`
//! puts back what was there.

use crate::commands::{deploy, project_at};
use sprag_config::host::Host;
use sprag_terminal::{Out, Problem, Tone, person};
use std::process::ExitCode;

/// Imports what there is. The one entry: `init` calls it after it wrote a configuration. Gives how the registration of the
/// agents whose hooks were taken ended; nothing when there was none.
pub(crate) fn run(host: &Host, yes: bool, out: &Out) -> anyhow::Result<Option<ExitCode>> {
    person::require_person(host, yes)?;
    let project = project_at(host, None);
    let found = sprag_adopt::look(host, &project);
    for line in &found.taken {
        out.line(&format!("{} {line}", out.paint(Tone::Good, "take  ")));
    }
    for line in &found.left {
        out.line(&format!("{} {line}", out.paint(Tone::Warn, "leave ")));
    }
    if found.taken.is_empty() {
        out.line("There is nothing to import.");
        return Ok(None);
    }
    if !yes && !out.confirm("Import this?") {
        out.line("nothing was imported");
        return Ok(None);
    }
    sprag_adopt::write(host, &project, &found).map_err(|error| Problem::new(&error, error.hint()))?;
    out.line(&format!("{} has what was taken", host.paths.tilde(&host.paths.config_file())));
    if found.has_project_settings() {
        out.line("The project's .sprag/config.toml has what came from its own settings; `sprag trust` makes it count.");
    }
    if found.agents.is_empty() {
        return Ok(None);
    }
    // Only now do the hooks leave the agents' settings: sprag runs them from here on.
    let code = deploy::run_for(found.agents, host, out)?;
    out.line("The hooks run through sprag now; `sprag undeploy` puts them back where they were.");
    Ok(Some(code))
}
