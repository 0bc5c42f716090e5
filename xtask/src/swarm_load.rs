//! `cargo xtask swarm --store-only --agents 1000 --tasks 10000 --messages 100000`: simulated dispatchers and readers
//! against one PostgreSQL, through the store that the program uses. Counts double starts and lost messages.

use crate::measure::quantile;
use anyhow::ensure;
use sprag_store::{
    AttemptEnd, AttemptState, Dispatcher, NewMessage, NewTask, Op, OpKind, Opening, Reader, Registration,
    Spent, Store, Target,
};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

const PROJECT: &str = "git.example/dev/shop";
const T0: i64 = 1_794_768_642_000_000;

/// What is simulated.
#[derive(Clone, Copy)]
pub(crate) struct Load {
    pub(crate) agents: usize,
    pub(crate) tasks: usize,
    pub(crate) messages: usize,
    /// Connections at once.
    pub(crate) drivers: usize,
}

/// What came out.
#[derive(Default)]
pub(crate) struct Outcome {
    takes: Vec<f64>,
    sends: Vec<f64>,
    reads: Vec<f64>,
    pub(crate) started: usize,
    pub(crate) double_starts: usize,
    pub(crate) sent: usize,
    pub(crate) lost: usize,
    pub(crate) twice: usize,
    took_tasks: Duration,
    took_messages: Duration,
}

fn open(url: &str) -> anyhow::Result<Store> {
    let patient =
        Opening { wait: Duration::from_secs(60), connect: Duration::from_secs(60), ..Opening::WORKER };
    Ok(Store::open(&Target::parse(url, Path::new(""))?, patient)?)
}

fn timed<T>(times: &mut Vec<f64>, work: impl FnOnce() -> T) -> T {
    let started = Instant::now();
    let done = work();
    times.push(started.elapsed().as_secs_f64() * 1e3);
    done
}

fn reader(agent: usize) -> Reader {
    Reader {
        agent: "claude".into(),
        session: format!("s{agent}"),
        name: format!("agent-{agent}"),
        role: "worker".into(),
        project: PROJECT.into(),
        since: 0,
    }
}

/// Runs the load against a database.
pub(crate) fn run(url: &str, load: Load) -> anyhow::Result<Outcome> {
    let mut store = open(url)?;
    for agent in 0..load.agents {
        let new = Registration {
            agent: "claude".into(),
            session: format!("s{agent}"),
            home: format!("home-{}", agent % 10),
            name: format!("agent-{agent}"),
            project: PROJECT.into(),
            lease: 86_400_000_000,
            ..Registration::default()
        };
        store.apply(&Op::new(T0, OpKind::Register(new)))?;
    }
    for number in 0..load.tasks {
        let new = NewTask { title: format!("task {number}"), project: PROJECT.into(), ..NewTask::default() };
        ensure!(store.create_task(&new, T0 + number as i64)?.is_ok(), "no task");
    }
    let mut outcome = Outcome::default();
    tasks(url, load, &mut outcome)?;
    messages(url, load, &mut outcome)?;
    Ok(outcome)
}

fn tasks(url: &str, load: Load, outcome: &mut Outcome) -> anyhow::Result<()> {
    let starts: Mutex<BTreeMap<String, usize>> = Mutex::default();
    let done = AtomicUsize::new(0);
    let began = Instant::now();
    let all: Vec<anyhow::Result<Vec<f64>>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..load.drivers)
            .map(|driver| {
                let (starts, done) = (&starts, &done);
                scope.spawn(move || -> anyhow::Result<Vec<f64>> {
                    let mut store = open(url)?;
                    let mut times = Vec::new();
                    let mut agent = driver % load.agents;
                    while done.load(Ordering::Relaxed) < load.tasks {
                        let by = Dispatcher {
                            id: format!("d{agent}"),
                            project: PROJECT.into(),
                            agent: "claude".into(),
                            home: format!("home-{}", agent % 10),
                            host: "box".into(),
                            lease: 600_000_000,
                            max_attempts: 2,
                            only: String::new(),
                        };
                        let now = T0 + 1_000_000_000;
                        let taken = timed(&mut times, || store.take_task(&by, "worker", now))?;
                        if let Some((task, attempt)) = taken {
                            *starts
                                .lock()
                                .unwrap_or_else(PoisonError::into_inner)
                                .entry(task.id)
                                .or_default() += 1;
                            let end = AttemptEnd {
                                state: AttemptState::Done,
                                result: "done".into(),
                                spent: Spent::default(),
                                session: String::new(),
                            };
                            ensure!(
                                store.end_attempt(&attempt.id, &end, 2, now)?.is_some(),
                                "an attempt was lost"
                            );
                            done.fetch_add(1, Ordering::Relaxed);
                        }
                        agent = (agent + load.drivers) % load.agents;
                    }
                    Ok(times)
                })
            })
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|_| Err(anyhow::anyhow!("a driver panicked"))))
            .collect()
    });
    for times in all {
        outcome.takes.extend(times?);
    }
    outcome.took_tasks = began.elapsed();
    let starts = starts.into_inner().unwrap_or_else(PoisonError::into_inner);
    outcome.started = starts.len();
    outcome.double_starts = starts.values().filter(|count| **count > 1).count();
    Ok(())
}

fn messages(url: &str, load: Load, outcome: &mut Outcome) -> anyhow::Result<()> {
    let (sent, read) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let given: Mutex<BTreeMap<String, usize>> = Mutex::default();
    let began = Instant::now();
    let all: Vec<anyhow::Result<(Vec<f64>, Vec<f64>)>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..load.drivers)
            .map(|driver| {
                let (sent, read, given) = (&sent, &read, &given);
                scope.spawn(move || -> anyhow::Result<(Vec<f64>, Vec<f64>)> {
                    let mut store = open(url)?;
                    let (mut sends, mut reads) = (Vec::new(), Vec::new());
                    let mut round = 0;
                    let mut idle = 0;
                    while idle < 2 {
                        let own: Vec<usize> = (driver..load.agents).step_by(load.drivers).collect();
                        let before = read.load(Ordering::Relaxed);
                        for agent in own {
                            round += 1;
                            for number in 0..10 {
                                if sent.fetch_add(1, Ordering::Relaxed) >= load.messages {
                                    break;
                                }
                                let new = NewMessage {
                                    project: PROJECT.into(),
                                    sender: format!("agent-{agent}"),
                                    session: format!("s{agent}"),
                                    recipient: format!(
                                        "agent-{}",
                                        (agent + 1 + number * 7 % (load.agents - 1)) % load.agents
                                    ),
                                    text: format!("message {round}"),
                                };
                                let now = T0 + began.elapsed().as_micros() as i64;
                                let message =
                                    timed(&mut sends, || store.send_message(&new, i64::MAX, 0, now))?;
                                ensure!(message.is_some(), "a message was refused");
                            }
                            let reader = reader(agent);
                            let now = T0 + began.elapsed().as_micros() as i64;
                            let (got, _) = timed(&mut reads, || store.give_messages(&reader, now, |_| true))?;
                            let ids: Vec<String> = got.iter().map(|message| message.id.clone()).collect();
                            store.confirm_messages("claude", &reader.session, &ids, now)?;
                            read.fetch_add(ids.len(), Ordering::Relaxed);
                            let mut given = given.lock().unwrap_or_else(PoisonError::into_inner);
                            for id in ids {
                                *given.entry(id).or_default() += 1;
                            }
                        }
                        let over = sent.load(Ordering::Relaxed) >= load.messages;
                        idle = if over && read.load(Ordering::Relaxed) == before { idle + 1 } else { 0 };
                    }
                    Ok((sends, reads))
                })
            })
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|_| Err(anyhow::anyhow!("a driver panicked"))))
            .collect()
    });
    for times in all {
        let (sends, reads) = times?;
        outcome.sends.extend(sends);
        outcome.reads.extend(reads);
    }
    outcome.took_messages = began.elapsed();
    outcome.sent = outcome.sends.len();
    let given = given.into_inner().unwrap_or_else(PoisonError::into_inner);
    outcome.lost = outcome.sent - given.len();
    outcome.twice = given.values().filter(|count| **count > 1).count();
    Ok(())
}

/// The outcomes as a table, and as a plot over the number of agents.
pub(crate) fn report(rows: &[(Load, Outcome)]) -> String {
    let mut text = String::from(
        "| agents | connections | tasks started | twice | take p50 / p95 / p99 ms | messages | lost | twice | send p95 ms | read p95 ms |\n\
         |---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n",
    );
    let mut plot = (Vec::new(), Vec::new());
    for (load, outcome) in rows {
        let takes = [0.5, 0.95, 0.99].map(|part| format!("{:.1}", quantile(&outcome.takes, part)));
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} | {} | {:.1} | {:.1} |",
            load.agents,
            load.drivers,
            outcome.started,
            outcome.double_starts,
            takes.join(" / "),
            outcome.sent,
            outcome.lost,
            outcome.twice,
            quantile(&outcome.sends, 0.95),
            quantile(&outcome.reads, 0.95),
        );
        plot.0.push(load.agents.to_string());
        plot.1.push(format!("{:.1}", quantile(&outcome.takes, 0.95)));
    }
    let _ = write!(
        text,
        "\n```mermaid\nxychart-beta\n  title \"p95 of taking a task, ms\"\n  x-axis \"agents\" [{}]\n  y-axis \"ms\"\n  bar [{}]\n```\n",
        plot.0.join(", "),
        plot.1.join(", ")
    );
    if let Some((_, last)) = rows.last() {
        let _ = write!(
            text,
            "\n- with the most agents: {:.0} tasks/s taken and ended, {:.0} messages/s sent, read and confirmed\n",
            last.started as f64 / last.took_tasks.as_secs_f64().max(0.001),
            last.sent as f64 / last.took_messages.as_secs_f64().max(0.001)
        );
    }
    text
}
