//! What people see: lines, tables that align, colour only on a terminal.
#![expect(clippy::print_stderr, reason = "the one place that prints")]
#![expect(clippy::unused_self, reason = "whoever prints was handed the output")]

use sprag_base::env::Env;
use std::fmt;
use std::io::{IsTerminal as _, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};

/// Where output goes, and how.
pub(crate) struct Out {
    colour: bool,
    closed: AtomicBool,
}

/// What went wrong, and what to do about it: an error, or the context of one.
#[derive(Debug)]
pub(crate) struct Problem {
    what: String,
    hint: String,
}

impl Problem {
    pub(crate) fn new(what: impl fmt::Display, hint: impl fmt::Display) -> Self {
        Self { what: what.to_string(), hint: hint.to_string() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl std::error::Error for Problem {}

/// A colour, by what it says.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tone {
    Plain,
    Good,
    Bad,
    Warn,
    Dim,
    Strong,
}

impl Tone {
    fn code(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Good => "32",
            Self::Bad => "31",
            Self::Warn => "33",
            Self::Dim => "2",
            Self::Strong => "1",
        }
    }
}

impl Out {
    pub(crate) fn new(env: &Env) -> Self {
        let wanted = !env.is_on("NO_COLOR") && env.get("TERM").as_deref() != Some("dumb");
        Self { colour: wanted && std::io::stdout().is_terminal(), closed: AtomicBool::new(false) }
    }

    /// Text in a tone, on a terminal.
    pub(crate) fn paint(&self, tone: Tone, text: &str) -> String {
        if self.colour && tone != Tone::Plain {
            format!("\u{1b}[{}m{text}\u{1b}[0m", tone.code())
        } else {
            text.to_owned()
        }
    }

    /// One line on standard output. A reader that left (`| head`) is not an error.
    pub(crate) fn line(&self, text: &str) {
        self.raw(&format!("{text}\n"));
    }

    /// Text as it is, without a line end of its own.
    pub(crate) fn raw(&self, text: &str) {
        if std::io::stdout().write_all(text.as_bytes()).is_err() {
            self.closed.store(true, Ordering::Relaxed);
        }
    }

    /// True when nobody reads on: what never ends may end.
    pub(crate) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }

    /// A line that opens a part of the output.
    pub(crate) fn heading(&self, text: &str) {
        self.line(&self.paint(Tone::Strong, text));
    }

    /// Lets a person choose one of several words; Enter is the first. Call it only on a terminal.
    pub(crate) fn choose(&self, question: &str, choices: &[(&str, String)]) -> String {
        self.heading(question);
        for (at, (word, what)) in choices.iter().enumerate() {
            let what = self.paint(Tone::Dim, what);
            self.line(&format!("  {}  {word:<9} {what}", at + 1));
        }
        let first = choices.first().map(|(word, _)| *word).unwrap_or_default();
        for _ in 0..3 {
            self.raw(&format!("  [{first}] "));
            let Some(answer) = read_line() else { break };
            let by_number =
                answer.parse::<usize>().ok().and_then(|number| choices.get(number.checked_sub(1)?));
            let by_word = choices.iter().find(|(word, _)| *word == answer);
            match by_number.or(by_word) {
                Some((word, _)) => return (*word).to_owned(),
                None if answer.is_empty() => break,
                None => self.line("  a number or a word of the list"),
            }
        }
        first.to_owned()
    }

    /// A person's yes; everything else is no. Call it only on a terminal.
    pub(crate) fn confirm(&self, question: &str) -> bool {
        self.raw(&format!("{question} [y/N] "));
        read_line().is_some_and(|answer| matches!(answer.to_ascii_lowercase().as_str(), "y" | "yes"))
    }

    /// What went wrong, with its causes; on the next line what to do.
    pub(crate) fn problem(&self, error: &anyhow::Error) {
        let hint = error.downcast_ref::<Problem>().map(|problem| problem.hint.clone()).or_else(|| {
            error.downcast_ref::<sprag_config::edit::EditError>().map(|edit| edit.hint().to_owned())
        });
        let hint = hint.map(|hint| format!("\n  {hint}")).unwrap_or_default();
        self.error(&format!("{error:#}{hint}"));
    }

    /// What went wrong: first line what, next lines what to do.
    pub(crate) fn error(&self, text: &str) {
        let label =
            if std::io::stderr().is_terminal() && self.colour { "\u{1b}[31merror\u{1b}[0m" } else { "error" };
        eprintln!("{label}: {text}");
    }

    /// Something to know that is no error, beside the output.
    pub(crate) fn note(&self, text: &str) {
        eprintln!("{text}");
    }

    /// A value as JSON.
    pub(crate) fn json(&self, value: &serde_json::Value) {
        self.line(&serde_json::to_string_pretty(value).unwrap_or_default());
    }

    /// A table whose columns align.
    pub(crate) fn table(&self, table: &Table) {
        for line in table.lines(|tone, text| self.paint(tone, text)) {
            self.line(&line);
        }
    }
}

/// A typed line; `None` at the end of the input.
fn read_line() -> Option<String> {
    let _ = std::io::stdout().flush();
    let mut line = String::new();
    let count = std::io::stdin().read_line(&mut line).ok()?;
    (count > 0).then(|| line.trim().to_owned())
}

/// Rows of cells under a header.
pub(crate) struct Table {
    header: Vec<&'static str>,
    right: Vec<bool>,
    rows: Vec<Vec<(Tone, String)>>,
}

impl Table {
    /// A table with these columns; a name that starts with `>` is aligned to the right.
    pub(crate) fn new(header: &[&'static str]) -> Self {
        Self {
            header: header.iter().map(|name| name.trim_start_matches('>')).collect(),
            right: header.iter().map(|name| name.starts_with('>')).collect(),
            rows: Vec::new(),
        }
    }

    pub(crate) fn row(&mut self, cells: Vec<(Tone, String)>) {
        self.rows.push(cells);
    }

    fn lines(&self, paint: impl Fn(Tone, &str) -> String) -> Vec<String> {
        let width = |column: usize| {
            let cells =
                self.rows.iter().filter_map(|row| row.get(column)).map(|(_, text)| text.chars().count());
            cells.chain(self.header.get(column).map(|name| name.chars().count())).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.header.len()).map(width).collect();
        let pad = |column: usize, tone: Tone, text: &str| {
            let gap = widths.get(column).copied().unwrap_or(0).saturating_sub(text.chars().count());
            let painted = paint(tone, text);
            let last = column + 1 == self.header.len();
            match (self.right.get(column), last) {
                (Some(true), _) => format!("{}{painted}", " ".repeat(gap)),
                (_, true) => painted,
                _ => format!("{painted}{}", " ".repeat(gap)),
            }
        };
        let header: Vec<String> =
            self.header.iter().enumerate().map(|(at, name)| pad(at, Tone::Dim, name)).collect();
        let mut lines = vec![header.join("  ").trim_end().to_owned()];
        for row in &self.rows {
            let cells: Vec<String> =
                row.iter().enumerate().map(|(at, (tone, text))| pad(at, *tone, text)).collect();
            lines.push(cells.join("  ").trim_end().to_owned());
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_align_whatever_the_letters() {
        let mut table = Table::new(&["hook", ">ms"]);
        table.row(vec![(Tone::Plain, "é".into()), (Tone::Plain, "1.5".into())]);
        table.row(vec![(Tone::Plain, "longer".into()), (Tone::Plain, "12".into())]);
        assert_eq!(table.lines(|_, text| text.to_owned()), ["hook     ms", "é       1.5", "longer   12"]);
    }
}
