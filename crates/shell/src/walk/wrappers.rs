//! Commands that run another command: their own options are taken off, the rest is walked.

use crate::model::{Arg, EffectKind, HOLE};

use super::exec::{after_dashes, base_name, join};
use super::{Flow, Stdin, Walk, shell_name};

/// A command that runs the words behind its own options.
struct Wrapper {
    name: &'static str,
    /// Short options that take a value (as the rest of the word or the next word).
    short: &'static str,
    /// Long options that take the next word as value when they have no `=`.
    long: &'static [&'static str],
    /// Words of its own before the command (`timeout 5s cmd`).
    skip: usize,
    /// `A=b` words before the command are its environment.
    assigns: bool,
}

const fn plain(name: &'static str) -> Wrapper {
    Wrapper { name, short: "", long: &[], skip: 0, assigns: false }
}

const fn opts(
    name: &'static str,
    short: &'static str,
    long: &'static [&'static str],
    skip: usize,
) -> Wrapper {
    Wrapper { name, short, long, skip, assigns: false }
}

static WRAPPERS: &[Wrapper] = &[
    Wrapper {
        name: "sudo",
        short: "ugpCcDhrtTUR",
        long: &[
            "--user",
            "--group",
            "--prompt",
            "--close-from",
            "--chdir",
            "--host",
            "--role",
            "--type",
            "--chroot",
            "--other-user",
            "--command-timeout",
        ],
        skip: 0,
        assigns: true,
    },
    Wrapper { name: "doas", short: "uC", long: &[], skip: 0, assigns: true },
    Wrapper {
        name: "env",
        short: "uCS",
        long: &["--unset", "--chdir", "--split-string"],
        skip: 0,
        assigns: true,
    },
    Wrapper {
        name: "genv",
        short: "uCS",
        long: &["--unset", "--chdir", "--split-string"],
        skip: 0,
        assigns: true,
    },
    plain("nohup"),
    plain("builtin"),
    plain("command"),
    opts("exec", "a", &[], 0),
    opts("time", "fo", &["--format", "--output"], 0),
    opts("gtime", "fo", &["--format", "--output"], 0),
    opts("timeout", "ks", &["--kill-after", "--signal"], 1),
    opts("gtimeout", "ks", &["--kill-after", "--signal"], 1),
    opts("nice", "n", &["--adjustment"], 0),
    opts("ionice", "cnpPu", &["--class", "--classdata"], 0),
    opts("chrt", "pTPD", &[], 1),
    opts("taskset", "", &[], 1),
    opts("numactl", "NmCilp", &["--cpunodebind", "--membind", "--physcpubind"], 0),
    opts("stdbuf", "ioe", &["--input", "--output", "--error"], 0),
    plain("setsid"),
    plain("unbuffer"),
    plain("eatmydata"),
    plain("catchsegv"),
    plain("torsocks"),
    opts("proxychains", "f", &[], 0),
    opts("proxychains4", "f", &[], 0),
    opts("rlwrap", "abcfHlopPqsStz", &[], 0),
    opts("strace", "abeEIoOpPsSuX", &["--output", "--trace"], 0),
    opts("ltrace", "aADeFlnopsuwxX", &[], 0),
    opts("valgrind", "", &[], 0),
    opts("faketime", "", &[], 1),
    opts("xvfb-run", "enfps", &["--server-num", "--server-args", "--auth-file"], 0),
    opts("dbus-run-session", "", &["--config-file"], 0),
    opts(
        "systemd-run",
        "uprMHtEGS",
        &[
            "--unit",
            "--property",
            "--slice",
            "--uid",
            "--gid",
            "--description",
            "--setenv",
            "--working-directory",
            "--on-active",
            "--on-calendar",
            "--machine",
            "--host",
            "--nice",
            "--service-type",
            "--timer-property",
        ],
        0,
    ),
    opts("systemd-inhibit", "", &["--what", "--who", "--why", "--mode"], 0),
    opts("unshare", "RwSGl", &["--root", "--wd", "--map-users", "--setuid", "--setgid"], 0),
    opts("nsenter", "tSGW", &["--target", "--setuid", "--setgid"], 0),
    opts("chroot", "", &["--userspec", "--groups"], 1),
    opts("firejail", "", &[], 0),
    opts("runuser", "ugGsw", &["--user", "--group", "--shell"], 0),
    opts("pkexec", "", &["--user"], 0),
    opts("setpriv", "", &["--reuid", "--regid"], 0),
    opts("capsh", "", &[], 0),
    opts("setarch", "", &[], 1),
    plain("linux64"),
    plain("linux32"),
    opts("prlimit", "", &[], 0),
    opts("cpulimit", "lpe", &[], 0),
    opts("caffeinate", "tw", &[], 0),
    opts("flock", "wEx", &["--timeout", "--conflict-exit-code", "--wait"], 1),
    opts("entr", "", &[], 0),
    opts("direnv", "", &[], 2),
    opts("op", "", &["--env-file", "--account"], 1),
    opts("doppler", "pc", &["--project", "--config"], 1),
    opts("dotenv", "ef", &["--env-file"], 0),
    opts("dotenvx", "f", &[], 1),
    opts("aws-vault", "", &["--region", "--duration"], 2),
    opts("busybox", "", &[], 0),
    opts("toybox", "", &[], 0),
    opts("chpst", "ueEbnlLmdotrc", &[], 0),
    opts("gosu", "", &[], 1),
    opts("su-exec", "", &[], 1),
    opts("tini", "", &[], 0),
    opts("dumb-init", "", &[], 0),
    opts("daemonize", "acelopu", &[], 0),
    opts("fakeroot", "lsib", &[], 0),
    opts("proot", "rbwk", &[], 0),
    opts("arch", "", &[], 0),
    opts(
        "hyperfine",
        "wmMrpcSnu",
        &[
            "--warmup",
            "--min-runs",
            "--max-runs",
            "--runs",
            "--prepare",
            "--cleanup",
            "--shell",
            "--export-json",
            "--export-markdown",
        ],
        0,
    ),
];

impl Walk<'_> {
    /// Walk a command that runs another one; none when `name` is not such.
    pub(crate) fn wrapper(&mut self, name: &str, args: &[Arg], stdin: &Stdin) -> Option<Flow> {
        match name {
            "xargs" | "gxargs" => return Some(self.xargs(args, stdin)),
            "parallel" | "sem" | "rush" => return Some(self.parallel(args, stdin)),
            "ssh" | "mosh" | "autossh" | "sshpass" => return self.ssh(name, args, stdin),
            "su" => return Some(self.su(args, stdin)),
            "watch" | "viddy" | "nodemon" | "watchexec" | "entr" => {
                self.record(name, args, true);
                let rest = strip(args, "ndxe", &["--interval", "--exec", "--ext", "--watch"]).0;
                let line = join(rest);
                return Some(self.run_shell(&line, "watch", &None));
            }
            "tmux" | "screen" | "script" | "nix-shell" | "nix" | "at" | "batch" | "expect" | "osascript"
            | "distrobox" | "toolbox" | "vagrant" | "conda" | "mamba" | "micromamba" | "flatpak-spawn"
            | "wsl" | "start-stop-daemon" => {
                return Some(self.embedded(name, args, stdin));
            }
            "docker" | "podman" | "nerdctl" | "kubectl" | "oc" | "k" | "docker-compose" | "lxc" | "incus"
            | "machinectl" | "limactl" | "colima" | "multipass" => return self.container(name, args, stdin),
            "npx" | "bunx" | "pnpx" | "uvx" | "pipx" | "npm" | "pnpm" | "yarn" | "bun" | "uv" | "poetry"
            | "pipenv" | "bundle" | "hatch" | "pdm" | "rye" | "mise" | "asdf" | "rtx" | "devbox"
            | "cargo" | "rustup" | "corepack" | "dotnet" | "mix" | "just" | "make" => {
                return self.runner(name, args, stdin);
            }
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
            "flock" | "runuser" if args.iter().any(|a| matches!(a.text.as_str(), "-c" | "--command")) => {
                self.record(name, args, true);
                let code =
                    args.iter().skip_while(|a| !matches!(a.text.as_str(), "-c" | "--command")).nth(1)?;
                return Some(self.run_shell(&code.text.clone(), "-c", stdin));
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
            rest = rest.get(1..).unwrap_or_default();
        }
        if clear {
            self.st.vars.retain(|(_, v)| !v.exported && v.array.is_some());
        }
        if spec.assigns {
            while let Some((first, tail)) = rest.split_first() {
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
        let rest = rest.get(spec.skip..).unwrap_or_default();
        let rest = after_dashes(rest);
        if rest.is_empty() && spec.name == "env" {
            // The whole environment, with whatever tokens are in it.
            return Flow::unknown(crate::model::Taint::SECRET);
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
                "--arg-file",
                "--delimiter",
                "--eof",
                "--replace",
                "--max-lines",
                "--max-args",
                "--max-procs",
                "--max-chars",
            ],
        );
        let mut input = stdin.clone();
        let mut replace: Option<String> = None;
        let mut no_run = false;
        for (key, value) in &options {
            match key.as_str() {
                "-a" | "--arg-file" => input = Some(self.read_file(&Arg::new(value.clone()), true)),
                "-I" | "--replace" => {
                    replace = Some(if value.is_empty() { "{}".into() } else { value.clone() })
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
            self.input_driven(&rest.to_vec());
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
            name = base_name(&h.text).to_owned();
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
        let values: Vec<Arg> = args.get(cut + 1..).unwrap_or_default().iter().take(16).cloned().collect();
        let own = args.get(..cut).unwrap_or_default();
        let (rest, _) = strip(
            own,
            "jaISnNLPdCE",
            &[
                "--jobs",
                "--arg-file",
                "--delay",
                "--timeout",
                "--joblog",
                "--results",
                "--tmpdir",
                "--colsep",
                "--retries",
                "--max-args",
                "--sshlogin",
                "--workdir",
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
            self.input_driven(&rest.to_vec());
        }
        out
    }

    fn ssh(&mut self, name: &str, args: &[Arg], stdin: &Stdin) -> Option<Flow> {
        if name == "sshpass" {
            let (rest, _) = strip(args, "fdpP", &[]);
            self.record(name, args, true);
            return Some(self.within_via("sshpass", |w| w.exec(rest.to_vec(), stdin.clone()).0));
        }
        self.record(name, args, false);
        let (rest, options) = strip(args, "BbcDEeFIiJLlmOopQRSWw", &["--ssh"]);
        for (key, value) in &options {
            if key == "-o" {
                let low = value.to_ascii_lowercase();
                for opt in ["proxycommand", "localcommand", "knownhostscommand"] {
                    if let Some(at) = low.strip_prefix(opt) {
                        let cut = value.len() - at.trim_start_matches(['=', ' ']).len();
                        let code = value.get(cut..).unwrap_or_default().to_owned();
                        self.run_shell(&code, "ssh -o", &None);
                    }
                }
            }
        }
        let Some((host, command)) = rest.split_first() else { return Some(Flow::default()) };
        let command = after_dashes(command);
        let taint = stdin.as_ref().map(|f| f.taint).unwrap_or_default();
        if taint.has(crate::model::Taint::SECRET) {
            self.effect(EffectKind::Send {
                what: "-".into(),
                to: host.text.clone(),
                secret: true,
                outside: false,
            });
        }
        let before = self.st.clone();
        // On the other machine nothing of this one's state holds.
        self.st.vars.clear();
        self.st.files.clear();
        self.st.cwd = Some("/home/remote".to_owned());
        let flow = if command.is_empty() {
            match stdin {
                Some(f) => self.run_flow(f, "sh", "ssh", "ssh input"),
                None => Flow::default(),
            }
        } else {
            let line = join(command);
            let t = command.iter().fold(crate::model::Taint::NONE, |t, a| t.and(a.taint));
            self.run_flow_in(&Flow { text: Some(line), taint: t }, "sh", "ssh", "ssh", stdin)
        };
        let files = before.files.clone();
        self.st = before;
        self.st.files = files;
        Some(Flow { text: None, taint: flow.taint })
    }

    fn su(&mut self, args: &[Arg], stdin: &Stdin) -> Flow {
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
    fn embedded(&mut self, name: &str, args: &[Arg], stdin: &Stdin) -> Flow {
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
                    let rest = args.get(at + 1..).unwrap_or_default().to_vec();
                    return self.within_via("nix", |w| w.exec(rest, stdin.clone()).0);
                }
            }
            "osascript" => {
                for a in args {
                    if let Some(at) = a.text.find("do shell script") {
                        let tail = a.text.get(at..).unwrap_or_default();
                        let code = tail.split('"').nth(1).unwrap_or_default().to_owned();
                        self.run_shell(&code, "osascript", &None);
                    }
                }
            }
            "tmux" | "screen" => {
                // The command is the words after the options of the sub-command, or keys sent to a shell.
                let send =
                    args.iter().position(|a| matches!(a.text.as_str(), "send-keys" | "send" | "stuff"));
                let (rest, _) =
                    strip(args.get(send.map_or(1, |s| s + 1)..).unwrap_or_default(), "stncxyFelp", &[]);
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
                    let rest = args.get(at + 1..).unwrap_or_default().to_vec();
                    return self.within_via("--", |w| w.exec(rest, stdin.clone()).0);
                }
                if matches!(name, "conda" | "mamba" | "micromamba")
                    && args.first().is_some_and(|a| a.text == "run")
                {
                    let (rest, _) =
                        strip(args.get(1..).unwrap_or_default(), "np", &["--name", "--prefix", "--cwd"]);
                    return self.within_via("conda run", |w| w.exec(rest.to_vec(), stdin.clone()).0);
                }
                return crate::tools::effects(self, name, args, stdin);
            }
        }
        Flow::default()
    }

    /// `docker exec c sh -c …`, `kubectl exec p -- sh -c …`, `docker run img cmd`.
    fn container(&mut self, name: &str, args: &[Arg], stdin: &Stdin) -> Option<Flow> {
        let at = args.iter().position(|a| matches!(a.text.as_str(), "exec" | "run" | "shell" | "debug"))?;
        let verb = args.get(at)?.text.clone();
        // Only the sub-command itself, not a resource of that name.
        if at > 4 || (name == "kubectl" && verb == "run") {
            return None;
        }
        self.record(name, args, false);
        let tail = args.get(at + 1..)?;
        let inner: Vec<Arg> = if let Some(dash) = tail.iter().position(|a| a.text == "--") {
            tail.get(dash + 1..)?.to_vec()
        } else {
            let (rest, _) = strip(
                tail,
                "euwnclhpvmf",
                &[
                    "--env",
                    "--user",
                    "--workdir",
                    "--name",
                    "--network",
                    "--volume",
                    "--mount",
                    "--entrypoint",
                    "--env-file",
                    "--publish",
                    "--memory",
                    "--cpus",
                    "--hostname",
                    "--label",
                    "--platform",
                    "--add-host",
                    "--namespace",
                    "--container",
                    "--context",
                    "--index",
                    "--gpus",
                    "--shm-size",
                    "--restart",
                    "--link",
                    "--device",
                    "--ulimit",
                    "--security-opt",
                    "--cap-add",
                    "--cap-drop",
                    "--pull",
                    "--net",
                    "--ipc",
                    "--pid",
                    "--file",
                    "--project-name",
                ],
            );
            rest.get(1..).unwrap_or_default().to_vec()
        };
        if inner.is_empty() {
            return Some(Flow::default());
        }
        let before = self.st.clone();
        if verb == "run"
            && !tail.iter().any(|a| {
                a.text.starts_with("-v") || a.text.starts_with("--volume") || a.text.starts_with("--mount")
            })
        {
            // A fresh container without mounts: what it deletes is its own.
            return Some(Flow::default());
        }
        self.st.vars.clear();
        let flow = self.within_via("container", |w| w.exec(inner, stdin.clone()).0);
        self.st.after_subshell(before);
        Some(Flow { text: None, taint: flow.taint })
    }

    /// Package managers' `exec`/`run`: the words behind are a command; other sub-commands are the tool's own.
    fn runner(&mut self, name: &str, args: &[Arg], stdin: &Stdin) -> Option<Flow> {
        let first = args.first().map(|a| a.text.as_str()).unwrap_or_default();
        let skip = match (name, first) {
            ("npx" | "bunx" | "pnpx" | "uvx", _) => 0,
            ("npm", "exec" | "x")
            | ("pnpm", "exec" | "dlx")
            | ("yarn", "exec" | "dlx")
            | ("bun", "x")
            | ("uv", "run")
            | ("pipx", "run")
            | ("poetry" | "pipenv" | "hatch" | "pdm" | "rye" | "devbox", "run")
            | ("bundle", "exec")
            | ("mise" | "rtx" | "asdf", "exec" | "x")
            | ("corepack", _) => 1,
            ("rustup", "run") => 2,
            ("bun", "-e" | "--eval") => return self.interpreter("node", args, stdin),
            _ => return None,
        };
        let (rest, options) = strip(
            args.get(skip..)?,
            "pcw",
            &[
                "--package",
                "--call",
                "--with",
                "--from",
                "--python",
                "--project",
                "--directory",
                "--env-file",
                "--extra",
                "--group",
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
            let mut chars = t.char_indices().skip(1);
            while let Some((at, c)) = chars.next() {
                let key = format!("-{c}");
                if short.contains(c) {
                    let rest = t.get(at + c.len_utf8()..).unwrap_or_default();
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
    (args.get(i.min(args.len())..).unwrap_or_default(), options)
}

fn unquote(word: &str) -> String {
    word.trim_matches(['"', '\'']).to_owned()
}
