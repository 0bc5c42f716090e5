//! Which coding agents this machine has: on the PATH, or by the folder that they keep their settings in.

use sprag_base::process::{self, Spec};
use sprag_config::host::Host;
use sprag_project::Project;
use sprag_protocol::AgentId;
use sprag_protocol::agents::files::{AgentEnv, AgentVersion, Scope};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Where the agents' files are.
pub fn agent_env(host: &Host, project: &Project, scope: Scope) -> AgentEnv {
    // Claude Code reads the private file at the git root, the shared one where it is started.
    let local = project.git_root().filter(|_| scope == Scope::Local);
    let root = local.unwrap_or(&project.root).to_path_buf();
    AgentEnv::new(Some(host.paths.home.clone()), Some(root), |name| host.env.get(name).map(PathBuf::from))
}

/// An agent that was found.
#[derive(Debug)]
pub struct Installed {
    /// Which.
    pub agent: AgentId,
    /// The program, when it is on the PATH.
    pub program: Option<PathBuf>,
    /// Its settings folder, when it is there.
    pub folder: Option<PathBuf>,
}

/// Where an agent keeps its settings, there or not.
fn settings_folder(host: &Host, agent: AgentId) -> Option<PathBuf> {
    let env = agent_env(host, &Project::default(), Scope::User);
    agent.spec().settings.dir(Scope::User, &env).ok()
}

/// The agents that this machine has.
pub fn find(host: &Host) -> Vec<Installed> {
    AgentId::ALL
        .into_iter()
        .map(|agent| Installed {
            agent,
            program: on_path(host, agent.name()),
            folder: settings_folder(host, agent).filter(|folder| folder.is_dir()),
        })
        .filter(|found| {
            let named = found.program.is_some() && !found.agent.spec().process.common_name;
            named || found.folder.is_some()
        })
        .collect()
}

/// A program on the PATH.
pub fn on_path(host: &Host, name: &str) -> Option<PathBuf> {
    let path = host.env.get("PATH")?;
    std::env::split_paths(&path)
        .flat_map(|folder| {
            [folder.join(name), folder.join(format!("{name}.exe")), folder.join(format!("{name}.cmd"))]
        })
        .find(|file| is_program(file))
}

fn is_program(file: &Path) -> bool {
    let Ok(meta) = file.metadata() else { return false };
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        meta.is_file() && meta.permissions().mode() & 0o111 != 0
    }
    #[cfg(not(unix))]
    meta.is_file()
}

/// The longest that a program may take to say its version.
const PATIENCE: Duration = Duration::from_secs(2);

/// The agent's version: from its package, which costs nothing, else from the program itself.
pub fn version(host: &Host, agent: AgentId, program: &Path) -> Option<String> {
    from_package(agent, program).or_else(|| {
        let finished = process::run(&Spec {
            argv: &version_command(agent, program),
            stdin: b"",
            cwd: &host.paths.home,
            inherit: &host.env,
            env: &[],
            timeout: PATIENCE,
        })
        .ok()?;
        let word = |word: &&str| word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.');
        finished.stdout.split_whitespace().find(word).map(|word| word.trim_end_matches(',').to_owned())
    })
}

/// The three numbers of a version.
pub fn numbers(version: &str) -> Option<AgentVersion> {
    let mut parts = version.split(['.', '-', '+']).map(str::parse);
    Some([parts.next()?.ok()?, parts.next()?.ok()?, parts.next()?.ok()?])
}

/// Three numbers as people write a version.
pub fn dotted([major, minor, patch]: AgentVersion) -> String {
    format!("{major}.{minor}.{patch}")
}

/// Why this version of an agent is too old for sprag.
pub fn too_old(agent: AgentId, version: &str) -> Option<String> {
    let oldest = agent.spec().version.oldest;
    (numbers(version)? < oldest).then(|| {
        let (title, oldest) = (agent.title(), dotted(oldest));
        format!("{title} {version} is too old: it lacks hooks that sprag needs, which came with {oldest}")
    })
}

/// The tested version, when this one is newer.
pub fn newer_than(agent: AgentId, version: &str) -> Option<&'static str> {
    let tested = agent.spec().version.tested;
    (numbers(version)? > numbers(tested)?).then_some(tested)
}

/// The command that prints an agent's version.
fn version_command(agent: AgentId, program: &Path) -> Vec<String> {
    let arguments = agent.spec().version.arguments.iter().map(|argument| (*argument).to_owned());
    std::iter::once(program.to_string_lossy().into_owned()).chain(arguments).collect()
}

/// The version in the `package.json` that a program's file belongs to.
fn from_package(agent: AgentId, program: &Path) -> Option<String> {
    let file = program.canonicalize().ok()?;
    let package =
        file.ancestors().skip(1).take(4).map(|dir| dir.join("package.json")).find(|p| p.is_file())?;
    let bytes = sprag_base::files::read(package, sprag_base::files::STATE).ok()?;
    let value: serde_json::Value = serde_json::from_slice(&bytes).ok()?;
    // A `package.json` further up may be the user's own.
    value.get("name")?.as_str().filter(|name| name.contains(agent.name()))?;
    value.get("version")?.as_str().map(str::to_owned)
}
