//! Which project a call is about: a parameter, what the server was started with, the client's roots, the agent's variable. The
//! working directory counts only when it is a project of its own: agents start servers in their plugin's folder, or at home.

use crate::error::ToolError;
use sprag_config::host::Host;
use sprag_project::Project;
use sprag_protocol::agents::AGENTS;
use std::path::{Path, PathBuf};

/// Variables that name a folder of a plugin: a server that is started there knows nothing of the project.
const PLUGIN_FOLDERS: [&str; 4] = ["CLAUDE_PLUGIN_ROOT", "CLAUDE_PLUGIN_DATA", "PLUGIN_ROOT", "PLUGIN_DATA"];

/// The folder of a `file:` URI.
pub(crate) fn folder_of(uri: &str) -> Option<PathBuf> {
    let path = uri.strip_prefix("file://").unwrap_or(uri);
    let path = path.strip_prefix("localhost").unwrap_or(path);
    let bytes = path.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let hex = path.get(at + 1..at + 3).and_then(|two| u8::from_str_radix(two, 16).ok());
        if let (b'%', Some(value)) = (byte, hex) {
            decoded.push(value);
            at += 3;
        } else {
            decoded.push(*byte);
            at += 1;
        }
    }
    let path = PathBuf::from(String::from_utf8(decoded).ok()?);
    path.is_absolute().then_some(path)
}

/// What is known of the projects of this connection, the most certain first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known {
    /// Folders that the client, the agent or whoever started the server named.
    pub(crate) folders: Vec<PathBuf>,
    /// Where the process runs.
    pub(crate) cwd: PathBuf,
}

impl Known {
    /// From the option, the client's roots and the environment.
    pub(crate) fn new(host: &Host, option: Option<&Path>, roots: &[PathBuf], cwd: PathBuf) -> Self {
        let variables = AGENTS.iter().filter_map(|agent| agent.process.project_variable);
        let variables = variables.filter_map(|name| host.env.get(name)).map(PathBuf::from);
        let mut folders: Vec<PathBuf> = Vec::new();
        for folder in option.map(Path::to_path_buf).into_iter().chain(roots.iter().cloned()).chain(variables)
        {
            if folder.is_absolute() && !folders.contains(&folder) {
                folders.push(folder);
            }
        }
        Self { folders, cwd }
    }

    /// The project of a call with this parameter.
    pub(crate) fn project(&self, host: &Host, wanted: Option<&str>) -> Result<Project, ToolError> {
        let find = |folder: &Path| Project::find(&folder.to_string_lossy(), &host.env, &host.paths.home);
        let wanted = wanted.map(|text| folder_of(text).ok_or(text));
        match wanted {
            Some(Err(text)) => Err(ToolError::new(
                format!("`project` must be an absolute path, not `{text}`"),
                "Give the project's folder.",
            )),
            Some(Ok(folder)) => {
                let project = find(&folder);
                if self.allows(host, &folder, &project) {
                    return Ok(project);
                }
                let known: Vec<String> =
                    self.folders.iter().map(|known| known.display().to_string()).collect();
                let hint = if known.is_empty() {
                    "Give the root of a project: a folder with .git or .sprag.".to_owned()
                } else {
                    format!("This session works in: {}.", known.join(", "))
                };
                Err(ToolError::new(format!("{} is no project of this session", folder.display()), hint))
            }
            None => self.folders.first().map_or_else(|| self.of_cwd(host), |folder| Ok(find(folder))),
        }
    }

    /// The working directory, when it is a project of its own.
    fn of_cwd(&self, host: &Host) -> Result<Project, ToolError> {
        let project = Project::find(&self.cwd.to_string_lossy(), &host.env, &host.paths.home);
        let mut plugin = PLUGIN_FOLDERS.iter().filter_map(|name| host.env.get(name));
        let in_plugin = plugin.any(|folder| self.cwd.starts_with(folder));
        if project.is_codebase(&host.paths.home) && !in_plugin && !in_agent_folder(host, &self.cwd) {
            return Ok(project);
        }
        Err(ToolError::new(
            "it is not known which project this is about",
            "Call again with `project`, the absolute path of its folder.",
        ))
    }

    /// True for a folder of a known one, or around one; without known ones, for a project.
    fn allows(&self, host: &Host, folder: &Path, project: &Project) -> bool {
        if self.folders.is_empty() {
            return project.is_codebase(&host.paths.home) && !in_agent_folder(host, folder);
        }
        self.folders.iter().any(|known| {
            let root = Project::find(&known.to_string_lossy(), &host.env, &host.paths.home).root;
            folder.starts_with(known) || folder.starts_with(root)
        })
    }
}

/// True below a folder in which an agent keeps its own files.
fn in_agent_folder(host: &Host, folder: &Path) -> bool {
    AGENTS.iter().any(|agent| folder.starts_with(host.paths.home.join(agent.settings.folder)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn world() -> (tempfile::TempDir, Host) {
        let dir = tempfile::tempdir().unwrap();
        for folder in ["shop/.git", "shop/src", "other/.git", ".claude/plugins/sprag/.git", "plain"] {
            std::fs::create_dir_all(dir.path().join(folder)).unwrap();
        }
        let host = Host::in_home(dir.path(), &[]);
        (dir, host)
    }

    #[test]
    fn roots_come_before_variables_and_the_working_directory() {
        let (dir, host) = world();
        let at = |name: &str| dir.path().join(name);
        let known = Known::new(&host, None, &[at("shop/src")], at("other"));
        assert_eq!(known.project(&host, None).unwrap().root, at("shop"));
        let host = Host::in_home(dir.path(), &[("CLAUDE_PROJECT_DIR", at("other").to_str().unwrap())]);
        let known = Known::new(&host, None, &[], at("shop"));
        assert_eq!(known.project(&host, None).unwrap().root, at("other"));
    }

    #[test]
    fn a_parameter_stays_within_what_the_session_works_in() {
        let (dir, host) = world();
        let at = |name: &str| dir.path().join(name);
        let known = Known::new(&host, None, &[at("shop")], at("other"));
        let uri = format!("file://{}", at("shop/src").display());
        assert_eq!(known.project(&host, Some(&uri)).unwrap().root, at("shop"));
        let error = known.project(&host, Some(at("other").to_str().unwrap())).unwrap_err().to_string();
        assert!(error.contains("is no project of this session") && error.contains("shop"), "{error}");
        assert!(known.project(&host, Some("src")).unwrap_err().to_string().contains("absolute"));
    }

    #[test]
    fn the_working_directory_counts_only_as_a_project() {
        let (dir, host) = world();
        let at = |name: &str| dir.path().join(name);
        let of =
            |cwd: PathBuf| Known::new(&host, None, &[], cwd).project(&host, None).map(|project| project.root);
        assert_eq!(of(at("shop/src")).unwrap(), at("shop"));
        for cwd in [at("plain"), dir.path().to_path_buf(), at(".claude/plugins/sprag"), PathBuf::new()] {
            let error = of(cwd).unwrap_err().to_string();
            assert!(error.contains("Call again with `project`"), "{error}");
        }
    }

    #[test]
    fn uris_are_decoded() {
        assert_eq!(folder_of("file:///a%20b/%C3%A9"), Some(PathBuf::from("/a b/é")));
        assert_eq!(folder_of("file://localhost/a"), Some(PathBuf::from("/a")));
        assert_eq!(folder_of("https://example.com/"), None);
    }
}
