//! Where an agent's hook configuration lives and how it is written.
//! Data and pure functions only: nothing here reads the disk or the process environment.

use super::mcp::McpFiles;
use super::plugin::{PluginFile, PluginParts};
use super::{AGENTS, AgentId};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// For whom hooks are registered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scope {
    /// All projects of this user.
    User,
    /// One project, for everybody who works on it.
    Project,
    /// One project, for this user only.
    Local,
}

impl Scope {
    /// Every scope.
    pub const ALL: [Self; 3] = [Self::User, Self::Project, Self::Local];

    /// The scope with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.name() == name)
    }

    /// The value on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Project => "project",
            Self::Local => "local",
        }
    }
}

/// What the paths of the agents' files depend on.
#[derive(Debug, Clone, Default)]
pub struct AgentEnv {
    /// The user's home directory.
    pub home: Option<PathBuf>,
    /// The project's root.
    pub project: Option<PathBuf>,
    /// The agents' variables that are set, with their values.
    variables: Vec<(&'static str, PathBuf)>,
}

impl AgentEnv {
    /// Asks `variable` for the value of each variable that moves an agent's folder.
    pub fn new(
        home: Option<PathBuf>,
        project: Option<PathBuf>,
        variable: impl Fn(&str) -> Option<PathBuf>,
    ) -> Self {
        let names = AGENTS.iter().map(|agent| agent.settings.folder_variable.name());
        let variables = names.filter_map(|name| Some((name, variable(name)?)));
        // An empty variable is an unset one, for the agents too.
        let variables = variables.filter(|(_, value)| !value.as_os_str().is_empty()).collect();
        Self { home, project, variables }
    }

    fn variable(&self, name: &str) -> Option<&Path> {
        self.variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_path())
    }
}

/// The environment variable that moves an agent's folder in the user's home.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FolderVariable {
    /// Its value is the folder itself.
    Folder(&'static str),
    /// Its value replaces the home directory: the folder is below it.
    Home(&'static str),
}

impl FolderVariable {
    /// The variable's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Folder(name) | Self::Home(name) => name,
        }
    }
}

/// Which JSON an agent reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsonSyntax {
    /// RFC 8259, nothing else.
    Strict,
    /// The same plus `//` and `/* */` comments. No trailing commas: the agents strip comments and then parse strictly.
    Comments,
}

/// The unit of an agent's hook timeouts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeUnit {
    /// Seconds.
    Seconds,
    /// Milliseconds.
    Millis,
}

/// A version of an agent: major, minor, patch.
pub type AgentVersion = [u32; 3];

/// The member of a handler that makes a failed hook block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GateField {
    /// Its key.
    pub key: &'static str,
    /// Its value.
    pub value: &'static str,
    /// The first version in which a gate that cannot start blocks.
    pub since: AgentVersion,
}

/// How sprag's hooks are written into an agent's file.
#[derive(Debug, Clone, Copy)]
pub enum Layout {
    /// JSON: `hooks`, below it the events, their groups with a matcher, and the handlers.
    Groups,
    /// JSON: `hooks`, below it the events with their handlers, each with its matcher.
    Flat(FlatLayout),
    /// JSON: one value that is sprag's, the whole file or one of its members.
    Member(MemberLayout),
    /// A part of a text file, between two comments.
    Block(BlockLayout),
}

/// What a handler looks like where there are no groups.
#[derive(Debug, Clone, Copy)]
pub struct FlatLayout {
    /// The number that the file must have as `version`.
    pub version: Option<u64>,
    /// It carries its timeout.
    pub timeout: bool,
}

/// A JSON value that is sprag's.
#[derive(Debug, Clone, Copy)]
pub struct MemberLayout {
    /// Its key in the file's object; `None`: the whole file.
    pub key: Option<&'static str>,
    /// The value.
    pub value: fn(&Hookup<'_>) -> Value,
    /// What a value registers.
    pub read: fn(&Value) -> Vec<FoundHandler>,
}

/// A handler in a JSON value: event, command line, timeout.
pub type FoundHandler = (String, String, Option<u64>);

/// The part of a text file that is sprag's.
#[derive(Debug, Clone, Copy)]
pub struct BlockLayout {
    /// What begins a comment.
    pub comment: &'static str,
    /// The first line of a file that sprag creates.
    pub head: &'static str,
    /// The path names a folder: every event has an executable file of its name there.
    pub script_per_event: bool,
    /// The key at the beginning of a line that the part defines: a file that has it already cannot take the part.
    pub key: Option<&'static str>,
    /// The text between the comments.
    pub body: fn(&Hookup<'_>) -> String,
}

/// What an agent starts, and for which events.
#[derive(Debug, Clone, Copy)]
pub struct Hookup<'a> {
    /// The program.
    pub exe: &'a str,
    /// Its arguments.
    pub args: &'a [String],
    /// Both as one line for a POSIX shell.
    pub line: &'a str,
    /// The events in the agent's spelling, and how long the agent waits, in its unit.
    pub events: &'a [(&'a str, u64)],
}

/// A TOML file with hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TomlFile {
    /// Its name.
    pub name: &'static str,
    /// The keys of its `features` that switch hooks off: the present one and older ones.
    pub features: &'static [&'static str],
}

/// A key of a settings file that guards the agent: its hooks, what switches them off, its own permissions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GuardKey {
    /// Its path, with dots; `*` is any text of one name. What is below it counts too.
    pub path: &'static str,
    /// Which change of it a person decides about.
    pub when: GuardChange,
}

/// A change of a settings file's key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GuardChange {
    /// Every change.
    Any,
    /// Something is taken away.
    Less,
    /// It becomes one of these.
    To(&'static [&'static str]),
    /// What was there names sprag.
    Ours,
}

impl GuardKey {
    /// Every change of it counts.
    pub const fn any(path: &'static str) -> Self {
        Self { path, when: GuardChange::Any }
    }

    /// It counts when something is taken away.
    pub const fn less(path: &'static str) -> Self {
        Self { path, when: GuardChange::Less }
    }

    /// It counts when it becomes one of these.
    pub const fn to(path: &'static str, values: &'static [&'static str]) -> Self {
        Self { path, when: GuardChange::To(values) }
    }
}

/// The settings files of one agent.
#[derive(Debug)]
pub struct AgentFiles {
    /// The agent.
    pub agent: AgentId,
    /// Its folder, in the home directory and in a project.
    pub folder: &'static str,
    /// What moves the user's folder.
    pub folder_variable: FolderVariable,
    /// The file per scope; a scope that is not listed does not exist for this agent.
    pub files: &'static [(Scope, &'static str)],
    /// How hooks are written there.
    pub layout: Layout,
    /// It also runs the hooks in the canonical agent's files.
    pub reads_canonical_files: bool,
    /// A TOML file in the same folder from which it reads hooks too.
    pub toml_file: Option<TomlFile>,
    /// Folder and name of what else decides which hooks it runs: an administrator's files, a folder of hook programs.
    pub other_hook_files: &'static [(&'static str, &'static str)],
    /// Variables beside `folder_variable` that make it read other settings.
    pub settings_variables: &'static [&'static str],
    /// A file of its settings directly in the home directory.
    pub home_file: Option<&'static str>,
    /// The file of instructions, in its folder, that it gives to its model by itself.
    pub memory_file: Option<&'static str>,
    /// The file, below its folder, that lists the plugins which are installed.
    pub plugins_file: Option<&'static str>,
    /// Where it names its MCP servers; `None`: sprag does not register there.
    pub mcp: Option<McpFiles>,
    /// The files of a plugin for it; `None`: it has no plugins that sprag can make.
    pub plugin: Option<fn(&PluginParts<'_>) -> Vec<PluginFile>>,
    /// The keys that guard it.
    pub guard_keys: &'static [GuardKey],
    /// Which JSON it reads.
    pub syntax: JsonSyntax,
    /// The unit of `timeout`.
    pub unit: TimeUnit,
    /// The agent's own upper limits for `timeout`, in its unit.
    pub timeout_limits: &'static [(&'static str, u64)],
    /// The first version with `args`, which needs no shell; `None` when it has no `args`.
    pub args_since: Option<AgentVersion>,
    /// The `name` that its handlers carry.
    pub handler_name: Option<&'static str>,
    /// The top-level key of its status line, an object with `type` and `command`.
    pub status_line: Option<&'static str>,
    /// What makes a failed hook block, for gates.
    pub gate: Option<GateField>,
    /// A setting that must be true: object and key.
    pub enable: Option<(&'static str, &'static str)>,
    /// A top-level key that, when true, disables every hook.
    pub off_switch: Option<&'static str>,
    /// The only top-level keys it accepts.
    pub only_keys: Option<&'static [&'static str]>,
    /// Keys inside `hooks` that are not events.
    pub not_events: &'static [&'static str],
    /// One matcher that is not a string makes it reject the whole file.
    pub strict_matcher: bool,
    /// What the user has to do after deploy.
    pub advice: Option<&'static str>,
    /// What the user has to do after its sandbox was written.
    pub sandbox_advice: Option<&'static str>,
}

impl AgentFiles {
    /// An agent of which nothing is special: `settings.json` per scope, strict JSON, seconds. An agent's table states what differs.
    pub(super) const fn plain(agent: AgentId, folder: &'static str, folder_variable: FolderVariable) -> Self {
        Self {
            agent,
            folder,
            folder_variable,
            files: &[(Scope::User, "settings.json"), (Scope::Project, "settings.json")],
            layout: Layout::Groups,
            reads_canonical_files: false,
            toml_file: None,
            other_hook_files: &[],
            settings_variables: &[],
            home_file: None,
            memory_file: None,
            plugins_file: None,
            mcp: None,
            plugin: None,
            guard_keys: &[],
            syntax: JsonSyntax::Strict,
            unit: TimeUnit::Seconds,
            timeout_limits: &[],
            args_since: None,
            handler_name: None,
            status_line: None,
            gate: None,
            enable: None,
            off_switch: None,
            only_keys: None,
            not_events: &[],
            strict_matcher: false,
            advice: None,
            sandbox_advice: None,
        }
    }
}

/// Why an agent or its settings file cannot be named.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AgentFileError {
    /// The agent is not in the table.
    #[error("unknown agent `{name}`")]
    UnknownAgent {
        /// The name that was asked for.
        name: String,
    },
    /// The agent has no such scope.
    #[error("{agent} has no `{}` scope", scope.name())]
    NoSuchScope {
        /// The agent's title.
        agent: &'static str,
        /// The scope that was asked for.
        scope: Scope,
        /// The scopes that it has.
        known: Vec<Scope>,
    },
    /// The user's home is not known.
    #[error("the home directory is unknown, so {agent}'s settings cannot be found")]
    NoHome {
        /// The agent's title.
        agent: &'static str,
    },
    /// There is no project here.
    #[error("the `{}` scope of {agent} needs a project", scope.name())]
    NoProject {
        /// The agent's title.
        agent: &'static str,
        /// The scope that was asked for.
        scope: Scope,
    },
}

impl AgentFileError {
    /// What to do about it.
    pub fn hint(&self) -> String {
        let one_of = |names: Vec<&str>| format!("use one of: {}", names.join(", "));
        match self {
            Self::UnknownAgent { .. } => one_of(AgentId::ALL.map(AgentId::name).to_vec()),
            Self::NoSuchScope { known, .. } if known.is_empty() => {
                "it has no settings to write: let its host start `sprag hook`".to_owned()
            }
            Self::NoSuchScope { known, .. } => one_of(known.iter().map(|scope| scope.name()).collect()),
            Self::NoHome { .. } => "set HOME and run the command again".to_owned(),
            Self::NoProject { .. } => "run the command inside one, or use --scope user".to_owned(),
        }
    }
}

impl AgentFiles {
    /// Folder and name of everything that decides which hooks it runs.
    pub fn hook_files(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let own = self.files.iter().map(|(_, name)| *name).chain(self.toml_file.map(|file| file.name));
        own.map(|name| (self.folder, name)).chain(self.other_hook_files.iter().copied())
    }

    /// True when handlers are in no groups.
    pub const fn is_flat(&self) -> bool {
        matches!(self.layout, Layout::Flat(_))
    }

    /// True when this variable makes the agent read other settings.
    pub fn is_moved_by(&self, variable: &str) -> bool {
        self.folder_variable.name() == variable || self.settings_variables.contains(&variable)
    }

    /// The row of the agent with this name.
    pub fn find(name: &str) -> Result<&'static Self, AgentFileError> {
        AgentId::from_name(name)
            .map(|agent| &agent.spec().settings)
            .ok_or_else(|| AgentFileError::UnknownAgent { name: name.to_owned() })
    }

    /// The agent's name on the command line.
    pub const fn name(&self) -> &'static str {
        self.agent.name()
    }

    /// The agent's name for people.
    pub const fn title(&self) -> &'static str {
        self.agent.title()
    }

    /// The file that this agent reads in a scope.
    pub fn path(&self, scope: Scope, env: &AgentEnv) -> Result<PathBuf, AgentFileError> {
        let Some((_, file)) = self.files.iter().find(|(known, _)| *known == scope) else {
            let known = self.files.iter().map(|(known, _)| *known).collect();
            return Err(AgentFileError::NoSuchScope { agent: self.title(), scope, known });
        };
        Ok(self.dir(scope, env)?.join(file))
    }

    /// The agent's folder in a scope.
    pub fn dir(&self, scope: Scope, env: &AgentEnv) -> Result<PathBuf, AgentFileError> {
        let below = |root: &Option<PathBuf>| {
            root.as_ref().filter(|root| !root.as_os_str().is_empty()).map(|root| root.join(self.folder))
        };
        match scope {
            Scope::User => self
                .moved_folder(env)
                .or_else(|| below(&env.home))
                .ok_or(AgentFileError::NoHome { agent: self.title() }),
            Scope::Project | Scope::Local => {
                below(&env.project).ok_or(AgentFileError::NoProject { agent: self.title(), scope })
            }
        }
    }

    /// The user's folder, if a variable moves it.
    pub fn moved_folder(&self, env: &AgentEnv) -> Option<PathBuf> {
        let value = env.variable(self.folder_variable.name())?;
        Some(match self.folder_variable {
            FolderVariable::Folder(_) => value.to_owned(),
            FolderVariable::Home(_) => value.join(self.folder),
        })
    }

    /// The TOML file beside `file` from which this agent reads hooks too.
    pub fn toml_path(&self, file: &Path) -> Option<PathBuf> {
        self.toml_file.map(|toml| file.with_file_name(toml.name))
    }

    /// A time in this agent's unit, rounded up, within the agent's own limit for the event.
    pub fn timeout(&self, event: &str, time: Duration) -> u64 {
        let millis = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let value = match self.unit {
            TimeUnit::Millis => millis,
            TimeUnit::Seconds => millis.div_ceil(1000),
        };
        let limit = self.timeout_limits.iter().find(|(name, _)| *name == event).map(|(_, limit)| *limit);
        value.max(1).min(limit.unwrap_or(u64::MAX))
    }

    /// True when this agent starts a program with `args`, without a shell. An unknown version may be an
    /// older one, which ignores `args` and starts the program without any.
    pub fn has_args(&self, version: Option<AgentVersion>) -> bool {
        self.args_since.is_some_and(|since| version.is_some_and(|version| version >= since))
    }
}
