//! Programs inside the program: shells with `-c` or a script on their input, interpreters with inline code.

use crate::model::{Arg, CodeFrom, EffectKind, HOLE, Note, Taint};
use crate::text::{behind, items};
use crate::tools::inline::{self, Lang};
use crate::tools::{Prints, prints_names};

use super::{Flow, Stdin, Walk};

/// Whether this is the name of a shell.
pub(crate) fn shell_name(name: &str) -> bool {
    matches!(
        name,
        "sh" | "bash"
            | "zsh"
            | "dash"
            | "ash"
            | "ksh"
            | "mksh"
            | "pdksh"
            | "ksh93"
            | "yash"
            | "rbash"
            | "fish"
            | "csh"
            | "tcsh"
            | "pwsh"
            | "powershell"
            | "osh"
            | "brush"
            | "elvish"
            | "nu"
            | "xonsh"
            | "hush"
    )
}

/// PowerShell that runs what it downloads: `iex (irm URL)`, `IEX(New-Object Net.WebClient).DownloadString(URL)`.
fn evaluates_download(code: &str) -> bool {
    let code = code.to_ascii_lowercase();
    let is_word = |word: &str| {
        code.match_indices(word).any(|(at, _)| {
            let letter = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric() || c == '-');
            !letter(code.get(..at).and_then(|rest| rest.chars().next_back()))
                && !letter(code.get(at + word.len()..).and_then(|rest| rest.chars().next()))
        })
    };
    let runs = is_word("iex") || is_word("invoke-expression");
    let fetches = ["downloadstring", "downloadfile", "webclient"].iter().any(|word| code.contains(word))
        || ["iwr", "irm", "curl", "wget", "invoke-webrequest", "invoke-restmethod"]
            .iter()
            .any(|word| is_word(word));
    runs && fetches
}

impl Walk<'_> {
    /// Run data as code of `lang` (`sh` or an interpreter's name).
    pub(crate) fn run_flow(&mut self, flow: &Flow, lang: &str, by: &str, via: &'static str) -> Flow {
        self.run_flow_in(flow, lang, by, via, &None)
    }

    pub(crate) fn run_flow_in(
        &mut self,
        flow: &Flow,
        lang: &str,
        by: &str,
        via: &'static str,
        stdin: &Stdin,
    ) -> Flow {
        if let Some(from) = flow.taint.code_from() {
            if self.out.commands.is_empty() {
                self.record(by, &[], false);
            }
            self.effect(EffectKind::Code { from, by: by.to_owned() });
        }
        let known = |text: &String| text.chars().any(|c| c != HOLE && !c.is_whitespace());
        if lang == "sh" && flow.taint.has(Taint::FOREIGN) && !flow.text.as_ref().is_some_and(known) {
            self.effect(EffectKind::Code { from: CodeFrom::Foreign, by: by.to_owned() });
        }
        // What a program prints is not its text.
        let Some(text) = &flow.text else { return Flow::unknown(flow.taint.without_secret()) };
        if text.trim().is_empty() || (text.chars().all(|c| c == HOLE || c.is_whitespace())) {
            return Flow::unknown(flow.taint.without_secret());
        }
        if lang == "sh" {
            return self.run_shell(text, via, stdin);
        }
        if let Some(lang) = Lang::of(lang) {
            self.run_inline(text, lang, via);
        }
        Flow::default()
    }

    /// Shells and interpreters; none when `name` is neither.
    pub(crate) fn interpreter(&mut self, name: &str, args: &[Arg], stdin: &Stdin) -> Option<Flow> {
        if shell_name(name) {
            return Some(self.shell(name, args, stdin));
        }
        let lang = Lang::of(name)?;
        Some(self.inline_interpreter(name, lang, args, stdin))
    }

    fn shell(&mut self, name: &str, args: &[Arg], stdin: &Stdin) -> Flow {
        let powershell = matches!(name, "pwsh" | "powershell");
        let help = args
            .iter()
            .take_while(|a| a.text.starts_with('-'))
            .any(|a| matches!(a.text.as_str(), "--help" | "--version"));
        let recorded = self.record(name, args, help);
        if help {
            return Flow::default();
        }
        let mut i = 0;
        let mut command = false;
        let mut from_stdin = false;
        let mut no_exec = false;
        let mut pipefail = false;
        let mut trace = false;
        while let Some(a) = args.get(i) {
            let t = a.text.as_str();
            if t == "--" || t == "-" {
                i += 1;
                break;
            }
            if powershell && t.starts_with('-') {
                let low = t.to_ascii_lowercase();
                i += 1;
                match low.as_str() {
                    "-c" | "-command" => {
                        command = true;
                        break;
                    }
                    "-e" | "-ec" | "-enc" | "-encodedcommand" => {
                        self.effect(EffectKind::Code { from: CodeFrom::Decoded, by: name.to_owned() });
                        return Flow::default();
                    }
                    "-f" | "-file" => break,
                    "-ep" | "-executionpolicy" | "-ex" | "-windowstyle" | "-w" => i += 1,
                    _ => {}
                }
                continue;
            }
            if let Some(long) = t.strip_prefix("--") {
                if matches!(long, "rcfile" | "init-file") {
                    if let Some(file) = args.get(i + 1) {
                        let flow = self.read_file(file, true);
                        self.run_flow(&flow, "sh", name, "--rcfile");
                    }
                    i += 1;
                } else if long == "command" {
                    command = true;
                } else if let Some(code) = long.strip_prefix("command=") {
                    self.run_shell(code, "sh -c", stdin);
                }
                i += 1;
                continue;
            }
            let Some(flags) = t.strip_prefix(['-', '+']) else { break };
            command |= flags.contains('c') && t.starts_with('-');
            from_stdin |= flags.contains('s');
            trace |= flags.contains(['x', 'v']) && t.starts_with('-');
            no_exec |= flags.contains('n') && t.starts_with('-') && !flags.contains('c');
            i += 1;
            if matches!(flags, "o" | "O") || (flags.ends_with('o') && flags.len() > 1) {
                pipefail |= t.starts_with('-') && args.get(i).is_some_and(|a| a.text == "pipefail");
                i += 1;
            }
        }
        if no_exec {
            return Flow::default();
        }
        let rest = behind(args, i);
        if command {
            let Some((code, positional)) = rest.split_first() else { return Flow::default() };
            let mut list = positional.to_vec();
            if list.is_empty() {
                list.push(Arg::new(name));
            }
            let flow = Flow {
                text: Some(if powershell { super::exec::join(rest) } else { code.text.clone() }),
                taint: code.taint,
            };
            if powershell && flow.text.as_deref().is_some_and(evaluates_download) {
                self.effect(EffectKind::Code { from: CodeFrom::Network, by: name.to_owned() });
            }
            let before = self.snapshot();
            self.enter_child(list);
            self.st.pipefail = pipefail;
            self.st.trace |= trace;
            if trace {
                self.prompt();
            }
            self.start_up(name, args);
            let mut out = self.run_flow_in(&flow, "sh", name, "sh -c", stdin);
            out.push(self.end_shell());
            self.leave(before);
            self.mark_wrapper(recorded);
            return out;
        }
        if let Some(file) = rest.first().filter(|_| !from_stdin) {
            return self.shell_script(name, file, rest, stdin);
        }
        self.start_up(name, args);
        let interactive =
            args.iter().any(|a| a.text.starts_with('-') && !a.text.starts_with("--") && a.text.contains('i'));
        let printed = if interactive { Taint::SHELL } else { Taint::NONE };
        let Some(flow) = stdin else { return Flow::unknown(printed) };
        let before = self.snapshot();
        self.st.positional =
            std::iter::once(Arg::new(name)).chain(rest.iter().cloned().map(Arg::names)).collect();
        let mut out = self.run_flow(flow, "sh", name, "shell input");
        self.leave(before);
        out.taint = out.taint.and(printed);
        out
    }

    /// `sh FILE ARGUMENT…`.
    fn shell_script(&mut self, name: &str, file: &Arg, words: &[Arg], stdin: &Stdin) -> Flow {
        let flow = if matches!(file.text.as_str(), "/dev/stdin" | "/proc/self/fd/0" | "/dev/fd/0") {
            stdin.clone().unwrap_or_default()
        } else {
            self.read_file(file, true)
        };
        let before = self.snapshot();
        self.st.positional = words.iter().cloned().map(Arg::names).collect();
        self.st.vars.retain(|(_, v)| v.exported);
        let out = self.run_flow_in(&flow, "sh", name, "script", stdin);
        self.leave(before);
        out
    }

    /// What is left in a child shell: it sees only what is exported.
    fn enter_child(&mut self, positional: Vec<Arg>) {
        self.st.positional = positional;
        self.st.vars.retain(|(_, v)| v.exported);
        let exported = std::mem::take(&mut self.st.exported_functions);
        self.st.functions.retain(|(n, _)| exported.contains(n));
        self.st.exported_functions = exported;
        self.st.aliases.clear();
        self.st.hashed.clear();
        self.st.locals.clear();
        self.st.at_exit = None;
    }

    /// The file that a shell reads before anything else.
    fn start_up(&mut self, name: &str, args: &[Arg]) {
        let interactive = args.iter().any(|a| a.text.starts_with('-') && a.text.contains('i'));
        for variable in ["BASH_ENV", "ENV"] {
            let Some(file) = self.st.var(variable).and_then(|v| v.values.first().cloned()) else { continue };
            if variable == "BASH_ENV" || interactive {
                let flow = self.read_file(&file, true);
                self.run_flow(&flow, "sh", name, "start-up file");
            }
        }
    }

    fn inline_interpreter(&mut self, name: &str, lang: Lang, args: &[Arg], stdin: &Stdin) -> Flow {
        let help =
            args.first().is_some_and(|a| matches!(a.text.as_str(), "--help" | "--version" | "-V" | "-h"));
        self.record(name, args, help);
        if help {
            return Flow::default();
        }
        crate::tools::serve(self, name, args);
        let spec = inline::split(lang, name, args);
        self.records = stdin.as_ref().filter(|_| lang.reads_operands(args)).and_then(|f| f.text.clone());
        for (code, via) in &spec.code {
            if let Some(from) = code.taint.code_from() {
                self.effect(EffectKind::Code { from, by: name.to_owned() });
            }
            self.run_inline(&code.text, lang, via);
        }
        for file in &spec.programs {
            let own = matches!(file.text.as_str(), "-" | "/dev/stdin");
            let flow = if own { stdin.clone().unwrap_or_default() } else { self.read_file(file, true) };
            self.run_flow(&flow, name, name, "script");
        }
        let codes = spec.code.iter().map(|(code, _)| code);
        let mut taint =
            codes.fold(Taint::NONE, |t, code| t.and(code.taint).and(self.environment_of(&code.text, lang)));
        if spec.code.is_empty() {
            if let Some(file) = spec.files.first() {
                // The program's own file, then its arguments.
                let flow = if matches!(file.text.as_str(), "/dev/stdin" | "-" | "/dev/fd/0") {
                    stdin.clone().unwrap_or_default()
                } else {
                    self.read_file(file, true)
                };
                self.run_flow(&flow, name, name, "script");
                let code = flow.text.as_deref().unwrap_or_default();
                taint = flow.taint.used().and(self.environment_of(code, lang));
                // `php artisan …`, `python manage.py …`: the script is a command of its own.
                if let Some(at) = args.iter().position(|a| a == file) {
                    let base = super::exec::base_name(&file.text).to_owned();
                    let rest = items(args, at + 1..).to_vec();
                    self.within_via("script", |w| w.record(&base, &rest, false));
                }
            } else if !spec.module
                && let Some(flow) = stdin
            {
                self.run_flow(flow, name, name, "interpreter input");
                taint = taint.and(self.environment_of(flow.text.as_deref().unwrap_or_default(), lang));
            }
        } else {
            let from = self.out.effects.len();
            for file in &spec.files {
                // `perl -ne … FILE`, `awk … FILE` read their operands.
                if lang.reads_operands(args) {
                    taint = taint.and(self.read_file(file, true).taint);
                }
            }
            if prints_names(name, args) {
                self.unseen(from..self.out.effects.len(), Prints::Names);
            }
            if let Some(flow) = stdin {
                taint = taint.and(flow.taint);
            }
        }
        if spec.in_place {
            for file in &spec.files {
                let path = self.path(file);
                self.effect(EffectKind::Write(path, crate::model::WriteHow::InPlace));
            }
        }
        Flow::unknown(taint)
    }

    fn run_inline(&mut self, text: &str, lang: Lang, via: &'static str) {
        self.code += text.len();
        if self.code > super::MAX_CODE || self.depth > super::MAX_DEPTH {
            self.note(Note::TooMuch);
            return;
        }
        self.within_via(via, |w| w.deciding(false, |w| inline::walk(w, text, lang)));
    }
}
