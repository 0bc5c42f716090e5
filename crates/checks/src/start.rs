//! Starts one checker: finds its program, fills in its arguments, and bounds it.

use super::disk::Disk;
use super::place::CheckFolder;
use sprag_base::env::Env;
use sprag_base::files;
use sprag_base::id::short_hash;
use sprag_base::pid::Process;
use sprag_base::process::{self, Bounds, Finished, RunError, Spec};
use sprag_verify::detect::package_manager;
use sprag_verify::table::{Checker, ENVIRONMENT, Execution, Scope};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The most that a checker may print: cargo names every crate it looks at.
const MAX_OUTPUT: usize = 16 << 20;
/// Files in one call.
const MAX_FILES: usize = 50;

/// What is needed to start checkers of a project.
pub(crate) struct Starter<'a> {
    pub place: &'a CheckFolder,
    /// The variables that the checker gets.
    pub env: &'a BTreeMap<String, String>,
    /// The project's own code may run.
    pub may_run_code: bool,
    /// The longest for all calls of one checker.
    pub deadline: Duration,
    /// True when nobody waits any more.
    pub stop: &'a dyn Fn() -> bool,
}

/// Where a program was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ProgramLookup {
    /// Here.
    Program(PathBuf),
    /// It is only to be had in the project, or runs its code, and that may not run.
    NotAllowed,
    /// Nowhere.
    Missing,
}

impl Starter<'_> {
    /// The program of a checker: the project's own version first, then the search path.
    pub(crate) fn find(&self, checker: &Checker, folder: &str) -> ProgramLookup {
        let tree = Disk { root: &self.place.root };
        let Some(name) = checker.command.first() else { return ProgramLookup::Missing };
        let name = if name == "{manager}" { package_manager(folder, &tree) } else { name.as_str() };
        let local = self.local(name, folder);
        let global = self.on_path(name);
        let allowed = checker.own || self.may_run_code;
        match (local, global) {
            (None, None) => ProgramLookup::Missing,
            _ if checker.execution == Execution::RunsProjectCode && !allowed => ProgramLookup::NotAllowed,
            // A program of the project is the project's code, whatever it is called.
            (Some(local), _) if allowed => ProgramLookup::Program(local),
            (_, Some(global)) => ProgramLookup::Program(global),
            (Some(_), None) => ProgramLookup::NotAllowed,
        }
    }

    fn local(&self, name: &str, folder: &str) -> Option<PathBuf> {
        let start = self.place.root.join(folder);
        if name.contains('/') {
            return Some(start.join(name)).filter(|path| is_program(path));
        }
        let wrapper = match name {
            "gradle" => "gradlew",
            "mvn" => "mvnw",
            _ => name,
        };
        let inside = |dir: &&Path| dir.starts_with(&self.place.root);
        start.ancestors().take_while(inside).find_map(|dir| {
            let places = ["node_modules/.bin", ".venv/bin", "venv/bin", "vendor/bin"];
            let tools = places.iter().map(|place| dir.join(place).join(name));
            let own = (wrapper != name).then(|| dir.join(wrapper));
            tools.chain(own).find(|path| is_program(path))
        })
    }

    fn on_path(&self, name: &str) -> Option<PathBuf> {
        let path = self.env.get("PATH")?;
        // A relative entry would be read from the project's folder.
        let dirs =
            std::env::split_paths(path).filter(|dir| dir.is_absolute() && !dir.starts_with(&self.place.root));
        dirs.map(|dir| dir.join(name)).find(|path| is_program(path))
    }

    /// Runs a checker over files (below the root) in its folder, to its end or the deadline.
    pub(crate) fn run(
        &self,
        checker: &Checker,
        program: &Path,
        folder: &str,
        files: &[String],
    ) -> Result<Finished, RunError> {
        let end = Instant::now() + self.deadline;
        let cwd = self.place.root.join(folder);
        let names: Vec<String> = files.iter().take(MAX_FILES).map(|file| from_folder(file, folder)).collect();
        let calls: Vec<Vec<String>> = match checker.scope {
            Scope::EachFile => names.into_iter().map(|name| vec![name]).collect(),
            Scope::Files | Scope::Project => vec![names],
        };
        let mut all = Finished { code: 0, stdout: String::new(), stderr: String::new() };
        for names in calls {
            let argv = self.argv(checker, program, folder, &names);
            let finished = self.call(&argv, &cwd, end.saturating_duration_since(Instant::now()))?;
            all.code = if all.code == 0 { finished.code } else { all.code };
            all.stdout.push_str(&finished.stdout);
            all.stderr.push_str(&finished.stderr);
        }
        Ok(all)
    }

    fn call(&self, argv: &[String], cwd: &Path, timeout: Duration) -> Result<Finished, RunError> {
        let env: Vec<(String, String)> =
            ENVIRONMENT.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let inherit = Env::Fixed(self.env.clone());
        let spec = Spec { argv, stdin: b"", cwd, inherit: &inherit, env: &env, timeout };
        // Whoever comes next ends a group that a killed worker left behind.
        let running = self.place.running();
        let started = |id: u32| {
            let known = serde_json::to_vec(&Process::find(id).unwrap_or_default()).unwrap_or_default();
            let _ = files::write_atomic(&running, &known);
        };
        let bounds = Bounds { stdout: MAX_OUTPUT, stop: self.stop, started: &started, sweep: true };
        let result = process::run_within(&spec, &bounds);
        let _ = files::remove(&running);
        result
    }

    fn argv(&self, checker: &Checker, program: &Path, folder: &str, names: &[String]) -> Vec<String> {
        let cache = self.place.dir().join(format!("cache-{}", short_hash(folder.as_bytes())));
        let _ = files::make_dir(&cache);
        let mut argv = vec![program.to_string_lossy().into_owned()];
        for word in checker.command.iter().skip(1) {
            match word.as_str() {
                "{files}" => argv.extend(names.iter().cloned()),
                "{file}" => argv.extend(names.first().cloned()),
                word => argv.push(word.replace("{cache}", &cache.to_string_lossy())),
            }
        }
        argv
    }
}

/// A file's name as seen from a folder; never an option.
fn from_folder(file: &str, folder: &str) -> String {
    let inside = if folder.is_empty() {
        Some(file)
    } else {
        file.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/'))
    };
    match inside {
        Some(name) => format!("./{name}"),
        None => format!("{}{file}", "../".repeat(folder.split('/').count())),
    }
}

fn is_program(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::metadata(path).is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
    }
    #[cfg(not(unix))]
    {
        path.is_file()
    }
}

/// Ends what a worker that was killed left running.
pub(crate) fn reap(place: &CheckFolder) {
    let Ok(bytes) = files::read(place.running(), files::SMALL) else { return };
    if let Ok(process) = serde_json::from_slice::<Process>(&bytes)
        && process.started > 0
        && process.is_alive() == Some(true)
    {
        process::kill_group(process.id);
    }
    let _ = files::remove(place.running());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_never_options() {
        assert_eq!(from_folder("-rf.py", ""), "./-rf.py");
        assert_eq!(from_folder("web/src/a.ts", "web"), "./src/a.ts");
        assert_eq!(from_folder("other/a.ts", "web/app"), "../../other/a.ts");
    }
}
