//! The walk: a program is followed command by command, with what is known about variables, files and pipes, and every
//! command that would run is recorded with its effects. Nothing is executed.

mod arith;
mod braces;
mod builtins;
mod carriers;
mod code;
mod compound;
mod exec;
mod expand;
mod format;
mod glob;
mod io;
mod load;
mod params;
mod read;
mod state;
mod test;
mod wrapper_table;
mod wrappers;

use std::ops::Range;
use std::rc::Rc;

use crate::model::{Analysis, Arg, Cmd, CodeFrom, Context, Effect, EffectKind, HOLE, Note, PathRef, Taint};
use crate::paths::{self};
use crate::syntax::ast::{
    Assign, AssignValue, Command, CommandKind, Item, Link, Pipeline, Redirect, Script, Word,
};
use crate::syntax::parse;
use crate::text::slice;

use builtins::declares;
pub(crate) use code::shell_name;
pub use exec::base_name;
pub(crate) use exec::{join, pass_through, quote_all};
use io::Outs;
pub(crate) use state::Flow;
use state::State;

/// Commands looked at before the walk gives up.
const MAX_STEPS: u32 = 20_000;
/// Programs inside programs inside wrappers.
const MAX_DEPTH: u32 = 40;
/// Bytes of nested program text read in all.
const MAX_CODE: usize = 4 << 20;

/// How commands are reached that only a second reading of a broken line shows.
pub(crate) const SECOND_READING: &str = "second reading";

/// How a command ended, as far as that is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    True,
    /// Does not fail in practice (`cd`, `echo`, an assignment).
    Likely,
    Unknown,
    False,
}

/// Input of a command: nothing (the terminal) or data.
pub(crate) type Stdin = Option<Flow>;

pub(crate) struct Walk<'a> {
    pub(crate) ctx: &'a Context,
    pub(crate) out: Analysis,
    pub(crate) st: State,
    steps: u32,
    depth: u32,
    code: usize,
    /// Which of several possible values of variables is taken in this round.
    choice: usize,
    next_fd: u32,
    via: Vec<&'static str>,
    /// Functions being walked, with the number of forks on the way when each was entered.
    calls: Vec<(Rc<Command>, u32)>,
    forks: u32,
    loops: u32,
    /// The next command was named through a wrapper, which does not see functions.
    skip_functions: bool,
    /// The command at hand is named by a path.
    by_path: Option<String>,
    /// Environment in front of the command at hand.
    env: Vec<(String, String)>,
    /// The exit code of the command at hand is the line's own.
    decides: bool,
    /// A value of an environment file is shown.
    leaks: bool,
    /// The tokens that the line handles.
    tokens: Vec<String>,
    /// A program prints one of them.
    printed_token: bool,
    /// One of them is written to a file.
    shows_token: bool,
    /// How the last program ended.
    status: Status,
    /// The input that an inline program reads line by line.
    pub(crate) records: Option<String>,
}

impl<'a> Walk<'a> {
    pub(crate) fn new(ctx: &'a Context) -> Walk<'a> {
        let st = State { cwd: (!ctx.cwd.is_empty()).then(|| ctx.cwd.clone()), ..State::default() };
        Walk {
            ctx,
            out: Analysis::default(),
            st,
            steps: 0,
            depth: 0,
            code: 0,
            choice: 0,
            next_fd: 62,
            via: Vec::new(),
            calls: Vec::new(),
            forks: 0,
            loops: 0,
            skip_functions: false,
            by_path: None,
            env: Vec::new(),
            decides: true,
            leaks: false,
            tokens: Vec::new(),
            printed_token: false,
            shows_token: false,
            status: Status::Unknown,
            records: None,
        }
    }

    pub(crate) fn note(&mut self, note: Note) {
        if !self.out.notes.contains(&note) {
            self.out.notes.push(note);
        }
    }

    /// One step; false when there are none left.
    fn step(&mut self) -> bool {
        self.steps = self.steps.saturating_add(1);
        if self.steps > MAX_STEPS || self.depth > MAX_DEPTH {
            self.note(Note::TooMuch);
            return false;
        }
        true
    }

    /// The state as it is here. What it holds counts as steps: copies of much text are work too.
    pub(crate) fn snapshot(&mut self) -> State {
        let size = u32::try_from(self.st.size() >> 14).unwrap_or(u32::MAX);
        self.steps = self.steps.saturating_add(size);
        self.st.clone()
    }

    /// Back from a subshell or a child: what it shall do at its end is done, and the state is as before.
    pub(crate) fn leave(&mut self, before: State) {
        if self.st.at_exit != before.at_exit {
            self.end_shell();
        }
        self.st.after_subshell(before);
    }

    pub(crate) fn within_via<T>(&mut self, via: &'static str, run: impl FnOnce(&mut Self) -> T) -> T {
        self.via.push(via);
        self.depth += 1;
        let result = run(self);
        self.depth -= 1;
        self.via.pop();
        result
    }

    /// Walk a part whose exit code is hidden, unless it `decides`.
    pub(crate) fn deciding<T>(&mut self, decides: bool, run: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.decides;
        self.decides = outer && decides;
        let result = run(self);
        self.decides = outer;
        result
    }

    /// The command recorded at `at` is a wrapper if others were recorded after it: it has run them.
    pub(crate) fn mark_wrapper(&mut self, at: usize) {
        if let [wrapper, _, ..] = self.out.commands.get_mut(at..).unwrap_or_default() {
            wrapper.wrapper = true;
        }
    }

    /// Record a command; the effects that follow are its effects.
    pub(crate) fn record(&mut self, name: &str, args: &[Arg], inert: bool) -> usize {
        let cmd = Cmd {
            name: name.to_owned(),
            args: args.to_vec(),
            env: self.env.clone(),
            reached: self.via.clone(),
            inert,
            by_path: self.by_path.clone(),
            wrapper: false,
            decides: self.decides,
            shown: true,
            dir: self.other_dir(),
        };
        self.out.commands.push(cmd);
        self.out.commands.len() - 1
    }

    /// The folder at hand, when it is not the one that the line starts in.
    fn other_dir(&self) -> Option<String> {
        match &self.st.cwd {
            Some(dir) => (*dir != self.ctx.cwd).then(|| dir.clone()),
            None => (!self.ctx.cwd.is_empty()).then(|| HOLE.to_string()),
        }
    }

    pub(crate) fn effect(&mut self, kind: EffectKind) {
        let cmd = self.out.commands.len().saturating_sub(1);
        if self.out.effects.len() < 20_000 {
            self.out.effects.push(Effect { cmd, kind });
        } else {
            self.note(Note::TooMuch);
        }
    }

    pub(crate) fn path(&self, arg: &Arg) -> PathRef {
        paths::path_ref(arg, self.st.cwd.as_deref(), self.ctx)
    }

    /// Walk the whole line, and once more without what makes bash reject it.
    pub(crate) fn top(&mut self, text: &str) {
        self.code += text.len();
        let mut parsed = parse(text);
        self.out.data = outermost(std::mem::take(&mut parsed.data));
        if parsed.too_deep {
            self.note(Note::TooMuch);
        }
        if parsed.broken || parsed.open_quote.is_some() {
            self.note(Note::Broken);
        }
        let (mut shown, _) = self.script(&parsed.script, &None);
        shown.push(self.end_shell());
        self.settle(shown.taint);
        if let Some(at) = parsed.open_quote.filter(|_| parsed.open_ansi) {
            // A shell without `$'…'` sees the end of this quote.
            let rest = slice(text, at + 1..).to_owned();
            self.again(&rest);
        }
        if parsed.open_test {
            self.again(&text.replace("[[", "["));
        }
        if parsed.zsh_braces {
            self.again(&text.replace(" }", " ; }"));
        }
        if parsed.escaped_newline {
            self.again(&text.replace("\\n", " "));
        }
    }

    fn again(&mut self, text: &str) {
        self.st = State { cwd: (!self.ctx.cwd.is_empty()).then(|| self.ctx.cwd.clone()), ..State::default() };
        self.run_shell(text, SECOND_READING, &None);
    }

    /// Walk shell text found inside a word.
    pub(crate) fn run_shell(&mut self, text: &str, via: &'static str, stdin: &Stdin) -> Flow {
        self.code += text.len();
        if self.code > MAX_CODE || self.depth > MAX_DEPTH {
            self.note(Note::TooMuch);
            return Flow::default();
        }
        let parsed = parse(text);
        if parsed.too_deep {
            self.note(Note::TooMuch);
        }
        let (flow, status) = self.within_via(via, |w| w.script(&parsed.script, stdin));
        self.status = status;
        flow
    }

    /// Walk a substitution; its output is what it prints.
    fn capture(&mut self, script: &Script, via: &'static str) -> Flow {
        if self.depth > MAX_DEPTH {
            self.note(Note::TooMuch);
            return Flow::default();
        }
        let before = self.snapshot();
        let env = std::mem::take(&mut self.env);
        let first = self.out.commands.len();
        self.st.at_exit = None;
        let mut flow = self.within_via(via, |w| w.deciding(false, |w| w.script(script, &None).0));
        if self.st.at_exit.is_some() {
            flow.push(self.end_shell());
        }
        self.hide(first);
        self.env = env;
        let consumed = before.consumed;
        self.leave(before);
        self.st.consumed = consumed;
        flow
    }

    pub(crate) fn script(&mut self, script: &Script, stdin: &Stdin) -> (Flow, Status) {
        let mut out = Flow::empty();
        let mut status = Status::True;
        for (i, item) in script.items.iter().enumerate() {
            if self.st.exited || self.st.left.is_some() || self.steps > MAX_STEPS {
                break;
            }
            let decides = i + 1 == script.items.len() && !item.background;
            let (flow, s) = self.deciding(decides, |w| w.item(item, stdin));
            out.push(flow);
            status = s;
        }
        (out, status)
    }

    fn item(&mut self, item: &Item, stdin: &Stdin) -> (Flow, Status) {
        if item.background {
            let before = self.snapshot();
            self.forks += 1;
            let (flow, _) = self.and_or(item, stdin);
            self.forks -= 1;
            self.leave(before);
            return (flow, Status::True);
        }
        self.and_or(item, stdin)
    }

    fn and_or(&mut self, item: &Item, stdin: &Stdin) -> (Flow, Status) {
        // A failure shows as long as only `&&` follows.
        let decides_from = item.rest.iter().rposition(|(link, _)| *link == Link::Or).map_or(0, |at| at + 1);
        let (mut out, mut status) = self.deciding(decides_from == 0, |w| w.pipeline(&item.first, stdin));
        for (i, (link, next)) in item.rest.iter().enumerate() {
            let decides = i + 1 >= decides_from;
            if self.st.exited || self.st.left.is_some() {
                break;
            }
            let certain = match (link, status) {
                (Link::And, Status::False) | (Link::Or, Status::True) => continue,
                (Link::And, Status::True | Status::Likely) | (Link::Or, Status::False) => true,
                _ => false,
            };
            if certain {
                let (flow, s) = self.deciding(decides, |w| w.pipeline(next, stdin));
                out.push(flow);
                status = s;
            } else {
                let before = self.snapshot();
                let (flow, s) = self.deciding(decides, |w| w.pipeline(next, stdin));
                out.push(flow);
                self.st.merge(before);
                status = match (link, s) {
                    // Either side may have succeeded.
                    (Link::Or, Status::True) => Status::True,
                    _ => Status::Unknown,
                };
            }
        }
        (out, status)
    }

    fn pipeline(&mut self, line: &Pipeline, stdin: &Stdin) -> (Flow, Status) {
        let (flow, status) = match line.stages.as_slice() {
            [one] => self.deciding(!line.negated, |w| w.command(one, stdin)),
            stages => {
                let mut input = stdin.clone();
                let mut status = Status::Unknown;
                self.forks += 1;
                let first = self.out.commands.len();
                let reads = self.out.effects.len();
                for (i, stage) in stages.iter().enumerate() {
                    let from = self.out.commands.len();
                    let own = self.out.effects.len();
                    let last = i + 1 == stages.len();
                    let before = self.snapshot();
                    let decides = (last || self.st.pipefail) && !line.negated;
                    if i > 0 {
                        self.st.consumed = 0;
                    }
                    let consumed = before.consumed;
                    let (flow, s) = self.deciding(decides, |w| w.command(stage, &input));
                    if !(last && self.st.lastpipe) {
                        self.leave(before);
                    }
                    if i > 0 {
                        self.st.consumed = consumed;
                    }
                    if i > 0 && !self.out.commands.last().is_some_and(crate::tools::passes_on) {
                        self.hide_range(first..from);
                    }
                    self.unseen_stage(stages.get(..=i).unwrap_or_default(), reads..own);
                    input = Some(flow);
                    status = s;
                }
                self.forks -= 1;
                (input.unwrap_or_default(), status)
            }
        };
        let status = match (line.negated, status) {
            (false, s) => s,
            (true, Status::True) => Status::False,
            (true, Status::False) => Status::True,
            (true, _) => Status::Unknown,
        };
        (flow, status)
    }

    fn command(&mut self, command: &Command, stdin: &Stdin) -> (Flow, Status) {
        if !self.step() {
            return (Flow::default(), Status::Unknown);
        }
        if let CommandKind::Simple { assigns, words } = &command.kind {
            return self.simple(assigns, words, &command.redirects, stdin);
        }
        if let CommandKind::Function { name, body } = &command.kind {
            self.st.functions.retain(|(n, _)| n != name);
            self.st.functions.push((name.clone(), Rc::clone(body)));
            return (Flow::empty(), Status::True);
        }
        let consumed = self.st.consumed;
        let (input, outs) = if command.redirects.is_empty() {
            (stdin.clone(), Outs::default())
        } else {
            self.record("{", &[], true);
            self.redirects(&command.redirects, stdin, false)
        };
        let first = self.out.commands.len();
        if outs.input {
            self.st.consumed = 0;
        }
        let (flow, status) = self.compound(&command.kind, &input);
        if outs.input {
            self.st.consumed = consumed;
        }
        if outs.redirected {
            self.hide(first);
        }
        (self.deliver(flow, outs), status)
    }

    fn simple(
        &mut self,
        assigns: &[Assign],
        words: &[crate::syntax::ast::Word],
        redirects: &[Redirect],
        stdin: &Stdin,
    ) -> (Flow, Status) {
        let rounds = self.st.choices();
        let mut result = (Flow::empty(), Status::Unknown);
        for round in 0..rounds {
            self.choice = round;
            let before = (round + 1 < rounds).then(|| self.snapshot());
            let (flow, status) = self.simple_once(assigns, words, redirects, stdin);
            if round == 0 {
                result = (flow, status);
            } else {
                result.0.taint = result.0.taint.and(flow.taint);
                if result.1 != status {
                    result.1 = Status::Unknown;
                }
                if result.0.text != flow.text {
                    result.0.text = None;
                }
            }
            if let Some(mut b) = before {
                std::mem::swap(&mut self.st, &mut b);
                self.st.merge(b);
            }
        }
        self.choice = 0;
        result
    }

    fn simple_once(
        &mut self,
        assigns: &[Assign],
        words: &[crate::syntax::ast::Word],
        redirects: &[Redirect],
        stdin: &Stdin,
    ) -> (Flow, Status) {
        let mut argv = Vec::with_capacity(words.len());
        let expands_from = self.out.effects.len();
        let keep = words.first().is_some_and(|w| declares(&w.raw));
        for w in words {
            if keep && !argv.is_empty() && is_assignment(&w.raw) {
                // The value of `export a=$b` is not split.
                let value = self.expand_one(w);
                argv.push(Arg { glob: false, ..value });
            } else {
                argv.extend(self.expand(w));
            }
        }
        let was_loaded = self.st.loaded;
        self.load_words(&mut argv, expands_from);
        self.unseen_test(words, expands_from);
        if argv.is_empty() {
            let mut taint = Taint::NONE;
            for a in assigns {
                taint = taint.and(self.assign(a, false));
            }
            if redirects.is_empty() {
                return (Flow::empty(), Status::Likely);
            }
            self.record(">", &[], false);
            let consumed = self.st.consumed;
            let (input, outs) = self.redirects(redirects, stdin, false);
            self.st.consumed = consumed;
            let flow = input.unwrap_or_else(Flow::empty);
            return (self.deliver(flow, outs), Status::Unknown);
        }
        // Assignments in front of a command are its environment only.
        let shadowed: Vec<(String, Option<state::Var>)> =
            assigns.iter().map(|a| (a.name.clone(), self.st.var(&a.name).cloned())).collect();
        let outer = std::mem::take(&mut self.env);
        let flags: String = argv.iter().filter(|_| keep).filter_map(|a| a.text.strip_prefix('-')).collect();
        for a in assigns {
            if keep && let Some(command) = argv.first() {
                self.prepare(&command.text.clone(), &flags, &a.name);
            }
            self.assign(a, true);
            let value = self.lookup(&a.name).map(|v| v.text).unwrap_or_default();
            self.program_variable(&a.name, &value);
            self.env.push((a.name.clone(), value));
        }
        let bare_exec = argv.len() == 1 && argv.first().is_some_and(|a| a.text == "exec");
        let first = self.out.commands.len();
        let first_effect = self.out.effects.len();
        let (input, outs) = if redirects.is_empty() {
            (stdin.clone(), Outs::default())
        } else {
            self.redirects(redirects, stdin, bare_exec)
        };
        if outs.input {
            self.unseen_input(&argv, redirects, first_effect..self.out.effects.len());
        }
        for e in self.out.effects.iter_mut().skip(first_effect) {
            e.cmd = first;
        }
        let network = outs.network;
        let only_for_it = argv.first().is_some_and(|a| matches!(a.text.as_str(), "env" | "genv"));
        let substitutes = outs.redirected && argv.first().is_some_and(|a| a.text == "envsubst");
        if self.st.trace && argv.iter().any(|a| a.taint.is_loaded()) {
            self.leaks = true;
        }
        let consumed = self.st.consumed;
        if outs.input {
            self.st.consumed = 0;
        }
        let (mut flow, status) = self.exec(argv, input);
        if outs.input {
            self.st.consumed = consumed;
        }
        if only_for_it {
            self.st.loaded = was_loaded;
        }
        if substitutes {
            // A template is filled in, as it is meant to be.
            flow = Flow::default();
        }
        if outs.redirected {
            self.hide(first);
        }
        if self.out.commands.len() == first {
            self.record(if bare_exec { "exec" } else { "" }, &[], true);
        }
        let shell =
            self.out.commands.iter().skip(first).find(|c| shell_name(&c.name)).map(|c| c.name.clone());
        if let Some(by) = shell.filter(|_| network) {
            self.out
                .effects
                .push(Effect { cmd: first, kind: EffectKind::Code { from: CodeFrom::NetworkShell, by } });
        }
        if !keep {
            for (name, old) in shadowed {
                match old {
                    Some(v) => self.st.with_var(&name, |x| *x = v),
                    None => self.st.unset(&name),
                }
            }
        }
        self.env = outer;
        (self.deliver(flow, outs), status)
    }

    /// What the commands recorded from `first` on print does not reach whoever runs the line.
    fn hide(&mut self, first: usize) {
        self.hide_range(first..self.out.commands.len());
    }

    fn hide_range(&mut self, range: Range<usize>) {
        for cmd in self.out.commands.get_mut(range).unwrap_or_default() {
            cmd.shown = false;
        }
    }

    /// Variables whose value is a command that another program starts.
    pub(crate) fn program_variable(&mut self, name: &str, value: &str) {
        const NAMES: &[&str] = &[
            "GIT_SSH_COMMAND", "GIT_SSH", "GIT_PAGER", "PAGER", "MANPAGER", "EDITOR", "VISUAL", "GIT_EDITOR",
            "GIT_SEQUENCE_EDITOR", "GIT_EXTERNAL_DIFF", "GIT_ASKPASS", "GIT_PROXY_COMMAND", "SSH_ASKPASS",
            "SUDO_ASKPASS", "BROWSER", "LESSOPEN", "LESSCLOSE", "PROMPT_COMMAND", "RUSTC_WRAPPER",
            "RSYNC_RSH", "CVS_RSH", "SVN_SSH", "FCEDIT", "SUDO_EDITOR", "SYSTEMD_PAGER", "PSQL_EDITOR",
        ];
        if NAMES.contains(&name) && value.contains(char::is_whitespace) {
            let value = value.trim_start_matches('|').to_owned();
            self.run_shell(&value, "program variable", &None);
        }
    }

    fn assign(&mut self, a: &Assign, temporary: bool) -> Taint {
        match &a.value {
            AssignValue::Word(w) => {
                let mut value = self.expand_one(w);
                value.raw = None;
                let taint = value.taint;
                if let Some(index) = &a.index {
                    match self.key_of(&a.name, index) {
                        Some(key) => self.st.with_var(&a.name, |v| v.put_item(&key, value, a.append)),
                        None => self.st.with_var(&a.name, |v| {
                            v.array.get_or_insert_with(Vec::new).push(value);
                        }),
                    }
                    return taint;
                }
                let integer = self.st.var(&a.name).is_some_and(|v| v.kind == state::VarKind::Integer);
                if a.append {
                    let old = self.lookup(&a.name).unwrap_or_else(|| {
                        // A variable that is known to be unset appends to nothing.
                        let unset = self.st.var(&a.name).is_some();
                        Arg::new(if unset { String::new() } else { HOLE.to_string() })
                    });
                    let plus = if integer { "+" } else { "" };
                    value.text = format!("{}{plus}{}", old.text, value.text);
                    value.taint = value.taint.and(old.taint);
                }
                let taint = value.taint;
                if a.name == "PROMPT_COMMAND" {
                    self.run_shell(&value.text.clone(), "program variable", &None);
                }
                self.set_value(&a.name, value);
                if temporary {
                    self.st.with_var(&a.name, |v| v.exported = true);
                }
                if a.name == "PS4" && self.st.trace {
                    self.prompt();
                }
                taint
            }
            AssignValue::Array(words) => {
                self.assign_array(a, words);
                Taint::NONE
            }
        }
    }

    fn assign_array(&mut self, a: &Assign, words: &[Word]) {
        // The words may use the old items.
        let mut items: Vec<(Option<String>, Arg)> = Vec::new();
        for w in words {
            let keyed = w.raw.starts_with('[').then(|| self.expand_one(w)).and_then(|value| {
                let (key, rest) = value.text.strip_prefix('[')?.split_once("]=")?;
                Some((key.to_owned(), Arg { text: rest.to_owned(), raw: None, ..value.clone() }))
            });
            match keyed {
                Some((key, value)) => {
                    let key = self.key_of(&a.name, &key).unwrap_or(key);
                    items.push((Some(key), value));
                }
                None => {
                    items.extend(
                        self.expand(w).into_iter().map(|item| (None, Arg { raw: None, ..item.names() })),
                    );
                }
            }
        }
        self.st.with_var(&a.name, |v| {
            if !a.append {
                v.values.clear();
                v.array = Some(Vec::new());
                v.keys = (v.kind == state::VarKind::Map).then(Vec::new);
            }
            for (key, value) in items {
                let key = key.unwrap_or_else(|| v.array.as_ref().map_or(0, Vec::len).to_string());
                v.put_item(&key, value, false);
            }
        });
    }
}

/// Whether a word is written as `name=…` or `name+=…`.
fn is_assignment(raw: &str) -> bool {
    let name = raw.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).filter(|at| *at > 0);
    name.is_some_and(|at| {
        raw.get(at..).is_some_and(|rest| rest.starts_with(['=', '[']) || rest.starts_with("+="))
    })
}

/// Ranges that lie in no other one, from the first to the last.
fn outermost(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.sort_by_key(|range| (range.start, std::cmp::Reverse(range.end)));
    let mut end = 0;
    ranges.retain(|range| {
        let outer = range.start >= end;
        end = end.max(range.end);
        outer
    });
    ranges
}
