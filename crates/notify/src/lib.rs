//! Tells a person elsewhere that an agent waits, is done, was stopped or nears a limit: on the desktop, by a webhook, by ntfy. Only
//! from the background, only as the user's own configuration says, with nothing secret in it, and not too often.
#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests set up files"))]

mod channel;
mod rate;
mod template;

pub use channel::{Channel, ChannelError};

use serde::Serialize;
use sprag_base::text::{cut, one_line};
use sprag_base::time::Stamp;
use sprag_config::cache;
use sprag_config::host::Host;
use sprag_config::schema::{NoticeKind, NotifySection};
use sprag_protocol::AgentId;
use sprag_runtime::job::JobError;
use sprag_runtime::work::Notice;
use sprag_runtime::{notices, pending, queue};
use sprag_scan::scrub::scrub;
use sprag_usage::limits;
use std::path::Path;
use std::time::Duration;

/// What is older is not told any more: it would only confuse.
const STALE: Duration = Duration::from_secs(900);
/// The most characters of a text.
const MAX_TEXT: usize = 400;

/// A notification as the channels are given it. Its fields are the words of a webhook's template.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Message {
    /// One line.
    pub title: String,
    /// What it is about; may be empty.
    pub text: String,
    /// `waits`, `done`, `stopped`, `limit` or `test`.
    pub what: String,
    /// The agent's name.
    pub agent: String,
    /// The name of the project's folder.
    pub project: String,
    /// This machine.
    pub machine: String,
    /// The rule that stopped or asks.
    pub rule: String,
    /// The page that shows it; empty when no address is configured.
    pub link: String,
    /// When, RFC 3339.
    pub time: String,
}

/// Tells what a job carries. It is dropped when it is stale, too often, or no longer true.
pub fn run(host: &Host, notice: &Notice) -> Result<(), JobError> {
    let sections = cache::sections(host);
    let settings = sections.notify();
    let now = host.clock.now();
    let wanted = settings.wanted() & notice.what.bit() != 0;
    if !wanted || Stamp(notice.at).after(STALE) < now {
        return Ok(());
    }
    if let Some(only) = &notice.only {
        let channels = Channel::configured(&settings);
        let Some(channel) = channels.into_iter().find(|channel| channel.name() == only) else {
            return Ok(());
        };
        return Ok(channel.send(host, &settings, &message(host, &settings, notice, 0))?);
    }
    if notice.what == NoticeKind::Limit {
        return limits_near(host, &settings, notice);
    }
    // A question that was answered in the meantime waits for nobody.
    let answered = !notice.question.is_empty()
        && !pending::list(host).iter().any(|question| question.id == notice.question);
    if answered {
        return Ok(());
    }
    let Some(left_out) = rate::admit(host, &settings, notice, now)? else { return Ok(()) };
    deliver(host, &settings, notice, left_out)
}

/// Tells limits that are nearly used up, each once per window.
fn limits_near(host: &Host, settings: &NotifySection<'_>, notice: &Notice) -> Result<(), JobError> {
    let now = host.clock.now();
    for (agent, known) in limits::all(host) {
        for known in known.iter().filter(|known| known.counts(now)) {
            let limit = &known.limit;
            if limit.percent < settings.limit_percent {
                continue;
            }
            let window = limit.resets.map_or(0, |at| at.0);
            let one = Notice {
                agent: agent.clone(),
                // One of each window.
                session: format!("{agent}\0{}\0{window}", limit.name),
                text: format!("{}: {} % used", limit.name, limit.percent),
                ..notice.clone()
            };
            if !rate::was_told(host, &one)
                && let Some(left_out) = rate::admit(host, settings, &one, now)?
            {
                deliver(host, settings, &one, left_out)?;
            }
        }
    }
    Ok(())
}

/// Sends it by every channel. One that fails is tried again by itself.
fn deliver(
    host: &Host,
    settings: &NotifySection<'_>,
    notice: &Notice,
    left_out: u64,
) -> Result<(), JobError> {
    let message = message(host, settings, notice, left_out);
    for channel in Channel::configured(settings) {
        if channel.send(host, settings, &message).is_err() {
            let mut job = notices::job(Notice { only: Some(channel.name().to_owned()), ..notice.clone() });
            job.delay_s = 5;
            queue::push(&host.paths, &job, host.clock.now())?;
        }
    }
    Ok(())
}

/// What `sprag notify test` did with each channel.
pub fn test(host: &Host) -> Vec<(Channel, Result<(), ChannelError>)> {
    let sections = cache::sections(host);
    let settings = sections.notify();
    let message = Message {
        title: "sprag: a test".to_owned(),
        text: "Notifications work: you will be told when an agent waits, is done or was stopped.".to_owned(),
        what: "test".to_owned(),
        machine: host.machine(),
        link: link(&settings, None),
        time: host.clock.now().to_string(),
        ..Message::default()
    };
    let channels = Channel::configured(&settings).into_iter();
    channels.map(|channel| (channel, channel.send(host, &settings, &message))).collect()
}

/// Puts it into words. A project is named by its folder alone, and the text is scrubbed again: it leaves this machine.
fn message(host: &Host, settings: &NotifySection<'_>, notice: &Notice, left_out: u64) -> Message {
    let agent = AgentId::from_name(&notice.agent).map_or(notice.agent.as_str(), |agent| agent.spec().title);
    let project = Path::new(&notice.project).file_name().map(|name| name.to_string_lossy().into_owned());
    let project = project.unwrap_or_default();
    let place = if project.is_empty() { String::new() } else { format!(" in {project}") };
    let title = match notice.what {
        NoticeKind::Waits => format!("sprag: {agent} waits for you{place}"),
        NoticeKind::Done if notice.ended => format!("sprag: {agent} ended{place}"),
        NoticeKind::Done => format!("sprag: {agent} is done{place}"),
        NoticeKind::Stopped => format!("sprag: {agent} was stopped{place}"),
        NoticeKind::Limit => format!("sprag: {agent} nears a limit"),
    };
    let mut text = notice.text.clone();
    if !notice.rule.is_empty() {
        text = if text.is_empty() { notice.rule.clone() } else { format!("{text} ({})", notice.rule) };
    }
    if left_out > 0 {
        let more = format!("{left_out} more since the last notification");
        text = if text.is_empty() { more } else { format!("{text}\n{more}") };
    }
    let limit = notice.what == NoticeKind::Limit;
    Message {
        title: cut(&one_line(&scrub(&title)), MAX_TEXT),
        text: cut(&scrub(&text), MAX_TEXT),
        what: notice.what.name().to_owned(),
        agent: notice.agent.clone(),
        project: if limit { String::new() } else { scrub(&project).into_owned() },
        machine: host.machine(),
        rule: notice.rule.clone(),
        link: link(settings, Some(notice)),
        time: Stamp(notice.at).to_string(),
    }
}

/// The page's address for it; the link only shows, and whoever follows it needs what the page asks of every visitor.
fn link(settings: &NotifySection<'_>, notice: Option<&Notice>) -> String {
    let page = settings.page.trim_end_matches('/');
    if page.is_empty() {
        return String::new();
    }
    match notice {
        Some(notice) if !notice.question.is_empty() => format!("{page}/approval?id={}", notice.question),
        Some(notice) if notice.what == NoticeKind::Stopped => format!("{page}/approvals"),
        _ => format!("{page}/"),
    }
}

#[cfg(test)]
mod tests;
