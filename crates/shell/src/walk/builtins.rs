//! Commands that the shell itself runs and that change what is known.

use crate::model::{Arg, HOLE, Taint};

use super::exec::{after_dashes, join};
use super::format::{echo, printf};
use super::state::{Leave, Var, VarKind};
use super::{Flow, Status, Stdin, Walk};

/// Commands that make variables of their words.
pub(super) fn declares(name: &str) -> bool {
    matches!(name, "export" | "declare" | "typeset" | "readonly" | "local")
}

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
                if lists { Some((self.whole_environment(), Status::Likely)) } else { quiet(Status::Likely) }
            }
            "unset" => {
                self.unset(args);
                quiet(Status::Likely)
            }
            "set" => {
                self.set_options(args);
                if args.is_empty() {
                    Some((self.whole_environment(), Status::Likely))
                } else {
                    quiet(Status::Likely)
                }
            }
            "shift" => {
                let count = args.first().map_or(Some(1), |a| a.text.parse().ok()).unwrap_or(0);
                let end = (1 + count).min(self.st.positional.len());
                if self.st.positional.len() > 1 {
                    self.st.positional.drain(1..end);
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
                quiet(code_status(args))
            }
            "return" => {
                self.st.left = Some(Leave::Return);
                quiet(code_status(args))
            }
            "break" | "continue" => {
                let levels = args.first().and_then(|a| a.text.parse().ok()).unwrap_or(1);
                let out = if name == "break" { Leave::Break(levels) } else { Leave::Continue(levels) };
                if self.loops > 0 {
                    self.st.left = Some(out);
                }
                quiet(Status::True)
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
            "eval" => Some(self.eval(args, stdin)),
            "source" | "." => self.source(name, args, stdin),
            "read" => {
                let status = self.read_variables(args, stdin);
                quiet(status)
            }
            "mapfile" | "readarray" => {
                let status = self.map_file(args, stdin);
                quiet(status)
            }
            _ => self.listed_builtin(name, args),
        }
    }

    fn eval(&mut self, args: &[Arg], stdin: &Stdin) -> (Flow, Status) {
        let taint = args.iter().fold(Taint::NONE, |t, a| t.and(a.taint));
        let flow = Flow { text: Some(join(after_dashes(args))), taint };
        self.status = Status::Unknown;
        let flow = self.run_flow_in(&flow, "sh", "eval", "eval", stdin);
        (flow, self.status)
    }

    fn source(&mut self, name: &str, args: &[Arg], stdin: &Stdin) -> Option<(Flow, Status)> {
        self.record(name, args, false);
        let file = args.first()?;
        let path = self.path(file);
        if self.is_env_file(&path) && self.st.file(&path.full).is_none() {
            self.load(path);
            return Some((Flow::empty(), Status::Likely));
        }
        let flow = if matches!(file.text.as_str(), "/dev/stdin" | "-") {
            stdin.clone().unwrap_or_default()
        } else {
            self.read_file(file, true)
        };
        Some((self.run_flow(&flow, "sh", name, "source"), Status::Unknown))
    }

    /// Walk a builtin that is listed among the commands and changes little.
    fn listed_builtin(&mut self, name: &str, args: &[Arg]) -> Option<(Flow, Status)> {
        let quiet = |s: Status| Some((Flow::empty(), s));
        match name {
            "echo" => {
                self.record(name, args, true);
                Some((echo(args), Status::Likely))
            }
            "printf" => {
                self.record(name, args, true);
                if let [flag, var, rest @ ..] = args
                    && flag.text == "-v"
                {
                    let flow = printf(after_dashes(rest));
                    self.expand_index_of(&var.text);
                    let value = Arg { text: flow.or_hole(), taint: flow.taint, ..Arg::default() };
                    self.set_named(&var.text, value);
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
            "test" | "[" => {
                self.record(name, args, true);
                Some((Flow::empty(), self.test(name, args)))
            }
            "let" => {
                self.record(name, args, true);
                let mut value = None;
                for a in args {
                    value = self.arithmetic(&a.text);
                }
                quiet(match value {
                    Some(0) => Status::False,
                    Some(_) => Status::True,
                    None => Status::Unknown,
                })
            }
            "hash" => {
                self.record(name, args, true);
                if let [flag, path, names @ ..] = args
                    && flag.text == "-p"
                {
                    let names = names.iter().map(|n| (n.text.clone(), path.text.clone()));
                    self.st.hashed.extend(names);
                }
                quiet(Status::Unknown)
            }
            "man" => {
                self.record(name, args, true);
                let split = crate::tools::split(args, "PHCMRSemrsLpE", &["--pager", "--html"]);
                if let Some(pager) = split.value(&["-P", "--pager", "-H", "--html"]).cloned() {
                    self.run_shell(&pager.text, "pager", &None);
                }
                Some((Flow::default(), Status::Unknown))
            }
            "which" | "type" | "whence" => {
                self.record(name, args, true);
                Some((program_path(name, args), Status::Unknown))
            }
            // The same program behind its links; of other paths a link may lead anywhere.
            "realpath" | "readlink" if args.last().is_some_and(|a| a.text.starts_with(PROGRAMS)) => {
                self.record(name, args, true);
                Some((program_path(name, args), Status::Unknown))
            }
            "whereis" | "info" | "help" | "umask" | "ulimit" | "wait" | "jobs" | "fg" | "bg" | "disown"
            | "times" | "getopts" | "bind" | "complete" | "compgen" | "enable" | "dirs" | "apropos"
            | "whatis" => {
                self.record(name, args, true);
                Some((Flow::default(), Status::Unknown))
            }
            _ => None,
        }
    }

    /// `export`, `local` and their kin: variables with their values. Arrays among the words are in `arrays` by name.
    fn declare(&mut self, name: &str, args: &[Arg]) {
        self.record(name, args, true);
        let flags: String = args.iter().filter_map(|a| a.text.strip_prefix('-')).collect();
        if flags.contains(['f', 'F']) {
            if name == "export" || flags.contains('x') {
                let names = args.iter().filter(|a| !a.text.starts_with('-'));
                self.st.exported_functions.extend(names.map(|a| a.text.clone()));
            }
            return;
        }
        for a in args {
            if a.text.starts_with(['-', '+']) {
                continue;
            }
            let (left, value) = match a.text.split_once('=') {
                Some((n, v)) => (n, Some(v)),
                None => (a.text.as_str(), None),
            };
            self.expand_index_of(left);
            let (left, append) = left.strip_suffix('+').map_or((left, false), |l| (l, value.is_some()));
            let plain = left.split('[').next().unwrap_or(left);
            self.prepare(name, &flags, plain);
            if let Some(v) = value {
                self.program_variable(plain, v);
                let mut value = Arg { text: v.to_owned(), taint: a.taint, ..Arg::default() };
                if append && let Some(old) = self.lookup(plain) {
                    value = Arg { text: format!("{}{}", old.text, value.text), ..value };
                }
                if flags.contains('n') {
                    self.st.with_own_var(plain, |v| v.values = vec![value]);
                } else {
                    self.set_named(left, value);
                }
            }
            if name == "export" || flags.contains('x') {
                if self.st.var(plain).is_none() {
                    let inherited = self.lookup(plain).unwrap_or_else(|| self.unset_value(plain));
                    self.st.set(plain, inherited);
                }
                self.st.with_var(plain, |v| v.exported = true);
            }
        }
    }

    /// What the options of `declare` say about a variable before it gets its value.
    pub(super) fn prepare(&mut self, command: &str, flags: &str, name: &str) {
        let global = flags.contains('g') || matches!(command, "export" | "readonly");
        if command == "local" || !global {
            self.st.make_local(name);
        }
        let kind = flags.chars().rev().find_map(|c| match c {
            'n' => Some(VarKind::Reference),
            'l' => Some(VarKind::Lower),
            'u' => Some(VarKind::Upper),
            'i' => Some(VarKind::Integer),
            'A' => Some(VarKind::Map),
            _ => None,
        });
        if let Some(kind) = kind {
            self.st.with_own_var(name, |v| {
                v.kind = kind;
                if kind == VarKind::Map {
                    v.array.get_or_insert_with(Vec::new);
                    v.keys.get_or_insert_with(Vec::new);
                }
            });
        } else if flags.contains('a') {
            self.st.with_own_var(name, |v| {
                v.array.get_or_insert_with(Vec::new);
            });
        }
    }

    /// `unset`: variables, or functions.
    fn unset(&mut self, args: &[Arg]) {
        let functions = args.iter().any(|a| a.text == "-f");
        for a in args.iter().filter(|a| !a.text.starts_with('-')) {
            if functions {
                self.st.functions.retain(|(n, _)| *n != a.text);
            } else if a.text.contains('[') {
                self.expand_index_of(&a.text);
            } else {
                // It has no value now, and that is known.
                self.st.with_own_var(&a.text, |v| *v = Var::default());
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
        if self.st.trace {
            self.prompt();
        }
        let mut skip = false;
        let words = args.iter().position(|a| {
            let value = std::mem::replace(&mut skip, a.text.len() > 1 && a.text.ends_with('o'));
            !value && (a.text == "--" || !a.text.starts_with(['-', '+']))
        });
        if let Some(at) = words {
            let mut list = vec![self.st.positional.first().cloned().unwrap_or_else(|| Arg::new("sh"))];
            list.extend(after_dashes(args.get(at..).unwrap_or_default()).iter().cloned().map(Arg::names));
            self.st.positional = list;
        }
    }

    /// `set -x` prints `PS4` before each command; its substitutions run.
    pub(super) fn prompt(&mut self) {
        if let Some(prompt) = self.st.var("PS4").and_then(|v| v.values.first().cloned()) {
            self.expand_text(&prompt.text);
        }
    }

    /// `trap`: the code runs when the shell ends, or at some other time.
    fn trap(&mut self, args: &[Arg]) {
        let Some((code, signals)) = after_dashes(args).split_first().filter(|(_, s)| !s.is_empty()) else {
            return;
        };
        let at_exit = |a: &Arg| matches!(a.text.as_str(), "EXIT" | "0" | "exit");
        if code.text == "-" || code.text.is_empty() {
            if signals.iter().any(at_exit) {
                self.st.at_exit = None;
            }
            return;
        }
        if code.text.starts_with('-') {
            return;
        }
        if signals.iter().any(at_exit) {
            self.st.at_exit = Some(code.text.clone());
        }
        if !signals.iter().all(at_exit) {
            let before = self.snapshot();
            self.deciding(false, |w| w.run_shell(&code.text, "trap", &None));
            self.leave(before);
        }
    }

    /// The shell at hand ends: what it shall do then is done.
    pub(crate) fn end_shell(&mut self) -> Flow {
        let mut flow = Flow::empty();
        for _ in 0..8 {
            let Some(code) = self.st.at_exit.take() else { break };
            self.st.exited = false;
            self.st.left = None;
            flow.push(self.deciding(false, |w| w.run_shell(&code, "trap", &None)));
        }
        flow
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

/// The status that a number stands for.
fn code_status(args: &[Arg]) -> Status {
    match args.first().map(|a| a.text.as_str()) {
        Some("0") => Status::True,
        Some(code) if code.parse::<u32>().is_ok_and(|code| code % 256 != 0) => Status::False,
        _ => Status::Unknown,
    }
}

/// Where a program lies that is found by its name.
const PROGRAMS: &str = "/usr/local/bin/";

/// What `which`, `command -v` and `type -p` print for one plain name: where it lies is not known, its name is.
pub(super) fn program_path(name: &str, args: &[Arg]) -> Flow {
    let mut names = args.iter().map(|a| a.text.as_str()).filter(|a| !a.starts_with('-'));
    let (Some(program), None) = (names.next(), names.next()) else { return Flow::default() };
    let only_path = name != "type" || args.iter().any(|a| matches!(a.text.as_str(), "-p" | "-P" | "-fp"));
    let plain = |c: char| c.is_ascii_alphanumeric() || "._+-".contains(c);
    match program {
        _ if !only_path || program.is_empty() => Flow::default(),
        path if path.starts_with('/') && !path.contains(HOLE) => Flow::text(format!("{path}\n")),
        program if program.chars().all(plain) => Flow::text(format!("{PROGRAMS}{program}\n")),
        _ => Flow::default(),
    }
}
