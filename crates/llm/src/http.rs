//! An OpenAI-compatible endpoint: one question, one answer, over http or https.

use super::{Llm, LlmError};
use serde_json::{Value, json};
use sprag_http::HttpError;
use std::time::Duration;

/// The most that an answer may hold.
const MAX_ANSWER: u64 = 4 << 20;

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
        let endpoint = endpoint(url, path).ok_or_else(|| {
            LlmError::Unavailable(format!("[{section}] url = {url:?} is not an http or https address"))
        })?;
        let text = body.to_string();
        let post = sprag_http::Post {
            url: &endpoint,
            headers: &[("content-type", "application/json")],
            key: key.as_deref(),
            body: text.as_bytes(),
            timeout,
            most,
        };
        let answer = post.send().map_err(|error| match error {
            HttpError::Timeout(seconds) => LlmError::Timeout(seconds),
            HttpError::Answer(why) => LlmError::Failed(why),
            other => LlmError::Unavailable(format!("{url}: {other}")),
        })?;
        let text = String::from_utf8_lossy(&answer.body);
        let value: Value = serde_json::from_str(&text).unwrap_or_default();
        if !answer.is_success() {
            let said = value.pointer("/error/message").or_else(|| value.get("error")).and_then(Value::as_str);
            let said: String = said.unwrap_or(&text).chars().take(300).collect();
            return Err(LlmError::Failed(format!("{url} answered {}: {said}", answer.status)));
        }
        Ok(value)
    }
}

/// The address to post to. People write the server, the server with `/v1`, or the whole.
fn endpoint(url: &str, wanted: &str) -> Option<String> {
    let url = url.trim().trim_end_matches('/');
    sprag_http::Address::parse(url)?;
    let (_, rest) = url.split_once("://")?;
    let path = rest.split_once('/').map_or("", |(_, path)| path);
    Some(if path.ends_with(wanted) {
        url.to_owned()
    } else if path.is_empty() {
        format!("{url}/v1/{wanted}")
    } else {
        format!("{url}/{wanted}")
    })
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
            assert_eq!(super::endpoint(url, "chat/completions").unwrap(), endpoint);
        }
    }
}
