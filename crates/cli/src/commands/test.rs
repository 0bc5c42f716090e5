//! `sprag test`: runs hook cases and shows what is not as expected.

use crate::commands::deploy::agent_name;
use anyhow::{Context as _, bail};
use sprag_cases::base;
use sprag_cases::find::{self, SUFFIX};
use sprag_cases::pool::{Request, run_all};
use sprag_cases::report::{self, Totals};
use sprag_cases::run::Options;
use sprag_cases::world::Registry;
use sprag_config::host::Host;
use sprag_project::Project;
use sprag_protocol::{AgentId, recordings};
use sprag_runtime::panics;
use sprag_terminal::{Out, Problem, Tone};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[derive(clap::Args)]
pub(crate) struct TestArgs {
    /// Case files, or folders to look for them in [default: .sprag/tests, .sprag/hooks, your hooks folder]
    paths: Vec<PathBuf>,
    /// Only cases whose name or file contains this
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
    /// Run every case as this agent: claude, codex, gemini, qwen
    #[arg(long, value_name = "AGENT", value_parser = agent_name)]
    agent: Option<AgentId>,
    /// Write snapshots instead of comparing with them
    #[arg(long)]
    update: bool,
    /// Also write the report as JUnit XML
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
    /// List the recorded payloads that cases can use, instead of running any
    #[arg(long)]
    recordings: bool,
    /// Cases to run at once [default: three for each core]
    #[arg(short, long, value_name = "N")]
    jobs: Option<usize>,
}

pub(crate) fn run(args: &TestArgs, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    if args.recordings {
        for recording in recordings::ALL {
            out.line(recording.name);
        }
        return Ok(ExitCode::SUCCESS);
    }
    let cwd = std::env::current_dir()
        .context(Problem::new("the current folder cannot be read", "change to another one"))?;
    let places = if args.paths.is_empty() { default_places(host, &cwd) } else { args.paths.clone() };
    let files = find::find(&places).map_err(|place| {
        anyhow::anyhow!(Problem::new(
            format!("{} is not there", place.display()),
            format!("name a case file or a folder with *{SUFFIX} files")
        ))
    })?;
    if files.is_empty() {
        let looked: Vec<String> = places.iter().map(|place| host.paths.tilde(place)).collect();
        let looked = if looked.is_empty() { "no folder for them here".to_owned() } else { looked.join(", ") };
        bail!(Problem::new(
            format!("no *{SUFFIX} file found ({looked})"),
            "`sprag hooks new NAME` writes a hook with its first case"
        ));
    }
    let base = base::base(&host.env, &host.paths.home);
    base::clean(&base);
    // A hook that panics is a failure to report, not a text on standard error.
    panics::silence();
    let reports = run_all(&Request {
        files: &files,
        filter: args.filter.as_deref(),
        agent: args.agent,
        threads: args.jobs.unwrap_or_else(threads),
        options: Options {
            registry: Registry {
                hooks: host.hooks,
                builtins: sprag_hooks::BUILTINS,
                jobs: sprag_worker::handle,
            },
            base: &base,
            update: args.update,
        },
    });
    if let Some(file) = &args.junit {
        sprag_base::files::write_plain(file, report::junit(&reports).as_bytes()).with_context(|| {
            Problem::new(format!("{} cannot be written", file.display()), "check the folder")
        })?;
    }
    let totals = Totals::of(&reports);
    if totals == Totals::default() {
        let part = args.filter.as_deref().unwrap_or_default();
        bail!(Problem::new(
            format!("no case has `{part}` in its name or file"),
            format!("leave --filter out to run all {} files", files.len())
        ));
    }
    if args.json {
        out.json(&report::json(&reports));
    } else {
        let shown = |path: &Path| {
            let path = path.strip_prefix(&cwd).unwrap_or(path);
            path.strip_prefix(".").unwrap_or(path).display().to_string()
        };
        for line in report::text(&reports, shown) {
            out.line(&out.paint(tone(&line), &line));
        }
        let tone = if totals.failed > 0 { Tone::Bad } else { Tone::Good };
        out.line(&out.paint(tone, &totals.line()));
    }
    Ok(if totals.failed > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// A case makes and removes some thirty files and folders, and mostly waits for that.
fn threads() -> usize {
    3 * std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// Where cases lie when nobody says so; what is not there is left out.
fn default_places(host: &Host, cwd: &Path) -> Vec<PathBuf> {
    let project = Project::find(&cwd.to_string_lossy(), &host.env, &host.paths.home);
    let own = project.sprag.unwrap_or_else(|| project.root.join(".sprag"));
    [own.join("tests"), own.join("hooks"), host.paths.hooks_dir()]
        .into_iter()
        .filter(|place| place.is_dir())
        .collect()
}

fn tone(line: &str) -> Tone {
    if line.starts_with("FAIL") {
        Tone::Bad
    } else if line.starts_with("skip") {
        Tone::Warn
    } else if line.starts_with("    - ") {
        Tone::Bad
    } else if line.starts_with("    + ") {
        Tone::Good
    } else if line.starts_with("  journal") {
        Tone::Dim
    } else {
        Tone::Plain
    }
}
