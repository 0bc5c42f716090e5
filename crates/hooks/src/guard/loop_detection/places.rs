//! Places of a file: which lines an edit changes, and what stood there before, followed through the edits of a session.

use sprag_protocol::edits::{Change, Part};
use sprag_runtime::calls::short;
use sprag_runtime::history::COMPLAINT;

/// The most pieces that are remembered of one edit.
const MAX_PIECES: usize = 16;

/// One edit of one file, as it is remembered: hashes and line numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Edit {
    pub(super) path: String,
    /// The same edit has the same key.
    pub(super) key: String,
    /// The whole new content's hash.
    whole: Option<String>,
    pieces: Vec<Piece>,
    /// The text that it replaces is there, once; unknown is no.
    pub(super) would_work: bool,
}

/// A range of lines and what replaces it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Piece {
    /// The first line; unknown when the file could not be read or does not have the text.
    start: Option<usize>,
    gone: usize,
    came: usize,
    /// Hashes of what was there and of what comes.
    old: String,
    new: String,
    /// Everything that was there stays: the place grows.
    grows: bool,
}

fn tiny(text: &str) -> String {
    let mut hash = short(text);
    hash.truncate(10);
    hash
}

impl Edit {
    /// An edit of a file that has this text now.
    pub(super) fn of(path: &str, change: &Change<'_>, text: Option<&str>) -> Self {
        let mut edit = Self { path: tiny(path), ..Self::default() };
        let mut key = String::new();
        match change {
            Change::Whole(content) => edit.whole = Some(tiny(content)),
            Change::Parts(parts) => {
                let count = |part: &Part<'_>| match text {
                    Some(text) if !part.old.is_empty() => text.matches(part.old.as_ref()).count(),
                    _ => 0,
                };
                edit.would_work =
                    parts.iter().all(|part| matches!((count(part), part.all), (1, _) | (2.., true)));
                let mut text = text.map(str::to_owned);
                for part in parts.iter().take(MAX_PIECES) {
                    key.push_str(&format!("{}\0{}\0", part.old, part.new));
                    // Which of several places is meant, only the tool knows.
                    if part.all
                        || text.as_deref().is_none_or(|text| text.matches(part.old.as_ref()).count() < 2)
                    {
                        edit.pieces.push(Piece::of(part, text.as_deref()));
                    }
                    text = text.map(|text| text.replacen(part.old.as_ref(), &part.new, 1));
                }
            }
            Change::Delete => {}
        }
        edit.key = edit.whole.clone().unwrap_or_else(|| tiny(&key));
        edit
    }

    pub(super) fn line(&self, id: &str, agent: &str, now: u64) -> String {
        let pieces: Vec<String> = self.pieces.iter().map(Piece::text).collect();
        let pieces = if pieces.is_empty() { "-".to_owned() } else { pieces.join(",") };
        let whole = self.whole.as_deref().unwrap_or("-");
        format!("e {id} {agent} {now} {} {} {whole} {pieces}", self.path, self.key)
    }
}

impl Piece {
    fn of(part: &Part<'_>, text: Option<&str>) -> Self {
        let at = text
            .filter(|_| !part.old.is_empty())
            .and_then(|text| Some((text, text.find(part.old.as_ref())?)));
        // Whole lines of the file, so that it does not matter how much of them is quoted.
        let (mut old, mut new) = (part.old.as_ref().to_owned(), part.new.as_ref().to_owned());
        let mut start = None;
        if let Some((text, at)) = at {
            let before = text.get(..at).unwrap_or_default();
            let after = text.get(at + part.old.len()..).unwrap_or_default();
            let head = before.rsplit('\n').next().unwrap_or_default();
            let tail =
                if part.old.ends_with('\n') { "" } else { after.split('\n').next().unwrap_or_default() };
            (old, new) = (format!("{head}{old}{tail}"), format!("{head}{new}{tail}"));
            start = Some(before.matches('\n').count() + 1);
        }
        let mut gone: Vec<&str> = old.lines().map(str::trim_end).collect();
        let mut came: Vec<&str> = new.lines().map(str::trim_end).collect();
        // What stands around a change is the model's choice and says nothing.
        let same = gone.iter().zip(&came).take_while(|(gone, came)| gone == came).count();
        gone.drain(..same);
        came.drain(..same);
        while !gone.is_empty() && gone.last() == came.last() {
            gone.pop();
            came.pop();
        }
        let (mut old, mut new) = (gone.join("\n"), came.join("\n"));
        if start.is_none() {
            let (old_chars, new_chars) = core_chars(&old, &new);
            // `1` to `2` here and `2` to `1` there undo nothing: what is short needs its line around it.
            if old_chars.len() + new_chars.len() >= 8 {
                (old, new) = (old_chars.to_owned(), new_chars.to_owned());
            }
        }
        Self {
            start: start.map(|start| start + same),
            gone: gone.len(),
            came: came.len(),
            old: tiny(old.trim()),
            new: tiny(new.trim()),
            grows: grows(&gone, &came),
        }
    }

    fn text(&self) -> String {
        let start = self.start.unwrap_or(0);
        let grows = if self.grows { "+" } else { "-" };
        format!("{start}:{}:{}:{}:{}:{grows}", self.gone, self.came, self.old, self.new)
    }

    fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split(':');
        let mut number = || parts.next()?.parse::<usize>().ok();
        let (start, gone, came) = (number()?, number()?, number()?);
        let (old, new) = (parts.next()?.to_owned(), parts.next()?.to_owned());
        let start = Some(start).filter(|start| *start > 0);
        Some(Self { start, gone, came, old, new, grows: parts.next() == Some("+") })
    }
}

/// True when every line that was there comes again, in order; a comma or a semicolon behind it is no change.
fn grows(gone: &[&str], came: &[&str]) -> bool {
    let plain = |line: &str| line.trim().trim_end_matches([',', ';']).to_owned();
    let mut rest = came.iter();
    gone.iter().all(|gone| rest.any(|came| plain(came) == plain(gone)))
}

/// The characters that differ.
fn core_chars<'a>(old: &'a str, new: &'a str) -> (&'a str, &'a str) {
    let same = |a: &mut dyn Iterator<Item = char>, b: &mut dyn Iterator<Item = char>| -> usize {
        a.zip(b).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum()
    };
    let front = same(&mut old.chars(), &mut new.chars());
    let (old, new) = (old.get(front..).unwrap_or_default(), new.get(front..).unwrap_or_default());
    let back = same(&mut old.chars().rev(), &mut new.chars().rev());
    (
        old.get(..old.len().saturating_sub(back)).unwrap_or_default(),
        new.get(..new.len().saturating_sub(back)).unwrap_or_default(),
    )
}

/// The edits that an agent made of one file since the last progress, oldest first.
#[derive(Debug, Default)]
pub(super) struct Past {
    edits: Vec<PastEdit>,
    failed: Vec<String>,
    /// A check complained after the last of them.
    pub(super) complained: bool,
}

#[derive(Debug)]
struct PastEdit {
    id: String,
    key: String,
    whole: Option<String>,
    pieces: Vec<Piece>,
    happened: bool,
}

impl Past {
    /// Reads a record; edits before `since` are left out.
    pub(super) fn read(record: &str, agent: &str, path: &str, since: u64) -> Self {
        let mut past = Self::default();
        let mut results = false;
        for line in record.lines() {
            let mut parts = line.split(' ');
            match parts.next() {
                // Most lines are about other files: they are not taken apart.
                Some("e") if line.contains(path) => {
                    let fields: Vec<&str> = parts.collect();
                    let [id, who, at, file, key, whole, pieces] = fields.as_slice() else { continue };
                    if *who == agent && *file == path && at.parse().is_ok_and(|at: u64| at >= since) {
                        past.complained = false;
                        past.edits.push(PastEdit {
                            id: (*id).to_owned(),
                            key: (*key).to_owned(),
                            whole: (*whole != "-").then(|| (*whole).to_owned()),
                            pieces: pieces.split(',').filter_map(Piece::parse).collect(),
                            happened: false,
                        });
                    }
                }
                Some(mark @ ("r" | "f")) => {
                    results = true;
                    let id = parts.next().unwrap_or_default();
                    let Some(at) = past.edits.iter().rposition(|edit| edit.id == id) else { continue };
                    if mark == "f" {
                        let edit = past.edits.remove(at);
                        past.failed.push(edit.key);
                    } else if let Some(edit) = past.edits.get_mut(at) {
                        edit.happened = true;
                        past.failed.clear();
                    }
                }
                Some(COMPLAINT) => past.complained = true,
                Some("p") if parts.next() == Some(agent) => past = Self::default(),
                _ => {}
            }
        }
        // Where results are reported, an edit without one was denied or refused. Where none ever is, it happened.
        past.edits.retain(|edit| edit.happened || !results);
        past
    }

    /// How often this very edit failed since the last one of the file that did not.
    pub(super) fn failures(&self, key: &str) -> usize {
        self.failed.iter().filter(|failed| *failed == key).count()
    }
}

/// What an edit does to the edits before it.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Fine,
    /// A place is changed once more, for this many times.
    Again(String, usize),
    /// A place goes back to what it was.
    Back(Back),
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Back {
    pub(super) place: String,
    /// It did that before: A, B, A, B.
    pub(super) again: bool,
}

/// A range of lines with what stood there, oldest first.
#[derive(Clone, Debug)]
struct LineRange {
    start: Option<usize>,
    lines: usize,
    states: Vec<String>,
    changes: usize,
}

impl LineRange {
    fn covers(&self, piece: &Piece) -> bool {
        match (self.start, piece.start) {
            (Some(mine), Some(start)) if piece.gone == 0 => mine < start && start < mine + self.lines,
            (Some(mine), Some(start)) => mine < start + piece.gone && start < mine + self.lines.max(1),
            _ => self.states.last() == Some(&piece.old),
        }
    }

    fn change(&mut self, piece: &Piece) {
        if let (Some(mine), Some(start)) = (self.start, piece.start) {
            let end = (mine + self.lines).max(start + piece.gone) + piece.came;
            self.start = Some(mine.min(start));
            self.lines = end.saturating_sub(piece.gone).saturating_sub(mine.min(start));
        }
        self.changes += usize::from(!piece.grows);
        self.states.push(piece.new.clone());
    }
}

/// True when `new` is what was there before the last state; and whether that happened before.
fn back(states: &[String], new: &str) -> Option<bool> {
    match states {
        [.., a, b] if a == new && b != new => {
            let earlier = states.len().checked_sub(3).and_then(|at| states.get(at));
            Some(earlier == Some(b))
        }
        _ => None,
    }
}

/// Judges an edit by those before it. Pure.
pub(super) fn judge(past: &Past, edit: &Edit) -> Verdict {
    let mut places: Vec<LineRange> = Vec::new();
    let mut contents: Vec<String> = Vec::new();
    for past in &past.edits {
        if let Some(whole) = &past.whole {
            places.clear();
            if contents.last() != Some(whole) {
                contents.push(whole.clone());
            }
        } else if !contents.is_empty() {
            contents.push(past.key.clone());
        }
        for piece in &past.pieces {
            happen(&mut places, piece);
        }
    }
    if let Some(again) = edit.whole.as_deref().and_then(|whole| back(&contents, whole)) {
        return Verdict::Back(Back { place: "the whole file".to_owned(), again });
    }
    let mut verdict = Verdict::Fine;
    for piece in &edit.pieces {
        if let Some(place) = places.iter().rev().find(|place| place.covers(piece)) {
            let shown = match (piece.start, piece.gone.max(1)) {
                (Some(start), 1) => format!("line {start}"),
                (Some(start), lines) => format!("lines {start}-{}", start + lines - 1),
                (None, _) => "the same text".to_owned(),
            };
            verdict = match (back(&place.states, &piece.new), verdict) {
                (Some(true), _) => return Verdict::Back(Back { place: shown, again: true }),
                (Some(false), _) => Verdict::Back(Back { place: shown, again: false }),
                (None, Verdict::Fine) if !piece.grows => Verdict::Again(shown, place.changes + 1),
                (None, verdict) => verdict,
            };
        }
        happen(&mut places, piece);
    }
    verdict
}

/// A piece is replaced: its place remembers it, what stands below moves.
fn happen(places: &mut Vec<LineRange>, piece: &Piece) {
    let at = places.iter().rposition(|place| place.covers(piece));
    for (_, place) in places.iter_mut().enumerate().filter(|(number, _)| Some(*number) != at) {
        if let (Some(mine), Some(start)) = (place.start, piece.start)
            && mine >= start + piece.gone
        {
            place.start = Some((mine + piece.came).saturating_sub(piece.gone));
        }
    }
    match at.and_then(|at| places.get_mut(at)) {
        Some(place) => place.change(piece),
        None => places.push(LineRange {
            start: piece.start,
            lines: piece.came,
            states: vec![piece.old.clone(), piece.new.clone()],
            changes: 1,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::fmt::Write as _;

    /// A file and the edits of it, each of which happens.
    struct Session {
        text: String,
        record: String,
        count: usize,
    }

    impl Session {
        fn new(text: &str) -> Self {
            Self { text: text.to_owned(), record: String::new(), count: 0 }
        }

        fn judge(&mut self, change: &Change<'_>) -> Verdict {
            let edit = Edit::of("/p/a", change, Some(&self.text));
            let past = Past::read(&self.record, "main", &edit.path, 0);
            let verdict = judge(&past, &edit);
            if !matches!(verdict, Verdict::Back(Back { again: true, .. })) {
                self.count += 1;
                let id = format!("i{}", self.count);
                writeln!(self.record, "{}\nr {id}", edit.line(&id, "main", 1)).unwrap();
                self.text = change.text_after(&self.text).unwrap();
            }
            verdict
        }

        fn edit(&mut self, old: &str, new: &str) -> Verdict {
            assert!(self.text.contains(old), "{old} in {}", self.text);
            self.judge(&swap(old, new))
        }

        fn write(&mut self, text: &str) -> Verdict {
            self.judge(&Change::Whole(text.to_owned().into()))
        }
    }

    fn swap(old: &str, new: &str) -> Change<'static> {
        Change::Parts(vec![Part { old: old.to_owned().into(), new: new.to_owned().into(), all: false }])
    }

    fn went_back(verdict: &Verdict) -> Option<bool> {
        match verdict {
            Verdict::Back(Back { again, .. }) => Some(*again),
            _ => None,
        }
    }

    #[test]
    fn back_is_warned_about_and_forth_again_is_denied() {
        let mut session = Session::new("a\nlimit = 10\nb\n");
        assert_eq!(session.edit("limit = 10", "limit = 20"), Verdict::Fine);
        let warned = session.edit("limit = 20", "limit = 10");
        assert_eq!(warned, Verdict::Back(Back { place: "line 2".into(), again: false }));
        assert_eq!(went_back(&session.edit("limit = 10", "limit = 20")), Some(true));
    }

    /// Lines are added above, and more is quoted: the place is the same one.
    #[test]
    fn a_place_is_followed_through_other_edits() {
        let mut session = Session::new("one\ntwo\nthree = 3\nfour\n");
        session.edit("three = 3", "three = 30");
        session.edit("one\n", "zero\nhalf\none\n");
        let warned = session.edit("two\nthree = 30\nfour", "two\nthree = 3\nfour");
        assert_eq!(warned, Verdict::Back(Back { place: "line 5".into(), again: false }));
    }

    /// The same change elsewhere is no way back: only the place tells.
    #[test]
    fn the_opposite_change_at_another_place_is_none() {
        let mut session = Session::new("x = 1\ny = 2\nx = 1\ny = 2\n");
        assert_eq!(session.edit("x = 1\ny = 2\nx", "x = 2\ny = 2\nx"), Verdict::Fine);
        assert_eq!(session.edit("x = 1\ny = 2\n", "x = 1\ny = 1\n"), Verdict::Fine);
    }

    #[test]
    fn mechanical_edits_of_one_file_are_work() {
        let text: String = (0..40).map(|n| format!("    print(\"step {n}\")\n    work({n})\n")).collect();
        let mut session = Session::new(&text);
        for n in 0..40 {
            let verdict = session.edit(&format!("print(\"step {n}\")"), &format!("log.info(\"step {n}\")"));
            assert_eq!(verdict, Verdict::Fine, "{n}");
        }
    }

    #[test]
    fn what_grows_is_no_rework() {
        let mut json = Session::new("{\n  \"k0\": 0\n}\n");
        let mut rows = Session::new("rows = [\n    # more\n]\n");
        for n in 0..30 {
            let old = format!("\"k{n}\": {n}\n}}");
            assert_eq!(
                json.edit(&old, &format!("\"k{n}\": {n},\n  \"k{}\": {}\n}}", n + 1, n + 1)),
                Verdict::Fine
            );
            assert_eq!(rows.edit("    # more\n", &format!("    ({n}),\n    # more\n")), Verdict::Fine);
        }
    }

    #[test]
    fn the_same_place_in_ever_new_ways_is_counted() {
        let mut session = Session::new("a\nrate = 0\nb\n");
        for n in 0..6 {
            let verdict = session.edit(&format!("rate = {n}"), &format!("rate = {}", n + 1));
            let expected = if n == 0 { Verdict::Fine } else { Verdict::Again("line 2".into(), n + 1) };
            assert_eq!(verdict, expected);
        }
    }

    #[test]
    fn whole_files_that_come_back() {
        let mut session = Session::new("");
        assert_eq!(session.write("a"), Verdict::Fine);
        assert_eq!(session.write("b"), Verdict::Fine);
        assert_eq!(went_back(&session.write("a")), Some(false));
        assert_eq!(went_back(&session.write("b")), Some(true));
        let mut progress = Session::new("");
        assert!((0..20).all(|n| progress.write(&format!("version {n}")) == Verdict::Fine));
        let mut same = Session::new("");
        assert!((0..5).all(|_| same.write("a") == Verdict::Fine), "that is tool-loop's business");
    }

    /// Where the file cannot be read, the text alone tells: an edit goes back when it takes the last one there back.
    #[test]
    fn without_the_file_the_text_tells() {
        let mut record = String::new();
        let mut play = |old: &str, new: &str| {
            let edit = Edit::of("/p/a", &swap(old, new), None);
            let verdict = judge(&Past::read(&record, "main", &edit.path, 0), &edit);
            writeln!(record, "{}", edit.line("i", "main", 1)).unwrap();
            went_back(&verdict)
        };
        for _ in 0..12 {
            assert_eq!(play("print(", "log.info("), None);
        }
        assert_eq!(
            play("return sum(i.price for i in items)", "return sum(i.price * i.qty for i in items)"),
            None
        );
        assert_eq!(play("sum(i.price * i.qty for", "sum(i.price for"), Some(false));
        assert_eq!(play("return sum(i.price for i", "return sum(i.price * i.qty for i"), Some(true));
    }

    #[test]
    fn failed_edits_are_counted_until_one_works() {
        let edit = Edit::of("/p/a", &swap("x", "y"), Some("z"));
        assert!(!edit.would_work && Edit::of("/p/a", &swap("x", "y"), Some("x")).would_work);
        let mut record = String::new();
        for n in 0..2 {
            writeln!(record, "{}\nf i{n}", edit.line(&format!("i{n}"), "main", 1)).unwrap();
        }
        let failures = |record: &str| Past::read(record, "main", &edit.path, 0).failures(&edit.key);
        assert_eq!(failures(&record), 2);
        let other = Edit::of("/p/a", &swap("p", "q"), None);
        writeln!(record, "{}\nr ok", other.line("ok", "main", 1)).unwrap();
        assert_eq!(failures(&record), 0);
    }

    /// Lines are only added to the record: an edit that was denied or refused is told from one that happened.
    #[test]
    fn edits_without_results_agents_files_progress_and_time() {
        let edit = Edit::of("/p/a", &swap("x", "y"), None);
        let line = |n: usize, agent: &str| edit.line(&format!("i{n}"), agent, 100) + "\n";
        let mut record: String = (0..30).map(|n| line(n, "main")).collect();
        let count = |record: &str, agent: &str, path: &str| Past::read(record, agent, path, 50).edits.len();
        assert_eq!(count(&record, "main", &edit.path), 30, "an agent that reports no results");
        assert_eq!((count(&record, "sub", &edit.path), count(&record, "main", &tiny("/p/b"))), (0, 0));
        assert_eq!(Past::read(&record, "main", &edit.path, 101).edits.len(), 0, "old edits");
        record.push_str("r i7\n");
        assert_eq!(count(&record, "main", &edit.path), 1);
        record.push_str("p main\n");
        assert_eq!(count(&record, "main", &edit.path), 0);
    }

    proptest! {
        #[test]
        fn any_record_is_readable(record in "([erpf] ?([a-z0-9:>,+-]{0,9} ?){0,9}\n|\\PC{0,10}\n){0,30}") {
            let edit = Edit::of("/p/a", &swap("a", "b"), None);
            let _ = judge(&Past::read(&record, "a", &edit.path, 0), &edit);
        }

        #[test]
        fn any_edit_is_remembered(old in "\\PC{0,40}|[ab\n]{0,20}", new in "\\PC{0,40}|[ab\n]{0,20}", text in "[ab\n]{0,30}") {
            let edit = Edit::of("/p/a", &swap(&old, &new), Some(&text));
            let record = format!("{}\n", edit.line("i", "main", 1));
            prop_assert_eq!(record.lines().count(), 1);
            let past = Past::read(&record, "main", &edit.path, 0);
            prop_assert_eq!(&past.edits[0].pieces, &edit.pieces);
        }
    }
}
