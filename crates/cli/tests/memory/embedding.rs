//! An embedding endpoint in the encoder's place, over real HTTP on the loopback: available, unavailable, slow, wrong, another model.

use crate::cli_home::{Home, SPRAG};
use serde_json::{Value, json};
use sprag_testkit::http::{Incoming, Reply, Server};
use std::net::TcpListener;
use std::process::Stdio;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

/// What the endpoint does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Good,
    /// Takes the question and never answers.
    Silent,
    /// Answers once, then never again.
    OnceThenSilent,
    Short,
    Garbage,
}

/// A server that makes vectors by theme: texts about the same thing point the same way, whatever their words.
struct Endpoint {
    url: String,
    mode: Arc<Mutex<Mode>>,
    asked: Arc<Mutex<Vec<Value>>>,
    stuck: Receiver<()>,
    _server: Server,
}

const SIZE: usize = 8;
const THEMES: [&[&str]; 3] =
    [&["webhook", "billed", "payment"], &["keypress", "hangs", "vitest"], &["pnpm", "package manager"]];

fn vector(text: &str) -> Vec<f64> {
    let text = text.to_lowercase();
    let mut numbers: Vec<f64> = THEMES
        .iter()
        .map(|words| f64::from(u8::from(words.iter().any(|word| text.contains(word)))))
        .collect();
    // What belongs to no theme points somewhere of its own.
    let sum: usize = text.bytes().map(usize::from).sum();
    numbers.extend((THEMES.len()..SIZE).map(|at| if sum % 5 == at - THEMES.len() { 0.4 } else { 0.05 }));
    numbers
}

impl Endpoint {
    fn start() -> Self {
        let (mode, asked) = (Arc::new(Mutex::new(Mode::Good)), Arc::new(Mutex::new(Vec::new())));
        let (stuck, got_stuck) = channel();
        let (for_mode, for_asked) = (mode.clone(), asked.clone());
        let server = Server::start(move |incoming| answer(&incoming, &for_mode, &for_asked, &stuck)).unwrap();
        let url = format!("http://{}/v1", server.address());
        Self { url, mode, asked, stuck: got_stuck, _server: server }
    }

    fn is(&self, mode: Mode) {
        *self.mode.lock().unwrap() = mode;
    }

    /// The texts that it was asked for since the last time.
    fn texts(&self) -> Vec<String> {
        let asked = std::mem::take(&mut *self.asked.lock().unwrap());
        let texts = asked.iter().flat_map(|body| body["input"].as_array().unwrap().clone());
        texts.map(|text| text.as_str().unwrap().to_owned()).collect()
    }

    fn config(&self, model: &str) -> String {
        format!(
            "[recall]\nembedder = \"endpoint\"\nurl = \"{}\"\nmodel = \"{model}\"\ndimensions = {SIZE}\ntimeout_ms = 20000\n",
            self.url
        )
    }
}

/// The answer to one question; none when it shall stay without one.
fn answer(
    incoming: &Incoming,
    mode: &Mutex<Mode>,
    asked: &Mutex<Vec<Value>>,
    stuck: &Sender<()>,
) -> Option<Reply> {
    assert_eq!((incoming.method.as_str(), incoming.path.as_str()), ("POST", "/v1/embeddings"));
    let body: Value = serde_json::from_slice(&incoming.body).unwrap();
    asked.lock().unwrap().push(body.clone());
    let now = *mode.lock().unwrap();
    let texts = body["input"].as_array().unwrap();
    let embedding = |text: &Value| {
        let mut numbers = vector(text.as_str().unwrap());
        numbers.truncate(if now == Mode::Short { 3 } else { SIZE });
        numbers
    };
    let data: Vec<Value> = texts
        .iter()
        .enumerate()
        .map(|(at, text)| json!({ "index": at, "embedding": embedding(text) }))
        .collect();
    match now {
        Mode::Silent => {
            let _ = stuck.send(());
            return None;
        }
        Mode::Garbage => {
            return Some(Reply {
                status: 200,
                kind: "text/html",
                body: b"<html>no such thing</html>".to_vec(),
            });
        }
        Mode::OnceThenSilent => *mode.lock().unwrap() = Mode::Silent,
        Mode::Good | Mode::Short => {}
    }
    Some(Reply::json(200, &json!({ "object": "list", "data": data })))
}

const WEBHOOKS: &str = "Payment webhooks arrive more than once; store the event id and ignore repeats.";
const HANG: &str = "Vitest waits for a keypress in watch mode; pass --run in CI.";
const BILLED: &str = "customers were billed twice";

fn found(home: &Home, question: &str) -> Vec<String> {
    let found = home.run(&["memory", "recall", question, "--json"]).json();
    found.as_array().unwrap().iter().map(|one| one["text"].as_str().unwrap().to_owned()).collect()
}

fn stats(home: &Home) -> Value {
    home.run(&["memory", "stats", "--json"]).json()
}

#[test]
fn documents_and_questions_go_to_the_endpoint_without_secrets() {
    let (home, endpoint) = (Home::new(), Endpoint::start());
    home.write(".config/sprag/config.toml", &endpoint.config("small"));
    home.run(&["memory", "add", WEBHOOKS]).ok();
    home.run(&["memory", "add", HANG]).ok();
    assert_eq!(found(&home, BILLED)[0], WEBHOOKS, "by meaning alone");
    home.run(&["memory", "recall", "what is ghp_0123456789abcdefghijABCDEFGHIJ012345 for"]).ok();
    let texts = endpoint.texts();
    assert!(
        texts.iter().any(|text| text == WEBHOOKS) && texts.iter().any(|text| text == BILLED),
        "{texts:?}"
    );
    assert!(!texts.iter().any(|text| text.contains("ghp_0123")), "{texts:?}");
    let stats = stats(&home);
    assert_eq!((&stats["model"], &stats["vectors"]), (&json!("small/8"), &json!(2)));
    assert_eq!(stats["models"], json!([{ "model": "small/8", "vectors": 2 }]));
}

#[test]
fn while_the_endpoint_is_away_words_alone_are_looked_up_and_it_is_said() {
    let (home, endpoint) = (Home::new(), Endpoint::start());
    home.write(".config/sprag/config.toml", &endpoint.config("small"));
    home.run(&["memory", "add", WEBHOOKS]).ok();
    // A port that nobody listens on.
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let unavailable = endpoint.config("small").replace(&endpoint.url, &format!("http://{free}/v1"));
    let slow = endpoint.config("small").replace("20000", "150");
    for (config, mode) in [
        (unavailable.as_str(), Mode::Good),
        (slow.as_str(), Mode::Silent),
        (&endpoint.config("small"), Mode::Short),
        (&endpoint.config("small"), Mode::Garbage),
    ] {
        home.write(".config/sprag/config.toml", config);
        endpoint.is(mode);
        let ran = home.run(&["memory", "recall", "payment webhooks", "--json"]);
        assert!(ran.err.contains("found by words alone: the embedding endpoint"), "{ran:?}");
        assert_eq!(ran.json()[0]["text"], WEBHOOKS);
        assert!(found(&home, BILLED).is_empty(), "no vector of another kind takes part");
    }
    let kept = home.run(&["memory", "add", HANG, "--json"]);
    assert!(kept.err.contains("until the background has made its vector"), "{kept:?}");
    assert_eq!(kept.json()["status"], "new");
    assert_eq!(found(&home, "vitest keypress")[0], HANG);
    assert_eq!(stats(&home)["without_vector"], 1);
    endpoint.is(Mode::Good);
    home.run(&["worker", "--once"]).ok();
    assert_eq!(stats(&home)["without_vector"], 0, "the background makes up for it");
    assert_eq!(found(&home, "the suite hangs")[0], HANG);
}

#[test]
fn a_prompt_waits_once_for_an_endpoint_that_is_away_and_words_still_match() {
    let (home, endpoint) = (Home::new(), Endpoint::start());
    home.write(".config/sprag/config.toml", &endpoint.config("small"));
    home.run(&["memory", "add", WEBHOOKS]).ok();
    endpoint.texts();
    endpoint.is(Mode::Garbage);
    let prompt = |text: &str| home.hook(&home.event("UserPromptSubmit", json!({ "prompt": text })));
    let said = prompt("payment webhooks arrive twice");
    assert!(said.contains("MEMORY MATCH") && said.contains("ignore repeats"), "{said}");
    prompt("something else about payment webhooks");
    assert_eq!(endpoint.texts().len(), 1, "the second prompt leaves it alone");
}

#[test]
fn shown_unasked_by_another_models_cosines() {
    let (home, endpoint) = (Home::new(), Endpoint::start());
    home.write(".config/sprag/config.toml", &endpoint.config("small"));
    let fillers: Vec<Value> = (0..120)
        .map(|n| json!({ "text": format!("Note {n} about gardening in season {}", n * 7) }))
        .collect();
    home.write("notes.json", &Value::Array(fillers).to_string());
    home.run(&["memory", "import", &home.path().join("notes.json").display().to_string()]).ok();
    home.run(&["memory", "add", WEBHOOKS]).ok();
    let prompt = |text: &str| home.hook(&home.event("UserPromptSubmit", json!({ "prompt": text })));
    let said = prompt("customers were billed twice for one purchase");
    assert!(said.contains("MEMORY MATCH (1)") && said.contains("ignore repeats"), "{said}");
    let said = prompt("explain the theory of relativity in simple words");
    assert!(!said.contains("MEMORY MATCH"), "{said}");
}

#[test]
fn another_model_rebuilds_the_vectors_and_two_models_are_never_mixed() {
    let (home, endpoint) = (Home::new(), Endpoint::start());
    home.run(&["memory", "add", WEBHOOKS]).ok();
    home.run(&["memory", "add", HANG]).ok();
    assert_eq!(found(&home, BILLED)[0], WEBHOOKS, "by the encoder in the program");
    // The same number of dimensions as the encoder has: only the name tells the vectors apart.
    let config = endpoint.config("other").replace("dimensions = 8", "dimensions = 384");
    home.write(".config/sprag/config.toml", &config);
    endpoint.is(Mode::Garbage);
    assert!(found(&home, BILLED).is_empty(), "the encoder's vectors are not this model's");
    home.write(".config/sprag/config.toml", &endpoint.config("small"));
    endpoint.is(Mode::Good);
    assert!(found(&home, BILLED).is_empty(), "there are none of this model yet");
    assert_eq!(found(&home, "payment webhooks")[0], WEBHOOKS, "words go on");
    let told = home.run(&["memory", "stats"]).ok();
    assert!(
        told.contains("all-MiniLM-L6-v2/int8") && told.contains("2 cannot be found by meaning yet"),
        "{told}"
    );
    // The question itself has queued the job.
    home.run(&["worker", "--once"]).ok();
    assert_eq!(found(&home, BILLED)[0], WEBHOOKS);
    assert_eq!(stats(&home)["models"], json!([{ "model": "small/8", "vectors": 2 }]));
    home.write(".config/sprag/config.toml", "");
    let again = home.run(&["memory", "reembed", "--json"]).json();
    assert_eq!(again, json!({ "made": 2, "model": "all-MiniLM-L6-v2/int8", "dropped": 0 }));
    assert_eq!(found(&home, BILLED)[0], WEBHOOKS, "and back");
}

#[test]
fn killed_in_the_middle_of_re_embedding_it_goes_on_where_it_was() {
    let (home, endpoint) = (Home::new(), Endpoint::start());
    let notes: Vec<Value> =
        (0..70).map(|n| json!({ "text": format!("Fact number {n}: room {} is taken", n * 31) })).collect();
    home.write("notes.json", &Value::Array(notes).to_string());
    home.run(&["memory", "import", &home.path().join("notes.json").display().to_string()]).ok();
    home.write(".config/sprag/config.toml", &endpoint.config("small"));
    endpoint.is(Mode::OnceThenSilent);
    let mut child = home
        .program(SPRAG, &["memory", "reembed"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    endpoint.stuck.recv().unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(endpoint.texts().len(), 64, "one batch was answered, the second was asked for");
    assert_eq!(stats(&home)["vectors"], 32, "the first batch is kept");
    endpoint.is(Mode::Good);
    assert_eq!(home.run(&["memory", "reembed", "--json"]).json()["made"], 38);
    let again = endpoint.texts();
    assert_eq!(again.len(), 38, "nothing is asked for twice but what was not answered");
    assert_eq!(stats(&home)["without_vector"], 0);
    assert_eq!(home.run(&["memory", "reembed", "--all", "--json"]).json()["made"], 70);
}

#[test]
fn a_repository_cannot_send_memories_anywhere() {
    let (home, endpoint) = (Home::new(), Endpoint::start());
    home.write("shop/.sprag/config.toml", &endpoint.config("small"));
    for trusted in [false, true] {
        if trusted {
            home.run(&["trust"]);
        }
        home.run(&["memory", "add", WEBHOOKS]).ok();
        home.hook(&home.event("UserPromptSubmit", json!({ "prompt": "customers were billed twice for it" })));
        assert_eq!(found(&home, BILLED)[0], WEBHOOKS);
        assert!(endpoint.texts().is_empty());
    }
}

#[test]
fn what_is_missing_in_the_configuration_is_said() {
    let home = Home::new();
    home.write(
        ".config/sprag/config.toml",
        "[recall]\nembedder = \"endpoint\"\nurl = \"http://localhost:1\"\n",
    );
    let said = home.run(&["memory", "add", WEBHOOKS]);
    assert!(said.err.contains("needs url, model and dimensions"), "{said:?}");
}
