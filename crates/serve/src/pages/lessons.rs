//! Lessons: what waits for a review, what is active, and whether it helps.

use crate::app::Ask;
use crate::chart::{self, number};
use crate::view::{self, Screen, ago_micros, empty, panel, tag, tag_as, tile};
use maud::{Markup, html};
use sprag_base::text::cut;
use sprag_lessons::library;
use sprag_lessons::model::{Lesson, LessonKind, Status};
use sprag_lessons::pattern::PatternText;
use sprag_store::{Fires, Store};
use std::collections::BTreeMap;

pub(super) fn screen(ask: &Ask<'_>) -> Screen {
    let body = match ask.app.store() {
        Ok(Some(mut store)) => content(ask, &mut store).unwrap_or_else(|error| view::no_store(&error)),
        Ok(None) => content_of(ask, &[], &BTreeMap::new()),
        Err(error) => view::no_store(&error),
    };
    Screen::of("/lessons", html! { (super::approvals::said(ask)) (body) })
}

fn content(ask: &Ask<'_>, store: &mut Store) -> Result<Markup, sprag_store::Error> {
    Ok(content_of(ask, &library::lessons(store)?, &store.fires()?))
}

fn content_of(ask: &Ask<'_>, all: &[Lesson], fires: &BTreeMap<String, Fires>) -> Markup {
    let of = |status: Status| all.iter().filter(move |lesson| lesson.status == status);
    let sum = |part: fn(&Fires) -> i64| fires.values().map(part).sum::<i64>().max(0) as u64;
    let mut candidates: Vec<&Lesson> = of(Status::Candidate).collect();
    candidates.sort_by_key(|lesson| std::cmp::Reverse((lesson.session_count, lesson.occurrence_count)));
    let mut active: Vec<&Lesson> = of(Status::Active).collect();
    active.sort_by_key(|lesson| {
        std::cmp::Reverse(fires.get(&lesson.id).map_or(0, |fires| fires.shown + fires.denied))
    });
    html! {
        div.tiles {
            (tile(if candidates.is_empty() { "" } else { "warn" }, candidates.len() as u64, "to review"))
            (tile("", active.len() as u64, "active"))
            (tile("", sum(|fires| fires.shown), "times shown"))
            (tile("good", sum(|fires| fires.helped), "times the mistake was avoided"))
            (tile("bad", sum(|fires| fires.denied), "calls denied"))
            (tile("", sum(|fires| fires.ignored), "times ignored"))
        }
        (panel("review", "To review", "", &html! {
            @if candidates.is_empty() {
                (empty("Nothing to review", &html! { "When the same mistake shows up in several sessions, a lesson is proposed here. " code { "sprag lessons scan" } " looks at the transcripts now." }))
            } @else { ul.list { @for lesson in candidates.iter().take(30) { (candidate(ask, lesson)) } } }
        }))
        (panel("active", "Active", "", &html! {
            @if active.is_empty() {
                (empty("No lesson is active", &html! { "An active lesson warns beside the next call that would repeat a mistake, or denies it. " code { "sprag lessons add" } " makes one." }))
            } @else { (active_table(ask, &active, fires)) }
        }))
    }
}

fn kind(lesson: &Lesson) -> Markup {
    tag_as(if lesson.kind == LessonKind::Guard { "deny" } else { "acc" }, lesson.kind.name())
}

fn candidate(ask: &Ask<'_>, lesson: &Lesson) -> Markup {
    let patterns: Vec<&str> =
        lesson.command_patterns.iter().chain(&lesson.path_patterns).map(PatternText::source).collect();
    html! {
        li {
            div.row { b { (lesson.slug) } (kind(lesson)) span.soft { "seen " (lesson.occurrence_count) " times in " (lesson.session_count) " sessions" } }
            p.wrap { b { "Problem: " } (cut(&lesson.problem, 400)) }
            p.wrap { b { "Instead: " } (cut(&lesson.solution, 400)) }
            @if !patterns.is_empty() { p.soft.wrap { "Shown at " (lesson.tool_names.join(", ")) " " code { (patterns.join("  ")) } } }
            @if ask.app.gate.actions() {
                div.acts {
                    form.acts method="post" action="/act" { (view::form_fields(ask, "accept-lesson", &lesson.id)) (view::code_field(&lesson.slug)) button.go type="submit" { "Accept" } }
                    form method="post" action="/act" { (view::form_fields(ask, "reject-lesson", &lesson.id)) button.no type="submit" { "Reject" } }
                }
            } @else { p.soft { code { "sprag lessons review" } } }
        }
    }
}

fn active_table(ask: &Ask<'_>, active: &[&Lesson], fires: &BTreeMap<String, Fires>) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label="Active lessons" {
            table {
                thead { tr { th { "Lesson" } th { "Kind" } th { "What it says" } th { "Effect" } th.num { "Shown" } th.num { "Avoided" } th.num { "Denied" } th.num { "Ignored" } th { "Last" } } }
                tbody {
                    @for lesson in active.iter().take(200) {
                        @let did = fires.get(&lesson.id).copied().unwrap_or_default();
                        tr {
                            td.wrap { b { (lesson.slug) } }
                            td { (kind(lesson)) @if lesson.scope.is_some() { " " (tag("project")) } }
                            td.wrap { (cut(if lesson.summary.is_empty() { &lesson.solution } else { &lesson.summary }, 200)) }
                            td.bar {
                                @let judged = (did.helped + did.ignored).max(0) as u64;
                                @if judged > 0 {
                                    @let percent = did.helped.max(0) as u64 * 100 / judged;
                                    span.nums { (percent) " % avoided" }
                                    (chart::share(percent, 100, if percent >= 50 { "good" } else { "warn" }, "share of the times that the mistake was avoided"))
                                } @else { span.soft { "not known yet" } }
                            }
                            td.num { (number(did.shown.max(0) as u64)) }
                            td.num { (number(did.helped.max(0) as u64)) }
                            td.num { (number(did.denied.max(0) as u64)) }
                            td.num { (number(did.ignored.max(0) as u64)) }
                            td.time { @if did.last > 0 { (ago_micros(ask, did.last)) } @else { "never" } }
                        }
                    }
                }
            }
        }
    }
}
