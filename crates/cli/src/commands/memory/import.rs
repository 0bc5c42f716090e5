//! Memories from a file: JSON, JSON lines, or a text in parts.

use super::{WhatArgs, open, said, tell_trouble};
use anyhow::Context as _;
use serde_json::{Value, json};
use sprag_config::host::Host;
use sprag_coord::store::micros;
use sprag_memory::recall::chunks::chunks;
use sprag_memory::recall::{Draft, Error, Remembered};
use sprag_terminal::{Out, Problem};
use std::io::Read as _;
use std::path::Path;

pub(super) fn import(
    host: &Host,
    out: &Out,
    file: &Path,
    what: &WhatArgs,
    as_json: bool,
) -> anyhow::Result<()> {
    let mut text = String::new();
    if file.as_os_str() == "-" {
        std::io::stdin().read_to_string(&mut text)?;
    } else {
        text = sprag_base::files::read_argument_text(file).with_context(|| {
            Problem::new(format!("{} cannot be read", file.display()), "name a text file")
        })?;
    }
    let drafts = drafts(&text, &what.draft(host, String::new()));
    let mut library = open(host)?;
    let now = micros(host.clock.now());
    let (mut new, mut known, mut refused) = (0, 0, 0);
    for draft in &drafts {
        match library.remember(draft, now) {
            Ok(Remembered::New(_)) => new += 1,
            Ok(_) => known += 1,
            Err(Error::Refused(_)) => refused += 1,
            Err(error) => return Err(said(error)),
        }
    }
    tell_trouble(host, out, &library, "found by words until the background has made their vectors")?;
    if as_json {
        out.json(&json!({ "new": new, "known": known, "refused": refused }));
    } else {
        let refused = if refused > 0 { format!(", {refused} empty or too long") } else { String::new() };
        out.line(&format!("{new} remembered, {known} known already{refused}"));
    }
    Ok(())
}

/// The memories of a file. Every line of JSON with a text is one; anything else is a text in parts.
fn drafts(text: &str, base: &Draft) -> Vec<Draft> {
    let values: Option<Vec<Value>> = match serde_json::from_str::<Value>(text) {
        Ok(Value::Array(list)) => Some(list),
        Ok(value @ Value::Object(_)) => Some(vec![value]),
        _ => text
            .lines()
            .filter(|line| !line.trim().is_empty())
            .map(|line| serde_json::from_str(line).ok())
            .collect(),
    };
    match values {
        Some(values) if !values.is_empty() => {
            values.iter().filter_map(|value| from_json(value, base)).collect()
        }
        _ => chunks(text).into_iter().map(|part| Draft { text: part, ..base.clone() }).collect(),
    }
}

/// A memory of JSON; other systems' names for the same are understood.
fn from_json(value: &Value, base: &Draft) -> Option<Draft> {
    let text = |keys: &[&str]| keys.iter().find_map(|key| value.get(key)?.as_str()).map(str::to_owned);
    let tags = value.get("tags").map(|tags| match tags {
        Value::Array(list) => list.iter().filter_map(|tag| tag.as_str().map(str::to_owned)).collect(),
        Value::String(text) => {
            text.split([',', ' ']).filter(|tag| !tag.is_empty()).map(str::to_owned).collect()
        }
        _ => Vec::new(),
    });
    Some(Draft {
        text: value
            .as_str()
            .map(str::to_owned)
            .or_else(|| text(&["text", "content", "learning", "memory"]))?,
        kind: text(&["kind", "type", "learning_type"])
            .map_or_else(|| base.kind.clone(), |kind| kind.to_lowercase().replace('_', "-")),
        tags: tags.filter(|tags: &Vec<String>| !tags.is_empty()).unwrap_or_else(|| base.tags.clone()),
        session: text(&["session", "session_id"]).unwrap_or_else(|| base.session.clone()),
        importance: value.get("importance").and_then(Value::as_i64).unwrap_or(base.importance),
        ..base.clone()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_lines_lists_and_plain_texts() {
        let base = Draft { kind: "note".into(), ..Draft::default() };
        let texts = |text: &str| -> Vec<(String, String)> {
            drafts(text, &base).into_iter().map(|draft| (draft.kind, draft.text)).collect()
        };
        let pair = |kind: &str, text: &str| (kind.to_owned(), text.to_owned());
        assert_eq!(
            texts("{\"text\":\"one\"}\n{\"content\":\"two\",\"type\":\"ERROR_FIX\"}\n"),
            [pair("note", "one"), pair("error-fix", "two")]
        );
        assert_eq!(texts("[\"one\", {\"text\": \"two\"}]"), [pair("note", "one"), pair("note", "two")]);
        assert_eq!(texts("# A\none\n# B\ntwo\n"), [pair("note", "A\none"), pair("note", "B\ntwo")]);
    }
}
