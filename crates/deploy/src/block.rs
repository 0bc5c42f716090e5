//! A part of a text file that is sprag's, between two comments. Everything around it stays as it is. No I/O.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::command::{Command, Form};
use super::edit::{Edited, Origin};
use super::json::{SettingsError, refuse};
use super::own::Entry;
use super::plan::Plan;
use sprag_protocol::agents::files::{BlockLayout, Hookup};

const BEGIN: &str = "sprag: begin (written by `sprag deploy`, removed by `sprag undeploy`)";
const SAYS: &str = "sprag: ";
const END: &str = "sprag: end";

/// A file's text around the part, and the part.
struct Parts<'t> {
    before: &'t str,
    inner: Option<&'t str>,
    after: &'t str,
}

fn line(layout: &BlockLayout, said: &str) -> String {
    format!("{} {said}\n", layout.comment)
}

fn split<'t>(layout: &BlockLayout, text: &'t str) -> Parts<'t> {
    let (begin, end) = (line(layout, BEGIN), line(layout, END));
    let whole = Parts { before: text, inner: None, after: "" };
    let Some((before, rest)) = text.split_once(&begin) else { return whole };
    if !before.is_empty() && !before.ends_with('\n') {
        return whole;
    }
    // Without its end the part reaches to the end of the file.
    let (inner, after) = rest.split_once(&end).unwrap_or((rest, ""));
    Parts { before, inner: Some(inner), after }
}

/// Brings `text` in line with the plan. Idempotent.
pub(crate) fn apply(plan: &Plan, layout: &BlockLayout, text: &str) -> Result<Edited, SettingsError> {
    let parts = split(layout, text);
    if let Some(key) = layout.key.filter(|_| !plan.registrations.is_empty()) {
        check(layout, key, &parts)?;
    }
    if plan.registrations.is_empty() {
        return Ok(Edited { text: strip(layout, text, Origin::Unknown), warnings: Vec::new() });
    }
    let exe = plan.command.exe.to_string_lossy();
    let events: Vec<(&str, u64)> =
        plan.registrations.iter().map(|entry| (entry.event.as_str(), entry.timeout)).collect();
    let shell_line = plan.command.shell_line(false);
    let hookup = Hookup { exe: &exe, args: &plan.command.args, line: &shell_line, events: &events };
    let says = json!({"exe": exe, "args": plan.command.args, "events": events});
    let body = (layout.body)(&hookup);
    let block = format!(
        "{}{}{body}{}",
        line(layout, BEGIN),
        line(layout, &format!("{SAYS}{says}")),
        line(layout, END)
    );
    let mut out = String::from(parts.before);
    if text.is_empty() {
        out.push_str(layout.head);
    }
    if !out.is_empty() && !out.ends_with('\n') {
        out.push('\n');
    }
    out.push_str(&block);
    out.push_str(parts.after);
    Ok(Edited { text: out, warnings: Vec::new() })
}

/// A file that says already what the part would say cannot take it.
fn check(layout: &BlockLayout, key: &str, parts: &Parts<'_>) -> Result<(), SettingsError> {
    let mut at = 0;
    for foreign in [parts.before, parts.after] {
        for line in foreign.split_inclusive('\n') {
            let said = line.trim_end();
            let ours = said.is_empty() || said.starts_with(layout.comment);
            if !ours && said.starts_with(key) {
                let message = match key {
                    "" => "the file is a hook of somebody else".to_owned(),
                    key => format!("the file has its own `{}`", key.trim_end_matches([' ', '=', ':'])),
                };
                let hint = "add sprag there by hand (`sprag hook --help` shows the command), or move it away";
                return Err(refuse(foreign, at, message, hint));
            }
            at += line.len();
        }
        at = 0;
    }
    Ok(())
}

/// `text` without our part, and as it was before when that is known.
pub(crate) fn strip(layout: &BlockLayout, text: &str, origin: Origin<'_>) -> String {
    let parts = split(layout, text);
    if parts.inner.is_none() {
        return text.to_owned();
    }
    let rest = format!("{}{}", parts.before, parts.after);
    match origin {
        // A newline was added where the file's last line had none.
        Origin::Text(before) if rest.strip_suffix('\n') == Some(before) => before.to_owned(),
        _ if rest == layout.head => String::new(),
        _ => rest,
    }
}

/// Our entries in `text`.
pub(crate) fn entries(layout: &BlockLayout, exe: Option<&Path>, text: &str) -> Vec<Entry> {
    let parts = split(layout, text);
    let Some(inner) = parts.inner else { return Vec::new() };
    let prefix = format!("{} {SAYS}", layout.comment);
    let said = inner.lines().find_map(|line| line.strip_prefix(&prefix)?.strip_prefix('{').map(|_| line));
    let says: Value =
        said.and_then(|line| serde_json::from_str(line.strip_prefix(&prefix)?).ok()).unwrap_or_default();
    let program = says.get("exe").and_then(Value::as_str).unwrap_or_default();
    let args: Vec<String> =
        serde_json::from_value(says.get("args").cloned().unwrap_or_default()).unwrap_or_default();
    if Command::recognise(program, Some(&args), exe).is_none() {
        return Vec::new();
    }
    let line = parts.before.lines().count() + 1;
    let events = says.get("events").and_then(Value::as_array).into_iter().flatten();
    events
        .filter_map(|event| {
            Some(Entry {
                event: event.get(0)?.as_str()?.to_owned(),
                matcher: None,
                timeout: event.get(1).and_then(Value::as_u64),
                exe: PathBuf::from(program),
                args: args.clone(),
                form: Form::Exec,
                gate: false,
                line,
            })
        })
        .collect()
}
