//! Guards: what was stopped by which rule over time, enforced and in shadow, and what the guards say of a command.

use crate::app::Ask;
use crate::chart::{self, Series, number};
use crate::index::segment::{DAY, HOUR, RuleDay, Verdict};
use crate::index::{Filter, Listed};
use crate::view::{Screen, ago, empty, encode, panel, tag, tile};
use maud::{Markup, html};
use sprag_base::text::cut;
use sprag_base::time::Stamp;
use sprag_runtime::approvals;
use sprag_runtime::journal::Entry;
use std::collections::{BTreeMap, HashMap};

/// Days that the charts show.
const DAYS: u64 = 30;

/// What one rule did.
#[derive(Default)]
struct RuleSums {
    hook: String,
    stops: u64,
    asks: u64,
    shadow: u64,
}

pub(super) fn screen(ask: &Ask<'_>) -> Screen {
    let first = (ask.now.0 / DAY + 1).saturating_sub(DAYS);
    let (days, rules, last) = {
        let known = ask.app.index.look();
        let counts = known.rules_since(first as u32);
        let rules = by_rule(&counts, &|number| known.word(number).to_owned());
        let last: Vec<Listed> = [Verdict::Deny, Verdict::Block, Verdict::Ask]
            .into_iter()
            .flat_map(|verdict| known.list(&Filter { verdict: Some(verdict), ..Filter::default() }, 12))
            .collect();
        (by_day(&counts, first), rules, last)
    };
    let sum = |of: fn(&RuleSums) -> u64| rules.values().map(of).sum::<u64>();
    let body = html! {
        div.tiles #tiles data-live {
            (tile("bad", sum(|rule| rule.stops), "stopped in 30 days"))
            (tile("warn", sum(|rule| rule.asks), "asked about in 30 days"))
            (tile("", sum(|rule| rule.shadow), "would have been stopped in shadow mode"))
            (tile("", rules.len() as u64, "rules that spoke"))
        }
        (panel("days", "Stops by day", "the last 30 days", &html! { div.in { (chart_of(&days)) } }))
        (explain_box(ask))
        div.two {
            (panel("rules", "By rule", "", &rules_table(&rules)))
            (panel("last", "The last stops", "", &last_stops(ask, last)))
        }
        (panel("valid", "Allowed now", "", &valid(ask)))
    };
    Screen::of("/guards", body)
}

fn by_rule(counts: &HashMap<RuleDay, u32>, word: &dyn Fn(u16) -> String) -> BTreeMap<String, RuleSums> {
    let mut rules: BTreeMap<String, RuleSums> = BTreeMap::new();
    for (key, count) in counts {
        let rule = rules.entry(word(key.rule)).or_default();
        rule.hook = word(key.hook);
        let count = u64::from(*count);
        match key.verdict {
            _ if key.shadow => rule.shadow += count,
            Verdict::Ask => rule.asks += count,
            _ => rule.stops += count,
        }
    }
    rules
}

/// Stops, questions and shadow verdicts per day.
struct Days {
    first: u64,
    counts: [Vec<u64>; 3],
}

fn by_day(counts: &HashMap<RuleDay, u32>, first: u64) -> Days {
    let mut days = Days { first, counts: [(); 3].map(|()| vec![0; DAYS as usize]) };
    for (key, count) in counts {
        let class = match key.verdict {
            _ if key.shadow => 2,
            Verdict::Ask => 1,
            _ => 0,
        };
        let day = u64::from(key.day).saturating_sub(first) as usize;
        if let Some(sum) = days.counts.get_mut(class).and_then(|counts| counts.get_mut(day)) {
            *sum += u64::from(*count);
        }
    }
    days
}

/// Labels of days since 1970.
pub(super) fn day_labels(first: u64, days: u64) -> Vec<String> {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    (first..first + days)
        .map(|day| {
            let (_, month, date, ..) = Stamp(day * DAY).civil();
            format!("{date} {}", MONTHS.get(month as usize - 1).unwrap_or(&""))
        })
        .collect()
}

fn chart_of(days: &Days) -> Markup {
    let names = [("bad", "stopped"), ("warn", "asked"), ("shadow", "shadow")];
    let series: Vec<Series<'_>> = names
        .into_iter()
        .zip(days.counts.iter())
        .map(|((class, name), values)| Series { class, name, values: values.clone() })
        .collect();
    chart::bars("Stops of the last 30 days, by day", &day_labels(days.first, DAYS), &series)
}

fn rules_table(rules: &BTreeMap<String, RuleSums>) -> Markup {
    let mut rows: Vec<(&String, &RuleSums)> = rules.iter().collect();
    rows.sort_by_key(|(_, rule)| std::cmp::Reverse(rule.stops + rule.asks + rule.shadow));
    let most = rows.first().map_or(0, |(_, rule)| rule.stops + rule.asks + rule.shadow);
    html! {
        @if rows.is_empty() {
            (empty("No rule spoke yet", &html! { "What the guards stop, ask about or would have stopped in shadow mode is counted here, rule by rule. " code { "sprag guard rules" } " lists them." }))
        } @else {
            div.scroll tabindex="0" role="region" aria-label="Rules" {
                table {
                    thead { tr { th { "Rule" } th { "Hook" } th.num { "Stopped" } th.num { "Asked" } th.num { "Shadow" } th {} } }
                    tbody {
                        @for (name, rule) in rows.iter().take(40) {
                            tr {
                                td.one { a href=(format!("/events?rule={}", encode(name))) { (name) } }
                                td.soft.one { (rule.hook) }
                                td.num { (number(rule.stops)) }
                                td.num { (number(rule.asks)) }
                                td.num { (number(rule.shadow)) }
                                td { (chart::share(rule.stops + rule.asks + rule.shadow, most, "bad", "share of the rule that spoke most")) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn last_stops(ask: &Ask<'_>, mut last: Vec<Listed>) -> Markup {
    last.sort_by_key(|listed| std::cmp::Reverse(listed.at));
    html! {
        @if last.is_empty() {
            (empty("Nothing was stopped", &html! { "Ordinary work passes without a word. A stop appears here with its rule, its reason and what would have been lost." }))
        } @else {
            ul.list {
                @for listed in last.iter().take(8) {
                    @let entry = listed.entry();
                    li {
                        div.row { (tag(listed.verdict.name())) a href=(format!("/events/{}", listed.id)) { (listed.rule) } span.soft { (listed.agent) " · " (ago(ask, Stamp(listed.at))) } }
                        @if let Some(entry) = &entry {
                            @if let Some(about) = &entry.about { code.clip title=(about) { (about) } }
                            @if let Some(reason) = entry.runs.iter().filter(|run| matches!(run.verdict.as_str(), "deny" | "block" | "ask")).find_map(|run| run.reason.as_deref()) { p.soft.wrap { (cut(reason, 220)) } }
                        }
                    }
                }
            }
        }
    }
}

fn explain_box(ask: &Ask<'_>) -> Markup {
    let command = ask.param("command");
    let cwd = match ask.param("cwd") {
        "" => ask.app.project.root.to_string_lossy().into_owned(),
        cwd => cwd.to_owned(),
    };
    html! {
        section.panel aria-labelledby="explain-title" {
            header { h2 #explain-title { "Ask the guards" } span.soft { "nothing is run" } }
            div.in {
                form.filters method="get" action="/guards" {
                    label.grow { "Command" input name="command" value=(command) placeholder="git push --force" data-search; }
                    label.grow { "Folder" input name="cwd" value=(cwd); }
                    button.go type="submit" { "Explain" }
                }
                @if !command.is_empty() { (super::events::judged(ask, command, &cwd)) }
            }
        }
    }
}

fn valid(ask: &Ask<'_>) -> Markup {
    let valid = approvals::valid(&ask.app.host);
    html! {
        @if valid.is_empty() {
            (empty("No approval is valid", &html! { "What a person allowed with " code { "sprag allow" } " or " code { "sprag approve" } ", and until when, is listed here." }))
        } @else {
            div.scroll tabindex="0" role="region" aria-label="Approvals" {
                table {
                    thead { tr { th { "What" } th { "Given" } th { "Until" } th { "For" } } }
                    tbody {
                        @for approval in &valid {
                            tr {
                                td.wrap { code { (approval.path.as_deref().or(approval.shown.as_deref()).unwrap_or_default()) } }
                                td.time { @if let Some(at) = Stamp::parse(&approval.at) { (ago(ask, at)) } }
                                td.time { @if let Some(until) = Stamp::parse(&approval.until) { (sprag_terminal::when::local(until)) } }
                                td { @if approval.path.is_some() { "reading" } @else if approval.session.is_some() { "its session" } @else { "once" } }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Calls of the last hour that were denied and that a person may still let through, each once, the latest first.
pub(super) fn undecided(ask: &Ask<'_>) -> Vec<(Listed, Entry)> {
    const LOOKED_AT: usize = 40;
    let since = ask.now.0.saturating_sub(HOUR);
    let (stops, yes) = {
        let known = ask.app.index.look();
        let deny = Filter { verdict: Some(Verdict::Deny), event: "PreToolUse".into(), ..Filter::default() };
        let allow = Filter { event: "allow".into(), ..Filter::default() };
        (known.list(&deny, LOOKED_AT), known.list(&allow, LOOKED_AT))
    };
    let allowed: Vec<String> = yes
        .iter()
        .take_while(|listed| listed.at >= since)
        .filter_map(|listed| approvals::decided(&listed.entry()?).map(str::to_owned))
        .collect();
    let mut found: Vec<(Listed, Entry)> = Vec::new();
    for listed in stops.into_iter().take_while(|listed| listed.at >= since) {
        let Some(entry) = listed.entry() else { continue };
        let Some(stop) = entry.stop.as_ref().filter(|stop| stop.key.is_some()) else { continue };
        let known =
            found.iter().any(|(_, known)| known.stop.as_ref().is_some_and(|known| known.id == stop.id));
        if !known && !allowed.contains(&stop.id) {
            found.push((listed, entry));
        }
    }
    found
}
