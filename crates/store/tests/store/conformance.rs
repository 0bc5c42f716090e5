//! One suite for both backends: what holds on one holds on the other.

use crate::common::{TestStore, on_each, postgres, sqlite};
use sprag_store::{
    Applied, Batch, Cas, Counts, Error, Heartbeat, LATEST, OnKnown, Op, OpKind, Opening, Position,
    Registration, RunKey, Store, micros_of,
};

const MINUTE: i64 = 60_000_000;
const T0: i64 = 1_794_768_642_000_000;

fn registration(session: &str, project: &str) -> Registration {
    Registration {
        agent: "claude".into(),
        session: session.into(),
        home: "home-1".into(),
        host: "box".into(),
        pid: 42,
        project: project.into(),
        root: "/work/shop".into(),
        branch: "main".into(),
        source: "startup".into(),
        lease: 5 * MINUTE,
        ..Registration::default()
    }
}

fn register(store: &mut Store, at: i64, session: &str, project: &str) {
    let op = Op::new(at, OpKind::Register(registration(session, project)));
    assert_eq!(store.apply(&op).unwrap(), Applied::Now);
}

fn release(at: i64, session: &str) -> Op {
    Op::new(at, OpKind::Release { agent: "claude".into(), session: session.into() })
}

fn names(store: &mut Store, project: &str, me: &str, now: i64) -> Vec<String> {
    store.peers(project, "claude", me, now).unwrap().into_iter().map(|row| row.session).collect()
}

#[test]
fn a_session_sees_its_live_peers_and_nobody_else() {
    on_each(|place| {
        let mut store = place.open();
        register(&mut store, T0, "a", "shop");
        register(&mut store, T0 + 1, "b", "shop");
        register(&mut store, T0 + 2, "c", "other");
        assert_eq!(names(&mut store, "shop", "a", T0 + 3), ["b"], "{}", place.name);
        assert_eq!(names(&mut store, "shop", "x", T0 + 3), ["b", "a"], "newest first");
        assert_eq!(names(&mut store, "shop", "x", T0 + 5 * MINUTE), ["b"], "the lease of a has run out");
        store.apply(&release(T0 + 4, "b")).unwrap();
        assert_eq!(names(&mut store, "shop", "x", T0 + 5), ["a"]);
    });
}

#[test]
fn a_resume_keeps_the_id_and_the_start_and_ends_an_end() {
    on_each(|place| {
        let mut store = place.open();
        register(&mut store, T0, "a", "shop");
        let first = store.session("claude", "a").unwrap().unwrap();
        assert_eq!(uuid_version(&first.id), '7');
        store.apply(&release(T0 + MINUTE, "a")).unwrap();
        assert!(!store.session("claude", "a").unwrap().unwrap().is_live(T0 + MINUTE));
        register(&mut store, T0 + 60 * MINUTE, "a", "shop");
        let again = store.session("claude", "a").unwrap().unwrap();
        assert_eq!((again.id, again.started, again.ended), (first.id, first.started, None));
        assert!(again.lease_until == T0 + 65 * MINUTE);
    });
}

fn uuid_version(id: &str) -> char {
    id.chars().nth(14).unwrap()
}

#[test]
fn what_comes_late_or_twice_changes_nothing() {
    on_each(|place| {
        let mut store = place.open();
        let op = Op::new(T0, OpKind::Register(registration("a", "shop")));
        assert_eq!(store.apply(&op).unwrap(), Applied::Now);
        assert_eq!(store.apply(&op).unwrap(), Applied::Before, "{}", place.name);
        // A release that waited in the spool while the session was resumed.
        register(&mut store, T0 + 10 * MINUTE, "a", "shop");
        store.apply(&release(T0 + MINUTE, "a")).unwrap();
        assert!(store.session("claude", "a").unwrap().unwrap().is_live(T0 + 11 * MINUTE));
        // A registration that waited longer than a newer one.
        let mut old = registration("a", "shop");
        old.branch = "old".into();
        store.apply(&Op::new(T0 + 2, OpKind::Register(old))).unwrap();
        assert_eq!(store.session("claude", "a").unwrap().unwrap().branch, "main");
    });
}

#[test]
fn activity_renews_the_lease_and_never_shortens_it() {
    on_each(|place| {
        let mut store = place.open();
        register(&mut store, T0, "a", "shop");
        let mut beat = |from: i64, to: i64, at: i64| {
            let heartbeats = [(
                ("claude".to_owned(), "a".to_owned()),
                Heartbeat { at, lease: 5 * MINUTE, doing: String::new() },
            )]
            .into();
            let end = Position { position: to, lines: 1, broken: 0 };
            store.ingest("home-1", "beats", from, &Batch { heartbeats, end, ..Batch::default() }, at).unwrap()
        };
        assert!(beat(0, 10, T0 + 4 * MINUTE));
        assert!(beat(10, 20, T0 + 3 * MINUTE), "an older beat is read and changes nothing");
        assert!(!beat(10, 20, T0 + 50 * MINUTE), "the same part twice counts once");
        let row = store.session("claude", "a").unwrap().unwrap();
        assert_eq!((row.seen, row.lease_until), (T0 + 4 * MINUTE, T0 + 9 * MINUTE));
    });
}

#[test]
fn state_is_compared_and_set_in_one_step() {
    on_each(|place| {
        let mut store = place.open();
        let mut set = |seen, value: &str, expires, now| {
            store.compare_and_set("claims", "src/a.rs", seen, value, expires, now).unwrap()
        };
        assert_eq!(set(None, "one", Some(T0 + 10), T0), Cas::Set(1));
        let Cas::Differs(Some(held)) = set(None, "two", None, T0 + 1) else { panic!("{}", place.name) };
        assert_eq!((held.value.as_str(), held.version, held.expires), ("one", 1, Some(T0 + 10)));
        assert_eq!(set(Some(1), "one", Some(T0 + 20), T0 + 2), Cas::Set(2), "renewed by its holder");
        assert!(matches!(set(Some(1), "late", None, T0 + 3), Cas::Differs(Some(_))));
        assert_eq!(set(None, "two", None, T0 + 20), Cas::Set(3), "what expired is free");
        assert_eq!(store.get("claims", "src/a.rs", T0 + 99).unwrap().unwrap().value, "two");
        assert!(!store.remove("claims", "src/a.rs", 1).unwrap());
        assert!(store.remove("claims", "src/a.rs", 3).unwrap());
        assert_eq!(store.get("claims", "src/a.rs", T0).unwrap(), None);
        let put =
            OpKind::Put { space: "s".into(), name: "n".into(), value: "zero \0 byte, ünïcode".into() };
        store.apply(&Op::new(T0, put)).unwrap();
        assert_eq!(store.list("s", T0).unwrap()[0].value, "zero \u{fffd} byte, ünïcode");
    });
}

fn batch(hour: i64, fires: i64, micros: &[u64], end: i64) -> Batch {
    let mut counts = Counts { fires, deny: 1, chars: 7, ..Counts::default() };
    counts.saw(T0 + hour * 60 * MINUTE, "deny");
    micros.iter().for_each(|micros| counts.took(*micros));
    let key = RunKey::new(T0 + hour * 60 * MINUTE, "claude", "PreToolUse", "tool-loop");
    let whole = RunKey::new(T0 + hour * 60 * MINUTE, "claude", "PreToolUse", "");
    Batch {
        runs: [(key, counts.clone()), (whole, counts)].into(),
        end: Position { position: end, lines: end / 10, broken: 0 },
        ..Batch::default()
    }
}

#[test]
fn runs_add_up_per_hour_and_home() {
    on_each(|place| {
        let mut store = place.open();
        assert!(store.ingest("h", "j", 0, &batch(0, 2, &[100, 5_000], 10), T0).unwrap());
        assert!(store.ingest("h", "j", 10, &batch(0, 1, &[100], 20), T0).unwrap());
        assert!(store.ingest("h", "j", 20, &batch(2, 1, &[100], 30), T0).unwrap());
        assert!(!store.ingest("h", "j", 0, &batch(2, 1, &[100], 30), T0).unwrap());
        assert!(store.ingest("elsewhere", "k", 0, &batch(0, 9, &[100], 10), T0).unwrap());
        assert_eq!(store.position("j").unwrap(), Position { position: 30, lines: 3, broken: 0 });
        let totals = store.totals("h", T0).unwrap();
        let hook = &totals.hooks["tool-loop"];
        assert_eq!((hook.fires, hook.deny, hook.chars), (4, 3, 21), "{}", place.name);
        assert_eq!(hook.times.values().sum::<i64>(), 4);
        assert_eq!(hook.last, T0 + 120 * MINUTE);
        assert!(hook.times.keys().any(|slot| micros_of(*slot).abs_diff(5_000) < 200));
        assert_eq!(totals.events["PreToolUse"].fires, 4);
        assert_eq!(store.totals("h", T0 + 60 * MINUTE).unwrap().hooks["tool-loop"].fires, 1);
        assert!(store.oldest_hour("h").unwrap().unwrap() <= T0);
        assert_eq!(store.oldest_hour("nobody").unwrap(), None);
    });
}

fn filled(place: &TestStore) -> Store {
    let mut store = place.open();
    register(&mut store, T0, "a", "shop");
    register(&mut store, T0 + 1, "b", "shop");
    store.apply(&release(T0 + 2, "b")).unwrap();
    store.compare_and_set("s", "k", None, "line\nbreak \"quoted\" ☃", Some(T0), T0 - 5).unwrap();
    for number in 0..40 {
        let batch = batch(number, 2, &[10, 1_000_000], (number + 1) * 10);
        assert!(store.ingest("h", "j", number * 10, &batch, T0).unwrap());
    }
    store
}

fn exported(store: &mut Store) -> String {
    let mut out = Vec::new();
    store.export(&mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn an_export_moves_to_the_other_backend_and_back_without_loss() {
    let Some(postgres) = postgres() else { return };
    let (first, last) = (sqlite(), sqlite());
    let original = exported(&mut filled(&first));
    let mut middle = postgres.open();
    let moved = middle.import(&mut original.as_bytes(), OnKnown::Keep).unwrap();
    assert_eq!((moved.added as usize, moved.known), (original.lines().count() - 2, 0));
    assert_eq!(exported(&mut middle), original);
    let mut back = last.open();
    back.import(&mut exported(&mut middle).as_bytes(), OnKnown::Keep).unwrap();
    assert_eq!(exported(&mut back), original);
    let again = back.import(&mut original.as_bytes(), OnKnown::Keep).unwrap();
    assert_eq!((again.added, again.known as usize), (0, original.lines().count() - 2));
}

#[test]
fn a_file_that_is_cut_off_or_foreign_changes_nothing() {
    let text = exported(&mut filled(&sqlite()));
    on_each(|place| {
        let mut store = place.open();
        let half: String = text.lines().take(9).map(|line| format!("{line}\n")).collect();
        assert!(
            store.import(&mut half.as_bytes(), OnKnown::Keep).unwrap_err().to_string().contains("cut off")
        );
        let gap: String =
            text.lines().enumerate().filter(|(n, _)| *n != 5).map(|(_, l)| format!("{l}\n")).collect();
        assert!(
            store.import(&mut gap.as_bytes(), OnKnown::Keep).unwrap_err().to_string().contains("missing")
        );
        let foreign = "{\"sprag\":\"store\",\"format\":1,\"schema\":1}\n{\"table\":\"pg_user\",\"row\":{}}\n";
        assert!(store.import(&mut foreign.as_bytes(), OnKnown::Keep).is_err());
        assert!(store.import(&mut &b"hello\n"[..], OnKnown::Keep).is_err());
        assert!(store.facts().unwrap().rows.iter().all(|(_, rows)| *rows == 0), "{}", place.name);
    });
}

#[test]
fn pruning_removes_what_is_old_and_keeps_what_lives() {
    on_each(|place| {
        let mut store = filled(place);
        store.ingest("h", "j", 400, &batch(10_000, 1, &[5], 410), T0 + 10_000 * 60 * MINUTE).unwrap();
        register(&mut store, T0 + 10_000 * 60 * MINUTE, "live", "shop");
        let now = T0 + 10_000 * 60 * MINUTE;
        let gone = store.prune(now - 60 * MINUTE, now).unwrap();
        let of = |name: &str| gone.iter().find(|(table, _)| *table == name).unwrap().1;
        assert_eq!(
            (of("sessions"), of("runs"), of("run_times"), of("kv")),
            (2, 80, 160, 1),
            "{}",
            place.name
        );
        assert!(store.session("claude", "live").unwrap().is_some());
        assert_eq!(store.totals("h", 0).unwrap().hooks["tool-loop"].fires, 1);
        assert_eq!(store.position("j").unwrap().position, 410, "the place in a file in use stays");
    });
}

#[test]
fn a_look_changes_nothing_and_says_what_is_missing() {
    let place = sqlite();
    assert_eq!(Store::open(&place.target, Opening::LOOK).err(), Some(Error::Missing));
    assert!(!place.file.as_ref().unwrap().exists());
    on_each(|place| {
        drop(Store::open_at(&place.target, 1).unwrap());
        let error = Store::open(&place.target, Opening::LOOK).err();
        assert_eq!(error, Some(Error::Outdated { found: 1, wanted: LATEST }), "{}", place.name);
        let facts = place.open().facts().unwrap();
        assert_eq!(facts.schema, LATEST);
        assert!(facts.rows.iter().any(|(table, _)| *table == "run_times"), "{:?}", facts.rows);
        assert!(facts.bytes > 0 && facts.server.contains(' '));
        place.open().verify().unwrap();
    });
}

#[test]
fn pgvector_is_seen_and_not_needed() {
    assert_eq!(sqlite().open().facts().unwrap().vector, None);
    let Some(server) = sprag_store::testing::server() else { return };
    let url = server.database();
    let target = sprag_store::Target::parse(&url, std::path::Path::new("")).unwrap();
    let mut store = Store::open(&target, Opening::WORKER).unwrap();
    let name = url.rsplit('/').next().unwrap().split('?').next().unwrap();
    let before = store.facts().unwrap().vector;
    let installed = server.sql(name, "CREATE EXTENSION vector").is_ok();
    assert_eq!(before.as_ref().map(|vector| vector.installed), installed.then_some(false));
    let after = store.facts().unwrap().vector;
    assert_eq!(after.map(|vector| vector.installed), installed.then_some(true));
    if std::env::var_os("SPRAG_TEST_PGVECTOR").is_some() {
        assert!(installed, "this server was meant to have pgvector");
    }
}

#[cfg(unix)]
#[test]
fn the_file_is_for_the_owner_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = sqlite();
    let mut store = place.open();
    register(&mut store, T0, "a", "shop");
    let file = place.file.as_ref().unwrap();
    for path in [file.clone(), file.with_extension("db-wal"), file.with_extension("db-shm")] {
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600, "{}", path.display());
    }
    assert_eq!(file.parent().unwrap().metadata().unwrap().permissions().mode() & 0o777, 0o700);
}

#[test]
fn a_value_that_cannot_be_decoded_is_an_error_that_names_its_column() {
    on_each(|place| {
        let mut store = place.open();
        let file = "{\"sprag\":\"store\",\"format\":1,\"schema\":1}\n\
            {\"table\":\"agents\",\"row\":{\"id\":\"a\",\"home\":\"h\",\"name\":\"ada\",\"host\":\"box\",\
            \"role\":\"boss\",\"first_seen\":1,\"last_seen\":2}}\n{\"end\":1}\n";
        assert_eq!(store.import(&mut file.as_bytes(), OnKnown::Keep).unwrap().added, 1, "{}", place.name);
        let error = store.agents(T0).unwrap_err();
        assert!(
            matches!(&error, Error::Column { column, .. } if column == "role"),
            "{}: {error}",
            place.name
        );
        assert!(error.to_string().contains("lead or worker") && !error.is_transient());
        assert!(store.role("h", "ada").is_err());
    });
}
