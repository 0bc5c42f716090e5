//! `sprag lessons review`: candidates one after another, and what is done with each.

use super::change::{activate, archived, promoted};
use super::{keep, now, open};
use crate::commands::store::explained;
use serde_json::{Value, json};
use sprag_config::host::Host;
use sprag_lessons::model::{Lesson, Status, first_line};
use sprag_lessons::pattern::PatternText;
use sprag_lessons::similar::{self, SAME};
use sprag_lessons::{library, validate};
use sprag_terminal::person;
use sprag_terminal::{Out, Tone};
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

/// A candidate with what speaks against it.
struct Card {
    lesson: Lesson,
    faults: Vec<String>,
    like: Option<String>,
}

pub(super) fn run(args: &ReviewArgs, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    let mut store = open(host)?;
    let all = library::lessons(&mut store).map_err(explained)?;
    let cards = cards(&all, args.limit);
    if args.json {
        let rows: Vec<Value> = cards
            .iter()
            .map(|card| {
                let mut value = serde_json::to_value(&card.lesson).unwrap_or_default();
                if let Some(map) = value.as_object_mut() {
                    map.insert("pass".into(), json!(card.faults.is_empty()));
                    map.insert("faults".into(), json!(card.faults));
                    map.insert("alike".into(), json!(card.like));
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
        print(&card, number + 1, count, out);
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
fn cards(all: &[Lesson], most: usize) -> Vec<Card> {
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
            faults.extend(like.as_ref().map(|like| format!("it says the same as {like}")));
            Card { lesson: lesson.clone(), faults, like }
        })
        .collect()
}

fn print(card: &Card, number: usize, count: usize, out: &Out) {
    let lesson = &card.lesson;
    let verdict =
        if card.faults.is_empty() { out.paint(Tone::Good, "PASS") } else { out.paint(Tone::Bad, "FAIL") };
    out.line(&format!(
        "\n{} {verdict} {}",
        out.paint(Tone::Dim, &format!("{number}/{count}")),
        out.paint(Tone::Strong, &lesson.slug)
    ));
    let patterns: Vec<&str> =
        lesson.command_patterns.iter().chain(&lesson.path_patterns).map(PatternText::source).collect();
    out.line(&format!(
        "  {} {}  confidence {:.2}  priority {}  {} sessions  {}",
        lesson.tool_names.join(","),
        patterns.join("  "),
        lesson.confidence,
        lesson.priority,
        lesson.session_count.max(1),
        lesson.tags.join(" ")
    ));
    out.line(&format!("  problem   {}", first_line(&lesson.problem, 200)));
    out.line(&format!("  solution  {}", first_line(&lesson.solution, 200)));
    for fault in &card.faults {
        out.line(&format!("  {}", out.paint(Tone::Warn, fault)));
    }
}

/// Asks a person; false ends the review.
fn decide(card: Card, host: &Host, store: &mut sprag_store::Store, out: &Out) -> anyhow::Result<bool> {
    let choices = [
        ("skip", "leave it for later".to_owned()),
        ("promote", "activate it".to_owned()),
        ("guard", "activate it as a guard: such calls are denied".to_owned()),
        ("archive", "keep it for the record only".to_owned()),
        ("quit", "end the review".to_owned()),
    ];
    match out.choose("what to do with it?", &choices).as_str() {
        word @ ("promote" | "guard") => {
            let mut lesson = card.lesson;
            if word == "guard" {
                lesson.kind = sprag_lessons::model::LessonKind::Guard;
            }
            match promoted(lesson, host, false) {
                Ok(lesson) => activate(host, store, &[lesson], out)?,
                Err(error) => out.problem(&error),
            }
        }
        "archive" => {
            let lesson = archived(card.lesson, "not worth keeping", host);
            store.note_review(now(host), "archive", &lesson.id, "review").map_err(explained)?;
            keep(host, store, &[lesson])?;
        }
        "quit" => return Ok(false),
        _ => {}
    }
    Ok(true)
}
