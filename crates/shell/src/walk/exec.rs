//! One command with its words known: is it a function, a builtin, a wrapper, a shell, an interpreter or a tool?

use std::rc::Rc;

use crate::model::{Arg, EffectKind, HOLE};
use crate::syntax::ast::Command;
use crate::tools;

use super::{Flow, Status, Stdin, Walk};

/// The base name of a program word.
pub fn base_name(text: &str) -> &str {
    let name = text.rsplit('/').next().unwrap_or(text);
    name.strip_suffix(".exe").unwrap_or(name)
}

/// Programs that a glob in the place of a program (`/bin/r?`) is tried against.
const GLOBBED: &[&str] = &[
    "rm", "dd", "mkfs", "shred", "chmod", "chown", "mv", "git", "bash", "sh", "curl", "wget", "nc", "cat",
    "kill", "python3", "perl",
];

impl Walk<'_> {
    /// Walk one command in the environment at hand.
    pub(super) fn exec_here(&mut self, mut argv: Vec<Arg>, stdin: Stdin) -> (Flow, Status) {
        if !self.step() || argv.is_empty() {
            return (Flow::default(), Status::Unknown);
        }
        let head = argv.remove(0);
        let args = argv;
        if let Some(from) = head.taint.code_from() {
            self.record("$()", &args, false);
            self.effect(EffectKind::Code { from, by: "the shell".into() });
        }
        // Quoted text with blanks as a program name is one odd file name; nothing to say about it.
        let text = head.text.clone();
        if text.starts_with(HOLE) {
            self.record(&text, &args, false);
            return (pass_through(&args, &stdin), Status::Unknown);
        }
        if let Some(at) = self.st.aliases.iter().rposition(|(n, _)| *n == text)
            && let Some((_, body)) = self.st.aliases.get(at).cloned()
        {
            // An alias does not expand inside itself.
            let hidden = std::mem::take(&mut self.st.aliases);
            let line = format!("{body} {}", quote_all(&args));
            self.run_shell(&line, "alias", &stdin);
            self.st.aliases = hidden;
            // A shell that is not interactive ignores aliases: the plain command counts too.
        }
        let wrapped = std::mem::take(&mut self.skip_functions);
        // After a branch several definitions may be in effect: what any of them does counts.
        let bodies = if wrapped { Vec::new() } else { self.st.functions_named(&text) };
        if let Some((last, others)) = bodies.split_last() {
            for body in others {
                self.call(&text, body, args.clone(), &stdin);
            }
            return self.call(&text, last, args, &stdin);
        }
        let hashed = self.st.hashed.iter().rev().find(|(n, _)| *n == text && !is_builtin(n));
        let text = hashed.map_or(text, |(_, path)| path.clone());
        let mut name = base_name(&text).to_owned();
        if head.glob
            && let Some(known) = GLOBBED.iter().find(|k| crate::paths::glob_match(&name, k))
        {
            (*known).clone_into(&mut name);
        }
        if text.contains('/') {
            self.run_file_as_program(&head, &name);
        }
        self.by_path = text.contains('/').then(|| self.path(&head).full);
        if let Some(result) = self.builtin(&name, &args, &stdin) {
            return result;
        }
        let prints = tools::prints_secret(&name, &args)
            || tools::shows_to_editor(&name, &args, &self.env)
            || tools::prints_setting(&name, &args);
        if prints && !tools::asks_for_help(&name, &args) {
            let at = self.record(&name, &args, false);
            let what = self.out.commands.get(at).map(ToString::to_string).unwrap_or_default();
            return (self.secret(&what), Status::Unknown);
        }
        if !text.contains('/') {
            self.not_found(&text, &args, &stdin);
        }
        if let Some(result) = self.wrapper(&name, &args, &stdin) {
            return (result, Status::Unknown);
        }
        if let Some(flow) = self.interpreter(&name, &args, &stdin) {
            return (flow, Status::Unknown);
        }
        let inert = tools::asks_for_help(&name, &args);
        self.record(&name, &args, inert);
        if inert {
            return (Flow::default(), Status::Unknown);
        }
        let flow = tools::effects(self, &name, &args, &stdin);
        (flow, Status::Unknown)
    }

    /// A program named by its path may be a file that this line has made.
    fn run_file_as_program(&mut self, head: &Arg, name: &str) {
        let full = self.path(head).full;
        let Some(file) = self.st.file(&full) else { return };
        if file.gone {
            return;
        }
        let data = file.data.clone();
        self.run_flow(&data, "sh", name, "script file");
    }

    /// A function that the shell calls for commands it does not find: which those are is not known here.
    fn not_found(&mut self, name: &str, args: &[Arg], stdin: &Stdin) {
        for handler in ["command_not_found_handle", "command_not_found_handler"] {
            for body in self.st.functions_named(handler) {
                let mut words = vec![Arg::new(name)];
                words.extend(args.iter().cloned());
                let before = self.snapshot();
                self.call(handler, &body, words, stdin);
                self.leave(before);
            }
        }
    }

    fn call(&mut self, name: &str, body: &Rc<Command>, args: Vec<Arg>, stdin: &Stdin) -> (Flow, Status) {
        if let Some((_, forks)) = self.calls.iter().find(|(b, _)| Rc::ptr_eq(b, body)) {
            if self.forks > *forks {
                self.record(name, &args, false);
                self.effect(EffectKind::ForkBomb);
            }
            return (Flow::default(), Status::Unknown);
        }
        let mut positional = vec![Arg::new(name)];
        positional.extend(args.into_iter().map(Arg::names));
        let outer = std::mem::replace(&mut self.st.positional, positional);
        self.calls.push((Rc::clone(body), self.forks));
        self.st.locals.push(Vec::new());
        let loops = std::mem::take(&mut self.loops);
        let result = self.within_via("function", |w| w.command(body, stdin));
        self.loops = loops;
        self.calls.pop();
        self.st.left = None;
        self.st.drop_locals();
        self.st.positional = outer;
        result
    }
}

/// Commands of the shell itself, which it does not look up.
fn is_builtin(name: &str) -> bool {
    [
        "echo", "printf", "cd", "test", "[", "true", "false", ":", "eval", "source", ".", "exec", "export",
        "set", "unset", "read", "type", "hash", "command", "builtin", "exit", "trap", "pwd", "kill", "wait",
        "let", "declare", "local", "alias",
    ]
    .contains(&name)
}

/// What an unknown command may pass on: the origin of its input and of the files it was given.
pub(crate) fn pass_through(args: &[Arg], stdin: &Stdin) -> Flow {
    let mut taint = stdin.as_ref().map(|f| f.taint).unwrap_or_default();
    for a in args {
        taint = taint.and(a.taint);
    }
    Flow::unknown(taint.used())
}

/// Words as one shell line, each quoted so that it stays one word.
pub(crate) fn quote_all(args: &[Arg]) -> String {
    let mut out = String::new();
    for a in args {
        if !out.is_empty() {
            out.push(' ');
        }
        if a.glob {
            out.push_str(&a.text);
        } else {
            out.push_str(&crate::quote(&a.text));
        }
    }
    out
}

/// The words behind a leading `--`, if there is one.
pub(crate) fn after_dashes(args: &[Arg]) -> &[Arg] {
    match args {
        [first, rest @ ..] if first.text == "--" => rest,
        _ => args,
    }
}

/// Words joined by blanks, as `ssh`, `watch` and `eval` do.
pub(crate) fn join(args: &[Arg]) -> String {
    let mut out = String::new();
    for a in args {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(&a.text);
    }
    out
}
