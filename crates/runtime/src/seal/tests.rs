use super::*;
use crate::journal::{Entry, write};
use sprag_base::env::Env;

struct World {
    _dir: tempfile::TempDir,
    paths: Paths,
    head: PathBuf,
}

const KEEP: u32 = 5;

fn world() -> World {
    let dir = tempfile::tempdir().unwrap();
    let paths = Paths::from_env(&Env::Fixed([("HOME".to_owned(), dir.path().display().to_string())].into()));
    World { paths, head: dir.path().join("elsewhere/head"), _dir: dir }
}

impl World {
    fn log(&self, from: u64, to: u64, max_bytes: u64) {
        for us in from..to {
            let entry = Entry { us, t: format!("2026-01-01T00:00:{us:06}Z"), ..Entry::default() };
            write(&self.paths, &entry, max_bytes, KEEP).unwrap();
        }
    }

    /// Seals; each run is later than the one before.
    fn seal(&self, hour: u64) {
        let now = Stamp(1_800_000_000_000_000 + hour * 3_600_000_000);
        run(&self.paths, KEEP, Some(&self.head), now).unwrap();
    }

    fn verify(&self) -> Verified {
        verify(&self.paths, Some(&self.head)).unwrap()
    }

    fn edit(&self, path: &Path, change: impl Fn(String) -> String) {
        let text = files::read_text(path, files::STATE).unwrap();
        files::write_atomic(path, change(text).as_bytes()).unwrap();
    }
}

#[test]
fn an_untouched_journal_is_whole() {
    let world = world();
    world.log(0, 40, 1_000);
    world.seal(1);
    world.log(40, 50, 1_000_000);
    let found = world.verify();
    assert_eq!(found.faults, []);
    assert!(found.sealed >= 40 && found.unsealed == 10 && found.heads == 1, "{found:?}");
}

#[test]
fn a_changed_line_of_a_closed_file_is_found() {
    let world = world();
    world.log(0, 20, 1_000);
    world.seal(1);
    let closed = journal::all_files(&world.paths).remove(0);
    world.edit(&closed, |text| text.replace("\"us\":2}", "\"us\":9}"));
    let found = world.verify();
    let [Fault::Changed { path, from: 1, .. }] = found.faults.as_slice() else { panic!("{found:?}") };
    assert_eq!(*path, closed);
}

#[test]
fn a_line_removed_from_the_journal_in_use_is_found_and_narrowed_down() {
    let world = world();
    world.log(0, 10, 0);
    world.seal(1);
    world.log(10, 30, 0);
    world.seal(2);
    world.edit(&world.paths.journal(), |text| {
        text.lines().enumerate().filter(|(at, _)| *at != 20).map(|(_, line)| format!("{line}\n")).collect()
    });
    let found = world.verify();
    assert!(matches!(found.faults.as_slice(), [Fault::Changed { from: 11, to: 30, .. }]), "{found:?}");
    // A later seal does not cover it up.
    world.log(30, 60, 0);
    world.seal(3);
    assert_eq!(world.verify().faults, found.faults);
}

#[test]
fn a_first_line_that_is_gone_is_found() {
    let world = world();
    world.log(0, 10, 0);
    world.seal(1);
    world.edit(&world.paths.journal(), |text| text.split_once('\n').unwrap().1.to_owned());
    let found = world.verify();
    assert!(matches!(found.faults.as_slice(), [Fault::Missing { lines: 10, .. }]), "{found:?}");
}

#[test]
fn a_removed_file_is_found_but_rotation_is_none() {
    let world = world();
    world.log(0, 16, 300);
    world.seal(1);
    let all = journal::all_files(&world.paths);
    assert!(all.len() > 2);
    files::remove(all.first().unwrap()).unwrap();
    let found = world.verify();
    assert!(matches!(found.faults.as_slice(), [Fault::Missing { .. }]), "{found:?}");

    let world = super::tests::world();
    for hour in 1..30 {
        world.log(hour * 20, hour * 20 + 20, 1_000);
        world.seal(hour);
    }
    let found = world.verify();
    assert_eq!(found.faults, []);
    assert!(found.rotated > 3, "{found:?}");
}

#[test]
fn seals_that_are_cut_or_forged_are_found() {
    let world = world();
    world.log(0, 10, 0);
    world.seal(1);
    world.log(10, 20, 0);
    world.seal(2);
    let seals = file(&world.paths);
    let whole = files::read_text(&seals, files::STATE).unwrap();
    // Both the last seal and the lines under it are gone: only the place outside knows.
    world.edit(&seals, |text| format!("{}\n", text.lines().next().unwrap()));
    world.edit(&world.paths.journal(), |text| text.lines().take(10).map(|l| format!("{l}\n")).collect());
    assert_eq!(world.verify().faults, [Fault::Head { seal: 2 }]);
    // A seal that was not made with the key.
    files::write_atomic(&seals, whole.replace("\"lines\":20", "\"lines\":10").as_bytes()).unwrap();
    assert!(world.verify().faults.contains(&Fault::Chain { seal: 2 }));
    // Nothing is left of them.
    files::remove(&seals).unwrap();
    assert_eq!(world.verify().faults, [Fault::Head { seal: 1 }, Fault::Head { seal: 2 }]);
}

#[test]
fn another_key_does_not_fit() {
    let world = world();
    world.log(0, 5, 0);
    world.seal(1);
    files::remove(key_file(&world.paths)).unwrap();
    assert_eq!(world.verify().faults, [Fault::Chain { seal: 1 }]);
}

#[test]
fn what_a_person_deleted_is_told_and_is_no_fault() {
    let world = world();
    world.log(0, 20, 1_000);
    world.seal(1);
    journal::remove(&world.paths, |entry| entry.us % 3 == 0).unwrap();
    let found = world.verify();
    assert_eq!(found.faults, []);
    assert_eq!(found.rewritten.len(), 1, "{found:?}");
    world.log(20, 30, 0);
    world.seal(9);
    assert_eq!(world.verify().faults, []);
}

#[test]
fn the_open_journal_is_not_sealed_at_every_run() {
    let world = world();
    world.log(0, 5, 0);
    world.seal(1);
    world.log(5, 9, 0);
    let now = Stamp(1_800_000_000_000_000 + 3_600_000_000).after(Duration::from_secs(30));
    run(&world.paths, KEEP, None, now).unwrap();
    assert_eq!(world.verify().seals, 1);
}
