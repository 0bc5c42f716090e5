//! `sprag lessons review`: candidates one after another, and what is done with each.

use super::change::{activate, archived, promoted};
use super::{keep, now, open};
use crate::commands::store::explained;
use serde_json::{Value, json};
use sprag_base::time::Stamp;
use sprag_config::host::Host;
use sprag_lessons::model::{Lesson, Status, first_line};
use sprag_lessons::pattern::PatternText;
use sprag_lessons::scan::NEVER;
use sprag_lessons::similar::{self, SAME};
use sprag_lessons::{jobs, library, validate};
use sprag_terminal::{Out, Tone, person, when};
use std::process::ExitCode;

#[derive(clap::Args)]
pub(crate) struct ReviewArgs {
    /// The most candidates
    #[arg(long, default_value_t = 50)]
    limit: usize,
    /// Print JSON and ask nothing
    #[arg(long)]
    json: bool,
}

/// A candidate with what speaks against it, and where it was seen.
struct Card {
    lesson: Lesson,
    faults: Vec<String>,
    like: Option<String>,
    seen: Vec<(String, String, i64)>,
}

pub(super) fn run(args: &ReviewArgs, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    let mut store = open(host)?;
    // What the end of a turn offered may still wait for the background; without it the rest is shown.
    let _ = jobs::keep_waiting_tags(host, &mut store);
    let all = library::lessons(&mut store).map_err(explained)?;
    let mut cards = cards(&all, args.limit, host);
    for card in &mut cards {
        card.seen = store.sightings_of(&card.lesson.id).map_err(explained)?;
    }
    if args.json {
        let rows: Vec<Value> = cards
            .iter()
            .map(|card| {
                let mut value = serde_json::to_value(&card.lesson).unwrap_or_default();
                if let Some(map) = value.as_object_mut() {
                    map.insert("pass".into(), json!(card.faults.is_empty()));
                    map.insert("faults".into(), json!(card.faults));
                    map.insert("alike".into(), json!(card.like));
                    let seen = card.seen.iter().map(|(session, project, at)| {
                        json!({"session": session, "project": project, "at": Stamp(*at as u64).to_string()})
                    });
                    map.insert("sightings".into(), seen.collect());
                }
                value
            })
            .collect();
        out.json(&json!({ "candidates": rows }));
        return Ok(ExitCode::SUCCESS);
    }
    if cards.is_empty() {
        out.line("no candidates\n  sprag lessons scan looks for some");
        return Ok(ExitCode::SUCCESS);
    }
    let person = person::at_terminal() && person::agent_around(&host.env).is_none();
    let count = cards.len();
    for (number, card) in cards.into_iter().enumerate() {
        print(&card, number + 1, count, host, out);
        if person && !decide(card, host, &mut store, out)? {
            break;
        }
    }
    if !person {
        out.line("\npromote or archive them by their slugs: sprag lessons promote SLUG, sprag lessons archive SLUG");
    }
    Ok(ExitCode::SUCCESS)
}

/// Candidates by how often and how surely they were seen.
fn cards(all: &[Lesson], most: usize, host: &Host) -> Vec<Card> {
    let mut candidates: Vec<&Lesson> =
        all.iter().filter(|lesson| lesson.status == Status::Candidate).collect();
    let weight = |lesson: &Lesson| {
        (lesson.session_count.max(1) * lesson.project_count.max(1)) as f64 * lesson.confidence
    };
    candidates.sort_by(|a, b| weight(b).total_cmp(&weight(a)).then(b.priority.cmp(&a.priority)));
    candidates
        .into_iter()
        .take(most)
        .map(|lesson| {
            let words = similar::words(&lesson.problem);
            let like = all
                .iter()
                .filter(|other| other.status == Status::Active)
                .find(|other| similar::jaccard(&words, &similar::words(&other.problem)) >= SAME)
                .map(|other| other.slug.clone());
            let mut faults = validate::faults(lesson);
            faults.extend(super::too_broad(host, lesson));
            faults.extend(like.as_ref().map(|like| format!("it says the same as {like}")));
            Card { lesson: lesson.clone(), faults, like, seen: Vec::new() }
        })
        .collect()
}

fn print(card: &Card, number: usize, count: usize, host: &Host, out: &Out) {
    let lesson = &card.lesson;
    let verdict =
        if card.faults.is_empty() { out.paint(Tone::Good, "PASS") } else { out.paint(Tone::Bad, "FAIL") };
    out.line(&format!(
        "\n{} {verdict} {}",
        out.paint(Tone::Dim, &format!("{number}/{count}")),
        out.paint(Tone::Strong, &lesson.slug)
    ));
    out.line(&format!("  problem   {}", first_line(&lesson.problem, 200)));
    out.line(&format!("  solution  {}", first_line(&lesson.solution, 200)));
    let patterns: Vec<&str> =
        lesson.command_patterns.iter().chain(&lesson.path_patterns).map(PatternText::source).collect();
    out.line(&format!("  shown at  {} {}", lesson.tool_names.join(","), patterns.join("  ")));
    if let Some(scope) = &lesson.scope {
        out.line(&format!("  only in   {}", host.paths.tilde(scope.as_ref())));
    }
    let sightings: Vec<String> = card
        .seen
        .iter()
        .take(3)
        .map(|(session, _, at)| {
            let session: String = session.chars().take(8).collect();
            format!("session {session} {}", when::ago(host.clock.now(), Stamp(*at as u64)))
        })
        .collect();
    if !sightings.is_empty() {
        let times =
            if card.seen.len() == 1 { "once".to_owned() } else { format!("{} times", card.seen.len()) };
        out.line(&format!(
            "  seen      {}",
            out.paint(Tone::Dim, &format!("{times}: {}", sightings.join(", ")))
        ));
    }
    for fault in &card.faults {
        out.line(&format!("  {}", out.paint(Tone::Warn, fault)));
    }
}

/// What a person may answer: one letter, and the word that begins with it.
const ANSWERS: [(&str, &str); 7] = [
    ("accept", "activate it"),
    ("edit", "change its texts or its trigger, then activate it"),
    ("guard", "activate it as a guard: such calls are denied"),
    ("reject", "not this one; the same error is not proposed again"),
    ("never", "not this one, and none about this program in this project"),
    ("skip", "leave it for later"),
    ("quit", "end the review"),
];

/// The answer that a letter or a word means; Enter leaves it for later.
fn answer(text: &str) -> Option<&'static str> {
    let text = text.trim().to_lowercase();
    if text.is_empty() {
        return Some("skip");
    }
    ANSWERS.iter().map(|(word, _)| *word).find(|word| word.starts_with(&text))
}

/// Asks a person; false ends the review.
fn decide(card: Card, host: &Host, store: &mut sprag_store::Store, out: &Out) -> anyhow::Result<bool> {
    let chosen = loop {
        match answer(&out.ask("  [a]ccept [e]dit [g]uard [r]eject [n]ever like this [s]kip [q]uit")) {
            Some(word) => break word,
            None => ANSWERS.iter().for_each(|(word, what)| out.line(&format!("    {word:<7} {what}"))),
        }
    };
    match chosen {
        word @ ("accept" | "guard" | "edit") => {
            let mut lesson = card.lesson;
            if word == "guard" {
                lesson.kind = sprag_lessons::model::LessonKind::Guard;
            }
            if word == "edit" {
                edit(&mut lesson, out);
            }
            match promoted(lesson, host, false) {
                Ok(lesson) => activate(host, store, &[lesson], out)?,
                Err(error) => out.problem(&error),
            }
        }
        word @ ("reject" | "never") => {
            let reason = if word == "never" { NEVER } else { "not worth keeping" };
            let lesson = archived(card.lesson, reason, host);
            store.note_review(now(host), "archive", &lesson.id, reason).map_err(explained)?;
            keep(host, store, &[lesson])?;
        }
        "quit" => return Ok(false),
        _ => {}
    }
    Ok(true)
}

/// Asks for each text; Enter keeps what is there.
fn edit(lesson: &mut Lesson, out: &Out) {
    let ask = |name: &str, now: &str| {
        out.line(&format!("  {name} now: {}", first_line(now, 200)));
        Some(out.ask(&format!("  {name} (Enter keeps it)"))).filter(|text| !text.trim().is_empty())
    };
    for (name, text) in [
        ("summary", &mut lesson.summary),
        ("problem", &mut lesson.problem),
        ("solution", &mut lesson.solution),
    ] {
        if let Some(new) = ask(name, text) {
            *text = new;
        }
    }
    let now = lesson.command_patterns.first().map(|pattern| pattern.source().to_owned()).unwrap_or_default();
    if let Some(new) = ask("trigger", &now) {
        lesson.command_patterns = vec![PatternText::new(new)];
    }
    lesson.message = None;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_letter_is_an_answer_and_enter_leaves_it() {
        assert_eq!(
            ["a", "E", "rej", "never", "", "q"].map(answer),
            [Some("accept"), Some("edit"), Some("reject"), Some("never"), Some("skip"), Some("quit")]
        );
        assert_eq!(answer("x"), None);
    }
}
