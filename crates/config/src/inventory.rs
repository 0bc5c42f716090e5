//! All hooks there are, builtin and own, with their state in the configuration that applies here.

use crate::host::Host;
use crate::parse::nearest;
use crate::plan::Mode;
use crate::resolve::script_in;
use crate::settings::Value;
use crate::spec::{Bundle, HookSpec};
use crate::trust::Trust;
use crate::typed;
use crate::{Loaded, ResolvedHook};
use sprag_project::Project;
use sprag_protocol::EventKind;
use std::path::{Path, PathBuf};

/// There is no such hook.
#[derive(Debug, thiserror::Error)]
#[error("there is no hook `{name}`")]
pub struct UnknownHook {
    name: String,
    near: Option<String>,
}

impl UnknownHook {
    /// What may have been meant.
    pub fn hint(&self) -> String {
        match &self.near {
            Some(near) => format!("did you mean `{near}`?"),
            None => "`sprag hooks list` shows all of them".to_owned(),
        }
    }
}

/// The hooks and the configuration that they are seen in.
pub struct Inventory<'a> {
    /// Whose hooks.
    pub host: &'a Host,
    /// The project that they are seen from.
    pub project: Project,
    /// What the configuration says there.
    pub loaded: Loaded,
}

/// One hook.
#[derive(Debug)]
pub struct Known {
    /// Its name.
    pub name: String,
    /// What it declares, when it is a builtin.
    pub builtin: Option<&'static HookSpec>,
    /// The builtin that an own hook is under another name (`type = "prompt"`).
    pub behind: Option<&'static HookSpec>,
    /// The file of an own hook that has one.
    pub file: Option<PathBuf>,
    /// Its mode where it is in a chain, else what its state comes to.
    pub mode: Mode,
    /// Whether it runs.
    pub on: bool,
    /// Why it does or does not.
    pub why: String,
    /// The events of its chains, or that it could see.
    pub events: Vec<EventKind>,
}

impl<'a> Inventory<'a> {
    /// The hooks as a project sees them.
    pub fn new(host: &'a Host, project: Project) -> Self {
        let loaded = crate::load(host, &project);
        Self { host, project, loaded }
    }

    /// Every hook: the builtins in the order of the chains, then the user's own by name.
    pub fn all(&self) -> Vec<Known> {
        let mut names: Vec<String> = self.host.hooks.iter().map(|b| b.name.to_owned()).collect();
        let mut own: Vec<String> = Vec::new();
        for folder in self.folders() {
            own.extend(scripts(&folder));
        }
        own.extend(
            self.loaded.layers.iter().flat_map(|layer| layer.hooks.iter().map(|(name, _)| name.clone())),
        );
        let chains = self.loaded.resolved.chains.iter().flat_map(|(_, chain)| chain);
        own.extend(chains.map(|hook| hook.hook.name.clone()));
        own.sort();
        own.dedup();
        own.retain(|name| self.host.hook(name).is_none());
        names.append(&mut own);
        names.into_iter().map(|name| self.state(name)).collect()
    }

    /// The hook with this name, or an error that names the nearest.
    pub fn find(&self, name: &str) -> Result<Known, UnknownHook> {
        let mut all = self.all();
        if let Some(at) = all.iter().position(|known| known.name == name) {
            return Ok(all.swap_remove(at));
        }
        let names: Vec<&str> = all.iter().map(|known| known.name.as_str()).collect();
        Err(UnknownHook { name: name.to_owned(), near: nearest(name, &names).map(str::to_owned) })
    }

    /// Where own hooks may lie: the user's folder, the project's.
    fn folders(&self) -> Vec<PathBuf> {
        let project = self.project.sprag.as_ref().map(|sprag| sprag.join("hooks"));
        std::iter::once(self.host.paths.hooks_dir()).chain(project).collect()
    }

    /// The chains that a hook is in, switched off or not.
    pub fn places(&self, name: &str) -> Vec<(EventKind, &ResolvedHook)> {
        let chains = self.loaded.resolved.chains.iter();
        chains
            .flat_map(|(kind, chain)| chain.iter().map(|hook| (*kind, hook)))
            .filter(|(_, hook)| hook.hook.name == name)
            .collect()
    }

    /// The strongest layer that sets one of these keys of a hook.
    pub fn set_in(&self, name: &str, keys: &[&str]) -> Option<(&Path, &Value)> {
        self.loaded.layers.iter().rev().find_map(|layer| {
            let settings = layer.hook(name)?;
            let value = keys.iter().find_map(|key| settings.get(key))?;
            Some((layer.file.as_path(), value))
        })
    }

    fn state(&self, name: String) -> Known {
        let builtin = self.host.hook(&name);
        let file =
            self.folders().iter().find_map(|folder| script_in(folder, &name)).filter(|_| builtin.is_none());
        let layers = self.loaded.layers.iter().filter(|_| builtin.is_none());
        let behind = layers
            .filter_map(|layer| layer.hook(&name))
            .find_map(|settings| typed::behind(settings, self.host.hooks));
        let places = self.places(&name);
        let mut events: Vec<EventKind> = places.iter().map(|(kind, _)| *kind).collect();
        if events.is_empty() {
            events.extend(
                builtin.or(behind).iter().flat_map(|builtin| builtin.sees.iter().map(|sees| sees.kind)),
            );
        }
        let mode = places.first().map_or(Mode::Off, |(_, hook)| hook.hook.mode);
        let disabled = self.host.env.get("SPRAG_DISABLE").unwrap_or_default();
        let required = places.first().is_some_and(|(_, hook)| hook.hook.required);
        let bundle = builtin.map(|builtin| builtin.bundle.name());
        let names_it = |word: &str| word == name || word == "all" || Some(word) == bundle;
        let by_variable = !required && disabled.split(',').any(|word| names_it(word.trim()));
        let why = match places.first() {
            Some(_) if by_variable => "SPRAG_DISABLE".to_owned(),
            Some((_, hook)) if mode == Mode::Off => match self.set_in(&name, &["mode", "enabled"]) {
                Some((file, _)) => format!("off in {}", self.host.paths.tilde(file)),
                None => hook.why.clone(),
            },
            Some((_, hook)) => hook.why.clone(),
            None => self.why_absent(&name, builtin, file.as_deref()),
        };
        let on = mode != Mode::Off && !by_variable;
        Known { name, builtin, behind, file, mode, on, why, events }
    }

    fn why_absent(&self, name: &str, builtin: Option<&HookSpec>, file: Option<&Path>) -> String {
        if let Some((file, _)) = self.set_in(name, &["mode", "enabled"]) {
            return format!("off in {}", self.host.paths.tilde(file));
        }
        let of_project = file.is_some_and(|file| file.starts_with(&self.project.root));
        match builtin {
            Some(builtin) if builtin.is_in(self.loaded.resolved.preset) => {
                "a [hooks.<event>] list leaves it out".to_owned()
            }
            Some(builtin) if builtin.bundle == Bundle::Advice => "bundle advice is not enabled".to_owned(),
            Some(_) => format!("not in preset {}", self.loaded.resolved.preset),
            None if of_project && self.loaded.trust != Trust::Trusted => {
                "the project is not trusted (`sprag trust`)".to_owned()
            }
            None => "in no chain (`sprag enable`)".to_owned(),
        }
    }
}

/// The names of the scripts in a hooks folder.
fn scripts(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .filter_map(|entry| {
            let path = entry.path();
            let name = path.file_stem()?.to_str()?.to_owned();
            // The same rules as for the chains: cases and pages beside a hook are none.
            script_in(folder, &name).map(|_| name)
        })
        .collect()
}
