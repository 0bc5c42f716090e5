//! `sprag logs --verify`: the journal against its seals.

use anyhow::Context as _;
use serde_json::{Value, json};
use sprag_config::host::Host;
use sprag_runtime::seal::{self, Fault, Verified};
use sprag_terminal::{Out, Problem, Tone};
use std::process::ExitCode;

pub(super) fn run(as_json: bool, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    let head = seal::head_file(host);
    let found = seal::verify(&host.paths, head.as_deref()).context(Problem::new(
        "the journal cannot be compared with its seals",
        "a damaged seals.jsonl, journal.key or head file counts as a change: compare it with a backup",
    ))?;
    if as_json {
        out.json(&as_value(&found));
    } else {
        print(&found, head.is_some(), host, out);
    }
    Ok(if found.faults.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn print(found: &Verified, outside: bool, host: &Host, out: &Out) {
    for fault in &found.faults {
        out.line(&out.paint(Tone::Bad, &told(fault, host)));
    }
    if found.seals == 0 && found.faults.is_empty() {
        out.line("The journal has no seals yet: the worker makes the first one after the next session.");
        return;
    }
    if found.faults.is_empty() {
        let last = found.last.as_deref().unwrap_or_default();
        let what = format!("{} lines are as they were sealed (last seal: {last})", found.sealed);
        out.line(&out.paint(Tone::Good, &what));
    }
    if found.unsealed > 0 {
        out.line(&format!("{} lines are newer than the last seal", found.unsealed));
    }
    if found.rotated > 0 {
        out.line(&format!("{} older files were removed by rotation", found.rotated));
    }
    for time in &found.rewritten {
        out.line(&format!("`sprag data delete` removed entries at {time}"));
    }
    if !outside {
        out.note(
            "No `seal_head` in [journal]: whoever can write your files could write journal and seals again.",
        );
    }
}

fn told(fault: &Fault, host: &Host) -> String {
    match fault {
        Fault::Changed { path, from, to, seal } => format!(
            "{}: something in lines {from} to {to} was changed or removed (seal {seal})",
            host.paths.tilde(path)
        ),
        Fault::Missing { lines, seal, t } => {
            format!("a journal file of {lines} lines, or its first line, is missing (seal {seal} of {t})")
        }
        Fault::Chain { seal } => {
            format!("seal {seal} was not made with this key, or does not follow the one before it")
        }
        Fault::Head { seal } => format!("seal {seal} is in `seal_head` and not among the seals"),
    }
}

fn as_value(found: &Verified) -> Value {
    let faults = found.faults.iter().map(|fault| match fault {
        Fault::Changed { path, from, to, seal } => {
            json!({"kind": "changed", "file": path, "from_line": from, "to_line": to, "seal": seal})
        }
        Fault::Missing { lines, seal, t } => {
            json!({"kind": "missing", "lines": lines, "seal": seal, "sealed_at": t})
        }
        Fault::Chain { seal } => json!({"kind": "chain", "seal": seal}),
        Fault::Head { seal } => json!({"kind": "head", "seal": seal}),
    });
    json!({
        "intact": found.faults.is_empty(), "faults": faults.collect::<Vec<_>>(), "seals": found.seals,
        "last_seal": found.last, "sealed_lines": found.sealed, "unsealed_lines": found.unsealed,
        "rotated_files": found.rotated, "rewritten_at": found.rewritten, "heads": found.heads,
    })
}
