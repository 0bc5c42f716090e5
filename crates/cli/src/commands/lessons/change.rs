//! `sprag lessons edit|promote|archive|import`: what is known changes, and counts at once.

use super::intake::Fields;
use super::{keep, named, now, only_proposals_inside_agent, open, warn};
use crate::commands::store::explained;
use anyhow::Context as _;
use serde_json::{Value, json};
use sprag_config::host::Host;
use sprag_lessons::model::{Lesson, Status, slug};
use sprag_lessons::{import, library, review, validate};
use sprag_scan::scrub::scrub;
use sprag_store::Store;
use sprag_terminal::person::refuse_inside_agent;
use sprag_terminal::{Out, Problem};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(clap::Args)]
pub(crate) struct EditArgs {
    /// Its slug or id
    name: String,
    #[command(flatten)]
    fields: Fields,
    /// Fields as JSON, by the names of `show --json`; null empties one
    #[arg(long, value_name = "JSON")]
    patch: Option<String>,
    /// candidate, reviewed, active, disabled or archived
    #[arg(long, value_parser = status)]
    status: Option<Status>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(clap::Args)]
pub(crate) struct PromoteArgs {
    /// Slugs or ids
    #[arg(required = true)]
    names: Vec<String>,
    /// Fields to change first, as JSON
    #[arg(long, value_name = "JSON")]
    patch: Option<String>,
    /// Activate it although something is wrong with it
    #[arg(long)]
    force: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(clap::Args)]
pub(crate) struct ArchiveArgs {
    /// Slugs or ids
    #[arg(required = true)]
    names: Vec<String>,
    /// Why
    #[arg(long, default_value = "")]
    reason: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(clap::Args)]
pub(crate) struct ImportArgs {
    /// A manifest, a database, a list of lessons, or what `export` wrote
    file: PathBuf,
    /// Lessons that are active now are archived first
    #[arg(long)]
    replace: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn status(text: &str) -> Result<Status, String> {
    Status::from_name(text).ok_or_else(|| "one of candidate, reviewed, active, disabled, archived".to_owned())
}

/// A lesson with the fields of a patch. Unknown fields are refused, so that a typing error changes nothing silently.
pub(super) fn patched(lesson: &Lesson, patch: &str) -> anyhow::Result<Lesson> {
    const FIXED: [&str; 6] = ["id", "created", "updated", "contentHash", "occurrenceCount", "sessionCount"];
    let fields: Value = serde_json::from_str(patch)
        .context(Problem::new("the patch is no JSON", "for example: --patch '{\"priority\": 8}'"))?;
    let fields = fields
        .as_object()
        .context(Problem::new("the patch is no JSON object", "for example: --patch '{\"priority\": 8}'"))?;
    let mut value = serde_json::to_value(lesson).unwrap_or_default();
    let every = serde_json::to_value(Lesson {
        message: Some(String::new()),
        requires: Some(json!({})),
        duplicated_by: Some(json!({})),
        archive_reason: Some(String::new()),
        cooldown_minutes: 1,
        content_patterns: vec![sprag_lessons::pattern::PatternText::new("x")],
        ..Lesson::new()
    })
    .unwrap_or_default();
    for (key, new) in fields {
        let known: Vec<&str> = every.as_object().into_iter().flatten().map(|(key, _)| key.as_str()).collect();
        if !known.contains(&key.as_str()) || FIXED.contains(&key.as_str()) {
            let near = sprag_config::parse::nearest(key, &known);
            let hint = near.map_or_else(
                || format!("one of: {}", known.join(", ")),
                |near| format!("did you mean `{near}`?"),
            );
            anyhow::bail!(Problem::new(format!("a lesson has no field `{key}` that can be changed"), &hint));
        }
        let empty = every.get(key).map_or(Value::Null, |shape| match shape {
            Value::Array(_) => json!([]),
            Value::String(_) if matches!(key.as_str(), "summary" | "problem" | "solution" | "slug") => {
                json!("")
            }
            _ => Value::Null,
        });
        if let Some(map) = value.as_object_mut() {
            map.insert(key.clone(), if new.is_null() { empty } else { new.clone() });
        }
    }
    let mut changed: Lesson = serde_json::from_value(value).map_err(|error| {
        anyhow::anyhow!(Problem::new(
            format!("the patch does not fit: {error}"),
            format!("`sprag lessons show {} --json` shows the shape", lesson.slug)
        ))
    })?;
    let texts = |lesson: &Lesson| (lesson.summary.clone(), lesson.problem.clone(), lesson.solution.clone());
    if texts(&changed) != texts(lesson) && !fields.contains_key("message") {
        changed.message = None;
    }
    Ok(changed)
}

/// Settles, scrubs and stamps a changed lesson.
fn ready(lesson: Lesson, host: &Host) -> Lesson {
    review::ready(lesson, now(host))
}

pub(super) fn edit(args: &EditArgs, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    let mut store = open(host)?;
    let old = named(&mut store, &args.name)?;
    let mut lesson = match &args.patch {
        Some(patch) => patched(&old, patch)?,
        None => old.clone(),
    };
    args.fields.apply(&mut lesson);
    lesson.status = args.status.unwrap_or(lesson.status);
    let lesson = ready(lesson, host);
    only_proposals_inside_agent(host, [&old, &lesson])?;
    if let Some((pattern, error)) = validate::pattern_faults(&lesson).first() {
        anyhow::bail!(Problem::new(
            format!("the pattern `{pattern}` is invalid: {error}"),
            "nothing was changed"
        ));
    }
    let rebuilt = keep(host, &mut store, std::slice::from_ref(&lesson))?;
    store.note_review(now(host), "edit", &lesson.id, &difference(&old, &lesson)).map_err(explained)?;
    warn(&rebuilt, out);
    if args.json {
        out.json(&json!(lesson));
    } else {
        out.line(&format!("changed {}: {}", lesson.slug, difference(&old, &lesson)));
    }
    Ok(ExitCode::SUCCESS)
}

/// The names of fields that differ.
fn difference(old: &Lesson, new: &Lesson) -> String {
    let (old, new) =
        (serde_json::to_value(old).unwrap_or_default(), serde_json::to_value(new).unwrap_or_default());
    let empty = serde_json::Map::new();
    let (old, new) = (old.as_object().unwrap_or(&empty), new.as_object().unwrap_or(&empty));
    let mut names: Vec<&str> = new
        .iter()
        .filter(|(key, value)| {
            old.get(*key) != Some(value) && !matches!(key.as_str(), "updated" | "contentHash")
        })
        .map(|(key, _)| key.as_str())
        .collect();
    names.extend(old.keys().filter(|key| !new.contains_key(*key)).map(String::as_str));
    if names.is_empty() { "nothing".to_owned() } else { names.join(", ") }
}

pub(super) fn promote(args: &PromoteArgs, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    refuse_inside_agent(host)?;
    let mut store = open(host)?;
    let mut lessons = Vec::new();
    for name in &args.names {
        let lesson = named(&mut store, name)?;
        let lesson = match &args.patch {
            Some(patch) => patched(&lesson, patch)?,
            None => lesson,
        };
        lessons.push(promoted(lesson, host, args.force)?);
    }
    activate(host, &mut store, &lessons, out)?;
    if args.json {
        out.json(&json!({ "promoted": lessons }));
    } else {
        lessons
            .iter()
            .for_each(|lesson| out.line(&format!("{} is active ({})", lesson.slug, lesson.kind.name())));
    }
    Ok(ExitCode::SUCCESS)
}

/// The activated lesson, or why not.
pub(super) fn promoted(lesson: Lesson, host: &Host, force: bool) -> anyhow::Result<Lesson> {
    let lesson = review::accepted(lesson, now(host));
    let mut faults = validate::faults(&lesson);
    faults.extend(super::too_broad(host, &lesson));
    if !faults.is_empty() && !force {
        anyhow::bail!(Problem::new(
            format!("{} cannot be activated:", lesson.slug),
            format!("{}\n  fix it with --patch, or insist with --force", faults.join("\n  "))
        ));
    }
    Ok(lesson)
}

pub(super) fn activate(host: &Host, store: &mut Store, lessons: &[Lesson], out: &Out) -> anyhow::Result<()> {
    let rebuilt = keep(host, store, lessons)?;
    for lesson in lessons {
        store.note_review(now(host), "promote", &lesson.id, "").map_err(explained)?;
    }
    warn(&rebuilt, out);
    Ok(())
}

pub(super) fn archive(args: &ArchiveArgs, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    let mut store = open(host)?;
    let mut lessons = Vec::new();
    for name in &args.names {
        let lesson = named(&mut store, name)?;
        only_proposals_inside_agent(host, [&lesson])?;
        lessons.push(archived(lesson, &args.reason, host));
    }
    keep(host, &mut store, &lessons)?;
    for lesson in &lessons {
        store.note_review(now(host), "archive", &lesson.id, &args.reason).map_err(explained)?;
    }
    if args.json {
        out.json(&json!({ "archived": lessons }));
    } else {
        lessons.iter().for_each(|lesson| out.line(&format!("{} is archived", lesson.slug)));
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) fn archived(lesson: Lesson, reason: &str, host: &Host) -> Lesson {
    review::archived(lesson, reason, now(host))
}

pub(super) fn import(args: &ImportArgs, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    refuse_inside_agent(host)?;
    let imported = import::read(&args.file, &host.paths.cache()).map_err(|error| {
        anyhow::anyhow!(Problem::new(
            format!("{}: {error}", args.file.display()),
            "a manifest, a database, or a list of lessons as JSON"
        ))
    })?;
    let mut store = open(host)?;
    let known = library::lessons(&mut store).map_err(explained)?;
    let by_id: BTreeMap<&str, &Lesson> = known.iter().map(|lesson| (lesson.id.as_str(), lesson)).collect();
    let mut taken: BTreeSet<String> = known.iter().map(|lesson| lesson.slug.clone()).collect();
    let at = now(host);
    let mut rows: Vec<Lesson> = Vec::new();
    let mut ids = BTreeSet::new();
    for mut lesson in imported.lessons {
        for text in [&mut lesson.summary, &mut lesson.problem, &mut lesson.solution] {
            *text = scrub(text).into_owned();
        }
        let before = by_id.get(lesson.id.as_str()).copied();
        lesson.created = before.map_or(at, |before| before.created);
        lesson.updated = before.map_or(at, |before| at.max(before.updated + 1));
        let mut lesson = lesson.settled(sprag_store::new_id);
        // Two lessons may not share a name; the one that was there keeps it.
        if before.is_none_or(|before| before.slug != lesson.slug) && !taken.insert(lesson.slug.clone()) {
            lesson.slug = slug(&lesson.slug, &lesson.id);
            taken.insert(lesson.slug.clone());
        }
        if ids.insert(lesson.id.clone()) {
            rows.push(lesson);
        }
    }
    let mut replaced = 0;
    if args.replace {
        for old in known.into_iter().filter(|old| !ids.contains(&old.id) && old.status != Status::Archived) {
            let free = Lesson { slug: slug(&old.slug, &format!("{}{at}", old.id)), ..old };
            rows.insert(0, archived(free, "replaced by an import", host));
            replaced += 1;
        }
    }
    // The names that are given up must be free before they are taken.
    let (gone, new) = rows.split_at(replaced);
    store.put_lessons(&gone.iter().map(Lesson::row).collect::<Vec<_>>()).map_err(explained)?;
    library::keep_config(&mut store, imported.config, at).map_err(explained)?;
    let rebuilt = keep(host, &mut store, new)?;
    store.note_review(at, "import", "", &args.file.to_string_lossy()).map_err(explained)?;
    for warning in imported.warnings.iter().take(20) {
        out.note(&format!("warning: {warning}"));
    }
    warn(&rebuilt, out);
    let active = new.iter().filter(|lesson| lesson.status == Status::Active).count();
    if args.json {
        out.json(&json!({
            "imported": new.len(), "active": active, "replaced": replaced, "warnings": imported.warnings,
            "faults": rebuilt.faults.iter().map(|fault| json!({"slug": fault.slug, "pattern": fault.pattern, "error": fault.error})).collect::<Vec<_>>(),
        }));
    } else {
        let gone = if replaced > 0 { format!(", {replaced} archived") } else { String::new() };
        out.line(&format!("{} lessons imported, {active} of them active{gone}", new.len()));
    }
    Ok(ExitCode::SUCCESS)
}
