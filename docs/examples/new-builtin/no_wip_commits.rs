//! no-wip-commits: a commit whose message says that it is unfinished is not made.

use sprag_config::settings;
use sprag_guard::shell;
use sprag_protocol::{Event, EventKind};
use sprag_runtime::hook::{Builtin, Bundle, Cx, Family, HookResult, HookSpec, Preset, Presets, Reply, Sees};
use sprag_shell::Cmd;

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
    // What the line would run, however it is written: `cd x && git -C y commit -am …` too.
    let Some((line, _)) = shell::analysis(event, cx) else { return Ok(Reply::pass()) };
    let commits = line.local_commands().filter(|command| command.matches("git commit"));
    let messages: Vec<String> = commits.filter_map(message).map(str::to_lowercase).collect();
    let unfinished = |word: &&str| messages.iter().any(|message| message.starts_with(word));
    Ok(match settings.words.iter().find(unfinished) {
        Some(word) => Reply::deny(format!("The message begins with `{word}`: finish the work, then commit.")),
        None => Reply::pass(),
    })
}

/// The text after `-m`, `-am` or `--message`.
fn message(commit: &Cmd) -> Option<&str> {
    let mut words = commit.args.iter().map(|arg| arg.text.as_str());
    let names_it = |word: &&str| {
        *word == "--message" || word.starts_with('-') && !word.starts_with("--") && word.ends_with('m')
    };
    words.find(names_it).and_then(|_| words.next())
}
