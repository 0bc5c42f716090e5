//! Configuration: files to layers, layers to the active hooks of each event.
#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests set up files"))]

pub mod bundles;
pub mod cache;
pub mod edit;
pub mod host;
pub mod inventory;
mod names;
pub mod parse;
pub mod plan;
pub mod policy;
pub mod resolve;
pub mod restrict;
pub mod schema;
pub mod settings;
pub mod spec;
pub mod template;
pub mod trial;
pub mod trust;
pub mod typed;
pub mod untrusted_env;

pub use names::meant;
pub use parse::{ConfigError, Layer};
pub use resolve::{Resolved, ResolvedHook, Sections};

use crate::host::Host;
use crate::trust::Trust;
use sprag_project::Project;
use std::path::{Path, PathBuf};

/// Everything that the configuration of one project says, and what is wrong with it.
#[derive(Debug)]
pub struct Loaded {
    /// The active hooks.
    pub resolved: Resolved,
    /// The files and the environment, as far as they count, the later the stronger.
    pub layers: Vec<Layer>,
    /// Faults, by file and line.
    pub errors: Vec<ConfigError>,
    /// What an untrusted project wanted and did not get.
    pub ignored: Vec<String>,
    /// What the managed policy requires.
    pub policy: policy::Applied,
    /// What the project's folder is worth.
    pub trust: Trust,
    /// Files whose change makes this stale, whether they are there or not.
    pub inputs: Vec<PathBuf>,
    /// The user's own file is broken: the last good one, or the default, is used.
    pub user_broken: bool,
}

/// Reads the user's and the project's configuration.
pub fn load(host: &Host, project: &Project) -> Loaded {
    let mut errors = Vec::new();
    let mut inputs = vec![host.paths.config_file(), host.paths.hooks_dir(), host.paths.trust_file()];
    let mut user = read_layer(&host.paths.config_file(), OWN_LIMIT, host, &mut errors);
    let user_broken = !errors.is_empty();
    // What is wrong with the rest of a file that has an error is told with it.
    let broken = user_broken.then(|| std::mem::replace(&mut user, last_good(host)));
    let mut ignored = Vec::new();
    let mut layers = vec![user];
    let mut trust_state = Trust::Nothing;
    if project.sprag.is_some() || project.is_codebase(&host.paths.home) {
        trust_state = trust::state(&host.paths, &project.root);
    }
    if let Some(sprag) = &project.sprag {
        inputs.push(sprag.join("config.toml"));
        inputs.push(sprag.join("hooks"));
        inputs.extend(trust::covered_files(&project.root));
        let before = errors.len();
        let file = sprag.join("config.toml");
        let mut layer = if leads_out(&file, &project.root) {
            errors.push(ConfigError {
                file: file.clone(),
                line: 1,
                what: "is a link that leads out of the project".into(),
                hint: "put the file itself there".into(),
            });
            Layer::default()
        } else {
            read_layer(&file, PROJECT_LIMIT, host, &mut errors)
        };
        if errors.len() > before {
            // A broken file of a repository must not cost the user's own guards: it does not count at all.
            layer = Layer::default();
        }
        let layer = if trust_state == Trust::Trusted {
            layer
        } else {
            let (kept, dropped) = restrict::tighten_only(layer, layers.first(), host.hooks);
            ignored = dropped;
            kept
        };
        layers.push(layer);
    }
    layers.push(resolve::from_env(&host.env));
    let mut policy = policy::Applied::default();
    if let Some(file) = &host.paths.policy {
        inputs.push(file.clone());
        let layer = read_layer(file, OWN_LIMIT, host, &mut errors);
        if layer != Layer::default() {
            policy = policy::apply(layer, &mut layers, host.hooks);
        }
    }
    let trusted_project = (trust_state == Trust::Trusted).then_some(project);
    let (mut resolved, mut faults) = resolve::resolve(host, trusted_project, &layers);
    resolved.trial = trial::of(host, layers.iter().rev().find_map(|layer| layer.trial.as_deref()));
    inputs.extend(resolved.programs());
    let rest = || layers.iter().skip(1).cloned();
    let written: Option<Vec<Layer>> = broken.map(|broken| std::iter::once(broken).chain(rest()).collect());
    if let Some(written) = &written {
        faults = resolve::resolve(host, trusted_project, written).1;
    }
    errors.append(&mut faults);
    errors.append(&mut names::check(host, project, written.as_deref().unwrap_or(&layers)));
    inputs.sort();
    inputs.dedup();
    resolved.faulty = !errors.is_empty();
    Loaded { resolved, layers, errors, ignored, policy, trust: trust_state, inputs, user_broken }
}

/// Remembers the user's file as good, for the day it is broken.
pub fn remember_good(host: &Host) {
    let copy = host.paths.state.join("last-good.toml");
    match sprag_base::files::read(host.paths.config_file(), OWN_LIMIT) {
        Ok(text) => {
            if sprag_base::files::read(&copy, OWN_LIMIT).ok().as_ref() != Some(&text) {
                let _ = sprag_base::files::write_atomic(&copy, &text);
            }
        }
        Err(_) => {
            let _ = sprag_base::files::remove(&copy);
        }
    }
}

fn last_good(host: &Host) -> Layer {
    let copy = host.paths.state.join("last-good.toml");
    let Ok(text) = sprag_base::files::read_text(&copy, OWN_LIMIT) else { return Layer::default() };
    let (layer, errors) = parse::parse(&text, &host.paths.config_file(), host.hooks);
    if errors.is_empty() { layer } else { Layer::default() }
}

/// The largest configuration of the user's own that is read.
pub(crate) const OWN_LIMIT: u64 = 4 << 20;
/// The same of a project's: a repository must not cost every call of its visitors.
const PROJECT_LIMIT: u64 = 256 << 10;

/// A repository's file must not be another file of this machine.
fn leads_out(file: &Path, root: &Path) -> bool {
    match (file.canonicalize(), root.canonicalize()) {
        (Ok(file), Ok(root)) => !file.starts_with(root),
        _ => false,
    }
}

fn read_layer(file: &Path, limit: u64, host: &Host, errors: &mut Vec<ConfigError>) -> Layer {
    let text = match sprag_base::files::read_whole(file, limit) {
        Ok(Some(bytes)) => String::from_utf8_lossy(&bytes).into_owned(),
        Ok(None) => return Layer::default(),
        Err(error) => {
            errors.push(ConfigError {
                file: file.to_path_buf(),
                line: 1,
                what: format!("cannot be read: {error}"),
                hint: "check its owner and mode".into(),
            });
            return Layer::default();
        }
    };
    let (layer, mut faults) = parse::parse(&text, file, host.hooks);
    errors.append(&mut faults);
    layer
}
