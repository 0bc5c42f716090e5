//! Lessons on both backends.

use crate::common::on_each;
use sprag_store::{Fire, LessonRow, Sighting, Sightings};

fn row(id: &str, slug: &str, priority: i64, updated: i64) -> LessonRow {
    LessonRow {
        id: id.into(),
        slug: slug.into(),
        status: "active".into(),
        kind: "hint".into(),
        priority,
        confidence: 800,
        hash: format!("sha256:{id}"),
        data: "{}".into(),
        created: 1,
        updated,
    }
}

#[test]
fn lessons_are_kept_found_and_replaced_by_newer_ones_only() {
    on_each(|place| {
        let mut store = place.open();
        store.put_lessons(&[row("a", "one", 5, 10), row("b", "two", 9, 10)]).unwrap();
        let slugs: Vec<String> = store.lessons().unwrap().into_iter().map(|row| row.slug).collect();
        assert_eq!(slugs, ["two", "one"], "{}", place.name);
        let before = store.lessons_stamp().unwrap();
        store.put_lessons(&[row("a", "one-b", 5, 20)]).unwrap();
        assert_ne!(store.lessons_stamp().unwrap(), before);
        store.put_lessons(&[row("a", "late", 5, 15)]).unwrap();
        assert_eq!(store.lesson("one-b").unwrap().unwrap().id, "a");
        assert_eq!(store.lesson("a").unwrap().unwrap().slug, "one-b", "what is older changes nothing");
        assert!(store.lesson("nobody").unwrap().is_none());
        // One slug for two lessons: all or nothing.
        assert!(store.put_lessons(&[row("c", "three", 1, 30), row("d", "one-b", 1, 30)]).is_err());
        assert!(store.lesson("three").unwrap().is_none());
    });
}

#[test]
fn a_place_counts_once_and_a_batch_counts_once() {
    on_each(|place| {
        let mut store = place.open();
        let seen = |session: &str, at_place: &str, project: &str| Sighting {
            lesson: "a".into(),
            session: session.into(),
            place: at_place.into(),
            project: project.into(),
            at: 5,
        };
        let three = [seen("s1", "m1", "p"), seen("s1", "m2", "p"), seen("s2", "m1", "q")];
        assert_eq!(store.see_lessons(&three).unwrap(), 3, "{}", place.name);
        assert_eq!(store.see_lessons(&three).unwrap(), 0, "a second scan counts nothing twice");
        let want = Sightings { occurrences: 3, sessions: 2, projects: 2 };
        assert_eq!(store.sightings().unwrap()["a"], want);

        let fire = |session: &str, shown: i64, denied: i64, ignored: i64| Fire {
            lesson: "a".into(),
            session: session.into(),
            shown,
            denied,
            ignored,
            last: 7,
        };
        let batch = [fire("s1", 1, 0, 0), fire("s2", 0, 1, 0)];
        assert!(store.add_fires("fires-1", 9, &batch).unwrap());
        assert!(!store.add_fires("fires-1", 9, &batch).unwrap());
        store
            .add_fires("fires-2", 9, &[fire("s2", 0, 1, 0), fire("s3", 1, 0, 0), fire("s3", 0, 0, 1)])
            .unwrap();
        let all = store.fires().unwrap()["a"];
        assert_eq!((all.shown, all.denied, all.helped, all.ignored, all.last), (2, 2, 1, 2, 7));
        assert!(store.fired_in("a", "s1").unwrap() && !store.fired_in("a", "s9").unwrap());
        store.note_review(3, "promote", "a", "by hand").unwrap();
        assert_eq!(store.reviews("a").unwrap(), [(3, "promote".to_owned(), "by hand".to_owned())]);
    });
}
