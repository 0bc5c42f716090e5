//! What an untrusted project may say: it may turn a guard on, add a deny, lower a limit. Nothing else.

use super::parse::Layer;
use super::typed;
use crate::settings::{SettingKind, Settings, Tighten, Value};
use crate::spec::{Bundle, Family, HookSpec, Preset};

/// The layer with everything taken out that would loosen, and what was taken out.
pub fn tighten_only(
    layer: Layer,
    user: Option<&Layer>,
    builtins: &'static [&'static HookSpec],
) -> (Layer, Vec<String>) {
    let mut ignored = Vec::new();
    let mut kept = Layer { file: layer.file.clone(), ..Layer::default() };
    let user_preset = user.and_then(|user| user.preset).unwrap_or_default();
    if let Some(preset) = layer.preset {
        if covers(preset, user_preset, builtins) {
            kept.preset = Some(preset);
        } else {
            ignored.push(format!("preset = \"{preset}\" (it turns hooks off)"));
        }
    }
    for name in layer.enable {
        let guards = Bundle::from_name(&name) == Some(Bundle::Guards);
        if guards || builtins.iter().any(|builtin| builtin.name == name && may_switch(builtin)) {
            kept.enable.push(name);
        } else {
            ignored.push(format!("`{name}` in enable"));
        }
    }
    ignored.extend(layer.disable.iter().map(|name| format!("`{name}` in disable")));
    ignored.extend(layer.trial.map(|trial| format!("trial = \"{trial}\"")));
    for (kind, edit) in layer.chains {
        let names = edit.scripts.into_iter().flatten().chain(edit.prepend).chain(edit.append);
        let mut guards = Vec::new();
        for name in names {
            match builtins.iter().find(|builtin| builtin.name == name) {
                Some(builtin) if may_switch(builtin) => guards.push(name),
                _ => ignored.push(format!("`{name}` in [hooks.{}]", kind.config_name())),
            }
        }
        if !guards.is_empty() {
            let edit = super::parse::ChainEdit { append: guards, ..Default::default() };
            kept.chains.push((kind, edit));
        }
    }
    for (name, settings) in layer.hooks {
        let Some(builtin) = builtins.iter().find(|builtin| builtin.name == name) else {
            let what = match typed::behind(&settings, builtins) {
                Some(_) => "it asks a model",
                None => "a program",
            };
            ignored.push(format!("[hook.{name}] ({what})"));
            continue;
        };
        let own = user.and_then(|user| user.hook(&name));
        let allowed = tightened(builtin, &settings, own, &mut ignored);
        if allowed.keys().next().is_some() {
            kept.hooks.push((name, allowed));
        }
    }
    for (name, _) in layer.sections {
        ignored.push(format!("[{name}]"));
    }
    for (name, _) in layer.profiles {
        ignored.push(format!("[profiles.{name}]"));
    }
    (kept, ignored)
}

/// True when turning the hook on only tightens. One that asks a model also sends what it sees and spends: that is for a
/// person to want.
fn may_switch(builtin: &HookSpec) -> bool {
    builtin.family == Family::Guard && !typed::is_type(builtin)
}

/// True when every hook of preset `old` is on in preset `new`.
fn covers(new: Preset, old: Preset, builtins: &[&HookSpec]) -> bool {
    builtins.iter().all(|b| !b.is_in(old) || b.is_in(new))
}

pub(crate) fn tightened(
    builtin: &HookSpec,
    wanted: &Settings,
    own: Option<&Settings>,
    ignored: &mut Vec<String>,
) -> Settings {
    let mut kept = Settings::default();
    for key in wanted.keys() {
        let Some(value) = wanted.get(key) else { continue };
        let declared = builtin.settings.iter().find(|setting| setting.key == key);
        let default = declared.and_then(crate::settings::Setting::default_list);
        let now = own.and_then(|own| own.get(key)).or(default.as_ref());
        let stops = declared.filter(|setting| setting.tighten == Tighten::AddStops).map(|_| stops_of(value));
        if stops.as_ref().is_some_and(|stops| stops.items().len() < value.items().len()) {
            ignored.push(format!("an approval in {key} of [hook.{}]", builtin.name));
        }
        let value = stops.as_ref().unwrap_or(value);
        let allowed = match key {
            // Turning a guard on is tightening; anything about other hooks is not the project's business.
            "mode" => may_switch(builtin) && value.as_text() == Some("enforce"),
            "enabled" => may_switch(builtin) && value == &Value::Bool(true),
            "on_error" => may_switch(builtin) && value.as_text() == Some("closed"),
            _ => declared.is_some_and(|setting| stricter(setting.tighten, setting.kind, value, now)),
        };
        if allowed {
            match (declared.map(|setting| setting.tighten), now) {
                (Some(Tighten::Add | Tighten::AddStops), now) => {
                    if value.items().len() > MAX_ADDED {
                        ignored.push(format!(
                            "more than {MAX_ADDED} entries of {key} in [hook.{}]",
                            builtin.name
                        ));
                    }
                    kept.set(key, joined(now.unwrap_or(&Value::List(Vec::new())), value));
                }
                _ => kept.set(key, value.clone()),
            }
        } else {
            ignored.push(format!("{key} in [hook.{}]", builtin.name));
        }
    }
    kept
}

fn stricter(direction: Tighten, kind: SettingKind, value: &Value, now: Option<&Value>) -> bool {
    let number = |value: Option<&Value>| match (value, kind) {
        (Some(Value::Int(number)), _) => Some(*number),
        (None, SettingKind::Int { default, .. }) => Some(default),
        _ => None,
    };
    match direction {
        Tighten::Never => false,
        Tighten::Lower => matches!((number(Some(value)), number(now)), (Some(new), Some(old)) if new <= old),
        Tighten::Raise => matches!((number(Some(value)), number(now)), (Some(new), Some(old)) if new >= old),
        Tighten::ToTrue => value == &Value::Bool(true),
        Tighten::Add => true,
        // Only stops are left of it.
        Tighten::AddStops => !value.items().is_empty(),
    }
}

/// The rules of a list that stop something. Without a word a rule would be whatever its hook takes it for: that must
/// not be an approval.
fn stops_of(list: &Value) -> Value {
    let stops = |item: &&Value| matches!(item.get("decision").and_then(Value::as_text), Some("deny" | "ask"));
    Value::List(list.items().iter().filter(stops).cloned().collect())
}

/// Entries that an untrusted project may add to a list: each is compared at every call, and a guard that is too slow
/// to answer stops nothing.
const MAX_ADDED: usize = 100;

/// A list with what another adds.
fn joined(now: &Value, more: &Value) -> Value {
    let mut items = now.items().to_vec();
    items.extend(more.items().iter().filter(|item| !now.items().contains(item)).take(MAX_ADDED).cloned());
    Value::List(items)
}
