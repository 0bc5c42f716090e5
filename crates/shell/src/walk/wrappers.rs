//! Commands that run another command: their own options are taken off, the rest is walked.

use crate::model::{Arg, EffectKind, HOLE};
use crate::text::{behind, items, slice};

use super::exec::{after_dashes, base_name, join};
use super::wrapper_table::{WRAPPERS, Wrapper};
use super::{Flow, Stdin, Walk, shell_name};

impl Walk<'_> {
    /// Walk a command that runs another one; none when `name` is not such.
    pub(crate) fn wrapper(&mut self, name: &str, args: &[Arg], stdin: &Stdin) -> Option<Flow> {
        let first = self.out.commands.len();
        let flow = self.run_wrapped(name, args, stdin)?;
        // What runs elsewhere (ssh, a container) or in a tool of its own (make, gdb) is not just wrapped.
        let wraps = self.out.commands.get(first).is_some_and(|c| c.inert);
        if wraps {
            self.mark_wrapper(first);
        }
        Some(flow)
    }

    fn run_wrapped(&mut self, name: &str, args: &[Arg], stdin: &Stdin) -> Option<Flow> {
        match name {
            "xargs" | "gxargs" => return Some(self.xargs(args, stdin)),
            "parallel" | "sem" | "rush" => return Some(self.parallel(args, stdin)),
            "ssh" | "mosh" | "autossh" | "sshpass" => return Some(self.ssh(name, args, stdin)),
            "su" => return Some(self.su(args, stdin)),
            "watch" | "viddy" | "nodemon" | "watchexec" | "entr" => {
                self.record(name, args, true);
                let rest = strip(args, "ndxe", &["--interval", "--exec", "--ext", "--watch"]).0;
                let line = join(rest);
                return Some(self.run_shell(&line, "watch", &None));
            }
            "gdb" | "lldb" | "emacs" | "tclsh" | "wish" | "tmux" | "screen" | "script" | "nix-shell"
            | "nix" | "at" | "batch" | "expect" | "osascript" | "distrobox" | "toolbox" | "vagrant"
            | "conda" | "mamba" | "micromamba" | "flatpak-spawn" | "wsl" | "start-stop-daemon" => {
                return Some(self.embedded(name, args, stdin));
            }
            "docker" | "podman" | "nerdctl" | "kubectl" | "oc" | "k" | "docker-compose" | "lxc" | "incus"
            | "machinectl" | "limactl" | "colima" | "multipass" => return self.container(name, args, stdin),
            "npx" | "bunx" | "pnpx" | "uvx" | "pipx" | "npm" | "pnpm" | "yarn" | "bun" | "uv" | "poetry"
            | "pipenv" | "bundle" | "hatch" | "pdm" | "rye" | "mise" | "asdf" | "rtx" | "devbox"
            | "cargo" | "rustup" | "corepack" | "dotnet" | "mix" | "just" => {
                return self.runner(name, args, stdin);
            }
            "make" | "gmake" | "bmake" => return Some(self.make(name, args, stdin)),
            "command"
                if args.first().is_some_and(|a| a.text.starts_with("-v") || a.text.starts_with("-V")) =>
            {
                self.record(name, args, true);
                return Some(Flow::default());
            }
            "sudo"
                if args.iter().take_while(|a| a.text.starts_with('-')).any(|a| {
                    matches!(
                        a.text.as_str(),
                        "-l" | "--list" | "-v" | "--validate" | "-k" | "-K" | "--help" | "-V" | "--version"
                    )
                }) =>
            {
                self.record(name, args, true);
                return Some(Flow::default());
            }
            "flock" => {
                let (rest, _) = strip(args, "wE", &["--timeout", "--wait", "--conflict-exit-code"]);
                if let [_, flag, code, ..] = rest
                    && matches!(flag.text.as_str(), "-c" | "--command")
                {
                    self.record(name, args, true);
                    return Some(self.run_shell(&code.text.clone(), "-c", stdin));
                }
            }
            "runuser" if !args.iter().any(|a| matches!(a.text.as_str(), "-u" | "--user")) => {
                return Some(self.su(args, stdin));
            }
            _ => {}
        }
        let spec = WRAPPERS.iter().find(|w| w.name == name)?;
        if name == "exec" && args.is_empty() {
            return Some(Flow::default());
        }
        self.record(name, args, true);
        Some(self.unwrap(spec, args, stdin))
    }

    fn unwrap(&mut self, spec: &'static Wrapper, args: &[Arg], stdin: &Stdin) -> Flow {
        let mut clear = false;
        let (mut rest, options) = strip(args, spec.short, spec.long);
        let outer = (spec.name == "env" || spec.assigns).then(|| (self.st.clone(), self.env.clone()));
        for (key, value) in &options {
            match (spec.name, key.as_str()) {
                ("env" | "genv", "-S" | "--split-string") => {
                    let tail = join(rest);
                    let line = format!("{value} {tail}");
                    return self.run_shell(&line, "env -S", stdin);
                }
                ("env" | "genv", "-i" | "--ignore-environment" | "-") => clear = true,
                ("env" | "genv", "-u" | "--unset") => self.st.unset(value),
                ("env" | "genv", "-C" | "--chdir") | ("sudo", "-D" | "--chdir") => {
                    self.st.cwd = Some(self.path(&Arg::new(value.clone())).full);
                }
                ("time" | "gtime", "-o" | "--output") => {
                    let path = self.path(&Arg::new(value.clone()));
                    self.effect(EffectKind::Write(path, crate::model::WriteHow::Overwrite));
                }
                ("sudo", "-i" | "-s" | "--login" | "--shell") if rest.is_empty() => {
                    if let Some(flow) = stdin {
                        return self.run_flow(flow, "sh", "sudo", "sudo -s");
                    }
                }
                _ => {}
            }
        }
        if rest.first().is_some_and(|a| a.text == "-") && spec.name == "env" {
            clear = true;
            rest = items(rest, 1..);
        }
        if clear {
            self.st.vars.retain(|(_, v)| !v.exported && v.array.is_some());
        }
        if spec.assigns {
            while let Some((first, tail)) = rest.split_first() {
                // `env $(cat .env) cmd`: assignments that are not known.
                if first.taint.is_loaded() && first.text.starts_with(HOLE) {
                    rest = tail;
                    continue;
                }
                let Some((n, v)) = first.text.split_once('=') else { break };
                if n.is_empty() || !n.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_') {
                    break;
                }
                self.env.push((n.to_owned(), v.to_owned()));
                self.st.set(n, Arg { text: v.to_owned(), taint: first.taint, ..Arg::default() });
                self.st.with_var(n, |x| x.exported = true);
                rest = tail;
            }
        }
        let rest = behind(rest, spec.skip);
        let rest = after_dashes(rest);
        if rest.is_empty() && spec.name == "env" {
            return self.whole_environment();
        }
        let flow = if spec.name == "hyperfine" {
            for a in rest {
                self.run_shell(&a.text.clone(), "hyperfine", &None);
            }
            Flow::default()
        } else {
            let rest = rest.to_vec();
            let stdin = stdin.clone();
            self.within_via(spec.name, |w| {
                w.skip_functions = true;
                w.exec(rest, stdin).0
            })
        };
        if let Some((st, env)) = outer {
            self.st.after_subshell(st);
            self.env = env;
        }
        flow
    }

    fn xargs(&mut self, args: &[Arg], stdin: &Stdin) -> Flow {
        self.record("xargs", args, true);
        let (rest, options) = strip(
            args,
            "adEeIiLlnPs",
            &[
                "--arg-file", "--delimiter", "--eof", "--replace", "--max-lines", "--max-args",
                "--max-procs", "--max-chars",
            ],
        );
        let mut input = stdin.clone();
        let mut replace: Option<String> = None;
        let mut no_run = false;
        for (key, value) in &options {
            match key.as_str() {
                "-a" | "--arg-file" => input = Some(self.read_file(&Arg::new(value.clone()), true)),
                "-I" | "--replace" => {
                    replace = Some(if value.is_empty() { "{}".into() } else { value.clone() });
                }
                "-i" => replace = Some(if value.is_empty() { "{}".into() } else { value.clone() }),
                "-r" | "--no-run-if-empty" => no_run = true,
                "--help" | "--version" => return Flow::default(),
                _ => {}
            }
        }
        let flow = input.unwrap_or_default();
        if no_run && flow.text.as_deref().is_some_and(|t| t.trim().is_empty()) {
            return Flow::empty();
        }
        if rest.is_empty() {
            return flow;
        }
        let known = flow.text.as_ref().filter(|t| !t.contains(HOLE));
        let mut words: Vec<Arg> = match known {
            Some(t) if replace.is_some() => t.lines().take(16).map(Arg::new).collect(),
            Some(t) => t
                .split(['\0', ' ', '\n', '\t'])
                .filter(|w| !w.is_empty())
                .take(256)
                .map(|w| Arg::new(unquote(w)))
                .collect(),
            None => vec![Arg::new(HOLE.to_string())],
        };
        for w in &mut words {
            w.taint = flow.taint;
        }
        let dynamic = known.is_none();
        let mut runs: Vec<Vec<Arg>> = Vec::new();
        if let Some(mark) = &replace {
            for w in &words {
                let list = rest
                    .iter()
                    .map(|a| {
                        let taint =
                            if a.text.contains(mark.as_str()) { a.taint.and(w.taint) } else { a.taint };
                        Arg { text: a.text.replace(mark.as_str(), &w.text), taint, ..a.clone() }
                    })
                    .collect();
                runs.push(list);
            }
        } else {
            let mut list = rest.to_vec();
            list.extend(words);
            runs.push(list);
        }
        let name = rest.first().map(|a| base_name(&a.text).to_owned()).unwrap_or_default();
        if shell_name(&name) && rest.iter().any(|a| a.text.starts_with('-') && a.text.contains('c')) {
            let script_missing = rest.last().is_some_and(|a| a.text.starts_with('-')) && replace.is_none();
            let whole = replace.as_ref().is_some_and(|m| rest.iter().any(|a| a.text == *m));
            if script_missing || (whole && dynamic) {
                self.effect(EffectKind::DynamicShell);
            }
        }
        let mut out = Flow::default();
        for run in runs {
            let (f, _) = self.within_via("xargs", |w| w.exec(run, None));
            out.taint = out.taint.and(f.taint);
        }
        out.taint = out.taint.and(flow.taint);
        if dynamic {
            self.input_driven(rest);
        }
        out
    }

    /// `… | xargs rm`: what is deleted is whatever arrives.
    fn input_driven(&mut self, rest: &[Arg]) {
        let Some((head, tail)) = rest.split_first() else { return };
        let mut name = base_name(&head.text).to_owned();
        let mut tail = tail;
        while matches!(name.as_str(), "sudo" | "doas" | "command" | "env" | "nice" | "busybox") {
            let Some((h, t)) = tail.split_first() else { return };
            base_name(&h.text).clone_into(&mut name);
            tail = t;
        }
        if name == "rm" {
            let recursive = tail.iter().any(|a| {
                crate::tools::flag(a, 'r', "--recursive") || crate::tools::flag(a, 'R', "--recursive")
            });
            self.effect(EffectKind::DeleteFromInput { recursive });
        } else if name == "shred" {
            self.effect(EffectKind::DeleteFromInput { recursive: true });
        }
    }

    fn parallel(&mut self, args: &[Arg], stdin: &Stdin) -> Flow {
        self.record("parallel", args, true);
        let cut = args.iter().position(|a| a.text.starts_with(":::")).unwrap_or(args.len());
        let values: Vec<Arg> = behind(args, cut + 1).iter().take(16).cloned().collect();
        let own = items(args, ..cut);
        let (rest, _) = strip(
            own,
            "jaISnNLPdCE",
            &[
                "--jobs", "--arg-file", "--delay", "--timeout", "--joblog", "--results", "--tmpdir",
                "--colsep", "--retries", "--max-args", "--sshlogin", "--workdir",
            ],
        );
        let line = join(rest);
        let inputs = if values.is_empty() {
            match stdin.as_ref().and_then(|f| f.text.clone()) {
                Some(t) => t.lines().take(16).map(Arg::new).collect(),
                None => vec![Arg::new(HOLE.to_string())],
            }
        } else {
            values
        };
        if line.is_empty()
            && let Some(f) = stdin
        {
            // Without a command each line of the input is one.
            return self.run_flow(f, "sh", "parallel", "parallel");
        }
        let mut out = Flow::default();
        for v in inputs {
            let command = if line.is_empty() {
                v.text.clone()
            } else if line.contains("{}") {
                line.replace("{}", &v.text)
            } else {
                format!("{line} {}", v.text)
            };
            out = self.run_shell(&command, "parallel", &None);
        }
        if stdin.as_ref().is_some_and(|f| f.text.is_none()) {
            self.input_driven(rest);
        }
        out
    }
}

/// Take options off the front: the words behind them, and the options with their values.
pub(crate) fn strip<'a>(args: &'a [Arg], short: &str, long: &[&str]) -> (&'a [Arg], Vec<(String, String)>) {
    let mut i = 0;
    let mut options = Vec::new();
    while let Some(a) = args.get(i) {
        let t = a.text.as_str();
        if t == "--" {
            i += 1;
            break;
        }
        if !t.starts_with('-') || t == "-" {
            break;
        }
        if t.starts_with("--") {
            if let Some((k, v)) = t.split_once('=') {
                options.push((k.to_owned(), v.to_owned()));
            } else if long.contains(&t) {
                i += 1;
                options.push((t.to_owned(), args.get(i).map(|v| v.text.clone()).unwrap_or_default()));
            } else {
                options.push((t.to_owned(), String::new()));
            }
        } else {
            let chars = t.char_indices().skip(1);
            for (at, c) in chars {
                let key = format!("-{c}");
                if short.contains(c) {
                    let rest = slice(t, at + c.len_utf8()..);
                    if rest.is_empty() {
                        i += 1;
                        options.push((key, args.get(i).map(|v| v.text.clone()).unwrap_or_default()));
                    } else {
                        options.push((key, rest.to_owned()));
                    }
                    break;
                }
                options.push((key, String::new()));
            }
        }
        i += 1;
    }
    (behind(args, i), options)
}

fn unquote(word: &str) -> String {
    word.trim_matches(['"', '\'']).to_owned()
}
