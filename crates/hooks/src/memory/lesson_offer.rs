//! lesson-offer: a `#lesson` tag that the model left is offered to the user when the turn ends, in the same session.

use sprag_base::id::short_hash;
use sprag_lessons::jobs;
use sprag_lessons::model::first_line;
use sprag_lessons::scan::{Tag, read_tags};
use sprag_protocol::{Event, EventKind};
use sprag_runtime::hook::{Builtin, Bundle, Cx, Family, HookResult, HookSpec, Preset, Presets, Reply, Sees};
use sprag_scan::scrub::scrub;

/// The hook.
pub const HOOK: Builtin = Builtin {
    spec: HookSpec {
        name: "lesson-offer",
        family: Family::Memory,
        bundle: Bundle::Lessons,
        summary: "offers a `#lesson` tag of the model to the user when the turn ends",
        sees: &[Sees { kind: EventKind::Stop, matcher: "" }],
        presets: Presets::of(&[Preset::Standard, Preset::Strict, Preset::Swarm]),
        settings: &[],
        timeout_ms: 500,
    },
    run,
};

/// The tags that were offered in this session, by their hashes.
const OFFERED: &str = "lessons-offered";
/// The most characters of a lesson in the message.
const MAX_CHARS: usize = 120;

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    let said = event.text("last_assistant_message").unwrap_or_default();
    if !said.contains("#lesson") || event.session_id.is_empty() {
        return Ok(Reply::pass());
    }
    let offered = cx.session.read(OFFERED);
    let mut new = Vec::new();
    for tag in read_tags(said) {
        let Tag::Lesson { problem, .. } = tag else { continue };
        let hash = short_hash(problem.as_bytes());
        if !offered.contains(&hash) {
            cx.session.append(OFFERED, &hash)?;
            new.push(scrub(&first_line(&problem, MAX_CHARS)).into_owned());
        }
    }
    let Some(first) = new.first() else { return Ok(Reply::pass()) };
    let text = match new.len() {
        1 => format!("sprag: the model left a lesson: {first}. Keep it or not: `sprag lessons review`"),
        many => format!(
            "sprag: the model left {many} lessons, the first: {first}. Keep them or not: `sprag lessons review`"
        ),
    };
    let transcript = event.transcript_path.as_deref().unwrap_or_default();
    let job = jobs::tags_job(&event.session_id, transcript, &event.cwd, said);
    Ok(Reply::pass().with_message(text).with_job(job))
}
