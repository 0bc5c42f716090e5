//! A table: columns align, a row is one line, and what does not fit the terminal is cut with `…`.

use super::Tone;
use std::cmp::Reverse;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// Rows of cells under a header.
pub struct Table {
    header: Vec<&'static str>,
    right: Vec<bool>,
    rows: Vec<Vec<(Tone, String)>>,
}

/// Between two columns.
const GAP: &str = "  ";
/// A column keeps at least this much of its text.
const LEAST: usize = 6;

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
        let flat = |text: String| if text.contains('\n') { text.replace('\n', " ") } else { text };
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

    /// The lines, cut to a width.
    pub fn lines(&self, room: usize, paint: impl Fn(Tone, &str) -> String) -> Vec<String> {
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
