//! What people see: lines, tables that fit the terminal, colour only on a terminal; JSON for programs.
#![expect(clippy::print_stderr, reason = "the one place that prints")]

mod activity;
pub mod person;
mod processes;
mod table;
pub mod when;

pub use table::{Table, columns, cut, fit, visible, wrap};

use serde_json::json;
use sprag_base::env::Env;
use sprag_base::hint::Hint;
use sprag_base::text::for_terminal;
use std::fmt;
use std::io::{IsTerminal as _, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};

/// Where output goes, and how.
pub struct Out {
    colour: bool,
    /// Errors and notes are JSON too: the caller is a program.
    json: bool,
    /// Columns of the terminal; nothing is cut where there is none.
    width: usize,
    closed: AtomicBool,
}

/// What went wrong, and what to do about it: an error, or the context of one.
#[derive(Debug)]
pub struct Problem {
    what: String,
    hint: String,
}

impl Problem {
    /// A problem and its hint.
    pub fn new(what: impl fmt::Display, hint: impl fmt::Display) -> Self {
        Self { what: what.to_string(), hint: hint.to_string() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl std::error::Error for Problem {}

/// An error with the hint that it has: one line what, one line what to do.
pub fn explained(error: impl Hint) -> anyhow::Error {
    anyhow::anyhow!(Problem::new(&error, error.hint()))
}

/// A number and what it counts: `1 lesson`, `2 lessons`.
pub fn counted(count: impl fmt::Display, one: &str) -> String {
    let count = count.to_string();
    format!("{count} {one}{}", if count == "1" { "" } else { "s" })
}

/// A colour, by what it says.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// As the terminal has it.
    Plain,
    /// What is right, or allowed.
    Good,
    /// An error, or what was stopped.
    Bad,
    /// What deserves a look.
    Warn,
    /// What matters less.
    Dim,
    /// A heading.
    Strong,
}

impl Tone {
    /// The colour of a verdict.
    pub fn of_verdict(verdict: &str) -> Self {
        match verdict {
            "deny" | "block" => Self::Bad,
            "ask" => Self::Warn,
            "allow" => Self::Good,
            _ => Self::Dim,
        }
    }

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
    /// As the terminal and the environment want it.
    pub fn new(env: &Env) -> Self {
        let terminal = std::io::stdout().is_terminal();
        let columns = || {
            let told = env.get("COLUMNS").and_then(|text| text.parse().ok());
            told.or_else(|| terminal_size::terminal_size().map(|(width, _)| usize::from(width.0)))
        };
        Self {
            colour: coloured(env, terminal),
            json: wants_json(),
            width: if terminal { columns().unwrap_or(80) } else { usize::MAX },
            closed: AtomicBool::new(false),
        }
    }

    /// Columns of the terminal.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Text in a tone, on a terminal.
    pub fn paint(&self, tone: Tone, text: &str) -> String {
        if self.colour && tone != Tone::Plain {
            format!("\u{1b}[{}m{text}\u{1b}[0m", tone.code())
        } else {
            text.to_owned()
        }
    }

    /// One line on standard output, broken at blanks where the terminal ends. A reader that left (`| head`) is not an
    /// error.
    pub fn line(&self, text: &str) {
        self.raw(&format!("{}\n", fit(&self.harmless(text), self.width)));
    }

    /// A text behind a label, broken at blanks; further lines stand below the first one's text. `label` has this width
    /// on the terminal.
    pub fn labelled(&self, label: &str, width: usize, text: &str) {
        let room = self.width.saturating_sub(width).max(20);
        for (at, line) in wrap(text, room).iter().enumerate() {
            let indent = " ".repeat(width);
            self.line(&format!("{}{line}", if at == 0 { label } else { &indent }));
        }
    }

    /// A unified diff, added and removed lines in colours.
    pub fn diff(&self, text: &str) {
        for line in text.lines() {
            let tone = match line.as_bytes().first() {
                Some(b'+') => Tone::Good,
                Some(b'-') => Tone::Bad,
                _ => Tone::Dim,
            };
            self.raw(&format!("{}\n", self.paint(tone, line)));
        }
    }

    /// Text as it is, without a line end of its own: code, JSON, diffs, which a break would change.
    pub fn raw(&self, text: &str) {
        if std::io::stdout().write_all(self.harmless(text).as_bytes()).is_err() {
            self.closed.store(true, Ordering::Relaxed);
        }
    }

    /// What a terminal would act on is written out, but for the colours of [`Out::paint`]: names and texts of others
    /// must not reach it.
    fn harmless(&self, text: &str) -> String {
        if self.colour { coloured_text(text) } else { for_terminal(text).into_owned() }
    }

    /// True when nobody reads on: what never ends may end.
    pub fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }

    /// A line that opens a part of the output.
    pub fn heading(&self, text: &str) {
        self.line(&self.paint(Tone::Strong, text));
    }

    /// Lets a person choose one of several words; Enter is the first. Call it only on a terminal.
    pub fn choose(&self, question: &str, choices: &[(&str, String)]) -> String {
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

    /// What a person types after a question; empty without an answer. Call it only on a terminal.
    pub fn ask(&self, question: &str) -> String {
        self.raw(&fit(&format!("{question}: "), self.width));
        read_line().unwrap_or_default()
    }

    /// A person's yes, which Enter is too. Call it only on a terminal.
    pub fn agree(&self, question: &str) -> bool {
        self.yes_or_no(&format!("{question} [Y/n] "), true)
    }

    /// A person's yes; everything else is no. Call it only on a terminal.
    pub fn confirm(&self, question: &str) -> bool {
        self.yes_or_no(&format!("{question} [y/N] "), false)
    }

    /// Asks until the answer is one, three times at most; no answer is no.
    fn yes_or_no(&self, question: &str, enter: bool) -> bool {
        for _ in 0..3 {
            self.raw(&fit(question, self.width));
            match read_line().map(|answer| answer.to_ascii_lowercase()).as_deref() {
                Some("") => return enter,
                Some("y" | "yes") => return true,
                None | Some("n" | "no") => return false,
                Some(_) => self.line("  y or n"),
            }
        }
        false
    }

    /// What went wrong, with its causes; on the next line what to do.
    pub fn problem(&self, error: &anyhow::Error) {
        let hint = error.downcast_ref::<Problem>().map(|problem| problem.hint.as_str());
        let hint = hint.or_else(|| {
            error.downcast_ref::<sprag_config::edit::EditError>().map(sprag_config::edit::EditError::hint)
        });
        self.error(&format!("{error:#}"), hint.unwrap_or_default());
    }

    /// What went wrong, and what to do about it.
    pub fn error(&self, what: &str, hint: &str) {
        if self.json {
            return eprintln!("{}", json!({ "error": { "what": what, "hint": hint } }));
        }
        let label =
            if std::io::stderr().is_terminal() { self.paint(Tone::Bad, "error") } else { "error".to_owned() };
        let hint = if hint.is_empty() { String::new() } else { format!("\n  {hint}") };
        let text = format!("{label}: {}{}", for_terminal(what), for_terminal(&hint));
        eprintln!("{}", fit(&text, self.width));
    }

    /// Something to know that is no error, beside the output.
    pub fn note(&self, text: &str) {
        if self.json {
            return eprintln!("{}", json!({ "note": text }));
        }
        eprintln!("{}", fit(&for_terminal(text), self.width));
    }

    /// A value as JSON.
    pub fn json(&self, value: &serde_json::Value) {
        self.raw(&format!("{}\n", json_text(&serde_json::to_string_pretty(value).unwrap_or_default())));
    }

    /// A table whose columns align and whose rows are one line each.
    pub fn table(&self, table: &Table) {
        for line in table.lines(self.width, |tone, text| self.paint(tone, text)) {
            self.line(&line);
        }
    }
}

/// A text in which only the colours that [`Out::paint`] writes reach the terminal.
fn coloured_text(text: &str) -> String {
    const OWN: [&str; 6] = ["0", "1", "2", "31", "32", "33"];
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("\u{1b}[") {
        out.push_str(&for_terminal(before));
        if let Some((code, after)) = after.split_once('m').filter(|(code, _)| OWN.contains(code)) {
            out.push_str(&format!("\u{1b}[{code}m"));
            rest = after;
        } else {
            out.push_str(&for_terminal("\u{1b}["));
            rest = after;
        }
    }
    out.push_str(&for_terminal(rest));
    out
}

/// JSON in which the characters that it allows and a terminal acts on are escaped.
fn json_text(json: &str) -> String {
    let acts = |c: char| c != '\n' && for_terminal(c.encode_utf8(&mut [0; 4])).len() > c.len_utf8();
    json.chars().map(|c| if acts(c) { format!("\\u{:04x}", u32::from(c)) } else { c.to_string() }).collect()
}

/// True when the caller asked for JSON, also when its other words make no sense.
pub fn wants_json() -> bool {
    std::env::args_os().skip(1).take_while(|word| word != "--").any(|word| word == "--json")
}

/// The conventions of `NO_COLOR`, `CLICOLOR` and `CLICOLOR_FORCE`.
fn coloured(env: &Env, terminal: bool) -> bool {
    let off = |name: &str| env.get(name).is_some_and(|value| value == "0");
    if env.get("NO_COLOR").is_some() {
        return false;
    }
    let forced = env.get("CLICOLOR_FORCE").is_some() && !off("CLICOLOR_FORCE");
    forced || terminal && !off("CLICOLOR") && env.get("TERM").as_deref() != Some("dumb")
}

/// A typed line; `None` at the end of the input.
fn read_line() -> Option<String> {
    let _ = std::io::stdout().flush();
    let mut line = String::new();
    let count = std::io::stdin().read_line(&mut line).ok()?;
    (count > 0).then(|| line.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_own_colours_reach_a_terminal() {
        let evil = "\u{1b}]0;title\u{7}\u{1b}[8mhidden\u{9b}2J";
        let shown = coloured_text(&format!("\u{1b}[31mbad\u{1b}[0m {evil}"));
        assert!(shown.starts_with("\u{1b}[31mbad\u{1b}[0m "), "{shown}");
        assert_eq!(shown.matches('\u{1b}').count(), 2, "{shown}");
        assert!(!shown.contains(['\u{7}', '\u{9b}']));
        let json = json_text(&serde_json::to_string(&json!({"a": "\u{9b}x\u{202e}\u{7f}é"})).unwrap());
        assert_eq!(json, r#"{"a":"\u009bx\u202e\u007fé"}"#);
        assert_eq!(serde_json::from_str::<serde_json::Value>(&json).unwrap()["a"], "\u{9b}x\u{202e}\u{7f}é");
    }

    #[test]
    fn colour_follows_the_conventions() {
        let with = |vars: &[(&str, &str)], terminal: bool| {
            let env = Env::Fixed(vars.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect());
            coloured(&env, terminal)
        };
        assert!(with(&[], true) && !with(&[], false));
        assert!(
            with(&[("CLICOLOR_FORCE", "1")], false) && with(&[("CLICOLOR", "1"), ("NO_COLOR", "")], true)
        );
        for off in [("NO_COLOR", "0"), ("NO_COLOR", "1"), ("CLICOLOR", "0"), ("TERM", "dumb")] {
            assert!(!with(&[off], true), "{off:?}");
        }
        assert!(!with(&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")], true));
    }
}
