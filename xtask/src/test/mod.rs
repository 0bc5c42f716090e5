//! `cargo xtask test`: says what is missing, gets what it can, runs all tests, and sums up what passed, failed and was
//! skipped, and why.

mod needs;
mod summary;

use crate::{root, sh, target};
use anyhow::Context as _;
use needs::{Needs, Scope};
pub(crate) use needs::{fetch_python_tool, tools_dir};
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;
use summary::{Counts, Programs, Run, Selector, Summary};

/// With more failures than this among the tests with the real agents, running them again tells nothing new.
const MAX_SECOND_RUNS: usize = 6;

/// Names the `sprag` that is tested with the real agents and the cases, instead of the one that is built here.
const PROGRAM: &str = "SPRAG_BIN";

/// How long output is awaited that a process has written before its end.
const AFTER_THE_END: Duration = Duration::from_secs(1);

pub(crate) fn run(args: &[String]) -> anyhow::Result<ExitCode> {
    let fetch_only = args.iter().any(|arg| arg == "--fetch");
    let args: Vec<String> = args.iter().filter(|arg| *arg != "--fetch").cloned().collect();
    let scope = Scope::of(&args);
    let needs = Needs::prepare(&scope)?;
    if fetch_only {
        return Ok(ExitCode::SUCCESS);
    }
    if given().is_none() && (scope.has("sprag-e2e") || scope.has("sprag-testkit")) {
        // The binary that the end-to-end tests start, built once rather than by each test program.
        sh(Command::new("cargo").args(["build", "--locked", "--package", "sprag"]))?;
    }
    let mut tests = Tests { needs, summary: Summary::default() };
    if args.is_empty() {
        tests.all()?;
    } else {
        let everywhere: &[&str] = if scope.is_all() { &["--workspace"] } else { &[] };
        let args: Vec<&str> = everywhere.iter().copied().chain(args.iter().map(String::as_str)).collect();
        tests.cargo(&args, &[])?;
    }
    let failed = tests.summary.failed();
    // Removes what was made for the tests before the last line is printed.
    let Tests { summary, needs } = tests;
    drop(needs);
    print!("\nxtask test: summary\n{}", summary.text());
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn given() -> Option<PathBuf> {
    std::env::var_os(PROGRAM).filter(|path| !path.is_empty()).map(PathBuf::from)
}

/// The `sprag` under test.
fn program() -> PathBuf {
    given().unwrap_or_else(|| target().join("debug/sprag"))
}

struct Tests {
    needs: Needs,
    summary: Summary,
}

impl Tests {
    fn all(&mut self) -> anyhow::Result<()> {
        // All three select from the whole workspace: for a package alone its dependencies would be built again, with fewer features.
        // Examples in comments are not run: there are none, and to look for them takes a minute and a half.
        self.cargo(&["--workspace", "--exclude", "sprag-e2e", "--tests"], &[])?;
        self.real_agents()?;
        // The machine's server mostly has no pgvector; this one has.
        if let Some(bin) = self.needs.pgvector().map(Path::to_path_buf) {
            let env = [("SPRAG_TEST_PG_BIN", bin.as_path()), ("SPRAG_TEST_PGVECTOR", Path::new("1"))];
            for [program, module] in [["store", "conformance::"], ["memory", "library::"]] {
                self.cargo(&["--workspace", "--test", program, module], &env)?;
            }
        }
        self.cases()
    }

    /// Runs `cargo test`, shows what it prints and takes over the outcomes: the tests that failed.
    fn cargo(&mut self, args: &[&str], env: &[(&str, &Path)]) -> anyhow::Result<Vec<(Selector, String)>> {
        let (run, failed) = self.outcomes(args, env)?;
        self.summary.add(run);
        Ok(failed)
    }

    fn outcomes(
        &self,
        args: &[&str],
        env: &[(&str, &Path)],
    ) -> anyhow::Result<(Run, Vec<(Selector, String)>)> {
        let (for_cargo, for_tests) =
            args.split_at(args.iter().position(|arg| *arg == "--").unwrap_or(args.len()));
        let programs = programs(for_cargo)?;
        let skips = tempfile::NamedTempFile::new()?;
        let (output, input) = std::io::pipe()?;
        let mut command = Command::new("cargo");
        command.args(["test", "--locked", "--no-fail-fast"]).args(for_cargo).args(for_tests);
        self.needs.give_to(&mut command);
        command.envs(env.iter().copied()).env(sprag_testkit::SKIPS, skips.path());
        // One pipe for both: cargo names the program on one, the program's results come on the other.
        command.current_dir(root()).stdout(input.try_clone()?).stderr(input);
        let mut child = command.spawn()?;
        let shown = format!("{command:?}");
        // Its copies of the pipe would keep it open.
        drop(command);
        let mut run = Run::new(programs);
        let lines = lines(output);
        let status = loop {
            match lines.recv_timeout(AFTER_THE_END) {
                Ok(line) => {
                    println!("{line}");
                    run.line(&line);
                }
                Err(RecvTimeoutError::Disconnected) => break child.wait()?,
                // A process that a test left behind may hold the pipe open for as long as it likes.
                Err(RecvTimeoutError::Timeout) => {
                    if let Some(status) = child.try_wait()? {
                        break status;
                    }
                }
            }
        };
        let failed = run.end();
        run.skips(&std::fs::read_to_string(skips.path())?);
        anyhow::ensure!(
            status.success() || run.is_broken() || !failed.is_empty(),
            "{shown} failed ({status})"
        );
        Ok((run, failed))
    }

    /// The tests with the real agents. These are other people's programs on a machine that may be busy: one that fails
    /// is run once more, alone, and said to have needed it. Twice is a failure.
    fn real_agents(&mut self) -> anyhow::Result<()> {
        // They wait for the agents a third of the time: half as many again as there are processors.
        let processors = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
        let threads = (processors * 3).div_ceil(2).to_string();
        let failed = self.cargo(&["--workspace", "--test", "e2e", "--", "--test-threads", &threads], &[])?;
        if failed.len() > MAX_SECOND_RUNS {
            return Ok(());
        }
        for (selector, name) in failed {
            println!("xtask test: {name} failed; once more, alone");
            let mut args: Vec<&str> = selector.split(' ').collect();
            args.extend(["--", "--exact", &name]);
            let (run, again) = self.outcomes(&args, &[])?;
            if again.is_empty() && !run.is_broken() {
                self.summary.passed_in_second_run(&selector, &name);
            }
        }
        Ok(())
    }

    /// The cases of the builtin hooks, as a user would run them.
    fn cases(&mut self) -> anyhow::Result<()> {
        let (program, folder) = (program(), "crates/hooks/src");
        let shown = format!("{} test {folder}", program.display());
        println!("xtask test: {shown}");
        let mut child = Command::new(program)
            .args(["test", folder])
            .current_dir(root())
            .stdout(Stdio::piped())
            .spawn()?;
        let mut counts = None;
        for line in child.stdout.take().into_iter().flat_map(|out| BufReader::new(out).lines()) {
            let line = line?;
            println!("{line}");
            counts = Counts::parse(&line);
        }
        let status = child.wait()?;
        match counts {
            Some(counts) if status.success() || counts.failed > 0 => self.summary.add_counts(counts, &shown),
            _ => self.summary.add_broken(shown),
        }
        Ok(())
    }
}

/// The lines of an output as they come.
fn lines(output: impl std::io::Read + Send + 'static) -> Receiver<String> {
    let (send, lines) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let mut output = BufReader::new(output);
        let mut line = Vec::new();
        while output.read_until(b'\n', &mut line).is_ok_and(|count| count > 0) {
            let text = String::from_utf8_lossy(&line);
            if send.send(text.trim_end_matches(['\r', '\n']).to_owned()).is_err() {
                return;
            }
            line.clear();
        }
    });
    lines
}

/// Builds the test programs: how cargo selects each, by the name of its file.
fn programs(args: &[&str]) -> anyhow::Result<Programs> {
    let mut found = Programs::new();
    // Cargo has no programs of these before it runs them.
    if args.contains(&"--doc") {
        return Ok(found);
    }
    let mut build = Command::new("cargo");
    build.args(["test", "--locked", "--no-run", "--message-format=json-render-diagnostics"]).args(args);
    let output =
        build.current_dir(root()).stderr(Stdio::inherit()).output().context("cargo cannot be started")?;
    anyhow::ensure!(output.status.success(), "{build:?} failed ({})", output.status);
    for line in output.stdout.split(|byte| *byte == b'\n') {
        let Ok(message) = serde_json::from_slice::<serde_json::Value>(line) else { continue };
        let text =
            |pointer: &str| message.pointer(pointer).and_then(serde_json::Value::as_str).unwrap_or_default();
        let file = Path::new(text("/executable")).file_name().map(|name| name.to_string_lossy().into_owned());
        let (Some(file), "compiler-artifact") = (file, text("/reason")) else { continue };
        let name = text("/target/name");
        let part = match text("/target/kind/0") {
            kind @ ("test" | "bin" | "example" | "bench") => format!("--{kind} {name}"),
            _ => "--lib".to_owned(),
        };
        found.insert(file, format!("-p {} {part}", package(text("/package_id"), text("/manifest_path"))));
    }
    Ok(found)
}

/// The name in a package's id: `path+file:///x/store#sprag-store@0.1.0`, or `…/xtask#0.1.0` where folder and name agree.
fn package<'a>(id: &'a str, manifest: &'a str) -> &'a str {
    let folder = Path::new(manifest).parent().and_then(Path::file_name).and_then(|name| name.to_str());
    let name = id.rsplit_once('#').and_then(|(_, part)| part.split_once('@')).map(|(name, _)| name);
    name.or(folder).unwrap_or(id)
}
