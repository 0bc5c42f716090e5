//! Parameters: `$x`, `${x…}` in all its forms, arrays.

use crate::model::{Arg, HOLE};
use crate::syntax::ast::{Param, ParamOp, Part, Which, Word};
use crate::syntax::quoted_word;

use super::Walk;
use super::format::backslashed;
use super::glob::Glob;
use super::state::{MAX_TEXT, VarKind};

/// As many of the first characters of a token may be shown.
const FIRST_CHARACTERS: i64 = 8;

fn hole() -> Arg {
    Arg::new(HOLE.to_string())
}

impl Walk<'_> {
    /// The fields of `$@`, `${a[@]}`; none when the parameter is a plain one.
    pub(super) fn list_value(&mut self, param: &Param) -> Option<Vec<Arg>> {
        let all = matches!(param.index.as_deref(), Some("@" | "*"));
        if param.length || !(all || matches!(param.name.as_str(), "@" | "*")) {
            return None;
        }
        if param.indirect {
            return all.then(|| self.keys(&param.name));
        }
        let mut list = if all {
            match self.st.var(&param.name) {
                Some(var) => {
                    var.array.clone().unwrap_or_else(|| var.values.first().cloned().into_iter().collect())
                }
                None => return None,
            }
        } else {
            self.st.positional.iter().skip(1).cloned().collect()
        };
        match &param.op {
            ParamOp::None | ParamOp::Error => Some(list),
            ParamOp::Slice(from, len) => {
                let from = self.number_of(from)?;
                let len = match len {
                    Some(len) => Some(self.number_of(len)?),
                    None => None,
                };
                if !all && from == 0 {
                    list.insert(0, self.st.positional.first().cloned().unwrap_or_else(hole));
                }
                let start = if from < 0 { i64::try_from(list.len()).ok()? + from } else { from };
                let start = start - i64::from(!all && from > 0);
                let skip = usize::try_from(start).unwrap_or(usize::MAX);
                let take = len.map_or(usize::MAX, |len| usize::try_from(len).unwrap_or(0));
                Some(list.into_iter().skip(skip).take(take).collect())
            }
            ParamOp::Default(word, _) | ParamOp::Assign(word, _) => {
                if list.is_empty() { None } else { Some(list) }.or_else(|| Some(vec![self.expand_one(word)]))
            }
            ParamOp::Alternative(word, _) => {
                Some(if list.is_empty() { list } else { vec![self.expand_one(word)] })
            }
            op => Some(list.iter().map(|item| self.edited(op, item)).collect()),
        }
    }

    /// The keys of an array: `${!a[@]}`.
    fn keys(&self, name: &str) -> Vec<Arg> {
        let Some(var) = self.st.var(name) else { return vec![hole()] };
        match (&var.keys, &var.array) {
            (Some(keys), _) => keys.iter().map(Arg::new).collect(),
            (None, Some(list)) => (0..list.len()).map(|i| Arg::new(i.to_string())).collect(),
            (None, None) => vec![Arg::new("0")],
        }
    }

    /// The value of a name; none when it was never set here.
    pub(crate) fn lookup(&self, name: &str) -> Option<Arg> {
        if let Some(v) = self.st.var(name) {
            if let Some(list) = &v.array {
                return match &v.keys {
                    Some(_) => v.item("0"),
                    None => list.first().cloned(),
                };
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
            "#" if !self.st.positional.is_empty() => (self.st.positional.len() - 1).to_string(),
            _ => return None,
        };
        Some(Arg::new(text))
    }

    /// What a name is worth that has no value: nothing where that is certain, else a hole.
    fn without_value(&mut self, name: &str) -> Arg {
        let unset = self.st.var(name).is_some();
        let missing = !self.st.positional.is_empty() && name.bytes().all(|c| c.is_ascii_digit());
        if unset || missing { Arg::new("") } else { self.unset_value(name) }
    }

    /// The word of `${x:-word}` or `${x:+word}`, when that is what comes out.
    pub(super) fn word_instead<'p>(&mut self, param: &'p Param) -> Option<&'p Word> {
        let plain = !param.length && !param.indirect && param.index.is_none();
        let found = plain.then(|| self.lookup(&param.name))?;
        let set = |colon: bool| found.as_ref().is_some_and(|v| !(colon && v.text.is_empty()));
        match &param.op {
            ParamOp::Default(word, colon) if !set(*colon) => Some(word),
            ParamOp::Alternative(word, colon) if set(*colon) => Some(word),
            _ => None,
        }
    }

    pub(super) fn param_value(&mut self, param: &Param) -> Arg {
        let mut name = param.name.clone();
        let mut index = param.index.clone();
        if param.length {
            return self.length(&name, index.as_deref());
        }
        if param.indirect {
            let own = self.st.own_var(&name).filter(|v| v.kind == VarKind::Reference);
            let to = match own.and_then(|v| v.values.first()) {
                // `${!ref}` of a reference is the name that it refers to.
                Some(to) => return to.clone(),
                None => self.lookup(&name),
            };
            let Some(to) = to.filter(|to| !to.has_hole()) else { return hole() };
            match to.text.split_once('[') {
                Some((n, i)) => {
                    n.clone_into(&mut name);
                    index = Some(i.trim_end_matches(']').to_owned());
                    if matches!(index.as_deref(), Some("@" | "*")) {
                        index = None;
                    }
                }
                None => name.clone_from(&to.text),
            }
        }
        let found = match index.as_deref() {
            Some("@" | "*") | None => self.lookup(&name),
            Some(i) => match self.key_of(&name, i) {
                Some(key) => match self.st.var(&name) {
                    Some(var) if var.array.is_some() => Some(var.item(&key).unwrap_or_default()),
                    _ if key == "0" => self.lookup(&name),
                    Some(_) => Some(Arg::default()),
                    None => None,
                },
                None => Some(hole()),
            },
        };
        let set = |colon: bool| found.as_ref().is_some_and(|v| !(colon && v.text.is_empty()));
        match &param.op {
            ParamOp::None | ParamOp::Error => found.unwrap_or_else(|| self.without_value(&name)),
            ParamOp::Default(word, colon) | ParamOp::Assign(word, colon) => {
                // Substitutions in the word run only when the value is missing; then they run for certain.
                if set(*colon) {
                    return found.unwrap_or_else(hole);
                }
                let v = self.expand_one(word);
                if matches!(param.op, ParamOp::Assign(..)) {
                    self.st.set(&name, v.clone());
                }
                v
            }
            ParamOp::Alternative(word, colon) => {
                // It may be set in the environment.
                let certainly_not = self.st.var(&name).is_some() || !self.st.positional.is_empty();
                if set(*colon) || found.is_none() && !certainly_not {
                    self.expand_one(word)
                } else {
                    Arg::new("")
                }
            }
            ParamOp::Slice(from, len) => {
                let from = self.number_of(from);
                let len = len.as_ref().map(|len| self.number_of(len));
                let value = found.unwrap_or_else(|| self.without_value(&name));
                let text = match (from, len) {
                    (Some(from), None) => substring(&value.text, from, None),
                    (Some(from), Some(Some(len))) => substring(&value.text, from, Some(len)),
                    _ => None,
                };
                // The first characters tell one key from another and are no key.
                let first = matches!((from, len), (Some(0), Some(Some(0..=FIRST_CHARACTERS))));
                let taint = if first { value.taint.used() } else { value.taint };
                Arg { text: text.unwrap_or_else(|| HOLE.to_string()), raw: None, taint, ..value }
            }
            op => {
                let value = found.unwrap_or_else(|| self.without_value(&name));
                self.edited(op, &value)
            }
        }
    }

    /// `${#x}`, `${#a[@]}`
    fn length(&mut self, name: &str, index: Option<&str>) -> Arg {
        if matches!(index, Some("@" | "*")) || matches!(name, "@" | "*") {
            let count = match self.st.var(name) {
                _ if index.is_none() && self.st.positional.is_empty() => return hole(),
                _ if index.is_none() => self.st.positional.len() - 1,
                Some(var) => var.array.as_ref().map_or(var.values.len(), Vec::len),
                None => return hole(),
            };
            return Arg::new(count.to_string());
        }
        let value = match index {
            None => self.lookup(name).unwrap_or_else(|| self.without_value(name)),
            Some(i) => match self.key_of(name, i) {
                Some(key) => self.st.var(name).and_then(|v| v.item(&key)).unwrap_or_default(),
                None => hole(),
            },
        };
        if value.has_hole() { hole() } else { Arg::new(value.text.chars().count().to_string()) }
    }

    /// A value after `%`, `/`, `^` and the like; a hole when that cannot be said.
    fn edited(&mut self, op: &ParamOp, value: &Arg) -> Arg {
        let known = !value.has_hole();
        let text = match op {
            ParamOp::Cut { end, longest, pattern } => {
                let pattern = self.pattern(pattern);
                pattern.filter(|_| known).and_then(|p| p.cut(&value.text, *end, *longest))
            }
            ParamOp::Replace { which, pattern, with } => {
                let pattern = self.pattern(pattern);
                let with = self.expand_one(with);
                // Newer shells put the match in the place of an `&`.
                let plain = known && !with.text.contains('&');
                pattern.filter(|_| plain).and_then(|p| match which {
                    Which::First => p.replace(&value.text, &with.text, false),
                    Which::All => p.replace(&value.text, &with.text, true),
                    Which::Start => p.replace_at(&value.text, &with.text, false),
                    Which::End => p.replace_at(&value.text, &with.text, true),
                })
            }
            ParamOp::Case { upper, all, pattern } => {
                let pattern = self.pattern(pattern);
                pattern.filter(|_| known).map(|p| in_case(&value.text, *upper, *all, &p))
            }
            ParamOp::Transform(how) if known => match how {
                b'L' => Some(value.text.to_lowercase()),
                b'U' => Some(value.text.to_uppercase()),
                b'u' => Some(in_case(&value.text, true, false, &Glob::default())),
                b'E' => Some(backslashed(&value.text)),
                b'Q' => Some(crate::quote(&value.text)),
                b'P' if !value.text.contains(['\\', '$', '`']) => Some(value.text.clone()),
                b'P' => {
                    let value = value.text.clone();
                    self.expand_text(&value)
                }
                _ => None,
            },
            ParamOp::Other(word) => {
                self.expand_one(word);
                None
            }
            _ => None,
        };
        let text = text.filter(|t| t.len() <= MAX_TEXT).unwrap_or_else(|| HOLE.to_string());
        Arg { text, taint: value.taint, ..Arg::default() }
    }

    /// A word as a pattern: what is quoted stands for itself.
    pub(super) fn pattern(&mut self, word: &Word) -> Option<Glob> {
        let mut written = String::new();
        for (i, part) in word.parts.iter().enumerate() {
            let (text, quoted) = match part {
                Part::Text { text, quoted: false } if i == 0 => (self.tilde(text), false),
                Part::Text { text, quoted } => (text.clone(), *quoted),
                Part::Param { quoted, .. } | Part::Command { quoted, .. } => {
                    (self.part_value(part).text, *quoted)
                }
                Part::Arith { .. } | Part::Process { .. } => (self.part_value(part).text, true),
            };
            if quoted {
                written.extend(text.chars().flat_map(|c| ['\\', c]));
            } else {
                written.push_str(&text);
            }
        }
        let mut glob = Glob::default();
        (!written.contains(HOLE) && glob.active(&written)).then_some(glob)
    }

    fn number_of(&mut self, word: &Word) -> Option<i64> {
        let text = self.expand_one(word).text;
        if text.trim().is_empty() { Some(0) } else { self.arithmetic(&text) }
    }

    /// Expand text that a value brings to light (an index, a prompt): its substitutions run.
    pub(super) fn expand_text(&mut self, text: &str) -> Option<String> {
        if !text.contains(['$', '`', '\\']) {
            return Some(text.to_owned());
        }
        self.code += text.len();
        if self.code > super::MAX_CODE || !self.step() {
            return None;
        }
        let word = quoted_word(text);
        let value = self.within_via("index", |w| w.expand_one(&word));
        (!value.has_hole()).then_some(value.text)
    }

    /// The key that `[index]` of an array means.
    pub(super) fn key_of(&mut self, name: &str, index: &str) -> Option<String> {
        let text = self.expand_text(index)?;
        let text = text.trim_matches(['"', '\'']);
        if self.st.var(name).is_some_and(|v| v.kind == VarKind::Map) {
            return Some(text.to_owned());
        }
        self.arithmetic(text).map(|number| number.to_string())
    }

    /// `a[$(…)]` where a name is expected: the index is expanded.
    pub(super) fn expand_index_of(&mut self, name: &str) {
        if let Some((_, index)) = name.split_once('[')
            && index.contains(['$', '`'])
        {
            let index = index.to_owned();
            self.expand_text(&index);
        }
    }

    /// Assign a value to `name` or `name[index]`.
    pub(super) fn set_named(&mut self, target: &str, value: Arg) {
        match target.split_once('[') {
            Some((name, index)) => {
                let index = index.trim_end_matches(']').to_owned();
                if let Some(key) = self.key_of(name, &index) {
                    self.st.with_var(name, |v| v.put_item(&key, value, false));
                }
            }
            None => self.set_value(target, value),
        }
    }

    /// Assign to a variable by its rules: an integer variable computes what it is given.
    pub(super) fn set_value(&mut self, name: &str, mut value: Arg) {
        if self.st.var(name).is_some_and(|v| v.kind == VarKind::Integer) {
            let number = self.arithmetic(&value.text);
            value.text = number.map_or_else(|| HOLE.to_string(), |n| n.to_string());
        }
        let value = Arg { raw: None, glob: false, ..value };
        self.st.set(name, value);
    }
}

fn in_case(text: &str, upper: bool, all: bool, pattern: &Glob) -> String {
    let mut out = String::with_capacity(text.len());
    for (i, c) in text.chars().enumerate() {
        if (all || i == 0) && (pattern.is_empty() || pattern.takes(c)) {
            if upper { out.extend(c.to_uppercase()) } else { out.extend(c.to_lowercase()) }
        } else {
            out.push(c);
        }
    }
    out
}

/// `${x:from:len}`; a negative number counts from the end.
fn substring(text: &str, from: i64, len: Option<i64>) -> Option<String> {
    if text.contains(HOLE) {
        return None;
    }
    let count = i64::try_from(text.chars().count()).ok()?;
    let start = if from < 0 { count + from } else { from };
    if start < 0 || start > count {
        return Some(String::new());
    }
    let end = match len {
        None => count,
        Some(len) if len < 0 => count + len,
        Some(len) => start.saturating_add(len).min(count),
    };
    let take = usize::try_from(end - start).ok()?;
    Some(text.chars().skip(usize::try_from(start).ok()?).take(take).collect())
}
