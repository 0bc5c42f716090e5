//! Commands that run another command: their own options are taken off, the rest is walked.

use crate::model::{Arg, EffectKind, HOLE};
use crate::paths::PathZone;
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
            "watch" | "viddy" | "nodemon" | "watchexec" | "entr" => return Some(self.watch(name, args)),
            "emacsclient" | "guile" | "racket" | "sbcl" | "clisp" | "ecl" | "gosh" | "csi" => {
                return Some(self.embedded(name, args, stdin));
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
                let only_path = args.first().is_some_and(|a| a.text == "-v");
                return Some(if only_path {
                    super::builtins::program_path(name, args)
                } else {
                    Flow::default()
                });
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

    /// Commands that run another one again and again: as words (`watch -x`, `entr`), or joined to a line of shell.
    fn watch(&mut self, name: &str, args: &[Arg]) -> Flow {
        self.record(name, args, true);
        let (rest, options) = match name {
            "watch" | "viddy" => strip(args, "nq", &["--interval", "--equexit"]),
            "watchexec" => strip(
                args,
                "ewifsdE",
                &["--exts", "--watch", "--ignore", "--filter", "--signal", "--debounce", "--shell", "--env"],
            ),
            "nodemon" => strip(args, "dewxi", &["--delay", "--ext", "--watch", "--ignore", "--exec"]),
            _ => strip(args, "", &[]),
        };
        let has = |key: &str| options.iter().any(|(k, _)| k == key);
        if let Some((_, code)) =
            options.iter().find(|(k, _)| name == "nodemon" && matches!(k.as_str(), "-x" | "--exec"))
        {
            let code = code.clone();
            return self.run_shell(&code, "watch", &None);
        }
        if name == "entr" && options.iter().any(|(k, _)| k == "-s") {
            let line = join(rest);
            return self.run_shell(&line, "watch", &None);
        }
        if name == "entr" || matches!(name, "watch" | "viddy") && (has("-x") || has("--exec")) {
            let rest = rest.to_vec();
            return self.within_via("watch", |w| w.exec(rest, None).0);
        }
        let line = join(rest);
        self.run_shell(&line, "watch", &None);
        if name == "watchexec" {
            let rest = rest.to_vec();
            return self.within_via("watch", |w| w.exec(rest, None).0);
        }
        Flow::default()
    }

    fn unwrap(&mut self, spec: &'static Wrapper, args: &[Arg], stdin: &Stdin) -> Flow {
        let mut clear = false;
        let (mut rest, options) = strip(args, spec.short, spec.long);
        let outer = (spec.name == "env" || spec.assigns).then(|| (self.snapshot(), self.env.clone()));
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
                // How bash hands a function to its children.
                if let Some(function) = n.strip_prefix("BASH_FUNC_").and_then(|n| n.strip_suffix("%%")) {
                    self.run_shell(&format!("{function} {v}"), "env", &None);
                    self.st.exported_functions.push(function.to_owned());
                    rest = tail;
                    continue;
                }
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
            let replaces = spec.name == "exec" && !rest.is_empty();
            let flow = self.within_via(spec.name, |w| {
                w.skip_functions = true;
                w.exec(rest, stdin).0
            });
            // The shell is gone.
            self.st.exited |= replaces;
            flow
        };
        if let Some((st, env)) = outer {
            self.leave(st);
            self.env = env;
        }
        flow
    }

    fn xargs(&mut self, args: &[Arg], stdin: &Stdin) -> Flow {
        self.record("xargs", args, true);
        // The values of `-i`, `-e` and `-l` hang on them or are missing.
        let own: Vec<Arg> = args
            .iter()
            .map(|a| match a.text.as_str() {
                "-i" | "--replace" => Arg::new("--replace={}"),
                "-e" | "-l" | "--eof" | "--max-lines" => Arg::new("-r"),
                _ => a.clone(),
            })
            .collect();
        let (rest, options) = strip(
            &own,
            "adEeIiJLlnPRSs",
            &["--arg-file", "--delimiter", "--max-args", "--max-procs", "--max-chars", "--process-slot-var"],
        );
        let mut input = stdin.clone();
        let mut replace: Option<String> = None;
        let mut no_run = false;
        let mut delimiter: Option<char> = None;
        let mut each: Option<usize> = None;
        for (key, value) in &options {
            match key.as_str() {
                "-a" | "--arg-file" => input = Some(self.read_file(&Arg::new(value.clone()), true)),
                "-I" | "-i" | "-J" | "--replace" => {
                    replace = Some(if value.is_empty() { "{}".into() } else { value.clone() });
                }
                "-0" | "--null" => delimiter = Some('\0'),
                "-d" | "--delimiter" => {
                    delimiter = value.replace("\\n", "\n").replace("\\0", "\0").chars().next();
                }
                "-n" | "--max-args" => each = value.parse().ok().filter(|n| *n > 0),
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
        let known = flow.text.as_ref().filter(|t| t.chars().any(|c| c != HOLE && !c.is_whitespace()));
        let mut words: Vec<Arg> = match (known, delimiter) {
            (Some(t), Some(d)) => {
                let items = t.split(d).filter(|w| !w.is_empty() && *w != "\n");
                items.take(256).map(Arg::new).collect()
            }
            (Some(t), None) if replace.is_some() => {
                t.lines().take(16).map(|l| Arg::new(l.trim_start())).collect()
            }
            (Some(t), None) => input_words(t),
            (None, _) => vec![Arg::new(HOLE.to_string())],
        };
        for w in &mut words {
            w.taint = flow.taint;
        }
        let dynamic = flow.text.as_ref().is_none_or(|t| t.contains(HOLE));
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
            for part in words.chunks(each.unwrap_or(256)).take(64) {
                let mut list = rest.to_vec();
                list.extend(part.iter().cloned());
                runs.push(list);
            }
            if words.is_empty() {
                runs.push(rest.to_vec());
            }
        }
        let name = rest.first().map(|a| base_name(&a.text).to_owned()).unwrap_or_default();
        if shell_name(&name) && rest.iter().any(|a| a.text.starts_with('-') && a.text.contains('c')) {
            let script_missing = rest.last().is_some_and(|a| a.text.starts_with('-')) && replace.is_none();
            let whole = replace.as_ref().is_some_and(|m| rest.iter().any(|a| a.text == *m));
            if script_missing || (whole && dynamic) {
                self.effect(EffectKind::DynamicShell);
            }
        }
        let mut out = Flow::empty();
        for run in runs {
            let (f, _) = self.within_via("xargs", |w| w.exec(run, None));
            out.push(f);
        }
        out.taint = out.taint.and(flow.taint);
        if dynamic {
            out.text = None;
            let rest = rest.to_vec();
            self.input_driven(&rest, &flow);
        }
        out
    }

    /// Whether the names are all in folders that a build makes again, or in a temporary one.
    fn lists_passing(&self, flow: &Flow) -> bool {
        let Some(text) = flow.text.as_deref().filter(|t| !t.is_empty()) else { return false };
        text.lines().all(|line| {
            let folder = line.rsplit_once('/').map_or("", |(folder, _)| folder);
            let path = self.path(&Arg::new(folder));
            let made = folder.split('/').any(crate::tools::regenerable) && path.place == PathZone::Project;
            made || path.place == PathZone::Temp
        })
    }

    /// `find DIR | xargs rm`: everything in the folder.
    fn delete_listed(&mut self, flow: &Flow) {
        let whole = format!("/{HOLE}");
        let text = flow.text.clone().unwrap_or_default();
        for folder in text.lines().take(8).filter_map(|line| line.strip_suffix(whole.as_str())) {
            let path = self.path(&Arg { glob: true, ..Arg::new(format!("{folder}/*")) });
            self.effect(EffectKind::Delete { path, recursive: false, force: true, regenerable: false });
        }
    }

    /// `… | xargs rm`: what is deleted is whatever arrives.
    fn input_driven(&mut self, rest: &[Arg], flow: &Flow) {
        let Some((head, tail)) = rest.split_first() else { return };
        let mut name = base_name(&head.text).to_owned();
        let mut tail = tail;
        while matches!(name.as_str(), "sudo" | "doas" | "command" | "env" | "nice" | "busybox") {
            let Some((h, t)) = tail.split_first() else { return };
            base_name(&h.text).clone_into(&mut name);
            tail = t;
        }
        if name == "rm" {
            if self.lists_passing(flow) {
                return;
            }
            self.delete_listed(flow);
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
        let (rest, options) = strip(
            items(args, ..cut),
            "jaISnNLPdCE",
            &[
                "--jobs", "--arg-file", "--delay", "--timeout", "--joblog", "--results", "--tmpdir",
                "--colsep", "--retries", "--max-args", "--sshlogin", "--workdir", "--tagstring", "--wd",
                "--max-procs", "--shuf", "--halt", "--memfree", "--load", "--env", "--block", "--recstart",
                "--recend", "--trim", "--basefile", "--return", "--arg-sep", "--delimiter",
            ],
        );
        let option =
            |keys: &[&str]| options.iter().find(|(k, _)| keys.contains(&k.as_str())).map(|(_, v)| v.clone());
        if options
            .iter()
            .any(|(k, _)| matches!(k.as_str(), "--dry-run" | "--dryrun" | "--help" | "--version"))
        {
            return Flow::default();
        }
        if options.iter().any(|(k, _)| matches!(k.as_str(), "--pipe" | "--spreadstdin" | "--pipepart")) {
            let line = join(rest);
            return self.run_shell(&line, "parallel", stdin);
        }
        let mut sources = self.parallel_sources(behind(args, cut));
        if let Some(file) = option(&["-a", "--arg-file"]) {
            let text = self.read_file(&Arg::new(file), true).text;
            sources.push(text.map_or_else(|| vec![HOLE.to_string()], |t| some_lines(&t)));
        }
        let line = join(rest);
        if sources.is_empty() {
            if line.is_empty()
                && let Some(f) = stdin
            {
                // Without a command each line of the input is one.
                return self.run_flow(f, "sh", "parallel", "parallel");
            }
            let text = stdin.as_ref().and_then(|f| f.text.clone());
            sources.push(text.map_or_else(|| vec![HOLE.to_string()], |t| some_lines(&t)));
        }
        let separator = option(&["-C", "--colsep"]);
        let mark = option(&["-I"]).unwrap_or_else(|| "{}".to_owned());
        let mut out = Flow::default();
        for values in combinations(&sources) {
            let values = match &separator {
                Some(separator) => {
                    values.iter().flat_map(|v| v.split(separator.as_str())).map(str::to_owned).collect()
                }
                None => values,
            };
            let command = filled(&line, &mark, &values);
            out = self.run_shell(&command, "parallel", &None);
        }
        if let Some(flow) = stdin.as_ref().filter(|f| f.text.as_ref().is_none_or(|t| t.contains(HOLE))) {
            let rest = rest.to_vec();
            self.input_driven(&rest, flow);
        }
        out
    }

    /// The values behind each `:::`, and the lines of the files behind each `::::`.
    fn parallel_sources(&mut self, args: &[Arg]) -> Vec<Vec<String>> {
        let mut sources: Vec<Vec<String>> = Vec::new();
        let mut files = false;
        for a in args {
            match a.text.as_str() {
                ":::" | ":::+" => {
                    files = false;
                    sources.push(Vec::new());
                }
                "::::" | "::::+" => {
                    files = true;
                    sources.push(Vec::new());
                }
                value => {
                    let lines = if files {
                        let text = self.read_file(a, true).text;
                        text.map_or_else(|| vec![HOLE.to_string()], |t| some_lines(&t))
                    } else {
                        vec![value.to_owned()]
                    };
                    if let Some(source) = sources.last_mut() {
                        source.extend(lines.into_iter().take(16));
                    }
                }
            }
        }
        sources.retain(|source| !source.is_empty());
        sources
    }
}

fn some_lines(text: &str) -> Vec<String> {
    text.lines().take(16).map(str::to_owned).collect()
}

/// One value of each source, in all ways, 32 at most.
fn combinations(sources: &[Vec<String>]) -> Vec<Vec<String>> {
    let mut all: Vec<Vec<String>> = vec![Vec::new()];
    for source in sources.iter().take(8) {
        all = all
            .iter()
            .flat_map(|head| {
                source.iter().map(move |v| {
                    let mut list = head.clone();
                    list.push(v.clone());
                    list
                })
            })
            .take(32)
            .collect();
    }
    all
}

/// A command of `parallel` with its values: `{}`, `{1}`, `{.}`, `{/}`, `{//}`, `{/.}`.
fn filled(line: &str, mark: &str, values: &[String]) -> String {
    if line.is_empty() {
        return values.join(" ");
    }
    let whole = values.join(" ");
    let mut out = line.replace(mark, &whole);
    if mark != "{}" {
        out = out.replace("{}", &whole);
    }
    let mut changed = out != line;
    let named = |prefix: &str, value: &str, out: &mut String| {
        let base = value.rsplit('/').next().unwrap_or(value);
        let dir = value.rsplit_once('/').map_or(".", |(dir, _)| if dir.is_empty() { "/" } else { dir });
        let stem = |text: &str| match text.rsplit_once('.') {
            Some((stem, end)) if !end.contains('/') => stem.to_owned(),
            _ => text.to_owned(),
        };
        for (form, text) in [
            ("", value.to_owned()),
            (".", stem(value)),
            ("/", base.to_owned()),
            ("//", dir.to_owned()),
            ("/.", stem(base)),
        ] {
            let form = format!("{{{prefix}{form}}}");
            if form != "{}" {
                *out = out.replace(&form, &text);
            }
        }
    };
    let before = out.clone();
    if let Some(first) = values.first() {
        named("", first, &mut out);
    }
    for (i, value) in values.iter().enumerate() {
        named(&(i + 1).to_string(), value, &mut out);
    }
    changed |= out != before;
    if changed { out } else { format!("{line} {whole}") }
}

/// The words of `xargs`: separated by blanks, with quotes and backslashes.
fn input_words(text: &str) -> Vec<Arg> {
    let mut out: Vec<Arg> = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match quote {
            Some(q) if c == q => quote = None,
            Some(_) => word.get_or_insert_with(String::new).push(c),
            None if matches!(c, '"' | '\'') => {
                word.get_or_insert_with(String::new);
                quote = Some(c);
            }
            None if c == '\\' => word.get_or_insert_with(String::new).extend(chars.next()),
            None if matches!(c, ' ' | '\t' | '\n') => out.extend(word.take().map(Arg::new)),
            None => word.get_or_insert_with(String::new).push(c),
        }
        if out.len() >= 256 {
            return out;
        }
    }
    out.extend(word.map(Arg::new));
    out
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
