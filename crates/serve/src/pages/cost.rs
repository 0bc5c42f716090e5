//! Cost: what the agents used and what it cost by day, project, branch and model; what the hooks take of an agent's time and context.

use crate::app::Ask;
use crate::chart::{self, Series, number};
use crate::index::segment::{DAY, FolderSums, Sums};
use crate::spending::{Spent, WorkingCopy};
use crate::view::{Screen, empty, encode, panel, tile, tile_text};
use maud::{Markup, html};
use sprag_base::time::Stamp;
use sprag_terminal::when;
use sprag_usage::price::{self, AS_OF};
use sprag_usage::spent::{Sum, money};
use sprag_usage::tokens::day;
use std::collections::BTreeMap;

const DAYS: u64 = 30;
/// Rows of a table.
const ROWS: usize = 40;

pub(super) fn screen(ask: &Ask<'_>) -> Screen {
    let first = (ask.now.0 / DAY + 1).saturating_sub(DAYS);
    let mut hooks: BTreeMap<String, Sums> = BTreeMap::new();
    let mut days = vec![Sums::default(); DAYS as usize];
    let folders = {
        let known = ask.app.index.look();
        for (key, sums) in known.hooks_since(first as u32) {
            hooks.entry(known.word(key.hook).to_owned()).or_default().add(&sums);
            let day = u64::from(key.day).saturating_sub(first) as usize;
            if let Some(day) = days.get_mut(day) {
                day.add(&sums);
            }
        }
        known.folders_since(first as u32)
    };
    let mut all = Sums::default();
    hooks.values().for_each(|sums| all.add(sums));
    let spent = ask.app.spending.since(&ask.app.host, Stamp(first * DAY));
    let body = html! {
        (agents_part(ask, &spent, first))
        @if hooks.is_empty() {
            div.panel { (empty("No costs of hooks yet", &html! { "What every hook takes of an agent's time, how much text it adds to the conversation and what it spares, by day and by project, appears here with the first events." })) }
        } @else {
            div.head { div { h2 { "What sprag adds" } p { "Time and text of the hooks, in the last 30 days" } } }
            div.tiles {
                (tile("", all.chars.div_ceil(4), "tokens injected, estimated"))
                (tile("good", all.saved.max(0) as u64, "tokens spared, estimated"))
                (tile("", all.us / 1_000, "milliseconds in hooks"))
                (tile("", all.percentile(95).unwrap_or(0), "µs: 95 % of the runs are faster"))
                (tile("", u64::from(all.runs), "runs of hooks"))
            }
            div.two {
                (panel("tokens", "Tokens by day", "injected and spared, estimated", &html! { div.in { (tokens_chart(&days, first)) } }))
                (panel("time", "Milliseconds in hooks by day", "", &html! { div.in { (time_chart(&days, first)) } }))
            }
            (panel("hooks", "By hook", "the last 30 days", &hooks_table(&hooks)))
            (panel("folders", "By folder", "the last 30 days", &folders_table(ask, &folders)))
        }
    };
    Screen::of("/cost", body)
}

/// What the agents used, from their transcripts.
fn agents_part(ask: &Ask<'_>, spent: &Spent, first: u64) -> Markup {
    let today = day(ask.now);
    let of_today = spent.by_day.iter().filter(|((day, _), _)| *day == today);
    let today: i64 = of_today.map(|(_, sum)| sum.micros).sum();
    let read = spent.all.used.context();
    let cached = (spent.all.used.cache_read * 100).checked_div(read).unwrap_or(0);
    html! {
        div #spent data-live {
            @if let Some(trouble) = &spent.trouble { p.note.bad { (trouble) } }
            @if let Some((done, all)) = spent.reading { p.note { "Reading the agents' transcripts: " (done) " of " (all) }  }
            @if spent.by_day.is_empty() {
                div.panel { (empty("No transcript has tokens yet", &html! { "Tokens and money of every agent's sessions, by day, project, branch and model, are read from the transcripts that the agents keep. The same in a terminal: " code { "sprag stats --cost" } })) }
            } @else {
                div.stack {
                    div.tiles {
                        (tile_text("", &money(today), "today"))
                        (tile_text("", &spent.all.money(), "in 30 days, at list prices"))
                        (tile("", spent.all.used.output, "tokens written"))
                        (tile("", read, "tokens read"))
                        (tile("good", cached, "% of them from the cache"))
                        (tile("", spent.all.sessions.len() as u64, "sessions"))
                    }
                    section.panel aria-labelledby="money-title" {
                        header { h2 #money-title { "Money by day" } span.soft { "days in UTC, list prices of " (AS_OF) } }
                        div.in { (money_chart(&spent.by_day, first)) }
                    }
                    div.two {
                        section.panel aria-labelledby="places-title" {
                            header { h2 #places-title { "By project and branch" } span.soft { "the last 30 days" } }
                            (places_table(ask, &spent.by_place))
                        }
                        section.panel aria-labelledby="models-title" {
                            header { h2 #models-title { "By model" } span.soft { "the last 30 days" } }
                            (models_table(ask, &spent.by_model))
                        }
                    }
                }
            }
        }
    }
}

fn money_chart(by_day: &BTreeMap<(String, String), Sum>, first: u64) -> Markup {
    const CLASSES: [&str; 5] = ["acc", "good", "warn", "shadow", "plain"];
    let mut agents: BTreeMap<&str, i64> = BTreeMap::new();
    for ((_, agent), sum) in by_day {
        *agents.entry(agent).or_default() += sum.micros;
    }
    let mut agents: Vec<(&str, i64)> = agents.into_iter().collect();
    agents.sort_by_key(|(_, micros)| std::cmp::Reverse(*micros));
    let days: Vec<String> = (first..first + DAYS).map(|number| day(Stamp(number * DAY))).collect();
    let series: Vec<Series<'_>> = agents
        .iter()
        .zip(CLASSES)
        .map(|((agent, _), class)| {
            let of_day = |day: &String| by_day.get(&(day.clone(), (*agent).to_owned()));
            let values = days.iter().map(|day| of_day(day).map_or(0, |sum| sum.micros.max(0) as u64));
            Series { class, name: agent, values: values.collect() }
        })
        .collect();
    let labels = super::guards::day_labels(first, DAYS);
    chart::bars_in("Money by day and agent", &labels, &series, &|micros| money(micros as i64))
}

fn places_table(ask: &Ask<'_>, places: &BTreeMap<WorkingCopy, Sum>) -> Markup {
    let mut rows: Vec<(&WorkingCopy, &Sum)> = places.iter().collect();
    rows.sort_by_key(|(_, sum)| std::cmp::Reverse((sum.micros, sum.tokens())));
    let most = rows.first().map_or(0, |(_, sum)| sum.micros.max(0) as u64);
    html! {
        div.scroll tabindex="0" role="region" aria-label="Money by project and branch" {
            table {
                thead { tr { th { "Project" } th { "Branch" } th.num { "Sessions" } th.num { "Tokens" } th.num { "Cost" } th { span.skip { "Share" } } } }
                tbody {
                    @for (place, sum) in rows.iter().take(ROWS) {
                        tr {
                            td.wrap { (ask.tilde(&place.cwd)) }
                            td.mono { (place.branch) }
                            td.num { (sum.sessions.len()) }
                            td.num { (number(sum.tokens())) }
                            td.num { b { (sum.money()) } }
                            td { (chart::share(sum.micros.max(0) as u64, most, "acc", "share of the most expensive")) }
                        }
                    }
                }
            }
        }
        @if rows.len() > ROWS { div.in { p.soft { (rows.len() - ROWS) " more: " code { "sprag stats --cost --by project" } } } }
    }
}

fn models_table(ask: &Ask<'_>, models: &BTreeMap<String, Sum>) -> Markup {
    let mut rows: Vec<(&String, &Sum)> = models.iter().collect();
    rows.sort_by_key(|(_, sum)| std::cmp::Reverse((sum.micros, sum.tokens())));
    let unknown: Vec<&str> =
        rows.iter().filter(|(_, sum)| sum.unpriced > 0).map(|(model, _)| model.as_str()).collect();
    html! {
        div.scroll tabindex="0" role="region" aria-label="Money by model" {
            table {
                thead { tr { th { "Model" } th.num { "Read" } th.num { "Cached" } th.num { "Written" } th.num { "Cost" } } }
                tbody {
                    @for (model, sum) in rows.iter().take(ROWS) {
                        tr {
                            td.mono { @if model.is_empty() { "(unnamed)" } @else { (model) } }
                            td.num { (number(sum.used.input + sum.used.cache_write)) }
                            td.num { (number(sum.used.cache_read)) }
                            td.num { (number(sum.used.output)) }
                            td.num { b { (sum.money()) } }
                        }
                    }
                }
            }
        }
        @if !unknown.is_empty() {
            div.in { p.soft { "No price is known for " (unknown.join(", ")) ": add it to " code { (ask.tilde(&price::file(&ask.app.host.paths).to_string_lossy())) } "." } }
        }
    }
}
fn tokens_chart(days: &[Sums], first: u64) -> Markup {
    let series = [
        Series {
            class: "acc",
            name: "injected",
            values: days.iter().map(|day| day.chars.div_ceil(4)).collect(),
        },
        Series {
            class: "good",
            name: "spared",
            values: days.iter().map(|day| day.saved.max(0) as u64).collect(),
        },
    ];
    chart::bars("Tokens injected and spared by day", &super::guards::day_labels(first, DAYS), &series)
}

fn time_chart(days: &[Sums], first: u64) -> Markup {
    let series = [Series {
        class: "acc",
        name: "milliseconds",
        values: days.iter().map(|day| day.us / 1_000).collect(),
    }];
    chart::bars("Milliseconds in hooks by day", &super::guards::day_labels(first, DAYS), &series)
}

fn hooks_table(hooks: &BTreeMap<String, Sums>) -> Markup {
    let mut rows: Vec<(&String, &Sums)> = hooks.iter().collect();
    rows.sort_by_key(|(_, sums)| std::cmp::Reverse(sums.us));
    let most = rows.first().map_or(0, |(_, sums)| sums.us);
    html! {
        div.scroll tabindex="0" role="region" aria-label="Costs by hook" {
            table {
                thead { tr { th { "Hook" } th.num { "Runs" } th.num { "p50" } th.num { "p95" } th.num { "p99" } th.num { "In all" } th {} th.num { "Tokens in" } th.num { "Spared" } th.num { "Errors" } } }
                tbody {
                    @for (name, sums) in rows {
                        @let within = |percent| sums.percentile(percent).map_or_else(String::new, |us| format!("≤ {}", when::micros(us)));
                        tr {
                            td { a href=(format!("/events?hook={}", encode(name))) { (name) } }
                            td.num { (number(u64::from(sums.runs))) }
                            td.num { (within(50)) } td.num { (within(95)) } td.num { (within(99)) }
                            td.num { (when::micros(sums.us)) }
                            td { (chart::share(sums.us, most, "acc", "share of the slowest hook")) }
                            td.num { (number(sums.chars.div_ceil(4))) }
                            td.num { (number(sums.saved.max(0) as u64)) }
                            td.num { (sums.errors) }
                        }
                    }
                }
            }
        }
    }
}

fn folders_table(ask: &Ask<'_>, folders: &BTreeMap<String, FolderSums>) -> Markup {
    let mut rows: Vec<(&String, &FolderSums)> = folders.iter().filter(|(name, _)| !name.is_empty()).collect();
    rows.sort_by_key(|(_, sums)| std::cmp::Reverse(sums.events));
    html! {
        div.scroll tabindex="0" role="region" aria-label="Costs by folder" {
            table {
                thead { tr { th { "Folder" } th.num { "Events" } th.num { "Time" } th.num { "Tokens in" } } }
                tbody {
                    @for (name, sums) in rows.iter().take(40) {
                        tr { td.wrap { (ask.tilde(name)) } td.num { (number(sums.events)) } td.num { (when::micros(sums.us)) } td.num { (number(sums.chars.div_ceil(4))) } }
                    }
                }
            }
        }
    }
}
