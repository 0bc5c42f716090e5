//! Where an agent's own settings name its MCP servers. Data and pure functions: `deploy` writes the files.

use super::files::{AgentEnv, AgentFileError, AgentFiles, JsonSyntax, Scope};
use super::sandbox::toml_string;
use serde_json::{Map, Value, json};
use std::path::PathBuf;

/// The name under which sprag is registered.
pub const SERVER: &str = "sprag";

/// How an agent's settings name its MCP servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct McpFiles {
    /// The file of each scope that it has.
    pub files: &'static [(Scope, McpFile)],
    /// How that is written.
    pub format: McpFormat,
}

/// Where a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum McpFile {
    /// In the agent's folder of the scope.
    InFolder(&'static str),
    /// In the home directory; in the user's folder of the agent, if a variable moves that.
    InHome(&'static str),
    /// In the project's root.
    InRoot(&'static str),
}

/// How servers are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum McpFormat {
    /// The member `mcpServers` of a JSON object.
    Json {
        /// Which JSON.
        syntax: JsonSyntax,
        /// The value of `type`, where an entry has one.
        kind: Option<&'static str>,
    },
    /// A table `[mcp_servers.NAME]` of a TOML file.
    Toml,
}

impl McpFiles {
    /// The file of a scope.
    pub fn path(&self, agent: &AgentFiles, scope: Scope, env: &AgentEnv) -> Result<PathBuf, AgentFileError> {
        let Some((_, file)) = self.files.iter().find(|(known, _)| *known == scope) else {
            let known = self.files.iter().map(|(known, _)| *known).collect();
            return Err(AgentFileError::NoSuchScope { agent: agent.title(), scope, known });
        };
        let no_home = AgentFileError::NoHome { agent: agent.title() };
        match file {
            McpFile::InFolder(name) => Ok(agent.path(scope, env)?.with_file_name(name)),
            McpFile::InHome(name) => agent
                .moved_folder(env)
                .or_else(|| env.home.clone())
                .map(|folder| folder.join(name))
                .ok_or(no_home),
            McpFile::InRoot(name) => env
                .project
                .as_ref()
                .map(|root| root.join(name))
                .ok_or(AgentFileError::NoProject { agent: agent.title(), scope }),
        }
    }

    /// The entry that starts `exe mcp`, in JSON.
    pub fn entry(&self, exe: &str) -> Value {
        let mut entry = Map::new();
        if let McpFormat::Json { kind: Some(kind), .. } = self.format {
            entry.insert("type".to_owned(), json!(kind));
        }
        entry.insert("command".to_owned(), json!(exe));
        entry.insert("args".to_owned(), json!(["mcp"]));
        Value::Object(entry)
    }

    /// The same as the lines of a TOML table.
    pub fn table(exe: &str) -> String {
        format!("[mcp_servers.{SERVER}]\ncommand = {}\nargs = [\"mcp\"]\n", toml_string(exe))
    }
}

/// True for an entry that starts sprag's server.
pub fn is_own(entry: &Value) -> bool {
    let command = entry.get("command").and_then(Value::as_str).unwrap_or_default();
    let program = command.rsplit(['/', '\\']).next().unwrap_or_default();
    let first = entry.get("args").and_then(|args| args.get(0)).and_then(Value::as_str);
    matches!(program, "sprag" | "sprag.exe") && first == Some("mcp")
}
