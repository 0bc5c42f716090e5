use super::*;
use sprag_base::env::Env;
use sprag_runtime::journal::Run;

fn paths(dir: &Path) -> Paths {
    Paths::from_env(&Env::Fixed([("HOME".to_owned(), dir.display().to_string())].into()))
}

fn entry(number: u64) -> Entry {
    let run = Run { hook: "command-guard".into(), verdict: "pass".into(), us: 300, ..Run::default() };
    let at = sprag_base::time::Stamp(1_790_000_000_000_000 + number * 1_000_000);
    Entry {
        t: at.to_string(),
        agent: "claude".into(),
        session: format!("s{}", number % 7),
        event: "PreToolUse".into(),
        tool: Some("Bash".into()),
        verdict: if number.is_multiple_of(10) { "deny" } else { "pass" }.into(),
        us: number,
        runs: vec![run],
        ..Entry::default()
    }
}

fn all(index: &Index) -> Vec<u32> {
    let known = index.look();
    let mut found: Vec<u32> = known.newest().map(|record| record.us).collect();
    found.reverse();
    found
}

#[test]
fn what_is_appended_rotated_and_removed_is_followed() {
    let dir = tempfile::tempdir().unwrap();
    let paths = paths(dir.path());
    let index = Index::new(paths.clone());
    assert_eq!(index.look().count(), 0);
    let mut written = 0_u64;
    let mut write = |count: u64, max: u64, keep: u32| {
        for _ in 0..count {
            journal::write(&paths, &entry(written), max, keep).unwrap();
            written += 1;
        }
    };
    write(5, 0, 9);
    assert_eq!(all(&index), (0..5).collect::<Vec<_>>());
    write(100, 4_000, 100);
    assert_eq!(all(&index), (0..105).collect::<Vec<_>>(), "renamed files are known again");
    write(20, 4_000, 2);
    let kept = all(&index);
    assert_eq!(kept.last(), Some(&124));
    assert!(kept.len() < 100 && kept.windows(2).all(|two| two[1] == two[0] + 1), "{kept:?}");
    journal::remove(&paths, |entry| entry.us % 2 == 1).unwrap();
    assert!(all(&index).iter().all(|number| number % 2 == 0));
}

#[test]
fn half_a_line_is_read_when_it_is_whole() {
    let dir = tempfile::tempdir().unwrap();
    let paths = paths(dir.path());
    let index = Index::new(paths.clone());
    journal::write(&paths, &entry(0), 0, 1).unwrap();
    let line = serde_json::to_string(&entry(1)).unwrap();
    let (begin, end) = line.split_at(40);
    files::append(&paths.journal(), begin.as_bytes()).unwrap();
    assert_eq!(all(&index), [0]);
    files::append(&paths.journal(), format!("{end}\n").as_bytes()).unwrap();
    assert_eq!(all(&index), [0, 1]);
    assert_eq!(index.look().broken(), 0);
}

#[test]
fn filters_pick_and_an_id_finds_its_line_again() {
    let dir = tempfile::tempdir().unwrap();
    let paths = paths(dir.path());
    (0..50).for_each(|number| journal::write(&paths, &entry(number), 0, 1).unwrap());
    let index = Index::new(paths);
    let known = index.look();
    let pick = |filter: Filter| known.list(&filter, 100).iter().map(|found| found.us).collect::<Vec<_>>();
    assert_eq!(pick(Filter { verdict: Some(Verdict::Deny), ..Filter::default() }), [40, 30, 20, 10, 0]);
    assert_eq!(pick(Filter { session: "s1".into(), ..Filter::default() }), [43, 36, 29, 22, 15, 8, 1]);
    assert_eq!(pick(Filter { hook: "command-guard".into(), ..Filter::default() }).len(), 50);
    assert!(pick(Filter { hook: "command".into(), ..Filter::default() }).is_empty());
    assert!(pick(Filter { tool: "Edit".into(), ..Filter::default() }).is_empty());
    let listed = known.list(&Filter::default(), 100);
    let (last, tenth) = (&listed[0], &listed[39]);
    assert_eq!(pick(Filter { before: Some(tenth.at), ..Filter::default() }).first(), Some(&9));
    let id = EventId::parse(&last.id.to_string()).unwrap();
    assert_eq!(known.event(&id).unwrap().entry().unwrap(), entry(49));
    for wrong in ["", "-", "zz-1", "../x-1", "abc", "abc--1"] {
        assert!(EventId::parse(wrong).and_then(|id| known.event(&id)).is_none(), "{wrong}");
    }
}

/// A journal that is longer than what is read at once: the newest lines are there first, the rest comes piece by piece.
#[test]
fn a_long_journal_is_read_from_its_end() {
    let dir = tempfile::tempdir().unwrap();
    let paths = paths(dir.path());
    let long = "x".repeat(2_000);
    let mut lines = String::new();
    let mut number = 0;
    while (lines.len() as u64) < PIECE * 2 + PIECE / 2 {
        let entry = Entry { about: Some(long.clone()), ..entry(number) };
        lines.push_str(&serde_json::to_string(&entry).unwrap());
        lines.push('\n');
        number += 1;
    }
    files::append(&paths.journal(), lines.as_bytes()).unwrap();
    let index = Index::new(paths.clone());
    assert_eq!(index.look().count(), 0, "too much to be read while somebody waits");
    assert!(index.read_older());
    let first = all(&index);
    assert!(!first.is_empty() && first.len() < number as usize / 2);
    assert_eq!(first.last(), Some(&(number as u32 - 1)));
    assert!(index.look().percent() < 100);
    journal::write(&paths, &entry(number), 0, 1).unwrap();
    assert_eq!(all(&index).last(), Some(&(number as u32)), "what comes meanwhile is not left out");
    while index.read_older() {}
    assert_eq!(all(&index), (0..=number as u32).collect::<Vec<_>>());
    let known = index.look();
    assert_eq!((known.percent(), known.broken()), (100, 0));
    let listed =
        known.list(&Filter { before: Some(known.newest().nth(5_000).unwrap().at), ..Filter::default() }, 1);
    assert_eq!(u64::from(listed[0].us), listed[0].entry().unwrap().us);
}
