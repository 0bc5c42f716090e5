//! Everything that a run depends on and does not come from the payload. A test case makes its own.

use crate::spec::HookSpec;
use sprag_base::env::Env;
use sprag_base::paths::Paths;
use sprag_base::time::Clock;
use sprag_project::Project;
use std::path::{Path, PathBuf};

/// The environment of a run.
#[derive(Clone)]
pub struct Host {
    /// The environment.
    pub env: Env,
    /// sprag's folders.
    pub paths: Paths,
    /// The time.
    pub clock: Clock,
    /// What the builtins declare, in the order of their chains.
    pub hooks: &'static [&'static HookSpec],
    /// This program, to start the worker with; `None` starts none.
    pub exe: Option<PathBuf>,
}

impl Host {
    /// The environment of this process.
    pub fn of_process(hooks: &'static [&'static HookSpec]) -> Self {
        let env = Env::Process;
        let paths = Paths::from_env(&env);
        Self { env, paths, clock: Clock::System, hooks, exe: std::env::current_exe().ok() }
    }

    /// A home with these variables and nothing of this process, without hooks or a worker: for tests.
    pub fn in_home(home: &Path, vars: &[(&str, &str)]) -> Self {
        let vars = vars.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let env = Env::Fixed(vars.chain([("HOME".to_owned(), home.display().to_string())]).collect());
        Self { paths: Paths::from_env(&env), env, clock: Clock::System, hooks: &[], exe: None }
    }

    /// The machine's name; `SPRAG_HOST` gives it another.
    pub fn machine(&self) -> String {
        self.env.get("SPRAG_HOST").unwrap_or_else(|| {
            #[cfg(unix)]
            let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
            #[cfg(not(unix))]
            let name = self.env.get("COMPUTERNAME").unwrap_or_default();
            name
        })
    }

    /// What the builtin with this name declares.
    pub fn hook(&self, name: &str) -> Option<&'static HookSpec> {
        self.hooks.iter().copied().find(|hook| hook.name == name)
    }
}

/// The project around a folder; by default, around the working directory.
pub fn project_at(host: &Host, folder: Option<&Path>) -> Project {
    let folder = match folder {
        Some(folder) => std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf()),
        None => std::env::current_dir().unwrap_or_default(),
    };
    Project::find(&folder.to_string_lossy(), &host.env, &host.paths.home)
}
