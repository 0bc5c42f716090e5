//! Commands that carry another command inside: to another machine, user, container, terminal or environment.

use crate::model::{Arg, EffectKind, Taint};
use crate::text::{behind, items, slice};

use super::exec::{after_dashes, join};
use super::wrappers::strip;
use super::{Flow, Stdin, Walk};

impl Walk<'_> {
    pub(super) fn ssh(&mut self, name: &str, args: &[Arg], stdin: &Stdin) -> Flow {
        if name == "sshpass" {
            let (rest, _) = strip(args, "fdpP", &[]);
            self.record(name, args, true);
            return self.within_via("sshpass", |w| w.exec(rest.to_vec(), stdin.clone()).0);
        }
        self.record(name, args, false);
        let (rest, options) = strip(args, "BbcDEeFIiJLlmOopQRSWw", &["--ssh"]);
        for (key, value) in &options {
            if key == "-o" {
                let low = value.to_ascii_lowercase();
                for opt in ["proxycommand", "localcommand", "knownhostscommand"] {
                    if let Some(at) = low.strip_prefix(opt) {
                        let cut = value.len() - at.trim_start_matches(['=', ' ']).len();
                        let code = slice(value, cut..).to_owned();
                        self.run_shell(&code, "ssh -o", &None);
                    }
                }
            }
        }
        let Some((host, command)) = rest.split_first() else { return Flow::default() };
        let command = after_dashes(command);
        let taint = stdin.as_ref().map(|f| f.taint).unwrap_or_default();
        if command.iter().fold(taint, |t, a| t.and(a.taint)).has(Taint::SECRET) {
            self.effect(EffectKind::Send {
                what: "-".into(),
                to: host.text.clone(),
                secret: true,
                outside: false,
            });
        }
        let (via, via_input) = if names_this_machine(&host.text) {
            ("ssh to this machine", "ssh to this machine")
        } else {
            ("ssh", "ssh input")
        };
        let before = self.snapshot();
        // On the other machine nothing of this one's state holds.
        self.st.vars.clear();
        self.st.files.clear();
        self.st.cwd = Some("/home/remote".to_owned());
        let flow = if command.is_empty() {
            match stdin {
                Some(f) => self.run_flow(f, "sh", "ssh", via_input),
                None => Flow::default(),
            }
        } else {
            let line = join(command);
            let t = command.iter().fold(crate::model::Taint::NONE, |t, a| t.and(a.taint));
            self.run_flow_in(&Flow { text: Some(line), taint: t }, "sh", "ssh", via, stdin)
        };
        if self.st.at_exit != before.at_exit {
            self.within_via(via, Self::end_shell);
        }
        let files = before.files.clone();
        self.st = before;
        self.st.files = files;
        Flow { text: None, taint: flow.taint.and(Taint::FOREIGN) }
    }

    pub(super) fn su(&mut self, args: &[Arg], stdin: &Stdin) -> Flow {
        self.record("su", args, true);
        let s =
            crate::tools::split(args, "cgGsTw", &["--command", "--group", "--shell", "--session-command"]);
        if let Some(code) = s.value(&["-c", "--command", "--session-command"]) {
            return self.run_shell(&code.text.clone(), "su -c", stdin);
        }
        match stdin {
            Some(f) => self.run_flow(f, "sh", "su", "su input"),
            None => Flow::default(),
        }
    }

    /// Tools with a command somewhere in their words.
    pub(super) fn embedded(&mut self, name: &str, args: &[Arg], stdin: &Stdin) -> Flow {
        self.record(name, args, false);
        let after = |keys: &[&str]| -> Option<Arg> {
            let at = args.iter().position(|a| keys.contains(&a.text.as_str()))?;
            args.get(at + 1).cloned()
        };
        match name {
            "at" | "batch" => {
                if let Some(f) = stdin {
                    return self.run_flow(f, "sh", name, "at");
                }
            }
            "script" | "expect" => {
                if let Some(code) = after(&["-c", "--command", "-qc", "-qec"]) {
                    let code = code.text.strip_prefix("spawn ").unwrap_or(&code.text).to_owned();
                    return self.run_shell(&code, "-c", stdin);
                }
            }
            "nix-shell" => {
                if let Some(code) = after(&["--run", "--command"]) {
                    return self.run_shell(&code.text, "nix-shell", stdin);
                }
            }
            "nix" => {
                if let Some(at) = args.iter().position(|a| matches!(a.text.as_str(), "-c" | "--command")) {
                    let rest = items(args, at + 1..).to_vec();
                    return self.within_via("nix", |w| w.exec(rest, stdin.clone()).0);
                }
            }
            "gdb" | "lldb" => {
                for pair in args.windows(2) {
                    if let [flag, code] = pair
                        && matches!(flag.text.as_str(), "-ex" | "--ex" | "-o" | "--eval-command" | "-iex")
                        && let Some(shell) =
                            ["shell ", "!", "platform shell "].iter().find_map(|p| code.text.strip_prefix(p))
                    {
                        self.run_shell(shell, "debugger", &None);
                    }
                }
            }
            "emacs" | "emacsclient" | "guile" | "racket" | "sbcl" | "clisp" | "ecl" | "gosh" | "csi" => {
                for a in args {
                    crate::tools::editor::lisp(self, &a.text);
                }
                if let Some(text) = stdin.as_ref().and_then(|f| f.text.clone()) {
                    crate::tools::editor::lisp(self, &text);
                }
                return crate::tools::effects(self, name, args, stdin);
            }
            "tclsh" | "wish" => {
                let text = stdin.as_ref().and_then(|f| f.text.clone()).unwrap_or_default();
                for code in text.lines().filter_map(|l| l.trim().strip_prefix("exec ")) {
                    self.run_shell(code, "tcl exec", &None);
                }
            }
            "osascript" => {
                for a in args {
                    if let Some(at) = a.text.find("do shell script") {
                        let tail = slice(&a.text, at..);
                        let code = tail.split('"').nth(1).unwrap_or_default().to_owned();
                        self.run_shell(&code, "osascript", &None);
                    }
                }
            }
            "tmux" | "screen" => {
                // The command is the words after the options of the sub-command, or keys sent to a shell.
                let send =
                    args.iter().position(|a| matches!(a.text.as_str(), "send-keys" | "send" | "stuff"));
                let (rest, _) = strip(behind(args, send.map_or(1, |s| s + 1)), "stncxyFelp", &[]);
                let line = join(rest);
                let line = line.trim_end_matches(" Enter").trim_end_matches(" C-m").to_owned();
                if name == "tmux" || send.is_some() {
                    return self.run_shell(&line, "tmux", &None);
                }
                let (rest, _) = strip(args, "SsTtpehcX", &[]);
                return self.within_via("screen", |w| w.exec(rest.to_vec(), None).0);
            }
            _ => {
                if let Some(code) = after(&["-c", "--command", "--exec"]) {
                    return self.run_shell(&code.text, "-c", stdin);
                }
                if let Some(at) = args.iter().position(|a| a.text == "--") {
                    let rest = items(args, at + 1..).to_vec();
                    return self.within_via("--", |w| w.exec(rest, stdin.clone()).0);
                }
                if matches!(name, "conda" | "mamba" | "micromamba")
                    && args.first().is_some_and(|a| a.text == "run")
                {
                    let (rest, _) = strip(behind(args, 1), "np", &["--name", "--prefix", "--cwd"]);
                    return self.within_via("conda run", |w| w.exec(rest.to_vec(), stdin.clone()).0);
                }
                return crate::tools::effects(self, name, args, stdin);
            }
        }
        Flow::default()
    }

    /// `docker exec c sh -c …`, `kubectl exec p -- sh -c …`, `docker run img cmd`.
    pub(super) fn container(&mut self, name: &str, args: &[Arg], stdin: &Stdin) -> Option<Flow> {
        let at = args.iter().position(|a| matches!(a.text.as_str(), "exec" | "run" | "shell" | "debug"))?;
        let verb = args.get(at)?.text.clone();
        // Only the sub-command itself, not a resource of that name.
        if at > 4 || (name == "kubectl" && verb == "run") {
            return None;
        }
        self.record(name, args, false);
        let tail = args.get(at + 1..)?;
        let mut mounts = false;
        let inner: Vec<Arg> = if let Some(dash) = tail.iter().position(|a| a.text == "--") {
            tail.get(dash + 1..)?.to_vec()
        } else {
            let (rest, options) = strip(
                tail,
                "euwnclhpvmf",
                &[
                    "--env", "--user", "--workdir", "--name", "--network", "--volume", "--mount",
                    "--entrypoint", "--env-file", "--publish", "--memory", "--cpus", "--hostname", "--label",
                    "--platform", "--add-host", "--namespace", "--container", "--context", "--index",
                    "--gpus", "--shm-size", "--restart", "--link", "--device", "--ulimit", "--security-opt",
                    "--cap-add", "--cap-drop", "--pull", "--net", "--ipc", "--pid", "--file",
                    "--project-name", "--volumes-from",
                ],
            );
            mounts = options
                .iter()
                .any(|(key, _)| matches!(key.as_str(), "-v" | "--volume" | "--mount" | "--volumes-from"));
            behind(rest, 1).to_vec()
        };
        if inner.is_empty() {
            return Some(Flow::default());
        }
        let before = self.snapshot();
        if verb == "run"
            && !mounts
            && !tail.iter().any(|a| {
                a.text.starts_with("-v") || a.text.starts_with("--volume") || a.text.starts_with("--mount")
            })
        {
            // A fresh container without mounts: what it deletes is its own.
            let (commands, effects) = (self.out.commands.len(), self.out.effects.len());
            let taint = if before.loaded { self.exec(inner, stdin.clone()).0.taint } else { Taint::NONE };
            self.out.commands.truncate(commands);
            self.out.effects.truncate(effects);
            self.leave(before);
            return Some(Flow::unknown(taint));
        }
        self.st.vars.clear();
        let flow = self.within_via("container", |w| w.exec(inner, stdin.clone()).0);
        self.leave(before);
        Some(Flow { text: None, taint: flow.taint })
    }

    /// `make`: recipes that are known, and a shell that is not one.
    pub(super) fn make(&mut self, name: &str, args: &[Arg], stdin: &Stdin) -> Flow {
        self.record(name, args, false);
        let s = crate::tools::split(args, "fCIjlo", &["--file", "--makefile", "--directory", "--eval"]);
        if s.has('n', "dry-run") || s.has('\0', "just-print") {
            return Flow::default();
        }
        let mut text = String::new();
        if let Some(file) = s.value(&["-f", "--file", "--makefile"]).cloned() {
            let flow = if file.text == "-" {
                stdin.clone().unwrap_or_default()
            } else {
                self.read_file(&file, true)
            };
            if flow.taint.has(crate::model::Taint::REMOTE) {
                let from = crate::model::CodeFrom::Network;
                self.effect(EffectKind::Code { from, by: name.to_owned() });
            }
            text = flow.text.unwrap_or_default();
        } else if let Some(flow) = self.st.file(&self.path(&Arg::new("Makefile")).full) {
            text = flow.data.text.clone().unwrap_or_default();
        }
        if let Some(code) = s.value(&["--eval"]) {
            text.push_str(&code.text);
        }
        for a in &s.operands {
            if let Some(shell) = a.text.strip_prefix("SHELL=").filter(|v| v.contains(' ')) {
                self.run_shell(shell, "make SHELL", &None);
            }
        }
        for line in text.lines() {
            let recipe = line
                .strip_prefix('\t')
                .or_else(|| line.split_once(':').and_then(|(_, r)| r.trim_start().strip_prefix(';')));
            if let Some(code) = recipe {
                let code = code.trim_start_matches(['@', '-', '+', ' ']).replace("$$", "$");
                self.run_shell(&code, "make recipe", &None);
            }
        }
        Flow::default()
    }

    /// Package managers' `exec`/`run`: the words behind are a command; other sub-commands are the tool's own.
    pub(super) fn runner(&mut self, name: &str, args: &[Arg], stdin: &Stdin) -> Option<Flow> {
        // `pnpm -r --filter ./packages/ui exec rm -rf dist`
        let args = if name == "pnpm" { behind_options(args) } else { args };
        let first = args.first().map(|a| a.text.as_str()).unwrap_or_default();
        let skip = match (name, first) {
            ("npx" | "bunx" | "pnpx" | "uvx", _) => 0,
            ("npm" | "mise" | "rtx" | "asdf", "exec" | "x")
            | ("pnpm" | "yarn", "exec" | "dlx")
            | ("bun", "x")
            | ("uv" | "pipx" | "poetry" | "pipenv" | "hatch" | "pdm" | "rye" | "devbox", "run")
            | ("bundle", "exec")
            | ("corepack", _) => 1,
            ("rustup", "run") => 2,
            ("bun", "-e" | "--eval") => return self.interpreter("node", args, stdin),
            _ => return None,
        };
        let (rest, options) = strip(
            args.get(skip..)?,
            "pcw",
            &[
                "--package", "--call", "--with", "--from", "--python", "--project", "--directory",
                "--env-file", "--extra", "--group",
            ],
        );
        self.record(name, args, true);
        for (key, value) in &options {
            if matches!(key.as_str(), "-c" | "--call") && matches!(name, "npx" | "npm") {
                return Some(self.run_shell(value, "npx -c", stdin));
            }
        }
        let rest = rest.to_vec();
        Some(self.within_via("runner", |w| w.exec(rest, stdin.clone()).0))
    }
}

/// The words behind pnpm's own options.
fn behind_options(args: &[Arg]) -> &[Arg] {
    let mut at = 0;
    while let Some(option) = args.get(at).filter(|arg| arg.text.starts_with('-')) {
        let valued =
            matches!(option.text.as_str(), "--filter" | "-F" | "-C" | "--dir" | "--workspace-concurrency");
        at += if valued { 2 } else { 1 };
    }
    args.get(at..).unwrap_or_default()
}

/// `ssh localhost`, `ssh me@127.0.0.1`, `ssh ssh://[::1]:2222`.
fn names_this_machine(target: &str) -> bool {
    let host = target.strip_prefix("ssh://").unwrap_or(target);
    let host = host.rsplit('@').next().unwrap_or(host);
    let host = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or(rest),
        None if host.matches(':').count() == 1 => host.split(':').next().unwrap_or(host),
        None => host,
    };
    host.is_empty()
        || host.starts_with("localhost")
        || host.starts_with("127.")
        || matches!(host, "::1" | "0.0.0.0" | "0" | "ip6-localhost" | "ip6-loopback")
}
