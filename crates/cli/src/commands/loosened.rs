//! What a person loosened: approvals, exceptions in the configuration, guards and rules that are off. All of it is
//! listed in one place, and can be taken back.

use anyhow::{Context as _, bail};
use serde_json::{Value, json};
use sprag_base::files;
use sprag_base::time::Stamp;
use sprag_config::edit;
use sprag_config::host::Host;
use sprag_config::spec::{Bundle, Family};
use sprag_runtime::approvals::{self, Approval};
use sprag_terminal::person;
use sprag_terminal::{Out, Problem, Table, Tone, visible, when};
use std::process::ExitCode;
use toml_edit::{DocumentMut, Item};

/// An entry of the configuration that lets something through.
struct Exception {
    /// The stop that `sprag allow ID --always` was about; one written by hand has none.
    id: Option<String>,
    hook: String,
    what: String,
}

/// When an approval ends, on the user's clock. That of a session is of no use after it, however long it is kept.
pub(super) fn until(approval: &Approval) -> String {
    match &approval.session {
        Some(session) => {
            format!("the session ends ({})", session.chars().take(8).collect::<String>())
        }
        None => Stamp::parse(&approval.until).map_or_else(|| approval.until.clone(), when::local),
    }
}

/// Lists it.
pub(super) fn list(json: bool, host: &Host, out: &Out) {
    let approved = approvals::valid(host);
    let document = document(host);
    let exceptions = exceptions(&document);
    let off = off(&document, host);
    if json {
        let rows =
            exceptions.iter().map(|found| json!({"id": found.id, "hook": found.hook, "what": found.what}));
        return out.json(&json!({
            "approvals": approved.iter().map(|one| serde_json::to_value(one).unwrap_or_default()).collect::<Vec<_>>(),
            "exceptions": rows.collect::<Vec<Value>>(), "off": off,
        }));
    }
    if approved.is_empty() && exceptions.is_empty() && off.is_empty() {
        return out.line("nothing is approved");
    }
    let mut table = Table::new(&["what", "id", "how", "until"]);
    let mut row = |what: &str, id: Option<&str>, how: &str, until: String| {
        let cells = [visible(&what.replace('\n', " ")), id.unwrap_or("-").to_owned(), how.to_owned(), until];
        table.row(cells.map(|cell| (Tone::Plain, cell)).into());
    };
    for approval in approved {
        let how = match (&approval.path, &approval.session) {
            (Some(_), _) => "read",
            (None, Some(_)) => "session",
            (None, None) => "once",
        };
        let what = approval.path.as_ref().or(approval.shown.as_ref()).cloned().unwrap_or_default();
        row(&what, approval.stop.as_deref(), how, until(&approval));
    }
    for found in &exceptions {
        row(&found.what, found.id.as_deref(), "always", "it is taken back".to_owned());
    }
    for name in &off {
        row(name, None, "off", format!("sprag enable {name}"));
    }
    out.table(&table);
    let hint = "Take one back: `sprag allow --revoke ID`, or its path instead of the id.";
    out.line(&out.paint(Tone::Dim, hint));
}

/// Takes back what was allowed under an id, or what was approved of a path.
pub(super) fn revoke(which: &str, json: bool, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    // The configuration is the person's: no agent tidies it.
    person::refuse_inside_agent(host)?;
    let id = which.to_ascii_lowercase();
    let path = std::path::absolute(which).unwrap_or_default();
    let path = sprag_shell::normalise(&path.to_string_lossy(), "/");
    let elsewhere = sprag_guard::links::elsewhere(&path);
    let is_path = |text: &str| text == path || text == which || Some(text) == elsewhere.as_deref();
    let wanted = |approval: &Approval| {
        approval.stop.as_ref() == Some(&id) || approval.path.as_deref().is_some_and(is_path)
    };
    let gone = approvals::revoke(host, wanted)
        .with_context(|| Problem::new("the approval cannot be removed", "run `sprag doctor`"))?;
    let mut count = gone.len();
    let file = host.paths.config_file();
    if exceptions(&document(host)).iter().any(|found| found.id.as_ref() == Some(&id) || is_path(&found.what))
    {
        edit::edit(&file, |document| count += remove(document, &id, &is_path))?;
    }
    if count == 0 {
        bail!(Problem::new(
            format!("nothing is allowed under `{which}`"),
            "`sprag allow --list` shows what is, with its ids"
        ));
    }
    if json {
        out.json(&json!({ "revoked": count }));
    } else {
        out.line(&format!("{which}: taken back; it is stopped again"));
    }
    Ok(ExitCode::SUCCESS)
}

fn document(host: &Host) -> DocumentMut {
    let text = files::read_text(host.paths.config_file(), files::STATE).unwrap_or_default();
    text.parse().unwrap_or_default()
}

/// The keys of hooks under which something is let through.
const KEYS: [&str; 3] = ["allow", "except", "allow_types"];

/// The id in the words that `sprag allow ID --always` leaves.
fn id_in(reason: &str) -> Option<String> {
    let rest = reason.split_once("sprag allow ")?.1;
    let (id, rest) = rest.split_once(' ')?;
    rest.starts_with("--always").then(|| id.to_owned())
}

fn comment(value: &toml_edit::Value) -> &str {
    value.decor().prefix().and_then(|prefix| prefix.as_str()).unwrap_or_default()
}

fn table_id(table: &toml_edit::Table) -> Option<String> {
    id_in(table.get("reason")?.as_str()?)
}

fn exceptions(document: &DocumentMut) -> Vec<Exception> {
    let mut found = Vec::new();
    let hooks = document.get("hook").and_then(Item::as_table_like);
    for (hook, settings) in hooks.iter().flat_map(|hooks| hooks.iter()) {
        for item in KEYS.iter().filter_map(|key| settings.get(key)) {
            for table in item.as_array_of_tables().into_iter().flatten() {
                let text = |key: &str| table.get(key).and_then(Item::as_str);
                let what = ["exact", "prefix", "rule", "shown", "call"].iter().find_map(|key| text(key));
                let what = what.unwrap_or_default().to_owned();
                found.push(Exception { id: table_id(table), hook: hook.to_owned(), what });
            }
            for value in item.as_array().into_iter().flatten() {
                let what = value.as_str().map_or_else(|| value.to_string().trim().to_owned(), str::to_owned);
                found.push(Exception { id: id_in(comment(value)), hook: hook.to_owned(), what });
            }
        }
    }
    found
}

/// Removes what has this id, or is this path; says how many there were.
fn remove(document: &mut DocumentMut, id: &str, is_path: &dyn Fn(&str) -> bool) -> usize {
    let mut count = 0;
    let hooks = document.get_mut("hook").and_then(Item::as_table_like_mut);
    for (_, settings) in hooks.into_iter().flat_map(|hooks| hooks.iter_mut()) {
        let Some(settings) = settings.as_table_like_mut() else { continue };
        for key in KEYS {
            let Some(item) = settings.get_mut(key) else { continue };
            let is_empty = if let Some(tables) = item.as_array_of_tables_mut() {
                let before = tables.len();
                tables.retain(|table| table_id(table).as_deref() != Some(id));
                count += before - tables.len();
                tables.is_empty()
            } else if let Some(array) = item.as_array_mut() {
                let before = array.len();
                array.retain(|value| {
                    id_in(comment(value)).as_deref() != Some(id) && !value.as_str().is_some_and(is_path)
                });
                count += before - array.len();
                array.is_empty()
            } else {
                false
            };
            if is_empty {
                settings.remove(key);
            }
        }
    }
    count
}

/// Guards and rules that the user's configuration has off.
fn off(document: &DocumentMut, host: &Host) -> Vec<String> {
    let is_guard = |name: &str| host.hook(name).is_some_and(|hook| hook.family == Family::Guard);
    let texts = |item: Option<&Item>| -> Vec<String> {
        let array = item.and_then(Item::as_array).into_iter().flatten();
        array.filter_map(|value| value.as_str()).map(str::to_owned).collect()
    };
    let mut off = texts(document.get("disable"));
    off.retain(|name| Bundle::from_name(name) == Some(Bundle::Guards) || is_guard(name));
    let hooks = document.get("hook").and_then(Item::as_table_like);
    for (name, settings) in hooks.iter().flat_map(|hooks| hooks.iter()) {
        let mode = settings.get("mode").and_then(Item::as_str);
        let switched = settings.get("enabled").and_then(Item::as_bool) == Some(false);
        if is_guard(name) && (switched || matches!(mode, Some("off" | "shadow"))) {
            off.push(name.to_owned());
        }
        off.extend(texts(settings.get("disabled_rules")));
    }
    off
}

/// True when the user's configuration has a rule off.
pub(super) fn rule_is_off(host: &Host, rule: &str) -> bool {
    off(&document(host), host).iter().any(|name| name == rule)
}
