//! Migrations: from every earlier version, by many processes at once, and after a kill at any point.

use crate::common::{TestStore, on_each};
use sprag_store::{Applied, Error, LATEST, Op, OpKind, Opening, Registration, Store, Target};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const T0: i64 = 1_794_768_642_000_000;

fn op(number: i64) -> Op {
    let session = format!("s{number}");
    let new = Registration {
        agent: "claude".into(),
        session,
        project: "p".into(),
        lease: 1,
        ..Registration::default()
    };
    Op { id: format!("op-{number}"), at: T0 + number, kind: OpKind::Register(new) }
}

#[test]
fn every_earlier_version_comes_up_to_date_with_its_rows() {
    for version in 1..LATEST {
        on_each(|place| {
            let mut old = Store::open_at(&place.target, version).unwrap();
            assert_eq!(old.schema().unwrap(), version);
            assert_eq!(old.apply(&op(1)).unwrap(), Applied::Now, "what version 1 had works in every version");
            drop(old);
            let mut new = place.open();
            assert_eq!(new.schema().unwrap(), LATEST, "{} from {version}", place.name);
            assert!(new.session("claude", "s1").unwrap().is_some());
            assert_eq!(new.apply(&op(1)).unwrap(), Applied::Before);
            assert!(new.totals("h", 0).unwrap().hooks.is_empty());
        });
    }
}

/// Not a test: what the tests below start as a process of its own.
#[test]
#[ignore = "started by other tests"]
fn child() {
    let Ok(url) = std::env::var("CHILD_URL") else { return };
    let target = Target::parse(&url, Path::new("/nowhere")).unwrap();
    let opening =
        Opening { wait: Duration::from_secs(60), connect: Duration::from_secs(60), ..Opening::WORKER };
    let mut store = Store::open(&target, opening).unwrap();
    let from: i64 = std::env::var("CHILD_FROM").unwrap().parse().unwrap();
    for number in from..from + 20 {
        store.apply(&op(number)).unwrap();
        store.apply(&op(number)).unwrap();
    }
}

fn start(place: &TestStore, from: i64) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "migrations::child", "--ignored", "--nocapture"])
        .env("CHILD_URL", &place.url)
        .env("CHILD_FROM", from.to_string())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    command
}

/// Kills a process at the given point of its migration; false when it came to its end without getting there.
fn killed_at(place: &TestStore, point: i64) -> bool {
    let dir = tempfile::tempdir().unwrap();
    let stopped = dir.path().join("stopped");
    let mut command = start(place, 0);
    command.env("SPRAG_TEST_STOP_AT", format!("migration:{point}")).env("SPRAG_TEST_STOP_FILE", &stopped);
    let mut child = command.spawn().unwrap();
    let end = Instant::now() + Duration::from_secs(120);
    while !stopped.exists() {
        if let Some(status) = child.try_wait().unwrap() {
            assert!(status.success(), "{}", place.name);
            return false;
        }
        assert!(Instant::now() < end, "{}: neither at the point nor at its end", place.name);
        std::thread::sleep(Duration::from_millis(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    true
}

#[test]
fn a_migration_that_is_killed_at_any_point_is_finished_by_the_next() {
    on_each(|place| {
        // A version has four points. Killed at the first three, it is begun again; at the last, it is done.
        let kills = (0..=4 * LATEST).take_while(|round| killed_at(place, round % 4 + 1)).count();
        assert_eq!(kills as i64, 4 * LATEST, "{}: every point of every version", place.name);
        let mut store = place.open();
        assert_eq!(store.schema().unwrap(), LATEST);
        assert_eq!(store.sessions(T0, 0).unwrap().len(), 20, "{}", place.name);
        store.verify().unwrap();
    });
}

#[test]
fn sixty_four_processes_that_begin_at_once_lose_and_double_nothing() {
    on_each(|place| {
        let children: Vec<Child> = (0..64).map(|number| start(place, number * 20).spawn().unwrap()).collect();
        for child in children {
            let done = child.wait_with_output().unwrap();
            assert!(done.status.success(), "{}: {}", place.name, String::from_utf8_lossy(&done.stderr));
        }
        let mut store = place.open();
        let facts = store.facts().unwrap();
        let rows = |name: &str| facts.rows.iter().find(|(table, _)| *table == name).unwrap().1;
        assert_eq!((rows("sessions"), rows("applied")), (64 * 20, 64 * 20), "{}", place.name);
        store.verify().unwrap();
    });
}

#[test]
fn a_table_a_column_an_index_or_a_trigger_that_is_missing_is_found() {
    on_each(|place| {
        place.open().verify().unwrap();
        let Some(file) = &place.file else {
            let name = place.url.rsplit('/').next().unwrap().split('?').next().unwrap();
            let rename = "ALTER TABLE claims RENAME COLUMN host TO machine";
            sprag_store::testing::server().unwrap().sql(name, rename).unwrap();
            let found = place.open().verify().unwrap_err();
            assert!(matches!(&found, Error::Schema(text) if text.contains("host")), "{found}");
            return;
        };
        for (sql, part) in [
            ("DROP INDEX tasks_state", "tasks_state"),
            ("DROP TRIGGER tasks_transition", "tasks_transition"),
            ("ALTER TABLE claims RENAME COLUMN host TO machine", "host"),
            ("DROP TABLE claims", "claims"),
        ] {
            std::fs::remove_file(file).unwrap();
            place.open();
            rusqlite::Connection::open(file).unwrap().execute_batch(sql).unwrap();
            let found = place.open().verify().unwrap_err();
            assert!(matches!(&found, Error::Schema(text) if text.contains(part)), "{sql}: {found}");
        }
    });
}
