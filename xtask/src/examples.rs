//! `cargo xtask examples`: the commands in the pages of the book, run as a person types them, each section in a home of its own.
//!
//! In a block that begins with ```` ```console ````, a line after `$ ` is typed (`> ` goes on), and what follows is what the program
//! prints. `…` stands for what differs from run to run: within a line for any text, alone for any number of lines. A command without
//! output must succeed. An answer that the person types stands after its question: `[y/N] y`. What comes before a block in a comment
//! is not shown: `<!-- the agent runs: COMMAND -->` is a tool call of an agent, `<!-- first: COMMAND -->` sets something up, and
//! `<!-- not run: WHY -->` leaves a block out.

use crate::{root, target};
use anyhow::Context as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Pages whose blocks are run.
const PAGES: [&str; 3] = ["README.md", "docs/recipes.md", "docs/start.md"];

/// What a section does, in order.
enum Step {
    /// A tool call of an agent.
    Agent(String),
    /// Something that is not shown.
    First(String),
    /// A command, and the lines that follow it.
    Typed { command: String, shown: Vec<String>, line: usize },
}

pub(crate) fn run(args: &[String]) -> anyhow::Result<()> {
    let value = |name: &str| args.iter().position(|arg| arg == name).and_then(|at| args.get(at + 1));
    let bin = value("--bin").map_or_else(|| target().join("debug/sprag"), PathBuf::from);
    let only = value("--only").map(String::as_str);
    let update = args.iter().any(|arg| arg == "--update");
    let (mut count, mut wrong) = (0, Vec::new());
    for page in PAGES {
        let text = std::fs::read_to_string(root().join(page))?;
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        // From the end, so that the numbers of earlier lines stay right when later ones are written again.
        for (title, steps) in sections(&text).iter().rev() {
            if only.is_some_and(|only| !title.contains(only)) {
                continue;
            }
            let home = Home::new(&bin)?;
            let mut told = Vec::new();
            for step in steps {
                let Step::Typed { command, shown, line } = step else {
                    home.prepare(step).with_context(|| format!("{page}, {title}"))?;
                    continue;
                };
                count += 1;
                let (status, printed) = home.types(command, &answers(shown))?;
                let expected = joined(shown);
                if expected.is_empty() && status == 0 || !expected.is_empty() && fits(&expected, &printed) {
                    continue;
                }
                wrong.push(format!("{page}:{line}: $ {command} ({status})\n{}", indented(&printed)));
                told.push((
                    *line,
                    shown.len(),
                    command.lines().count(),
                    with_answers(&printed, &answers(shown)),
                ));
            }
            for (line, old, typed, printed) in told.into_iter().rev().filter(|_| update) {
                let start = line - 1 + typed;
                lines.splice(start..start + old, printed.lines().map(str::to_owned));
            }
        }
        if update {
            std::fs::write(root().join(page), lines.join("\n") + "\n")?;
        }
    }
    println!("xtask examples: {count} commands, {} print something else", wrong.len());
    anyhow::ensure!(wrong.is_empty() || update, "{}", wrong.join("\n"));
    Ok(())
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("    {line}\n")).collect()
}

/// The sections of a page with what they run.
fn sections(text: &str) -> Vec<(String, Vec<Step>)> {
    let mut out: Vec<(String, Vec<Step>)> = vec![(String::new(), Vec::new())];
    // The block around the line: whether it is run.
    let mut block: Option<bool> = None;
    let mut skip = false;
    for (number, line) in text.lines().enumerate() {
        let Some((_, steps)) = out.last_mut() else { break };
        if line.starts_with("```") {
            block = if block.is_some() { None } else { Some(line == "```console" && !skip) };
            skip = false;
        } else if let Some(is_run) = block {
            if !is_run {
                continue;
            }
            let more = if line == ">" { Some("") } else { line.strip_prefix("> ") };
            match (line.strip_prefix("$ "), more, steps.last_mut()) {
                (Some(command), ..) => {
                    let command = command.to_owned();
                    steps.push(Step::Typed { command, shown: Vec::new(), line: number + 1 });
                }
                (_, Some(more), Some(Step::Typed { command, shown, .. })) if shown.is_empty() => {
                    command.push('\n');
                    command.push_str(more);
                }
                (_, _, Some(Step::Typed { shown, .. })) => shown.push(line.to_owned()),
                _ => {}
            }
        } else if let Some(title) = line.strip_prefix("## ") {
            out.push((title.to_owned(), Vec::new()));
        } else if let Some(comment) = line.strip_prefix("<!-- ").and_then(|line| line.strip_suffix(" -->")) {
            match comment.split_once(": ") {
                Some(("the agent runs", command)) => steps.push(Step::Agent(command.to_owned())),
                Some(("first", command)) => steps.push(Step::First(command.to_owned())),
                Some(("not run", _)) => skip = true,
                _ => {}
            }
        }
    }
    out.retain(|(_, steps)| !steps.is_empty());
    out
}

/// What the person types at questions.
fn answers(shown: &[String]) -> String {
    let typed = shown.iter().filter_map(|line| line.rsplit_once("[y/N] ").map(|(_, answer)| answer));
    typed.map(|answer| format!("{answer}\n")).collect()
}

/// What was printed, with what was typed where a person sees it.
fn with_answers(printed: &str, answers: &str) -> String {
    let mut answers = answers.lines();
    let mut out = String::new();
    let mut rest = printed;
    while let Some((before, after)) = rest.split_once("[y/N] ") {
        out.push_str(&format!("{before}[y/N] {}\n", answers.next().unwrap_or_default()));
        rest = after;
    }
    out + rest
}

/// The lines as the terminal has them: what is typed is not echoed, so that the next line follows the question.
fn joined(shown: &[String]) -> String {
    let mut out = String::new();
    for line in shown {
        match line.rsplit_once("[y/N] ") {
            Some((question, _)) => out.push_str(&format!("{question}[y/N] ")),
            None => out.push_str(&format!("{line}\n")),
        }
    }
    out
}

/// True when the printed text is what the page shows.
fn fits(expected: &str, printed: &str) -> bool {
    fn lines(expected: &[&str], printed: &[&str]) -> bool {
        match expected.split_first() {
            None => printed.is_empty(),
            Some((&"…", rest)) => {
                (0..=printed.len()).any(|n| lines(rest, printed.get(n..).unwrap_or_default()))
            }
            Some((line, rest)) => {
                printed.split_first().is_some_and(|(first, more)| line_fits(line, first) && lines(rest, more))
            }
        }
    }
    fn split(text: &str) -> Vec<&str> {
        text.trim_end().lines().map(str::trim_end).collect()
    }
    lines(&split(expected), &split(printed))
}

/// The same for one line.
fn line_fits(expected: &str, printed: &str) -> bool {
    let mut parts = expected.split('…');
    let Some(mut rest) = printed.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, between)) = parts.split_last() else { return rest.is_empty() };
    for part in between {
        match rest.split_once(part) {
            Some((_, after)) => rest = after,
            None => return false,
        }
    }
    rest.ends_with(last)
}

/// A home and a project of its own, in which somebody types.
struct Home {
    folder: tempfile::TempDir,
}

impl Home {
    fn new(bin: &Path) -> anyhow::Result<Self> {
        // Not below /tmp, where guards allow more, nor below a folder of that name: samples may be read.
        let place = target().join("typed");
        std::fs::create_dir_all(&place)?;
        let home = Self { folder: tempfile::Builder::new().prefix("h").tempdir_in(place)? };
        std::fs::create_dir_all(home.home().join(".local/bin"))?;
        std::fs::create_dir_all(home.project().join("src"))?;
        let program = home.home().join(".local/bin/sprag");
        if std::fs::hard_link(bin, &program).is_err() {
            std::fs::copy(bin, &program).with_context(|| bin.display().to_string())?;
        }
        let cart = "def total(items):\n    return sum(items)\n\n\ndef receipt(items):\n    return f\"{total(items)} EUR\"\n";
        std::fs::write(home.project().join("src/cart.py"), cart)?;
        std::fs::write(home.project().join(".env"), "STRIPE_KEY=not-a-real-one\n")?;
        std::fs::write(home.project().join(".gitignore"), ".env\n")?;
        let set_up = "git init -q -b main && git config user.name Dev && git config user.email dev@example.com && \
                      git add -A && git commit -q -m cart";
        home.prepare(&Step::First(set_up.to_owned()))?;
        Ok(home)
    }

    fn home(&self) -> PathBuf {
        self.folder.path().join("dev")
    }

    fn project(&self) -> PathBuf {
        self.home().join("shop")
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("HOME", self.home())
            .env("USER", "dev")
            .env("PATH", format!("{}/.local/bin:/usr/local/bin:/usr/bin:/bin", self.home().display()))
            .env("TZ", "UTC")
            .env("TERM", "xterm")
            .env("NO_COLOR", "1")
            .env("COLUMNS", "130")
            .env("SPRAG_WORKER", "off")
            .current_dir(self.project())
            .stdin(Stdio::null());
        command
    }

    /// What happens before, unseen.
    fn prepare(&self, step: &Step) -> anyhow::Result<()> {
        let output = match step {
            Step::Typed { .. } => return Ok(()),
            Step::First(command) => self.command("/bin/sh").args(["-c", command]).output()?,
            Step::Agent(command) => {
                let payload = serde_json::json!({
                    "session_id": "5ba1f0e2-0000-4000-8000-000000000001", "cwd": self.project(),
                    "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": command},
                });
                let file = self.folder.path().join("payload");
                std::fs::write(&file, payload.to_string())?;
                let hook = "sprag hook --agent claude";
                self.command("/bin/sh").args(["-c", hook]).stdin(std::fs::File::open(&file)?).output()?
            }
        };
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        anyhow::ensure!(output.status.success(), "not prepared: {told}");
        Ok(())
    }

    /// A command on a terminal of its own. A shell starts it in the background and ends; only then does it begin, so that no agent
    /// that started these tests is above it.
    fn types(&self, command: &str, answers: &str) -> anyhow::Result<(i32, String)> {
        let scratch = tempfile::tempdir_in(self.folder.path())?;
        let file = |name: &str| scratch.path().join(name);
        std::fs::write(file("in"), answers)?;
        std::fs::write(file("line"), format!("{command}\n"))?;
        // `script` waits two seconds after the end of its input: it gets a pipe that stays open for as long as it runs.
        let script = "( until [ -e \"$T/go\" ]; do sleep 0.01; done; \
                        { cat \"$T/in\"; n=0; until [ -e \"$T/c\" ] || [ $n = 300 ]; do sleep 0.01; n=$((n + 1)); done; } | \
                        { script -qec \"sh $T/line\" /dev/null >\"$T/out\" 2>&1; echo $? >\"$T/c\"; }; \
                        mv \"$T/c\" \"$T/code\" ) </dev/null >/dev/null 2>&1 &";
        let started = self.command("/bin/sh").args(["-c", script]).env("T", scratch.path()).status()?;
        anyhow::ensure!(started.success(), "no shell");
        std::fs::write(file("go"), "")?;
        let end = Instant::now() + Duration::from_secs(60);
        while !file("code").exists() {
            anyhow::ensure!(Instant::now() < end, "did not end: {command}");
            std::thread::sleep(Duration::from_millis(5));
        }
        let printed = String::from_utf8_lossy(&std::fs::read(file("out"))?).replace('\r', "");
        // What was typed before the program asked stands in front.
        let printed = printed.strip_prefix(answers).unwrap_or(&printed);
        let printed = printed.replace(&self.home().display().to_string(), "/home/dev");
        Ok((std::fs::read_to_string(file("code"))?.trim().parse()?, printed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_fits_what_is_printed() {
        assert!(fits("a … c\n…\nlast\n", "a b c\nx\ny\nlast\n"));
        assert!(fits("a\n…\n", "a\n"));
        assert!(!fits("a\n", "a\nb\n") && !fits("a … d\n", "a b c\n") && !fits("b\n", "a\n"));
        let shown = ["Let it? [y/N] y".to_owned(), "allowed".to_owned()];
        assert!(fits(&joined(&shown), "Let it? [y/N] allowed\n"));
        assert_eq!(answers(&shown), "y\n");
    }

    #[test]
    fn sections_have_their_commands() {
        let page = "## One\n<!-- the agent runs: ls -a -->\n```console\n$ a\nx\n$ cat <<E\n> b\n> E\n```\n\n\
                    ```sh\n$ no\n```\n<!-- not run: why -->\n```console\n$ never\n```\n## Two\n```console\n$ z\n```\n";
        let found: Vec<(String, usize)> =
            sections(page).into_iter().map(|(title, steps)| (title, steps.len())).collect();
        assert_eq!(found, [("One".to_owned(), 3), ("Two".to_owned(), 1)]);
    }
}
