//! A folder that is a complete plugin of an agent. Its hooks leave an event to the agent's own settings where these register sprag too.

use super::command::{Command, Form};
use super::error::DeployError;
use super::plan::{Plan, Registration};
use serde_json::{Map, Value};
use sprag_base::files;
use sprag_base::paths::Paths;
use sprag_protocol::agents::files::{AgentFiles, Scope};
use sprag_protocol::agents::plugin::{PluginFile, PluginParts};
use sprag_shell::quote;
use std::path::{Path, PathBuf};

/// For whom a plugin's folder is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PluginUse<'a> {
    /// For this machine: it names this program.
    Here(&'a Path),
    /// For everybody: it names the `sprag` of whoever has it, and does nothing without one.
    Shared,
}

/// The files of an agent's plugin; `None` when it has none that sprag can make.
pub fn files_of(
    agent: &'static AgentFiles,
    registrations: &[Registration],
    wanted: PluginUse<'_>,
    version: &str,
    mods: bool,
) -> Option<Vec<PluginFile>> {
    let make = agent.plugin?;
    let (exe, form) = match wanted {
        PluginUse::Here(exe) => (exe.to_path_buf(), Form::Exec),
        PluginUse::Shared => (PathBuf::from("sprag"), Form::Shell),
    };
    let plan = Plan {
        agent,
        scope: Scope::User,
        file: PathBuf::new(),
        registrations: Vec::new(),
        command: Command::plugin(exe.clone(), agent.name()),
        form,
        remembered: super::memory::Remembered::default(),
    }
    .with_form(form);
    let mut hooks: Map<String, Value> = Map::new();
    for registration in registrations {
        let groups = hooks.entry(registration.event.clone()).or_insert_with(|| Value::Array(Vec::new()));
        if let Value::Array(groups) = groups {
            groups.push(plan.group(registration));
        }
    }
    let exe = exe.to_string_lossy().into_owned();
    let hooks = Value::Object(hooks);
    let parts = PluginParts { word: &quote(&exe), exe: &exe, version, hooks: &hooks, mods };
    Some(make(&parts))
}

/// Where the plugin's folder of an agent is, unless somebody wants it elsewhere.
pub fn folder(paths: &Paths, agent: &AgentFiles) -> PathBuf {
    paths.state.join("plugins").join(agent.name())
}

/// Writes the files that differ. In a folder of our own an agent that looks meanwhile sees whole files; elsewhere they are a person's.
pub fn write(folder: &Path, all: &[PluginFile], own: bool) -> Result<(), DeployError> {
    let put = if own { files::write_atomic } else { files::write_plain };
    for file in all {
        let path = folder.join(&file.path);
        if files::read_text(&path, files::STATE).is_ok_and(|text| text == file.text) {
            continue;
        }
        super::file::create_parents(&path, own)?;
        put(&path, file.text.as_bytes()).map_err(DeployError::io("write", &path))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use sprag_protocol::agents::AGENTS;

    fn registration(event: &str) -> Registration {
        Registration { event: event.to_owned(), matcher: None, timeout: 10, gate: false }
    }

    fn is(file: &PluginFile, extension: &str) -> bool {
        Path::new(&file.path).extension().is_some_and(|known| known == extension)
    }

    #[test]
    fn every_plugin_is_whole_and_says_that_it_is_one() {
        for agent in AGENTS.iter().map(|agent| &agent.settings).filter(|agent| agent.plugin.is_some()) {
            let here = PluginUse::Here(Path::new("/opt/my tools/sprag"));
            let files = files_of(agent, &[registration("SessionStart")], here, "1.2.3", false).unwrap();
            let all: String = files.iter().map(|file| file.text.as_str()).collect();
            for part in ["/opt/my tools/sprag", "1.2.3", "SessionStart", "\"mcp\""] {
                assert!(all.contains(part), "{}: {part}", agent.name());
            }
            assert!(all.contains("--scope"), "{}: its hooks leave events to the settings", agent.name());
            for file in files.iter().filter(|file| is(file, "json")) {
                serde_json::from_str::<Value>(&file.text).unwrap();
            }
            for file in files.iter().filter(|file| is(file, "toml")) {
                toml::from_str::<toml::Table>(&file.text).unwrap();
            }
            let shared = files_of(agent, &[registration("Stop")], PluginUse::Shared, "1.2.3", false).unwrap();
            assert!(shared.iter().all(|file| !file.text.contains("/opt/")), "{}", agent.name());
        }
    }

    #[test]
    fn the_module_is_there_when_it_is_wanted() {
        let agent = &sprag_protocol::AgentId::CANONICAL.spec().settings;
        let made = |mods: bool| {
            let here = PluginUse::Here(Path::new("/opt/my \"tools\"/sprag"));
            files_of(agent, &[registration("SessionStart")], here, "1.2.3", mods).unwrap()
        };
        let module = |files: &[PluginFile]| {
            let named = files.iter().any(|file| file.text.contains("./sprag.mjs"));
            let found = files.iter().find(|file| file.path == "hooks/sprag.mjs");
            (named, found.map(|file| file.text.lines().next().unwrap().to_owned()))
        };
        assert_eq!(module(&made(false)), (false, None));
        let program = r#"const PROGRAM = "/opt/my \"tools\"/sprag";"#;
        assert_eq!(module(&made(true)), (true, Some(program.to_owned())));
    }

    #[test]
    fn a_folder_is_written_and_brought_up_to_date() {
        let dir = tempfile::tempdir().unwrap();
        let file = |text: &str| [PluginFile::new("a/b.json", text)];
        write(dir.path(), &file("1"), true).unwrap();
        write(dir.path(), &file("2"), false).unwrap();
        assert_eq!(std::fs::read_to_string(dir.path().join("a/b.json")).unwrap(), "2");
    }
}
