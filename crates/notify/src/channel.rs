//! The ways to a person: this desktop, a webhook, ntfy.

use crate::Message;
use crate::template::{self, TemplateError};
use serde_json::{Value, json};
use sprag_base::process::{self, RunError, Spec};
use sprag_config::host::Host;
use sprag_config::schema::NotifySection;
use sprag_http::{HttpError, Post};
use std::time::Duration;

/// The longest that one notification may take.
const TIMEOUT: Duration = Duration::from_secs(10);
/// The most of an answer that is read: only an error is looked at.
const MAX_ANSWER: u64 = 16 << 10;

/// A way to a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    /// The desktop of this machine.
    Desktop,
    /// A JSON object to an address.
    Webhook,
    /// A topic of ntfy.
    Ntfy,
}

/// Why a notification did not arrive.
#[derive(Debug, thiserror::Error)]
pub enum ChannelError {
    /// The template.
    #[error("{0}")]
    Template(#[from] TemplateError),
    /// The desktop's program.
    #[error("{0}")]
    Program(#[from] RunError),
    /// The desktop's program failed.
    #[error("{program} failed with {code}: {said}")]
    Failed {
        /// The program.
        program: String,
        /// Its exit code.
        code: i32,
        /// What it said.
        said: String,
    },
    /// There is no program for this system.
    #[error("there are no desktop notifications on this system: use a webhook or ntfy")]
    NoDesktop,
    /// The topic is not an address.
    #[error("[notify] ntfy must be a server and a topic, such as https://ntfy.sh/my-topic")]
    Topic,
    /// The request.
    #[error("{0}")]
    Http(#[from] HttpError),
    /// The other side refused it.
    #[error("the server answered {status}: {said}")]
    Refused {
        /// The status.
        status: u16,
        /// What it said.
        said: String,
    },
}

impl Channel {
    /// Those that the configuration names.
    pub fn configured(settings: &NotifySection<'_>) -> Vec<Self> {
        [
            (Self::Desktop, settings.desktop),
            (Self::Webhook, !settings.webhook.is_empty()),
            (Self::Ntfy, !settings.ntfy.is_empty()),
        ]
        .into_iter()
        .filter_map(|(channel, on)| on.then_some(channel))
        .collect()
    }

    /// Its key in the configuration.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Desktop => "desktop",
            Self::Webhook => "webhook",
            Self::Ntfy => "ntfy",
        }
    }

    /// Sends a message.
    pub fn send(
        self,
        host: &Host,
        settings: &NotifySection<'_>,
        message: &Message,
    ) -> Result<(), ChannelError> {
        match self {
            Self::Desktop => show(host, message),
            Self::Webhook => {
                post(host, settings, settings.webhook, &template::filled(settings.template, message)?)
            }
            Self::Ntfy => {
                let (server, body) = ntfy(settings.ntfy, message).ok_or(ChannelError::Topic)?;
                post(host, settings, &server, &body)
            }
        }
    }
}

/// Shows it on this desktop.
fn show(host: &Host, message: &Message) -> Result<(), ChannelError> {
    let argv = desktop_command(std::env::consts::OS, message).ok_or(ChannelError::NoDesktop)?;
    let finished = process::run(&Spec {
        argv: &argv,
        stdin: b"",
        cwd: &host.paths.home,
        inherit: &host.env,
        env: &[],
        timeout: TIMEOUT,
    })?;
    match finished.code {
        0 => Ok(()),
        code => Err(ChannelError::Failed {
            program: argv.into_iter().next().unwrap_or_default(),
            code,
            said: finished.stderr.trim().chars().take(200).collect(),
        }),
    }
}

/// The program that shows it: what is told is an argument, never a part of a script.
fn desktop_command(system: &str, message: &Message) -> Option<Vec<String>> {
    let own = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<String>>();
    let mut argv = match system {
        "linux" | "freebsd" => {
            let urgency =
                if matches!(message.what.as_str(), "waits" | "limit") { "critical" } else { "normal" };
            own(&["notify-send", "--app-name=sprag", &format!("--urgency={urgency}"), "--"])
        }
        "macos" => own(&[
            "osascript",
            "-e",
            "on run argv",
            "-e",
            "display notification (item 2 of argv) with title (item 1 of argv)",
            "-e",
            "end run",
            "--",
        ]),
        _ => return None,
    };
    argv.push(message.title.clone());
    // The body of notify-send is markup.
    let text = match system {
        "macos" => message.text.clone(),
        _ => message.text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;"),
    };
    argv.push(text);
    Some(argv)
}

/// The server and the body of ntfy's JSON form, which takes any letter; its headers do not.
fn ntfy(url: &str, message: &Message) -> Option<(String, Value)> {
    let (server, topic) = url.trim().trim_end_matches('/').rsplit_once('/')?;
    if topic.is_empty() || server.ends_with(':') || server.ends_with('/') {
        return None;
    }
    let (priority, tag) = match message.what.as_str() {
        "waits" => (4, "raised_hand"),
        "stopped" => (3, "no_entry"),
        "limit" => (4, "warning"),
        _ => (3, "white_check_mark"),
    };
    let text = if message.text.is_empty() { &message.title } else { &message.text };
    let mut body = json!({
        "topic": topic, "title": message.title, "message": text, "priority": priority, "tags": [tag],
    });
    if let (Some(body), false) = (body.as_object_mut(), message.link.is_empty()) {
        body.insert("click".to_owned(), Value::String(message.link.clone()));
    }
    Some((format!("{server}/"), body))
}

fn post(host: &Host, settings: &NotifySection<'_>, url: &str, body: &Value) -> Result<(), ChannelError> {
    let key = if settings.key_env.is_empty() { None } else { host.env.get(settings.key_env) };
    let text = body.to_string();
    let post = Post {
        url: url.trim(),
        headers: &[("content-type", "application/json")],
        key: key.as_deref(),
        body: text.as_bytes(),
        timeout: TIMEOUT,
        most: MAX_ANSWER,
    };
    let answer = post.send()?;
    if answer.is_success() {
        return Ok(());
    }
    let said: String = String::from_utf8_lossy(&answer.body).trim().chars().take(200).collect();
    Err(ChannelError::Refused { status: answer.status, said })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_topic_is_the_last_part_of_the_address() {
        let message = Message { title: "t".into(), what: "waits".into(), ..Message::default() };
        let (server, body) = ntfy("https://ntfy.example/sub/topic/", &message).unwrap();
        assert_eq!(
            (server.as_str(), &body["topic"], &body["message"]),
            ("https://ntfy.example/sub/", &json!("topic"), &json!("t"))
        );
        for wrong in ["topic", "https://topic", "https:///topic", ""] {
            assert!(ntfy(wrong, &message).is_none(), "{wrong}");
        }
    }

    #[test]
    fn what_is_told_is_an_argument() {
        let message = Message { title: "-x \"; rm".into(), text: "<b>&".into(), ..Message::default() };
        for system in ["linux", "macos"] {
            let argv = desktop_command(system, &message).unwrap();
            let end = argv.iter().position(|word| word == "--").unwrap();
            assert_eq!(argv[end + 1..].len(), 2, "{argv:?}");
            assert_eq!(argv[end + 1], "-x \"; rm");
        }
        assert_eq!(desktop_command("linux", &message).unwrap().last().unwrap(), "&lt;b&gt;&amp;");
        assert_eq!(desktop_command("windows", &message), None);
    }
}
