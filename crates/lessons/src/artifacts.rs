//! What is installed on this machine: a lesson may need an artifact, or be made needless by one.

use serde_json::Value;
use sprag_protocol::AgentId;
use sprag_protocol::agents::files::{AgentEnv, Scope};
use std::path::{Path, PathBuf};

/// What is installed, read once.
#[derive(Debug, Default)]
pub struct Installed {
    plugins: Value,
    settings: Value,
}

/// The files that say what is installed.
pub fn files(home: &Path) -> [PathBuf; 2] {
    // Descriptors of lessons name artifacts as the canonical agent does.
    let files = &AgentId::CANONICAL.spec().settings;
    let env = AgentEnv::new(Some(home.to_path_buf()), None, |_| None);
    let plugins = home.join(files.folder).join(files.plugins_file.unwrap_or_default());
    [plugins, files.path(Scope::User, &env).unwrap_or_default()]
}

impl Installed {
    /// Reads what is installed.
    pub fn read(home: &Path) -> Self {
        let [plugins, settings] = files(home).map(|path| {
            let bytes = sprag_base::files::read_limited(&path, 4 << 20).ok().flatten().unwrap_or_default();
            serde_json::from_slice(&bytes).unwrap_or_default()
        });
        Self { plugins, settings }
    }

    fn plugin(&self, name: &str) -> Option<&Vec<Value>> {
        let all = self.plugins.get("plugins")?.as_object()?;
        let (_, entries) = all.iter().find(|(key, _)| key.split('@').next() == Some(name))?;
        entries.as_array().filter(|entries| !entries.is_empty())
    }

    /// Whether one artifact is there.
    pub fn has(&self, artifact: &Value) -> bool {
        let text = |key: &str| artifact.get(key).and_then(Value::as_str).unwrap_or_default();
        match text("type") {
            "plugin" => self.plugin(text("name")).is_some(),
            "skill" => {
                let (plugin, skill) = text("name").split_once(':').unwrap_or(("", text("name")));
                let all = self.plugins.get("plugins").and_then(Value::as_object);
                let entries: Vec<&Value> = match plugin {
                    "" => all.into_iter().flatten().filter_map(|(_, entries)| entries.get(0)).collect(),
                    plugin => self.plugin(plugin).and_then(|entries| entries.first()).into_iter().collect(),
                };
                let safe = !skill.is_empty() && !skill.contains(['/', '\\']);
                safe && entries.iter().any(|entry| {
                    let path = entry.get("installPath").and_then(Value::as_str).unwrap_or_default();
                    !path.is_empty() && Path::new(path).join("skills").join(skill).exists()
                })
            }
            "mcp-server" => self.settings.get("mcpServers").and_then(|all| all.get(text("name"))).is_some(),
            "github-issue" => matches!(text("status"), "fixed" | "closed"),
            _ => false,
        }
    }

    /// Whether a lesson with these descriptors counts here.
    pub fn wants(&self, requires: Option<&Value>, duplicated_by: Option<&Value>) -> bool {
        let any = |value: &Value| match value {
            Value::Array(items) => items.iter().any(|item| self.has(item)),
            item => self.has(item),
        };
        requires.is_none_or(any) && !duplicated_by.is_some_and(any)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_installed_decides() {
        let dir = tempfile::tempdir().unwrap();
        let plugin = dir.path().join("p");
        std::fs::create_dir_all(plugin.join("skills/tidy")).unwrap();
        std::fs::create_dir_all(dir.path().join(".claude/plugins")).unwrap();
        let installed = json!({"plugins": {"heron@market": [{"installPath": plugin}], "gone@market": []}});
        std::fs::write(dir.path().join(".claude/plugins/installed_plugins.json"), installed.to_string())
            .unwrap();
        std::fs::write(dir.path().join(".claude/settings.json"), r#"{"mcpServers":{"serena":{}}}"#).unwrap();
        let here = Installed::read(dir.path());
        let has = |kind: &str, name: &str| here.has(&json!({"type": kind, "name": name}));
        assert!(has("plugin", "heron") && !has("plugin", "gone") && !has("plugin", "her"));
        assert!(has("skill", "heron:tidy") && has("skill", "tidy") && !has("skill", "../tidy"));
        assert!(has("mcp-server", "serena") && !has("mcp-server", "x"));
        let serena = json!([{"type": "mcp-server", "name": "serena"}]);
        assert!(here.wants(Some(&serena), None) && !here.wants(None, Some(&serena)));
        assert!(!Installed::default().wants(Some(&serena), None));
    }
}
