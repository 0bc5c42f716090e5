//! no-wip-commits: a commit whose message says that it is unfinished is not made.

use sprag_config::settings;
use sprag_protocol::{Event, EventKind};
use sprag_runtime::hook::{Builtin, Bundle, Cx, Family, HookResult, HookSpec, Preset, Presets, Reply, Sees};

settings! {
    struct NoWipCommitsSettings<'a> {
        /// words that a finished commit does not begin with
        words: Texts = ["wip", "fixup!"], tighten Add;
    }
}

/// The hook.
pub const HOOK: Builtin = Builtin {
    spec: HookSpec {
        name: "no-wip-commits",
        family: Family::Guard,
        bundle: Bundle::Guards,
        summary: "stops commits whose message says that they are unfinished",
        sees: &[Sees { kind: EventKind::PreToolUse, matcher: "Bash" }],
        presets: Presets::of(&[Preset::Strict]),
        settings: NoWipCommitsSettings::SETTINGS,
        timeout_ms: 100,
    },
    run,
};

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    let settings: NoWipCommitsSettings<'_> = cx.settings.read();
    let command = event.tool.as_ref().and_then(|tool| tool.command.as_deref()).unwrap_or_default();
    let Some((_, message)) = command.split_once("git commit -m ") else { return Ok(Reply::pass()) };
    let message = message.trim_start_matches(['"', '\'']).to_lowercase();
    Ok(match settings.words.iter().find(|word| message.starts_with(word)) {
        Some(word) => Reply::deny(format!("The message begins with `{word}`: finish the work, then commit.")),
        None => Reply::pass(),
    })
}
