//! What the screens share: the frame, tables' small parts, times, links, empty states.

use crate::app::Ask;
use crate::chart::number;
use maud::{DOCTYPE, Markup, html};
use sprag_base::time::Stamp;
use sprag_terminal::when;

/// The screens: path, name, key, what it is for.
pub(crate) const SCREENS: [(&str, &str, &str, &str); 10] = [
    ("/", "Now", "n", "What your agents do, and who waits for whom"),
    ("/events", "Events", "e", "Every event, what each hook said, and why"),
    ("/guards", "Guards", "g", "What was stopped, by which rule, and what shadow mode would have stopped"),
    ("/approvals", "Approvals", "a", "Questions that wait for an answer, and what is allowed now"),
    ("/memory", "Memory", "m", "What was remembered, found by words and by meaning"),
    ("/lessons", "Lessons", "l", "What was learned from mistakes, and whether it helps"),
    ("/tasks", "Tasks", "t", "Tasks, claims, agents and patterns"),
    ("/code", "Code", "c", "Files by how much they are used, who calls what, the control flow of a function"),
    ("/cost", "Cost", "k", "Tokens and money of your agents, and what the hooks take and spare"),
    ("/health", "Health", "h", "Whether everything is in place"),
];

/// A screen's content.
pub(crate) struct Screen {
    /// Its title.
    pub(crate) title: String,
    /// One line below it.
    pub(crate) about: String,
    /// The content.
    pub(crate) body: Markup,
}

impl Screen {
    /// The screen of a path, with what the list of screens says about it.
    pub(crate) fn of(path: &str, body: Markup) -> Self {
        let found = SCREENS.iter().find(|(known, ..)| *known == path);
        let (title, about) = found.map_or(("", ""), |(_, name, _, about)| (*name, *about));
        Self { title: title.to_owned(), about: about.to_owned(), body }
    }
}

/// The whole page.
pub(crate) fn page(ask: &Ask<'_>, screen: &Screen) -> Markup {
    let top = format!("/{}", ask.path.trim_start_matches('/').split('/').next().unwrap_or_default());
    let waiting = sprag_runtime::pending::list(&ask.app.host).len();
    frame(
        &screen.title,
        true,
        &html! {
            a.skip href="#main" { "Skip to content" }
            div.side {
                a.brand href="/" { (logo()) "sprag" }
                nav aria-label="Screens" {
                    ul.nav {
                        @for (path, name, key, _) in SCREENS {
                            li {
                                a href=(path) data-key=(key) aria-current=[(path == top).then_some("page")] {
                                    (name)
                                    @if path == "/approvals" && waiting > 0 {
                                        span.n { (waiting) span.skip { " waiting" } }
                                    }
                                }
                            }
                        }
                    }
                }
                div.foot {
                    span.live role="status" { i {} span { "connecting" } }
                    span { @if ask.app.gate.actions() { "Actions are on" } @else { "Read only" } }
                    span { "Keys: g and a letter, / to search" }
                    button.quiet type="button" data-theme-switch { "Light or dark" }
                    span { "sprag " (env!("CARGO_PKG_VERSION")) }
                }
            }
            main #main tabindex="-1" {
                div.head { div { h1 { (screen.title) } p { (screen.about) } } (progress(ask)) }
                (screen.body)
            }
        },
    )
}

/// How much of the journal is read, while it is not all.
fn progress(ask: &Ask<'_>) -> Markup {
    let percent = ask.app.index.look().percent();
    html! {
        div #progress data-live {
            @if percent < 100 { span.tag.acc { "reading older events: " (percent) " %" } }
        }
    }
}

/// A page without a visitor: what went wrong, and what to do.
pub(crate) fn refusal(title: &str, text: &str) -> Markup {
    frame(
        title,
        false,
        &html! {
            main #main {
                div.panel { div.empty { (logo()) h1 { (title) } p { (text) } } }
            }
        },
    )
}

/// The page for somebody on another machine: the password, and a way on for who has a cookie that a link from elsewhere did not
/// carry.
pub(crate) fn log_in(next: &str, wrong: Option<&str>) -> Markup {
    frame(
        "Log in",
        false,
        &html! {
            main #main {
                div.panel { div.empty {
                    (logo()) h1 { "sprag" }
                    @if let Some(wrong) = wrong { p.note.bad role="alert" { (wrong) } }
                    form.acts method="post" action="/login" {
                        input type="hidden" name="next" value=(next);
                        label for="password" { "Password" }
                        input #password type="password" name="password" autocomplete="current-password" required autofocus;
                        button.go type="submit" { "Log in" }
                    }
                    p { a href=(next) { "Go on" } " if you are logged in already." }
                } }
            }
        },
    )
}

fn frame(title: &str, live: bool, body: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="referrer" content="same-origin";
                title { (title) " · sprag" }
                link rel="icon" href="/assets/icon.svg" type="image/svg+xml";
                link rel="stylesheet" href="/assets/style.css";
                script src="/assets/script.js" defer {}
            }
            body data-stream=[live.then_some("")] { (body) }
        }
    }
}

fn logo() -> Markup {
    html! {
        svg viewBox="0 0 24 24" width="24" height="24" aria-hidden="true" {
            path.arc d="M20 12a8 8 0 1 1-4.5-7.2" {}
            path.arc d="M15.2 1.6l.6 3.4-3.3.9" {}
            circle.dotc cx="12" cy="12" r="3" {}
        }
    }
}

/// A point in time: relative, with the whole of it for the pointer.
pub(crate) fn ago(ask: &Ask<'_>, at: Stamp) -> Markup {
    html! { time datetime=(at.to_string()) title=(when::local(at)) { (when::ago(ask.now, at)) } }
}

/// The same for a time of the store.
pub(crate) fn ago_micros(ask: &Ask<'_>, at: i64) -> Markup {
    ago(ask, Stamp(at.max(0) as u64))
}

/// A verdict or a state, in its colour.
pub(crate) fn tag(word: &str) -> Markup {
    html! { span class={ "tag " (word) } { (word) } }
}

/// The same with another text.
pub(crate) fn tag_as(class: &str, text: &str) -> Markup {
    html! { span class={ "tag " (class) } { (text) } }
}

/// A number over a word.
pub(crate) fn tile(class: &str, value: u64, what: &str) -> Markup {
    html! { div class={ "tile " (class) } { b { (number(value)) } span { (what) } } }
}

/// A text over a word.
pub(crate) fn tile_text(class: &str, value: &str, what: &str) -> Markup {
    html! { div class={ "tile " (class) } { b { (value) } span { (what) } } }
}

/// A panel with a heading.
pub(crate) fn panel(id: &str, title: &str, aside: &str, body: &Markup) -> Markup {
    html! {
        section.panel aria-labelledby=(format!("{id}-title")) {
            header { h2 id=(format!("{id}-title")) { (title) } span.soft { (aside) } }
            div id=(id) data-live { (body) }
        }
    }
}

/// What will be here, and how it comes.
pub(crate) fn empty(what: &str, how: &Markup) -> Markup {
    html! { div.empty { b { (what) } p { (how) } } }
}

/// A session's first characters, with a link to its events.
pub(crate) fn session_link(session: &str) -> Markup {
    let short: String = session.chars().take(8).collect();
    html! { a.mono href=(format!("/events?session={}", encode(session))) title=(session) { (short) } }
}

/// A text in a query: everything but letters, digits and a few signs is encoded.
pub(crate) fn encode(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~');
    text.bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

/// Why the store says nothing.
pub(crate) fn no_store(error: &sprag_store::Error) -> Markup {
    html! { p.note.bad { "The store cannot be read: " (error.to_string()) " — " code { "sprag doctor" } " looks for the cause." } }
}

/// The start of a form that acts.
pub(crate) fn form_fields(ask: &Ask<'_>, action: &str, id: &str) -> Markup {
    form_fields_to(ask, action, id, ask.path)
}

/// The same for a form that leads to another page.
pub(crate) fn form_fields_to(ask: &Ask<'_>, action: &str, id: &str, back: &str) -> Markup {
    html! {
        input type="hidden" name="csrf" value=(ask.visitor.csrf);
        input type="hidden" name="action" value=(action);
        input type="hidden" name="id" value=(id);
        input type="hidden" name="back" value=(back);
    }
}

/// The field for the code of an action that loosens.
pub(crate) fn code_field(id: &str) -> Markup {
    html! {
        input name="code" inputmode="numeric" autocomplete="off" required placeholder="code" size="8"
            aria-label=(format!("code from the terminal, for {id}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_into_a_query_cannot_leave_it() {
        assert_eq!(encode("a b&c=\"<'/é"), "a%20b%26c%3D%22%3C%27%2F%C3%A9");
    }
}
