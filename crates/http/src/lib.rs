//! One request over http or https, bounded in time and size, with the certificates of this machine. Nothing is redirected, and a
//! key travels over plain http only to this machine.

use std::sync::Arc;
use std::time::Duration;
use ureq::tls::{Certificate, RootCerts, TlsConfig};

/// The longest that a connection may take: that nobody listens is known soon.
const MAX_CONNECT: Duration = Duration::from_secs(10);

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum HttpError {
    /// It is not an http or https address.
    #[error("not an http or https address")]
    Address,
    /// A key would travel in the open.
    #[error("a key is not sent over plain http; use https, or a local address")]
    PlainKey,
    /// It took too long.
    #[error("no answer within {0} s")]
    Timeout(u64),
    /// It could not be sent.
    #[error("{0}")]
    Send(String),
    /// The answer could not be read.
    #[error("{0}")]
    Answer(String),
}

/// What an address says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address {
    /// It is https.
    pub encrypted: bool,
    /// It is this machine.
    pub local: bool,
}

impl Address {
    /// Reads an address; `None` when it is not http or https.
    pub fn parse(url: &str) -> Option<Self> {
        let (scheme, rest) = url.split_once("://")?;
        let encrypted = match scheme {
            "https" => true,
            "http" => false,
            _ => return None,
        };
        let host = rest.split(['/', '?', '#']).next().filter(|host| !host.is_empty())?;
        let name = host.rsplit('@').next().unwrap_or(host);
        let bare = match name.strip_prefix('[') {
            Some(rest) => rest.split(']').next().unwrap_or(rest),
            None => name.split(':').next().unwrap_or(name),
        };
        let local = bare == "localhost"
            || bare.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback());
        Some(Self { encrypted, local })
    }

    /// Nobody on the way can read it.
    pub const fn is_private(self) -> bool {
        self.encrypted || self.local
    }
}

/// A request with a body.
pub struct Post<'a> {
    /// Where to.
    pub url: &'a str,
    /// Headers.
    pub headers: &'a [(&'a str, &'a str)],
    /// Sent as the bearer's token.
    pub key: Option<&'a str>,
    /// The body.
    pub body: &'a [u8],
    /// The longest that all of it may take.
    pub timeout: Duration,
    /// The most bytes that an answer may have.
    pub most: u64,
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// The seconds of `Retry-After`.
    pub retry_after_s: Option<u64>,
    /// The content type.
    pub kind: String,
    /// The body.
    pub body: Vec<u8>,
}

impl Answer {
    /// True for a status between 200 and 299.
    pub const fn is_success(&self) -> bool {
        self.status / 100 == 2
    }
}

impl Post<'_> {
    /// Sends it.
    pub fn send(&self) -> Result<Answer, HttpError> {
        let address = Address::parse(self.url).ok_or(HttpError::Address)?;
        if self.key.is_some() && !address.is_private() {
            return Err(HttpError::PlainKey);
        }
        let mut config = ureq::Agent::config_builder()
            .timeout_global(Some(self.timeout))
            .timeout_connect(Some(self.timeout.min(MAX_CONNECT)))
            .http_status_as_error(false)
            .max_redirects(0);
        if address.encrypted {
            config = config.tls_config(tls());
        }
        if address.local {
            // What is meant for this machine does not leave it.
            config = config.proxy(None);
        }
        let mut request = config.build().new_agent().post(self.url);
        for (name, value) in self.headers {
            request = request.header(*name, *value);
        }
        if let Some(key) = self.key {
            request = request.header("authorization", format!("Bearer {key}"));
        }
        let late = |error: ureq::Error, other: fn(String) -> HttpError| match error {
            ureq::Error::Timeout(_) => HttpError::Timeout(self.timeout.as_secs()),
            error => other(error.to_string()),
        };
        let mut response = request.send(self.body).map_err(|error| late(error, HttpError::Send))?;
        let header = |name: &str| response.headers().get(name).and_then(|value| value.to_str().ok());
        let retry_after_s = header("retry-after").and_then(|text| text.trim().parse().ok());
        let kind = header("content-type").unwrap_or_default().to_owned();
        let status = response.status().as_u16();
        let body = response.body_mut().with_config().limit(self.most).read_to_vec();
        let body = body.map_err(|error| late(error, HttpError::Answer))?;
        Ok(Answer { status, retry_after_s, kind, body })
    }
}

/// The certificates of this machine, and the cryptography that the store uses too.
pub fn tls() -> TlsConfig {
    let roots = rustls_native_certs::load_native_certs().certs;
    let roots: Vec<Certificate<'static>> =
        roots.iter().map(|cert| Certificate::from_der(cert.as_ref()).to_owned()).collect();
    TlsConfig::builder()
        .root_certs(RootCerts::Specific(Arc::new(roots)))
        .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .build()
}

#[cfg(test)]
mod tests {
    use super::*;
    use sprag_testkit::http::{Reply, Server};

    fn post<'a>(url: &'a str, key: Option<&'a str>) -> Post<'a> {
        Post { url, headers: &[], key, body: b"x", timeout: Duration::from_secs(30), most: 1 << 10 }
    }

    #[test]
    fn addresses() {
        let of = |url| Address::parse(url).map(|found| (found.encrypted, found.local));
        assert_eq!(of("https://h.example/x"), Some((true, false)));
        for local in ["http://localhost", "http://127.0.0.2:1/x", "http://[::1]:80/", "http://a@localhost/"] {
            assert_eq!(of(local), Some((false, true)), "{local}");
        }
        for other in ["http://127.evil.example", "http://localhost@evil.example/", "http://localhost.evil"] {
            assert_eq!(of(other), Some((false, false)), "{other}");
        }
        for none in ["", "h.example", "ftp://x", "http://", "https:///x"] {
            assert_eq!(of(none), None, "{none}");
        }
    }

    #[test]
    fn an_error_status_is_an_answer_and_a_key_does_not_travel_in_the_open() {
        let server =
            Server::start(|_| Reply { status: 503, kind: "text/plain", body: b"busy".to_vec() }).unwrap();
        let answer = post(&format!("http://{}/x", server.address()), Some("k")).send().unwrap();
        assert!(answer.status == 503 && !answer.is_success() && answer.body == b"busy", "{answer:?}");
        let refused = post("http://h.example/x", Some("k")).send();
        assert!(matches!(refused, Err(HttpError::PlainKey)), "{refused:?}");
    }
}
