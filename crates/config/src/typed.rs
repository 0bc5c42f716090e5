//! Own hooks that are no program: `type = "prompt"` is the builtin `prompt-hook` under another name, with its own settings.
//! What every such hook must hold to is checked here: a text of its own, and an event on which it may run.

use super::schema::EXTERNAL_KEYS;
use crate::settings::{Kind, Setting, Settings, Value};
use crate::spec::HookSpec;
use sprag_protocol::EventKind;
use sprag_protocol::dialect::StopWay;
use sprag_protocol::{AgentId, dialects};

/// The key that names further events for such a hook.
pub const ALSO_ON: &str = "also_on";

/// The type that a builtin is behind.
fn type_of(builtin: &HookSpec) -> Option<&'static str> {
    let word = builtin.name.strip_suffix("-hook")?;
    let known = EXTERNAL_KEYS.iter().find(|setting| setting.key == "type").map(|setting| setting.kind);
    matches!(known, Some(Kind::Choice(words)) if words.contains(&word)).then_some(word)
}

/// True when own hooks can be of this builtin's type.
pub fn is_type(builtin: &HookSpec) -> bool {
    type_of(builtin).is_some()
}

/// The builtin behind an own hook with these settings; a program has none.
pub fn behind<'b>(settings: &Settings, builtins: &'b [&'b HookSpec]) -> Option<&'b HookSpec> {
    let wanted = settings.get("type")?.as_text()?;
    builtins.iter().copied().find(|builtin| type_of(builtin) == Some(wanted))
}

/// Keys of an own hook of a type, beside those of every hook and of the builtin behind it.
pub fn keys() -> impl Iterator<Item = &'static Setting> {
    EXTERNAL_KEYS.iter().filter(|setting| matches!(setting.key, "type" | "description"))
}

/// The own settings of such a hook over those of the builtin behind it, whose text is not passed on.
pub fn over(builtin: &HookSpec, mut base: Settings, own: &Settings) -> Settings {
    for key in super::schema::HOOK_KEYS.iter().map(|setting| setting.key).chain(type_of(builtin)) {
        base.unset(key);
    }
    base.merge(own);
    base
}

/// Why a hook may not run on an event, and what to do.
pub fn refused(
    kind: EventKind,
    name: &str,
    builtin: &HookSpec,
    settings: &Settings,
) -> Option<(String, String)> {
    let word = type_of(builtin)?;
    if settings.get(word).and_then(Value::as_text).is_none_or(|text| text.trim().is_empty()) {
        return Some((
            format!("`{name}` has nothing to ask"),
            format!("write {word} = \"…\" in [hook.{name}]"),
        ));
    }
    let row = dialects::of(AgentId::Claude).row(kind);
    if row.is_none_or(|row| row.stop == StopWay::Never) {
        return Some((
            format!(
                "`{name}` cannot run on {}: that event cannot be stopped, so no answer counts",
                kind.name()
            ),
            format!("take it out of [hooks.{}]", kind.config_name()),
        ));
    }
    let also = settings.get(ALSO_ON).map_or(&[][..], Value::items);
    let allowed = builtin.sees.iter().any(|sees| sees.kind == kind)
        || also.iter().filter_map(Value::as_text).any(|event| EventKind::from_any_name(event) == Some(kind));
    if allowed {
        return None;
    }
    let usual: Vec<&str> = builtin.sees.iter().map(|sees| sees.kind.name()).collect();
    Some((
        format!(
            "`{name}` asks a model and may not run on {}: every such event would wait for the answer",
            kind.name()
        ),
        format!(
            "it may run on {}; to have it here all the same, {ALSO_ON} = [\"{}\"] in [hook.{name}]",
            usual.join(", "),
            kind.config_name()
        ),
    ))
}

/// An event in `also_on` that is none.
pub fn no_event(settings: &Settings) -> Option<&str> {
    let also = settings.get(ALSO_ON).map_or(&[][..], Value::items);
    also.iter().filter_map(Value::as_text).find(|event| EventKind::from_any_name(event).is_none())
}
