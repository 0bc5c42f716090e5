//! The project's own tasks: tests with everything they need, benchmarks, generated documentation.
#![allow(clippy::disallowed_methods, reason = "a development tool, not a part of the program")]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a task tells what it does")]

mod agents;
mod architecture;
mod bench;
mod bench_events;
mod bench_felt;
mod bench_knowledge;
mod bench_lessons;
mod bench_recall;
mod bench_start;
mod book;
mod budget;
mod campaign;
mod commands;
mod compare;
mod config_schema;
mod deps;
mod dist;
mod docs;
mod examples;
mod licenses;
mod manuals;
mod measure;
mod moat;
mod order;
mod pictures;
mod plots;
mod release;
mod shapes;
mod soak;
mod spelling;
mod swarm;
mod swarm_load;
mod test;

use anyhow::Context as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

const USAGE: &str = "\
cargo xtask TASK

  test [ARGS…]    say what is missing, install what can be, run all tests and sum up (ARGS go to cargo test)
  agents [--latest|--month|--oldest]
                  the tests with the real agents, printed as a matrix; --latest fetches the newest versions first, the others
                  those of a month ago and the oldest supported ones of Claude Code, Codex and Gemini CLI
  bench [--write] measure the registered command against the floor program; --write updates docs/performance.md
  bench --knowledge
                  the knowledge loop with a 50 MB transcript and 10,000 exports (SPRAG_BENCH_BIN: an installed binary)
  swarm [--agents N] [--seconds S] [--bin PATH] [--store-only [--tasks N] [--messages N]] [--write]
                  the event load of many agents against one PostgreSQL; --write updates docs/scaling.md
  bench --lessons [--write]
                  the same with 100 and with 10,000 lessons; --write updates docs/lessons.md
  bench --events [--write]
                  each event in a lived-in home against the floor program
  bench --felt [--write]
                  what hooks add to a tool call in the real Claude Code
  bench --start [--write]
                  a session's start with 10,000 exports, 10,000 memories and 1,000 lessons; --write updates docs/performance.md
                  (SPRAG_BENCH_BIN: an installed binary)
  bench --recall [--million] [--write]
                  recall and its hook among 10,000 and 100,000 memories, on SQLite and PostgreSQL; --million adds a million;
                  --write updates docs/recall.md (SPRAG_BENCH_HOMES: a folder that keeps the filled stores)
  bench --recall-quality DIR
                  how much of the evidence is among the first 1, 3, 5 and 10 answers, by words, by vectors and by the whole
                  ranking: for every set in a folder, dialogues in LoCoMo's JSON format or sets as in crates/memory/eval
  budget [--check|--write] [--bin PATH]
                  instructions and system calls of each event of the hot path; --check compares them with
                  bench/budget.toml, --write puts them there (PATH: an installed binary of the profile `installed`)
  order [--bin PATH]
                  which functions the events run, for the linker of ./install (PATH: an installed binary with its symbols)
  faults [SCENARIO] [--all]
                  fail the file and database operations of each recorded scenario, one after another, in every way; of those
                  that only read, 60 per scenario, or --all
  pipes [PART/PARTS]
                  put a pipe, then a device in the place of each file of a used home and its project, and run every event, the worker and
                  commands
  histories [--seconds N] [--processes N] [--seed N]
                  random histories of many processes on SQLite and PostgreSQL, with kills, pauses and cut connections, checked
  fuzz [--minutes N | --hours N] [TARGET…]
                  build all fuzz targets and run each, or these, so long (1 minute); needs cargo-fuzz (cargo install cargo-fuzz)
  soak [--hours N] [--day SECONDS] [--seed N] [--budget-mb N] [--bin PATH] [--write]
                  sessions of every recorded agent in one home (10 minutes); with libfaketime a day passes in 20 seconds; what the state
                  takes is plotted into docs/reliability.md
  moat [--preset P] [--bin PATH] [--scorer PATH]
                  the scenarios of MoatBench (crate `openmoat`) against sprag, per host
  manuals FOLDER [--bin PATH]
                  how many example commands of a collection of manual pages the guards stop, and which
  deps            licences, bans and sources of all dependencies by deny.toml, and dependencies that nothing uses
  licenses        write crates/cli/licenses.txt, the notices that `sprag licenses` prints
  dist [--bin PATH] [--target TRIPLE] [--out DIR] [--draft]
                  pack a binary (PATH, or the profile `dist` built now) as npm package, wheel, Debian package, archives and
                  SBOM into DIR (target/dist), with checksums; --draft compresses quickly and checks no limits
  dist --assemble DIR
                  write what is made from the artefacts of all platforms: checksums, list, formula, registry entry
  release --dry-run [--dist DIR] [--tag vX]
                  check names, versions and checksums of everything that is published; publishes nothing
  docs [--check]  write the parts of docs/ that come from the code; --check only compares, and checks links, the table of
                  contents and that the questions of new users are answered
  book            the same pages as a website with a search, into target/book (mdBook is built once: a minute)
  pictures [--check] [--bin PATH]
                  pictures of the terminal in docs/images, from the real program; --check compares their texts
  compare --bin PATH --guards DIR [SET.jsonl…] [--manuals FOLDER] [--every N]
                  other guards beside sprag on the same commands: what each stops, and how long it takes
  commands [--check] [--bin PATH]
                  write docs/commands.md from the program's own help, and docs/json.md from what it prints
  examples [--update] [--only TITLE] [--bin PATH]
                  run the commands in README.md, docs/recipes.md and docs/start.md and compare what they print; --update writes it there
  spelling        typos in sources and pages (the tool comes from PyPI)
";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if args.iter().take_while(|arg| *arg != "--").any(|arg| matches!(arg.as_str(), "-h" | "--help")) {
        print!("{USAGE}");
        return ExitCode::SUCCESS;
    }
    let (task, rest) = args.split_first().map_or(("", &[][..]), |(task, rest)| (task.as_str(), rest));
    let result = match task {
        // It has its own last line.
        "test" => match test::run(rest) {
            Ok(code) => return code,
            Err(error) => Err(error),
        },
        "agents" => match agents::run(rest) {
            Ok(code) => return code,
            Err(error) => Err(error),
        },
        "bench" if rest.iter().any(|arg| arg == "--knowledge") => bench_knowledge::run(),
        "bench" if rest.iter().any(|arg| arg == "--lessons") => {
            bench_lessons::run(rest.iter().any(|arg| arg == "--write"))
        }
        "bench" if rest.iter().any(|arg| arg == "--events") => {
            bench_events::run(rest.iter().any(|arg| arg == "--write"))
        }
        "bench" if rest.iter().any(|arg| arg == "--felt") => {
            bench_felt::run(rest.iter().any(|arg| arg == "--write"))
        }
        "bench" if rest.iter().any(|arg| arg == "--start") => {
            bench_start::run(rest.iter().any(|arg| arg == "--write"))
        }
        "bench" if rest.iter().any(|arg| arg == "--recall-quality") => bench_recall::quality(rest),
        "bench" if rest.iter().any(|arg| arg == "--recall") => bench_recall::run(rest),
        "bench" => bench::run(rest.iter().any(|arg| arg == "--write")),
        "swarm" => swarm::run(rest),
        "budget" => budget::run(rest),
        "order" => order::run(rest),
        "faults" => campaign::faults(rest),
        "pipes" => campaign::pipes(rest),
        "histories" => campaign::histories(rest),
        "fuzz" => campaign::fuzz(rest),
        "soak" => soak::run(rest),
        "moat" => moat::run(rest),
        "manuals" => manuals::run(rest),
        "deps" => deps::run(),
        "licenses" => licenses::run(),
        "dist" => dist::run(rest),
        "release" => release::run(rest),
        "book" => book::run(),
        "pictures" => pictures::run(rest),
        "compare" => compare::run(rest),
        "commands" => commands::run(rest),
        "examples" => examples::run(rest),
        "spelling" => spelling::run(),
        "docs" => docs::run(rest.iter().any(|arg| arg == "--check")),
        _ => {
            eprint!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask {task}: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// The repository.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."))
}

/// Cargo's output folder.
pub(crate) fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |dir| root().join(dir))
}

/// Runs a command in the repository; its failure is an error with the command in it.
pub(crate) fn sh(command: &mut Command) -> anyhow::Result<()> {
    let status = command.current_dir(root()).status().with_context(|| format!("{command:?}"))?;
    anyhow::ensure!(status.success(), "{command:?} failed ({status})");
    Ok(())
}

/// True when a program is on PATH.
pub(crate) fn has(program: &str) -> bool {
    which(program).is_some()
}

/// Where a program on PATH is.
pub(crate) fn which(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|dir| dir.join(program)).find(|file| file.is_file())
}
