//! A managed policy: an organisation's `/etc/sprag/policy.toml`. The hooks that it names, by themselves (`[hook.NAME]`) or with
//! their bundle (`enable`), are on for every user of the machine,
//! with settings that are at least as strict; what users, projects and variables say about them counts only where it is
//! stricter still.

use crate::parse::Layer;
use crate::restrict::tightened;
use crate::settings::{Settings, Value};
use crate::spec::HookSpec;

/// What a policy came to.
#[derive(Debug, Default)]
pub struct Applied {
    /// The hooks that nobody can switch off.
    pub required: Vec<String>,
    /// What of it does not count, because a policy can only tighten.
    pub ignored: Vec<String>,
    /// What others said about those hooks and would loosen.
    pub overruled: Vec<String>,
}

/// Puts the policy under the other layers, and takes out of them what would loosen it.
pub fn apply(policy: Layer, layers: &mut Vec<Layer>, builtins: &'static [&'static HookSpec]) -> Applied {
    let mut applied = Applied::default();
    let mut base = Layer { file: policy.file, required: true, ..Layer::default() };
    let mut hooks = policy.hooks;
    for builtin in builtins {
        let wanted = |word: &String| {
            word == builtin.name || word == builtin.bundle.name() && builtin.comes_with_bundle()
        };
        if policy.enable.iter().any(wanted) && !hooks.iter().any(|(name, _)| name == builtin.name) {
            hooks.push((builtin.name.to_owned(), Settings::default()));
        }
    }
    for (name, wanted) in hooks {
        let Some(builtin) = builtins.iter().find(|builtin| builtin.name == name) else {
            applied.ignored.push(format!("[hook.{name}] (not a builtin hook)"));
            continue;
        };
        let mut required = wanted.clone();
        let mut gate = None;
        for key in ["mode", "enabled", "on_error"] {
            match (key, wanted.get(key)) {
                (_, None) | ("enabled", Some(Value::Bool(true))) => {}
                ("mode", Some(mode)) if mode.as_text() == Some("enforce") => {}
                ("on_error", Some(closed)) if closed.as_text() == Some("closed") => {
                    gate = Some(closed.clone());
                }
                _ => applied.ignored.push(format!("{key} in [hook.{name}]")),
            }
            required.unset(key);
        }
        let mut required = tightened(builtin, &required, None, &mut applied.ignored);
        required.set("mode", Value::Text("enforce".to_owned()));
        if let Some(gate) = gate {
            required.set("on_error", gate);
        }
        for layer in layers.iter_mut() {
            let file = layer.file.display().to_string();
            let off = layer.disable.iter().filter(|off| **off == name || *off == builtin.bundle.name());
            applied.overruled.extend(off.map(|off| format!("`{off}` in disable of {file}")));
            let Some((_, own)) = layer.hooks.iter_mut().find(|(hook, _)| *hook == name) else { continue };
            let mut dropped = Vec::new();
            *own = stricter(builtin, own, &required, &mut dropped);
            applied.overruled.extend(dropped.into_iter().map(|what| format!("{what} of {file}")));
        }
        applied.required.push(name.clone());
        base.hooks.push((name, required));
    }
    applied.ignored.extend(policy.preset.map(|preset| format!("preset = \"{preset}\" (name the hooks)")));
    applied.ignored.extend(policy.disable.iter().map(|name| format!("disable = [\"{name}\"]")));
    applied.ignored.extend(policy.trial.map(|trial| format!("trial = \"{trial}\"")));
    applied.ignored.extend(policy.chains.iter().map(|(kind, _)| format!("[hooks.{}]", kind.config_name())));
    applied.ignored.extend(policy.sections.iter().map(|(name, _)| format!("[{name}]")));
    applied.ignored.extend(policy.profiles.iter().map(|(name, _)| format!("[profiles.{name}]")));
    layers.insert(0, base);
    applied
}

/// What somebody's settings add to the required ones.
fn stricter(builtin: &HookSpec, own: &Settings, required: &Settings, dropped: &mut Vec<String>) -> Settings {
    let mut own = own.clone();
    // Saying again what the policy says is no conflict.
    for key in ["mode", "enabled"] {
        if own.get(key).is_some_and(|value| value == &Value::Bool(true) || value.as_text() == Some("enforce"))
        {
            own.unset(key);
        }
    }
    tightened(builtin, &own, Some(required), dropped)
}
