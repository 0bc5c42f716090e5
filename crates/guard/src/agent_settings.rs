//! What an edit of an agent's settings file would change, key by key, and what of that guards the agent.

use serde_json::{Map, Value};
use sprag_base::glob;
use sprag_protocol::agents::AGENTS;
use sprag_protocol::agents::files::{GuardChange, GuardKey};
use sprag_protocol::edits::Change;

/// Variables for the agent that decide which sprag runs, and with what configuration.
const VARIABLES: [&str; 7] = ["SPRAG_*", "PATH", "HOME", "XDG_*", "LD_*", "DYLD_*", "BASH_ENV"];
/// The most changes that are told.
const MAX_TOLD: usize = 5;
/// The most characters of a value that are told.
const MAX_VALUE: usize = 120;

/// The changes that a person decides about, in words; empty when the edit touches nothing that guards the agent, `None`
/// when it cannot be told what the file would be.
pub fn guard_changes(path: &str, before: Option<&str>, change: &Change<'_>) -> Option<Vec<String>> {
    let old = before.unwrap_or_default();
    if let Change::Parts(parts) = change
        && (parts.is_empty()
            || parts.iter().any(|part| part.old.is_empty() || !old.contains(part.old.as_ref())))
    {
        return None;
    }
    let new = parse(path, &change.text_after(old)?)?;
    // What is not valid now guards nothing.
    let old = parse(path, old).unwrap_or_default();
    let mut told = Vec::new();
    compare(&mut Vec::new(), Some(&old), Some(&new), &mut told);
    if told.len() > MAX_TOLD {
        let more = told.len() - MAX_TOLD;
        told.truncate(MAX_TOLD);
        told.push(format!("and {more} more"));
    }
    Some(told)
}

fn parse(path: &str, text: &str) -> Option<Value> {
    if text.trim().is_empty() {
        return Some(Value::Object(Map::new()));
    }
    let value: Value = if path.rsplit('.').next() == Some("toml") {
        toml_edit::de::from_str(text).ok()?
    } else {
        serde_json::from_str(text).or_else(|_| serde_json::from_str(&without_comments(text))).ok()?
    };
    value.is_object().then_some(value)
}

/// JSON without `//` and `/* */`, as the agents read it that allow these.
fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['"', '/']) {
        out.push_str(rest.get(..at).unwrap_or_default());
        rest = rest.get(at..).unwrap_or_default();
        let end = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else {
            let mut escaped = false;
            let ends = |c: char| {
                let end = c == '"' && !escaped;
                escaped = c == '\\' && !escaped;
                end
            };
            let end = rest.get(1..).and_then(|text| text.find(ends)).map_or(rest.len(), |end| end + 2);
            let end = if rest.starts_with('"') { end } else { 1 };
            out.push_str(rest.get(..end).unwrap_or_default());
            end
        };
        rest = rest.get(end..).unwrap_or_default();
    }
    out + rest
}

/// Tells the changed leaves below a path that guard the agent.
fn compare(path: &mut Vec<String>, before: Option<&Value>, after: Option<&Value>, told: &mut Vec<String>) {
    if before == after {
        return;
    }
    let (old, new) = (before.and_then(Value::as_object), after.and_then(Value::as_object));
    let keys = old.into_iter().chain(new).flat_map(Map::keys);
    let mut seen: Vec<&String> = Vec::new();
    for key in keys {
        if !seen.contains(&key) {
            seen.push(key);
            path.push(key.clone());
            compare(path, old.and_then(|old| old.get(key)), new.and_then(|new| new.get(key)), told);
            path.pop();
        }
    }
    let leaf = |value: Option<&Value>| value.is_some_and(|value| !value.is_object());
    if (leaf(before) || leaf(after)) && guards(path, before, after) {
        told.push(format!("`{}`: {}", path.join("."), difference(before, after)));
    }
}

fn guards(path: &[String], before: Option<&Value>, after: Option<&Value>) -> bool {
    if let [first, name, ..] = path
        && first == "env"
    {
        let moves_folder = AGENTS.iter().any(|agent| agent.settings.folder_variable.name() == name);
        return moves_folder || VARIABLES.iter().any(|pattern| glob::name(pattern, name));
    }
    let items = |value: Option<&Value>| -> Vec<Value> {
        match value {
            Some(Value::Array(items)) => items.clone(),
            Some(other) => vec![other.clone()],
            None => Vec::new(),
        }
    };
    let counts = |key: &GuardKey| match key.when {
        GuardChange::Any => true,
        GuardChange::Less => {
            let kept = items(after);
            items(before).iter().any(|item| !kept.contains(item))
        }
        GuardChange::To(values) => after.and_then(Value::as_str).is_some_and(|value| values.contains(&value)),
        GuardChange::Ours => before.is_some_and(|value| value.to_string().contains("sprag")),
    };
    let names = |key: &GuardKey| {
        let mut given = path.iter();
        key.path.split('.').all(|name| given.next().is_some_and(|given| glob::name(name, given)))
    };
    AGENTS.iter().flat_map(|agent| agent.settings.guard_keys).any(|key| names(key) && counts(key))
}

/// A change for a person: what goes and what comes of a list, else both values.
fn difference(before: Option<&Value>, after: Option<&Value>) -> String {
    let shown = |value: &Value| -> String {
        let text = value.to_string();
        let cut: String = text.chars().take(MAX_VALUE).collect();
        if cut.len() < text.len() { format!("{cut}…") } else { cut }
    };
    let whole = |value: Option<&Value>| value.map_or_else(|| "not set".to_owned(), shown);
    match (before, after) {
        (Some(Value::Array(old)), Some(Value::Array(new))) => {
            let without = |list: &[Value], other: &[Value], sign: &str| -> Vec<String> {
                let missing = list.iter().filter(|item| !other.contains(item));
                missing.map(|item| format!("{sign} {}", shown(item))).collect()
            };
            let all = [without(old, new, "removes"), without(new, old, "adds")].concat();
            if all.is_empty() { "another order".to_owned() } else { all.join(", ") }
        }
        _ => format!("{} → {}", whole(before), whole(after)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const BEFORE: &str = r#"{ "model": "sonnet", "statusLine": { "type": "command", "command": "sprag statusline" },
        "permissions": { "allow": ["Bash(npm test)"], "deny": ["Read(./secrets/**)"] },
        "hooks": { "PreToolUse": [{ "hooks": [{ "type": "command", "command": "sprag hook" }] }] } }"#;

    fn told(path: &str, before: &str, old: &str, new: &str) -> Option<Vec<String>> {
        assert!(before.contains(old), "{old}");
        let after = before.replacen(old, new, 1);
        guard_changes(path, Some(before), &Change::Whole(after.into()))
    }

    fn claude(old: &str, new: &str) -> Vec<String> {
        told("/p/.claude/settings.json", BEFORE, old, new).unwrap()
    }

    #[test]
    fn what_guards_nothing_passes() {
        for (old, new) in [
            ("sonnet", "opus"),
            (r#""model""#, r#""theme": "dark", "model""#),
            (r#"["Bash(npm test)"]"#, r#"["Bash(npm test)", "Bash(npm run lint)"]"#),
            (r#"["Bash(npm test)"]"#, "[]"),
            (r#"["Read(./secrets/**)"]"#, r#"["Read(./secrets/**)", "Bash(rm:*)"]"#),
            (r#""model""#, r#""env": { "NODE_ENV": "test" }, "model""#),
            (r#""allow""#, r#""defaultMode": "plan", "allow""#),
        ] {
            assert_eq!(claude(old, new), Vec::<String>::new(), "{new}");
        }
    }

    #[test]
    fn what_guards_is_told_with_before_and_after() {
        for (old, new, expected) in [
            (r#""model""#, r#""disableAllHooks": true, "model""#, "`disableAllHooks`: not set → true"),
            (r#"["Read(./secrets/**)"]"#, "[]", r#"`permissions.deny`: removes "Read(./secrets/**)""#),
            (
                r#""allow""#,
                r#""defaultMode": "bypassPermissions", "allow""#,
                r#"`permissions.defaultMode`: not set → "bypassPermissions""#,
            ),
            (r#""model""#, r#""env": { "SPRAG_DISABLE": "1" }, "model""#, "`env.SPRAG_DISABLE`"),
            (r#""model""#, r#""env": { "CODEX_HOME": "/x" }, "model""#, "`env.CODEX_HOME`"),
            ("sprag statusline", "line.sh", "`statusLine.command`"),
            ("sprag hook", "true", "`hooks.PreToolUse`: removes"),
            (r#""hooks": { "PreToolUse""#, r#""hocks": { "PreToolUse""#, "`hooks.PreToolUse`"),
        ] {
            let told = claude(old, new);
            assert!(told.len() == 1 && told[0].contains(expected), "{new}: {told:?}");
        }
        let emptied = guard_changes("/p/settings.json", Some(BEFORE), &Change::Whole("{}".into())).unwrap();
        assert_eq!(emptied.len(), 3, "{emptied:?}");
        let shadowed = claude(r#""model""#, r#""hooks": 1, "model""#);
        assert_eq!(shadowed, Vec::<String>::new(), "the last of two keys counts, as for the agent");
    }

    #[test]
    fn toml_comments_and_what_cannot_be_told() {
        let toml = |old, new| told("/h/.codex/config.toml", "model = \"a\"\n[features]\nx = 1\n", old, new);
        assert_eq!(toml("\"a\"", "\"b\""), Some(Vec::new()));
        assert_eq!(toml("x = 1", "hooks = false").unwrap(), ["`features.hooks`: not set → false"]);
        assert_eq!(toml("model", "approval_policy").unwrap().len(), 1);
        let jsonc =
            "{ // the \"theme\"\n \"theme\": \"a//b\", /* { */ \"hooksConfig\": { \"enabled\": true } }";
        assert_eq!(told("/p/.gemini/settings.json", jsonc, "a//b", "c"), Some(Vec::new()));
        assert_eq!(told("/p/.gemini/settings.json", jsonc, "true", "false").unwrap().len(), 1);
        assert_eq!(guard_changes("/p/a.json", Some(BEFORE), &Change::Whole("{".into())), None);
        assert_eq!(guard_changes("/p/a.json", Some(BEFORE), &Change::Delete), None);
        assert_eq!(guard_changes("/p/a.json", Some(BEFORE), &Change::Parts(Vec::new())), None);
    }

    proptest! {
        #[test]
        fn any_text_is_compared(before in "\\PC{0,40}|[{}\":/*\\\\a,]{0,30}", after in "\\PC{0,40}|[{}\":/*\\\\a,]{0,30}") {
            let _ = guard_changes("a.json", Some(&before), &Change::Whole(after.clone().into()));
            let _ = guard_changes("a.toml", Some(&before), &Change::Whole(after.into()));
        }
    }
}
