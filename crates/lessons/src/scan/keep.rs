//! What is done with what a scan found: a new candidate, or one more sighting of what is known.

use super::FoundLesson;
use super::run::Request;
use crate::model::{Lesson, Source, Status};
use crate::similar::{self, SAME};
use sprag_store::{Error, Fire, Sighting, Store};
use std::collections::{BTreeMap, BTreeSet};

/// What became of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The slugs of new candidates.
    pub added: Vec<String>,
    /// The slugs of those that count at once.
    pub promoted: Vec<String>,
    /// Places at which a known lesson was seen again.
    pub seen_again: u64,
    /// Mistakes that were made although their lesson had been said.
    pub ignored: usize,
    /// Candidates that were taken back.
    pub withdrawn: usize,
    /// Candidates that were left out, because a scan keeps only the best.
    pub left_out: usize,
}

/// A known or new lesson with the words of its problem.
struct Known {
    lesson: Lesson,
    words: BTreeSet<String>,
    new: bool,
    changed: bool,
}

impl Known {
    fn new(lesson: Lesson, new: bool) -> Self {
        Self { words: similar::words(&lesson.problem), lesson, new, changed: new }
    }
}

/// Keeps what was found.
pub fn keep(
    store: &mut Store,
    found: &[FoundLesson],
    cancels: &[(String, String)],
    request: &Request,
    now: i64,
) -> Result<Outcome, Error> {
    let mut out = Outcome::default();
    let mut known: Vec<Known> =
        crate::library::lessons(store)?.into_iter().map(|lesson| Known::new(lesson, false)).collect();
    let mut by_hash: BTreeMap<String, usize> =
        known.iter().enumerate().map(|(at, one)| (one.lesson.content_hash.clone(), at)).collect();
    let mut sightings = Vec::new();
    let mut ignored = Vec::new();
    // Tags first: what a model said of itself is better than what is guessed.
    let mut ordered: Vec<&FoundLesson> = found.iter().collect();
    ordered.sort_by_key(|one| one.source != Source::Structured);
    for one in ordered {
        let lesson = one.lesson().settled(sprag_store::new_id);
        if unwanted(&known, one, &lesson) {
            continue;
        }
        let words = similar::words(&lesson.problem);
        let at = by_hash.get(&lesson.content_hash).copied();
        let at = at.or_else(|| same_error(&known, &lesson)).or_else(|| alike(&known, &words));
        let at = if let Some(at) = at {
            at
        } else {
            by_hash.insert(lesson.content_hash.clone(), known.len());
            let created = Lesson { created: now, updated: now, ..lesson };
            known.push(Known::new(created, true));
            known.len() - 1
        };
        let Some(entry) = known.get_mut(at) else { continue };
        if !entry.new && entry.lesson.status == Status::Candidate {
            improve(entry, one);
        }
        if entry.lesson.status == Status::Active && store.fired_in(&entry.lesson.id, &one.session)? {
            ignored.push((entry.lesson.id.clone(), one));
        }
        sightings.push(Sighting {
            lesson: entry.lesson.id.clone(),
            session: one.session.clone(),
            place: one.place.clone(),
            project: one.project.clone(),
            at: one.at,
        });
    }
    out.left_out = only_the_best(&mut known, &mut sightings, request.max_candidates);
    let before = sightings.len() as u64;
    let new_places = store.see_lessons(&sightings)?;
    out.seen_again = new_places.min(before).saturating_sub(known.iter().filter(|one| one.new).count() as u64);
    count(store, &mut known)?;
    for (lesson, one) in ignored {
        let fire = Fire {
            lesson: lesson.clone(),
            session: one.session.clone(),
            ignored: 1,
            last: one.at,
            ..Fire::default()
        };
        let batch = format!("ignored:{lesson}:{}:{}", one.session, one.place);
        out.ignored += usize::from(store.add_fires(&batch, now, &[fire])?);
    }
    out.withdrawn = withdraw(&mut known, cancels);
    for one in known.iter_mut().filter(|one| one.new && one.lesson.status == Status::Candidate) {
        let sure = request.promote_from.is_some_and(|least| one.lesson.confidence >= least);
        if sure && one.lesson.source == Source::Structured {
            one.lesson.status = Status::Active;
            one.lesson.reviewed = Some(now);
            out.promoted.push(one.lesson.slug.clone());
        }
        out.added.push(one.lesson.slug.clone());
    }
    let rows: Vec<_> = known
        .iter_mut()
        .filter(|one| one.changed)
        .map(|one| {
            one.lesson.updated = now;
            one.lesson.row()
        })
        .collect();
    store.put_lessons(&rows)?;
    Ok(out)
}

/// Why a lesson is archived whose like a person does not want to see again.
pub const NEVER: &str = "never like this";

/// The error that a lesson is about, where the scanner found it.
fn error_of(lesson: &Lesson) -> Option<&str> {
    lesson.tags.iter().find(|tag| tag.starts_with("error:")).map(String::as_str)
}

fn program_of(lesson: &Lesson) -> Option<&str> {
    lesson.tags.iter().find(|tag| tag.starts_with("tool:")).map(String::as_str)
}

/// A person said of a lesson about the same program here: never like this.
fn unwanted(known: &[Known], found: &FoundLesson, lesson: &Lesson) -> bool {
    found.source == Source::Heuristic
        && known.iter().any(|one| {
            one.lesson.archive_reason.as_deref() == Some(NEVER)
                && one.lesson.scope == lesson.scope
                && program_of(&one.lesson) == program_of(lesson)
        })
}

/// The known lesson about the same error in the same place, rejected ones too: what was rejected does not come back.
fn same_error(known: &[Known], lesson: &Lesson) -> Option<usize> {
    let error = error_of(lesson)?;
    known.iter().position(|one| error_of(&one.lesson) == Some(error) && one.lesson.scope == lesson.scope)
}

/// The known lesson whose problem is most alike, when it is alike enough.
fn alike(known: &[Known], words: &BTreeSet<String>) -> Option<usize> {
    let share = |one: &Known| similar::jaccard(&one.words, words);
    let best = known
        .iter()
        .enumerate()
        .filter(|(_, one)| one.lesson.status != Status::Archived)
        .map(|(at, one)| (at, share(one)))
        .max_by(|a, b| a.1.total_cmp(&b.1))?;
    (best.1 >= SAME).then_some(best.0)
}

/// A tag says better what a guess only guessed.
fn improve(entry: &mut Known, found: &FoundLesson) {
    let lesson = &mut entry.lesson;
    if found.source == Source::Structured && lesson.source == Source::Heuristic {
        let better = found.lesson();
        lesson.source = Source::Structured;
        lesson.problem = better.problem;
        lesson.solution = better.solution;
        lesson.summary = better.summary;
        lesson.tags = better.tags;
        lesson.scope = better.scope;
        lesson.tool_names = better.tool_names;
        lesson.command_patterns = better.command_patterns;
        lesson.path_patterns = better.path_patterns;
        lesson.confidence = lesson.confidence.max(better.confidence);
        lesson.priority = lesson.priority.max(better.priority);
        lesson.content_hash = lesson.hash();
        entry.changed = true;
    }
    if !lesson.source_session_ids.contains(&found.session) && lesson.source_session_ids.len() < 5 {
        lesson.source_session_ids.push(found.session.clone());
        entry.changed = true;
    }
}

/// Of the new ones, only so many are kept, the surest first.
fn only_the_best(known: &mut Vec<Known>, sightings: &mut Vec<Sighting>, most: usize) -> usize {
    let mut new: Vec<(f64, String)> = known
        .iter()
        .filter(|one| one.new)
        .map(|one| (one.lesson.confidence, one.lesson.id.clone()))
        .collect();
    if new.len() <= most {
        return 0;
    }
    new.sort_by(|a, b| b.0.total_cmp(&a.0));
    let dropped: BTreeSet<String> = new.into_iter().skip(most).map(|(_, id)| id).collect();
    known.retain(|one| !dropped.contains(&one.lesson.id));
    sightings.retain(|one| !dropped.contains(&one.lesson));
    dropped.len()
}

/// Brings the counts up to date. A second session, and a second project, make a lesson weigh more, each once.
fn count(store: &mut Store, known: &mut [Known]) -> Result<(), Error> {
    let all = store.sightings()?;
    for one in known {
        let Some(seen) = all.get(&one.lesson.id) else { continue };
        let lesson = &mut one.lesson;
        let (occurrences, sessions, projects) = (
            seen.occurrences.max(lesson.occurrence_count),
            seen.sessions.max(lesson.session_count),
            seen.projects.max(lesson.project_count),
        );
        if (lesson.occurrence_count, lesson.session_count, lesson.project_count)
            == (occurrences, sessions, projects)
        {
            continue;
        }
        if lesson.status == Status::Candidate {
            if lesson.session_count < 2 && sessions >= 2 {
                lesson.priority = (lesson.priority + 2).min(10);
                lesson.confidence = (lesson.confidence + 0.1).min(1.0);
            }
            if lesson.project_count < 2 && projects >= 2 {
                lesson.priority = (lesson.priority + 1).min(10);
            }
        }
        lesson.occurrence_count = occurrences;
        lesson.session_count = sessions;
        lesson.project_count = projects;
        one.changed = true;
    }
    Ok(())
}

/// A model took a tag back, in this scan or in a later one.
fn withdraw(known: &mut [Known], cancels: &[(String, String)]) -> usize {
    let mut count = 0;
    for (session, prefix) in cancels {
        for one in known.iter_mut() {
            let lesson = &mut one.lesson;
            if lesson.status == Status::Candidate
                && lesson.source_session_ids.contains(session)
                && lesson.problem.to_lowercase().starts_with(prefix)
            {
                lesson.status = Status::Archived;
                lesson.archive_reason = Some("the model took it back".to_owned());
                one.changed = true;
                count += 1;
            }
        }
    }
    count
}
