//! Environment files that a line uses without showing them: `source .env`, `--env-file .env`, `export $(… .env)`.

use crate::model::{Arg, Effect, EffectKind, HOLE, PathRef, Taint};
use crate::paths::PathZone;
use crate::sensitive;
use crate::syntax::ast::{Command, CommandKind, Redirect, Word};
use crate::tools::inline::{self, Lang};
use crate::tools::{self, Prints};
use std::ops::Range;

use super::{Flow, Status, Stdin, Walk};

/// Commands that make variables of their words.
const LOADERS: [&str; 10] =
    ["export", "declare", "typeset", "readonly", "local", "env", "genv", "eval", "source", "."];

/// Variables that no environment file sets.
const PLAIN: [&str; 14] = [
    "USER", "LOGNAME", "PATH", "LANG", "TERM", "HOSTNAME", "RANDOM", "SECONDS", "LINENO", "UID", "EUID",
    "PPID", "OLDPWD", "CI",
];

/// Whether a command in a pipe only hands lines of its files on, so that what follows decides what is seen of them: whole lines for
/// names of variables, any part of them for a count. What a substitution reads may stand in an error message.
fn hands_on(command: &Command, prints: Prints) -> bool {
    let CommandKind::Simple { assigns, words } = &command.kind else { return false };
    let Some((program, words)) = words.split_first() else { return false };
    let silent = |r: &Redirect| r.fd.as_deref() == Some("2") && &*r.target.raw == "/dev/null";
    let selects_lines =
        |word: &Word| !word.raw.starts_with('-') || matches!(&*word.raw, "-v" | "-E" | "-vE" | "-Ev");
    let known = match &*program.raw {
        "cat" | "sort" | "uniq" => true,
        "grep" | "egrep" if words.iter().all(selects_lines) => true,
        "grep" | "egrep" | "head" | "tail" | "tr" | "cut" => prints == Prints::Counts,
        _ => false,
    };
    known && assigns.is_empty() && words.iter().all(is_literal) && command.redirects.iter().all(silent)
}

/// The program of a simple command, as it is written.
fn program(command: &Command) -> Option<&str> {
    let CommandKind::Simple { words, .. } = &command.kind else { return None };
    words.first().map(|word| &*word.raw)
}

/// Whether a word is written out.
fn is_literal(word: &Word) -> bool {
    !word.raw.contains(['$', '`', '('])
}

impl Walk<'_> {
    /// The variables of an environment file are known to the commands from here on.
    pub(super) fn load(&mut self, path: PathRef) {
        self.leaks |= self.st.trace;
        self.st.loaded = true;
        self.effect(EffectKind::Use(path));
    }

    pub(super) fn is_env_file(&self, path: &PathRef) -> bool {
        path.sensitive().is_some_and(|kind| kind.id == "env-file")
    }

    /// `cp .env .env.bak`: an environment file that is copied to a name that is guarded as well, where no server hands it out.
    pub(crate) fn stays_env_file(&self, from: &Arg, to: &Arg) -> bool {
        const SERVED: [&str; 8] = ["public", "static", "www", "htdocs", "dist", "build", "out", "assets"];
        let folder = to.text.ends_with('/') || matches!(to.text.as_str(), "." | "..");
        let name = from.text.rsplit('/').next().unwrap_or_default();
        let to =
            if folder { Arg::new(format!("{}/{name}", to.text.trim_end_matches('/'))) } else { to.clone() };
        let (from, to) = (self.path(from), self.path(&to));
        let own = matches!(to.place, PathZone::Project | PathZone::InHome);
        own && self.is_env_file(&from)
            && self.is_env_file(&to)
            && !to.full.split('/').any(|part| SERVED.contains(&part))
    }

    /// `[ -n "$(grep '^KEY=.' .env)" ]`: a test prints nothing of what it looks at.
    pub(super) fn unseen_test(&mut self, words: &[Word], from: usize) {
        let word = |at: usize| words.get(at).map_or("", |word| &*word.raw);
        let looks = match word(0) {
            "test" => words.len() == 3,
            "[" => words.len() == 4,
            _ => false,
        };
        let substituted = word(2).strip_prefix("\"$(").and_then(|rest| rest.strip_suffix(")\""));
        let plain = |inner: &str| {
            (inner.starts_with("grep ") || inner.starts_with("cat "))
                && !inner.contains("$(")
                && !inner.contains(['>', '<', '|', ';', '&', '`', '\n'])
        };
        if looks && matches!(word(1), "-n" | "-z") && substituted.is_some_and(plain) {
            self.unseen(from..self.out.effects.len(), Prints::Counts);
        }
    }

    /// `export $(grep -v '^#' .env | xargs)`: what the substitutions of such a command read becomes variables.
    pub(super) fn load_words(&mut self, argv: &mut [Arg], from: usize) {
        if !argv.first().is_some_and(|a| LOADERS.contains(&a.text.as_str())) {
            return;
        }
        let reads = |e: &Effect| matches!(&e.kind, EffectKind::Read(path) if self.is_env_file(path));
        let found = self.out.effects.iter().enumerate().skip(from);
        let read: Vec<usize> = found.filter(|(_, effect)| reads(effect)).map(|(at, _)| at).collect();
        if read.is_empty() {
            return;
        }
        for (_, effect) in self.out.effects.iter_mut().enumerate().filter(|(at, _)| read.contains(at)) {
            if let EffectKind::Read(path) = &effect.kind {
                effect.kind = EffectKind::Use(path.clone());
            }
        }
        for arg in argv.iter_mut().filter(|arg| arg.taint.has(Taint::SECRET)) {
            arg.taint = arg.taint.and(Taint::LOADED);
        }
        self.leaks |= self.st.trace;
        self.st.loaded = true;
    }

    /// `cat .env | wc -l`: what the stages before the last one of these read.
    pub(super) fn unseen_stage(&mut self, stages: &[Command], effects: Range<usize>) {
        let Some((last, before)) = stages.split_last().filter(|(_, before)| !before.is_empty()) else {
            return;
        };
        let Some(command) = self.out.commands.last().filter(|c| program(last) == Some(&c.name)) else {
            return;
        };
        let Some(prints) = tools::prints_instead(&command.name, &command.args) else { return };
        if before.iter().all(|stage| hands_on(stage, prints)) {
            self.unseen(effects, prints);
        }
    }

    /// `wc -l < .env`: what a command's input is.
    pub(super) fn unseen_input(&mut self, argv: &[Arg], redirects: &[Redirect], effects: Range<usize>) {
        let Some((program, args)) = argv.split_first() else { return };
        if let Some(prints) = tools::prints_instead(&program.text, args)
            && redirects.iter().all(|r| is_literal(&r.target))
        {
            self.unseen(effects, prints);
        }
    }

    /// What is read here is not shown: a program prints only a count, a digest or names of it.
    pub(super) fn unseen(&mut self, effects: Range<usize>, prints: Prints) {
        let hidden = |path: &PathRef| {
            path.sensitive().is_some_and(|kind| {
                prints == Prints::Counts || kind.id == "env-file" || path.full.ends_with(".properties")
            })
        };
        for effect in self.out.effects.get_mut(effects).unwrap_or_default() {
            if let EffectKind::Read(path) = &effect.kind
                && hidden(path)
            {
                effect.kind = EffectKind::List(path.clone());
            }
        }
    }

    /// Walk one command, with the variables of the file that its `--env-file` names. Its first word is the program.
    pub(crate) fn exec(&mut self, argv: Vec<Arg>, stdin: Stdin) -> (Flow, Status) {
        let Some(path) = self.env_file_of(&argv) else { return self.exec_here(argv, stdin) };
        let composes = argv.iter().any(|a| matches!(a.text.as_str(), "config" | "convert"))
            && argv.first().is_some_and(|a| a.text.contains("docker") || a.text.contains("podman"))
            && !argv.iter().any(|a| matches!(a.text.as_str(), "-q" | "--quiet" | "--services" | "--images"));
        self.leaks |= composes;
        let (first, was) = (self.out.commands.len(), std::mem::replace(&mut self.st.loaded, true));
        let done = self.exec_here(argv, stdin);
        self.st.loaded = was;
        self.out.effects.push(Effect { cmd: first, kind: EffectKind::Use(path) });
        done
    }

    fn env_file_of(&self, argv: &[Arg]) -> Option<PathRef> {
        let program = argv.first()?.text.rsplit('/').next()?;
        let short = |flag: &str| matches!(program, "dotenv" | "dotenvx") && matches!(flag, "-e" | "-f");
        let value = |(at, arg): (usize, &Arg)| match arg.text.split_once('=') {
            Some(("--env-file" | "--env-file-if-exists", file)) => Some(Arg::new(file)),
            None if matches!(arg.text.as_str(), "--env-file" | "--env-file-if-exists")
                || short(&arg.text) =>
            {
                argv.get(at + 1).cloned()
            }
            _ => None,
        };
        let files = argv.iter().enumerate().skip(1).filter_map(value);
        files.map(|file| self.path(&file)).find(|path| self.is_env_file(path))
    }

    /// The value of a variable that the line does not set.
    pub(super) fn unset_value(&mut self, name: &str) -> Arg {
        let named = name.starts_with(|c: char| c.is_ascii_alphabetic())
            && !PLAIN.contains(&name)
            && !sprag_sensitive::is_setting_name(name);
        let taint = if self.st.loaded && named { Taint::LOADED } else { self.token(name) };
        Arg { taint, ..Arg::new(HOLE.to_string()) }
    }

    /// The taint of a variable of the environment: it may be named like a token.
    pub(crate) fn token(&mut self, name: &str) -> Taint {
        if !sprag_sensitive::is_token_name(name) {
            return Taint::NONE;
        }
        self.tokens.push(name.to_owned());
        Taint::TOKEN
    }

    /// What a program prints that shows secrets.
    pub(crate) fn secret(&mut self, what: &str) -> Flow {
        self.tokens.push(what.to_owned());
        self.printed_token = true;
        Flow::unknown(Taint::TOKEN)
    }

    /// What a command prints that shows variables.
    pub(crate) fn environment(&self) -> Flow {
        Flow::unknown(if self.st.loaded { Taint::LOADED } else { Taint::NONE })
    }

    /// The whole environment, with whatever tokens are in it.
    pub(crate) fn whole_environment(&self) -> Flow {
        Flow::unknown(if self.st.loaded { Taint::LOADED } else { Taint::SECRET })
    }

    /// What an inline program prints when it looks at the environment, and not only at whether a variable is there.
    pub(super) fn environment_of(&self, code: &str, lang: Lang) -> Taint {
        if self.st.loaded && inline::looks_at_environment(code, lang) { Taint::LOADED } else { Taint::NONE }
    }

    /// At the end of the line: a file whose values are shown or sent was read.
    pub(super) fn settle(&mut self, shown: Taint) {
        let local = |to: &str| {
            let host = to.split_once("://").map_or(to, |(_, rest)| rest).split(['/', '?']).next();
            let host = host.and_then(|host| host.rsplit('@').next()).unwrap_or_default();
            matches!(host.split(':').next(), Some("localhost" | "127.0.0.1" | "0.0.0.0"))
        };
        for file in &self.st.files {
            if file.data.taint.has(Taint::SECRET)
                && !file.gone
                && !file.path.contains(HOLE)
                && sensitive::of_text(&file.path, self.ctx).is_none()
            {
                self.out.secret_copies.push(file.path.clone());
            }
        }
        if self.shows_token || shown.has(Taint::TOKEN) {
            for what in std::mem::take(&mut self.tokens) {
                self.effect(EffectKind::Secret { what, shown: true });
            }
        }
        let sent = |e: &Effect| matches!(&e.kind, EffectKind::Send { secret: true, to, .. } if !local(to));
        if !(self.leaks || shown.has(Taint::SECRET) || self.out.effects.iter().any(sent)) {
            return;
        }
        let mut renamed = Vec::new();
        for effect in &mut self.out.effects {
            match &effect.kind {
                EffectKind::Use(path) => effect.kind = EffectKind::Read(path.clone()),
                // Read under its new name, it is the same secret.
                EffectKind::Move { from, .. } if from.sensitive().is_some() => {
                    renamed.push(Effect { cmd: effect.cmd, kind: EffectKind::Read(from.clone()) });
                }
                _ => {}
            }
        }
        self.out.effects.extend(renamed);
    }
}
