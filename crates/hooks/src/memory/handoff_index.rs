//! handoff-index: a handoff or a ledger that the agent writes into the project is found by search, and the next
//! session is given it.

use sprag_protocol::{Access, Event, EventKind};
use sprag_runtime::hook::{Builtin, Bundle, Cx, Family, HookResult, HookSpec, Preset, Presets, Reply, Sees};
use sprag_runtime::job::{Job, Work};
use sprag_runtime::work::HandoffDocument;
use std::path::Path;

/// The hook.
pub const HOOK: Builtin = Builtin {
    spec: HookSpec {
        name: "handoff-index",
        family: Family::Memory,
        bundle: Bundle::Memory,
        summary: "takes handoffs and ledgers that the agent writes into the memory of the project and into the search",
        sees: &[Sees { kind: EventKind::PostToolUse, matcher: "Write|Edit|MultiEdit" }],
        presets: Presets::of(&[Preset::Standard, Preset::Strict, Preset::Swarm]),
        settings: &[],
        timeout_ms: 200,
    },
    run,
};

/// What a path is, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Document {
    Handoff,
    Ledger,
}

fn run(event: &Event, cx: &Cx<'_>) -> HookResult {
    let mut reply = Reply::pass();
    let written = event.tool.iter().flat_map(|tool| &tool.paths).filter(|used| used.access == Access::Write);
    for used in written {
        let Some(document) = document(&used.path) else { continue };
        let path = cx.project.cwd.join(&used.path);
        let key = path.display().to_string();
        let work = Work::HandoffIndex(HandoffDocument {
            path,
            cwd: event.cwd.clone(),
            session: event.session_id.clone(),
            agent: event.agent.name().to_owned(),
            transcript: event.transcript_path.clone().map(Into::into),
            document: document == Document::Handoff,
        });
        reply = reply.with_job(Job::new(work).keyed(key));
    }
    Ok(reply)
}

fn document(path: &str) -> Option<Document> {
    let lower = path.replace('\\', "/").to_lowercase();
    let (folders, name) = lower.rsplit_once('/').unwrap_or(("", &lower));
    let ext = Path::new(name).extension().and_then(|ext| ext.to_str()).unwrap_or_default();
    if !matches!(ext, "md" | "yaml" | "yml") {
        return None;
    }
    if name.starts_with("continuity_") && ext == "md" {
        return Some(Document::Ledger);
    }
    let in_folder = folders.split('/').any(|folder| folder == "handoffs" || folder == "handoff");
    let words = |text: &str| text.split(|c: char| !c.is_alphanumeric()).any(|word| word == "handoff");
    (in_folder || words(name)).then_some(Document::Handoff)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_name() {
        for path in [
            "thoughts/shared/handoffs/auth/2026-11-15_10-00_fix.yaml",
            "/p/docs/HANDOFF.md",
            "handoffs/x.yml",
            "notes/auto-handoff-1.md",
        ] {
            assert_eq!(document(path), Some(Document::Handoff), "{path}");
        }
        assert_eq!(document("thoughts/ledgers/CONTINUITY_CLAUDE-x.md"), Some(Document::Ledger));
        for path in ["src/handoff.rs", "handoffs/run.sh", "docs/shake-hands.md", "README.md", ""] {
            assert_eq!(document(path), None, "{path}");
        }
    }
}
