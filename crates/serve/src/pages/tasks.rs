//! Tasks: the board by state, agents of the team, claims, and patterns.

use crate::app::Ask;
use crate::view::{self, Screen, ago_micros, empty, panel, tag, tag_as};
use maud::{Markup, html};
use sprag_base::text::cut;
use sprag_store::{AgentRow, ClaimRow, Dependency, Mail, PatternView, SessionRow, Store, TaskRow, TaskState};

/// Ended tasks that are shown per state.
const ENDED: usize = 15;
/// A member without a heartbeat for so long is stalled, in microseconds.
const STALLED: i64 = 15 * 60 * 1_000_000;

/// Messages and sessions of this time are shown, in microseconds.
const WEEK: i64 = 7 * DAY;
const DAY: i64 = 86_400_000_000;
/// Messages that are shown.
const MAIL: usize = 40;

/// What the store has.
#[derive(Default)]
struct Team {
    tasks: Vec<TaskRow>,
    agents: Vec<AgentRow>,
    claims: Vec<ClaimRow>,
    patterns: Vec<PatternView>,
    waits: Vec<Dependency>,
    mail: Vec<Mail>,
    sessions: Vec<SessionRow>,
}

impl Team {
    fn read(store: &mut Store, project: &str, now: i64) -> Result<Self, sprag_store::Error> {
        Ok(Self {
            tasks: store.tasks(true)?,
            agents: store.agents(now)?,
            claims: store.claims(now)?,
            waits: store.dependencies(None)?,
            mail: store.messages(None, now - WEEK)?,
            sessions: store.sessions(now, now - DAY)?,
            patterns: {
                let runs = store.patterns(project, 20)?;
                let mut views = Vec::with_capacity(runs.len());
                for run in runs {
                    views.extend(store.pattern(project, &run.id)?);
                }
                views
            },
        })
    }
}

pub(super) fn screen(ask: &Ask<'_>) -> Screen {
    let project = ask.app.project.key(&ask.app.host.machine());
    let (team, trouble) = match ask.app.store() {
        Ok(Some(mut store)) => match Team::read(&mut store, &project, ask.micros()) {
            Ok(team) => (team, None),
            Err(error) => (Team::default(), Some(error)),
        },
        Ok(None) => (Team::default(), None),
        Err(error) => (Team::default(), Some(error)),
    };
    let body = html! {
        (super::approvals::said(ask))
        @if let Some(error) = &trouble { (view::no_store(error)) }
        @if team.tasks.is_empty() {
            div.panel { (empty("No tasks", &html! { code { "sprag task create 'Port the parser'" } " makes one. The session that works on it, its progress and its parts appear here; a cancelled task stops its session." })) }
        } @else { (board(ask, &team)) }
        div.two {
            (panel("claims", "Claims", "which session works on which file", &claims(ask, &team.claims)))
            (panel("agents", "Agents of the team", "", &agents(ask, &team.agents)))
        }
        (panel("messages", "Messages", "between people and agents, in the last week", &html! { (mail(ask, &team)) }))
        (panel("patterns", "Patterns", &ask.tilde(&ask.app.project.root.to_string_lossy()), &patterns(ask, &team.patterns)))
    };
    Screen::of("/tasks", body)
}

fn board(ask: &Ask<'_>, team: &Team) -> Markup {
    let tasks = &team.tasks;
    html! {
        div.board #board data-live {
            @for state in TaskState::ALL {
                @let of_state: Vec<&TaskRow> = tasks.iter().filter(|task| task.state == state).collect();
                @let most = if state.is_end() { ENDED } else { usize::MAX };
                section.lane aria-label=(state.name()) {
                    div.row { h2 { (state.name()) } span.soft { (of_state.len()) } }
                    @for task in of_state.iter().take(most) { (card(ask, task, team)) }
                    @if of_state.is_empty() { p.soft { "none" } }
                    @if of_state.len() > most { p.soft { (of_state.len() - most) " more: " code { "sprag task list --all" } } }
                }
            }
        }
    }
}

fn card(ask: &Ask<'_>, task: &TaskRow, team: &Team) -> Markup {
    let all = &team.tasks;
    let title = |id: &str| {
        all.iter().find(|other| other.id == id).map_or(id, |other| other.title.as_str()).to_owned()
    };
    let before: Vec<&Dependency> =
        team.waits.iter().filter(|wait| wait.task == task.id && !wait.state.is_end()).collect();
    let after: Vec<&Dependency> =
        team.waits.iter().filter(|wait| wait.after == task.id && !task.state.is_end()).collect();
    let parent = task.parent.as_ref().and_then(|id| all.iter().find(|other| other.id == *id));
    let parts: Vec<&TaskRow> = all.iter().filter(|other| other.parent.as_deref() == Some(&task.id)).collect();
    let done = parts.iter().filter(|part| part.state == TaskState::Done).count();
    html! {
        article.card aria-label=(task.title) {
            h3 { (task.title) }
            @if !task.goal.is_empty() { p.soft { (cut(&task.goal, 160)) } }
            @if let Some(parent) = parent { p.soft { "part of " (parent.title) } }
            @if !parts.is_empty() { p.soft { (done) " of " (parts.len()) " parts done" } }
            @for wait in &before { p { (tag_as("warn", "waits for")) " " (title(&wait.after)) } }
            @for wait in &after { p.soft { "before " (title(&wait.task)) } }
            @let said = if task.outcome.is_empty() { &task.progress } else { &task.outcome };
            @if !said.is_empty() { p { (cut(said, 200)) } }
            div.row {
                span.mono.soft { (task.id) }
                @if !task.assignee.is_empty() { (tag_as("acc", &task.assignee)) }
                @if !task.session.is_empty() { (view::session_link(&task.session)) }
                span.soft { (ago_micros(ask, task.updated)) }
            }
            @if ask.app.gate.actions() && !task.state.is_end() {
                form method="post" action="/act" { (view::form_fields(ask, "cancel-task", &task.id)) button.no type="submit" { "Cancel" } }
            }
        }
    }
}

fn claims(ask: &Ask<'_>, claims: &[ClaimRow]) -> Markup {
    html! {
        @if claims.is_empty() {
            (empty("Nothing is claimed", &html! { "With the bundle " code { "team" } " a session claims a file by editing it; another session that wants to edit it is told." }))
        } @else {
            div.scroll tabindex="0" role="region" aria-label="Claims" {
                table {
                    thead { tr { th { "File" } th { "Branch" } th { "Who" } th { "Since" } } }
                    tbody { @for claim in claims.iter().take(100) { tr {
                        td.wrap { code { (claim.key.path) } }
                        td { (claim.key.branch) }
                        td { @if claim.name.is_empty() { (claim.agent) } @else { (claim.name) } " " (view::session_link(&claim.session)) }
                        td.time { (ago_micros(ask, claim.since)) }
                    } } }
                }
            }
        }
    }
}

fn agents(ask: &Ask<'_>, agents: &[AgentRow]) -> Markup {
    html! {
        @if agents.is_empty() {
            (empty("No agents are registered", &html! { code { "sprag agent register ada --role lead" } " names one; sessions of a team appear by themselves." }))
        } @else {
            ul.list { @for agent in agents { li { div.row {
                b { (agent.name) } (tag(agent.role.name())) (tag_as("acc", agent.state(ask.micros(), STALLED).name()))
                span.soft { "on " (agent.host) " · seen " (ago_micros(ask, agent.last_seen)) }
            } } } }
        }
    }
}

/// Messages, who has read them, and the form for one more.
fn mail(ask: &Ask<'_>, team: &Team) -> Markup {
    html! {
        @if team.mail.is_empty() {
            (empty("Nobody said anything", &html! { code { "sprag say ada 'the parser is yours'" } " sends a message; an agent reads it with its next event." }))
        } @else {
            ul.list { @for Mail { message, readers } in team.mail.iter().take(MAIL) { li {
                div.row {
                    b { (message.sender) } span.soft { "to" } b { (recipient(&message.recipient)) }
                    span.soft { (ago_micros(ask, message.at)) }
                    @if readers.is_empty() { (tag_as("", "not read yet")) } @else { (tag_as("good", &format!("read by {}", readers.join(", ")))) }
                }
                div.wrap { (cut(&message.text, 1_000)) }
            } } }
        }
        @if ask.app.gate.actions() { div.in { (send_form(ask, team)) } }
    }
}

fn recipient(text: &str) -> String {
    match text.strip_prefix("session:") {
        Some(id) => format!("session {}", id.chars().take(8).collect::<String>()),
        None => text.to_owned(),
    }
}

fn send_form(ask: &Ask<'_>, team: &Team) -> Markup {
    let live = team.sessions.iter().filter(|row| row.ended.is_none());
    html! {
        form.filters method="post" action="/act" aria-label="Send a message" {
            (view::form_fields(ask, "send-message", ""))
            label { "To" select name="to" {
                option value="all" { "everybody" }
                option value="role:lead" { "all leads" }
                option value="role:worker" { "all workers" }
                @for agent in &team.agents { option value=(agent.name) { (agent.name) } }
                @for row in live { option value=(format!("session:{}", row.session)) { (row.agent) " in " (ask.tilde(&row.root)) " (" (row.session.chars().take(8).collect::<String>()) ")" } }
            } }
            label.grow { "Message" input name="text" required maxlength="4000" autocomplete="off"; }
            (view::code_field("the message"))
            button.go type="submit" { "Send" }
        }
    }
}

fn patterns(ask: &Ask<'_>, runs: &[PatternView]) -> Markup {
    html! {
        @if runs.is_empty() {
            (empty("No pattern runs here", &html! { "Juries, pipelines and swarms of agents at one task: " code { "sprag pattern start jury --members 3" } }))
        } @else {
            ul.list { @for PatternView { run, members, posts } in runs { li {
                div.row {
                    b { (run.kind) } span.mono.soft { (run.id) } (tag(run.state.name()))
                    span.soft { (members.len()) " of " (run.total) " members · " (run.posts) " posts · " (ago_micros(ask, run.updated)) }
                }
                div.row { @for member in members {
                    span { (tag_as(if member.ended.is_some() { "good" } else { "acc" }, &member.state)) " " (member.member) @if !member.role.is_empty() { span.soft { " " (member.role) } } @if !member.vote.is_empty() { " votes " b { (member.vote) } } }
                } }
                @if let Some(post) = posts.last() { p.soft.wrap { (cut(&post.text, 240)) } }
            } } }
        }
    }
}
