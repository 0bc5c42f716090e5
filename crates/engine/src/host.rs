//! Everything that a run depends on and does not come from the payload. A test case makes its own.

use crate::env::Env;
use crate::hook::Builtin;
use crate::job::JobHandler;
use crate::paths::Paths;
use crate::time::Clock;
use std::path::PathBuf;

/// The surroundings of a run.
#[derive(Clone)]
pub struct Host {
    /// The environment.
    pub env: Env,
    /// sprag's folders.
    pub paths: Paths,
    /// The time.
    pub clock: Clock,
    /// The builtins, in the order of their chains.
    pub builtins: &'static [Builtin],
    /// The background handlers.
    pub jobs: &'static [JobHandler],
    /// This program, to start the worker with; `None` starts none.
    pub exe: Option<PathBuf>,
}

impl Host {
    /// The surroundings of this process.
    pub fn of_process(builtins: &'static [Builtin], jobs: &'static [JobHandler]) -> Self {
        let env = Env::Process;
        let paths = Paths::from_env(&env);
        Self { env, paths, clock: Clock::System, builtins, jobs, exe: std::env::current_exe().ok() }
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

    /// The builtin with this name.
    pub fn builtin(&self, name: &str) -> Option<&'static Builtin> {
        self.builtins.iter().find(|builtin| builtin.name == name)
    }
}
