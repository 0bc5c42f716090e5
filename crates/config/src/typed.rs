//! Own hooks that are no program: `type = "prompt"` is the builtin `prompt-hook` under another name, with its own settings.
//! What every such hook must hold to is checked here: a text of its own, and an event on which it may run.

use super::schema::{CommonHookSettings, ExternalHookSettings, ExternalType};
use crate::settings;
use crate::settings::{Choice as _, Setting, Settings};
use crate::spec::HookSpec;
use sprag_protocol::EventKind;
use sprag_protocol::dialect::StopWay;
use sprag_protocol::{AgentId, dialects};

/// The key that names further events for such a hook.
pub const ALSO_ON: &str = "also_on";

settings! {
    /// Settings of prompt-hook, and of own hooks with `type = "prompt"`.
    pub struct PromptHookSettings<'a> {
        /// what to check; $ARGUMENTS stands for the event as JSON, which else comes at the end
        prompt: Text;
        /// the model to ask; empty is the one of `[llm]`
        model: Text;
        /// further events that may wait for the answer: `["pre_tool_use"]`
        also_on: Texts;
        /// ends of a turn that are held in a row before it may end
        max_blocks: u64 = 3, min 1;
        /// the same question is not asked again for this long; 0 always asks
        cache_s: u64 = 3_600;
        /// also send ids, times and the transcript's path; hardly a question is then asked twice
        whole_payload: bool = false;
    }
}

/// The type that a builtin is behind.
fn type_of(builtin: &HookSpec) -> Option<ExternalType> {
    ExternalType::from_word(builtin.name.strip_suffix("-hook")?)
}

/// True when own hooks can be of this builtin's type.
pub fn is_type(builtin: &HookSpec) -> bool {
    type_of(builtin).is_some()
}

/// The builtin behind an own hook with these settings; a program has none.
pub fn behind<'b>(settings: &Settings, builtins: &'b [&'b HookSpec]) -> Option<&'b HookSpec> {
    let wanted = settings.read::<ExternalHookSettings<'_>>().hook_type;
    builtins.iter().copied().find(|builtin| type_of(builtin) == Some(wanted))
}

/// Keys of an own hook of a type, beside those of every hook and of the builtin behind it.
pub fn keys() -> impl Iterator<Item = &'static Setting> {
    ExternalHookSettings::SETTINGS.iter().filter(|setting| matches!(setting.key, "type" | "description"))
}

/// The own settings of such a hook over those of the builtin behind it, whose text is not passed on.
pub fn over(builtin: &HookSpec, mut base: Settings, own: &Settings) -> Settings {
    let common = CommonHookSettings::SETTINGS.iter().map(|setting| setting.key);
    for key in common.chain(type_of(builtin).map(ExternalType::word)) {
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
    let word = type_of(builtin)?.word();
    let prompt: PromptHookSettings<'_> = settings.read();
    if prompt.prompt.trim().is_empty() {
        return Some((
            format!("`{name}` has nothing to ask"),
            format!("write {word} = \"…\" in [hook.{name}]"),
        ));
    }
    let row = dialects::of(AgentId::CANONICAL).row(kind);
    if row.is_none_or(|row| row.stop == StopWay::Never) {
        return Some((
            format!(
                "`{name}` cannot run on {}: that event cannot be stopped, so no answer counts",
                kind.name()
            ),
            format!("take it out of [hooks.{}]", kind.config_name()),
        ));
    }
    let allowed = builtin.sees.iter().any(|sees| sees.kind == kind)
        || prompt.also_on.iter().any(|event| EventKind::from_any_name(event) == Some(kind));
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
    let prompt: PromptHookSettings<'_> = settings.read();
    prompt.also_on.iter().find(|event| EventKind::from_any_name(event).is_none())
}
