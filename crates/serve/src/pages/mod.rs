//! The screens, one file each.

mod approvals;
mod code;
mod cost;
mod events;
mod guards;
mod health;
mod lessons;
mod memory;
mod now;
mod tasks;

use crate::app::Ask;
use crate::gate::Refused;
use crate::view::{self, Screen};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use maud::{Markup, html};

/// What a visitor gets.
pub(crate) enum Answer {
    /// A page.
    Html(StatusCode, Markup),
    /// Another address.
    Go(String),
}

/// The files that need no visitor.
pub(crate) fn asset(path: &str) -> Option<Response> {
    let (kind, text) = match path {
        "/assets/style.css" => ("text/css; charset=utf-8", include_str!("../assets/style.css")),
        "/assets/script.js" => ("text/javascript; charset=utf-8", include_str!("../assets/script.js")),
        "/assets/icon.svg" => ("image/svg+xml", include_str!("../assets/icon.svg")),
        _ => return None,
    };
    Some(([(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, "max-age=60")], text).into_response())
}

/// Renders the screen of a path.
pub(crate) fn answer(ask: &Ask<'_>) -> Result<Answer, Refused> {
    let screen = match ask.path {
        "/" => now::screen(ask),
        "/events" => events::screen(ask),
        "/guards" => guards::screen(ask),
        "/approvals" => approvals::screen(ask),
        "/approval" => approvals::one(ask),
        "/memory" => memory::screen(ask),
        "/lessons" => lessons::screen(ask),
        "/tasks" => tasks::screen(ask),
        "/code" => code::screen(ask),
        "/cost" => cost::screen(ask),
        "/health" => health::screen(ask),
        path => {
            let found = match path.split('/').collect::<Vec<_>>().as_slice() {
                ["", "events", id] => events::one(ask, id),
                ["", "memory", id] => memory::one(ask, id),
                _ => None,
            };
            let Some(screen) = found else {
                let how = html! { "The event or memory may have been removed." };
                let body = view::empty("Nothing is here", &how);
                let screen = Screen { title: "Not found".into(), about: String::new(), body };
                return Ok(Answer::Html(StatusCode::NOT_FOUND, view::page(ask, &screen)));
            };
            screen
        }
    };
    Ok(Answer::Html(StatusCode::OK, view::page(ask, &screen)))
}
