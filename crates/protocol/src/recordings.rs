//! Payloads recorded from the real agents, by name: what tests, cases and the demo feed to hooks.

/// A recorded payload: `claude/PreToolUse.Bash` and its JSON text.
pub struct Recording {
    /// Agent, event, what tells it from others of its kind.
    pub name: &'static str,
    /// The JSON text as it arrived on standard input (paths made neutral).
    pub text: &'static str,
}

include!(concat!(env!("OUT_DIR"), "/recordings.rs"));

/// The recording with this name.
pub fn get(name: &str) -> Option<&'static Recording> {
    ALL.iter().find(|recording| recording.name == name)
}
