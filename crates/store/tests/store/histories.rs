//! Random histories of many processes on one store, while processes are killed, stopped for longer than their leases, and
//! cut off from the server. Each process writes down what it asked and what it was told; the histories of all of them
//! are then checked: no file has two holders at a time, no task two dispatchers, a task is done once, and a message
//! that was acknowledged is there once.
//!
//! The suite runs some seconds of it; `cargo xtask histories --seconds N` runs more.

use crate::common::{TestStore, postgres, sqlite};
use sprag_store::{
    AttemptEnd, AttemptState, ClaimKey, ClaimRow, Claimant, Dispatcher, NewMessage, NewTask, Opening, Spent,
    Store, Target, TaskState,
};
use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

/// Of claims and attempts, in microseconds: short, so that many end while the processes run.
const LEASE: i64 = 400_000;
/// Few, so that the processes meet.
const FILES: u64 = 5;
const TASKS: usize = 60;
/// How far a stepped clock may be off, in microseconds: within what a lease forgives, and far beyond.
const SKEWS: [i64; 3] = [0, LEASE / 8, 3_600_000_000];
/// No task is to fail.
const MAX_ATTEMPTS: i64 = 1_000_000;

const PATIENT: Opening =
    Opening { wait: Duration::from_secs(5), connect: Duration::from_secs(10), ..Opening::WORKER };

fn now() -> i64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_micros() as i64
}

/// Numbers that a seed decides: xorshift.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }
}

fn key(file: u64) -> ClaimKey {
    ClaimKey { repo: "shop".into(), branch: "main".into(), path: format!("f{file}") }
}

fn dispatcher(id: &str) -> Dispatcher {
    Dispatcher {
        id: id.to_owned(),
        project: "shop".into(),
        agent: "claude".into(),
        home: "h".into(),
        host: "box".into(),
        lease: LEASE,
        max_attempts: MAX_ATTEMPTS,
        only: String::new(),
    }
}

/// Not a test: one process of a history. Every line is in the file before the next question is asked, so that a kill
/// loses none that matters.
#[test]
#[ignore = "started by other tests"]
fn child() {
    let Ok(url) = std::env::var("CHILD_URL") else { return };
    let (logs, first) = (std::env::var("CHILD_LOGS").unwrap(), std::env::var("CHILD_NAME").unwrap());
    let open = |name: &str| std::fs::File::create(Path::new(&logs).join(name)).unwrap();
    let (mut name, mut log) = (first.clone(), open(&first));
    let mut dice = Dice(std::env::var("CHILD_SEED").unwrap().parse().unwrap());
    let skew: i64 = std::env::var("CHILD_SKEW").unwrap().parse().unwrap();
    let target = Target::parse(&url, Path::new("/nowhere")).unwrap();
    let (mut store, mut ahead) = (None, 0);
    for number in 0.. {
        // The store is told the time: a clock that is stepped is another number.
        if skew > 0 && dice.roll(10) == 0 {
            ahead = dice.roll(2 * skew as u64) as i64 - skew;
            log.write_all(format!("step clock {} 0\n", now()).as_bytes()).unwrap();
        }
        if store.is_none() {
            store = Store::open(&target, PATIENT).ok();
        }
        let Some(connected) = store.as_mut() else {
            std::thread::sleep(Duration::from_millis(5));
            continue;
        };
        // What is not answered may have been done, or may be done later: nothing is believed, and whoever asked is gone,
        // or a release that is still on its way would free what was claimed again.
        if step(connected, &name, number, ahead, &mut dice, &mut log).is_err() {
            store = None;
            name = format!("{first}.{number}");
            log = open(&name);
        }
    }
}

fn step(
    store: &mut Store,
    name: &str,
    number: u64,
    ahead: i64,
    dice: &mut Dice,
    log: &mut std::fs::File,
) -> sprag_store::Result<()> {
    let mut say = |line: String| log.write_all(format!("{line}\n").as_bytes()).unwrap();
    let asked = now();
    match dice.roll(10) {
        0..=3 => {
            let file = dice.roll(FILES);
            let by = Claimant {
                agent: "claude".into(),
                session: name.to_owned(),
                host: "box".into(),
                lease: LEASE,
            };
            let held = store.claim(&[(key(file), "/work".into())], &by, asked + ahead, false)?;
            if held == [None] {
                say(format!("hold f{file} {} {}", now(), asked + LEASE));
                std::thread::sleep(Duration::from_micros(dice.roll(3_000)));
                if dice.roll(2) == 0 {
                    say(format!("leave f{file} {} 0", now()));
                    let own = store.claims_of("claude", name, now() + ahead)?;
                    for row in own.iter().filter(|row: &&ClaimRow| row.key == key(file)) {
                        store.release_claim(row)?;
                    }
                }
            }
        }
        4..=6 => {
            let by = dispatcher(name);
            store.reap_attempts(&by, asked + ahead)?;
            let asked = now();
            if let Some((task, attempt)) = store.take_task(&by, "ada", asked + ahead)? {
                say(format!("hold t{} {} {}", task.id, now(), asked + LEASE));
                std::thread::sleep(Duration::from_micros(dice.roll(20_000)));
                if dice.roll(3) > 0 {
                    say(format!("leave t{} {} 0", task.id, now()));
                    let end = AttemptEnd {
                        state: AttemptState::Done,
                        result: "ok".into(),
                        spent: Spent::default(),
                        session: name.into(),
                    };
                    if store.end_attempt(&attempt.id, &end, MAX_ATTEMPTS, now() + ahead)?.is_some() {
                        say(format!("done t{} {} 0", task.id, now()));
                    }
                }
            }
        }
        _ => {
            let text = format!("{name}-{number}");
            let new = NewMessage {
                project: "shop".into(),
                sender: "ada".into(),
                session: name.to_owned(),
                recipient: "all".into(),
                text: text.clone(),
            };
            if store.send_message(&new, i64::MAX, 0, asked + ahead)?.is_some() {
                say(format!("sent m{text} {} 0", now()));
            }
        }
    }
    Ok(())
}

/// Between the processes and the server: delays what is said, and cuts connections off in the middle.
fn bad_network(server: u16) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for (number, client) in listener.incoming().map_while(Result::ok).enumerate() {
            let Ok(server) = TcpStream::connect(("127.0.0.1", server)) else { continue };
            let ways = [(client.try_clone(), server.try_clone()), (server.try_clone(), client.try_clone())];
            for (way, (from, to)) in ways.into_iter().enumerate() {
                let (Ok(mut from), Ok(mut to)) = (from, to) else { continue };
                let mut dice = Dice((number as u64 + 1) * 7919 + way as u64);
                std::thread::spawn(move || {
                    let mut bytes = [0; 4096];
                    while let Ok(count @ 1..) = from.read(&mut bytes) {
                        std::thread::sleep(Duration::from_micros(dice.roll(800)));
                        let cut = dice.roll(400) == 0;
                        let part = if cut { count / 2 } else { count };
                        if to.write_all(&bytes[..part]).is_err() || cut {
                            break;
                        }
                    }
                    let _ = (from.shutdown(std::net::Shutdown::Both), to.shutdown(std::net::Shutdown::Both));
                });
            }
        }
    });
    port
}

fn signal(child: &Child, name: &str) {
    let _ = Command::new("kill").args([name, &child.id().to_string()]).status();
}

/// What a history came to.
#[derive(Debug, Default)]
struct Figures {
    processes: u64,
    kills: u64,
    pauses: u64,
    steps: u64,
    answers: u64,
    holds: u64,
    done: u64,
    messages: u64,
}

fn history(place: &TestStore, processes: usize, length: Duration, seed: u64, skew: i64) -> Figures {
    let logs = tempfile::tempdir().unwrap();
    let mut store = Store::open(&place.target, PATIENT).unwrap();
    for number in 0..TASKS {
        let new = NewTask { project: "shop".into(), title: format!("task {number}"), ..NewTask::default() };
        store.create_task(&new, now()).unwrap().unwrap();
    }
    let url = match sprag_store::testing::server().filter(|_| place.file.is_none()) {
        None => place.url.clone(),
        Some(server) => {
            let (own, bad) = (server.port(), bad_network(server.port()));
            place.url.replace(&format!(":{own}/"), &format!(":{bad}/"))
        }
    };
    let mut figures = Figures::default();
    let mut dice = Dice(seed);
    let mut start = || {
        figures.processes += 1;
        let name = format!("s{}", figures.processes);
        Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "histories::child", "--ignored", "--nocapture"])
            .env("CHILD_URL", &url)
            .env("CHILD_LOGS", logs.path())
            .env("CHILD_NAME", &name)
            .env("CHILD_SKEW", skew.to_string())
            .env("CHILD_SEED", (seed * 1_000_003 + figures.processes).to_string())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    };
    let mut running: Vec<Child> = (0..processes).map(|_| start()).collect();
    let (mut kills, mut pauses) = (0, 0);
    let end = Instant::now() + length;
    while Instant::now() < end {
        std::thread::sleep(Duration::from_millis(dice.roll(120)));
        let index = dice.roll(processes as u64) as usize;
        if dice.roll(3) == 0 {
            signal(&running[index], "-STOP");
            // Beyond the lease: meanwhile others take what it holds.
            std::thread::sleep(Duration::from_micros(LEASE as u64 * 3 / 2));
            signal(&running[index], "-CONT");
            pauses += 1;
        } else {
            let _ = running[index].kill();
            let _ = running[index].wait();
            running[index] = start();
            kills += 1;
        }
    }
    for child in &mut running {
        let _ = child.kill();
        let _ = child.wait();
    }
    (figures.kills, figures.pauses) = (kills, pauses);
    check(&mut store, logs.path(), skew, &mut figures, &format!("{} seed {seed} skew {skew}", place.name));
    figures
}

/// What a process believes to hold: from when it was told so, until it gave it up or its lease ends.
struct Hold {
    by: String,
    from: i64,
    until: i64,
}

fn check(store: &mut Store, logs: &Path, skew: i64, figures: &mut Figures, what: &str) {
    let mut holds: BTreeMap<String, Vec<Hold>> = BTreeMap::new();
    let mut done: BTreeMap<String, u64> = BTreeMap::new();
    let mut sent = Vec::new();
    for entry in std::fs::read_dir(logs).unwrap().flatten() {
        let by = entry.file_name().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(entry.path()).unwrap();
        // A last line without its end is of a process that was killed while it wrote.
        for line in text.split_inclusive('\n').filter(|line| line.ends_with('\n')) {
            let words: Vec<&str> = line.split_whitespace().collect();
            let [verb, thing, at, until] = words[..] else { panic!("{what}: {line}") };
            let (at, until): (i64, i64) = (at.parse().unwrap(), until.parse().unwrap());
            figures.answers += 1;
            let own = holds.entry(thing.to_owned()).or_default();
            match verb {
                "step" => figures.steps += 1,
                // One clock is ahead and the other behind: so much earlier may somebody else take it.
                "hold" => own.push(Hold { by: by.clone(), from: at, until: until - 2 * skew }),
                "leave" => own
                    .iter_mut()
                    .filter(|hold| hold.by == by)
                    .for_each(|hold| hold.until = hold.until.min(at)),
                "done" => *done.entry(thing.to_owned()).or_default() += 1,
                _ => sent.push(thing.trim_start_matches('m').to_owned()),
            }
        }
    }
    for (thing, mut all) in holds {
        figures.holds += all.len() as u64;
        all.retain(|hold| hold.from < hold.until);
        all.sort_by_key(|hold| hold.from);
        // A file may be held again by the one that has it; of a task every attempt is another.
        for (index, one) in all.iter().enumerate() {
            let mut others = all.iter().skip(index + 1).take_while(|other| other.from < one.until);
            if let Some(other) = others.find(|other| other.by != one.by || thing.starts_with('t')) {
                panic!(
                    "{what}: {thing} is held by {} from {} to {} and by {} from {}",
                    one.by, one.from, one.until, other.by, other.from
                );
            }
        }
    }
    store.verify().unwrap();
    let tasks = store.tasks(true).unwrap();
    for (task, count) in &done {
        assert_eq!(*count, 1, "{what}: {task} was done {count} times");
        let row = tasks.iter().find(|row| format!("t{}", row.id) == *task);
        assert_eq!(row.map(|row| row.state), Some(TaskState::Done), "{what}: {task} was said to be done");
    }
    assert!(tasks.len() >= done.len(), "{what}: a task is lost");
    figures.done = done.len() as u64;
    let mut stored: BTreeMap<String, u64> = BTreeMap::new();
    let mut exported = Vec::new();
    store.export(&mut exported).unwrap();
    for line in String::from_utf8(exported).unwrap().lines() {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        if line["table"] == "messages" {
            *stored.entry(line["row"]["text"].as_str().unwrap().to_owned()).or_default() += 1;
        }
    }
    for text in &sent {
        assert_eq!(stored.get(text), Some(&1), "{what}: the message {text} was acknowledged");
    }
    figures.messages = sent.len() as u64;
}

#[test]
fn random_histories_have_one_holder_at_a_time_and_lose_nothing() {
    for place in [Some(sqlite()), postgres()].into_iter().flatten() {
        let figures = history(&place, 6, Duration::from_secs(4), 42, 0);
        assert!(figures.holds > 0 && figures.messages > 0, "{}: {figures:?}", place.name);
    }
}

#[test]
fn with_clocks_that_are_stepped_a_task_is_done_once_and_a_message_is_there_once() {
    for skew in [LEASE / 8, 3_600_000_000] {
        // A store of its own each: the names of the processes are the same.
        for place in [Some(sqlite()), postgres()].into_iter().flatten() {
            let figures = history(&place, 5, Duration::from_secs(3), 7, skew);
            assert!(figures.steps > 0 && figures.messages > 0, "{}: {figures:?}", place.name);
        }
    }
}

#[test]
#[ignore = "as long as is asked for: cargo xtask histories"]
fn random_histories_for_as_long_as_is_asked_for() {
    let number = |name: &str, default: u64| {
        std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
    };
    let (seconds, processes) = (number("SPRAG_HISTORY_SECONDS", 60), number("SPRAG_HISTORY_PROCESSES", 64));
    let begin = Instant::now();
    let first = number("SPRAG_HISTORY_SEED", 1);
    println!(
        "| store | seed | clocks off by, s | processes | kills | pauses | clock steps | answers | held | tasks done | messages |"
    );
    println!("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
    for seed in first.. {
        for place in [Some(sqlite()), postgres()].into_iter().flatten() {
            let skew = SKEWS[seed as usize % SKEWS.len()];
            let Figures { processes, kills, pauses, steps, answers, holds, done, messages } =
                history(&place, processes as usize, Duration::from_secs(10), seed, skew);
            println!(
                "| {} | {seed} | {} | {processes} | {kills} | {pauses} | {steps} | {answers} | {holds} | {done} | {messages} |",
                place.name,
                skew as f64 / 1e6,
            );
        }
        if begin.elapsed().as_secs() >= seconds {
            break;
        }
    }
}
