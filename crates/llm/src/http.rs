//! An OpenAI-compatible endpoint: one question, one answer, over http or https.

use super::{Llm, LlmError};
use rustls::crypto::ring;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use ureq::tls::{Certificate, RootCerts, TlsConfig};

/// The most that an answer may hold.
const MAX_ANSWER: u64 = 4 << 20;
/// The longest that a connection may take.
const MAX_CONNECT: Duration = Duration::from_secs(10);

/// Asks an OpenAI-compatible endpoint.
pub fn ask(llm: &Llm, url: &str, key: Option<String>, question: &str) -> Result<String, LlmError> {
    let body = json!({
        "model": llm.model,
        "stream": false,
        "messages": [{"role": "user", "content": question}],
    });
    let post =
        Post { section: "llm", url, path: "chat/completions", key, timeout: llm.timeout, most: MAX_ANSWER };
    content(&post.send(&body)?).ok_or(LlmError::Empty)
}

/// One request to an OpenAI-compatible endpoint.
pub struct Post<'a> {
    /// The section of the configuration that named it, for people.
    pub section: &'static str,
    /// The server, the server with `/v1`, or the whole address.
    pub url: &'a str,
    /// What is asked of it: the end of the address.
    pub path: &'static str,
    /// Sent as the bearer's token.
    pub key: Option<String>,
    /// The longest that all of it may take.
    pub timeout: Duration,
    /// The most bytes that an answer may have.
    pub most: u64,
}

impl Post<'_> {
    /// Sends it; the answer as JSON.
    pub fn send(self, body: &Value) -> Result<Value, LlmError> {
        let Self { section, url, path, key, timeout, most } = self;
        let unavailable = |what: &dyn std::fmt::Display| LlmError::Unavailable(format!("{url}: {what}"));
        let address = address(url, path).ok_or_else(|| {
            LlmError::Unavailable(format!("[{section}] url = {url:?} is not an http or https address"))
        })?;
        if key.is_some() && !address.private {
            return Err(unavailable(&"a key is not sent over plain http; use https, or a local address"));
        }
        let mut config = ureq::Agent::config_builder()
            .timeout_global(Some(timeout))
            // An answer may take long; that nobody listens is known soon.
            .timeout_connect(Some(timeout.min(MAX_CONNECT)))
            .http_status_as_error(false)
            .max_redirects(0);
        if address.encrypted {
            config = config.tls_config(tls());
        }
        let agent = config.build().new_agent();
        let mut request = agent.post(&address.endpoint).header("content-type", "application/json");
        if let Some(key) = key {
            request = request.header("authorization", format!("Bearer {key}"));
        }
        let late = |error: ureq::Error| match error {
            ureq::Error::Timeout(_) => Err(LlmError::Timeout(timeout.as_secs())),
            error => Ok(error),
        };
        let mut response = match request.send(body.to_string()) {
            Ok(response) => response,
            Err(error) => return Err(unavailable(&late(error)?)),
        };
        let status = response.status();
        let text = match response.body_mut().with_config().limit(most).read_to_string() {
            Ok(text) => text,
            Err(error) => return Err(LlmError::Failed(late(error)?.to_string())),
        };
        let value: Value = serde_json::from_str(&text).unwrap_or_default();
        if !status.is_success() {
            let said = value.pointer("/error/message").or_else(|| value.get("error")).and_then(Value::as_str);
            let said: String = said.unwrap_or(&text).chars().take(300).collect();
            return Err(LlmError::Failed(format!("{url} answered {status}: {said}")));
        }
        Ok(value)
    }
}

struct Address {
    endpoint: String,
    encrypted: bool,
    /// Nobody on the way can read it.
    private: bool,
}

/// The address to post to. People write the server, the server with `/v1`, or the whole.
fn address(url: &str, wanted: &str) -> Option<Address> {
    let url = url.trim().trim_end_matches('/');
    let (scheme, rest) = url.split_once("://")?;
    let encrypted = match scheme {
        "https" => true,
        "http" => false,
        _ => return None,
    };
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    if host.is_empty() {
        return None;
    }
    let name = host.rsplit('@').next().unwrap_or(host);
    let local = name == "localhost"
        || name.starts_with("localhost:")
        || name.starts_with("127.")
        || name.starts_with("[::1]");
    let endpoint = if path.ends_with(wanted) {
        url.to_owned()
    } else if path.is_empty() {
        format!("{url}/v1/{wanted}")
    } else {
        format!("{url}/{wanted}")
    };
    Some(Address { endpoint, encrypted, private: encrypted || local })
}

/// The same certificates and the same cryptography as for the store.
fn tls() -> TlsConfig {
    let roots = rustls_native_certs::load_native_certs().certs;
    let roots: Vec<Certificate<'static>> =
        roots.iter().map(|cert| Certificate::from_der(cert.as_ref()).to_owned()).collect();
    TlsConfig::builder()
        .root_certs(RootCerts::Specific(Arc::new(roots)))
        .unversioned_rustls_crypto_provider(Arc::new(ring::default_provider()))
        .build()
}

fn content(value: &Value) -> Option<String> {
    let content = value.pointer("/choices/0/message/content")?;
    if let Some(text) = content.as_str() {
        return Some(text.to_owned());
    }
    let parts: Vec<&str> = content.as_array()?.iter().filter_map(|part| part.get("text")?.as_str()).collect();
    Some(parts.join(""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Backend;
    use sprag_testkit::http::{Incoming, Reply, Server};
    use std::sync::mpsc::{Receiver, channel};

    /// A server that gives one answer and hands on what it is asked.
    fn serve(status: u16, answer: &'static str) -> (Server, String, Receiver<Incoming>) {
        let (send, asked) = channel();
        let server = Server::start(move |incoming| {
            send.send(incoming).unwrap();
            Reply { status, kind: "application/json", body: answer.into() }
        })
        .unwrap();
        let url = format!("http://{}", server.address());
        (server, url, asked)
    }

    fn llm(timeout: Duration) -> Llm {
        Llm { backend: Backend::None, model: "small".to_owned(), timeout, command: Vec::new() }
    }

    #[test]
    fn one_question_one_answer() {
        let (_server, url, asked) = serve(200, r#"{"choices":[{"message":{"content":"42"}}]}"#);
        let got = ask(&llm(Duration::from_secs(30)), &url, Some("k".to_owned()), "why?").unwrap();
        assert_eq!(got, "42");
        let asked = asked.recv().unwrap();
        assert_eq!((asked.method.as_str(), asked.path.as_str()), ("POST", "/v1/chat/completions"));
        assert_eq!(asked.headers.get("authorization").map(String::as_str), Some("Bearer k"));
        let body = String::from_utf8(asked.body).unwrap();
        assert!(body.contains("\"model\":\"small\""), "{body}");
    }

    #[test]
    fn an_error_is_told_in_the_servers_words() {
        let (_server, url, _asked) = serve(429, r#"{"error":{"message":"slow down"}}"#);
        let error = ask(&llm(Duration::from_secs(30)), &url, None, "why?").unwrap_err();
        assert!(error.to_string().contains("slow down"), "{error}");
    }

    #[test]
    fn a_server_that_never_answers_is_left() {
        let server = Server::start(|_| None::<Reply>).unwrap();
        let url = format!("http://{}/v1", server.address());
        let error = ask(&llm(Duration::from_millis(200)), &url, None, "why?").unwrap_err();
        assert!(matches!(error, LlmError::Timeout(_)), "{error}");
    }

    #[test]
    fn a_key_does_not_travel_in_the_open() {
        let error = ask(&llm(Duration::from_secs(1)), "http://models.example/v1", Some("k".to_owned()), "?");
        assert!(error.unwrap_err().to_string().contains("plain http"));
        for url in ["", "models.example", "ftp://x", "http://"] {
            assert!(ask(&llm(Duration::from_secs(1)), url, None, "?").is_err(), "{url}");
        }
    }

    #[test]
    fn addresses_as_people_write_them() {
        for (url, endpoint) in [
            ("http://localhost:11434", "http://localhost:11434/v1/chat/completions"),
            ("https://h.example/v1/", "https://h.example/v1/chat/completions"),
            ("https://h.example/openai/v1/chat/completions", "https://h.example/openai/v1/chat/completions"),
        ] {
            assert_eq!(address(url, "chat/completions").unwrap().endpoint, endpoint);
        }
    }
}
