//! `docs/config.schema.json`: what a configuration file may hold, for editors, from the tables that the strict reader uses.

use serde_json::{Map, Value, json};
use sprag_config::schema::{
    ChainSettings, CommonHookSettings, ExternalHookSettings, ExternalType, ProfileSettings, SECTIONS,
};
use sprag_config::settings::{Choice as _, Setting, SettingKind};
use sprag_config::spec::{Bundle, HookSpec, Preset};
use sprag_config::typed;
use sprag_protocol::EventKind;

/// The schema's text.
pub(crate) fn text(builtins: &[&HookSpec]) -> anyhow::Result<String> {
    Ok(format!("{}\n", serde_json::to_string_pretty(&schema(builtins))?))
}

fn schema(builtins: &[&HookSpec]) -> Value {
    let mut properties = Map::new();
    properties.insert(
        "version".into(),
        json!({ "description": "the version of the format", "const": 1, "default": 1 }),
    );
    properties.insert(
        "preset".into(),
        json!({
            "description": "which hooks are on", "type": "string",
            "enum": Preset::NAMES, "default": Preset::default().name(),
        }),
    );
    for (key, what) in [("enable", "on top of the preset"), ("disable", "off, whatever the preset")] {
        let names: Vec<&str> =
            Bundle::WORDS.iter().copied().chain(builtins.iter().map(|builtin| builtin.name)).collect();
        let name = json!({ "anyOf": [{ "type": "string", "enum": names }, { "type": "string" }] });
        properties.insert(
            key.into(),
            json!({ "description": format!("bundles and hooks {what}"), "type": ["array", "string"], "items": name }),
        );
    }
    properties.insert(
        "trial".into(),
        json!({
            "description": "how long whatever can stop only reports: \"7d\", or \"7d since 2026-11-16\"",
            "type": "string",
        }),
    );
    properties.insert("hooks".into(), chains());
    properties.insert("hook".into(), hooks(builtins));
    for section in &SECTIONS {
        properties.insert(section.name.into(), table(section.doc, section.keys));
    }
    properties.insert(
        "profiles".into(),
        json!({
            "description": "A profile tells one kind of work from another.",
            "type": "object", "additionalProperties": { "$ref": "#/$defs/profile" },
        }),
    );
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "sprag configuration",
        "description": "~/.config/sprag/config.toml, and .sprag/config.toml of a project",
        "type": "object",
        "additionalProperties": false,
        "properties": properties,
        "$defs": definitions(builtins),
    })
}

fn definitions(builtins: &[&HookSpec]) -> Value {
    let mut definitions = Map::new();
    definitions.insert("chain".into(), table("An event's chain.", ChainSettings::SETTINGS));
    definitions.insert("profile".into(), table("A profile.", ProfileSettings::SETTINGS));
    for setting in CommonHookSettings::SETTINGS {
        definitions.insert(common(setting), value(setting));
    }
    let program = "A hook of your own that is a program.";
    let mut own = vec![own_hook(program, ExternalType::Command, ExternalHookSettings::SETTINGS)];
    for builtin in builtins.iter().filter(|builtin| typed::is_type(builtin)) {
        let keys: Vec<Setting> = typed::keys().chain(builtin.settings).copied().collect();
        let mut hook = own_hook("A hook of your own that asks a model.", ExternalType::Prompt, &keys);
        if let Some(hook) = hook.as_object_mut() {
            hook.insert("required".into(), json!(["type"]));
        }
        own.push(hook);
    }
    definitions.insert("own_hook".into(), json!({ "anyOf": own }));
    Value::Object(definitions)
}

fn own_hook(description: &str, hook_type: ExternalType, keys: &[Setting]) -> Value {
    let mut properties = common_keys();
    properties.extend(keys.iter().map(|setting| (setting.key.to_owned(), value(setting))));
    if let Some(of_type) = properties.get_mut("type").and_then(Value::as_object_mut) {
        of_type.insert("enum".into(), json!([hook_type.word()]));
        of_type.insert("default".into(), json!(hook_type.word()));
    }
    object(description, properties)
}

/// The name of the definition of a key that every hook has.
fn common(setting: &Setting) -> String {
    format!("hook_{}", setting.key)
}

fn common_keys() -> Map<String, Value> {
    let keys = CommonHookSettings::SETTINGS.iter();
    keys.map(|setting| (setting.key.to_owned(), json!({ "$ref": format!("#/$defs/{}", common(setting)) })))
        .collect()
}

/// `[hooks.<event>]`: either name of an event may be written.
fn chains() -> Value {
    let mut properties = Map::new();
    for kind in EventKind::ALL {
        for name in [kind.config_name(), kind.name()] {
            properties
                .insert(name.to_owned(), json!({ "description": kind.summary(), "$ref": "#/$defs/chain" }));
        }
    }
    object("What runs on an event.", properties)
}

/// `[hook.<name>]`: the builtins by name, anything else is a hook of one's own.
fn hooks(builtins: &[&HookSpec]) -> Value {
    let builtin = |builtin: &&HookSpec| {
        let mut properties = common_keys();
        properties.extend(builtin.settings.iter().map(|setting| (setting.key.to_owned(), value(setting))));
        (builtin.name.to_owned(), object(builtin.summary, properties))
    };
    let properties: Map<String, Value> = builtins.iter().map(builtin).collect();
    json!({
        "description": "Settings of single hooks.",
        "type": "object", "properties": properties,
        "additionalProperties": { "$ref": "#/$defs/own_hook" },
    })
}

fn table(description: &str, keys: &[Setting]) -> Value {
    object(description, keys.iter().map(|setting| (setting.key.to_owned(), value(setting))).collect())
}

fn object(description: &str, properties: Map<String, Value>) -> Value {
    json!({
        "description": description, "type": "object",
        "properties": properties, "additionalProperties": false,
    })
}

/// What one key may hold.
fn value(setting: &Setting) -> Value {
    let (mut schema, default) = match setting.kind {
        SettingKind::Bool(default) => (json!({ "type": "boolean" }), json!(default)),
        SettingKind::Int { default, min } => (json!({ "type": "integer", "minimum": min }), json!(default)),
        SettingKind::Text(default) => (json!({ "type": "string" }), json!(default)),
        SettingKind::Choice(words) => (json!({ "type": "string", "enum": words }), json!(words.first())),
        // One text stands for a list of one.
        SettingKind::Texts(default) => {
            (json!({ "type": ["array", "string"], "items": { "type": "string" } }), json!(default))
        }
        SettingKind::Tables(keys) => {
            let properties: Map<String, Value> =
                keys.iter().map(|setting| (setting.key.to_owned(), value(setting))).collect();
            let item = json!({ "type": "object", "properties": properties, "additionalProperties": false });
            (json!({ "type": "array", "items": item }), json!([]))
        }
        SettingKind::Map => {
            (json!({ "type": "object", "additionalProperties": { "type": "string" } }), json!({}))
        }
    };
    if let Some(schema) = schema.as_object_mut() {
        schema.insert("description".into(), json!(setting.doc));
        if !setting.optional {
            schema.insert("default".into(), default);
        }
    }
    schema
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::root;
    use sprag_config::template;
    use sprag_hooks::SPECS;
    use std::path::Path;

    /// Every keyword that the schema uses, and no other.
    fn valid(schema: &Value, root: &Value, value: &Value) -> Result<(), String> {
        for (keyword, wanted) in schema.as_object().unwrap() {
            let ok = match keyword.as_str() {
                "$schema" | "title" | "description" | "default" | "$defs" | "properties" => true,
                "type" => {
                    let is = |name: &Value| match name.as_str().unwrap() {
                        "object" => value.is_object(),
                        "array" => value.is_array(),
                        "string" => value.is_string(),
                        "integer" => value.is_i64(),
                        "boolean" => value.is_boolean(),
                        other => panic!("type {other}"),
                    };
                    wanted.as_array().map_or_else(|| is(wanted), |names| names.iter().any(is))
                }
                "const" => wanted == value,
                "enum" => wanted.as_array().unwrap().contains(value),
                "minimum" => value.as_i64() >= wanted.as_i64(),
                "required" => {
                    wanted.as_array().unwrap().iter().all(|key| value.get(key.as_str().unwrap()).is_some())
                }
                "items" => {
                    for item in value.as_array().into_iter().flatten() {
                        valid(wanted, root, item)?;
                    }
                    true
                }
                "additionalProperties" => {
                    for (key, inner) in value.as_object().into_iter().flatten() {
                        let own = schema.get("properties").and_then(|known| known.get(key));
                        match own.unwrap_or(wanted) {
                            Value::Bool(false) => return Err(format!("{key} is unknown")),
                            schema => {
                                valid(schema, root, inner).map_err(|error| format!("{key}: {error}"))?;
                            }
                        }
                    }
                    true
                }
                "$ref" => {
                    let path = wanted.as_str().unwrap().strip_prefix('#').unwrap();
                    valid(root.pointer(path).unwrap(), root, value)?;
                    true
                }
                "anyOf" => {
                    let all = wanted.as_array().unwrap();
                    all.iter().any(|schema| valid(schema, root, value).is_ok())
                }
                other => panic!("keyword {other}"),
            };
            if !ok {
                return Err(format!("{value} is against {keyword} = {wanted}"));
            }
        }
        Ok(())
    }

    fn check(config: &str) -> Result<(), String> {
        let config: toml::Table = toml::from_str(config).map_err(|error| error.to_string())?;
        let schema = schema(&SPECS);
        valid(&schema, &schema, &serde_json::to_value(config).unwrap())
    }

    /// A file with every key at its default.
    fn defaults() -> String {
        let mut tables: Vec<(String, &[Setting])> =
            SECTIONS.iter().map(|section| (section.name.to_owned(), section.keys)).collect();
        tables.extend(SPECS.iter().map(|hook| (format!("hook.{}", hook.name), hook.settings)));
        let table = |(name, keys): (String, &[Setting])| {
            let keys = keys.iter().map(|key| format!("{} = {}\n", key.key, key.default_text()));
            format!("[{name}]\n{}", keys.collect::<String>())
        };
        tables.into_iter().map(table).collect()
    }

    #[test]
    fn the_template_and_every_default_are_valid() {
        let (_, errors) = sprag_config::parse::parse(&defaults(), Path::new("config.toml"), &SPECS);
        assert!(errors.is_empty(), "{errors:?}");
        assert_eq!(check(&defaults()), Ok(()));
        assert_eq!(check(&template::text()), Ok(()));
    }

    #[test]
    fn what_the_reader_refuses_is_refused() {
        for (config, part) in [
            ("presett = \"strict\"", "presett is unknown"),
            ("preset = \"lax\"", "enum"),
            ("version = 2", "const"),
            ("[hook.tool-loop]\nwarn_at = 1", "minimum"),
            ("[hook.tool-loop]\nwarnat = 8", "warnat is unknown"),
            ("[hook.tool-loop]\nlimits = [{ tool = 1 }]", "limits: tool"),
            ("[hooks.pre_tool]\nappend = []", "pre_tool is unknown"),
            ("[store]\nurl = 1", "url"),
            ("[hook.mine]\ncommand = [1]", "anyOf"),
            ("[hook.mine]\ntype = \"prompt\"\nbackground = true", "anyOf"),
        ] {
            let error = check(config).unwrap_err();
            assert!(error.contains(part), "{config}: {error}");
        }
        for config in [
            "[hooks.PreToolUse]\nprepend = \"mine\"",
            "[hook.mine]\ncommand = [\"./x\"]\nenv = { A = \"b\" }\nmode = \"shadow\"",
            "[hook.mine]\ntype = \"prompt\"\nprompt = \"Is it done?\"\nmax_blocks = 2",
        ] {
            assert_eq!(check(config), Ok(()), "{config}");
        }
    }

    fn merged(shared: toml::Value, own: toml::Value) -> toml::Value {
        match (shared, own) {
            (toml::Value::Table(mut shared), toml::Value::Table(own)) => {
                for (key, value) in own {
                    let value = match shared.remove(&key) {
                        Some(known) => merged(known, value),
                        None => value,
                    };
                    shared.insert(key, value);
                }
                toml::Value::Table(shared)
            }
            (_, own) => own,
        }
    }

    #[test]
    fn the_configurations_of_cases_are_valid() {
        let mut checked = 0;
        for folder in std::fs::read_dir(root().join("crates/hooks/src")).unwrap().flatten() {
            for file in std::fs::read_dir(folder.path()).into_iter().flatten().flatten() {
                let path = file.path();
                if !path.to_string_lossy().ends_with(".hook.toml") {
                    continue;
                }
                let file: toml::Value = toml::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
                for case in file.get("case").and_then(toml::Value::as_array).into_iter().flatten() {
                    for key in ["config", "project_config"] {
                        let part =
                            |of: &toml::Value| of.get("world").and_then(|world| world.get(key)).cloned();
                        // What a file says of the world is for all of its cases.
                        let text = match (part(&file), part(case)) {
                            (_, Some(toml::Value::String(text))) => text,
                            (Some(shared), Some(own)) => toml::to_string(&merged(shared, own)).unwrap(),
                            (None, Some(own)) => toml::to_string(&own).unwrap(),
                            (_, None) => continue,
                        };
                        let name = case.get("name").and_then(toml::Value::as_str).unwrap_or_default();
                        assert_eq!(check(&text), Ok(()), "{}: {name}\n{text}", path.display());
                        checked += 1;
                    }
                }
            }
        }
        assert!(checked > 100, "{checked} configurations");
    }
}
