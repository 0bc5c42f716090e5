//! Approvals: questions of agents that wait now, and stopped calls that a person may still let through.

use crate::app::Ask;
use crate::view::{self, Screen, ago, empty, panel, tag};
use maud::{Markup, html};
use sprag_base::text::cut;
use sprag_base::time::Stamp;
use sprag_runtime::journal::Entry;
use sprag_runtime::pending::{self, Question};
use sprag_terminal::when;

pub(super) fn screen(ask: &Ask<'_>) -> Screen {
    let questions = pending::list(&ask.app.host);
    let stops = super::guards::undecided(ask);
    let body = html! {
        (said(ask))
        @if ask.app.gate.actions() {
            p.soft { "To let something through, type the code that the terminal shows where " code { "sprag serve" } " runs." }
        }
        (panel("questions", "Waits for an answer", "", &html! {
            @if questions.is_empty() {
                (empty("No agent waits", &html! { "With " code { "[approvals] remote = true" } " in the configuration a question of a guard waits here for your answer, also from agents that run without a person. Without an answer it is denied." }))
            } @else {
                div.in { div.cards { @for question in &questions { (card(ask, question)) } } }
            }
        }))
        (panel("stopped", "Stopped in the last hour, could be allowed", "exactly that call, once", &html! {
            @if stops.is_empty() {
                (empty("Nothing to decide", &html! { "Calls that a guard denied and that you may let through appear here for an hour." }))
            } @else {
                ul.list { @for (listed, entry) in &stops { (stop_row(ask, &listed.id.to_string(), listed.at, entry)) } }
            }
        }))
    };
    Screen::of("/approvals", body)
}

/// One question, where a notification's link leads. Opening it changes nothing; answering is a form like any other.
pub(super) fn one(ask: &Ask<'_>) -> Screen {
    let question = pending::list(&ask.app.host).into_iter().find(|question| question.id == ask.param("id"));
    let body = html! {
        @match &question {
            Some(question) => (panel("question", "Waits for an answer", "", &html! {
                div.in { div.cards { (card(ask, question)) } }
            })),
            None => (empty("Nobody waits for this answer", &html! {
                "It was answered, or its time is over. " a href="/approvals" { "All questions" }
            })),
        }
    };
    Screen::of("/approvals", body)
}

/// What the last action came to.
pub(super) fn said(ask: &Ask<'_>) -> Markup {
    html! {
        @match ask.param("done") {
            "" => {}
            "gone" => { p.note.bad role="status" { "Nobody waits for that answer any more; nothing was changed." } }
            "failed" => { p.note.bad role="status" { "That could not be written; nothing was changed. " code { "sprag doctor" } " looks for the cause." } }
            _ => { p.note.good role="status" { "Done, and written to the journal." } }
        }
    }
}

fn card(ask: &Ask<'_>, question: &Question) -> Markup {
    let until = Stamp::parse(&question.until);
    html! {
        article.card.wait aria-label=(format!("question {}", question.id)) {
            div.top { h3 { (question.rules.join(", ")) } (tag("ask")) }
            div.row { (tag(&question.agent)) span { (question.tool) } span.soft { (ask.tilde(&question.cwd)) } (view::session_link(&question.session)) }
            pre tabindex="0" { (question.shown) }
            @if !question.whole { p.note.bad { "Secrets or the end of the call are not shown." } }
            p.wrap { (question.reason) }
            p.soft {
                @if let Some(at) = Stamp::parse(&question.at) { "Asked " (ago(ask, at)) ". " }
                @if let Some(until) = until { "Waits until " (when::local(until).get(11..).unwrap_or_default()) ", then it is denied." }
            }
            @if ask.app.gate.actions() {
                div.acts {
                    form.acts method="post" action="/act" { (view::form_fields(ask, "answer-allow", &question.id)) (view::code_field(&question.id)) button.go type="submit" { "Allow once" } }
                    form method="post" action="/act" { (view::form_fields(ask, "answer-deny", &question.id)) button.no type="submit" { "Deny" } }
                }
            } @else {
                p.soft { "Answer in a terminal: " code { "sprag approvals answer " (question.id) " allow" } }
            }
        }
    }
}

fn stop_row(ask: &Ask<'_>, event: &str, at: u64, entry: &Entry) -> Markup {
    let stop = entry.stop.clone().unwrap_or_default();
    let reason =
        entry.runs.iter().find(|run| !run.shadow && matches!(run.verdict.as_str(), "deny" | "block" | "ask"));
    html! {
        li {
            div.row {
                (tag("deny")) a href=(format!("/events/{event}")) { (reason.and_then(|run| run.rule.as_deref()).unwrap_or("a hook")) }
                span.soft { (entry.agent) " · " (ask.tilde(&entry.cwd)) " · " (ago(ask, Stamp(at))) }
            }
            pre tabindex="0" { (cut(&stop.shown, 2_000)) }
            @if let Some(text) = reason.and_then(|run| run.reason.as_deref()) { p.soft.wrap { (text) } }
            @if ask.app.gate.actions() {
                form.acts method="post" action="/act" { (view::form_fields(ask, "allow-stop", event)) (view::code_field(&stop.id)) button.go type="submit" { "Allow once" } }
            } @else {
                p.soft { code { "sprag allow " (stop.id) } }
            }
        }
    }
}
