//! Patterns and documents in the store, on both backends: facts count once, seats and versions have one owner each.

use crate::common::{TestStore, on_each};
use sprag_store::{IdentityDraft, IdentityOutcome, Join, Op, OpKind, Opening, Store};
use std::collections::BTreeSet;
use std::time::Duration;

const T0: i64 = 1_794_768_642_000_000;

fn join(run: &str, member: &str, session: &str) -> Join {
    Join {
        project: "shop".into(),
        run: run.into(),
        kind: "jury".into(),
        total: 3,
        settings: "{}".into(),
        member: member.into(),
        session: session.into(),
        ..Join::default()
    }
}

fn apply(store: &mut Store, at: i64, kind: OpKind) {
    store.apply(&Op::new(at, kind)).unwrap();
}

fn done(who: &Join, vote: &str, output: &str) -> OpKind {
    let (vote, output) = (vote.to_owned(), output.to_owned());
    OpKind::PatternDone { join: who.clone(), state: "done".into(), vote, output, topic: "output".into() }
}

fn patient(place: &TestStore) -> Store {
    let wait = Duration::from_secs(60);
    Store::open(&place.target, Opening { wait, connect: wait, ..Opening::WORKER }).unwrap()
}

/// Runs the same in many threads, each with its own connection, all at once.
fn at_once(place: &TestStore, threads: usize, work: impl Fn(usize, &mut Store) + Sync) {
    drop(place.open());
    let gate = std::sync::Barrier::new(threads);
    std::thread::scope(|scope| {
        for number in 0..threads {
            let (work, gate) = (&work, &gate);
            scope.spawn(move || {
                let mut store = patient(place);
                gate.wait();
                work(number, &mut store);
            });
        }
    });
}

#[test]
fn seats_are_taken_once_and_there_are_no_more_than_the_run_has() {
    on_each(|place| {
        at_once(place, 12, |number, store| {
            apply(store, T0, OpKind::PatternJoin(join("j", &format!("agent-{number}"), "s")));
        });
        let view = place.open().pattern("shop", "j").unwrap().unwrap();
        let seats: Vec<i64> = view.members.iter().map(|member| member.seat).collect();
        assert_eq!(seats, [0, 1, 2], "{}", place.name);
        assert_eq!((view.run.kind.as_str(), view.run.total), ("jury", 3));
    });
}

#[test]
fn the_last_of_many_that_end_at_once_is_seen_by_all_that_look() {
    on_each(|place| {
        let who = |number: usize| Join { total: 0, ..join("j", &format!("agent-{number}"), "s") };
        at_once(place, 10, |number, store| {
            apply(store, T0, OpKind::PatternJoin(who(number)));
            apply(store, T0 + 1, done(&who(number), "approve", &format!("output {number}")));
        });
        let view = place.open().pattern("shop", "j").unwrap().unwrap();
        assert!(view.members.iter().all(|member| member.state == "done" && member.vote == "approve"));
        assert_eq!(view.members.len(), 10, "{}", place.name);
        let order: Vec<i64> = view.posts.iter().map(|post| post.seq).collect();
        assert_eq!(order, (1..=10).collect::<Vec<i64>>(), "each has its own place");
        let texts: BTreeSet<&str> = view.posts.iter().map(|post| post.text.as_str()).collect();
        assert_eq!(texts.len(), 10);
        let mut told = 0;
        for _ in 0..3 {
            told += i32::from(place.open().pattern_told("shop", "j", T0 + 2).unwrap());
        }
        assert_eq!(told, 1, "one tells it");
    });
}

#[test]
fn what_is_sent_twice_or_is_empty_changes_nothing_that_is_there() {
    on_each(|place| {
        let mut store = place.open();
        let who = join("j", "a", "s");
        apply(&mut store, T0, OpKind::PatternJoin(who.clone()));
        let first = Op::new(T0 + 1, done(&who, "approve", "the text"));
        store.apply(&first).unwrap();
        store.apply(&first).unwrap();
        apply(&mut store, T0 + 2, done(&who, "", ""));
        apply(&mut store, T0 + 3, OpKind::PatternJoin(who.clone()));
        apply(&mut store, T0 + 4, OpKind::PatternGone { session: "s".into() });
        let view = store.pattern("shop", "j").unwrap().unwrap();
        assert_eq!((view.members.len(), view.posts.len()), (1, 1), "{}", place.name);
        let member = &view.members[0];
        let kept = (member.state.as_str(), member.vote.as_str(), member.output.as_str());
        assert_eq!(kept, ("done", "approve", "the text"));
    });
}

#[test]
fn a_session_that_goes_leaves_failed_members_and_a_stopped_run_takes_nobody() {
    on_each(|place| {
        let mut store = place.open();
        apply(&mut store, T0, OpKind::PatternJoin(join("j", "a", "s")));
        apply(&mut store, T0 + 1, OpKind::PatternGone { session: "s".into() });
        assert_eq!(store.pattern("shop", "j").unwrap().unwrap().members[0].state, "failed");
        assert!(store.stop_pattern("shop", "j", T0 + 2).unwrap());
        assert!(!store.stop_pattern("shop", "j", T0 + 2).unwrap());
        apply(&mut store, T0 + 3, OpKind::PatternJoin(join("j", "b", "s")));
        assert_eq!(store.pattern("shop", "j").unwrap().unwrap().members.len(), 1, "{}", place.name);
    });
}

#[test]
fn a_name_that_is_used_again_starts_again() {
    on_each(|place| {
        let mut store = place.open();
        let again = |session: &str| Join { reopen: true, seat: Some(0), ..join("j", "juror-0", session) };
        apply(&mut store, T0, OpKind::PatternJoin(again("one")));
        apply(&mut store, T0 + 1, done(&again("one"), "approve", "old"));
        store.pattern_told("shop", "j", T0 + 2).unwrap();
        apply(&mut store, T0 + 3, OpKind::PatternJoin(again("one")));
        assert!(store.pattern("shop", "j").unwrap().unwrap().run.told, "the same session goes on as it was");
        apply(&mut store, T0 + 4, OpKind::PatternJoin(again("two")));
        let view = store.pattern("shop", "j").unwrap().unwrap();
        assert!(!view.run.told && view.posts.is_empty(), "{}", place.name);
        assert_eq!((view.members[0].state.as_str(), view.members[0].output.as_str()), ("running", ""));
    });
}

fn draft(seen: i64, text: &str) -> IdentityDraft {
    IdentityDraft {
        agent: "reviewer".into(),
        doc: "SOUL.md".into(),
        seen,
        hash: format!("hash of {text}"),
        text: text.into(),
        source: "self_edit".into(),
        ..IdentityDraft::default()
    }
}

#[test]
fn a_version_counts_only_on_top_of_the_one_that_was_seen() {
    on_each(|place| {
        let mut store = place.open();
        assert_eq!(
            store.add_identity(&draft(0, "one"), T0).unwrap(),
            IdentityOutcome::Added(1),
            "{}",
            place.name
        );
        assert_eq!(store.add_identity(&draft(1, "one"), T0 + 1).unwrap(), IdentityOutcome::Same(1));
        assert_eq!(store.add_identity(&draft(1, "two"), T0 + 2).unwrap(), IdentityOutcome::Added(2));
        let IdentityOutcome::Conflict(last) = store.add_identity(&draft(1, "three"), T0 + 3).unwrap() else {
            panic!()
        };
        assert_eq!((last.version, last.text.as_str()), (2, "two"));
        let log: Vec<i64> =
            store.identity_log("reviewer", "", 10).unwrap().iter().map(|v| v.version).collect();
        assert_eq!(log, [2, 1]);
        assert_eq!(store.identity_version("reviewer", "SOUL.md", 1).unwrap().unwrap().text, "one");
        assert_eq!(store.identities("reviewer").unwrap()[0].version, 2);
        assert_eq!(store.identity_agents().unwrap(), ["reviewer"]);
        assert_eq!(store.identity("reviewer", "TOOLS.md").unwrap(), None);
    });
}

#[test]
fn of_writers_that_saw_the_same_version_one_wins() {
    on_each(|place| {
        let won = std::sync::atomic::AtomicUsize::new(0);
        at_once(place, 12, |number, store| {
            if let IdentityOutcome::Added(1) =
                store.add_identity(&draft(0, &format!("text {number}")), T0).unwrap()
            {
                won.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            }
        });
        assert_eq!(won.into_inner(), 1, "{}", place.name);
        assert_eq!(place.open().identity_log("reviewer", "SOUL.md", 99).unwrap().len(), 1);
    });
}

#[test]
fn old_runs_are_pruned_with_what_belongs_to_them_and_documents_stay() {
    on_each(|place| {
        let mut store = place.open();
        apply(&mut store, T0, OpKind::PatternJoin(join("old", "a", "s")));
        apply(&mut store, T0, done(&join("old", "a", "s"), "", "text"));
        apply(&mut store, T0 + 1_000, OpKind::PatternJoin(join("new", "a", "s")));
        store.add_identity(&draft(0, "one"), T0).unwrap();
        let gone = store.prune(T0 + 500, T0 + 1_000).unwrap();
        let of = |name: &str| gone.iter().find(|(table, _)| *table == name).unwrap().1;
        assert_eq!((of("pattern_runs"), of("pattern_members"), of("pattern_posts")), (1, 1, 1));
        assert!(
            store.pattern("shop", "new").unwrap().is_some()
                && store.pattern("shop", "old").unwrap().is_none()
        );
        assert!(store.identity("reviewer", "SOUL.md").unwrap().is_some());
    });
}
