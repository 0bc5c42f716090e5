//! The model of a case: answers that the case wrote down, in order, through a loopback endpoint as a real one would give
//! them. What it was asked is kept for the expectations.

use serde_json::{Value, json};
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// A question is smaller than this.
const LARGEST: u64 = 8 << 20;
/// A client that says nothing for so long is left.
const SILENCE: Duration = Duration::from_secs(30);

/// A running model. Dropping it frees the port.
pub(crate) struct Scripted {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<String>>>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Scripted {
    /// Starts one that gives these answers; the last is given again and again.
    pub(crate) fn start(answers: Vec<String>) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let (asked, stop) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicBool::new(false)));
        let thread = {
            let (asked, stop) = (Arc::clone(&asked), Arc::clone(&stop));
            std::thread::spawn(move || {
                let mut given = 0;
                for stream in listener.incoming() {
                    if stop.load(Ordering::SeqCst) {
                        return;
                    }
                    let answer = answers.get(given).or(answers.last()).map_or("", String::as_str);
                    // Kept before it is answered: who has the answer may look at the question.
                    let keep = |question| asked.lock().unwrap_or_else(PoisonError::into_inner).push(question);
                    if stream.and_then(|stream| serve(stream, answer, keep)).is_ok() {
                        given += 1;
                    }
                }
            })
        };
        Ok(Self { address, asked, stop, thread: Some(thread) })
    }

    /// The variables that make it the model of `[llm]`.
    pub(crate) fn variables(&self) -> [(String, String); 2] {
        [
            ("SPRAG_LLM_BACKEND".to_owned(), "openai".to_owned()),
            ("SPRAG_LLM_URL".to_owned(), format!("http://{}", self.address)),
        ]
    }

    /// What it was asked since the last time.
    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.asked.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Drop for Scripted {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
        // Wakes the thread, which waits for a client.
        drop(TcpStream::connect(self.address));
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Reads one question and answers it.
fn serve(mut stream: TcpStream, answer: &str, keep: impl FnOnce(String)) -> io::Result<()> {
    stream.set_read_timeout(Some(SILENCE))?;
    let mut reader = BufReader::new(stream.try_clone()?.take(LARGEST));
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().map_err(io::Error::other)?;
        }
    }
    let mut body = Vec::new();
    reader.take(length).read_to_end(&mut body)?;
    let body: Value = serde_json::from_slice(&body).map_err(io::Error::other)?;
    let question = body.pointer("/messages/0/content").and_then(Value::as_str).unwrap_or_default().to_owned();
    keep(question);
    let answer = json!({"choices": [{"message": {"role": "assistant", "content": answer}}]}).to_string();
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        answer.len()
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(answer.as_bytes())
}
