//! `sprag demo`: six scenes, or a whole session, on a scratch project: recorded real payloads through the real chain.
//! What is shown is what happened: hooks that are added to sprag show up here by themselves.

mod scene;
mod script;
mod show;
mod six;

use anyhow::Context as _;
use scene::Scene;
use script::{Part, Step};
use serde_json::json;
use sprag_config::host::Host;
use sprag_runtime::dispatch::{self, Answer};
use sprag_runtime::panics;
use sprag_runtime::queue::{self, Until};
use sprag_terminal::{Out, Problem};
use std::process::ExitCode;

/// What `sprag demo` takes.
#[derive(clap::Args)]
pub struct DemoArgs {
    /// A whole session, event by event: which hooks ran, what they decided and injected, the files that came out
    #[arg(long, short)]
    verbose: bool,
    /// Leave the scratch folder and say where it is
    #[arg(long)]
    keep: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// A step that was played.
struct Played {
    step: Step,
    answer: Answer,
}

/// A part of the session that was played.
struct PlayedPart {
    part: Part,
    steps: Vec<Played>,
}

/// What a call in a circle needs at most before something stops it.
const MAX_ROUNDS: usize = 20;

/// Runs `sprag demo`.
pub fn run(args: &DemoArgs, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    panics::silence();
    let new =
        || Scene::new(host).context(Problem::new("no scratch folder", "check that TMPDIR can be written"));
    let mut scene = new()?;
    if !args.verbose && !args.json {
        let shots = six::play(&scene)?;
        six::show(&scene, &shots, out);
        if args.keep {
            show::kept(&scene.keep(), out);
        }
        return Ok(ExitCode::SUCCESS);
    }
    let before = scene.files();
    let mut parts = Vec::new();
    if !args.json {
        show::opening(out);
    }
    for part in script::session() {
        let played = play(&scene, part);
        if !args.json {
            show::part(&scene, &played, out);
        }
        parts.push(played);
    }
    let done =
        queue::work(&scene.host, sprag_worker::handle, Until::Once).context("the background queue failed")?;
    let mut files = scene.files();
    files.retain(|file| !before.contains(file));
    if args.json {
        let other = new()?;
        out.json(&json!({
            "scenes": six::play(&other)?.iter().map(|shot| shot.json(&other)).collect::<Vec<_>>(),
            "parts": parts.iter().map(|part| show::part_json(&scene, part)).collect::<Vec<_>>(),
            "worker": { "finished": done.finished, "failed": done.failed },
            "files": files.iter().map(|file| json!({
                "path": file.path, "bytes": file.bytes, "first_line": file.first_line,
            })).collect::<Vec<_>>(),
            "kept": args.keep.then(|| scene.root()),
        }));
    } else {
        show::worker(done, out);
        show::closing(&parts, &files, out);
    }
    if args.keep {
        let folder = scene.keep();
        if !args.json {
            show::kept(&folder, out);
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Plays a part. One that goes round in circles is played until something stops it.
fn play(scene: &Scene, part: Part) -> PlayedPart {
    let mut steps = Vec::new();
    let rounds = if part.circle { MAX_ROUNDS } else { 1 };
    for round in 1..=rounds {
        let mut denied = false;
        for step in &part.steps {
            if denied && step.is_result() {
                // What was denied has no result.
                continue;
            }
            let played = event(scene, step, round);
            denied = played.answer.verdict.decision.stops();
            steps.push(played);
        }
        if denied {
            break;
        }
    }
    PlayedPart { part, steps }
}

/// Plays one event.
fn event(scene: &Scene, step: &Step, round: usize) -> Played {
    let payload = scene.payload(step, round);
    let answer = dispatch::dispatch(&scene.host, sprag_hooks::BUILTINS, payload.as_bytes(), Some(step.agent));
    Played { step: step.clone(), answer }
}
