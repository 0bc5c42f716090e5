//! `read` and `mapfile`: variables from the input.

use crate::model::{Arg, HOLE};

use super::state::{Fd, VarKind};
use super::{Flow, Status, Stdin, Walk};

/// What the options of `read` or `mapfile` say.
#[derive(Default)]
struct Options {
    raw: bool,
    array: Option<String>,
    delimiter: Option<String>,
    count: Option<usize>,
    skip: usize,
    trim: bool,
    fd: Option<String>,
    callback: Option<String>,
    quantum: usize,
    names: Vec<String>,
}

/// Reads options; `valued` are those with a value.
fn options(args: &[Arg], valued: &str) -> Options {
    let mut o = Options { quantum: 5000, ..Options::default() };
    let mut i = 0;
    while let Some(a) = args.get(i) {
        i += 1;
        let Some(flags) = a.text.strip_prefix('-').filter(|f| !f.is_empty()) else {
            o.names.push(a.text.clone());
            continue;
        };
        if flags == "-" {
            continue;
        }
        for (at, c) in flags.char_indices() {
            if !valued.contains(c) {
                match c {
                    'r' => o.raw = true,
                    't' => o.trim = true,
                    _ => {}
                }
                continue;
            }
            let rest = flags.get(at + c.len_utf8()..).unwrap_or_default();
            let value = if rest.is_empty() {
                i += 1;
                args.get(i - 1).map(|v| v.text.clone()).unwrap_or_default()
            } else {
                rest.to_owned()
            };
            match c {
                'a' => o.array = Some(value),
                'd' => o.delimiter = Some(value),
                'n' | 'N' => o.count = value.parse().ok(),
                's' => o.skip = value.parse().unwrap_or(0),
                'u' => o.fd = Some(value),
                'C' => o.callback = Some(value),
                'c' => o.quantum = value.parse().unwrap_or(1),
                _ => {}
            }
            break;
        }
    }
    o
}

impl Walk<'_> {
    /// The input of `read`: from descriptor `fd` or the standard input.
    fn input_of(&self, fd: Option<&str>, stdin: &Stdin) -> Flow {
        match fd {
            None | Some("0") => stdin.clone().unwrap_or_default(),
            Some(name) => match self.fd(name) {
                Some(Fd::Data(flow)) => flow.clone(),
                _ => Flow::default(),
            },
        }
    }

    /// Take what `read` takes from its input; none when that is not known.
    fn take_line(&mut self, o: &Options, flow: &Flow) -> Option<(String, Status)> {
        let text = flow.text.as_deref()?;
        let from = if o.fd.as_deref().is_none_or(|fd| fd == "0") { self.st.consumed } else { 0 };
        let rest = text.get(from..)?;
        let delimiter = match o.delimiter.as_deref() {
            None => '\n',
            Some(d) => d.chars().next().unwrap_or('\0'),
        };
        let (line, used, found) = if let Some(count) = o.count {
            let line: String = rest.chars().take(count).take_while(|c| *c != delimiter).collect();
            let used = line.len();
            (line, used, true)
        } else {
            line_of(rest, delimiter, o.raw)
        };
        match o.fd.as_deref() {
            None | Some("0") => self.st.consumed = from + used,
            Some(name) => {
                let left = rest.get(used..).unwrap_or_default().to_owned();
                let flow = Flow { text: Some(left), taint: flow.taint };
                self.st.fds.push((name.to_owned(), Fd::Data(flow)));
            }
        }
        let status = match (found, text.contains(HOLE)) {
            (_, true) => Status::Unknown,
            (true, _) => Status::True,
            (false, _) => Status::False,
        };
        Some((line, status))
    }

    /// `read`: variables from a line of the input.
    pub(super) fn read_variables(&mut self, args: &[Arg], stdin: &Stdin) -> Status {
        let o = options(args, "adinNptu");
        for name in &o.names {
            self.expand_index_of(name);
        }
        let flow = self.input_of(o.fd.as_deref(), stdin);
        let ifs = self.lookup("IFS").map(|v| v.text).unwrap_or_default();
        let (line, status) = match self.take_line(&o, &flow) {
            Some(taken) => taken,
            None => (HOLE.to_string(), Status::Unknown),
        };
        let arg = |text: String| Arg { text, taint: flow.taint, ..Arg::default() };
        if let Some(array) = &o.array {
            let list: Vec<Arg> = fields(&line, &ifs, usize::MAX).into_iter().map(arg).collect();
            self.set_array(array, list);
            return status;
        }
        if o.names.is_empty() {
            self.st.set("REPLY", arg(line));
            return status;
        }
        let unknown = line.contains(HOLE);
        let mut values = fields(&line, &ifs, o.names.len()).into_iter();
        for name in &o.names {
            let missing = if unknown { HOLE.to_string() } else { String::new() };
            let text = values.next().unwrap_or(missing);
            self.set_named(name, arg(text));
        }
        status
    }

    /// `mapfile`: an array of the lines of the input.
    pub(super) fn map_file(&mut self, args: &[Arg], stdin: &Stdin) -> Status {
        let o = options(args, "dnOsuCc");
        let name = o.names.first().cloned().unwrap_or_else(|| "MAPFILE".to_owned());
        let flow = self.input_of(o.fd.as_deref(), stdin);
        let list: Vec<Arg> = match &flow.text {
            Some(text) => {
                let text = text.get(self.st.consumed..).unwrap_or(text);
                let delimiter = match o.delimiter.as_deref() {
                    None => '\n',
                    Some(d) => d.chars().next().unwrap_or('\0'),
                };
                let most = o.count.filter(|n| *n > 0).unwrap_or(256).min(256);
                let lines = text.split_inclusive(delimiter).skip(o.skip).take(most);
                let cut = |line: &str| {
                    let line = if o.trim { line.strip_suffix(delimiter).unwrap_or(line) } else { line };
                    Arg { text: line.to_owned(), taint: flow.taint, ..Arg::default() }
                };
                lines.map(cut).collect()
            }
            None => vec![Arg { taint: flow.taint, ..Arg::new(HOLE.to_string()) }],
        };
        if let Some(callback) = &o.callback {
            let every = o.quantum.max(1);
            for (at, line) in list.iter().enumerate().skip(every - 1).step_by(every).take(16) {
                let code = format!("{callback} {at} {}", crate::quote(&line.text));
                self.run_shell(&code, "mapfile -C", &None);
            }
        }
        self.set_array(&name, list);
        Status::Likely
    }

    /// Make a variable an array of these items.
    pub(super) fn set_array(&mut self, name: &str, list: Vec<Arg>) {
        self.st.with_var(name, |v| {
            v.values.clear();
            v.keys = (v.kind == VarKind::Map).then(|| (0..list.len()).map(|i| i.to_string()).collect());
            v.array = Some(list);
        });
    }
}

/// The line at the start of `text` as `read` sees it, how much of the text it is, and whether it has its end.
fn line_of(text: &str, delimiter: char, raw: bool) -> (String, usize, bool) {
    let mut line = String::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        if c == delimiter {
            return (line, at + c.len_utf8(), true);
        }
        if c == '\\' && !raw {
            match chars.next() {
                Some((_, '\n')) | None => {}
                Some((_, next)) => line.push(next),
            }
            continue;
        }
        line.push(c);
    }
    (line, text.len(), false)
}

/// Split a line at the characters of `ifs` into at most `most` fields; the last one has the rest.
fn fields(line: &str, ifs: &str, most: usize) -> Vec<String> {
    let blank = |c: char| matches!(c, ' ' | '\t' | '\n') && ifs.contains(c);
    let mut rest = line.trim_start_matches(blank);
    let mut out = Vec::new();
    while !rest.is_empty() {
        if out.len() + 1 == most {
            let mut last = rest.trim_end_matches(blank);
            // A single separator at the very end belongs to the field before it.
            if let Some(cut) = last.strip_suffix(|c: char| ifs.contains(c))
                && !cut.contains(|c: char| ifs.contains(c))
            {
                last = cut.trim_end_matches(blank);
            }
            out.push(last.to_owned());
            break;
        }
        let end = rest.find(|c: char| ifs.contains(c)).unwrap_or(rest.len());
        let (piece, tail) = rest.split_at(end);
        out.push(piece.to_owned());
        let after = tail.trim_start_matches(blank);
        rest = match after.chars().next().filter(|c| ifs.contains(*c)) {
            Some(c) => after.strip_prefix(c).unwrap_or_default().trim_start_matches(blank),
            None => after,
        };
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_split_as_read_does() {
        assert_eq!(fields("a b  c", " \t\n", 2), ["a", "b  c"]);
        assert_eq!(fields(" a b ", " \t\n", 1), ["a b"]);
        assert_eq!(fields("x:y:z", ":", 2), ["x", "y:z"]);
        assert_eq!(fields("a::b", ":", 9), ["a", "", "b"]);
        assert_eq!(fields("a:", ":", 1), ["a"]);
        assert_eq!(fields("a b", "", 3), ["a b"]);
        assert_eq!(line_of("a\\ b\\\nc\nd", '\n', false), ("a bc".to_owned(), 8, true));
        assert_eq!(line_of("a\\n", '\n', true), ("a\\n".to_owned(), 3, false));
    }
}
