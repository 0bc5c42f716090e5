//! Names in a configuration that mean nothing: hooks and bundles that do not exist, hooks on events that they do not see.

use crate::host::Host;
use crate::parse::{ConfigError, Layer, nearest};
use crate::resolve::{line_of, script_in};
use crate::schema::ExternalHookSettings;
use crate::settings::Choice as _;
use crate::spec::Bundle;
use crate::typed;
use sprag_project::Project;
use std::path::Path;

/// The faults of all layers.
pub(crate) fn check(host: &Host, project: &Project, layers: &[Layer]) -> Vec<ConfigError> {
    let names = Names { host, project, layers };
    layers.iter().flat_map(|layer| names.of_layer(layer)).collect()
}

struct Names<'a> {
    host: &'a Host,
    project: &'a Project,
    layers: &'a [Layer],
}

impl Names<'_> {
    fn of_layer(&self, layer: &Layer) -> Vec<ConfigError> {
        let fault = |name: &str, what: String, hint: String| ConfigError {
            file: layer.file.clone(),
            line: line_of(&layer.file, name),
            what,
            hint,
        };
        let mut faults = Vec::new();
        for name in layer.hooks.iter().map(|(name, _)| name).filter(|name| !self.is_hook(name)) {
            let known = self.host.hooks.iter().map(|builtin| builtin.name);
            let own = format!("put the program into {}", self.host.paths.tilde(&self.host.paths.hooks_dir()));
            faults.push(fault(name, format!("there is no hook `{name}`"), meant(name, known, &own)));
        }
        for name in layer.enable.iter().chain(&layer.disable) {
            if Bundle::from_name(name).is_none() && !self.is_hook(name) {
                let known = Bundle::WORDS.iter().copied().chain(self.host.hooks.iter().map(|hook| hook.name));
                let all =
                    format!("bundles: {}; `sprag hooks list` shows the hooks", Bundle::WORDS.join(", "));
                let what = format!("there is no bundle and no hook `{name}`");
                faults.push(fault(name, what, meant(name, known, &all)));
            }
        }
        for (kind, edit) in &layer.chains {
            for name in edit.scripts.iter().flatten().chain(&edit.prepend).chain(&edit.append) {
                let Some(builtin) = self.host.hook(name).filter(|builtin| !typed::is_type(builtin)) else {
                    continue;
                };
                if !builtin.sees.iter().any(|sees| sees.kind == *kind) {
                    let events: Vec<&str> = builtin.sees.iter().map(|sees| sees.kind.name()).collect();
                    let what = format!("`{name}` does nothing on {}", kind.name());
                    faults.push(fault(name, what, format!("it runs on {}", events.join(", "))));
                }
            }
        }
        faults
    }

    /// True for a builtin, and for an own hook that has a program or asks a model.
    fn is_hook(&self, name: &str) -> bool {
        let in_folder = |folder: &Path| script_in(folder, name).is_some();
        let tables = || self.layers.iter().filter_map(|layer| layer.hook(name));
        self.host.hook(name).is_some()
            || tables().any(|table| {
                table.read::<ExternalHookSettings<'_>>().command.is_some()
                    || typed::behind(table, self.host.hooks).is_some()
            })
            || in_folder(&self.host.paths.hooks_dir())
            || self.project.sprag.as_ref().is_some_and(|sprag| in_folder(&sprag.join("hooks")))
    }
}

/// The nearest of the known names, else what to do.
pub fn meant<'k>(name: &str, known: impl Iterator<Item = &'k str>, otherwise: &str) -> String {
    match nearest(name, &known.collect::<Vec<_>>()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => otherwise.to_owned(),
    }
}
