//! Health: the doctor's findings, the queue, the store, the journal, and which agent sent what.

use crate::app::Ask;
use crate::chart::number;
use crate::view::{self, Screen, ago, empty, panel, tag, tag_as, tile};
use maud::{Markup, html};
use sprag_base::text::size;
use sprag_base::time::Stamp;
use sprag_config::bundles::BundleState;
use sprag_config::inventory::Inventory;
use sprag_doctor::{AgentReport, Examined, Level};
use sprag_runtime::queue::{self, JobState};

pub(super) fn screen(ask: &Ask<'_>) -> Screen {
    let examined = ask.app.examined();
    let count =
        |level: Level| examined.findings.iter().filter(|finding| finding.level == level).count() as u64;
    let (events, broken) = {
        let known = ask.app.index.look();
        (known.count() as u64, known.broken() as u64)
    };
    let (fail, warn) = (count(Level::Fail), count(Level::Warn));
    let body = html! {
        (super::approvals::said(ask))
        div.tiles {
            (tile(if fail > 0 { "bad" } else { "good" }, fail, "to fix"))
            (tile(if warn > 0 { "warn" } else { "good" }, warn, "to look at"))
            (tile("", count(Level::Ok), "as it should be"))
            (tile("", events, "events in the journal"))
            (tile(if broken > 0 { "warn" } else { "" }, broken, "broken journal lines"))
        }
        (panel("findings", "Findings", "as `sprag doctor` has them", &findings(&examined)))
        div.two {
            (panel("queue", "Background jobs", "", &jobs(ask)))
            (panel("store", "Store", "", &html! { div.in { (store(ask)) } }))
        }
        (panel("bundles", "Bundles", "for every project and agent of yours", &bundles(ask)))
        @for report in examined.agents.iter().filter(|report| report.seen_or_registered()) { (agent(ask, report)) }
    };
    Screen::of("/health", body)
}

fn findings(examined: &Examined) -> Markup {
    let mut found: Vec<_> = examined.findings.iter().collect();
    found.sort_by_key(|finding| match finding.level {
        Level::Fail => 0,
        Level::Warn => 1,
        Level::Ok => 2,
    });
    html! {
        div.scroll tabindex="0" role="region" aria-label="Findings" {
            table {
                thead { tr { th { "State" } th { "Area" } th { "What is so" } th { "What to do" } } }
                tbody { @for finding in found { tr {
                    td { (tag(finding.level.name())) } td { (finding.area) } td.wrap { (finding.what) } td.wrap { (finding.todo) }
                } } }
            }
        }
    }
}

/// What is on, what it costs, and a form that switches it.
fn bundles(ask: &Ask<'_>) -> Markup {
    let inventory = Inventory::new(&ask.app.host, ask.app.project.clone());
    html! {
        div.scroll tabindex="0" role="region" aria-label="Bundles" {
            table {
                thead { tr { th { "Bundle" } th { "State" } th { "What it does" } th.num { "Hooks" } @if ask.app.gate.actions() { th { "Switch" } } } }
                tbody { @for state in BundleState::all(&inventory) {
                    @let name = state.bundle.name();
                    @let on = state.state();
                    tr {
                        td { b { (name) } }
                        td { (tag_as(match on { "on" => "good", "part" => "warn", _ => "" }, on)) }
                        td.wrap { (state.bundle.facts().about) }
                        td.num { (state.on().count()) "/" (state.hooks.len()) }
                        @if ask.app.gate.actions() { td.one {
                            form.acts method="post" action="/act" {
                                (view::form_fields(ask, if on == "on" { "disable-bundle" } else { "enable-bundle" }, name))
                                (view::code_field(name))
                                @if on == "on" { button.no type="submit" { "Switch off" } } @else { button.go type="submit" { "Switch on" } }
                            }
                        } }
                    }
                } }
            }
        }
        div.in { p.soft { @if ask.app.gate.actions() { "Takes effect with the next event. What is newly on may need " code { "sprag deploy" } ", so that the agents call sprag for it." } @else { code { "sprag enable NAME" } " and " code { "sprag disable NAME" } " switch one." } } }
    }
}

fn jobs(ask: &Ask<'_>) -> Markup {
    let host = &ask.app.host;
    let states = [
        ("waiting", JobState::Waiting, ""),
        ("running", JobState::Running, "acc"),
        ("given up", JobState::Dead, "bad"),
    ];
    let all: Vec<_> = states
        .iter()
        .flat_map(|(name, state, class)| {
            queue::list(&host.paths, *state).into_iter().map(move |(_, job)| (*name, *class, job))
        })
        .collect();
    html! {
        @if all.is_empty() {
            (empty("The queue is empty", &html! { "Hooks hand slow work to a background worker. It runs when there is work." }))
        } @else {
            div.scroll tabindex="0" role="region" aria-label="Background jobs" {
                table {
                    thead { tr { th { "State" } th { "Job" } th { "Queued" } th.num { "Tries" } th { "Last error" } } }
                    tbody { @for (name, class, stored) in all.iter().take(60) { tr {
                        td { (tag_as(class, name)) } td { (stored.job.work.kind()) } td.time { (ago(ask, Stamp(stored.created))) }
                        td.num { (stored.attempts) "/" (queue::MAX_ATTEMPTS) } td.wrap { (stored.last_error.as_deref().unwrap_or_default()) }
                    } } }
                }
            }
            @if !queue::worker_runs(&host.paths) { div.in { p.soft { "No worker runs; the next hook with work starts one, or " code { "sprag worker --once" } "." } } }
        }
    }
}

fn store(ask: &Ask<'_>) -> Markup {
    match ask.app.store() {
        Ok(None) => {
            html! { p.soft { "There is none yet: it is made when a hook or a command first keeps something." } }
        }
        Err(error) => view::no_store(&error),
        Ok(Some(mut store)) => match store.facts() {
            Err(error) => view::no_store(&error),
            Ok(facts) => html! {
                dl.kv {
                    dt { "Database" } dd { (facts.server) }
                    dt { "Schema" } dd { (facts.schema) }
                    dt { "Size" } dd { (size(facts.bytes.max(0) as u64)) }
                    @for (table, rows) in &facts.rows { dt { (table) } dd.nums { (number((*rows).max(0) as u64)) } }
                }
            },
        },
    }
}

fn agent(ask: &Ask<'_>, report: &AgentReport) -> Markup {
    let name = report.agent.name();
    let version = report.version.as_ref().map(ToString::to_string).unwrap_or_default();
    panel(
        name,
        &format!("Agent {name}"),
        &version,
        &html! {
            div.scroll tabindex="0" role="region" aria-label=(format!("Events of {name}")) {
                table {
                    thead { tr { th { "Event" } th.num { "Hooks" } th { "Registered" } th { "Last fired" } th.num { "Times" } } }
                    tbody { @for row in &report.events { tr {
                        td { (row.kind.name()) } td.num { (row.hooks) }
                        td { @if row.registered { (tag_as("ok", "yes")) } @else if row.hooks > 0 { (tag_as("warn", "no")) } @else { (tag_as("", "no")) } }
                        td.time { @if let Some(at) = row.last { (ago(ask, at)) } @else { "not yet" } }
                        td.num { (number(row.count)) }
                    } } }
                }
            }
        },
    )
}
