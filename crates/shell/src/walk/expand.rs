//! Words → values, with the state at hand. What cannot be known becomes a hole.

use crate::model::{Arg, HOLE, Taint};
use crate::syntax::ast::{Part, Word};

use super::state::{Fd, MAX_TEXT};
use super::{Walk, braces};

/// The fields of a word while it is being put together.
#[derive(Default)]
struct Fields {
    done: Vec<Arg>,
    current: Arg,
    /// The current field exists even when it is empty (`""`).
    started: bool,
    /// What separates fields, when it is not blanks.
    ifs: Option<String>,
}

impl Fields {
    fn text(&mut self, text: &str, taint: Taint) {
        self.started = true;
        self.current.taint = self.current.taint.and(taint);
        if self.current.text.len() + text.len() <= MAX_TEXT {
            self.current.text.push_str(text);
        }
    }

    /// A quoted value: one field, its globs are plain characters unless they were names before.
    fn quoted(&mut self, arg: &Arg) {
        self.current.glob |= arg.found && crate::paths::has_glob(&arg.text);
        self.current.found |= arg.found;
        self.text(&arg.text, arg.taint);
    }

    /// A value that is not quoted: split at what separates fields, globs active.
    fn split(&mut self, arg: &Arg) {
        let ifs = self.ifs.clone().unwrap_or_else(|| " \t\n".to_owned());
        let blank = |c: char| matches!(c, ' ' | '\t' | '\n') && ifs.contains(c);
        let mut some = false;
        let mut rest = arg.text.as_str();
        let inner = rest.trim_start_matches(blank);
        if inner.len() < rest.len() {
            self.cut();
        }
        rest = inner;
        while !rest.is_empty() && self.done.len() <= 4096 {
            let end = rest.find(|c: char| ifs.contains(c)).unwrap_or(rest.len());
            let (piece, tail) = rest.split_at(end);
            if !piece.is_empty() {
                self.current.glob |= crate::paths::has_glob(piece);
                self.text(piece, arg.taint);
                some = true;
            }
            // Blanks around one other separator belong to it.
            let after = tail.trim_start_matches(blank);
            rest = match after.chars().next().filter(|c| ifs.contains(*c)) {
                Some(c) => {
                    self.started = true;
                    after.strip_prefix(c).unwrap_or_default().trim_start_matches(blank)
                }
                None => after,
            };
            if !tail.is_empty() {
                self.cut();
            }
        }
        if !some && arg.taint != Taint::NONE {
            self.current.taint = self.current.taint.and(arg.taint);
        }
    }

    fn cut(&mut self) {
        if self.started {
            self.done.push(std::mem::take(&mut self.current));
            self.started = false;
        }
    }
}

impl Walk<'_> {
    /// A word as the fields it becomes.
    pub(crate) fn expand(&mut self, word: &Word) -> Vec<Arg> {
        let ifs = self.st.var("IFS").and_then(|v| v.values.first()).map(|v| v.text.clone());
        let mut f = Fields { ifs, ..Fields::default() };
        // Braces come before everything else.
        match braces::expand(word) {
            Some(words) => {
                for word in &words {
                    self.expand_into(word, &mut f);
                    f.cut();
                }
            }
            None => self.expand_into(word, &mut f),
        }
        f.cut();
        let mut out = f.done;
        if let [one] = out.as_mut_slice()
            && !word.raw.is_empty()
        {
            one.raw = Some(std::rc::Rc::clone(&word.raw));
        }
        out
    }

    /// A word as one value (assignments, here-strings, redirect targets).
    pub(crate) fn expand_one(&mut self, word: &Word) -> Arg {
        let mut text = String::new();
        let mut taint = Taint::NONE;
        let (mut glob, mut found) = (false, false);
        for (i, part) in word.parts.iter().enumerate() {
            match part {
                Part::Text { text: t, quoted } => {
                    glob |= !quoted && crate::paths::has_glob(t);
                    if i == 0 && !quoted {
                        text.push_str(&self.tilde(t));
                    } else {
                        text.push_str(t);
                    }
                }
                other => {
                    let v = self.part_value(other);
                    taint = taint.and(v.taint);
                    let quoted = matches!(
                        other,
                        Part::Param { quoted: true, .. } | Part::Command { quoted: true, .. }
                    );
                    found |= v.found;
                    glob |= if v.found { crate::paths::has_glob(&v.text) } else { v.glob && !quoted };
                    text.push_str(&v.text);
                }
            }
            if text.len() > MAX_TEXT {
                break;
            }
        }
        let raw = (!word.raw.is_empty()).then(|| std::rc::Rc::clone(&word.raw));
        Arg { text, raw, glob, found, taint }
    }

    fn expand_into(&mut self, word: &Word, f: &mut Fields) {
        for (i, part) in word.parts.iter().enumerate() {
            match part {
                Part::Text { text, quoted: true } => f.text(text, Taint::NONE),
                Part::Text { text, quoted: false } => {
                    let t = if i == 0 { self.tilde(text) } else { text.clone() };
                    f.current.glob |= crate::paths::has_glob(&t);
                    f.text(&t, Taint::NONE);
                }
                Part::Param { param, quoted } => {
                    // Arrays and `$@` give several fields.
                    if let Some(list) = self.list_value(param) {
                        let joined = *quoted && (param.name == "*" || param.index.as_deref() == Some("*"));
                        let glue = match &f.ifs {
                            Some(ifs) => ifs.chars().next().map(String::from).unwrap_or_default(),
                            None => " ".to_owned(),
                        };
                        for (n, item) in list.iter().enumerate() {
                            if n > 0 {
                                if joined {
                                    f.text(&glue, Taint::NONE);
                                } else {
                                    f.cut();
                                }
                            }
                            if *quoted { f.quoted(item) } else { f.split(item) }
                        }
                        continue;
                    }
                    // An unquoted `${x:-a 'b c'}` is its word, with the quotes of that.
                    if !*quoted && let Some(word) = self.word_instead(param) {
                        self.expand_default(word, f);
                        continue;
                    }
                    let v = self.param_value(param);
                    if *quoted { f.quoted(&v) } else { f.split(&v) }
                }
                Part::Command { quoted, .. } => {
                    let v = self.part_value(part);
                    if *quoted { f.text(&v.text, v.taint) } else { f.split(&v) }
                }
                Part::Arith { .. } | Part::Process { .. } => {
                    let v = self.part_value(part);
                    f.text(&v.text, v.taint);
                }
            }
        }
    }

    /// The word of `${x:-word}`: its text splits, what is quoted in it does not.
    fn expand_default(&mut self, word: &Word, f: &mut Fields) {
        for part in &word.parts {
            match part {
                Part::Text { text, quoted: false } => f.split(&Arg::new(self.tilde(text))),
                Part::Text { text, quoted: true } => f.text(text, Taint::NONE),
                _ => {
                    let one = Word { parts: vec![part.clone()], raw: std::rc::Rc::from("") };
                    self.expand_into(&one, f);
                }
            }
        }
    }

    pub(super) fn tilde(&self, text: &str) -> String {
        // `x=~` as a word of a command.
        if let Some((name, value)) = text.split_once("=~")
            && !name.is_empty()
            && name.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_')
        {
            return format!("{name}={}", self.tilde(&format!("~{value}")));
        }
        if let Some(rest) = text.strip_prefix('~') {
            let (user, tail) = match rest.find('/') {
                Some(at) => rest.split_at(at),
                None => (rest, ""),
            };
            match user {
                "" => {
                    let home = self
                        .st
                        .var("HOME")
                        .and_then(|v| v.values.first())
                        .map_or(self.ctx.home.clone(), |a| a.text.clone());
                    return format!("{home}{tail}");
                }
                "root" => return format!("/root{tail}"),
                "+" => return format!("{}{tail}", self.st.cwd.clone().unwrap_or_else(|| HOLE.to_string())),
                u if u.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_' || c == b'-') => {
                    return format!("/home/{u}{tail}");
                }
                _ => {}
            }
        }
        text.to_owned()
    }

    pub(super) fn part_value(&mut self, part: &Part) -> Arg {
        match part {
            Part::Text { text, .. } => Arg::new(text.clone()),
            Part::Param { param, .. } => match self.list_value(param) {
                Some(list) => {
                    let mut all = Arg::default();
                    for (i, a) in list.iter().enumerate() {
                        if i > 0 {
                            all.text.push(' ');
                        }
                        all.text.push_str(&a.text);
                        all.taint = all.taint.and(a.taint);
                    }
                    all
                }
                None => self.param_value(param),
            },
            Part::Command { script, .. } => {
                let flow = self.capture(script, "$()");
                let text =
                    flow.text.map_or_else(|| HOLE.to_string(), |t| t.trim_end_matches('\n').to_owned());
                Arg { text, taint: flow.taint, ..Arg::default() }
            }
            Part::Arith { inner } => {
                let v = self.expand_one(inner);
                let text =
                    self.arithmetic(&v.text).map_or_else(|| HOLE.to_string(), |number| number.to_string());
                Arg { text, taint: v.taint, ..Arg::default() }
            }
            Part::Process { script, write } => {
                self.next_fd += 1;
                let name = self.next_fd.to_string();
                let fd = if *write {
                    // Whatever it is fed, its own commands run.
                    Fd::Writer(std::rc::Rc::clone(script))
                } else {
                    Fd::Data(self.capture(script, "<()"))
                };
                self.st.fds.push((name.clone(), fd));
                Arg::new(format!("/dev/fd/{name}"))
            }
        }
    }
}
