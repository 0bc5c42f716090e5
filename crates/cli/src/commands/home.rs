//! `sprag` alone: on a terminal, where things stand and what to do next. Otherwise silence: an agent that ignores the
//! arguments of a hook runs this, and must not take it for an answer.

use crate::commands::bundles::BundleState;
use crate::commands::check;
use crate::commands::doctor::registered;
use crate::commands::hooks::inventory::Inventory;
use crate::commands::{project_at, trial};
use crate::installed;
use sprag_base::time::Stamp;
use sprag_config::host::Host;
use sprag_coord::store::Setup;
use sprag_lessons::library;
use sprag_lessons::model::Status;
use sprag_memory::knowledge::Knowledge;
use sprag_memory::knowledge::outcome::{self, Outcome, Pending};
use sprag_project::Project;
use sprag_runtime::journal::Entry;
use sprag_runtime::queue::{self, JobState};
use sprag_runtime::{failures, summary};
use sprag_store::{Opening, Store};
use sprag_terminal::person::{agent_around, at_terminal};
use sprag_terminal::when;
use sprag_terminal::{Out, Tone};
use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::mpsc;
use std::time::Duration;

/// A day, for what was stopped lately.
const DAY: Duration = Duration::from_secs(86_400);
/// Stops that are shown.
const SHOWN: usize = 5;
/// The report of a trial that ended stays for so long.
const AFTER_TRIAL: Duration = Duration::from_secs(7 * 86_400);

pub(crate) fn main() -> ExitCode {
    if std::io::stdout().is_terminal() {
        let host = Host::of_process(&sprag_hooks::SPECS);
        let out = Out::new(&host.env);
        show(&host, &out);
    } else {
        drain();
    }
    ExitCode::SUCCESS
}

/// Takes a payload that nobody asked for: an agent that cannot write it may take that for a failure. Not for ever: what
/// starts this with an open pipe and writes nothing is no agent.
fn drain() {
    if std::io::stdin().is_terminal() {
        return;
    }
    let (done, wait) = mpsc::channel();
    std::thread::spawn(move || {
        let _ = std::io::copy(&mut std::io::stdin().lock(), &mut std::io::sink());
        let _ = done.send(());
    });
    let _ = wait.recv_timeout(Duration::from_secs(2));
}

fn show(host: &Host, out: &Out) {
    let project = project_at(host, None);
    let inventory = Inventory::new(host, project.clone());
    let now = host.clock.now();
    let mut next: Vec<(&str, &str)> = Vec::new();
    header(&inventory, out);
    if let Some(found) = inventory.loaded.resolved.trial.filter(|found| now < found.end.after(AFTER_TRIAL)) {
        item("trial", &trial::sentence(host, found), out);
        next.push(("sprag trial", "what it would have stopped"));
    }
    if stops(host, now, out) > 0 {
        next.push(("sprag why last", "why the last one was stopped, and how to let it through"));
    }
    let outcomes = outcome::waiting(host);
    waiting(host, &outcomes, &mut next, out);
    health(host, &project, &mut next, out);
    next.extend([
        ("sprag bundles", "what each bundle does, costs and stores"),
        ("sprag status", "what the hooks did today"),
        ("sprag --help", "all commands"),
    ]);
    out.line("");
    for (command, about) in next.iter().take(3) {
        out.line(&format!(
            "  {}  {}",
            out.paint(Tone::Strong, &format!("{command:<22}")),
            out.paint(Tone::Dim, about)
        ));
    }
    if let Some((root, pending)) = outcomes.first()
        && at_terminal()
        && agent_around(&host.env).is_none()
    {
        judge(host, root, pending, out);
    }
}

/// One line under a label.
fn item(label: &str, text: &str, out: &Out) {
    out.line(&format!("{} {text}", out.paint(Tone::Strong, &format!("{label:<9}"))));
}

fn header(inventory: &Inventory<'_>, out: &Out) {
    let preset = inventory.loaded.resolved.preset;
    out.line(&format!(
        "{}  {}",
        out.paint(Tone::Strong, &format!("sprag {}", env!("CARGO_PKG_VERSION"))),
        out.paint(
            Tone::Dim,
            &format!("preset {preset}, {}", inventory.host.paths.tilde(&inventory.project.root))
        )
    ));
    let states = BundleState::all(inventory);
    let named = |word: &str| -> Vec<String> {
        let some = states.iter().filter(|state| state.state() == word);
        some.map(|state| match word {
            "part" => {
                let hooks: Vec<&str> = state.on().map(|hook| hook.name.as_str()).collect();
                format!("{} ({})", state.bundle.name(), hooks.join(", "))
            }
            _ => state.bundle.name().to_owned(),
        })
        .collect()
    };
    let mut text = out.paint(Tone::Good, &named("on").join(" "));
    for (word, label) in [("part", "in part"), ("off", "off")] {
        let names = named(word);
        if !names.is_empty() {
            text.push_str(&out.paint(Tone::Dim, &format!(" · {label}: {}", names.join(" "))));
        }
    }
    item("bundles", &text, out);
}

/// What was stopped in the last day, the latest first.
fn stops(host: &Host, now: Stamp, out: &Out) -> usize {
    let mut found: Vec<Entry> = Vec::new();
    let _ = summary::read_since(&host.paths, now.before(DAY), |entry| {
        if sprag_runtime::trial::stops(&entry.verdict) {
            found.push(entry.clone());
        }
    });
    if found.is_empty() {
        item("stopped", &out.paint(Tone::Dim, "nothing in the last day"), out);
        return 0;
    }
    item("stopped", &format!("{} in the last day", found.len()), out);
    for entry in found.iter().rev().take(SHOWN) {
        let run = entry.runs.iter().find(|run| !run.shadow && sprag_runtime::trial::stops(&run.verdict));
        let (hook, reason) = run.map_or(("", ""), |run| {
            (run.hook.as_str(), run.reason.as_deref().unwrap_or_default().lines().next().unwrap_or_default())
        });
        let at = Stamp::parse(&entry.t).map(when::local).unwrap_or_default();
        let clock = at.get(11..16).unwrap_or_default();
        let tone = if entry.verdict == "ask" { Tone::Warn } else { Tone::Bad };
        let verdict = out.paint(tone, &format!("{:<5}", entry.verdict));
        out.line(&format!("  {clock}  {:<6} {verdict} {hook}: {}", entry.agent, short(reason, 80)));
    }
    found.len()
}

/// The start of a text, on one line of a terminal.
fn short(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default().trim_end()),
        None => text.to_owned(),
    }
}

/// What waits for a person.
fn waiting(
    host: &Host,
    outcomes: &[(PathBuf, Pending)],
    next: &mut Vec<(&'static str, &'static str)>,
    out: &Out,
) {
    let mut found = Vec::new();
    match lessons(host) {
        0 => {}
        count => {
            found.push(format!("{count} {} to review", if count == 1 { "lesson" } else { "lessons" }));
            next.push(("sprag lessons review", "what was learned from mistakes: keep or drop it"));
        }
    }
    for (root, pending) in outcomes.iter().take(SHOWN) {
        let about = if pending.about.is_empty() {
            String::new()
        } else {
            format!(" ({})", short(&pending.about, 50))
        };
        let session: String = pending.session.chars().take(8).collect();
        found.push(format!("how session {session} in {} went{about}", host.paths.tilde(root)));
    }
    if !outcomes.is_empty() {
        next.push((
            "sprag knowledge outcome",
            "how the last session here went: succeeded, partial-plus, partial-minus, failed",
        ));
    }
    if found.is_empty() {
        item("waiting", &out.paint(Tone::Dim, "nothing"), out);
    }
    for (at, what) in found.iter().enumerate() {
        item(if at == 0 { "waiting" } else { "" }, what, out);
    }
}

/// Lessons that a person has not looked at. A store that is not there or does not answer at once has none.
fn lessons(host: &Host) -> usize {
    let look = || -> Option<usize> {
        let setup = Setup::read(host).ok()?;
        let wait = Duration::from_millis(500);
        let mut store =
            Store::open(&setup.target, Opening { wait, connect: wait, tidy: false, ..Opening::LOOK }).ok()?;
        let all = library::lessons(&mut store).ok()?;
        Some(all.iter().filter(|lesson| lesson.status == Status::Candidate).count())
    };
    look().unwrap_or(0)
}

fn health(host: &Host, project: &Project, next: &mut Vec<(&'static str, &'static str)>, out: &Out) {
    let mut bad = Vec::new();
    let mut need = |what: String, todo: (&'static str, &'static str)| {
        // What is broken comes before what is interesting.
        next.insert(bad.len(), todo);
        bad.push(what);
    };
    let errors = check::check(host, project).errors.len();
    if errors > 0 {
        need(
            format!("the configuration has {errors} errors"),
            ("sprag check", "the errors, with their lines"),
        );
    }
    let failing = failures::pending(&host.paths);
    if let Some(first) = failing.first() {
        let times = if first.count == 1 { String::new() } else { format!(" {} times", first.count) };
        let what = format!("{} failed{times}: {}", first.hook, short(&first.error, 60));
        need(what, ("sprag logs --errors", "what failed"));
    }
    let dead = queue::list(&host.paths, JobState::Dead).len();
    if dead > 0 {
        need(format!("{dead} background jobs were given up"), ("sprag status queue", "why they failed"));
    }
    let entries = registered::registered(host, project);
    let has = |agent| entries.iter().any(|entry| entry.agent == agent && entry.fault.is_none());
    let agents = installed::find(host);
    let (with, without): (Vec<_>, Vec<_>) =
        agents.iter().map(|found| found.agent).partition(|agent| has(*agent));
    let names = |agents: &[sprag_protocol::AgentId]| {
        agents.iter().map(|agent| agent.name()).collect::<Vec<_>>().join(", ")
    };
    if !host.paths.config_file().is_file() {
        need("not set up yet".to_owned(), ("sprag init", "set up in a minute"));
    } else if !without.is_empty() {
        let what = format!("not registered with {}", names(&without));
        need(what, ("sprag deploy", "register sprag with the agents"));
    }
    if bad.is_empty() {
        let agents = if with.is_empty() {
            "no agent found".to_owned()
        } else {
            format!("registered with {}", names(&with))
        };
        item("health", &format!("{}, {agents}", out.paint(Tone::Good, "ok")), out);
    }
    for (at, what) in bad.iter().enumerate() {
        item(if at == 0 { "health" } else { "" }, &out.paint(Tone::Warn, what), out);
    }
}

/// Takes a person's word on how a session went; Enter leaves it for later.
fn judge(host: &Host, root: &std::path::Path, pending: &Pending, out: &Out) {
    let session: String = pending.session.chars().take(8).collect();
    out.line("");
    let words = "s succeeded, + most of it, - some of it, f failed, Enter later";
    let answer = out.ask(&format!("How did session {session} in {} go? ({words})", host.paths.tilde(root)));
    let found = match answer.as_str() {
        "" => None,
        "s" => Some(Outcome::Succeeded),
        "+" => Some(Outcome::PartialPlus),
        "-" => Some(Outcome::PartialMinus),
        "f" => Some(Outcome::Failed),
        word => Outcome::parse(word),
    };
    let Some(found) = found else { return };
    let project = Project::find(&root.to_string_lossy(), &host.env, &host.paths.home);
    let memory = Knowledge::open(host).memory(&project);
    match outcome::record(&memory, Some(&pending.session), found, "", host.clock.now()) {
        Ok(_) => out.line(&format!("{} recorded.", found.name())),
        Err(error) => out.note(&format!("sprag could not record it: {error}")),
    }
}
