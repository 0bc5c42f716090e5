//! An episode: a call failed, something was done, and another try at the same thing worked. What was done in between, or what
//! was different, is what fixed it. Only what happened is told: without a success there is no fix, and where nothing was done
//! and nothing was different (a flaky test, a network that came back) there is none either.

use super::error_text::{self, ErrorKind, ErrorText};
use super::intent::Intent;

/// What one call did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Deed {
    /// It ran a command.
    Ran(String),
    /// It changed a file: its path, and the first line that is new where that is known.
    Edited(String, String),
}

/// A call with its result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// What it did.
    pub deed: Deed,
    /// Whether it failed; `None` when no result is known.
    pub failed: Option<bool>,
    /// What a failed command printed.
    pub output: String,
    /// What tells it from others of the session.
    pub place: String,
    /// When, in microseconds.
    pub at: i64,
    /// Where its line begins in the transcript.
    pub offset: u64,
}

/// An error and what fixed it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Episode {
    /// The error.
    pub error: ErrorText,
    /// The command that failed.
    pub failed: String,
    /// The command that then worked.
    pub worked: String,
    /// What was done in between that may have changed something.
    pub done: Vec<Deed>,
    /// The command that worked is another one than the one that failed.
    pub differs: bool,
    /// The program that failed.
    pub program: String,
    /// What tells the failure from others of the session.
    pub place: String,
    /// When it worked, in microseconds.
    pub at: i64,
}

/// A fix is looked for within so many calls.
const REACH: usize = 80;
/// More deeds in between say nothing about which of them it was.
const MAX_DEEDS: usize = 5;

/// Results that say that a person or a hook stopped the call.
const STOPPED: [&str; 8] = [
    "[Request interrupted by user", "The user doesn't want to", "The user rejected", "sprag why ",
    "sprag allow ", "hook error", "has been denied", "Command timed out",
];

/// What the worker reads of a session: the failures, and where the first begins that is still open.
pub fn find(steps: &[Step]) -> (Vec<Episode>, Option<usize>) {
    let intents: Vec<Option<Intent>> = steps.iter().map(|step| intent(&step.deed)).collect();
    let errors: Vec<Option<ErrorText>> = steps
        .iter()
        .zip(&intents)
        .map(|(step, intent)| {
            intent.as_ref().filter(|_| step.failed == Some(true)).and_then(|line| error(step, line))
        })
        .collect();
    let mut found = Vec::new();
    let mut open = None;
    for (at, error) in errors.iter().enumerate() {
        let Some(error) = error else { continue };
        let scene = Scene { steps, intents: &intents, errors: &errors };
        match scene.follow(at, error) {
            Followed::Fixed(episode) => found.push(*episode),
            Followed::Open => {
                open.get_or_insert(at);
            }
            Followed::Nothing => {}
        }
    }
    (found, open)
}

fn intent(deed: &Deed) -> Option<Intent> {
    match deed {
        Deed::Ran(command) => Some(Intent::of(command)),
        Deed::Edited(..) => None,
    }
}

/// The error of a step that counts as a failure.
fn error(step: &Step, intent: &Intent) -> Option<ErrorText> {
    if intent.is_question()
        || intent.actions.is_empty()
        || STOPPED.iter().any(|mark| step.output.contains(mark))
    {
        return None;
    }
    error_text::read(&step.output)
}

enum Followed {
    Fixed(Box<Episode>),
    /// The transcript ends before it is clear.
    Open,
    Nothing,
}

struct Scene<'a> {
    steps: &'a [Step],
    intents: &'a [Option<Intent>],
    errors: &'a [Option<ErrorText>],
}

impl Scene<'_> {
    /// What came of one failure. An error that changed into another one was fixed too, when the try worked in the end.
    fn follow(&self, at: usize, error: &ErrorText) -> Followed {
        let (Some(step), Some(Some(intent))) = (self.steps.get(at), self.intents.get(at)) else {
            return Followed::Nothing;
        };
        let Deed::Ran(failed) = &step.deed else { return Followed::Nothing };
        let mut done: Vec<Deed> = Vec::new();
        let mut first: Option<(Vec<Deed>, String)> = None;
        let last = (at + 1 + REACH).min(self.steps.len());
        for next in at + 1..last {
            let (Some(step), Some(line)) = (self.steps.get(next), self.intents.get(next)) else { break };
            let Deed::Ran(command) = &step.deed else {
                if step.failed != Some(true) {
                    done.push(step.deed.clone());
                }
                continue;
            };
            let Some(line) = line else { continue };
            if line.is_try_of(intent) {
                match (step.failed, self.errors.get(next).and_then(Option::as_ref)) {
                    // The same again: what was done did not help. The later failure is an episode of its own.
                    (Some(true), Some(again)) if again.key == error.key => return Followed::Nothing,
                    (Some(true), Some(_)) => {
                        first.get_or_insert_with(|| (done.clone(), command.clone()));
                        continue;
                    }
                    (Some(true) | None, _) => continue,
                    (Some(false), _) => {
                        let (done, worked) = first.unwrap_or_else(|| (done.clone(), command.clone()));
                        let episode =
                            episode(error, intent, (failed, &worked), done, self.steps.get(at), step.at);
                        return episode.map_or(Followed::Nothing, |found| Followed::Fixed(Box::new(found)));
                    }
                }
            }
            if step.failed == Some(false) && line.changes() {
                done.push(step.deed.clone());
            }
        }
        if at + 1 + REACH > self.steps.len() { Followed::Open } else { Followed::Nothing }
    }
}

fn episode(
    error: &ErrorText,
    intent: &Intent,
    (failed, worked): (&str, &str),
    mut done: Vec<Deed>,
    step: Option<&Step>,
    at: i64,
) -> Option<Episode> {
    let step = step?;
    let main = intent.main()?;
    done.dedup();
    let differs = bare(failed) != bare(worked);
    if done.is_empty() && !differs {
        return None;
    }
    // A script in the line that was written again was wrong in itself.
    if main.inline && differs {
        return None;
    }
    let edits_code = done.iter().any(|deed| matches!(deed, Deed::Edited(path, _) if !is_setting_file(path)));
    if edits_code && error.kind != ErrorKind::Setting {
        return None;
    }
    if done.len() > MAX_DEEDS {
        // Too much was done to say what it was, unless the command itself is another one.
        if !differs {
            return None;
        }
        done.clear();
    }
    Some(Episode {
        error: error.clone(),
        failed: failed.to_owned(),
        worked: worked.to_owned(),
        done,
        differs,
        program: main.program.clone(),
        place: step.place.clone(),
        at,
    })
}

impl Episode {
    /// It is about how things are set up and run here, and not about code that was being written.
    pub fn teaches(&self) -> bool {
        let code = |deed: &Deed| matches!(deed, Deed::Edited(path, _) if !is_setting_file(path));
        self.differs || self.done.iter().any(|deed| !code(deed))
    }

    /// What fixed it, in one line. Paths below `root` are told from there.
    pub fn remedy(&self, root: &str) -> String {
        let mut parts: Vec<String> = self
            .done
            .iter()
            .map(|deed| match deed {
                Deed::Ran(command) => format!("`{}`", one_line(command)),
                Deed::Edited(path, line) => {
                    let path = path.strip_prefix(root).unwrap_or(path).trim_start_matches('/');
                    if line.is_empty() {
                        format!("an edit of {path}")
                    } else {
                        format!("an edit of {path} (`{}`)", line.replace('`', "'"))
                    }
                }
            })
            .collect();
        if self.differs || parts.is_empty() {
            parts.push(format!("`{}`", one_line(&self.worked)));
        }
        parts.join(", then ")
    }
}

/// The most characters of a command that are told.
const MAX_COMMAND: usize = 160;

/// A command on one line, cut.
pub fn one_line(command: &str) -> String {
    let line = essence(command);
    let mut lines = line.lines();
    let first = lines.next().unwrap_or_default().trim().replace('`', "'");
    if first.chars().count() <= MAX_COMMAND && lines.next().is_none() {
        return first;
    }
    let head: String = first.chars().take(MAX_COMMAND).collect();
    format!("{head} …")
}

/// A command without what only shortens its output.
pub fn essence(command: &str) -> String {
    let mut text = command.trim();
    for end in [
        " | tail", " | head", " | grep", " | cat", " 2>&1", " || true", " > /dev/null", " 2>/dev/null",
        "; echo",
    ] {
        if let Some(at) = text.find(end) {
            text = text.get(..at).unwrap_or(text).trim_end();
        }
    }
    text.to_owned()
}

/// A command without options that change only what it says or how fast it is: they fix nothing.
fn bare(command: &str) -> String {
    const LOUDNESS: [&str; 18] = [
        "-v", "-vv", "-vvv", "-q", "-x", "-s", "--verbose", "--quiet", "--nocapture", "--no-color",
        "--color=always", "--tb=short", "--tb=long", "RUST_BACKTRACE=1", "-count=1", "--stacktrace",
        "--info", "--silent",
    ];
    let words = essence(command);
    let kept: Vec<&str> =
        words.split_whitespace().filter(|word| !LOUDNESS.contains(word) && *word != "--").collect();
    kept.join(" ")
}

/// A file that says how things are set up, and is no code.
pub fn is_setting_file(path: &str) -> bool {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path).to_ascii_lowercase();
    const NAMES: [&str; 12] = [
        "makefile", "dockerfile", "gemfile", "justfile", "procfile", "rakefile", "cmakelists.txt", "go.mod",
        "package.json", "vagrantfile", "pom.xml", "meson.build",
    ];
    const ENDS: [&str; 18] = [
        ".toml", ".yaml", ".yml", ".ini", ".cfg", ".conf", ".properties", ".csproj", ".gradle",
        ".gradle.kts", ".json", "rc", ".lock", ".tf", ".tfvars", ".env", ".nix", ".mk",
    ];
    let requirements = name.starts_with("requirements");
    let config = name.contains(".config.") || name.starts_with(".env") || name.starts_with("dockerfile");
    NAMES.contains(&name.as_str()) || requirements || config || ENDS.iter().any(|end| name.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ran(command: &str, failed: bool, output: &str) -> Step {
        Step {
            deed: Deed::Ran(command.into()),
            failed: Some(failed),
            output: output.into(),
            place: command.into(),
            at: 1,
            offset: 0,
        }
    }

    fn edited(path: &str, line: &str) -> Step {
        Step { deed: Deed::Edited(path.into(), line.into()), failed: Some(false), ..ran("", false, "") }
    }

    fn fixes(steps: &[Step]) -> Vec<String> {
        find(steps).0.iter().map(|episode| episode.remedy("/p")).collect()
    }

    #[test]
    fn what_was_done_or_was_different_is_the_fix() {
        let failure = || ran("make deploy", true, "Exit code 2\nerror: STAGE_TOKEN is not set here");
        assert_eq!(
            fixes(&[failure(), ran("STAGE_TOKEN=x make deploy", false, "")]),
            ["`STAGE_TOKEN=x make deploy`"]
        );
        assert_eq!(
            fixes(&[failure(), ran("make login", false, ""), ran("make deploy", false, "")]),
            ["`make login`"]
        );
        let edit = edited("/p/deploy.toml", "stage = true");
        assert_eq!(
            fixes(&[failure(), edit, ran("make deploy", false, "")]),
            ["an edit of deploy.toml (`stage = true`)"]
        );
    }

    #[test]
    fn no_fix_is_claimed_without_a_reason() {
        let failure = || ran("make deploy", true, "Exit code 2\nerror: STAGE_TOKEN is not set here");
        let works = || ran("make deploy", false, "");
        assert!(fixes(&[failure(), works()]).is_empty(), "nothing was done");
        assert!(
            fixes(&[failure(), ran("make deploy --verbose 2>&1 | tail -3", false, "")]).is_empty(),
            "it only says more"
        );
        assert!(fixes(&[failure(), ran("git log", false, ""), works()]).is_empty(), "a look changes nothing");
        assert!(fixes(&[failure(), ran("make login", true, "error: no network at all"), works()]).is_empty());
        assert!(fixes(&[failure(), ran("make login", false, ""), ran("make lint", false, "")]).is_empty());
        assert!(fixes(&[failure(), ran("make login", false, "")]).is_empty(), "it never worked");
        let many: Vec<Step> = std::iter::once(failure())
            .chain((0..6).map(|n| ran(&format!("touch f{n}"), false, "")))
            .chain([works()])
            .collect();
        assert!(fixes(&many).is_empty(), "which of them was it?");
    }

    #[test]
    fn what_did_not_help_is_no_part_of_the_fix_and_each_error_has_its_own() {
        let first = |command: &str| ran(command, true, "error: token is not set here");
        let second = ran("make deploy", true, "error: the stage is locked by somebody");
        let steps = [
            first("make deploy"),
            ran("touch a", false, ""),
            first("make deploy"),
            ran("make login", false, ""),
            second,
            ran("make unlock", false, ""),
            ran("make deploy", false, ""),
        ];
        assert_eq!(fixes(&steps), ["`make login`", "`make unlock`"]);
    }

    #[test]
    fn an_open_failure_is_read_again_with_what_follows() {
        let steps = [
            ran("ls", false, ""),
            ran("make deploy", true, "error: token is not set here"),
            ran("make login", false, ""),
        ];
        assert_eq!(find(&steps).1, Some(1));
        assert_eq!(find(steps.get(..1).unwrap()).1, None);
    }
}
