//! A table: columns align, a row is one line, and what does not fit the terminal is cut with `…`.

use super::Tone;
use sprag_base::text::for_terminal;
use std::cmp::Reverse;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr};

/// Rows of cells under a header.
#[derive(Clone)]
pub struct Table {
    header: Vec<&'static str>,
    right: Vec<bool>,
    rows: Vec<Vec<(Tone, String)>>,
}

/// Between two columns.
const GAP: &str = "  ";
/// A column keeps at least this much of its text.
const LEAST: usize = 6;
/// A column with a wider text is prose: with fewer than [`LEAST_PROSE`] columns it says nothing.
const PROSE: usize = 24;
const LEAST_PROSE: usize = 8;

impl Table {
    /// A table with these columns; a name that starts with `>` is aligned to the right.
    pub fn new(header: &[&'static str]) -> Self {
        Self {
            header: header.iter().map(|name| name.trim_start_matches('>')).collect(),
            right: header.iter().map(|name| name.starts_with('>')).collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: Vec<(Tone, String)>) {
        // A line break in a cell would end the row.
        let flat = |text: String| for_terminal(&text).replace(['\n', '\t'], " ");
        self.rows.push(cells.into_iter().map(|(tone, text)| (tone, flat(text))).collect());
    }

    /// The widths of the columns, so that a line has at most `room` columns: the widest text gives way first, the
    /// first column (a name that people type) last, and numbers (aligned to the right) stay whole.
    fn widths(&self, room: usize) -> Vec<usize> {
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column)).map(|(_, text)| text.width());
            cells.chain(self.header.get(column).map(|name| name.width())).max().unwrap_or(0)
        };
        let mut widths: Vec<usize> = (0..self.header.len()).map(width).collect();
        let gaps = GAP.len() * widths.len().saturating_sub(1);
        loop {
            let total = widths.iter().sum::<usize>() + gaps;
            let columns = widths.iter_mut().zip(&self.right).enumerate();
            let widest = columns
                .filter(|(_, (width, right))| !**right && **width > LEAST)
                .max_by_key(|(at, (width, _))| (*at > 0, **width, Reverse(*at)));
            match widest {
                Some((_, (width, _))) if total > room => *width -= 1,
                _ => return widths,
            }
        }
    }

    /// The table without a column of nothing but zeros, or else without its last column of prose, or else without its last
    /// one, when the names in the first column would have to be cut.
    fn narrower(&self, room: usize) -> Option<Self> {
        let column = |at: usize| self.rows.iter().filter_map(move |row| row.get(at)).map(|(_, text)| text);
        let widest = |at: usize| {
            let header = self.header.get(at).map_or(0, |name| name.width());
            column(at).map(|text| text.width()).max().unwrap_or(0).max(header)
        };
        let is_number = |at: usize| self.right.get(at) == Some(&true);
        let least = |at: usize| match widest(at) {
            width if at == 0 || is_number(at) => width,
            width if width > PROSE => LEAST_PROSE,
            width => width.min(LEAST),
        };
        let columns = self.header.len();
        if (0..columns).map(least).sum::<usize>() + GAP.len() * columns.saturating_sub(1) <= room {
            return None;
        }
        let zeros = (1..columns).rev().find(|at| is_number(*at) && column(*at).all(|text| text == "0"));
        let prose = || (2..columns).rev().find(|at| !is_number(*at) && widest(*at) > PROSE);
        let last = || (columns > 2).then_some(columns - 1);
        let gone = zeros.or_else(prose).or_else(last)?;
        let mut table = self.clone();
        table.header.remove(gone);
        table.right.remove(gone);
        table.rows.iter_mut().filter(|row| gone < row.len()).for_each(|row| drop(row.remove(gone)));
        Some(table)
    }

    /// The lines, cut to a width; the last one names the columns that have no room.
    pub fn lines(&self, room: usize, paint: impl Fn(Tone, &str) -> String) -> Vec<String> {
        let mut table = self.clone();
        while let Some(narrower) = table.narrower(room) {
            table = narrower;
        }
        let mut lines = table.cut_lines(room, &paint);
        let full = |at: &usize| self.rows.iter().filter_map(|row| row.get(*at)).any(|(_, text)| text != "0");
        let gone =
            self.header.iter().enumerate().filter(|(at, name)| !table.header.contains(name) && full(at));
        let gone: Vec<&str> = gone.map(|(_, name)| *name).collect();
        if !gone.is_empty() {
            lines.push(paint(Tone::Dim, &cut(&format!("no room for: {}", gone.join(", ")), room)));
        }
        lines
    }

    fn cut_lines(&self, room: usize, paint: impl Fn(Tone, &str) -> String) -> Vec<String> {
        let widths = self.widths(room);
        let cell = |column: usize, tone: Tone, text: &str| {
            let width = widths.get(column).copied().unwrap_or(0);
            let text = cut(text, width);
            let gap = " ".repeat(width.saturating_sub(text.width()));
            let painted = paint(tone, &text);
            match self.right.get(column) {
                Some(true) => format!("{gap}{painted}"),
                _ if column + 1 == self.header.len() => painted,
                _ => format!("{painted}{gap}"),
            }
        };
        let header = self.header.iter().enumerate().map(|(at, name)| cell(at, Tone::Dim, name));
        let header = header.collect::<Vec<_>>().join(GAP);
        let rows = self.rows.iter().map(|row| {
            let cells = row.iter().enumerate().map(|(at, (tone, text))| cell(at, *tone, text));
            cells.collect::<Vec<_>>().join(GAP)
        });
        std::iter::once(header).chain(rows).map(|line| line.trim_end().to_owned()).collect()
    }
}

/// A text whose control and direction characters are written out.
pub fn visible(text: &str) -> String {
    sprag_base::text::visible(text).into_owned()
}

/// The columns that a text takes on the terminal: the colours of [`super::Out::paint`] take none.
pub fn columns(text: &str) -> usize {
    let mut parts = text.split("\u{1b}[");
    let first = parts.next().map_or(0, UnicodeWidthStr::width);
    first + parts.map(|part| part.split_once('m').map_or(part, |(_, rest)| rest).width()).sum::<usize>()
}

/// Lines of at most this many columns, broken at blanks; a longer word has a line of its own.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for line in text.lines() {
        let mut current = String::new();
        for word in line.split(' ') {
            if !current.is_empty() && columns(&current) + 1 + columns(word) > width {
                lines.push(std::mem::take(&mut current));
            } else if !current.is_empty() {
                current.push(' ');
            }
            current.push_str(word);
        }
        lines.push(current);
    }
    lines
}

/// A text whose lines have at most this many columns, broken at blanks. What follows stands below the line's last column
/// (after two blanks or more), or two further to the right than the line began. A longer word stays whole.
pub fn fit(text: &str, width: usize) -> String {
    let fitted = |line: &str| if columns(line) <= width { line.to_owned() } else { hang(line, width) };
    text.split('\n').map(fitted).collect::<Vec<_>>().join("\n")
}

fn hang(line: &str, width: usize) -> String {
    let body = line.trim_start_matches(' ');
    let lead = line.len() - body.len();
    let indent = last_column(line).filter(|column| *column <= width / 2).unwrap_or((lead + 2).min(width / 2));
    let mut done = " ".repeat(lead);
    let (mut used, mut fresh) = (lead, true);
    for word in body.split(' ') {
        if !fresh && used + 1 + columns(word) > width {
            done.truncate(done.trim_end_matches(' ').len());
            done.push('\n');
            done.push_str(&" ".repeat(indent));
            (used, fresh) = (indent, true);
        }
        if fresh && word.is_empty() {
            continue;
        }
        if !fresh {
            done.push(' ');
            used += 1;
        }
        done.push_str(word);
        used += columns(word);
        fresh = false;
    }
    done
}

/// Where the text after the last gap of two blanks or more begins.
fn last_column(line: &str) -> Option<usize> {
    let lead = line.len() - line.trim_start_matches(' ').len();
    let at = line.rfind(GAP).filter(|at| *at > lead)?;
    line.get(..at + GAP.len()).map(columns)
}

/// A text of at most this many columns; `…` stands for what is missing.
pub fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut used = 1;
    let mut kept: String = text
        .chars()
        .take_while(|letter| {
            used += letter.width().unwrap_or(0);
            used <= width
        })
        .collect();
    kept.truncate(kept.trim_end().len());
    kept.push('…');
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: &[[&str; 3]]) -> Table {
        let mut table = Table::new(&["hook", ">ms", "why"]);
        for row in rows {
            table.row(row.iter().map(|text| (Tone::Plain, (*text).to_owned())).collect());
        }
        table
    }

    #[test]
    fn columns_of_zeros_go_before_names_are_cut() {
        let mut table = Table::new(&["hook", ">fires", ">saved", ">errors"]);
        table.row(vec![
            (Tone::Plain, "post-edit-simplify-reminder".to_owned()),
            (Tone::Plain, "12".to_owned()),
            (Tone::Plain, "0".to_owned()),
            (Tone::Plain, "1".to_owned()),
        ]);
        let plain = |_: Tone, text: &str| text.to_owned();
        assert!(table.lines(60, plain)[0].contains("saved"), "it fits");
        let lines = table.lines(43, plain);
        assert_eq!(lines[0], "hook                         fires  errors");
        assert_eq!(lines[1], "post-edit-simplify-reminder     12       1");
    }

    /// Before, every row of a wide table was broken by the terminal, or cut to nothing.
    #[test]
    fn columns_without_room_go_and_are_named() {
        let mut table = Table::new(&["bundle", "state", ">ms", ">tokens/session", "what it does", "stores"]);
        let row = ["guards", "on", "1.2", "340", "stops what destroys or leaks", "approvals, records"];
        table.row(row.iter().map(|text| (Tone::Plain, (*text).to_owned())).collect());
        let lines = table.lines(50, |_, text| text.to_owned());
        assert!(lines.iter().all(|line| line.width() <= 50), "{lines:?}");
        assert_eq!(lines[2], "no room for: what it does");
        assert_eq!(table.lines(100, |_, text| text.to_owned()).len(), 2);
    }

    #[test]
    fn a_column_of_prose_goes_before_names_are_cut() {
        let mut table = Table::new(&["bundle", "what it does", "what it stores"]);
        let prose = "a sentence that says what there is to say";
        table
            .row(["post-edit-simplify-reminder", prose, prose].map(|text| (Tone::Plain, text.into())).into());
        let plain = |_: Tone, text: &str| text.to_owned();
        assert!(table.lines(47, plain)[0].contains("what it"), "eight columns each");
        let lines = table.lines(46, plain);
        assert_eq!(lines[0], "bundle                       what it does");
        assert_eq!(lines[1], "post-edit-simplify-reminder  a sentence that…");
        assert!(table.lines(20, plain).iter().all(|line| line.width() <= 20), "one column of prose stays");
    }

    #[test]
    fn prose_is_broken_at_blanks() {
        assert_eq!(wrap("one two three\nfour", 7), ["one two", "three", "four"]);
        assert_eq!(wrap("a averyverylongword b", 5), ["a", "averyverylongword", "b"]);
        assert_eq!(wrap("", 5), Vec::<String>::new());
        let red = "\u{1b}[31mone\u{1b}[0m";
        assert_eq!((columns(red), columns("漢字 a")), (3, 6));
        assert_eq!(wrap(&format!("{red} two three"), 7), [format!("{red} two").as_str(), "three"]);
    }

    /// Before, the terminal broke every longer line in the middle of a word.
    #[test]
    fn no_word_is_broken_and_further_lines_are_indented() {
        let text = "sprag asks before it lets anything through that destroys or leaks what only a person can \
            restore, and says so";
        for width in [80, 60] {
            for text in [text.to_owned(), format!("  \u{1b}[33mwarn\u{1b}[0m  journal   {text}")] {
                let shown = fit(&text, width);
                let lines: Vec<&str> = shown.lines().collect();
                assert!(lines.len() > 1 && lines.iter().all(|line| columns(line) <= width), "{shown}");
                assert_eq!(
                    shown.split_whitespace().collect::<Vec<_>>(),
                    text.split_whitespace().collect::<Vec<_>>()
                );
                let indent = if text.starts_with("  ") { 18 } else { 2 };
                assert!(lines.iter().skip(1).all(|line| line.find(|c| c != ' ') == Some(indent)), "{shown}");
            }
        }
        assert_eq!(fit("one two", 80), "one two");
        assert_eq!(fit("a averyverylongword b\n\nc", 6), "a\n  averyverylongword\n  b\n\nc");
    }

    #[test]
    fn columns_align_whatever_the_letters() {
        let table = table(&[["é", "1.5", ""], ["longer", "12", "so"], ["漢字", "3", "a\nb"]]);
        let lines = table.lines(usize::MAX, |_, text| text.to_owned());
        assert_eq!(lines, ["hook     ms  why", "é       1.5", "longer   12  so", "漢字      3  a b"]);
    }

    #[test]
    fn no_line_is_wider_than_the_terminal_and_numbers_stay_whole() {
        let table = table(&[["command-guard", "123456", "listed in the configuration of the user 漢字漢字"]]);
        for room in [30, 33, 40, 60] {
            for line in table.lines(room, |_, text| text.to_owned()) {
                assert!(line.width() <= room, "{room}: {line}");
            }
        }
        let lines = table.lines(40, |_, text| text.to_owned());
        assert_eq!(lines[1], "command-guard  123456  listed in the co…");
        assert_eq!(
            (cut("abc", 3), cut("abcd", 3), cut("漢字", 3)),
            ("abc".into(), "ab…".into(), "漢…".into())
        );
    }
}
