//! Words → values, with the state at hand. What cannot be known becomes a hole.

use crate::model::{Arg, HOLE, Taint};
use crate::syntax::ast::{Param, ParamOp, Part, Word};
use crate::text::slice;

use super::Walk;
use super::state::{Fd, MAX_TEXT};

// Unquoted braces and commas, until braces are expanded.
const OPEN: char = '\u{E001}';
const COMMA: char = '\u{E002}';
const CLOSE: char = '\u{E003}';

/// The fields of a word while it is being put together.
#[derive(Default)]
struct Fields {
    done: Vec<Arg>,
    current: Arg,
    /// The current field exists even when it is empty (`""`).
    started: bool,
    braces: bool,
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

    /// A value that is not quoted: split at blanks, globs active.
    fn split(&mut self, arg: &Arg) {
        let own;
        let text = match &self.ifs {
            Some(ifs) => {
                own = arg.text.replace(|c: char| ifs.contains(c), " ");
                &own
            }
            None => &arg.text,
        };
        if text.starts_with([' ', '\t', '\n']) {
            self.cut();
        }
        let mut first = true;
        for piece in text.split([' ', '\t', '\n']).filter(|p| !p.is_empty()) {
            if !first {
                self.cut();
            }
            first = false;
            self.current.glob |= crate::paths::has_glob(piece);
            self.text(piece, arg.taint);
            if self.done.len() > 4096 {
                return;
            }
        }
        if text.ends_with([' ', '\t', '\n']) && !first {
            self.cut();
        }
        if first && arg.taint != Taint::NONE {
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
        self.expand_into(word, &mut f);
        f.cut();
        let braces = f.braces;
        let mut out = if braces {
            let mut all = Vec::new();
            for a in f.done {
                brace_expand(a, &mut all, 0);
            }
            all
        } else {
            f.done
        };
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
        let mut glob = false;
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
                    glob |= v.glob
                        && !matches!(
                            other,
                            Part::Param { quoted: true, .. } | Part::Command { quoted: true, .. }
                        );
                    text.push_str(&v.text);
                }
            }
            if text.len() > MAX_TEXT {
                break;
            }
        }
        let raw = (!word.raw.is_empty()).then(|| std::rc::Rc::clone(&word.raw));
        Arg { text, raw, glob, taint }
    }

    fn expand_into(&mut self, word: &Word, f: &mut Fields) {
        for (i, part) in word.parts.iter().enumerate() {
            match part {
                Part::Text { text, quoted: true } => f.text(text, Taint::NONE),
                Part::Text { text, quoted: false } => {
                    let mut t = if i == 0 { self.tilde(text) } else { text.clone() };
                    if t.contains(['{', '}', ',']) {
                        f.braces = true;
                        t = t.replace('{', "\u{E001}").replace(',', "\u{E002}").replace('}', "\u{E003}");
                    }
                    f.current.glob |= crate::paths::has_glob(&t);
                    f.text(&t, Taint::NONE);
                }
                Part::Param { param, quoted } => {
                    // Arrays and `$@` give several fields.
                    if let Some(list) = self.list_value(param) {
                        let joined = *quoted && (param.name == "*" || param.index.as_deref() == Some("*"));
                        for (n, item) in list.iter().enumerate() {
                            if n > 0 {
                                if joined {
                                    f.text(" ", Taint::NONE);
                                } else {
                                    f.cut();
                                }
                            }
                            if *quoted { f.text(&item.text, item.taint) } else { f.split(item) }
                        }
                        continue;
                    }
                    // An unquoted `${x:-a b}` splits like its word.
                    let v = self.param_value(param);
                    if *quoted { f.text(&v.text, v.taint) } else { f.split(&v) }
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

    fn tilde(&self, text: &str) -> String {
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

    fn part_value(&mut self, part: &Part) -> Arg {
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
                let text = if v.text.trim().parse::<i64>().is_ok() {
                    v.text.trim().to_owned()
                } else {
                    HOLE.to_string()
                };
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

    /// The fields of `$@`, `${a[@]}`; none when the parameter is a plain one.
    fn list_value(&mut self, param: &Param) -> Option<Vec<Arg>> {
        if param.length || param.indirect || !matches!(param.op, ParamOp::None) {
            return None;
        }
        if matches!(param.name.as_str(), "@" | "*") {
            return Some(self.st.positional.iter().skip(1).cloned().collect());
        }
        if matches!(param.index.as_deref(), Some("@" | "*")) {
            let var = self.st.var(&param.name)?;
            return Some(
                var.array.clone().unwrap_or_else(|| var.values.first().cloned().into_iter().collect()),
            );
        }
        None
    }

    /// The value of a name; none when it was never set here.
    pub(crate) fn lookup(&self, name: &str) -> Option<Arg> {
        if let Some(v) = self.st.var(name) {
            if let Some(list) = &v.array {
                return list.first().cloned();
            }
            let n = v.values.len();
            if n > 0 {
                return v.values.get(self.choice % n).cloned();
            }
            return None;
        }
        if let Ok(at) = name.parse::<usize>() {
            return self.st.positional.get(at).cloned();
        }
        let text = match name {
            "HOME" => self.ctx.home.clone(),
            "PWD" => self.st.cwd.clone()?,
            "TMPDIR" | "TMP" | "TEMP" => "/tmp".to_owned(),
            "IFS" => " \t\n".to_owned(),
            "XDG_CONFIG_HOME" => format!("{}/.config", self.ctx.home),
            "XDG_CACHE_HOME" => format!("{}/.cache", self.ctx.home),
            "XDG_DATA_HOME" => format!("{}/.local/share", self.ctx.home),
            "XDG_STATE_HOME" => format!("{}/.local/state", self.ctx.home),
            "CARGO_HOME" => format!("{}/.cargo", self.ctx.home),
            "SHELL" | "BASH" => "/bin/bash".to_owned(),
            "CLAUDE_PROJECT_DIR" => self.ctx.project_root.clone(),
            _ => return None,
        };
        Some(Arg::new(text))
    }

    fn param_value(&mut self, param: &Param) -> Arg {
        if param.length {
            return Arg::new(HOLE.to_string());
        }
        let unset = self.unset_value(&param.name);
        let hole = || unset.clone();
        let mut found = match param.index.as_deref() {
            Some("@" | "*") | None => self.lookup(&param.name),
            Some(i) => {
                let at: usize = i.parse().unwrap_or(usize::MAX);
                let item =
                    self.st.var(&param.name).and_then(|v| v.array.as_ref()).and_then(|a| a.get(at).cloned());
                item.or_else(|| if at == 0 { self.lookup(&param.name) } else { None })
            }
        };
        if param.indirect {
            let name = found.map(|f| f.text).unwrap_or_default();
            found = self.lookup(&name);
        }
        let set = |colon: bool| found.as_ref().is_some_and(|v| !(colon && v.text.is_empty()));
        match &param.op {
            ParamOp::None | ParamOp::Error => found.unwrap_or_else(hole),
            ParamOp::Default(word, colon) | ParamOp::Assign(word, colon) => {
                // Substitutions in the word run only when the value is missing; then they run for certain.
                if set(*colon) {
                    return found.unwrap_or_else(hole);
                }
                let v = self.expand_one(word);
                if matches!(param.op, ParamOp::Assign(..)) {
                    self.st.set(&param.name, v.clone());
                }
                v
            }
            ParamOp::Alternative(word, colon) => {
                if set(*colon) {
                    self.expand_one(word)
                } else if found.is_none() {
                    // It may be set in the environment.
                    self.expand_one(word)
                } else {
                    Arg::new("")
                }
            }
            ParamOp::Slice => hole(),
            ParamOp::Other(word) => {
                self.expand_one(word);
                let taint = found.map(|f| f.taint).unwrap_or_default();
                Arg { taint, ..hole() }
            }
        }
    }
}

/// `a{b,c}d` → `abd acd`, `{1..3}` → `1 2 3`; at most 64 words.
fn brace_expand(arg: Arg, out: &mut Vec<Arg>, depth: u32) {
    let restore =
        |a: Arg| Arg { text: a.text.replace(OPEN, "{").replace(COMMA, ",").replace(CLOSE, "}"), ..a };
    if out.len() >= 64 || depth > 8 {
        out.push(restore(arg));
        return;
    }
    let mut from = 0;
    while let Some(at) = arg.text.get(from..).and_then(|t| t.find(OPEN)).map(|p| p + from) {
        let body_at = at + OPEN.len_utf8();
        let Some((items, close)) = brace_items(&arg.text, body_at) else {
            from = body_at;
            continue;
        };
        let head = slice(&arg.text, ..at);
        let tail = slice(&arg.text, close + CLOSE.len_utf8()..);
        for item in items {
            let text = format!("{head}{item}{tail}");
            brace_expand(Arg { text, ..arg.clone() }, out, depth + 1);
            if out.len() >= 64 {
                return;
            }
        }
        return;
    }
    out.push(restore(arg));
}

/// The alternatives of the brace that opens before `from`, and where it closes.
fn brace_items(text: &str, from: usize) -> Option<(Vec<String>, usize)> {
    let mut open = 0u32;
    let mut items = Vec::new();
    let mut start = from;
    let rest = text.get(from..)?;
    for (i, c) in rest.char_indices() {
        let at = from + i;
        match c {
            OPEN => open += 1,
            CLOSE if open > 0 => open -= 1,
            COMMA if open == 0 => {
                items.push(text.get(start..at)?.to_owned());
                start = at + c.len_utf8();
            }
            CLOSE => {
                let last = text.get(start..at)?;
                if items.is_empty() {
                    let (a, b) = last.split_once("..")?;
                    let (Ok(a), Ok(b)) = (a.parse::<i64>(), b.parse::<i64>()) else {
                        let (a, b) = (a.chars().next()?, b.chars().next()?);
                        return Some(((a..=b).take(32).map(String::from).collect(), at));
                    };
                    let list = (a.min(b)..=a.max(b)).take(32).map(|n| n.to_string()).collect();
                    return Some((list, at));
                }
                items.push(last.to_owned());
                return Some((items, at));
            }
            _ => {}
        }
    }
    None
}
