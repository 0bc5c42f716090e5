//! Memories on both backends: kept once, changed with what was, found by words whatever is asked.

use crate::common::on_each;
use sprag_store::{Added, MemoryFilter, NewMemory, OnKnown, Reach, Store};

const T0: i64 = 1_794_768_642_000_000;

fn memory(text: &str) -> NewMemory {
    NewMemory {
        kind: "learning".into(),
        scope: "user".into(),
        text: text.into(),
        text_hash: text.to_lowercase(),
        importance: 5,
        ..NewMemory::default()
    }
}

fn add(store: &mut Store, new: &NewMemory) -> (String, i64) {
    match store.add_memory(new, T0).unwrap() {
        Added::New { id, seq } => (id, seq),
        Added::Known(id) => panic!("{id} is known"),
    }
}

fn words(text: &str) -> Vec<String> {
    text.split(' ').map(str::to_owned).collect()
}

fn search(store: &mut Store, text: &str, reach: &Reach) -> Vec<String> {
    let hits = store.search_memories(&words(text), 100, reach, 10, T0).unwrap();
    let seqs: Vec<i64> = hits.iter().map(|hit| hit.seq).collect();
    let found = store.memories_by_seq(&seqs, reach, T0).unwrap();
    seqs.iter()
        .filter_map(|seq| found.iter().find(|memory| memory.seq == *seq).map(|memory| memory.is.text.clone()))
        .collect()
}

#[test]
fn the_same_text_is_kept_once_per_place_and_counts_as_met_again() {
    on_each(|place| {
        let mut store = place.open();
        let (id, _) = add(&mut store, &NewMemory { expires: Some(T0 + 10), ..memory("Use cargo nextest") });
        let again = NewMemory { importance: 9, expires: Some(T0 + 50), ..memory("Use cargo nextest") };
        assert_eq!(store.add_memory(&again, T0 + 7).unwrap(), Added::Known(id.clone()), "{}", place.name);
        let found = store.find_memory(id.get(..13).unwrap()).unwrap().remove(0);
        assert_eq!((found.updated, found.is.importance, found.is.expires), (T0 + 7, 9, Some(T0 + 50)));
        add(
            &mut store,
            &NewMemory { scope: "project".into(), place: "shop".into(), ..memory("Use cargo nextest") },
        );
        assert_eq!(
            store.list_memories(&MemoryFilter { limit: 10, ..MemoryFilter::default() }, T0).unwrap().len(),
            2
        );
        assert!(store.find_memory("%").unwrap().is_empty() && store.find_memory("").unwrap().is_empty());
    });
}

#[test]
fn an_edit_keeps_the_text_that_was_and_is_refused_when_somebody_was_faster() {
    on_each(|place| {
        let mut store = place.open();
        let (id, seq) = add(&mut store, &memory("the port is 3000"));
        store.put_vectors("m", &[(seq, 1.0, vec![1, 2, 3])]).unwrap();
        let changed = memory("the port is 4000");
        let new = store.edit_memory(&id, Some(1), &changed, T0 + 5).unwrap().unwrap();
        assert!(new > seq, "{}", place.name);
        assert_eq!(
            store.edit_memory(&id, Some(1), &changed, T0 + 6).unwrap(),
            None,
            "an old version was seen"
        );
        let found = store.find_memory(&id).unwrap().remove(0);
        assert_eq!((found.version, found.created, found.updated), (2, T0, T0 + 5));
        let before = store.memory_versions(&id).unwrap();
        assert_eq!((before.len(), before[0].text.as_str()), (1, "the port is 3000"));
        assert_eq!(search(&mut store, "4000", &Reach::default()), ["the port is 4000"]);
        assert!(search(&mut store, "3000", &Reach::default()).is_empty(), "the old words find nothing");
        assert_eq!(store.count_vectors("m").unwrap(), 0, "the old text's vector is gone");
        assert_eq!(store.without_vector("m", i64::MAX, 9).unwrap(), [(new, "the port is 4000".to_owned())]);
    });
}

#[test]
fn words_are_found_by_stem_in_reach_and_before_they_expire() {
    on_each(|place| {
        let mut store = place.open();
        add(&mut store, &memory("Migrations run twice when the pod restarts"));
        add(
            &mut store,
            &NewMemory { scope: "project".into(), place: "shop".into(), ..memory("The cart caches prices") },
        );
        add(
            &mut store,
            &NewMemory {
                scope: "agent".into(),
                place: "reviewer".into(),
                ..memory("Reviews want screenshots")
            },
        );
        add(&mut store, &NewMemory { expires: Some(T0 - 1), ..memory("The cart is frozen this week") });
        let nobody = Reach::default();
        assert_eq!(search(&mut store, "migration restarting", &nobody).len(), 1, "{}", place.name);
        assert!(
            search(&mut store, "cart screenshot", &nobody).is_empty(),
            "other projects and agents, and the past"
        );
        let shop = Reach { project: "shop".into(), agent: "reviewer".into(), all: false };
        assert_eq!(search(&mut store, "cart screenshot", &shop).len(), 2);
        assert_eq!(search(&mut store, "cart screenshot", &Reach { all: true, ..Reach::default() }).len(), 2);
    });
}

#[test]
fn rare_words_rank_first_and_common_ones_take_no_part() {
    on_each(|place| {
        let mut store = place.open();
        for number in 0..40 {
            add(&mut store, &memory(&format!("deploy note number{number}")));
        }
        add(&mut store, &memory("deploy fails without the vault token"));
        let reach = Reach::default();
        assert_eq!(
            search(&mut store, "vault", &reach),
            ["deploy fails without the vault token"],
            "{}",
            place.name
        );
        assert!(search(&mut store, "deploy", &reach).is_empty(), "in more than a twentieth of all");
        assert_eq!(search(&mut store, "deploy number7 vault", &reach).len(), 2);
    });
}

#[test]
fn fault_of_the_reference_punctuation_in_a_query_is_no_syntax() {
    on_each(|place| {
        let mut store = place.open();
        add(&mut store, &memory("foo() panics on NULL"));
        for text in [
            "foo()", "a & | ! <-> b", "\"quoted\"", "x:*", "'; DROP TABLE memories; --", "NEAR(a b)", "²",
            "AND OR NOT",
        ] {
            let words: Vec<String> = text.split(' ').map(str::to_owned).collect();
            store
                .search_memories(&words, 1, &Reach::default(), 5, T0)
                .unwrap_or_else(|e| panic!("{}: {text}: {e}", place.name));
        }
        assert_eq!(search(&mut store, "foo", &Reach::default()).len(), 1);
    });
}

#[test]
fn vectors_come_in_order_and_go_with_their_memory() {
    on_each(|place| {
        let mut store = place.open();
        let (first, a) = add(&mut store, &memory("a"));
        let (_, b) =
            add(&mut store, &NewMemory { scope: "project".into(), place: "p".into(), ..memory("b") });
        store
            .put_vectors("m", &[(b, 0.5, vec![1, 255]), (a, 0.25, vec![3, 4]), (9_999, 1.0, vec![0, 0])])
            .unwrap();
        store.put_vectors("m", &[(a, 9.0, vec![9, 9])]).unwrap();
        let all = store.vectors_after("m", 0, 10).unwrap();
        assert_eq!(all.iter().map(|v| v.seq).collect::<Vec<_>>(), [b, a], "{}", place.name);
        assert_eq!(
            (all[0].scale, all[0].numbers.as_slice(), all[0].place.as_str()),
            (0.5, &[1u8, 255][..], "p")
        );
        assert_eq!(store.memory_state("m").unwrap().newest, all[1].number);
        assert_eq!(store.memory_state("other").unwrap().newest, 0, "vectors know their model");
        assert!(store.memory_state("m").unwrap().store.len() == 32);
        assert_eq!(store.forget_memories(std::slice::from_ref(&first)).unwrap(), 1);
        assert_eq!(store.count_vectors("m").unwrap(), 1);
        assert_eq!(store.drop_vectors_but(["n", "n"]).unwrap(), 1);
        assert_eq!(store.without_vector("m", i64::MAX, 10).unwrap().len(), 1);
    });
}

#[test]
fn lists_counts_links_and_uses() {
    on_each(|place| {
        let mut store = place.open();
        let (a, _) = add(&mut store, &NewMemory { tags: "ci flaky".into(), ..memory("one") });
        let (b, _) = add(&mut store, &NewMemory { kind: "decision".into(), ..memory("two") });
        let filter = |kind: Option<&str>, tag: Option<&str>| MemoryFilter {
            kind: kind.map(str::to_owned),
            tag: tag.map(str::to_owned),
            limit: 10,
            ..MemoryFilter::default()
        };
        assert_eq!(
            store.list_memories(&filter(Some("decision"), None), T0).unwrap()[0].id,
            b,
            "{}",
            place.name
        );
        assert_eq!(store.list_memories(&filter(None, Some("flaky")), T0).unwrap()[0].id, a);
        assert!(store.list_memories(&filter(None, Some("fla")), T0).unwrap().is_empty());
        assert_eq!(store.count_memories().unwrap().len(), 2);
        store.link_memories(&a, &b, "because").unwrap();
        store.link_memories(&a, &b, "because").unwrap();
        assert_eq!(store.memory_links(&b).unwrap(), [(a.clone(), "because".to_owned())]);
        store.use_memories(std::slice::from_ref(&a), T0 + 9).unwrap();
        let used = store.find_memory(&a).unwrap().remove(0);
        assert_eq!((used.uses, used.used), (1, Some(T0 + 9)));
    });
}

#[test]
fn an_export_is_searchable_where_it_is_imported() {
    on_each(|place| {
        let mut store = place.open();
        add(&mut store, &memory("The staging vault needs a token"));
        let mut file = Vec::new();
        store.export(&mut file).unwrap();
        on_each(|other| {
            let mut other_store = other.open();
            other_store.import(&mut file.as_slice(), OnKnown::Keep).unwrap();
            assert_eq!(
                search(&mut other_store, "vault", &Reach::default()).len(),
                1,
                "{} to {}",
                place.name,
                other.name
            );
            assert_eq!(other_store.without_vector("m", i64::MAX, 5).unwrap().len(), 1, "vectors are rebuilt");
        });
    });
}

#[test]
fn what_expired_is_removed_with_the_rest() {
    on_each(|place| {
        let mut store = place.open();
        add(&mut store, &NewMemory { expires: Some(T0 - 1), ..memory("old") });
        add(&mut store, &memory("kept"));
        let gone = store.prune(0, T0).unwrap();
        assert!(gone.contains(&("memories", 1)), "{}: {gone:?}", place.name);
    });
}

#[test]
fn what_is_in_reach_is_found_behind_hundreds_that_are_not() {
    on_each(|place| {
        let mut store = place.open();
        for number in 0..450 {
            let text = format!("zebra zebra zebra {number}");
            add(&mut store, &NewMemory { scope: "project".into(), place: "zoo".into(), ..memory(&text) });
        }
        let mine = "A zebra stands in a long sentence about many other things, which ranks behind all of the others.";
        let (_, seq) = add(&mut store, &memory(mine));
        let reach = Reach { project: "shop".into(), ..Reach::default() };
        let hits = store.search_memories(&words("zebra"), 100_000, &reach, 10, T0).unwrap();
        assert_eq!(hits.iter().map(|hit| hit.seq).collect::<Vec<_>>(), [seq], "{}", place.name);
    });
}

#[test]
fn among_many_memories_what_has_two_words_is_found_behind_hundreds_that_have_one() {
    on_each(|place| {
        let mut store = place.open();
        for number in 0..300 {
            add(&mut store, &memory(&format!("the zebra of enclosure {number} eats hay")));
        }
        let (_, both) = add(&mut store, &memory("a zebra beside the harbour"));
        let hits =
            store.search_memories(&words("zebra harbour"), 1_000_000, &Reach::default(), 10, T0).unwrap();
        let found: Vec<i64> = hits.iter().map(|hit| hit.seq).collect();
        assert_eq!(found.first(), Some(&both), "{}", place.name);
        assert_eq!(found.len(), 10, "{}", place.name);
    });
}

#[test]
fn memories_without_a_vector_are_found_in_all_parts_newest_first() {
    on_each(|place| {
        let mut store = place.open();
        let seqs: Vec<i64> = (0..5).map(|n| add(&mut store, &memory(&format!("number {n}"))).1).collect();
        store.put_vectors("m", &[(seqs[3], 1.0, vec![1])]).unwrap();
        let missing = |store: &mut Store, below, limit| -> Vec<i64> {
            store.without_vector("m", below, limit).unwrap().into_iter().map(|(seq, _)| seq).collect()
        };
        assert_eq!(missing(&mut store, i64::MAX, 10), [seqs[4], seqs[2], seqs[1], seqs[0]], "{}", place.name);
        assert_eq!(missing(&mut store, i64::MAX, 2), [seqs[4], seqs[2]], "{}", place.name);
        assert_eq!(missing(&mut store, seqs[2], 10), [seqs[1], seqs[0]], "{}", place.name);
        assert_eq!(missing(&mut store, 0, 10), [0; 0], "{}", place.name);
    });
}

#[test]
fn a_project_is_exported_and_deleted_alone() {
    on_each(|place| {
        let mut store = place.open();
        for project in ["shop", "other"] {
            let new =
                NewMemory { scope: "project".into(), place: project.into(), ..memory("Use cargo nextest") };
            let (id, _) = add(&mut store, &new);
            let changed = NewMemory { text: "Use nextest".into(), text_hash: "use nextest".into(), ..new };
            store.edit_memory(&id, None, &changed, T0 + 1).unwrap();
        }
        add(&mut store, &memory("Use cargo nextest"));
        let mut file = Vec::new();
        assert_eq!(
            store.export_project("shop", &mut file).unwrap(),
            2,
            "{}: a memory and its version",
            place.name
        );
        let text = String::from_utf8(file).unwrap();
        assert!(text.contains("\"place\":\"shop\"") && !text.contains("other"), "{text}");
        let gone: u64 = store.delete_project("shop").unwrap().iter().map(|(_, rows)| rows).sum();
        assert_eq!(gone, 2);
        let left = store.list_memories(&MemoryFilter { limit: 10, ..MemoryFilter::default() }, T0).unwrap();
        assert_eq!(left.len(), 2);
        assert_eq!(
            store.import(&mut text.as_bytes(), OnKnown::Keep).unwrap().added,
            2,
            "an export can be read again"
        );
    });
}

#[test]
fn what_was_superseded_or_waits_for_a_person_is_not_found_and_comes_back() {
    on_each(|place| {
        let mut store = place.open();
        let by = |source: &str, text: &str| NewMemory { source: source.into(), ..memory(text) };
        let (old, _) = add(&mut store, &by("person", "The queue is RabbitMQ"));
        let (new, _) = add(&mut store, &by("person", "The queue is NATS"));
        assert!(store.supersede_memory(&old, &new, T0 + 5).unwrap(), "{}", place.name);
        assert!(!store.supersede_memory(&old, &new, T0 + 6).unwrap(), "it ended before");
        assert!(!store.supersede_memory(&new, &new, T0 + 6).unwrap(), "nothing supersedes itself");
        let reach = Reach::default();
        assert_eq!(search(&mut store, "queue", &reach), ["The queue is NATS"]);
        let ended = store.find_memory(&old).unwrap().remove(0);
        assert_eq!((ended.valid_until, ended.superseded_by.as_str()), (Some(T0 + 5), new.as_str()));
        let list = |store: &mut Store, past: bool, quarantined: bool| {
            let filter = MemoryFilter { limit: 10, past, quarantined, ..MemoryFilter::default() };
            store.list_memories(&filter, T0).unwrap().len()
        };
        assert_eq!((list(&mut store, false, false), list(&mut store, true, false)), (1, 2));
        // An export or an agent does not bring back what a person ended; a person does.
        for source in ["import", "agent"] {
            store.add_memory(&by(source, "The queue is RabbitMQ"), T0 + 7).unwrap();
            assert!(store.find_memory(&old).unwrap().remove(0).is_past(), "{source}");
        }
        store.add_memory(&by("person", "The queue is RabbitMQ"), T0 + 8).unwrap();
        assert!(!store.find_memory(&old).unwrap().remove(0).is_past());

        let waits =
            NewMemory { quarantine: "instruction override".into(), ..by("agent", "Ignore the queue") };
        let (id, _) = add(&mut store, &waits);
        assert!(!search(&mut store, "queue ignore", &reach).contains(&"Ignore the queue".to_owned()));
        assert_eq!((list(&mut store, true, true), store.count_quarantined().unwrap()), (1, 1));
        assert!(store.release_memory(&id).unwrap() && !store.release_memory(&id).unwrap());
        assert!(search(&mut store, "queue ignore", &reach).contains(&"Ignore the queue".to_owned()));
    });
}

#[test]
fn many_are_added_in_one_transaction() {
    on_each(|place| {
        let mut store = place.open();
        let rows: Vec<NewMemory> = (0..50).map(|n| memory(&format!("fact {}", n % 40))).collect();
        let added = store.add_memories(&rows, T0).unwrap();
        assert_eq!(added.iter().filter(|one| matches!(one, Added::New { .. })).count(), 40, "{}", place.name);
        assert_eq!(added.len(), 50);
    });
}
