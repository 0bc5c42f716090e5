//! Commands that the shell itself runs and that change what is known.

use crate::model::{Arg, HOLE, Taint};

use super::exec::{after_dashes, join};
use super::{Flow, Status, Stdin, Walk};

impl Walk<'_> {
    /// Walk a builtin; none when `name` is not one.
    pub(crate) fn builtin(&mut self, name: &str, args: &[Arg], stdin: &Stdin) -> Option<(Flow, Status)> {
        let quiet = |s: Status| Some((Flow::empty(), s));
        match name {
            "true" | ":" => quiet(Status::True),
            "false" => quiet(Status::False),
            "cd" | "pushd" | "chdir" => {
                self.record(name, args, true);
                self.change_dir(args);
                quiet(Status::Likely)
            }
            "popd" => {
                self.st.cwd = Some(self.ctx.cwd.clone());
                quiet(Status::Likely)
            }
            "export" | "declare" | "typeset" | "local" | "readonly" => {
                self.declare(name, args);
                let lists = args.iter().all(|a| a.text.starts_with('-'));
                if lists { Some((self.environment(), Status::Likely)) } else { quiet(Status::Likely) }
            }
            "unset" => {
                self.unset(args);
                quiet(Status::Likely)
            }
            "set" => {
                self.set_options(args);
                if args.is_empty() {
                    Some((self.environment(), Status::Likely))
                } else {
                    quiet(Status::Likely)
                }
            }
            "shift" => {
                if self.st.positional.len() > 1 {
                    self.st.positional.remove(1);
                }
                quiet(Status::Likely)
            }
            "shopt" => {
                if args.iter().any(|a| a.text == "lastpipe") {
                    self.st.lastpipe = args.first().is_some_and(|a| a.text == "-s");
                }
                quiet(Status::Likely)
            }
            "exit" | "logout" => {
                self.st.exited = true;
                quiet(Status::Unknown)
            }
            "return" | "break" | "continue" => {
                self.st.left = true;
                quiet(Status::Unknown)
            }
            "alias" => {
                for a in args {
                    if let Some((n, v)) = a.text.split_once('=') {
                        self.st.aliases.push((n.to_owned(), v.to_owned()));
                    }
                }
                quiet(Status::Likely)
            }
            "unalias" => {
                self.st.aliases.retain(|(n, _)| !args.iter().any(|a| a.text == *n || a.text == "-a"));
                quiet(Status::Likely)
            }
            "trap" => {
                self.trap(args);
                quiet(Status::Likely)
            }
            "eval" => {
                let taint = args.iter().fold(Taint::NONE, |t, a| t.and(a.taint));
                let args = after_dashes(args);
                let flow = Flow { text: Some(join(args)), taint };
                Some((self.run_flow_in(&flow, "sh", "eval", "eval", stdin), Status::Unknown))
            }
            "source" | "." => {
                self.record(name, args, false);
                let file = args.first()?;
                let path = self.path(file);
                if self.is_env_file(&path) && self.st.file(&path.full).is_none() {
                    self.load(path);
                    return quiet(Status::Likely);
                }
                let flow = if matches!(file.text.as_str(), "/dev/stdin" | "-") {
                    stdin.clone().unwrap_or_default()
                } else {
                    self.read_file(file, true)
                };
                Some((self.run_flow(&flow, "sh", name, "source"), Status::Unknown))
            }
            "read" | "mapfile" | "readarray" => {
                self.read_variables(args, stdin);
                quiet(Status::Unknown)
            }
            "echo" => {
                self.record(name, args, true);
                Some((echo(args), Status::Likely))
            }
            "printf" => {
                self.record(name, args, true);
                if let [flag, var, rest @ ..] = args
                    && flag.text == "-v"
                {
                    let flow = printf(rest);
                    self.st.set(&var.text, Arg { text: flow.or_hole(), taint: flow.taint, ..Arg::default() });
                    return quiet(Status::Likely);
                }
                let args = after_dashes(args);
                Some((printf(args), Status::Likely))
            }
            "pwd" => {
                self.record(name, args, true);
                // Kept unknown on purpose: a path built from a substitution is only certain when it runs.
                Some((Flow::default(), Status::Likely))
            }
            "test" | "[" | "type" | "which" | "hash" | "whereis" | "whence" | "man" | "info" | "help"
            | "let" | "umask" | "ulimit" | "wait" | "jobs" | "fg" | "bg" | "disown" | "times" | "getopts"
            | "bind" | "complete" | "compgen" | "enable" | "dirs" | "apropos" | "whatis" => {
                self.record(name, args, true);
                let exported = Flow::default();
                Some((exported, Status::Unknown))
            }
            _ => None,
        }
    }

    /// `export`, `local` and their kin: variables with their values.
    fn declare(&mut self, name: &str, args: &[Arg]) {
        self.record(name, args, true);
        for a in args {
            if a.text.starts_with('-') {
                continue;
            }
            let (n, value) = match a.text.split_once('=') {
                Some((n, v)) => (n, Some(v)),
                None => (a.text.as_str(), None),
            };
            if let Some(v) = value {
                self.program_variable(n, v);
                self.st.set(n, Arg { text: v.to_owned(), taint: a.taint, ..Arg::default() });
            }
            if name == "export" {
                self.st.with_var(n, |v| v.exported = true);
            }
        }
    }

    /// `unset`: variables, or functions.
    fn unset(&mut self, args: &[Arg]) {
        let functions = args.iter().any(|a| a.text == "-f");
        for a in args.iter().filter(|a| !a.text.starts_with('-')) {
            if functions {
                self.st.functions.retain(|(n, _)| *n != a.text);
            } else {
                self.st.unset(&a.text);
            }
        }
    }

    /// `set`: options of the shell that matter here, and positional parameters.
    fn set_options(&mut self, args: &[Arg]) {
        for pair in args.windows(2) {
            if let [flag, value] = pair
                && flag.text.starts_with(['-', '+'])
                && flag.text.ends_with('o')
            {
                let on = flag.text.starts_with('-');
                match value.text.as_str() {
                    "pipefail" => self.st.pipefail = on,
                    "xtrace" | "verbose" => self.st.trace = on,
                    _ => {}
                }
            }
        }
        for a in args.iter().filter(|a| !a.text.starts_with("--") && a.text.contains(['x', 'v'])) {
            match a.text.chars().next() {
                Some('-') => self.st.trace = true,
                Some('+') => self.st.trace = false,
                _ => {}
            }
        }
        if let Some(at) = args.iter().position(|a| a.text == "--") {
            let mut list = vec![Arg::new("sh")];
            list.extend(args.iter().skip(at + 1).cloned());
            self.st.positional = list;
        }
    }

    /// `trap`: the code runs at some time.
    fn trap(&mut self, args: &[Arg]) {
        if args.len() > 1
            && let Some(code) = args.first().filter(|a| !a.text.starts_with('-') && !a.text.is_empty())
        {
            let before = self.st.clone();
            self.deciding(false, |w| w.run_shell(&code.text, "trap", &None));
            self.st.after_subshell(before);
        }
    }

    /// `read`: variables from the input.
    fn read_variables(&mut self, args: &[Arg], stdin: &Stdin) {
        let value = match stdin {
            Some(f) => {
                Arg { text: f.or_hole().trim_end_matches('\n').to_owned(), taint: f.taint, ..Arg::default() }
            }
            None => Arg::new(HOLE.to_string()),
        };
        let names: Vec<&Arg> = positional_after(args, &["-p", "-d", "-n", "-N", "-t", "-u", "-a", "-i"]);
        if let [one] = names.as_slice() {
            self.st.set(&one.text, value);
        } else {
            let mut words = value.text.split_whitespace();
            for n in names {
                let text = words.next().map_or_else(|| HOLE.to_string(), str::to_owned);
                self.st.set(&n.text, Arg { text, taint: value.taint, ..Arg::default() });
            }
        }
        if args.is_empty() {
            self.st.set("REPLY", Arg::new(HOLE.to_string()));
        }
    }

    fn change_dir(&mut self, args: &[Arg]) {
        let target =
            args.iter().find(|a| !(a.text.starts_with('+') || a.text.starts_with('-') && a.text.len() > 1));
        let next = match target {
            None => self.lookup("HOME").unwrap_or_else(|| Arg::new(self.ctx.home.clone())),
            Some(a) if a.text == "-" => {
                let old = self.st.var("OLDPWD").and_then(|v| v.values.first().cloned());
                old.unwrap_or_else(|| Arg::new(HOLE.to_string()))
            }
            Some(a) => a.clone(),
        };
        if let Some(cwd) = self.st.cwd.clone() {
            self.st.set("OLDPWD", Arg::new(cwd));
        }
        let full = self.path(&next).full;
        self.st.cwd = if full.contains(HOLE) { None } else { Some(full) };
    }
}

/// The words that are not options, where `valued` options take the next word.
fn positional_after<'a>(args: &'a [Arg], valued: &[&str]) -> Vec<&'a Arg> {
    let mut out = Vec::new();
    let mut skip = false;
    for a in args {
        if skip {
            skip = false;
        } else if a.text.starts_with('-') && a.text.len() > 1 {
            skip = valued
                .iter()
                .any(|v| a.text == *v || (a.text.len() > 2 && a.text.ends_with(v.trim_start_matches('-'))));
        } else {
            out.push(a);
        }
    }
    out
}

fn echo(args: &[Arg]) -> Flow {
    let mut rest = args;
    let mut escapes = false;
    let mut newline = true;
    while let [first, tail @ ..] = rest {
        let t = first.text.as_str();
        if t.len() > 1 && t.starts_with('-') && t.bytes().skip(1).all(|c| matches!(c, b'n' | b'e' | b'E')) {
            escapes |= t.contains('e');
            newline &= !t.contains('n');
            rest = tail;
        } else {
            break;
        }
    }
    let mut text = join(rest);
    if escapes {
        text = unescape(&text);
    }
    if newline {
        text.push('\n');
    }
    let taint = rest.iter().fold(Taint::NONE, |t, a| t.and(a.taint));
    Flow { text: Some(text), taint }
}

fn printf(args: &[Arg]) -> Flow {
    let Some((format, rest)) = args.split_first() else { return Flow::empty() };
    let taint = args.iter().fold(Taint::NONE, |t, a| t.and(a.taint));
    let mut out = String::new();
    let mut values = rest.iter();
    let mut rounds = 0;
    loop {
        let mut used = false;
        let mut chars = format.text.chars().peekable();
        while let Some(c) = chars.next() {
            match c {
                '\\' => {
                    out.push('\\');
                    out.extend(chars.next());
                }
                '%' => {
                    let mut spec = String::new();
                    while let Some(n) = chars.peek().copied() {
                        chars.next();
                        if n.is_ascii_alphabetic() || n == '%' {
                            spec.push(n);
                            break;
                        }
                    }
                    if spec.as_str() == "%" {
                        out.push('%');
                    } else {
                        used = true;
                        if let Some(v) = values.next() {
                            // `%s` must survive the unescape below as it is; `%b` is meant to be unescaped.
                            if spec == "b" {
                                out.push_str(&v.text);
                            } else {
                                out.push_str(&v.text.replace('\\', "\\\\"));
                            }
                        }
                    }
                }
                _ => out.push(c),
            }
        }
        rounds += 1;
        if !used || values.len() == 0 || rounds > 64 || out.len() > super::state::MAX_TEXT {
            break;
        }
    }
    Flow { text: Some(unescape(&out)), taint }
}

/// `\n`, `\x41`, `\101`, `\u0041` as `echo -e` and `printf` know them.
pub(crate) fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        let Some(n) = chars.next() else {
            out.push('\\');
            break;
        };
        let (radix, max, start) = match n {
            'n' => {
                out.push('\n');
                continue;
            }
            't' => {
                out.push('\t');
                continue;
            }
            'r' => {
                out.push('\r');
                continue;
            }
            'e' | 'a' | 'b' | 'f' | 'v' | 'c' => continue,
            '\\' => {
                out.push('\\');
                continue;
            }
            'x' => (16, 2, None),
            'u' => (16, 4, None),
            'U' => (16, 8, None),
            '0' => (8, 3, None),
            '1'..='7' => (8, 2, n.to_digit(8)),
            other => {
                out.push('\\');
                out.push(other);
                continue;
            }
        };
        let mut value = start.unwrap_or(0);
        let mut digits = 0;
        while digits < max {
            let Some(d) = chars.peek().and_then(|c| c.to_digit(radix)) else { break };
            value = value.saturating_mul(radix).saturating_add(d);
            chars.next();
            digits += 1;
        }
        out.extend(char::from_u32(value));
    }
    out
}
