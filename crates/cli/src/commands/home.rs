//! `sprag` alone: on a terminal, where things stand and what to do next. Otherwise silence: an agent that ignores the
//! arguments of a hook runs this, and must not take it for an answer.

use crate::commands::{counted, project_at, trial};
use sprag_base::time::Stamp;
use sprag_config::bundles::BundleState;
use sprag_config::host::Host;
use sprag_config::inventory::Inventory;
use sprag_coord::store::Setup;
use sprag_lessons::{library, news};
use sprag_memory::knowledge::outcome::{self, Pending};
use sprag_project::Project;
use sprag_protocol::EventKind;
use sprag_protocol::dialect::Lost;
use sprag_runtime::approvals;
use sprag_runtime::journal::{Entry, Stop};
use sprag_runtime::queue::{self, JobState};
use sprag_runtime::{failures, summary};
use sprag_store::{Opening, Store};
use sprag_terminal::when;
use sprag_terminal::{Out, Tone, columns, cut, visible};
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::mpsc;
use std::time::Duration;

/// A day, for what was stopped lately.
const DAY: Duration = Duration::from_secs(86_400);
/// How long a stop waits for a person's yes: who let it through later was asked again.
const HOUR: Duration = Duration::from_secs(3_600);
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
    let (stopped, elsewhere) = here(stopped(host, now), &project);
    if !stopped.is_empty() {
        next.push(("sprag why last", "why the last one was stopped, and how to let it through"));
    }
    stops(&stopped, elsewhere, out);
    let open = undecided(host, &stopped);
    if !open.is_empty() {
        next.insert(0, ("sprag allow ID", "lets a call with an id through, once, after you saw all of it"));
    }
    waiting(host, &outcome::waiting(host), &mut next, out);
    health(host, &inventory, &mut next, out);
    next.extend([
        ("sprag bundles", "what each bundle does, costs and stores"),
        ("sprag status", "what the hooks did today"),
        ("sprag --help", "all commands"),
    ]);
    out.line("");
    let first: Vec<_> = next.iter().take(3).collect();
    let widest = first.iter().map(|(command, _)| command.len()).max().unwrap_or(0);
    for (command, about) in first {
        out.line(&format!(
            "  {}  {}",
            out.paint(Tone::Strong, &format!("{command:<widest$}")),
            out.paint(Tone::Dim, &cut(about, out.width().saturating_sub(widest + 4)))
        ));
    }
}

/// One line under a label.
fn item(label: &str, text: &str, out: &Out) {
    out.labelled(&out.paint(Tone::Strong, &format!("{label:<10}")), 10, text);
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
    item("bundles", &out.paint(Tone::Good, &named("on").join(" ")), out);
    let rest = [("part", "in part"), ("off", "off")].map(|(word, label)| (label, named(word)));
    let rest = rest.iter().filter(|(_, names)| !names.is_empty());
    let rest: Vec<String> = rest.map(|(label, names)| format!("{label}: {}", names.join(" "))).collect();
    if !rest.is_empty() {
        item("", &out.paint(Tone::Dim, &rest.join(" · ")), out);
    }
}

/// What was stopped in the last day, the oldest first. A person's yes to one decides it: no approval of it waits.
fn stopped(host: &Host, now: Stamp) -> Vec<Entry> {
    let mut found: Vec<Entry> = Vec::new();
    let _ = summary::read_since(&host.paths, now.before(DAY), |entry| {
        if matches!(summary::decided(entry), "deny" | "block" | "ask") {
            found.push(entry.clone());
        } else if let Some(id) = approvals::decided(entry) {
            let of_it = found.iter_mut().filter_map(|known| known.stop.as_mut()).filter(|stop| stop.id == id);
            of_it.for_each(|stop| stop.key = None);
        }
    });
    found
}

/// The stops of this project, and how many others have.
fn here(stopped: Vec<Entry>, project: &Project) -> (Vec<Entry>, usize) {
    let real = |path: &Path| sprag_base::links::real(path).unwrap_or_else(|| path.to_path_buf());
    let root = real(&project.root);
    let is_here = |entry: &Entry| match &entry.stop {
        Some(stop) => real(Path::new(&stop.project)) == root,
        None => real(Path::new(&entry.cwd)).starts_with(&root),
    };
    let (own, others): (Vec<Entry>, Vec<Entry>) = stopped.into_iter().partition(is_here);
    (own, others.len())
}

/// The calls of the last hour that were denied, or asked about where nobody could answer, and that a person may still let
/// through: each once, the latest first.
fn undecided<'e>(host: &Host, stopped: &'e [Entry]) -> Vec<(&'e Stop, &'e Entry)> {
    let since = host.clock.now().before(HOUR);
    let mut found: Vec<(&Stop, &Entry)> = Vec::new();
    for entry in stopped.iter().rev() {
        let Some(stop) = entry.stop.as_ref().filter(|stop| stop.key.is_some()) else { continue };
        let recent = Stamp::parse(&entry.t).is_some_and(|at| at > since);
        let unanswered = entry.verdict != "ask" || entry.lost.iter().any(|lost| lost == Lost::Ask.name());
        let known = found.iter().any(|(known, _)| known.id == stop.id);
        if recent && unanswered && entry.event == EventKind::PreToolUse.name() && !known {
            found.push((stop, entry));
        }
    }
    found
}

/// The stops of the last day, the latest first; the same one again is counted.
fn stops(found: &[Entry], elsewhere: usize, out: &Out) {
    let others = match elsewhere {
        0 => String::new(),
        count => format!("; {count} in other projects (`sprag logs --findings`)"),
    };
    if found.is_empty() {
        item("stopped", &out.paint(Tone::Dim, &format!("nothing here in the last day{others}")), out);
        return;
    }
    let asked = found.iter().filter(|entry| summary::decided(entry) == "ask").count();
    let counts = [(found.len() - asked, "blocked"), (asked, "asked about")];
    let counts = counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}"));
    item("stopped", &format!("{} in the last day{others}", counts.collect::<Vec<_>>().join(", ")), out);
    let same = |one: &Entry, other: &Entry| {
        let hooks = |entry: &'_ Entry| -> Vec<(String, String)> {
            entry.runs.iter().map(|run| (run.hook.clone(), run.verdict.clone())).collect()
        };
        one.about == other.about && one.agent == other.agent && hooks(one) == hooks(other)
    };
    let mut shown: Vec<(&Entry, usize)> = Vec::new();
    for entry in found.iter().rev() {
        match shown.iter_mut().find(|(known, _)| same(known, entry)) {
            Some((_, count)) => *count += 1,
            None => shown.push((entry, 1)),
        }
    }
    for (entry, count) in shown.into_iter().take(SHOWN) {
        let run = entry.runs.iter().find(|run| !run.shadow && sprag_runtime::trial::stops(&run.verdict));
        let (hook, reason) = run.map_or(("", ""), |run| {
            (run.hook.as_str(), run.reason.as_deref().unwrap_or_default().lines().next().unwrap_or_default())
        });
        let at = Stamp::parse(&entry.t).map(when::local).unwrap_or_default();
        let clock = at.get(11..16).unwrap_or_default();
        let decided = summary::decided(entry);
        let verdict = out.paint(Tone::of_verdict(decided), &format!("{decided:<5}"));
        // One that nobody can allow any more has none.
        let stop = entry.stop.as_ref();
        let id = stop.filter(|stop| stop.key.is_some()).map(|stop| stop.id.as_str()).unwrap_or_default();
        let call = entry.about.as_deref().map(|about| format!("{} · ", cut(&visible(about), 40)));
        let times = if count > 1 { format!("{count} times · ") } else { String::new() };
        let text = format!("{times}{}{hook}: {}", call.unwrap_or_default(), visible(reason));
        let id = out.paint(Tone::Strong, &format!("{id:<4}"));
        let head = format!("  {clock}  {:<6} {verdict} {id}  ", entry.agent);
        out.line(&format!("{head}{}", cut(&text, out.width().saturating_sub(columns(&head)).max(20))));
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
    if let Some(sentence) = lessons(host).sentence() {
        found.push(sentence);
        next.push(("sprag lessons review", "what was learned from mistakes: accept, edit or reject it"));
    }
    for (root, pending) in outcomes.iter().take(SHOWN) {
        let about =
            if pending.about.is_empty() { String::new() } else { format!(" ({})", cut(&pending.about, 50)) };
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
fn lessons(host: &Host) -> news::Waiting {
    let look = || -> Option<news::Waiting> {
        let setup = Setup::read(host).ok()?;
        let wait = Duration::from_millis(500);
        let mut store =
            Store::open(&setup.target, Opening { wait, connect: wait, tidy: false, ..Opening::LOOK }).ok()?;
        Some(news::Waiting::of(&library::lessons(&mut store).ok()?))
    };
    look().unwrap_or_default()
}

fn health(host: &Host, inventory: &Inventory<'_>, next: &mut Vec<(&'static str, &'static str)>, out: &Out) {
    let (project, resolved) = (&inventory.project, &inventory.loaded.resolved);
    let mut bad = Vec::new();
    let mut need = |what: String, todo: (&'static str, &'static str)| {
        // What is broken comes before what is interesting.
        next.insert(bad.len(), todo);
        bad.push(what);
    };
    if let Some(error) = sprag_doctor::state_fault(host) {
        let what = format!("{} cannot be written ({error})", host.paths.tilde(&host.paths.state));
        need(what, ("sprag doctor", "what that means, and what to do"));
    }
    if resolved.guards_off {
        need("guards OFF: nothing is stopped".to_owned(), ("sprag enable guards", "switch the guards on"));
    } else if let Some(trial) = resolved.trial.filter(|trial| trial.is_on(host.clock.now())) {
        need(
            format!("TRIAL until {}: nothing is stopped", trial.last_day()),
            ("sprag trial", "what it would have stopped, and how to end it"),
        );
    }
    let errors = sprag_doctor::check(host, project).errors.len();
    if errors > 0 {
        need(
            format!("the configuration has {}", counted(errors, "error")),
            ("sprag check", "the errors, with their lines"),
        );
    }
    let failing = failures::pending(&host.paths);
    if let Some(first) = failing.first() {
        let times = if first.count == 1 { String::new() } else { format!(" {} times", first.count) };
        let what = format!("{} failed{times}: {}", first.hook, cut(&first.error, 60));
        need(what, ("sprag logs --errors", "what failed"));
    }
    let dead = queue::list(&host.paths, JobState::Dead).len();
    if dead > 0 {
        let what = format!("{} given up", counted(dead, "background job"));
        need(what, ("sprag status queue", "why they failed"));
    }
    let entries = sprag_deploy::registered(host, project);
    let has = |agent| entries.iter().any(|entry| entry.agent == agent && entry.fault.is_none());
    let agents = sprag_deploy::installed::find(host);
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
