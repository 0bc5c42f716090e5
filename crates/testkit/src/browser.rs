//! A real browser: Debian's Chromium without a window, driven over WebDriver on loopback. The protocol is a handful of JSON
//! requests, so there is no client library.

use crate::agents::Unavailable;
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// How long a page may take to show something.
const WAIT_TIMEOUT: Duration = Duration::from_secs(60);
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// A browser with one window; it ends when dropped.
#[derive(Debug)]
pub struct Browser {
    driver: Child,
    port: u16,
    session: String,
    _profile: TempDir,
}

impl Browser {
    /// Starts one; `Err` when there is none here.
    pub fn start() -> Result<Self, Unavailable> {
        let missing = |why: String| Unavailable { what: "a browser".to_owned(), why };
        let program =
            crate::cmd::which("chromedriver").ok_or_else(|| missing("no chromedriver".to_owned()))?;
        let profile = tempfile::tempdir().expect("a temporary folder");
        let mut driver = Command::new(program)
            .args(["--port=0", "--allowed-ips=127.0.0.1"])
            .env("HOME", profile.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| missing(error.to_string()))?;
        let lines = BufReader::new(driver.stdout.take().expect("stdout is a pipe")).lines();
        let port = lines.map_while(Result::ok).find_map(|line| {
            let (_, after) = line.split_once("successfully on port ")?;
            after.trim_end_matches('.').parse().ok()
        });
        let Some(port) = port else {
            let _ = driver.kill();
            return Err(missing("chromedriver does not start".to_owned()));
        };
        let mut browser = Self { driver, port, session: String::new(), _profile: profile };
        let args =
            ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"];
        let wanted = json!({"capabilities": {"alwaysMatch": {"browserName": "chrome", "goog:chromeOptions": {"args": args}}}});
        let made = browser.ask("POST", "/session", &wanted);
        match made.pointer("/value/sessionId").and_then(Value::as_str) {
            Some(session) => session.clone_into(&mut browser.session),
            None => return Err(missing(format!("chromium does not start: {made}"))),
        }
        Ok(browser)
    }

    fn ask(&self, method: &str, path: &str, body: &Value) -> Value {
        let body = if method == "GET" { String::new() } else { body.to_string() };
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("chromedriver listens");
        stream.set_read_timeout(Some(WAIT_TIMEOUT)).expect("a time limit");
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            self.port,
            body.len()
        );
        stream.write_all(request.as_bytes()).expect("chromedriver reads");
        let mut answer = Vec::new();
        let mut bytes = vec![0; 65_536];
        // It keeps the connection open: the length says where the answer ends.
        loop {
            let count = stream.read(&mut bytes).expect("chromedriver answers");
            answer.extend_from_slice(&bytes[..count]);
            let text = String::from_utf8_lossy(&answer);
            let Some((head, body)) = text.split_once("\r\n\r\n") else {
                assert!(count > 0, "chromedriver closed the connection");
                continue;
            };
            let length = head.lines().filter_map(|line| line.split_once(':'));
            let length = length.clone().find(|(name, _)| name.eq_ignore_ascii_case("content-length"));
            let length: usize = length.and_then(|(_, value)| value.trim().parse().ok()).unwrap_or(0);
            if body.len() >= length || count == 0 {
                return serde_json::from_str(body).unwrap_or_default();
            }
        }
    }

    #[track_caller]
    fn command(&self, name: &str, body: &Value) -> Value {
        let method = if body.is_null() { "GET" } else { "POST" };
        let mut answer = self.ask(method, &format!("/session/{}/{name}", self.session), body);
        let error = answer.pointer("/value/error").is_some();
        assert!(!error, "{name}: {}", answer["value"]["message"]);
        answer["value"].take()
    }

    /// Opens an address.
    #[track_caller]
    pub fn open(&self, url: &str) {
        self.command("url", &json!({ "url": url }));
    }

    /// The address that is open.
    #[track_caller]
    pub fn address(&self) -> String {
        self.command("url", &Value::Null).as_str().unwrap_or_default().to_owned()
    }

    /// Sets the size of the page.
    #[track_caller]
    pub fn size(&self, width: u32, height: u32) {
        self.command("window/rect", &json!({"width": width, "height": height}));
    }

    /// Runs a script with arguments and gives what it returns.
    #[track_caller]
    pub fn script(&self, script: &str, args: &[Value]) -> Value {
        self.command("execute/sync", &json!({"script": script, "args": args}))
    }

    /// Runs a script whose last argument is a function that takes its result.
    #[track_caller]
    pub fn script_later(&self, script: &str, args: &[Value]) -> Value {
        self.command("execute/async", &json!({"script": script, "args": args}))
    }

    /// The text that is to be seen.
    #[track_caller]
    pub fn text(&self) -> String {
        let text = self.script("return document.body.innerText", &[]);
        text.as_str().unwrap_or_default().to_owned()
    }

    /// Waits until the page shows a text; gives all of it.
    #[track_caller]
    pub fn wait_for(&self, needle: &str) -> String {
        let end = Instant::now() + WAIT_TIMEOUT;
        loop {
            let text = self.text();
            if text.contains(needle) {
                return text;
            }
            assert!(Instant::now() < end, "not seen: {needle}\n{text}");
            std::thread::sleep(POLL_INTERVAL);
        }
    }

    #[track_caller]
    fn element(&self, selector: &str) -> String {
        let found = self.command("element", &json!({"using": "css selector", "value": selector}));
        let id = found.as_object().and_then(|object| object.values().next()).and_then(Value::as_str);
        id.unwrap_or_else(|| panic!("no {selector}")).to_owned()
    }

    /// Clicks on the first element that a selector finds.
    #[track_caller]
    pub fn click(&self, selector: &str) {
        let element = self.element(selector);
        self.command(&format!("element/{element}/click"), &json!({}));
    }

    /// Types into the first element that a selector finds.
    #[track_caller]
    pub fn type_into(&self, selector: &str, text: &str) {
        let element = self.element(selector);
        self.command(&format!("element/{element}/value"), &json!({ "text": text }));
    }

    /// Types at the page.
    #[track_caller]
    pub fn keys(&self, keys: &str) {
        self.type_into("body", keys);
    }

    /// Writes a picture of the page.
    #[track_caller]
    pub fn picture(&self, file: &Path) {
        let picture = self.command("screenshot", &Value::Null);
        std::fs::write(file, base64(picture.as_str().unwrap_or_default())).expect("a picture can be written");
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if !self.session.is_empty() {
            let _ = self.ask("DELETE", &format!("/session/{}", self.session), &json!({}));
        }
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

/// The bytes of a text in base 64.
fn base64(text: &str) -> Vec<u8> {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut bits, mut held, mut bytes) = (0_u32, 0, Vec::new());
    for letter in text.bytes().filter_map(|byte| LETTERS.iter().position(|known| *known == byte)) {
        bits = bits << 6 | letter as u32;
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held) as u8);
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    #[test]
    fn base64_is_read() {
        assert_eq!(super::base64("aGVyb24gaW4gdGhlIHJlZWRz"), b"heron in the reeds");
        assert_eq!(super::base64("aGk="), b"hi");
    }
}
