//! Lines of the journal as spans, by the GenAI conventions: a tool's run, and what guards said of it. Joined to the agents' own
//! telemetry by the call's id.

use crate::calls::OpenCalls;
use crate::counts::{Counts, HOOK_CLASSES, Histogram, Judged, TOOL_CLASSES, words};
use crate::otlp::{Attributes, HistogramPoint, Measured, Metric, Points, Span, SumPoint, text};
use sprag_base::id::full_hash;
use sprag_base::time::Stamp;
use sprag_runtime::journal::Entry;
use sprag_runtime::summary::hook_name;
use std::time::Duration;

fn nanos(at: Stamp) -> u64 {
    at.0.saturating_mul(1_000)
}

/// Bytes that are the same for the same text: a line that is sent twice is the same span.
fn id<const N: usize>(seed: &str) -> [u8; N] {
    let hash = full_hash(seed.as_bytes());
    std::array::from_fn(|at| {
        hash.get(2 * at..2 * at + 2).and_then(|hex| u8::from_str_radix(hex, 16).ok()).unwrap_or(1)
    })
}

/// The attributes that every span of an entry has.
fn common(entry: &Entry, operation: &'static str) -> Attributes {
    let mut found = vec![text("gen_ai.operation.name", operation), text("gen_ai.agent.name", &*entry.agent)];
    if !entry.session.is_empty() {
        found.push(text("gen_ai.conversation.id", &*entry.session));
    }
    if let Some(subagent) = &entry.subagent {
        found.push(text("gen_ai.agent.id", &**subagent));
    }
    if let Some(tool) = &entry.tool {
        found.push(text("gen_ai.tool.name", &**tool));
        found.push(text("gen_ai.tool.type", "function"));
    }
    if let Some(call) = &entry.call {
        found.push(text("gen_ai.tool.call.id", &**call));
    }
    found
}

/// Adds the spans of an entry. Guards that let a call pass are counted by the metrics, not shown one by one.
pub(crate) fn of_entry(entry: &Entry, calls: &mut OpenCalls, spans: &mut Vec<Span>) {
    let run = calls.see(entry);
    let Some(ended) = Stamp::parse(&entry.t) else { return };
    // What belongs to one call is one trace, whichever event it is told by.
    let seed = match &entry.call {
        Some(call) => format!("{}/{call}", entry.session),
        None => format!("{}/{}/{}", entry.session, entry.t, entry.event),
    };
    let trace = id::<16>(&seed);
    let tool_span = id::<8>(&format!("{seed}/tool"));
    if let Some(run) = run {
        let mut attributes = common(entry, "execute_tool");
        if let Some(error) = run.error {
            attributes.push(text("error.type", error));
        }
        spans.push(Span {
            trace,
            id: tool_span,
            parent: None,
            name: format!("execute_tool {}", entry.tool.as_deref().unwrap_or_default()),
            start: nanos(run.began),
            end: nanos(run.ended),
            attributes,
            error: run.error.is_some(),
        });
    }
    let mut at = ended.before(Duration::from_micros(entry.us));
    for (place, run) in entry.runs.iter().enumerate() {
        let start = at;
        at = at.after(Duration::from_micros(run.us));
        let judged = Judged::of(run);
        if run.skip.is_some() || (judged.is_none() && run.error.is_none()) {
            continue;
        }
        let hook = hook_name(run);
        let mut attributes = common(entry, "run_guardrail");
        attributes.push(text("gen_ai.guardrail.component.name", hook));
        let (target, subtype) = target(&entry.event);
        attributes.push(text("gen_ai.guardrail.target.type", target));
        attributes.push(text("gen_ai.guardrail.target.subtype", subtype));
        if let Some(call) = &entry.call {
            attributes.push(text("gen_ai.guardrail.target.id", &**call));
        }
        if let Some(judged) = judged {
            attributes.push(text("gen_ai.guardrail.verdict.type", judged.verdict));
            attributes.push(text("gen_ai.guardrail.action.type", judged.action));
            attributes.push(text("sprag.mode", judged.mode));
        }
        if let Some(rule) = &run.rule {
            // The reason of the journal quotes the call; a rule has few values.
            attributes.push(text("gen_ai.guardrail.verdict.reason", &**rule));
            attributes.push(text("gen_ai.guardrail.security.policy.id", hook));
            attributes.push(text("gen_ai.guardrail.security.policy.rule.id", &**rule));
        }
        if run.error.is_some() {
            attributes.push(text("error.type", "hook_failed"));
        }
        attributes.push(text("sprag.event", &*entry.event));
        spans.push(Span {
            trace,
            id: id::<8>(&format!("{seed}/{}/{place}/{hook}", entry.event)),
            parent: entry.call.as_ref().map(|_| tool_span),
            name: format!("run_guardrail {hook}"),
            start: nanos(start),
            end: nanos(at),
            attributes,
            error: run.error.is_some(),
        });
    }
}

/// What a guard of an event looks at.
fn target(event: &str) -> (&'static str, &'static str) {
    match event {
        "PreToolUse" | "PermissionRequest" => ("input", "tool_call"),
        "PostToolUse" | "PostToolUseFailure" => ("output", "tool_call"),
        "Stop" | "SubagentStop" => ("output", "llm"),
        _ => ("input", "llm"),
    }
}

fn histogram(attributes: Attributes, times: &Histogram, ends: &[u64]) -> HistogramPoint {
    HistogramPoint {
        attributes,
        count: times.count,
        sum: times.us as f64 / 1e6,
        buckets: times.classes.clone(),
        bounds: ends.iter().map(|end| *end as f64 / 1e6).collect(),
    }
}

/// The counters as metrics.
pub(crate) fn measured(counts: &Counts, now: Stamp) -> Measured {
    let sum = |rows: Vec<(Attributes, u64)>| {
        Points::Sum(rows.into_iter().map(|(attributes, value)| SumPoint { attributes, value }).collect())
    };
    let runs = counts.runs.iter().map(|(key, count)| {
        let [agent, event, hook, outcome] = words(key);
        let attributes = vec![
            text("gen_ai.agent.name", agent),
            text("sprag.event", event),
            text("sprag.hook", hook),
            text("sprag.outcome", outcome),
        ];
        (attributes, *count)
    });
    let chars = counts.chars.iter().map(|(key, count)| {
        let [event, hook] = words(key);
        (vec![text("sprag.event", event), text("sprag.hook", hook)], *count)
    });
    let verdicts = counts.verdicts.iter().map(|(key, count)| {
        let [hook, rule, verdict, action, mode] = words(key);
        let attributes = vec![
            text("gen_ai.guardrail.component.name", hook),
            text("gen_ai.guardrail.security.policy.rule.id", rule),
            text("gen_ai.guardrail.verdict.type", verdict),
            text("gen_ai.guardrail.action.type", action),
            text("sprag.mode", mode),
        ];
        (attributes, *count)
    });
    let times = counts.times.iter();
    let times = times.map(|(hook, times)| histogram(vec![text("sprag.hook", &**hook)], times, &HOOK_CLASSES));
    let tools = counts.tools.iter().map(|(key, times)| {
        let [agent, tool, error] = words(key);
        let mut attributes = vec![
            text("gen_ai.operation.name", "execute_tool"),
            text("gen_ai.agent.name", agent),
            text("gen_ai.tool.name", tool),
        ];
        if !error.is_empty() {
            attributes.push(text("error.type", error));
        }
        histogram(attributes, times, &TOOL_CLASSES)
    });
    let metric = |name, about, unit, points| Metric { name, about, unit, points };
    let metrics = vec![
        metric("sprag.hook.runs", "Runs of hooks.", "{run}", sum(runs.collect())),
        metric("sprag.context.chars", "Characters before the model.", "{char}", sum(chars.collect())),
        metric("sprag.guard.verdicts", "What guards said.", "{verdict}", sum(verdicts.collect())),
        metric("sprag.hook.duration", "How long hooks took.", "s", Points::Histogram(times.collect())),
        metric(
            "gen_ai.execute_tool.duration",
            "How long tools ran.",
            "s",
            Points::Histogram(tools.collect()),
        ),
    ];
    let has_points = |metric: &Metric| match &metric.points {
        Points::Sum(points) => !points.is_empty(),
        Points::Histogram(points) => !points.is_empty(),
    };
    Measured {
        start: nanos(Stamp(counts.since)),
        now: nanos(now),
        metrics: metrics.into_iter().filter(has_points).collect(),
    }
}
