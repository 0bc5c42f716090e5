//! Questions that wait for an answer from elsewhere: a folder with a file for each, and one beside it for its answer.
//! The hook that asks writes the question, waits for the answer within its time, and removes both. Whoever answers
//! (`sprag approvals`, the page) makes sure that a person does.

use crate::message;
use serde::{Deserialize, Serialize};
use sprag_base::files;
use sprag_base::id::{safe_name, short_hash};
use sprag_base::time::Stamp;
use sprag_config::host::Host;
use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// A call that waits.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Question {
    /// What it is answered by.
    pub id: String,
    /// When it was asked.
    pub at: String,
    /// When nobody waits any more.
    pub until: String,
    /// The agent.
    pub agent: String,
    /// The agent's session.
    pub session: String,
    /// Where.
    pub cwd: String,
    /// The project's root.
    pub project: String,
    /// The event.
    pub event: String,
    /// The tool.
    pub tool: String,
    /// The call as a person reads it, scrubbed.
    pub shown: String,
    /// That is all of it.
    pub whole: bool,
    /// The rules or hooks that ask.
    pub rules: Vec<String>,
    /// Why, and what would be lost.
    pub reason: String,
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answered {
    /// The call may be made.
    pub allow: bool,
    /// Who said so: `page`, `terminal`.
    pub by: String,
    /// When.
    pub at: String,
}

const QUESTION: &str = ".question";
const ANSWER: &str = ".answer";
/// How often a hook that waits looks for the answer.
const POLL: Duration = Duration::from_millis(100);

fn folder(host: &Host) -> PathBuf {
    host.paths.state.join("pending")
}

fn file(host: &Host, id: &str, ending: &str) -> PathBuf {
    folder(host).join(format!("{}{ending}", safe_name(id)))
}

/// The questions that wait now, the oldest first. One whose answer is there waits no more.
pub fn list(host: &Host) -> Vec<Question> {
    let now = host.clock.now();
    let mut found: Vec<Question> = files::list(&folder(host), "", QUESTION)
        .iter()
        .filter_map(|path| serde_json::from_str(&files::read_text(path, files::STATE).ok()?).ok())
        .filter(|question: &Question| Stamp::parse(&question.until).is_some_and(|until| until > now))
        .filter(|question| !file(host, &question.id, ANSWER).exists())
        .collect();
    found.sort_by(|a, b| a.at.cmp(&b.at));
    found
}

/// Changes whenever a question comes or goes.
pub fn version(host: &Host) -> u64 {
    let names = files::list(&folder(host), "", "");
    names.iter().fold(names.len() as u64, |sum, path| {
        let hash = short_hash(path.as_os_str().as_encoded_bytes());
        sum.wrapping_add(hash.get(..15).and_then(|hex| u64::from_str_radix(hex, 16).ok()).unwrap_or(1))
    })
}

/// Answers a question; gives it, or `None` when nobody waits for it. The first answer counts.
pub fn answer(host: &Host, id: &str, allow: bool, by: &str) -> io::Result<Option<Question>> {
    let Some(question) = list(host).into_iter().find(|question| question.id == id) else { return Ok(None) };
    let answer = Answered { allow, by: by.to_owned(), at: host.clock.now().to_string() };
    let (file, bytes) = (file(host, id, ANSWER), serde_json::to_vec(&answer).map_err(io::Error::other)?);
    // Linked rather than renamed: of two answers one counts, and it is whole when it is there.
    let scratch = files::scratch_name(&file);
    files::write_atomic(&scratch, &bytes)?;
    let linked = std::fs::hard_link(&scratch, &file);
    let _ = files::remove(&scratch);
    match linked {
        Ok(()) => Ok(Some(question)),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(None),
        Err(error) => Err(error),
    }
}

/// Puts a question into the queue and waits for its answer; `None` when there is none in time. The time of the question is
/// that of the process's own clock, whatever the host's says. `put` hears of the question when others can see it.
pub fn ask(
    host: &Host,
    mut question: Question,
    time: Duration,
    put: impl FnOnce(&Question),
) -> io::Result<Option<Answered>> {
    let now = host.clock.now();
    tidy(host, now);
    question.at = now.to_string();
    question.until = now.after(time).to_string();
    let seed = format!("{}\0{}\0{}\0{}", question.session, question.shown, now.0, std::process::id());
    question.id = message::short_id(&seed);
    let asked = file(host, &question.id, QUESTION);
    files::write_atomic(&asked, &serde_json::to_vec(&question).map_err(io::Error::other)?)?;
    put(&question);
    let answered = wait(host, &question.id, time);
    let _ = files::remove(&asked);
    let _ = files::remove(file(host, &question.id, ANSWER));
    Ok(answered)
}

fn wait(host: &Host, id: &str, time: Duration) -> Option<Answered> {
    let (started, file) = (Instant::now(), file(host, id, ANSWER));
    loop {
        // An agent that ended has nobody left who would take the answer.
        if let Ok(text) = files::read_text(&file, files::SMALL) {
            return serde_json::from_str(&text).ok();
        }
        let left = time.checked_sub(started.elapsed())?;
        std::thread::sleep(POLL.min(left));
    }
}

/// Removes what hooks left that were killed while they waited.
fn tidy(host: &Host, now: Stamp) {
    for path in files::list(&folder(host), "", QUESTION) {
        let known = files::read_text(&path, files::STATE).ok();
        let until = known
            .and_then(|text| serde_json::from_str::<Question>(&text).ok())
            .and_then(|question| Stamp::parse(&question.until));
        if until.is_none_or(|until| until < now) {
            let _ = files::remove(path.with_extension("answer"));
            let _ = files::remove(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(shown: &str) -> Question {
        Question { session: "s".into(), shown: shown.into(), ..Question::default() }
    }

    #[test]
    fn an_answer_reaches_the_one_that_waits_and_counts_once() {
        let dir = tempfile::tempdir().unwrap();
        let host = Host::in_home(dir.path(), &[]);
        std::thread::scope(|scope| {
            let asking =
                scope.spawn(|| ask(&host, question("rm -rf build"), Duration::from_secs(60), |_| ()));
            let asked = loop {
                match list(&host).pop() {
                    Some(found) => break found,
                    None => std::thread::yield_now(),
                }
            };
            let before = version(&host);
            assert_eq!(answer(&host, "zzzz", true, "page").unwrap(), None, "another question");
            assert_eq!(answer(&host, "../../x", true, "page").unwrap(), None);
            assert_eq!(answer(&host, &asked.id, true, "page").unwrap().unwrap().shown, "rm -rf build");
            let answered = asking.join().unwrap().unwrap().unwrap();
            assert!(answered.allow && answered.by == "page");
            assert_ne!(version(&host), before);
        });
        assert!(list(&host).is_empty() && files::list(&folder(&host), "", "").is_empty());
    }

    #[test]
    fn of_two_answers_the_first_counts() {
        let dir = tempfile::tempdir().unwrap();
        let host = Host::in_home(dir.path(), &[]);
        let until = host.clock.now().after(Duration::from_secs(60)).to_string();
        let asked = Question { id: "abcd".into(), until, ..question("x") };
        files::write_atomic(&file(&host, "abcd", QUESTION), &serde_json::to_vec(&asked).unwrap()).unwrap();
        assert!(answer(&host, "abcd", false, "terminal").unwrap().is_some());
        assert!(answer(&host, "abcd", true, "page").unwrap().is_none());
        assert!(!wait(&host, "abcd", Duration::ZERO).unwrap().allow);
    }

    #[test]
    fn without_an_answer_nothing_is_left_and_old_questions_are_removed() {
        let dir = tempfile::tempdir().unwrap();
        let host = Host::in_home(dir.path(), &[]);
        let old = Question { id: "olda".into(), until: "2020-01-01T00:00:00Z".into(), ..question("x") };
        files::write_atomic(&file(&host, "olda", QUESTION), &serde_json::to_vec(&old).unwrap()).unwrap();
        assert!(list(&host).is_empty(), "nobody waits for it");
        assert_eq!(ask(&host, question("y"), Duration::from_millis(1), |_| ()).unwrap(), None);
        assert!(files::list(&folder(&host), "", "").is_empty());
    }
}
