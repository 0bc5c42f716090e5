//! Cost: what the hooks take of an agent's time and context, by day, by hook and by project.

use crate::app::Ask;
use crate::chart::{self, Series, number};
use crate::index::segment::{DAY, FolderSums, Sums};
use crate::view::{Screen, empty, encode, panel, tile};
use maud::{Markup, html};
use sprag_terminal::when;
use std::collections::BTreeMap;

const DAYS: u64 = 30;

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
    let body = html! {
        div.tiles {
            (tile("", all.chars.div_ceil(4), "tokens injected, estimated"))
            (tile("good", all.saved.max(0) as u64, "tokens spared, estimated"))
            (tile("", all.us / 1_000, "milliseconds in hooks"))
            (tile("", all.percentile(95).unwrap_or(0), "µs: 95 % of the runs are faster"))
            (tile("", u64::from(all.runs), "runs of hooks"))
        }
        @if hooks.is_empty() {
            div.panel { (empty("No costs yet", &html! { "What every hook takes of an agent's time, how much text it adds to the conversation and what it spares, by day and by project, appears here with the first events." })) }
        } @else {
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
