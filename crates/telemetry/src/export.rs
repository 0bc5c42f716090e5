//! Sending: what the configuration and `OTEL_*` say, spans from where the journal was left, metrics as they are now. At least
//! once, in batches, and later and later while the collector is unavailable.

use crate::calls::OpenCalls;
use crate::cursor::Cursor;
use crate::otlp::{self, Resource, Span};
use crate::{counts, prometheus, spans};
use serde::{Deserialize, Serialize};
use sprag_base::env::Env;
use sprag_base::files;
use sprag_base::paths::from_home;
use sprag_base::time::Stamp;
use sprag_config::cache;
use sprag_config::host::Host;
use sprag_config::schema::TelemetrySection;
use sprag_http::{HttpError, Post};
use sprag_runtime::job::JobError;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::time::Duration;

/// Spans of one request.
const MAX_SPANS: usize = 512;
/// Lines of the journal for one request.
const MAX_LINES: usize = 4_000;
/// Requests of one job; the rest is for the next.
const MAX_BATCHES: usize = 20;
/// The first time, what is older than this is left alone.
const FIRST: Duration = Duration::from_secs(600);
/// The longest pause while the collector is unavailable.
const LONGEST_PAUSE: Duration = Duration::from_secs(3_600);
/// The most of an answer that is read.
const MAX_ANSWER: u64 = 64 << 10;

/// Why nothing could be sent.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// A protocol that is not spoken here.
    #[error("OTLP over `{0}` is not supported: use http/protobuf or http/json")]
    Protocol(String),
    /// The request.
    #[error("{url}: {error}")]
    Http {
        /// Where to.
        url: String,
        /// Why.
        error: HttpError,
    },
    /// The collector refused it.
    #[error("{url} answered {status}: {said}")]
    Refused {
        /// Where to.
        url: String,
        /// The status.
        status: u16,
        /// What it said.
        said: String,
        /// When it wants to be asked again, in seconds.
        retry_after_s: Option<u64>,
    },
    /// A file.
    #[error(transparent)]
    File(#[from] io::Error),
}

impl ExportError {
    /// True when the same request may succeed later.
    fn is_temporary(&self) -> bool {
        match self {
            Self::Protocol(_) => false,
            Self::Http { error, .. } => !matches!(error, HttpError::Address | HttpError::PlainKey),
            Self::Refused { status, .. } => matches!(status, 408 | 429 | 500 | 502 | 503 | 504),
            Self::File(_) => true,
        }
    }
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Sent {
    /// Lines before this time are not sent, in microseconds.
    since: u64,
    cursor: Cursor,
    calls: OpenCalls,
    /// Failures in a row.
    failures: u32,
}

fn file(host: &Host) -> PathBuf {
    host.paths.state.join("telemetry").join("sent.json")
}

fn keep(host: &Host, sent: &Sent) -> io::Result<()> {
    files::write_atomic(&file(host), &serde_json::to_vec(sent).map_err(io::Error::other)?)
}

/// Does the job: writes the textfile, sends spans and metrics.
pub fn run(host: &Host) -> Result<(), JobError> {
    let sections = cache::sections(host);
    let settings = sections.telemetry();
    if !settings.textfile.is_empty() {
        let path = from_home(settings.textfile, &host.paths.home, &host.paths.home);
        prometheus::write_textfile(host, &path).map_err(|error| JobError::about(path.display(), error))?;
    }
    if !settings.otlp || is_disabled(&host.env) {
        return Ok(());
    }
    let text = files::read_text(file(host), files::STATE).unwrap_or_default();
    let mut sent: Sent = serde_json::from_str(&text).unwrap_or_default();
    if sent.since == 0 {
        sent.since = host.clock.now().before(FIRST).0;
    }
    match send(host, &settings, &mut sent) {
        Ok(()) => {
            if sent.failures > 0 {
                sent.failures = 0;
                keep(host, &sent)?;
            }
            Ok(())
        }
        Err(error) if error.is_temporary() => {
            let pause = pause(sent.failures, &error);
            sent.failures += 1;
            keep(host, &sent)?;
            Err(JobError::later(host.clock.now().after(pause), error))
        }
        Err(error) => Err(error.into()),
    }
}

/// How long the collector is left alone after so many failures.
fn pause(failures: u32, error: &ExportError) -> Duration {
    let wanted = match error {
        ExportError::Refused { retry_after_s: Some(seconds), .. } => Duration::from_secs(*seconds),
        _ => Duration::from_secs(15),
    };
    (wanted * 2_u32.pow(failures.min(8))).min(LONGEST_PAUSE)
}

fn is_disabled(env: &Env) -> bool {
    env.get("OTEL_SDK_DISABLED").is_some_and(|value| value.eq_ignore_ascii_case("true"))
}

fn send(host: &Host, settings: &TelemetrySection<'_>, sent: &mut Sent) -> Result<(), ExportError> {
    let resource = resource(host);
    let none =
        |signal: &str| host.env.get(&format!("OTEL_{signal}_EXPORTER")).is_some_and(|value| value == "none");
    if !none("TRACES") {
        let collector = Collector::new(host, settings, "TRACES", "v1/traces")?;
        for _ in 0..MAX_BATCHES {
            if send_spans(host, &collector, &resource, sent)? {
                break;
            }
        }
    }
    if !none("METRICS") {
        let collector = Collector::new(host, settings, "METRICS", "v1/metrics")?;
        let counts = counts::current(&host.paths, host.clock.now())?;
        let measured = spans::measured(&counts, host.clock.now());
        if !measured.metrics.is_empty() {
            let body = if collector.json {
                otlp::json_metrics(&resource, &measured).to_string().into_bytes()
            } else {
                otlp::proto_metrics(&resource, &measured)
            };
            collector.post(&body)?;
        }
    }
    Ok(())
}

/// Sends one batch of spans; true when nothing is left. The place in the journal moves when the collector has them: what is sent
/// twice has the same ids.
fn send_spans(
    host: &Host,
    collector: &Collector,
    resource: &Resource,
    sent: &mut Sent,
) -> Result<bool, ExportError> {
    let (mut cursor, mut calls) = (sent.cursor.clone(), sent.calls.clone());
    let mut found: Vec<Span> = Vec::new();
    let mut lines = 0;
    let whole = cursor.read(&host.paths, |entry| {
        lines += 1;
        if Stamp::parse(&entry.t).is_some_and(|at| at.0 >= sent.since) {
            spans::of_entry(&entry, &mut calls, &mut found);
        }
        found.len() < MAX_SPANS && lines < MAX_LINES
    })?;
    let posted = if found.is_empty() {
        Ok(())
    } else {
        let body = if collector.json {
            otlp::json_traces(resource, &found).to_string().into_bytes()
        } else {
            otlp::proto_traces(resource, &found)
        };
        collector.post(&body)
    };
    match posted {
        Err(error) if error.is_temporary() => return Err(error),
        posted => {
            // What the collector will never take must not hold up the rest.
            (sent.cursor, sent.calls) = (cursor, calls);
            keep(host, sent)?;
            posted?;
        }
    }
    Ok(whole)
}

/// Who sends.
fn resource(host: &Host) -> Resource {
    let mut attributes = Vec::new();
    let given = host.env.get("OTEL_RESOURCE_ATTRIBUTES").unwrap_or_default();
    let given = pairs(&given);
    let name = host.env.get("OTEL_SERVICE_NAME");
    let name =
        name.or_else(|| given.iter().find(|(key, _)| key == "service.name").map(|(_, name)| name.clone()));
    attributes.push(("service.name".to_owned(), name.unwrap_or_else(|| "sprag".to_owned())));
    attributes.push(("service.version".to_owned(), env!("CARGO_PKG_VERSION").to_owned()));
    attributes.push(("host.name".to_owned(), host.machine()));
    for (key, value) in given {
        if key != "service.name" {
            attributes.retain(|(known, _)| *known != key);
            attributes.push((key, value));
        }
    }
    Resource { attributes }
}

/// `key=value,key=value`, percent-encoded.
fn pairs(text: &str) -> Vec<(String, String)> {
    let pairs = text.split(',').filter_map(|pair| pair.split_once('='));
    pairs.map(|(key, value)| (decoded(key.trim()), decoded(value.trim()))).collect()
}

fn decoded(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('%') {
        out.extend_from_slice(before.as_bytes());
        let byte = after.get(..2).and_then(|hex| u8::from_str_radix(hex, 16).ok());
        out.push(byte.unwrap_or(b'%'));
        rest = if byte.is_some() { after.get(2..).unwrap_or_default() } else { after };
    }
    out.extend_from_slice(rest.as_bytes());
    String::from_utf8_lossy(&out).into_owned()
}

/// Where one signal is sent, and how.
struct Collector {
    url: String,
    json: bool,
    gzip: bool,
    headers: Vec<(String, String)>,
    key: Option<String>,
    timeout: Duration,
}

impl Collector {
    fn new(
        host: &Host,
        settings: &TelemetrySection<'_>,
        signal: &str,
        path: &str,
    ) -> Result<Self, ExportError> {
        // A signal's own variable comes before that of all.
        let of_signal = |name: &str| host.env.get(&format!("OTEL_EXPORTER_OTLP_{signal}_{name}"));
        let variable =
            |name: &str| of_signal(name).or_else(|| host.env.get(&format!("OTEL_EXPORTER_OTLP_{name}")));
        let below = |base: &str| format!("{}/{path}", base.trim_end_matches('/'));
        let url = match settings.endpoint {
            // A signal's own address is the whole of it.
            "" => of_signal("ENDPOINT").unwrap_or_else(|| {
                below(
                    host.env.get("OTEL_EXPORTER_OTLP_ENDPOINT").as_deref().unwrap_or("http://localhost:4318"),
                )
            }),
            own => below(own),
        };
        let protocol = match settings.protocol {
            "" => variable("PROTOCOL").unwrap_or_else(|| "http/protobuf".to_owned()),
            own => own.to_owned(),
        };
        let json = match protocol.as_str() {
            "http/protobuf" => false,
            "http/json" => true,
            _ => return Err(ExportError::Protocol(protocol)),
        };
        let millis = variable("TIMEOUT").and_then(|text| text.trim().parse().ok()).unwrap_or(10_000);
        Ok(Self {
            url,
            json,
            gzip: variable("COMPRESSION").is_some_and(|value| value == "gzip"),
            headers: pairs(&variable("HEADERS").unwrap_or_default()),
            key: if settings.key_env.is_empty() { None } else { host.env.get(settings.key_env) },
            timeout: Duration::from_millis(millis).clamp(Duration::from_millis(100), Duration::from_secs(60)),
        })
    }

    fn post(&self, body: &[u8]) -> Result<(), ExportError> {
        let packed;
        let mut headers: Vec<(&str, &str)> =
            self.headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        headers.push(("content-type", if self.json { "application/json" } else { "application/x-protobuf" }));
        let body = if self.gzip {
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            encoder.write_all(body)?;
            packed = encoder.finish()?;
            headers.push(("content-encoding", "gzip"));
            &packed
        } else {
            body
        };
        let post = Post {
            url: &self.url,
            headers: &headers,
            key: self.key.as_deref(),
            body,
            timeout: self.timeout,
            most: MAX_ANSWER,
        };
        let answer = post.send().map_err(|error| ExportError::Http { url: self.url.clone(), error })?;
        if answer.is_success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&answer.body).trim().chars().take(200).collect();
        let (url, status, retry_after_s) = (self.url.clone(), answer.status, answer.retry_after_s);
        Err(ExportError::Refused { url, status, said, retry_after_s })
    }
}

#[cfg(test)]
mod tests;
