//! Events: the journal as a timeline, and one event with what each hook said.

use crate::app::Ask;
use crate::chart::{self, number};
use crate::index::segment::Verdict;
use crate::index::{EventId, Filter, Listed};
use crate::view::{self, Screen, ago, empty, encode, panel, tag, tag_as};
use maud::{Markup, html};
use serde_json::{Value, json};
use sprag_base::time::Stamp;
use sprag_project::Project;
use sprag_replay::explain::{self, Understood};
use sprag_replay::record;
use sprag_runtime::journal::{Entry, Run};
use sprag_runtime::record::Recorded;
use sprag_runtime::summary::hook_name;
use sprag_terminal::when;

/// Events on a page.
const SHOWN: usize = 60;

fn filter(ask: &Ask<'_>) -> Filter {
    let text = |name: &str| ask.param(name).to_owned();
    Filter {
        session: text("session"),
        hook: text("hook"),
        tool: text("tool"),
        event: text("event"),
        agent: text("agent"),
        rule: text("rule"),
        verdict: Verdict::from_name(ask.param("verdict")),
        errors: ask.param("errors") == "1",
        before: ask.param("before").parse().ok(),
    }
}

/// The address of the list with this filter.
fn address(filter: &Filter) -> String {
    let mut parts = Vec::new();
    for (name, value) in [
        ("session", filter.session.as_str()),
        ("hook", &filter.hook),
        ("tool", &filter.tool),
        ("event", &filter.event),
        ("agent", &filter.agent),
        ("rule", &filter.rule),
        ("verdict", filter.verdict.map_or("", Verdict::name)),
        ("errors", if filter.errors { "1" } else { "" }),
    ] {
        if !value.is_empty() {
            parts.push(format!("{name}={}", encode(value)));
        }
    }
    parts.extend(filter.before.map(|before| format!("before={before}")));
    if parts.is_empty() { "/events".to_owned() } else { format!("/events?{}", parts.join("&")) }
}

/// What the filters may be: the texts that the last events have.
struct Choices {
    hooks: Vec<String>,
    tools: Vec<String>,
    events: Vec<String>,
    agents: Vec<String>,
}

impl Choices {
    fn of(ask: &Ask<'_>) -> Self {
        const LOOKED_AT: usize = 20_000;
        let known = ask.app.index.look();
        let mut found = [(); 4].map(|()| std::collections::BTreeSet::new());
        for record in known.newest().take(LOOKED_AT) {
            for (set, number) in found.iter_mut().zip([record.chain, record.tool, record.event, record.agent])
            {
                set.insert(number);
            }
        }
        let [chains, tools, events, agents] = found;
        let words = |numbers: std::collections::BTreeSet<u16>| {
            let mut words: Vec<String> =
                numbers.into_iter().map(|number| known.word(number).to_owned()).collect();
            words.retain(|word| !word.is_empty());
            words.sort_unstable();
            words
        };
        let chains = words(chains);
        let hooks: std::collections::BTreeSet<&str> =
            chains.iter().flat_map(|chain| chain.split(' ')).collect();
        Self {
            hooks: hooks.into_iter().map(str::to_owned).collect(),
            tools: words(tools),
            events: words(events),
            agents: words(agents),
        }
    }
}

pub(super) fn screen(ask: &Ask<'_>) -> Screen {
    let filter = filter(ask);
    let (found, count) = {
        let known = ask.app.index.look();
        (known.list(&filter, SHOWN + 1), known.count())
    };
    let rows: Vec<(&Listed, Option<Entry>)> =
        found.iter().take(SHOWN).map(|listed| (listed, listed.entry())).collect();
    let filtered = filter != Filter::default();
    let body = html! {
        (filters(ask, &filter))
        (panel("events", "Timeline", &format!("{} events in the journal", number(count as u64)), &html! {
            @if rows.is_empty() && filtered {
                (empty("No event fits", &html! { a href="/events" { "Show all events" } }))
            } @else if rows.is_empty() {
                (empty("No events yet", &html! { "Every event of an agent appears here the moment it happens: the tool, what each hook said, how long it took. " code { "sprag deploy" } " registers sprag with your agents; " code { "sprag demo" } " shows a session." }))
            } @else {
                (table(ask, &rows))
                @if let Some(last) = rows.last().filter(|_| found.len() > SHOWN) {
                    div.pager { a.button href=(address(&Filter { before: Some(last.0.at), ..filter.clone() })) { "Older events" } }
                }
            }
        }))
    };
    Screen::of("/events", body)
}

fn filters(ask: &Ask<'_>, filter: &Filter) -> Markup {
    let choices = Choices::of(ask);
    let select = |name: &str, label: &str, chosen: &str, options: &[String]| {
        let known = options.iter().any(|option| option == chosen);
        html! {
            label { (label)
                select name=(name) {
                    option value="" { "all" }
                    @if !known && !chosen.is_empty() { option value=(chosen) selected { (chosen) } }
                    @for option in options { option value=(option) selected[option == chosen] { (option) } }
                }
            }
        }
    };
    let verdicts: Vec<String> = Verdict::ALL.iter().map(|verdict| verdict.name().to_owned()).collect();
    html! {
        form.filters method="get" action="/events" data-auto aria-label="Filter events" {
            (select("verdict", "Verdict", filter.verdict.map_or("", Verdict::name), &verdicts))
            (select("event", "Event", &filter.event, &choices.events))
            (select("tool", "Tool", &filter.tool, &choices.tools))
            (select("hook", "Hook", &filter.hook, &choices.hooks))
            (select("agent", "Agent", &filter.agent, &choices.agents))
            label { "Session" input name="session" value=(filter.session) placeholder="all" size="9" data-search; }
            label { "Rule" input name="rule" value=(filter.rule) placeholder="all" size="11"; }
            button type="submit" { "Filter" }
            @if *filter != Filter::default() { a.button href="/events" { "Clear" } }
        }
    }
}

/// A table of events.
pub(super) fn table(ask: &Ask<'_>, rows: &[(&Listed, Option<Entry>)]) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label="Events" {
            table {
                thead { tr { th { "When" } th { "Verdict" } th { "Event" } th { "What" } th { "Decided by" } th { "Session" } th.num { "Time" } th.num { "Chars" } } }
                tbody {
                    @for (listed, entry) in rows {
                        @let about = entry.as_ref().and_then(|entry| entry.about.as_deref()).unwrap_or_default();
                        tr {
                            td.time { a href=(format!("/events/{}", listed.id)) { (ago(ask, Stamp(listed.at))) } }
                            td.one { (tag(listed.verdict.name())) @if listed.error { " " (tag_as("bad", "error")) } }
                            td.one { (listed.event) @if !listed.tool.is_empty() { span.soft { " " (listed.tool) } } }
                            td.what { code.clip title=(about) { (about) } }
                            td.one { @if !listed.rule.is_empty() { a href=(address(&Filter { rule: listed.rule.clone(), ..Filter::default() })) { (listed.rule) } } }
                            td.one { span.soft { (listed.agent) " " } (view::session_link(&listed.session)) }
                            td.num { (when::micros(u64::from(listed.us))) }
                            td.num { @if listed.chars > 0 { (number(u64::from(listed.chars))) } }
                        }
                    }
                }
            }
        }
    }
}

/// One event.
pub(super) fn one(ask: &Ask<'_>, id: &str) -> Option<Screen> {
    let listed = ask.app.index.look().event(&EventId::parse(id)?)?;
    let entry = listed.entry()?;
    let recorded = record::of_event(&ask.app.host, &entry);
    let slowest = entry.runs.iter().map(|run| run.us).max().unwrap_or(0);
    let body = html! {
        div.two {
            (panel("event", "Event", "", &html! { div.in { (facts(ask, &listed, &entry)) } }))
            (panel("call", "Call", "scrubbed", &html! { div.in { (call(&entry, recorded.as_ref())) } }))
        }
        (panel("runs", "What each hook said", &format!("{} hooks, {} in all", entry.runs.len(), when::micros(entry.us)), &html! {
            @if entry.runs.is_empty() {
                (empty("No hook ran", &html! { "The event was journaled, and no hook of its chain wanted to see it." }))
            } @else {
                div.scroll tabindex="0" role="region" aria-label="Hooks" {
                    table {
                        thead { tr { th { "Hook" } th { "Verdict" } th { "Rule" } th { "Why" } th.num { "Time" } th {} th.num { "Chars" } } }
                        tbody { @for run in &entry.runs { (hook_row(run, slowest)) } }
                    }
                }
            }
        }))
        @if let Some((tool, input)) = again(&entry, recorded.as_ref()) {
            (panel("replay", "With today's configuration", "builtin guards only; nothing is run", &html! { div.in {
                p { "Then: " (tag(listed.verdict.name())) @if !listed.rule.is_empty() { " by " b { (listed.rule) } } ". Now:" }
                (judged_call(ask, &tool, &input, &entry.cwd))
            } }))
        }
        (panel("line", "Journal line", "", &html! { div.in { pre tabindex="0" { (serde_json::to_string_pretty(&entry).unwrap_or_default()) } } }))
    };
    let what = entry.tool.as_deref().unwrap_or_default();
    let title = format!("{} {what}", entry.event);
    Some(Screen {
        title,
        about: format!("{} · {}", when::local(Stamp(listed.at)), listed.verdict.name()),
        body,
    })
}

fn facts(ask: &Ask<'_>, listed: &Listed, entry: &Entry) -> Markup {
    html! {
        dl.kv {
            dt { "Verdict" } dd { (tag(listed.verdict.name())) @for lost in &entry.lost { " " (tag_as("warn", &format!("lost: {lost}"))) } }
            dt { "When" } dd { (ago(ask, Stamp(listed.at))) }
            dt { "Agent" } dd { (entry.agent) @if let Some(subagent) = &entry.subagent { " · subagent " (subagent) } }
            dt { "Session" } dd { (view::session_link(&entry.session)) }
            dt { "Folder" } dd { (ask.tilde(&entry.cwd)) }
            @if let Some(call) = &entry.call { dt { "Tool call" } dd.mono { (call) } }
            dt { "Time" } dd { (when::micros(entry.us)) }
            dt { "To the model" } dd { (number(entry.chars)) " characters, about " (number(entry.tokens)) " tokens" }
            @if let Some(error) = &entry.error { dt { "Error" } dd { (error) } }
            @if let Some(stop) = &entry.stop {
                dt { "Stop" } dd.mono { (stop.id) }
                dt { "Allow once" } dd { @if stop.key.is_some() { code { "sprag allow " (stop.id) } } @else { "no approval lifts this" } }
            }
        }
    }
}

fn call(entry: &Entry, recorded: Option<&Recorded>) -> Markup {
    let shown = entry.stop.as_ref().map(|stop| stop.shown.as_str()).filter(|shown| !shown.is_empty());
    html! {
        @if let Some(recorded) = recorded {
            pre tabindex="0" { (serde_json::to_string_pretty(&recorded.payload).unwrap_or_default()) }
        } @else {
            @match shown.or(entry.about.as_deref()) {
                Some(text) => { pre tabindex="0" { (text) } }
                None => { p.soft { "The journal keeps no text of this event. " code { "sprag record on" } " keeps whole payloads, without secrets." } }
            }
            @if shown.is_none() && entry.about.is_some() { p.soft { "The first line. Stopped calls are kept whole; " code { "sprag record on" } " keeps every payload, without secrets." } }
        }
    }
}

fn hook_row(run: &Run, slowest: u64) -> Markup {
    html! {
        tr {
            td { a href=(address(&Filter { hook: hook_name(run).to_owned(), ..Filter::default() })) { (run.hook) } }
            td {
                @if let Some(skip) = &run.skip { (tag_as("", "skipped")) " " span.soft { (skip) } } @else { (tag(&run.verdict)) }
                @if run.shadow { " " (tag("shadow")) }
            }
            td.mono { (run.rule.as_deref().unwrap_or_default()) }
            td.wrap {
                (run.reason.as_deref().unwrap_or_default())
                @if let Some(matched) = &run.matched { div.soft { "matched " code { (matched) } } }
                @if let Some(error) = &run.error { div { (tag("bad")) " " (error) } }
                @if let Some(stderr) = &run.stderr { pre tabindex="0" { (stderr) } }
            }
            td.num { (when::micros(run.us)) }
            td { (chart::share(run.us, slowest, "acc", "share of the slowest hook")) }
            td.num { @if run.chars > 0 { (number(run.chars)) } }
        }
    }
}

/// The call of an event as the guards can be asked about it again: as it was recorded, or what the journal has, when that is all of
/// it.
fn again(entry: &Entry, recorded: Option<&Recorded>) -> Option<(String, Value)> {
    let tool = entry.tool.clone().filter(|_| entry.event == "PreToolUse")?;
    if let Some(input) = recorded.and_then(|recorded| recorded.payload.get("tool_input")) {
        return Some((tool, input.clone()));
    }
    let stop = entry.stop.as_ref().filter(|stop| stop.whole).map(|stop| stop.shown.clone());
    // What is shortened ends with a mark; a first line is all there is when no second follows.
    let about = || entry.about.clone().filter(|about| !about.ends_with('…'));
    match tool.as_str() {
        "Bash" => Some((tool, json!({ "command": stop.or_else(about)? }))),
        // Its path decides; what would be written is not in the journal.
        "Read" | "Edit" | "Write" => Some((tool, json!({ "file_path": about()? }))),
        _ => None,
    }
}

/// What the guards say of a command now.
pub(super) fn judged(ask: &Ask<'_>, command: &str, cwd: &str) -> Markup {
    judged_call(ask, "Bash", &json!({ "command": command }), cwd)
}

/// What the guards say of a call now.
fn judged_call(ask: &Ask<'_>, tool: &str, input: &Value, cwd: &str) -> Markup {
    let host = &ask.app.host;
    let project = Project::find(cwd, &host.env, &host.paths.home);
    let said = match explain::ask_call(tool, input, cwd, &project, host) {
        Ok(said) => said,
        Err(error) => return html! { p.note.bad { (error.to_string()) } },
    };
    let command = input.get("command").and_then(Value::as_str).filter(|_| tool == "Bash");
    let understood = command.map(|command| Understood::of(command, cwd, &project, host));
    let strongest = explain::strongest(&said);
    html! {
        p {
            @match strongest {
                Some((decision, by)) => { (tag(decision.name())) " by " b { (by.rule().unwrap_or(by.hook)) } }
                None => { (tag("pass")) " no guard objects; the agent's own permissions decide" }
            }
        }
        div.scroll tabindex="0" role="region" aria-label="Guards" {
            table {
                thead { tr { th { "Guard" } th { "Says" } th { "Why" } } }
                tbody {
                    @for one in &said {
                        tr {
                            td { (one.hook) }
                            td { (tag(one.word())) @if one.shadow { " " (tag("shadow")) } }
                            td.wrap { @if let Some(rule) = one.rule() { span.mono { (rule) } ": " } (one.reason()) }
                        }
                    }
                }
            }
        }
        @if let Some(understood) = &understood {
            details #understood { summary { "How the command is understood" } pre tabindex="0" { (understood.parse()) } }
        }
    }
}
