//! The scripts that a command runs, and what is in them.

use sprag_base::files::read_limited;
use sprag_rules::{GuardConfig, Verdict, judge, sensitive_reads};
use sprag_shell::{Analysis, Cmd, Context, HOLE, analyse, normalise, quote};
use std::path::Path;

/// The largest script that is read.
const MAX_SCRIPT: u64 = 256 << 10;

/// The most scripts of one line that are looked at.
const MAX_SCRIPTS: usize = 8;

/// How a script is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Language {
    Shell,
    /// With the interpreter that takes code in an argument: its name and the option.
    Inline(&'static str, &'static str),
}

/// A script that a command runs.
#[derive(Debug)]
pub struct Script {
    /// Its path, absolute.
    pub path: String,
    language: Language,
}

/// What a guard would stop in a script.
#[derive(Debug)]
pub struct ScriptFinding {
    /// The rule, or its pack.
    pub rule: &'static str,
    /// What it is about.
    pub what: String,
    /// As a command it would be denied, whoever is asked.
    pub denied: bool,
}

/// Whether a file of this name may be code that an interpreter runs.
pub fn may_be_script(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    match name.rsplit_once('.') {
        None => true,
        Some((_, end)) => {
            matches!(
                end,
                "sh" | "bash"
                    | "zsh"
                    | "ksh"
                    | "py"
                    | "js"
                    | "mjs"
                    | "cjs"
                    | "ts"
                    | "rb"
                    | "pl"
                    | "php"
                    | "fish"
            )
        }
    }
}

fn language(program: &str, path: &str) -> Option<Language> {
    let by_name = |end: &str| match end {
        "py" => Some(Language::Inline("python3", "-c")),
        "js" | "mjs" | "cjs" | "ts" => Some(Language::Inline("node", "-e")),
        "rb" => Some(Language::Inline("ruby", "-e")),
        "pl" => Some(Language::Inline("perl", "-e")),
        "php" => Some(Language::Inline("php", "-r")),
        "sh" | "bash" | "zsh" | "ksh" => Some(Language::Shell),
        _ => None,
    };
    match program {
        "sh" | "bash" | "zsh" | "dash" | "ksh" | "source" | "." => Some(Language::Shell),
        "node" | "bun" | "deno" | "tsx" | "ts-node" => Some(Language::Inline("node", "-e")),
        "ruby" => Some(Language::Inline("ruby", "-e")),
        "perl" => Some(Language::Inline("perl", "-e")),
        "php" => Some(Language::Inline("php", "-r")),
        _ if program.starts_with("python") || program == "pypy3" => Some(Language::Inline("python3", "-c")),
        // Named itself: its first line tells, or its name does.
        "" => Some(path.rsplit_once('.').and_then(|(_, end)| by_name(end)).unwrap_or(Language::Shell)),
        _ => None,
    }
}

/// The scripts that the line runs by name, through an interpreter or by themselves.
pub fn run_by(analysis: &Analysis, context: &Context) -> Vec<Script> {
    let mut out: Vec<Script> = Vec::new();
    for cmd in analysis.local_commands().take(200) {
        if out.len() >= MAX_SCRIPTS {
            break;
        }
        let Some((program, file)) = started(cmd) else { continue };
        if file.contains(HOLE) {
            continue;
        }
        let path = normalise(file, &context.cwd);
        if let Some(language) = language(program, &path)
            && !out.iter().any(|script| script.path == path)
        {
            out.push(Script { path, language });
        }
    }
    out
}

/// The interpreter and the script that a command starts.
fn started(cmd: &Cmd) -> Option<(&str, &str)> {
    let interpreter = language(&cmd.name, "").is_some();
    if let Some(path) = cmd.by_path.as_deref().filter(|_| !interpreter) {
        return Some(("", path));
    }
    let words = || cmd.args.iter().map(|arg| arg.text.as_str());
    // Code in an argument, a module: no script.
    if words()
        .take_while(|word| word.starts_with('-'))
        .any(|word| matches!(word, "-c" | "-e" | "-m" | "-r" | "-p"))
    {
        return None;
    }
    let mut operands = words().filter(|word| !word.starts_with('-'));
    let first = operands.next()?;
    let verb = matches!(cmd.name.as_str(), "bun" | "deno") && first == "run";
    let file = if verb { operands.next()? } else { first };
    Some((cmd.name.as_str(), file))
}

impl Script {
    /// What its content would do that a guard stops. `None`: nothing, or it cannot be read.
    pub fn stopped(&self, context: &Context, config: &GuardConfig) -> Option<ScriptFinding> {
        let bytes = read_limited(Path::new(&self.path), MAX_SCRIPT).ok()??;
        let text = String::from_utf8_lossy(&bytes);
        self.judged(&text, context, config)
    }

    fn judged(&self, text: &str, context: &Context, config: &GuardConfig) -> Option<ScriptFinding> {
        let inline = |name: &str, option: &str| format!("{name} {option} {}", quote(text));
        let first = text.lines().next().unwrap_or_default();
        let command = match self.language {
            _ if first.starts_with("#!") && first.contains("python") => inline("python3", "-c"),
            _ if first.starts_with("#!") && first.contains("node") => inline("node", "-e"),
            Language::Shell => text.to_owned(),
            Language::Inline(name, option) => inline(name, option),
        };
        let analysis = analyse(&command, context);
        let judged = judge(&analysis, context, config);
        if judged.stops() {
            let what = judged.all_hits.first().map(|hit| hit.what.clone()).unwrap_or_default();
            return judged.rule.map(|rule| ScriptFinding {
                rule,
                what,
                denied: judged.verdict == Verdict::Deny,
            });
        }
        let read = sensitive_reads(&analysis).into_iter().next()?;
        Some(ScriptFinding { rule: "privacy", what: read.path.expanded, denied: false })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn context() -> Context {
        Context { cwd: "/home/dev/p".into(), home: "/home/dev".into(), project_root: "/home/dev/p".into() }
    }

    fn scripts(command: &str) -> Vec<String> {
        let analysis = analyse(command, &context());
        run_by(&analysis, &context()).into_iter().map(|script| script.path).collect()
    }

    #[test]
    fn scripts_that_a_line_runs() {
        for (command, path) in [
            ("bash run.sh", "/home/dev/p/run.sh"),
            ("python3 tools/diag.py --all", "/home/dev/p/tools/diag.py"),
            ("sudo -u x node a.js", "/home/dev/p/a.js"),
            (". ./env.sh && make", "/home/dev/p/env.sh"),
            ("./run.sh", "/home/dev/p/run.sh"),
        ] {
            assert!(scripts(command).contains(&path.to_owned()), "{command}: {:?}", scripts(command));
        }
        for command in
            ["pytest tests/test_a.py", "python3 -m pytest -q", "python3 -c 'print(1)'", "cat run.sh", "make"]
        {
            assert_eq!(scripts(command), Vec::<String>::new(), "{command}");
        }
    }

    #[test]
    fn content_is_judged_like_a_command() {
        let shell = Script { path: "/p/a.sh".into(), language: Language::Shell };
        let python = Script { path: "/p/a.py".into(), language: Language::Inline("python3", "-c") };
        let config = GuardConfig::default();
        assert!(shell.judged("#!/bin/sh\nset -e\nrm -rf ~\n", &context(), &config).is_some());
        assert!(shell.judged("#!/bin/sh\necho hello\n", &context(), &config).is_none());
        assert!(python.judged("import os\nos.system('rm -rf ~')\n", &context(), &config).is_some());
        assert!(
            python.judged("print(open('/home/dev/.ssh/id_rsa').read())\n", &context(), &config).is_some()
        );
        assert!(python.judged("print('it''s fine')\n", &context(), &config).is_none());
    }
}
