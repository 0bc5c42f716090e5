//! Environment files that a line uses without showing them: `source .env`, `--env-file .env`, `export $(… .env)`.

use crate::model::{Arg, Effect, EffectKind, HOLE, PathRef, Taint};
use crate::sensitive;

use super::{Flow, Status, Stdin, Walk};

/// Commands that make variables of their words.
const LOADERS: [&str; 10] =
    ["export", "declare", "typeset", "readonly", "local", "env", "genv", "eval", "source", "."];

/// Variables that no environment file sets.
const PLAIN: [&str; 14] = [
    "USER", "LOGNAME", "PATH", "LANG", "TERM", "HOSTNAME", "RANDOM", "SECONDS", "LINENO", "UID", "EUID",
    "PPID", "OLDPWD", "CI",
];

impl Walk<'_> {
    /// The variables of an environment file are known to the commands from here on.
    pub(super) fn load(&mut self, path: PathRef) {
        self.leaks |= self.st.trace;
        self.st.loaded = true;
        self.effect(EffectKind::Use(path));
    }

    pub(super) fn is_env_file(&self, path: &PathRef) -> bool {
        sensitive::of_path(path, self.ctx).is_some_and(|kind| kind.id == "env-file")
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
    pub(super) fn unset_value(&self, name: &str) -> Arg {
        let named = name.starts_with(|c: char| c.is_ascii_alphabetic()) && !PLAIN.contains(&name);
        let taint = if self.st.loaded && named { Taint::LOADED } else { Taint::NONE };
        Arg { taint, ..Arg::new(HOLE.to_string()) }
    }

    /// What a command prints that shows variables.
    pub(crate) fn environment(&self) -> Flow {
        Flow::unknown(if self.st.loaded { Taint::LOADED } else { Taint::NONE })
    }

    /// The whole environment, with whatever tokens are in it.
    pub(crate) fn whole_environment(&self) -> Flow {
        Flow::unknown(if self.st.loaded { Taint::LOADED } else { Taint::SECRET })
    }

    /// What an inline program prints when it looks at the environment.
    pub(super) fn environment_of(&self, code: &str) -> Taint {
        const ACCESS: [&str; 8] =
            ["environ", "getenv", "process.env", "Deno.env", "Bun.env", "ENV", "env::var", "$_SERVER"];
        if self.st.loaded && ACCESS.iter().any(|word| code.contains(word)) {
            Taint::LOADED
        } else {
            Taint::NONE
        }
    }

    /// At the end of the line: a file whose values are shown or sent was read.
    pub(super) fn settle(&mut self, shown: Taint) {
        let local = |to: &str| {
            let host = to.split_once("://").map_or(to, |(_, rest)| rest).split(['/', '?']).next();
            let host = host.and_then(|host| host.rsplit('@').next()).unwrap_or_default();
            matches!(host.split(':').next(), Some("localhost" | "127.0.0.1" | "0.0.0.0"))
        };
        let sent = |e: &Effect| matches!(&e.kind, EffectKind::Send { secret: true, to, .. } if !local(to));
        if !(self.leaks || shown.has(Taint::SECRET) || self.out.effects.iter().any(sent)) {
            return;
        }
        for effect in &mut self.out.effects {
            if let EffectKind::Use(path) = &effect.kind {
                effect.kind = EffectKind::Read(path.clone());
            }
        }
    }
}
