//! Commands that may run, though nobody said so: in the words of a program that is not known, in the value of a variable or
//! a setting that runs it, and in text that is piped into a shell. What would be denied as a command is asked about; what
//! would only be asked about passes.

use crate::{Hit, Rule, Verdict};
use sprag_protocol::agents::AGENTS;
use sprag_shell::{Analysis, Arg, Cmd, Context, HOLE, base_name, quote};

static POSSIBLE: Rule = Rule {
    id: "remote-execution:possible-command",
    verdict: Verdict::Ask,
    reason: "A part of this line looks like a command that would be denied if it runs.",
    safer: "Run the command itself, so that it can be judged, or leave that part out.",
};

/// All rules of this file.
pub(crate) static RULES: &[&Rule] = &[&POSSIBLE];

/// The first words of commands that can be denied. Only these are looked at: other words cost a comparison.
const PROGRAMS: &[&str] = &[
    "rm", "dd", "shred", "mkfs", "chmod", "chown", "mv", "find", "curl", "wget", "bash", "sh", "zsh", "sudo",
    "doas", "env", "git", "sprag", "truncate", "wipefs", "diskutil", "eval", "exec", "cat", "cp", "tee",
    "nc", "busybox", "unlink", "rsync", "python3", "python", "perl", "node", "ruby",
];

/// Programs whose words are text, patterns or code of their own, or whose commands the analysis knows already.
const KNOWN: &[&str] = &[
    "echo", "printf", "print", "grep", "egrep", "fgrep", "rg", "ag", "ack", "ugrep", "cat", "less", "head",
    "tail", "test", "[", "[[", "expr", "jq", "yq", "gojq", "sed", "gsed", "awk", "gawk", "mawk", "tr", "cut",
    "sort", "uniq", "diff", "wc", "ls", "find", "fd", "rm", "cp", "mv", "mkdir", "touch", "cd", "export",
    "declare", "local", "read", "gh", "glab", "hub", "logger", "say", "notify-send", "osascript", "sprag",
    "man", "info", "tldr", "cheat", "which", "type", "docker", "podman", "nerdctl", "kubectl", "oc",
    "docker-compose", "ssh", "mosh", "curl", "wget", "http", "xh", "tmux", "screen", "trap", "alias",
    "history", "fc", "bash", "sh", "zsh", "dash", "fish", "python", "python3", "node", "ruby", "perl", "php",
    "eval", "source", ".", "xargs", "tee", "shellcheck", "shfmt", "explainshell", "bats", "assert",
];

/// Programs whose own words end at `--`: what follows belongs to the project's program or test.
const PASSES_ON: &[&str] = &[
    "cargo", "npm", "pnpm", "yarn", "bun", "deno", "dotnet", "go", "gradle", "gradlew", "mvn", "make",
    "just", "task", "pytest", "git", "rspec", "jest", "vitest", "mix", "bazel", "nx", "turbo", "lerna",
    "zig", "swift", "stack", "ctest", "cmake",
];

/// Whether a word is the beginning of such a command.
fn begins(text: &str) -> bool {
    let mut words = text.split_whitespace().filter(|word| !is_assignment(word));
    let Some(first) = words.next() else { return false };
    let first = base_name(first.trim_start_matches(['\\', '"', '\'']));
    words.next().is_some() && (PROGRAMS.contains(&first) || first.starts_with("mkfs."))
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| is_name(name))
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_')
}

/// What an option that takes a command is called.
fn takes_command(option: &str) -> bool {
    let name = option.trim_start_matches('-');
    matches!(
        name,
        "c" | "cmd"
            | "command"
            | "exec"
            | "run"
            | "script"
            | "scripts"
            | "filter"
            | "toolexec"
            | "run_under"
            | "entrypoint"
    ) || name == "C" && option.len() == 2
        || name.ends_with("-command")
        || name.ends_with("-cmd")
        || name.ends_with("-exec")
}

/// Whether a variable's value is a command for the program that reads it.
fn runs_value(name: &str) -> bool {
    const ENDS: [&str; 9] =
        ["PAGER", "EDITOR", "VISUAL", "_COMMAND", "_RUNNER", "_WRAPPER", "BROWSER", "SHELL", "ASKPASS"];
    matches!(
        name,
        "CC" | "CXX"
            | "LD"
            | "AR"
            | "RUSTC"
            | "GIT_EXTERNAL_DIFF"
            | "GIT_SSH"
            | "MAKEFLAGS"
            | "LESSOPEN"
            | "MANPAGER"
    ) || name.starts_with("GIT_CONFIG_VALUE_")
        || ENDS.iter().any(|end| name.ends_with(end))
}

/// The possible commands of one command's words and variables.
fn of_command(cmd: &Cmd, out: &mut Vec<String>) {
    for (name, value) in cmd.env.iter().filter(|(name, _)| runs_value(name)) {
        value_of(name, value, out);
    }
    let name = base_name(&cmd.name);
    if name == "git" {
        return of_git(cmd, out);
    }
    let is_agent = || AGENTS.iter().any(|agent| agent.process.is_program(name));
    if KNOWN.contains(&name) || cmd.args.is_empty() || is_agent() {
        return;
    }
    let words = &cmd.args;
    if let Some(at) = words.iter().position(|arg| arg.text == "--").filter(|_| !PASSES_ON.contains(&name)) {
        joined(words.get(at + 1..).unwrap_or_default(), out);
    }
    // `bwrap --bind / / rm -rf …`: a program that is not known, and behind its words the words of one that is.
    let destroys = |pair: &[Arg]| match pair {
        [program, next] => {
            matches!(
                base_name(&program.text),
                "rm" | "shred" | "dd" | "mkfs" | "wipefs" | "find" | "chmod" | "chown"
            ) && (next.text.starts_with('-') || next.text.starts_with("of=") || next.text.starts_with('/'))
        }
        _ => false,
    };
    // A wrapper's command is judged by itself, and a program of the project has its own words.
    if !PASSES_ON.contains(&name)
        && !cmd.wrapper
        && cmd.by_path.is_none()
        && let Some(at) = words.windows(2).position(destroys)
    {
        joined(words.get(at..).unwrap_or_default(), out);
    }
    // The words behind `run` of these are the project's own.
    let own_run = PASSES_ON.contains(&name);
    let verb = |arg: &Arg| match arg.text.as_str() {
        "exec" | "x" | "-E" => true,
        "run" | "shell" | "ssh" | "rsh" | "unshare" => !own_run,
        _ => false,
    };
    let verb_at = words.iter().take(3).position(verb).map(|at| at + 1).or(matches!(
        name,
        "xcrun" | "noglob" | "nocorrect"
    )
    .then_some(0));
    if let Some(at) = verb_at {
        let behind = words.get(at..).unwrap_or_default();
        let program = |arg: &Arg| PROGRAMS.contains(&base_name(&arg.text)) && !arg.text.starts_with('-');
        if let Some(from) = behind.iter().take(6).position(program) {
            joined(behind.get(from..).unwrap_or_default(), out);
        }
        out.extend(behind.iter().map(|arg| arg.text.clone()).filter(|text| begins(text)));
    }
    for (at, arg) in words.iter().enumerate() {
        let text = arg.text.as_str();
        match text.split_once('=') {
            Some((option, value)) if option.starts_with('-') && takes_command(option) => {
                out.push(value.to_owned());
            }
            // `make CC='…'`, `npm pkg set scripts.postinstall='…'`
            Some((key, value)) if runs_value(key) || key.starts_with("scripts.") || key.contains("shell") => {
                value_of(key, value, out);
            }
            None if text.starts_with('-') && takes_command(text) => {
                out.extend(words.get(at + 1).map(|arg| arg.text.clone()));
            }
            _ => {}
        }
        marked(text, out);
    }
    // `gh alias set`, `npm config set`: the last word is what the setting is.
    let sets = words.iter().take(3).any(|arg| matches!(arg.text.as_str(), "set" | "config" | "alias"));
    out.extend(words.last().filter(|_| sets).map(|arg| arg.text.trim_start_matches('!').to_owned()));
}

/// git's settings: `-c KEY=VALUE` anywhere, `config KEY VALUE`. Messages and names are no commands.
fn of_git(cmd: &Cmd, out: &mut Vec<String>) {
    let words = &cmd.args;
    for pair in words.windows(2) {
        if let [option, setting] = pair
            && matches!(option.text.as_str(), "-c" | "--config")
            && let Some((_, value)) = setting.text.split_once('=')
        {
            out.push(value.trim_start_matches('!').to_owned());
        }
    }
    let verb = words.iter().find(|arg| !arg.text.starts_with('-'));
    if verb.is_some_and(|verb| verb.text == "config") {
        out.extend(words.last().map(|arg| arg.text.trim_start_matches('!').to_owned()));
    }
}

/// The command in a variable's value; make has its own way to write one.
fn value_of(name: &str, value: &str, out: &mut Vec<String>) {
    if name.ends_with("FLAGS") {
        out.extend(value.split("$(shell ").skip(1).map(|code| code.trim_end_matches(')').to_owned()));
        return;
    }
    out.push(value.trim_start_matches(['!', '|']).to_owned());
}

/// The words as one command.
fn joined(words: &[Arg], out: &mut Vec<String>) {
    let plain = |text: &str| {
        !text.is_empty() && text.bytes().all(|c| c.is_ascii_alphanumeric() || b"-_./=~+:,@%".contains(&c))
    };
    let word = |arg: &Arg| if plain(&arg.text) { arg.text.clone() } else { quote(&arg.text) };
    out.push(words.iter().map(word).collect::<Vec<_>>().join(" "));
}

/// A command behind a mark inside of a word: `!rm …` in dc, `|rm …` in sqlite, `program 'rm …'` in SQL.
fn marked(text: &str, out: &mut Vec<String>) {
    let lower = text.to_ascii_lowercase();
    for mark in ["!", "|", "program '", ".system ", ".shell ", "\\! "] {
        if let Some(at) = lower.find(mark)
            && let Some(code) = text.get(at + mark.len()..)
        {
            let end = code.find(['\'', '"', '`']).unwrap_or(code.len());
            out.extend(code.get(..end).map(str::to_owned));
        }
    }
}

/// Whether a shell of the line gets its program from another command.
fn feeds_shell(analysis: &Analysis) -> bool {
    let line = analysis.line.as_str();
    (line.contains('|') || line.contains("$(") || line.contains('`') || line.contains("<("))
        && analysis.commands.iter().any(|cmd| {
            matches!(
                base_name(&cmd.name),
                "sh" | "bash" | "zsh" | "dash" | "ksh" | "fish" | "eval" | "source" | "."
            ) && cmd
                .args
                .iter()
                .all(|arg| arg.text.starts_with('-') && !arg.text.contains(['c', 'n']) || arg.has_hole())
        })
}

/// The pieces of text in the words of the line, when a shell runs what they become.
fn literals(analysis: &Analysis, out: &mut Vec<String>) {
    if !feeds_shell(analysis) {
        return;
    }
    for arg in analysis.commands.iter().flat_map(|cmd| &cmd.args) {
        for separators in [&['"', '\'', '`', '(', ')', '\n'][..], &['/', '|', '#', ','][..]] {
            out.extend(arg.text.split(separators).filter(|piece| begins(piece)).map(str::to_owned));
        }
    }
}

/// The code in the words of an interpreter, known or not: behind `-e`, `-c`, `eval` and the like, or behind a module that
/// runs it.
fn inline_code(cmd: &Cmd) -> impl Iterator<Item = &str> {
    const INTERPRETERS: [&str; 35] = [
        "python", "python3", "node", "deno", "bun", "ruby", "perl", "php", "lua", "osascript", "elixir",
        "erl", "julia", "groovy", "scala", "swift", "ghc", "jshell", "R", "Rscript", "raku", "sbcl",
        "octave", "crystal", "zx", "tclsh", "guile", "racket", "clojure", "bb", "nim", "dart", "kotlin",
        "kotlinc", "gawk",
    ];
    let flag = |text: &str| {
        matches!(
            text,
            "-e" | "-c"
                | "-r"
                | "-E"
                | "-p"
                | "--eval"
                | "--execute"
                | "eval"
                | "-m"
                | "-s"
                | "-"
                | "--print"
        )
    };
    let runs = INTERPRETERS.contains(&base_name(&cmd.name)) && cmd.args.iter().any(|arg| flag(&arg.text));
    cmd.args
        .iter()
        .filter(move |_| runs)
        .map(|arg| arg.text.as_str())
        .filter(|text| text.contains(['(', '"', '\'', '`']))
}

/// Texts in code that also starts programs, where the analysis of the language does not see them: it has none, or the code
/// is given to a module, or put together from pieces.
fn literals_of_code(cmd: &Cmd, code: &str, out: &mut Vec<String>) {
    const STARTS: [&str; 9] =
        ["system", "exec", "spawn", "popen", "shell", "child_", "\".!", "$`", "subprocess"];
    let lower = code.to_ascii_lowercase();
    let looked_at = matches!(base_name(&cmd.name), "python" | "python3" | "node" | "ruby" | "perl" | "php")
        && !cmd.args.iter().any(|arg| arg.text == "-m")
        && !["\"+\"", "'+'", "\" + \"", "' + '"].iter().any(|sum| code.contains(sum));
    if !looked_at && STARTS.iter().any(|word| lower.contains(word)) {
        out.extend(code.split(['"', '\'', '`']).filter(|text| begins(text)).map(str::to_owned));
    }
}

/// Code that deletes the home directory itself, or everything in it, in whatever language.
fn deletes_home(code: &str, home: &str) -> bool {
    const DELETES: [&str; 16] = [
        "rm_rf", "rmtree", "unlink", "Deno.remove", "File.delete", "removeItem", "deleteDir", "rmSync",
        "rm_r(", "os.remove", "deleteRecursively", "remove_dir_all", "rm!(", "rm -rf",
        "removeDirectoryRecursive", "to delete ",
    ];
    const HOMES: [&str; 17] = [
        "expanduser(\"~\")", "expanduser('~')", "NSHomeDirectory()", "item of home", "Path.expand(\"~\")",
        "ENV{HOME}", "ENV[\"HOME\"]", "ENV['HOME']", "getenv(\"HOME\")", "getenv('HOME')", "user_home",
        "Dir.home", "Path.home()", "homedir()", "env.get(\"HOME\")", "env.HOME", "environ['HOME']",
    ];
    let whole = |home: &str| {
        code.match_indices(home).any(|(at, found)| {
            let rest = code.get(at + found.len()..).unwrap_or_default();
            let rest = rest.trim_start_matches(|c: char| ")\"'!}].+ (".contains(c));
            rest.is_empty()
                || rest.starts_with("/*")
                || rest.starts_with([',', ';'])
                || rest.starts_with("for ")
        })
    };
    // The directory itself as a text: `"/home/dev"`.
    let literal = || {
        let home = home.trim_end_matches('/');
        !home.is_empty()
            && code
                .split(['"', '\'', '`'])
                .any(|text| text.trim_end_matches(['/', '*']) == home || text == "~")
    };
    DELETES.iter().any(|word| code.contains(word)) && (HOMES.iter().any(|home| whole(home)) || literal())
}

/// Asks about a possible command that would be denied.
pub(crate) fn check(analysis: &Analysis, ctx: &Context, out: &mut Vec<Hit>) {
    const MAX: usize = 16;
    let mut found: Vec<(usize, String)> = Vec::new();
    let mut lines = Vec::new();
    for (i, cmd) in analysis.commands.iter().enumerate() {
        if cmd.inert && !cmd.wrapper {
            continue;
        }
        of_command(cmd, &mut lines);
        for code in inline_code(cmd) {
            if deletes_home(code, &ctx.home) {
                return out.push(Hit { rule: &POSSIBLE, cmd: i, what: code.to_owned() });
            }
            literals_of_code(cmd, code, &mut lines);
        }
        found.extend(lines.drain(..).map(|line| (i, line)));
    }
    literals(analysis, &mut lines);
    found.extend(lines.into_iter().map(|line| (0, line)));
    let suspicious =
        found.into_iter().filter(|(_, line)| begins(line) && line.len() < 4096 && !line.contains(HOLE));
    for (i, line) in suspicious.take(MAX) {
        let ctx = match analysis.commands.get(i).and_then(|cmd| cmd.dir.clone()) {
            Some(cwd) if !cwd.contains(HOLE) => Context { cwd, ..ctx.clone() },
            _ => ctx.clone(),
        };
        if is_denied(&line, &ctx) {
            out.push(Hit { rule: &POSSIBLE, cmd: i, what: line });
            return;
        }
    }
}

fn is_denied(line: &str, ctx: &Context) -> bool {
    let inner = sprag_shell::analyse(line, ctx);
    crate::certain_hits(&inner, ctx).iter().any(|hit| hit.rule.verdict == Verdict::Deny)
}
