//! `sprag say` and `sprag inbox`: messages between agents and people.

use crate::access::{self, Caller, stamp};
use anyhow::Context as _;
use serde_json::{Value, json};
use sprag_base::time::Stamp;
use sprag_config::host::Host;
use sprag_config::host::project_at;
use sprag_coord::messages::{self, SendError};
use sprag_coord::store::home_id;
use sprag_store::{MessageRow, NewMessage, Reader, Store};
use sprag_terminal::explained;
use sprag_terminal::when;
use sprag_terminal::{Out, Problem, Table, Tone};
use std::process::ExitCode;
use std::time::Duration;

/// What `sprag say` takes.
#[derive(clap::Args)]
pub struct SayArgs {
    /// An agent's name, `role:lead`, `role:worker`, `all`, or `session:ID`
    to: String,
    /// The text
    #[arg(required = true)]
    text: Vec<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What `sprag inbox` takes.
#[derive(clap::Args)]
pub struct InboxArgs {
    /// What was sent and read too, and who has read it
    #[arg(long)]
    all: bool,
    /// With --all: messages of this time
    #[arg(long, default_value = "7d", value_parser = when::parse_span)]
    since: Duration,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Runs `sprag say`.
pub fn say(args: &SayArgs, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    let to = messages::recipient(&args.to).with_context(|| {
        Problem::new(
            format!("`{}` is neither an agent nor a group", args.to),
            "a name, `role:lead`, `role:worker`, `all`, or `session:ID`; `sprag agent list` names them",
        )
    })?;
    let mut store = access::open(host)?;
    let caller = access::caller(&mut store, host, None)?;
    let now = access::now(host);
    let (to, is_known) = resolved(&mut store, to, now)?;
    let new = NewMessage {
        project: project_at(host, None).key(&host.machine()),
        sender: caller.name,
        session: caller.session,
        recipient: to,
        text: args.text.join(" "),
    };
    let (message, live) = messages::send(host, &mut store, new, now).map_err(unsent)?;
    if args.json {
        out.json(&row(&message, None));
    } else {
        let when = match live {
            0 if !is_known => {
                "nobody of that name was seen yet; `sprag agent list` and `sprag status sessions` name who was".to_owned()
            }
            0 => "it is read when a session of theirs starts or goes on".to_owned(),
            1 => "a session here reads it with its next event".to_owned(),
            many => format!("{many} sessions here read it with their next event"),
        };
        out.line(&format!("sent to {}: {when}", message.recipient));
    }
    access::say_if_off(host, out, &["inbox"], "sessions of this configuration are not told of messages");
    Ok(ExitCode::SUCCESS)
}

/// What to do about a message that was not sent.
fn unsent(error: SendError) -> anyhow::Error {
    let hint = match error {
        SendError::Empty => "sprag say ada 'the parser is yours'",
        SendError::TooLong => "write it to a file and name the file",
        SendError::TooMany => "put the rest into one message, later",
        SendError::Store(error) => return explained(error),
    };
    Problem::new(error.to_string(), hint).into()
}

/// Whom a bare word means: an agent, a role, or a session by the first characters of its id; and whether anybody is known by it.
/// A name that nobody has yet may be the name of somebody who comes later.
fn resolved(store: &mut Store, to: String, now: i64) -> anyhow::Result<(String, bool)> {
    if to == "all" || to.contains(':') {
        return Ok((whole_session(store, to)?, true));
    }
    let agents = store.agents(now).map_err(explained)?;
    if agents.iter().any(|agent| agent.name == to) {
        return Ok((to, true));
    }
    if let Some(role) = messages::recipient(&format!("role:{to}")) {
        return Ok((role, true));
    }
    match store.sessions_like(&to).map_err(explained)?.as_slice() {
        [one] if to.len() >= SHORTEST_ID => Ok((format!("session:{}", one.session), true)),
        _ => Ok((to, false)),
    }
}

/// Fewer characters are no id.
const SHORTEST_ID: usize = 6;

/// A session by the first characters of its id.
fn whole_session(store: &mut Store, to: String) -> anyhow::Result<String> {
    let Some(id) = to.strip_prefix("session:") else { return Ok(to) };
    let found = store.sessions_like(id).map_err(explained)?;
    match found.as_slice() {
        [one] => Ok(format!("session:{}", one.session)),
        [] => anyhow::bail!(Problem::new(
            format!("no session `{id}` is known"),
            "`sprag status sessions` lists them"
        )),
        _ => anyhow::bail!(Problem::new(format!("`{id}` may be several sessions"), "name more of its id")),
    }
}

fn row(message: &MessageRow, readers: Option<&[String]>) -> Value {
    json!({
        "id": message.id, "from": message.sender, "from_session": message.session, "to": message.recipient,
        "text": message.text, "at": stamp(message.at), "read_by": readers,
    })
}

/// Runs `sprag inbox`.
pub fn inbox(args: &InboxArgs, host: &Host, out: &Out) -> anyhow::Result<ExitCode> {
    let now = access::now(host);
    let Some(mut store) = access::look(host)? else {
        if args.json {
            out.json(&json!({ "messages": [] }));
        } else {
            out.line("No message.");
        }
        return Ok(ExitCode::SUCCESS);
    };
    let caller = access::caller(&mut store, host, None)?;
    if args.all {
        let since = now - args.since.as_micros() as i64;
        let all = store.messages(Some(&caller.name), since).map_err(explained)?;
        if args.json {
            let rows: Vec<Value> = all.iter().map(|mail| row(&mail.message, Some(&mail.readers))).collect();
            out.json(&json!({ "messages": rows }));
            return Ok(ExitCode::SUCCESS);
        }
        let mut table = Table::new(&["when", "from", "to", "read by", "text"]);
        for mail in &all {
            table.row(vec![
                (Tone::Plain, when::ago(host.clock.now(), Stamp(mail.message.at as u64))),
                (Tone::Strong, mail.message.sender.clone()),
                (Tone::Plain, mail.message.recipient.clone()),
                (Tone::Plain, mail.readers.join(", ")),
                (Tone::Plain, mail.message.text.clone()),
            ]);
        }
        if all.is_empty() {
            out.line("No message.");
        } else {
            out.table(&table);
        }
        return Ok(ExitCode::SUCCESS);
    }
    let unread = take(host, &mut store, &caller, now)?;
    if args.json {
        let rows: Vec<Value> = unread.iter().map(|message| row(message, None)).collect();
        out.json(&json!({ "messages": rows }));
    } else if unread.is_empty() {
        out.line("No new message.");
    } else {
        for message in &unread {
            let ago = when::ago(host.clock.now(), Stamp(message.at as u64));
            out.line(&format!("{}  {ago}  {}", out.paint(Tone::Strong, &message.sender), message.text));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Reads what is new for the caller. What is printed has arrived.
fn take(host: &Host, store: &mut Store, caller: &Caller, now: i64) -> anyhow::Result<Vec<MessageRow>> {
    let project = project_at(host, None).key(&host.machine());
    let reader = if caller.session.is_empty() {
        const DAY: i64 = 86_400_000_000;
        Reader { name: caller.name.clone(), project, since: now - DAY, ..Reader::default() }
    } else {
        messages::reader(store, &home_id(host), (&caller.agent, &caller.session), &project, now)
            .map_err(explained)?
    };
    let (given, _) = store.give_messages(&reader, now, |_| true).map_err(explained)?;
    let ids: Vec<String> = given.iter().map(|message| message.id.clone()).collect();
    store.confirm_messages(&reader.agent, &reader.session, &ids, now).map_err(explained)?;
    Ok(given)
}
