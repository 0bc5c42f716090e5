//! Claims on both backends: one holder at any time, whoever dies; free after the lease and not before.

use crate::common::{TestStore, on_each};
use sprag_store::{
    Batch, ClaimKey, ClaimRow, Claimant, Heartbeat, Op, OpKind, Opening, Position, Registration, Store,
    Target,
};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const MINUTE: i64 = 60_000_000;
const T0: i64 = 1_794_768_642_000_000;
const FILES: usize = 1_000;
const PROCESSES: usize = 64;
/// So many files each process tries for: every file has six or seven that want it at the same time.
const TRIES: usize = 100;
/// A loaded machine is no reason to fail.
const PATIENT: Opening =
    Opening { wait: Duration::from_secs(120), connect: Duration::from_secs(60), ..Opening::WORKER };

fn key(path: &str) -> (ClaimKey, String) {
    let key = ClaimKey { repo: "git.example/dev/shop".into(), branch: "main".into(), path: path.to_owned() };
    (key, "/work/shop".to_owned())
}

fn by(session: &str) -> Claimant {
    Claimant { agent: "claude".into(), session: session.into(), host: "box".into(), lease: 10 * MINUTE }
}

fn claim(store: &mut Store, path: &str, session: &str, now: i64) -> Option<ClaimRow> {
    store.claim(&[key(path)], &by(session), now, false).unwrap().remove(0)
}

fn register(store: &mut Store, session: &str, at: i64) {
    let new = Registration {
        agent: "claude".into(),
        session: session.into(),
        home: "h".into(),
        host: "box".into(),
        name: "ada".into(),
        project: "git.example/dev/shop".into(),
        root: "/work/shop".into(),
        lease: 10 * MINUTE,
        ..Registration::default()
    };
    store.apply(&Op::new(at, OpKind::Register(new))).unwrap();
}

#[test]
fn one_holds_a_file_until_its_lease_ends_and_not_a_moment_longer() {
    on_each(|place| {
        let mut store = place.open();
        assert_eq!(claim(&mut store, "a.rs", "one", T0), None, "{}", place.name);
        let held = claim(&mut store, "a.rs", "two", T0 + MINUTE).unwrap();
        assert_eq!((held.session.as_str(), held.since, held.until), ("one", T0, T0 + 10 * MINUTE));
        assert_eq!(claim(&mut store, "a.rs", "one", T0 + 5 * MINUTE), None, "its own, renewed");
        assert!(claim(&mut store, "a.rs", "two", T0 + 15 * MINUTE - 1).is_some(), "none before the lease");
        assert_eq!(claim(&mut store, "a.rs", "two", T0 + 15 * MINUTE), None, "free after it");
        let held = claim(&mut store, "a.rs", "one", T0 + 16 * MINUTE).unwrap();
        assert_eq!((held.session.as_str(), held.since), ("two", T0 + 15 * MINUTE));
        let other_branch = ClaimKey { branch: "side".into(), ..key("a.rs").0 };
        let found = store.claim(&[(other_branch, String::new())], &by("one"), T0, false).unwrap();
        assert_eq!(found, [None], "another branch is another file");
    });
}

/// Fault of the reference: a dead session's claim warned for ever, and a live one's could not be told from it.
#[test]
fn a_claim_lives_as_long_as_its_session_sends_heartbeats() {
    on_each(|place| {
        let mut store = place.open();
        register(&mut store, "one", T0);
        claim(&mut store, "a.rs", "one", T0);
        let heartbeats = [(
            ("claude".to_owned(), "one".to_owned()),
            Heartbeat { at: T0 + 9 * MINUTE, lease: 10 * MINUTE, doing: "Edit a.rs".into() },
        )];
        let end = Position { position: 10, lines: 1, broken: 0 };
        store
            .ingest("h", "b", 0, &Batch { heartbeats: heartbeats.into(), end, ..Batch::default() }, T0)
            .unwrap();
        let held = claim(&mut store, "a.rs", "two", T0 + 19 * MINUTE - 1).unwrap();
        assert_eq!((held.name.as_str(), held.until), ("ada", T0 + 19 * MINUTE), "{}", place.name);
        assert_eq!(store.claims(T0 + 18 * MINUTE).unwrap().len(), 1);
        assert_eq!(store.claims(T0 + 19 * MINUTE).unwrap().len(), 0);
        assert_eq!(claim(&mut store, "a.rs", "two", T0 + 19 * MINUTE), None);
    });
}

#[test]
fn the_end_of_a_session_frees_what_it_held_and_a_late_word_of_it_nothing_newer() {
    on_each(|place| {
        let mut store = place.open();
        register(&mut store, "one", T0);
        claim(&mut store, "a.rs", "one", T0);
        let end = |at| Op::new(at, OpKind::Release { agent: "claude".into(), session: "one".into() });
        store.apply(&end(T0 + MINUTE)).unwrap();
        assert_eq!(claim(&mut store, "a.rs", "two", T0 + MINUTE), None, "{}", place.name);
        let held = store_row(&mut store);
        assert!(store.release_claim(&held).unwrap());
        register(&mut store, "one", T0 + 2 * MINUTE);
        claim(&mut store, "a.rs", "one", T0 + 2 * MINUTE);
        store.apply(&end(T0 + MINUTE)).unwrap();
        assert!(claim(&mut store, "a.rs", "two", T0 + 3 * MINUTE).is_some(), "it was resumed since");
    });
}

fn store_row(store: &mut Store) -> ClaimRow {
    store.claims(T0 + MINUTE).unwrap().remove(0)
}

#[test]
fn several_are_taken_together_or_not_at_all() {
    on_each(|place| {
        let mut store = place.open();
        claim(&mut store, "b.rs", "one", T0);
        let keys = [key("c.rs"), key("b.rs"), key("a.rs")];
        let found = store.claim(&keys, &by("two"), T0 + 1, true).unwrap();
        let held: Vec<bool> = found.iter().map(Option::is_some).collect();
        assert_eq!(held, [false, true, false], "{}", place.name);
        assert_eq!(store.claims(T0 + 1).unwrap().len(), 1, "nothing was kept");
        store.claim(&keys, &by("two"), T0 + 1, false).unwrap();
        assert_eq!(store.claims_of("claude", "two", T0 + 2).unwrap().len(), 2, "what was free was kept");
        assert_eq!(store.claims_in("/work/shop", &by("two"), T0 + 2).unwrap().len(), 1);
        assert_eq!(store.claims_on("git.example/dev/shop", "main", &by("one"), T0 + 2).unwrap().len(), 2);
    });
}

#[test]
fn what_was_committed_is_free_and_what_was_claimed_since_is_not() {
    on_each(|place| {
        let mut store = place.open();
        for path in ["clean.rs", "dirty.rs", "again.rs"] {
            claim(&mut store, path, "one", T0);
        }
        claim(&mut store, "again.rs", "one", T0 + 2);
        let freed = store.release_committed(&by("one"), "/work/shop", T0 + 1, |path| path == "dirty.rs");
        assert_eq!(freed.unwrap(), 1, "{}", place.name);
        let left: Vec<String> = store.claims(T0 + 3).unwrap().into_iter().map(|row| row.key.path).collect();
        assert_eq!(left, ["again.rs", "dirty.rs"]);
    });
}

/// Not a test: what the tests below start as a process of its own. It claims every file; what it gets it marks
/// with a file that only one can make, and every second one it gives back.
#[test]
#[ignore = "started by other tests"]
fn child() {
    let Ok(url) = std::env::var("CHILD_URL") else { return };
    let number: usize = std::env::var("CHILD_NUMBER").unwrap().parse().unwrap();
    let marks = std::env::var("CHILD_MARKS").unwrap();
    let target = Target::parse(&url, Path::new("/nowhere")).unwrap();
    let mut store = Store::open(&target, PATIENT).unwrap();
    let me = format!("s{number}");
    for step in 0..TRIES {
        let file = (number * FILES / PROCESSES + step) % FILES;
        let path = format!("f{file}");
        if claim(&mut store, &path, &me, T0 + step as i64).is_some() {
            continue;
        }
        let mark = Path::new(&marks).join(&path);
        let made = std::fs::OpenOptions::new().write(true).create_new(true).open(&mark);
        assert!(made.is_ok(), "{path} has two holders");
        if file.is_multiple_of(2) {
            std::fs::remove_file(&mark).unwrap();
            let (agent, session, since) = ("claude".to_owned(), me.clone(), T0 + step as i64);
            let own = ClaimRow { key: key(&path).0, agent, session, since, ..ClaimRow::default() };
            assert!(store.release_claim(&own).unwrap(), "{path} was taken from {me}");
        }
    }
}

fn start(place: &TestStore, marks: &Path, number: usize) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "claims::child", "--ignored", "--nocapture"])
        .env("CHILD_URL", &place.url)
        .env("CHILD_MARKS", marks)
        .env("CHILD_NUMBER", number.to_string())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

#[test]
fn sixty_four_processes_claim_a_thousand_files_and_each_has_one_holder() {
    on_each(|place| {
        drop(Store::open(&place.target, PATIENT).unwrap());
        let marks = tempfile::tempdir().unwrap();
        let children: Vec<Child> = (0..PROCESSES).map(|number| start(place, marks.path(), number)).collect();
        for child in children {
            let done = child.wait_with_output().unwrap();
            assert!(done.status.success(), "{}: {}", place.name, String::from_utf8_lossy(&done.stderr));
        }
        let held = Store::open(&place.target, PATIENT).unwrap().claims(T0 + FILES as i64).unwrap();
        let kept = std::fs::read_dir(marks.path()).unwrap().count();
        assert_eq!((held.len(), kept), (FILES / 2, FILES / 2), "{}: the odd ones, each once", place.name);
    });
}

#[test]
fn killed_holders_keep_their_files_until_the_lease_ends() {
    on_each(|place| {
        drop(Store::open(&place.target, PATIENT).unwrap());
        let marks = tempfile::tempdir().unwrap();
        let children: Vec<Child> = (0..8).map(|number| start(place, marks.path(), number)).collect();
        let mut store = Store::open(&place.target, PATIENT).unwrap();
        let end = Instant::now() + Duration::from_secs(120);
        while store.claims(T0 + FILES as i64).unwrap().len() < 50 {
            assert!(Instant::now() < end, "{}: the processes claim nothing", place.name);
            std::thread::sleep(Duration::from_millis(2));
        }
        for mut child in children {
            child.kill().unwrap();
            child.wait().unwrap();
        }
        store.verify().unwrap();
        let held = store.claims(T0 + FILES as i64).unwrap();
        assert!(held.len() >= 50, "{}", place.name);
        for row in held {
            let (path, until) = (row.key.path.as_str(), row.renewed + 10 * MINUTE);
            assert!(claim(&mut store, path, "heir", until - 1).is_some(), "{path} before the lease");
            assert_eq!(claim(&mut store, path, "heir", until), None, "{path} after the lease");
        }
    });
}
