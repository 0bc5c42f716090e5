//! `sprag lessons doctor`: what is wrong with the lessons, and what to do about it.

use super::{now, open};
use crate::commands::store::explained;
use crate::commands::{counted, project_at};
use serde_json::{Value, json};
use sprag_config::host::Host;
use sprag_lessons::doctor::{Facts, Finding, Level, examine};
use sprag_lessons::index::Index;
use sprag_lessons::model::Status;
use sprag_lessons::{fires, library, project};
use sprag_terminal::{Out, Tone};
use std::process::ExitCode;

pub(super) fn run(as_json: bool, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    let mut store = open(host)?;
    fires::fold(&host.paths, &mut store, now(host)).map_err(explained)?;
    let mut all = library::lessons(&mut store).map_err(explained)?;
    let mut files = Vec::new();
    if let Some(sprag) = &project_at(host, None).sprag {
        let own = project::read(&project::folder(sprag), true);
        files = own.warnings;
        all.extend(own.lessons);
    }
    let broad = all.iter().filter(|lesson| lesson.status == Status::Active).filter_map(|lesson| {
        let broad = super::too_broad(host, lesson)?;
        Some((lesson.id.clone(), broad))
    });
    let facts = Facts {
        broad: broad.collect(),
        fires: store.fires().map_err(explained)?,
        given_up: fires::given_up(&host.paths),
        now: now(host),
    };
    let mut found = examine(&all, &facts);
    let general = |level, check, what: String, fix: &str| Finding {
        slug: String::new(),
        level,
        check,
        what,
        fix: fix.to_owned(),
    };
    for warning in files {
        found.insert(
            0,
            general(Level::Error, "project-file", format!(".sprag/lessons/{warning}"), "fix the file"),
        );
    }
    let active = all
        .iter()
        .filter(|lesson| lesson.status == Status::Active && !lesson.id.starts_with("project:"))
        .count();
    let compiled = Index::open(&library::store_index(&host.paths));
    let stale = match &compiled {
        Ok(Some(_)) => library::rebuild(host, &mut store, false).map_or(true, |rebuilt| !rebuilt.unchanged),
        Ok(None) => active > 0,
        Err(_) => true,
    };
    if stale && active > 0 {
        found.insert(
            0,
            general(
                Level::Warning,
                "stale",
                "the compiled lessons were out of date".to_owned(),
                "sprag lessons build",
            ),
        );
    }
    let candidates = all.iter().filter(|lesson| lesson.status == Status::Candidate).count();
    let errors = found.iter().any(|one| one.level == Level::Error);
    let helped: i64 = facts.fires.values().map(|fires| fires.helped).sum();
    let ignored: i64 = facts.fires.values().map(|fires| fires.ignored).sum();
    if as_json {
        let rows: Vec<Value> = found
            .iter()
            .map(|one| json!({"slug": one.slug, "level": one.level.name(), "check": one.check, "what": one.what, "fix": one.fix}))
            .collect();
        out.json(
            &json!({ "lessons": all.len(), "active": active, "candidates": candidates, "findings": rows,
                "shown_and_avoided": helped, "shown_and_ignored": ignored }),
        );
    } else {
        out.line(&format!(
            "{}, {} to review",
            counted(active, "active lesson"),
            counted(candidates, "candidate")
        ));
        if helped + ignored > 0 {
            out.line(&format!(
                "shown in {}; in {helped} of them the mistake did not happen again",
                counted(helped + ignored, "session")
            ));
        }
        for one in &found {
            let tone = match one.level {
                Level::Error => Tone::Bad,
                Level::Warning => Tone::Warn,
                Level::Note => Tone::Dim,
            };
            let name = if one.slug.is_empty() {
                String::new()
            } else {
                format!("{}: ", out.paint(Tone::Strong, &one.slug))
            };
            out.line(&format!("{} {name}{}", out.paint(tone, &format!("{:<7}", one.level.name())), one.what));
            out.line(&format!("        {}", out.paint(Tone::Dim, &one.fix)));
        }
        if found.is_empty() {
            out.line("nothing is wrong with them");
        }
    }
    Ok(if errors { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}
