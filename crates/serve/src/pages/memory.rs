//! Memory: search, the last changes, quarantine, and one memory with its past.

use crate::app::Ask;
use crate::chart::number;
use crate::index::{Filter, Listed};
use crate::view::{self, Screen, ago_micros, empty, encode, panel, tag, tag_as, tile};
use maud::{Markup, html};
use sprag_base::text::cut;
use sprag_base::time::Stamp;
use sprag_memory::memories;
use sprag_memory::recall::{MAX_CHARS, Question, provenance, short_id};
use sprag_store::{Memory, MemoryFilter, Opening, Reach, Store};
use sprag_terminal::when;
use std::time::Duration;

/// Memories on a page.
const SHOWN: i64 = 50;

pub(super) fn screen(ask: &Ask<'_>) -> Screen {
    let body = match ask.app.store() {
        Ok(Some(mut store)) => content(ask, &mut store).unwrap_or_else(|error| view::no_store(&error)),
        Ok(None) => nothing(),
        Err(error) => view::no_store(&error),
    };
    Screen::of("/memory", html! { (super::approvals::said(ask)) (search_form(ask)) (body) })
}

fn nothing() -> Markup {
    html! {
        div.panel { (empty("Nothing is remembered yet", &html! { "Decisions, handoffs and learnings of sessions appear here, and what you add with " code { "sprag memory add" } ". They are found by words and by meaning, offline." })) }
    }
}

fn search_form(ask: &Ask<'_>) -> Markup {
    html! {
        form.filters method="get" action="/memory" role="search" {
            label.grow { "Search by words or by meaning" input type="search" name="q" value=(ask.param("q")) placeholder="why is staging not reachable?" data-search; }
            label { "Show" select name="show" {
                option value="" { "current" }
                option value="past" selected[ask.param("show") == "past"] { "also replaced" }
                option value="timeline" selected[ask.param("show") == "timeline"] { "timeline" }
                option value="quarantine" selected[ask.param("show") == "quarantine"] { "quarantine" }
            } }
            button.go type="submit" { "Search" }
        }
    }
}

fn content(ask: &Ask<'_>, store: &mut Store) -> Result<Markup, sprag_store::Error> {
    let counts = store.count_memories()?;
    let all: i64 = counts.iter().map(|(_, _, count)| count).sum();
    if all == 0 {
        return Ok(nothing());
    }
    let quarantined = store.count_quarantined()?;
    let show = ask.param("show");
    let (title, mut found) = if ask.param("q").trim().is_empty() {
        let filter = MemoryFilter {
            limit: SHOWN,
            past: !show.is_empty(),
            quarantined: show == "quarantine",
            ..MemoryFilter::default()
        };
        let title = match show {
            "quarantine" => "In quarantine",
            "timeline" => "Timeline",
            _ => "Last changed",
        };
        (title, store.list_memories(&filter, ask.micros())?)
    } else {
        ("Found", search(ask))
    };
    if show == "timeline" {
        found.sort_by_key(|memory| std::cmp::Reverse((memory.since(), memory.seq)));
    }
    Ok(html! {
        div.tiles {
            (tile("", all as u64, "memories"))
            (tile(if quarantined > 0 { "warn" } else { "" }, quarantined.max(0) as u64, "in quarantine"))
            @for (kind, count) in kinds(&counts).into_iter().take(4) { (tile("", count, &kind)) }
        }
        (panel("memories", title, "", &html! {
            @if found.is_empty() {
                (empty(if show == "quarantine" { "Nothing is in quarantine" } else { "Nothing fits" }, &html! { "Text from sources that may carry instructions waits in quarantine until a person has seen it." }))
            } @else if show == "timeline" {
                (timeline(ask, &found))
            } @else {
                ul.list { @for memory in &found { (row(ask, memory)) } }
            }
        }))
    })
}

/// What held when: a day after the other, the latest first; what was replaced says by what.
fn timeline(ask: &Ask<'_>, found: &[Memory]) -> Markup {
    let day = |memory: &Memory| {
        let local = when::local(Stamp(memory.since().max(0) as u64));
        local.get(..10).unwrap_or_default().to_owned()
    };
    let mut days: Vec<(String, Vec<&Memory>)> = Vec::new();
    for memory in found {
        let day = day(memory);
        match days.last_mut().filter(|(known, _)| *known == day) {
            Some((_, of_day)) => of_day.push(memory),
            None => days.push((day, vec![memory])),
        }
    }
    html! {
        ol.timeline { @for (day, of_day) in &days {
            li {
                h3 { (day) }
                ul.list { @for memory in of_day { (row(ask, memory)) } }
            }
        } }
    }
}

fn kinds(counts: &[(String, String, i64)]) -> Vec<(String, u64)> {
    let mut kinds: std::collections::BTreeMap<&str, u64> = std::collections::BTreeMap::new();
    for (kind, _, count) in counts {
        *kinds.entry(kind).or_default() += (*count).max(0) as u64;
    }
    let mut kinds: Vec<(String, u64)> =
        kinds.into_iter().map(|(kind, count)| (kind.to_owned(), count)).collect();
    kinds.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    kinds
}

fn search(ask: &Ask<'_>) -> Vec<Memory> {
    let wait = Duration::from_secs(2);
    let opening = Opening { wait, connect: wait, tidy: false, ..Opening::LOOK };
    let question = Question {
        text: ask.param("q").chars().take(1_000).collect(),
        reach: Reach { all: true, ..Reach::default() },
        most: 30,
        only: None,
    };
    let found = memories::open(&ask.app.host, opening)
        .and_then(|mut library| library.recall(&question, ask.micros()));
    found.map(|found| found.into_iter().map(|found| found.memory).collect()).unwrap_or_default()
}

fn row(ask: &Ask<'_>, memory: &Memory) -> Markup {
    html! {
        li {
            div.row {
                a.mono href=(format!("/memory/{}", encode(&memory.id))) { (short_id(&memory.id)) }
                (tag_as("acc", &memory.is.kind))
                @if memory.is_past() {
                    (tag_as("", "replaced"))
                    @if !memory.superseded_by.is_empty() { a.mono href=(format!("/memory/{}", encode(&memory.superseded_by))) { "by " (short_id(&memory.superseded_by)) } }
                }
                @if !memory.is.quarantine.is_empty() { (tag_as("warn", &memory.is.quarantine)) }
                span.soft { (whose(ask, memory)) " · " (ago_micros(ask, memory.updated)) }
                @if memory.uses > 0 { span.soft { "shown " (number(memory.uses.max(0) as u64)) " times" } }
            }
            div.wrap { (cut(&memory.is.text, 400)) }
            (actions(ask, memory))
        }
    }
}

fn whose(ask: &Ask<'_>, memory: &Memory) -> String {
    let place = if memory.is.project.is_empty() { &memory.is.place } else { &memory.is.project };
    if place.is_empty() {
        memory.is.scope.clone()
    } else {
        format!("{} {}", memory.is.scope, ask.tilde(place))
    }
}

fn actions(ask: &Ask<'_>, memory: &Memory) -> Markup {
    html! {
        @if ask.app.gate.actions() {
            div.acts {
                @if !memory.is.quarantine.is_empty() {
                    form.acts method="post" action="/act" { (view::form_fields(ask, "release-memory", &memory.id)) (view::code_field(&short_id(&memory.id))) button.go type="submit" { "Show it from now on" } }
                }
                form method="post" action="/act" { (view::form_fields_to(ask, "forget-memory", &memory.id, "/memory")) button.no type="submit" { "Forget" } }
            }
        }
    }
}

/// The form that changes a memory's words.
fn edit_form(ask: &Ask<'_>, memory: &Memory) -> Markup {
    let rows = memory.is.text.lines().count().clamp(3, 16);
    html! {
        @if ask.app.gate.actions() {
            details #edit { summary { "Change the text" }
                form.stack method="post" action="/act" {
                    (view::form_fields(ask, "edit-memory", &memory.id))
                    input type="hidden" name="version" value=(memory.version);
                    label.field { "Text; the present one is kept as a previous version" textarea name="text" rows=(rows) required maxlength=(MAX_CHARS) { (memory.is.text) } }
                    div.acts { (view::code_field(&short_id(&memory.id))) button.go type="submit" { "Change" } }
                }
            }
        } @else { p.soft { code { "sprag memory edit " (short_id(&memory.id)) " 'new text'" } } }
    }
}

/// The event with which a memory was shown last: the one of a recalling hook at that moment.
fn shown_with(ask: &Ask<'_>, memory: &Memory) -> Option<Listed> {
    const HOOKS: [&str; 2] = ["memory-awareness", "session-start-recall"];
    /// Between the hook's line and the journal's.
    const APART: u64 = 10_000_000;
    let used = u64::try_from(memory.used?).ok()?;
    let known = ask.app.index.look();
    let of_hook = |hook: &str| {
        let filter = Filter { hook: hook.to_owned(), before: Some(used + APART), ..Filter::default() };
        known.list(&filter, 20)
    };
    let found = HOOKS.iter().flat_map(|hook| of_hook(hook)).filter(|event| event.chars > 0);
    found.min_by_key(|event| event.at.abs_diff(used)).filter(|event| event.at.abs_diff(used) < APART)
}

/// One memory.
pub(super) fn one(ask: &Ask<'_>, id: &str) -> Option<Screen> {
    let mut store = ask.app.store().ok()??;
    let memory = store.find_memory(id).ok()?.into_iter().find(|memory| memory.id == id)?;
    let versions = store.memory_versions(&memory.id).unwrap_or_default();
    let links = store.memory_links(&memory.id).unwrap_or_default();
    let body = html! {
        (super::approvals::said(ask))
        div.two {
            (panel("text", "Text", "", &html! { div.in { pre tabindex="0" { (memory.is.text) } (edit_form(ask, &memory)) (actions(ask, &memory)) } }))
            (panel("facts", "What is known of it", "", &html! { div.in { (facts(ask, &memory)) } }))
        }
        @if !versions.is_empty() {
            (panel("versions", "Previous versions", "", &html! {
                ul.list { @for version in &versions { li { div.row { (tag(&format!("version {}", version.version))) span.soft { "until " (ago_micros(ask, version.until)) } } pre tabindex="0" { (version.text) } } } }
            }))
        }
        @if !links.is_empty() {
            (panel("links", "Linked", "", &html! {
                ul.list { @for (other, kind) in &links { li { div.row { (tag_as("acc", kind)) a.mono href=(format!("/memory/{}", encode(other))) { (short_id(other)) } } } } }
            }))
        }
    };
    Some(Screen { title: format!("Memory {}", short_id(&memory.id)), about: memory.is.kind.clone(), body })
}

fn facts(ask: &Ask<'_>, memory: &Memory) -> Markup {
    html! {
        dl.kv {
            dt { "Whose" } dd { (whose(ask, memory)) }
            dt { "From" } dd { (provenance::origin(memory)) }
            @if !memory.is.tags.is_empty() { dt { "Tags" } dd { (memory.is.tags) } }
            dt { "Importance" } dd { (memory.is.importance) }
            dt { "Made" } dd { (ago_micros(ask, memory.created)) }
            dt { "Changed" } dd { (ago_micros(ask, memory.updated)) ", version " (memory.version) }
            dt { "Shown" } dd { (memory.uses) " times" @if let Some(used) = memory.used { ", last " (ago_micros(ask, used)) } }
            @if let Some(event) = shown_with(ask, memory) {
                dt { "Shown to" } dd { (event.agent) " " (view::session_link(&event.session)) ", at " a href=(format!("/events/{}", event.id)) { (event.event) } }
            }
            @if !memory.is.session.is_empty() { dt { "Session" } dd { (view::session_link(&memory.is.session)) } }
            @if let Some(until) = memory.valid_until { dt { "Replaced" } dd { (ago_micros(ask, until)) @if !memory.superseded_by.is_empty() { " by " a.mono href=(format!("/memory/{}", encode(&memory.superseded_by))) { (short_id(&memory.superseded_by)) } } } }
            @if !memory.is.quarantine.is_empty() { dt { "Quarantine" } dd { (memory.is.quarantine) } }
        }
    }
}
