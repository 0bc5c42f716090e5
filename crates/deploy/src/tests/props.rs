//! Properties over generated settings in every style: what is foreign comes back byte for byte.

use std::fmt::Write;

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::*;
use crate::doc::Doc;
use crate::json::{JsonKind, Node};

/// How a generated value is written down.
#[derive(Debug, Clone)]
struct Look {
    indent: Option<&'static str>,
    colon: &'static str,
    gap: &'static str,
    newline: &'static str,
    end: &'static str,
    comments: bool,
}

fn look() -> impl Strategy<Value = Look> {
    (
        prop_oneof![Just(None), Just(Some("  ")), Just(Some("    ")), Just(Some("\t")), Just(Some(""))],
        prop_oneof![Just(":"), Just(": "), Just(" : ")],
        prop_oneof![Just(""), Just(" ")],
        prop_oneof![Just("\n"), Just("\r\n")],
        prop_oneof![Just(""), Just("\n"), Just("\r\n"), Just("  \n\n")],
        any::<bool>(),
    )
        .prop_map(|(indent, colon, gap, newline, end, comments)| Look {
            indent,
            colon,
            gap,
            newline,
            end,
            comments,
        })
}

fn spell(look: &Look, value: &Value, depth: usize, out: &mut String) {
    let (open, close, items): (_, _, Vec<(Option<&String>, &Value)>) = match value {
        Value::Array(all) => ('[', ']', all.iter().map(|value| (None, value)).collect()),
        Value::Object(all) => ('{', '}', all.iter().map(|(key, value)| (Some(key), value)).collect()),
        // Unusual notations of numbers and strings must be kept too.
        Value::Number(n) if n.as_u64().is_some_and(|n| n % 3 == 0) => {
            return write!(out, "{n}.0e0").unwrap();
        }
        Value::String(text) if text.len() % 3 == 1 => {
            out.push('"');
            for unit in text.encode_utf16() {
                write!(out, "\\u{unit:04X}").unwrap();
            }
            return out.push('"');
        }
        other => return out.push_str(&other.to_string()),
    };
    let comment = look.comments && look.indent.is_some();
    let line = |out: &mut String, depth: usize| {
        if let Some(indent) = look.indent {
            out.push_str(look.newline);
            out.push_str(&indent.repeat(depth));
        }
    };
    out.push(open);
    let count = items.len();
    for (n, (key, value)) in items.into_iter().enumerate() {
        line(out, depth + 1);
        if let Some(key) = key {
            out.push_str(&Value::from(key.as_str()).to_string());
            out.push_str(look.colon);
        }
        spell(look, value, depth + 1, out);
        if comment && n % 3 == 1 {
            out.push_str(" /* , } */");
        }
        if n + 1 < count {
            out.push(',');
            if look.indent.is_none() {
                out.push_str(look.gap);
            }
        }
        if comment && n % 2 == 0 {
            out.push_str(" // \"note\", ]");
        }
    }
    if count > 0 {
        line(out, depth);
    } else if comment && depth % 2 == 1 {
        out.push_str(" // empty");
        line(out, depth);
    }
    out.push(close);
}

fn leaf() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<u32>().prop_map(Value::from),
        any::<f64>().prop_filter("finite", |n| n.is_finite()).prop_map(Value::from),
        "[ -~äß😀\\n\\\\\"]{0,12}".prop_map(Value::from),
    ]
}

fn any_json() -> impl Strategy<Value = Value> {
    leaf().prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-zA-Z /~\"é]{0,6}", inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

fn handler() -> impl Strategy<Value = Value> {
    prop_oneof![
        "[a-z]{1,8}( hook| sprag)?".prop_map(|command| json!({ "type": "command", "command": command })),
        "[a-z]{1,8}".prop_map(
            |word| json!({ "timeout": 7, "command": word, "args": ["hook", word], "type": "command" })
        ),
        Just(json!({ "type": "command", "command": "sprag hook | tee log" })),
        Just(json!({ "type": "http", "url": "http://localhost/x", "headers": {} })),
        any_json(),
    ]
}

fn group() -> impl Strategy<Value = Value> {
    prop_oneof![
        4 => (prop::option::of("[A-Za-z|*]{0,8}"), prop::collection::vec(handler(), 0..3), any::<bool>()).prop_map(
            |(matcher, hooks, swap)| {
                let mut group = Map::new();
                if swap {
                    group.insert("hooks".into(), Value::from(hooks.clone()));
                }
                if let Some(matcher) = matcher {
                    group.insert("matcher".into(), matcher.into());
                }
                group.insert("hooks".into(), Value::from(hooks));
                Value::Object(group)
            }
        ),
        1 => leaf(),
    ]
}

fn event() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("PreToolUse".to_owned()),
        Just("Stop".to_owned()),
        Just("SessionStart".to_owned()),
        "[A-Z][a-z]{2,8}"
    ]
}

fn settings() -> impl Strategy<Value = Value> {
    let hooks = prop::collection::btree_map(event(), prop::collection::vec(group(), 0..3), 0..4);
    let rest = prop::collection::btree_map("[a-zA-Z_$é]{1,8}", any_json(), 0..4);
    (rest, prop::option::of(hooks), any::<bool>(), prop::option::of(prop::option::of(any::<bool>())))
        .prop_map(|(rest, hooks, first, switch)| {
            let mut all = Map::new();
            if first && let Some(hooks) = &hooks {
                all.insert("hooks".into(), json!(hooks));
            }
            all.extend(rest);
            if let Some(hooks) = &hooks {
                all.insert("hooks".into(), json!(hooks));
            }
            match switch {
                None => drop(all.remove("hooksConfig")),
                Some(None) => drop(all.insert("hooksConfig".into(), json!({}))),
                Some(Some(on)) => drop(all.insert("hooksConfig".into(), json!({ "enabled": on }))),
            }
            Value::Object(all)
        })
}

fn registrations() -> impl Strategy<Value = Vec<Registration>> {
    let one = (event(), prop::option::of("[A-Z][a-z]{0,4}(\\|[A-Z])?"), 1..100u64, any::<bool>());
    prop::collection::vec(one, 1..6).prop_map(|all| {
        all.into_iter()
            .map(|(event, matcher, timeout, gate)| Registration { event, matcher, timeout, gate })
            .collect()
    })
}

fn agent_name() -> impl Strategy<Value = &'static str> {
    prop_oneof![Just("claude"), Just("codex"), Just("gemini"), Just("qwen")]
}

fn file(name: &str, look: &Look, value: &Value) -> String {
    let look = Look { comments: look.comments && matches!(name, "gemini" | "qwen"), ..look.clone() };
    let mut text = if look.comments { format!("// top{}", look.newline) } else { String::new() };
    spell(&look, value, 0, &mut text);
    text.push_str(look.end);
    text
}

/// The raw text of everything foreign: each top-level value and each group of each event.
fn foreign(text: &str, agent: &AgentFiles) -> Vec<String> {
    let doc = Doc::open(text, agent.syntax).unwrap();
    let mut raws = Vec::new();
    for member in doc.root().members().unwrap() {
        match (&*member.key, &member.value.kind) {
            ("hooks", JsonKind::Object(events)) => {
                for event in events {
                    let groups = event.value.elements().unwrap_or_default();
                    raws.extend(groups.iter().map(|group| doc.raw(group).to_owned()));
                }
            }
            ("hooksConfig", _) => {}
            _ => raws.push(doc.raw(&member.value).to_owned()),
        }
    }
    raws
}

/// All foreign data, without layout: ours are taken out of each event.
fn groups_of<'a>(doc: &'a Doc, event: &str) -> Vec<&'a Node> {
    let groups = doc.root().get("hooks").and_then(|hooks| hooks.get(event)).and_then(Node::elements);
    groups.unwrap_or_default().iter().collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn foreign_bytes_survive(
        name in agent_name(), look in look(), value in settings(), first in registrations(), second in registrations()
    ) {
        let text = file(name, &look, &value);
        let agent = agent(name);
        let plan = plan(name, first);
        let once = check_round_trip(&plan, &text);

        for raw in foreign(&text, agent) {
            prop_assert!(once.contains(&raw), "lost {raw} in {once}");
        }
        let (before, after) = (Doc::open(&text, agent.syntax).unwrap(), Doc::open(&once, agent.syntax).unwrap());
        for member in before.root().members().unwrap() {
            if !matches!(&*member.key, "hooks" | "hooksConfig") {
                prop_assert!(after.root().get(&member.key).unwrap().same_as(&member.value));
            }
        }
        for event in crate::own::events(&before) {
            // Foreign groups keep their order and position: ours come after them.
            let (old, new) = (groups_of(&before, &event), groups_of(&after, &event));
            prop_assert!(old.len() <= new.len());
            prop_assert!(old.iter().zip(&new).all(|(old, new)| old.same_as(new)));
        }

        // A second plan replaces the entries of the first one, and all of it can be undeployed.
        let plan = Plan { registrations: second, ..plan };
        let again = apply(&plan, &once, Origin::Text(&text)).unwrap().text;
        let mut found: Vec<_> = entries(agent, None, &again).unwrap().into_iter()
            .map(|entry| (entry.event, entry.matcher, entry.timeout.unwrap())).collect();
        let mut wanted: Vec<_> = plan.registrations.iter()
            .map(|wanted| (wanted.event.clone(), wanted.matcher.clone(), wanted.timeout)).collect();
        found.sort();
        wanted.sort();
        prop_assert_eq!(found, wanted);
        prop_assert_eq!(&apply(&plan, &again, Origin::Text(&text)).unwrap().text, &again);
        prop_assert_eq!(strip(agent, None, &again, Origin::Text(&text)).unwrap().text, text);
    }

    #[test]
    fn broken_texts_are_refused_or_kept(
        name in agent_name(), look in look(), value in settings(), cut in any::<prop::sample::Index>(), with in "[{}\\[\\],:\"/*a\\n ]{0,3}"
    ) {
        let text = file(name, &look, &value);
        let at = text.char_indices().map(|(at, _)| at).nth(cut.index(text.chars().count())).unwrap();
        let mut broken = text.clone();
        broken.insert_str(at, &with);
        let plan = usual(name);
        // Never a panic; and what is accepted is valid and can be undone.
        if let Ok(edited) = apply(&plan, &broken, Origin::Text(&broken)) {
            prop_assert_eq!(&apply(&plan, &edited.text, Origin::Text(&broken)).unwrap().text, &edited.text);
            prop_assert_eq!(strip(plan.agent, None, &edited.text, Origin::Text(&broken)).unwrap().text, broken);
        }
        let cut = text.get(..at).unwrap();
        drop(apply(&plan, cut, Origin::Unknown));
    }

    #[test]
    fn the_parser_agrees_with_serde(
        look in look(), value in settings(), cut in any::<prop::sample::Index>(), with in "[{}\\[\\],:\"a0.e\\-\\n ]{0,2}"
    ) {
        let mut text = file("claude", &look, &value);
        let at = text.char_indices().map(|(at, _)| at).nth(cut.index(text.chars().count())).unwrap();
        text.insert_str(at, &with);
        let theirs = serde_json::from_str::<Value>(&text);
        match (Doc::open(&text, JsonSyntax::Strict), theirs) {
            (Ok(_), Ok(_)) | (Err(_), Err(_)) => {}
            // Stricter: a key twice. Laxer: what JavaScript accepts and Rust cannot hold.
            (Err(error), Ok(_)) => prop_assert!(error.message.contains("duplicate key"), "{error:?}: {text}"),
            (Ok(_), Err(error)) => {
                let error = error.to_string();
                let known = ["surrogate", "hex escape", "out of range"].iter().any(|known| error.contains(known));
                prop_assert!(known, "{error}: {text}");
            }
        }
    }
}

proptest! {
    // Each case writes and syncs real files.
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_disk_gets_its_bytes_back(
        name in agent_name(), look in look(), value in settings(), first in registrations(), second in registrations()
    ) {
        let text = file(name, &look, &value);
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("settings.json");
        std::fs::write(&path, &text).unwrap();
        let mut plan = Plan { file: path.clone(), ..plan(name, first) };
        deploy(&plan, Mode::Write).unwrap();
        let once = std::fs::read_to_string(&path).unwrap();
        prop_assert_eq!(deploy(&plan, Mode::Write).unwrap().outcome, Outcome::Unchanged);
        prop_assert_eq!(std::fs::read_to_string(&path).unwrap(), once);
        plan.registrations = second;
        deploy(&plan, Mode::Write).unwrap();
        prop_assert_eq!(undeploy(&removal(&plan), Mode::Write).unwrap().outcome, Outcome::Restored);
        prop_assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        prop_assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 1);
    }
}
