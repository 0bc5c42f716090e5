//! Settings of other hook tools: lazy-harness, ClaudeKit, dcg, nah. Only what has a counterpart is taken.

use crate::agents::{argv, name};
use crate::{AdoptFindings, NewValue, OwnHook, Setting};
use serde_json::Value as Json;
use sprag_config::host::Host;
use sprag_config::schema::LlmBackend;
use sprag_config::settings::{Choice as _, SettingKind};
use sprag_project::Project;
use sprag_protocol::EventKind;
use std::path::{Path, PathBuf};
use toml_edit::{DocumentMut, InlineTable, Item, TableLike, Value};

pub(crate) fn find(host: &Host, project: &Project, found: &mut AdoptFindings) {
    lazy_harness(host, found);
    for (folder, of_project) in [(&host.paths.home, false), (&project.root, true)] {
        if of_project && *folder == host.paths.home {
            continue;
        }
        for file in [".claude/.ckconfig.json", ".claude/.ck.json", ".ckconfig.json"] {
            claudekit(host, &folder.join(file), of_project, found);
        }
    }
    ignore_file(host, project, found);
    dcg(host, found);
    nah(host, found);
}

fn text_of(file: &Path) -> Option<String> {
    sprag_base::files::read_text(file, 1 << 20).ok()
}

/// A tool's folder below the user's configuration.
fn config_folder(host: &Host, variable: &str, name: &str) -> PathBuf {
    let xdg =
        || host.env.get("XDG_CONFIG_HOME").map_or_else(|| host.paths.home.join(".config"), PathBuf::from);
    host.env.get(variable).map_or_else(|| xdg().join(name), PathBuf::from)
}

fn parsed(host: &Host, file: &Path, found: &mut AdoptFindings) -> Option<DocumentMut> {
    let text = text_of(file)?;
    match text.parse() {
        Ok(document) => Some(document),
        Err(error) => {
            let why = error.to_string();
            let shown = host.paths.tilde(file);
            found.left.push(format!("{shown}: not valid TOML ({})", why.lines().next().unwrap_or_default()));
            None
        }
    }
}

/// Why a pattern of allowed commands is not taken.
const NO_PATTERNS: &str =
    "sprag allows a command, its first words or a rule, not a pattern ([[hook.command-guard.allow]])";

/// Settings of lazy-harness that have a counterpart of the same name: section there, hook here.
const SAME_KEYS: [(&str, &str); 2] =
    [("compound_loop", "compound-loop"), ("context_inject", "context-inject")];

fn lazy_harness(host: &Host, found: &mut AdoptFindings) {
    let folder = config_folder(host, "LH_CONFIG_DIR", "lazy-harness");
    let file = folder.join("config.toml");
    let Some(document) = parsed(host, &file, found) else { return };
    let shown = host.paths.tilde(&file);
    for (event, table) in tables(document.get("hooks")) {
        lazy_chain(host, &folder, &shown, event, table, found);
    }
    for (profile, table) in tables(document.get("profiles")) {
        let mut taken = false;
        for (theirs, ours) in [("roots", "roots"), ("lazynorth_doc", "compass")] {
            let value = match table.get(theirs) {
                Some(item) if ours == "roots" => NewValue::Add(texts(item)),
                Some(item) => match item.as_str().filter(|text| !text.is_empty()) {
                    Some(text) => NewValue::Set(text.into()),
                    None => continue,
                },
                None => continue,
            };
            found.settings.push(setting(&["profiles", profile], ours, value));
            taken = true;
        }
        if taken {
            found.taken.push(format!("profile {profile} of {shown}: [profiles.{profile}]"));
        }
    }
    if let Some(rules) = document.get("knowledge").and_then(|item| item.get("classify_rules")) {
        for row in rows(rules) {
            found.settings.push(setting(&["knowledge"], "classify_rules", NewValue::Row(row)));
        }
        found.taken.push(format!("classify_rules of {shown}: [knowledge] classify_rules"));
    }
    if let Some(root) = document.get("knowledge").and_then(|item| item.get("root")).and_then(Item::as_str) {
        found
            .left
            .push(format!("the knowledge in {root}: `sprag knowledge import lazy-harness {root}` copies it"));
    }
    for (section, hook) in SAME_KEYS {
        let Some(table) = document.get(section).and_then(Item::as_table_like) else { continue };
        same_keys(host, &shown, section, hook, table, found);
    }
    lazy_model(&document, &shown, found);
    let known = ["harness", "agent", "hooks", "profiles", "knowledge", "compound_loop", "context_inject"];
    for (section, _) in document.iter().filter(|(section, _)| !known.contains(section)) {
        found.left.push(format!("[{section}] of {shown}: sprag has no counterpart"));
    }
}

/// The programs of one event of lazy-harness: its own hooks by file, others by command. Its builtins are sprag's own.
fn lazy_chain(
    host: &Host,
    folder: &Path,
    shown: &str,
    event: &str,
    table: &dyn TableLike,
    found: &mut AdoptFindings,
) {
    let Some(kind) = EventKind::from_any_name(event) else {
        found.left.push(format!("[hooks.{event}] of {shown}: sprag does not know the event"));
        return;
    };
    // Its matchers, where an entry names none.
    let usual = match kind {
        EventKind::PreToolUse => Some("Bash".to_owned()),
        EventKind::PostToolUse => Some("Edit|Write".to_owned()),
        _ => None,
    };
    let mut own = |command: Vec<String>, line: &str, matcher: Option<String>| {
        let hook = OwnHook { name: name(line), command, matcher, ..OwnHook::default() };
        let name = found.hook(host, hook, None, kind);
        found.taken.push(format!("`{line}` on {event} in {shown}: own hook {name}"));
    };
    for script in table.get("scripts").map(texts).unwrap_or_default() {
        let files = [folder.join("hooks").join(format!("{script}.py")), folder.join("hooks").join(&script)];
        if let Some(file) = files.iter().find(|file| file.is_file()) {
            let path = file.to_string_lossy().into_owned();
            // It starts every one of them with Python.
            let command = match file.extension() {
                Some(_) => vec![path],
                None => vec!["python3".to_owned(), path],
            };
            own(command, &script, usual.clone());
        }
    }
    let external = table.get("external").and_then(Item::as_array);
    for entry in external.into_iter().flatten() {
        let inline = entry.as_inline_table();
        let part = |key: &str| inline.and_then(|table| table.get(key)).and_then(Value::as_str);
        if let Some(line) = entry.as_str().or_else(|| part("command")) {
            let matcher = part("matcher").map(str::to_owned).or_else(|| usual.clone());
            own(argv(line), line, matcher.filter(|matcher| !matcher.is_empty()));
        }
    }
    if table.contains_key("allow_patterns") {
        found.left.push(format!("allow_patterns of [hooks.{event}] in {shown}: {NO_PATTERNS}"));
    }
}

/// Keys that a hook of sprag has under the same name.
fn same_keys(
    host: &Host,
    shown: &str,
    section: &str,
    hook: &str,
    table: &dyn TableLike,
    found: &mut AdoptFindings,
) {
    for (key, item) in table.iter() {
        let setting =
            host.hook(hook).and_then(|spec| spec.settings.iter().find(|setting| setting.key == key));
        let fits = setting.is_some_and(|setting| match setting.kind {
            SettingKind::Bool(_) => item.is_bool(),
            SettingKind::Int { .. } => item.is_integer(),
            _ => item.is_str(),
        });
        match (setting, item.as_value()) {
            (Some(known), Some(value)) if fits => {
                let mut value = value.clone();
                value.decor_mut().clear();
                found.settings.push(Setting {
                    table: vec!["hook".to_owned(), hook.to_owned()],
                    key: known.key,
                    value: NewValue::Set(value),
                });
                found.taken.push(format!("{section}.{key} of {shown}: [hook.{hook}] {key}"));
            }
            _ if MODEL_KEYS.contains(&key) => {}
            _ => found.left.push(format!("{section}.{key} of {shown}: [hook.{hook}] has no such setting")),
        }
    }
}

/// Keys of `compound_loop` that say which model is asked.
const MODEL_KEYS: [&str; 5] = ["enabled", "model", "backend", "backend_options", "timeout_seconds"];

fn lazy_model(document: &DocumentMut, shown: &str, found: &mut AdoptFindings) {
    let Some(table) = document.get("compound_loop").and_then(Item::as_table_like) else { return };
    let text = |key: &str| table.get(key).and_then(Item::as_str);
    let backend = text("backend").unwrap_or("claude");
    if table.get("enabled").and_then(Item::as_bool) != Some(true) {
        return;
    }
    let Some(backend) = LlmBackend::from_word(backend).filter(|backend| *backend != LlmBackend::None) else {
        found.left.push(format!(
            "the model of {shown} ({backend}): choose one in [llm] (`openai` takes any endpoint)"
        ));
        return;
    };
    found.settings.push(setting(&["llm"], "backend", NewValue::Set(backend.word().into())));
    if let Some(model) = text("model") {
        found.settings.push(setting(&["llm"], "model", NewValue::Set(model.into())));
    }
    if let Some(seconds) = table.get("timeout_seconds").and_then(Item::as_integer) {
        found.settings.push(setting(&["llm"], "timeout_s", NewValue::Set(seconds.into())));
    }
    found.taken.push(format!("the model of {shown}: [llm] backend = \"{}\"", backend.word()));
}

/// Names of ClaudeKit's hooks where sprag's are others.
const RENAMED: [(&str, &str); 2] =
    [("cook-after-plan-reminder", "plan-reminder"), ("simplify-gate", "post-edit-simplify-reminder")];

fn claudekit(host: &Host, file: &Path, of_project: bool, found: &mut AdoptFindings) {
    let Some(text) = text_of(file) else { return };
    let shown = host.paths.tilde(file);
    let Ok(Json::Object(config)) = serde_json::from_str::<Json>(&text) else {
        found.left.push(format!("{shown}: not valid JSON"));
        return;
    };
    let mut settings = Vec::new();
    let mut off = |name: &str, found: &mut AdoptFindings| {
        let ours = RENAMED.iter().find(|(theirs, _)| *theirs == name).map_or(name, |(_, ours)| ours);
        if host.hook(ours).is_some() {
            settings.push(setting(&["hook", ours], "enabled", NewValue::Set(false.into())));
            found.taken.push(format!("{name} is off in {shown}: [hook.{ours}] enabled = false"));
        } else {
            found.left.push(format!("{name} is off in {shown}: sprag has no such hook"));
        }
    };
    for (key, value) in &config {
        match (key.as_str(), value) {
            ("hooks", Json::Object(hooks)) => {
                for (name, _) in hooks.iter().filter(|(_, on)| **on == Json::Bool(false)) {
                    off(name, found);
                }
            }
            ("privacyBlock", Json::Bool(false)) => off("privacy-block", found),
            ("privacyBlock", _) => {}
            ("docs", docs) if docs.get("maxLoc").and_then(Json::as_i64).is_some() => {}
            _ => found.left.push(format!("`{key}` of {shown}: sprag has no counterpart")),
        }
    }
    if let Some(lines) = config.get("docs").and_then(|docs| docs.get("maxLoc")).and_then(Json::as_i64) {
        settings.push(setting(&["hook", "enforce-doc-rules"], "max_lines", NewValue::Set(lines.into())));
        found.taken.push(format!("docs.maxLoc of {shown}: [hook.enforce-doc-rules] max_lines"));
    }
    let all = if of_project { &mut found.project_settings } else { &mut found.settings };
    all.append(&mut settings);
}

/// `.ckignore` of the project: its lines go into `.spragignore`, which then counts in its place.
fn ignore_file(host: &Host, project: &Project, found: &mut AdoptFindings) {
    let ours = project.root.join(".spragignore");
    let there = text_of(&ours).unwrap_or_default();
    for name in [".claude/.ckignore", ".ckignore"] {
        let file = project.root.join(name);
        let Some(text) = text_of(&file) else { continue };
        let lines: Vec<String> = text
            .lines()
            .map(str::trim_end)
            .filter(|line| !line.is_empty() && !there.lines().any(|known| known == *line))
            .map(str::to_owned)
            .collect();
        if !lines.is_empty() {
            found.taken.push(format!("{} lines of {}: .spragignore", lines.len(), host.paths.tilde(&file)));
            found.lines = Some((ours.clone(), lines));
        }
        return;
    }
}

fn dcg(host: &Host, found: &mut AdoptFindings) {
    let file = config_folder(host, "DCG_CONFIG_DIR", "dcg").join("allowlist.toml");
    let Some(document) = parsed(host, &file, found) else { return };
    let shown = host.paths.tilde(&file);
    for entry in document.get("allow").map(rows).unwrap_or_default() {
        let text = |key: &str| entry.get(key).and_then(Value::as_str);
        // Its rules are named by pack and rule, as sprag's; its core packs have one word more.
        let rule = text("rule").map(|rule| rule.strip_prefix("core.").unwrap_or(rule));
        let known = rule.filter(|rule| sprag_rules::all_rules().any(|known| known.id == *rule));
        let (key, value) = match (text("exact_command"), text("command_prefix"), known) {
            (Some(command), _, _) => ("exact", command),
            (_, Some(prefix), _) => ("prefix", prefix),
            (_, _, Some(rule)) => ("rule", rule),
            _ => {
                let (what, why) = match text("rule") {
                    Some(rule) => (rule, "command-guard has no such rule"),
                    None => (text("pattern").unwrap_or("an entry"), NO_PATTERNS),
                };
                found.left.push(format!("`{what}` of {shown}: {why}"));
                continue;
            }
        };
        let mut row = InlineTable::new();
        row.insert(key, value.into());
        row.insert("reason", text("reason").unwrap_or("imported from dcg").into());
        if let Some(date) = text("expires_at").or(text("expires")).and_then(|date| date.get(..10)) {
            row.insert("expires", date.into());
        }
        found.settings.push(setting(&["hook", "command-guard"], "allow", NewValue::Row(row)));
        found.taken.push(format!("`{value}` of {shown}: allowed by command-guard"));
    }
}

/// nah before 1.0 had a YAML file with paths that are sensitive; later ones keep switches of their own guards.
fn nah(host: &Host, found: &mut AdoptFindings) {
    let file = config_folder(host, "NAH_CONFIG_DIR", "nah").join("config.yaml");
    if let Some(text) = text_of(&file) {
        let shown = host.paths.tilde(&file);
        let mut section = "";
        for line in text.lines() {
            let content = line.split(" #").next().unwrap_or_default().trim_end();
            if content.trim().is_empty() || content.trim_start().starts_with('#') {
                continue;
            }
            let Some((key, value)) = content.split_once(": ").or_else(|| content.split_once(':')) else {
                continue;
            };
            if !line.starts_with([' ', '\t', '-']) {
                section = key.trim();
                if section != "sensitive_paths" {
                    found.left.push(format!("`{section}` of {shown}: sprag has no counterpart"));
                }
                continue;
            }
            if section == "sensitive_paths" {
                let path = key.trim().trim_matches(['"', '\'']);
                let list = if value.trim() == "allow" { "allow" } else { "also" };
                let globs = vec![path.to_owned(), format!("{path}/**")];
                found.settings.push(setting(&["hook", "privacy-block"], list, NewValue::Add(globs)));
                found.taken.push(format!("{path} of {shown}: [hook.privacy-block] {list}"));
            }
        }
    }
    let file = host.paths.home.join(".nah/built-ins.json");
    if text_of(&file).is_some() {
        let shown = host.paths.tilde(&file);
        found
            .left
            .push(format!("{shown}: its guards have other names; `sprag guard rules` lists those of sprag"));
    }
}

fn setting(table: &[&str], key: &'static str, value: NewValue) -> Setting {
    Setting { table: table.iter().map(|name| (*name).to_owned()).collect(), key, value }
}

fn tables(item: Option<&Item>) -> impl Iterator<Item = (&str, &dyn TableLike)> {
    let table = item.and_then(Item::as_table_like);
    table
        .into_iter()
        .flat_map(|table| table.iter().filter_map(|(name, item)| Some((name, item.as_table_like()?))))
}

fn texts(item: &Item) -> Vec<String> {
    let array = item.as_array().into_iter().flatten();
    array.filter_map(Value::as_str).map(str::to_owned).collect()
}

/// The rows of a list of tables, in either spelling.
fn rows(item: &Item) -> Vec<InlineTable> {
    match item {
        Item::ArrayOfTables(rows) => rows.iter().map(|row| row.clone().into_inline_table()).collect(),
        _ => item.as_array().into_iter().flatten().filter_map(Value::as_inline_table).cloned().collect(),
    }
}
