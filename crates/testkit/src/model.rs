//! A scripted model on loopback: each request that offers tools gets the next step of the script.
//! Every request is kept and can be looked at, or waited for, while the agent still runs.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};

use crate::http::{Incoming, Reply, Server};
use crate::wire::{Answer, Part, Speaker, ToolResult, Wire};

/// Input tokens a step claims if it says nothing else.
const TOKENS: u64 = 100;

/// One block of a model's answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Block {
    /// Something said.
    Text(String),
    /// A tool call.
    Tool {
        /// The tool's name, as this agent calls it.
        name: String,
        /// Its arguments; a plain string for a free-form tool.
        args: Value,
    },
}

/// A block of text.
pub fn text(text: impl Into<String>) -> Block {
    Block::Text(text.into())
}

/// A tool call.
pub fn tool(name: impl Into<String>, args: Value) -> Block {
    Block::Tool { name: name.into(), args }
}

type Reaction = Arc<dyn Fn(&Value) -> Vec<Block> + Send + Sync>;

#[derive(Clone)]
enum Kind {
    Blocks(Vec<Block>),
    Reaction(Reaction),
    Error { status: u16, message: String },
}

/// What the model does with one request.
#[derive(Clone)]
pub struct Step {
    kind: Kind,
    input_tokens: Option<u64>,
    forever: bool,
}

impl Step {
    fn of(kind: Kind) -> Self {
        Self { kind, input_tokens: None, forever: false }
    }

    /// Answers with whatever the closure makes of the request.
    ///
    /// It runs on the connection's own thread and may block; a panic in it fails the run that asked.
    pub fn with(react: impl Fn(&Value) -> Vec<Block> + Send + Sync + 'static) -> Self {
        Self::of(Kind::Reaction(Arc::new(react)))
    }

    /// Answers with an HTTP error in the shape of the protocol asked in.
    ///
    /// Agents try again after most errors from 429 up: add [`Step::forever`] for one that lasts.
    pub fn error(status: u16, message: impl Into<String>) -> Self {
        Self::of(Kind::Error { status, message: message.into() })
    }

    /// The error Anthropic gives when the conversation no longer fits.
    pub fn prompt_too_long() -> Self {
        Self::error(400, "prompt is too long: 200001 tokens > 200000 maximum")
    }

    /// Claims that the request had this many tokens; token counts say the same until the next step.
    #[must_use]
    pub fn input_tokens(mut self, tokens: u64) -> Self {
        self.input_tokens = Some(tokens);
        self
    }

    /// Answers this way from here on: the steps after it are never reached.
    #[must_use]
    pub fn forever(mut self) -> Self {
        self.forever = true;
        self
    }
}

impl fmt::Debug for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Kind::Blocks(blocks) => f.debug_list().entries(blocks).finish(),
            Kind::Reaction(_) => f.write_str("a closure"),
            Kind::Error { status, message } => write!(f, "error {status}: {message}"),
        }
    }
}

impl From<Block> for Step {
    fn from(block: Block) -> Self {
        Self::of(Kind::Blocks(vec![block]))
    }
}

impl From<Vec<Block>> for Step {
    fn from(blocks: Vec<Block>) -> Self {
        Self::of(Kind::Blocks(blocks))
    }
}

impl<const N: usize> From<[Block; N]> for Step {
    fn from(blocks: [Block; N]) -> Self {
        Self::of(Kind::Blocks(blocks.into()))
    }
}

/// What a request is to the script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A model call that offers tools: it gets the next step.
    Main,
    /// A model call without tools (titles, summaries, routing): it gets the auxiliary answer.
    Aux,
    /// Anything else: token counts, model lists, health checks.
    Stub,
}

/// One request an agent made.
#[derive(Debug, Clone)]
pub struct Request {
    /// The HTTP method.
    pub method: String,
    /// The path with its query.
    pub path: String,
    /// The headers, names in lower case.
    pub headers: BTreeMap<String, String>,
    /// The parsed body; null when there was none.
    pub body: Value,
    /// What it is to the script.
    pub role: Role,
    /// The protocol, if it is a model call.
    pub wire: Option<Wire>,
}

impl Request {
    /// Everything said in it, in order: the system prompt, then the messages.
    pub fn parts(&self) -> Vec<Part> {
        self.wire.map(|wire| wire.parts(&self.body)).unwrap_or_default()
    }

    /// All its text: system prompt, messages, tool calls and results.
    pub fn text(&self) -> String {
        self.said_by(|_| true)
    }

    /// What the model is told: all text but the model's own, so a script cannot satisfy its own test.
    pub fn told(&self) -> String {
        self.said_by(|speaker| speaker != Speaker::Model)
    }

    /// The text of some speakers only.
    pub fn said_by(&self, whom: impl Fn(Speaker) -> bool) -> String {
        let texts: Vec<String> =
            self.parts().into_iter().filter(|part| whom(part.speaker)).map(|part| part.text).collect();
        texts.join("\n")
    }

    /// The tool results in it, the whole conversation's, in order.
    pub fn tool_results(&self) -> Vec<ToolResult> {
        self.parts()
            .into_iter()
            .filter_map(|Part { text, call, .. }| call.map(|(call, error)| ToolResult { call, text, error }))
            .collect()
    }

    /// The names of the tools it offers.
    pub fn tools(&self) -> Vec<String> {
        let declared = |tool: &Value| -> Vec<String> {
            let many = tool["functionDeclarations"].as_array();
            let one =
                std::slice::from_ref(if tool["function"].is_object() { &tool["function"] } else { tool });
            many.map_or(one, Vec::as_slice)
                .iter()
                .filter_map(|tool| tool["name"].as_str().or_else(|| tool["type"].as_str()))
                .map(str::to_owned)
                .collect()
        };
        self.body["tools"].as_array().map_or_else(Vec::new, |tools| tools.iter().flat_map(declared).collect())
    }
}

/// A wait for requests that came to nothing.
#[derive(Debug, Clone, thiserror::Error)]
#[error("not seen within {within:?}; {} requests so far: {seen:#?}", seen.len())]
pub struct TimedOut {
    /// How long it waited.
    pub within: Duration,
    /// Method, path and role of the requests that did come.
    pub seen: Vec<(String, String, Role)>,
}

struct Play {
    script: VecDeque<Step>,
    aux: Step,
    requests: Vec<Request>,
    tokens: u64,
    fault: Option<String>,
}

struct Stage {
    play: Mutex<Play>,
    arrived: Condvar,
}

impl Stage {
    fn play(&self) -> MutexGuard<'_, Play> {
        self.play.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The scripted model: a server on loopback that stops when dropped.
pub struct Model {
    stage: Arc<Stage>,
    server: Server,
}

impl Model {
    /// Starts with a script; after its end every answer is the text "ok".
    pub fn start(script: impl IntoIterator<Item = impl Into<Step>>) -> Self {
        let stage = Arc::new(Stage {
            play: Mutex::new(Play {
                script: script.into_iter().map(Into::into).collect(),
                aux: text("ok").into(),
                requests: Vec::new(),
                tokens: TOKENS,
                fault: None,
            }),
            arrived: Condvar::new(),
        });
        let server = {
            let stage = Arc::clone(&stage);
            Server::start(move |incoming| stage.answer(incoming)).expect("a port on loopback")
        };
        Self { stage, server }
    }

    /// Where it listens, without a path.
    pub fn url(&self) -> String {
        format!("http://{}", self.server.address())
    }

    /// Adds a step at the end of the script.
    pub fn push(&self, step: impl Into<Step>) {
        self.stage.play().script.push_back(step.into());
    }

    /// Sets the answer to calls that offer no tools; it is the text "ok" at first.
    pub fn answer_aux(&self, step: impl Into<Step>) {
        self.stage.play().aux = step.into();
    }

    /// Steps of the script not asked for yet.
    pub fn steps_left(&self) -> usize {
        self.stage.play().script.len()
    }

    /// All requests so far.
    pub fn requests(&self) -> Vec<Request> {
        self.stage.play().requests.clone()
    }

    /// Waits until the requests so far satisfy the closure, woken by each new one, and returns them.
    pub fn wait_for(
        &self,
        until: impl Fn(&[Request]) -> bool,
        within: Duration,
    ) -> Result<Vec<Request>, TimedOut> {
        let (play, timeout) = self
            .stage
            .arrived
            .wait_timeout_while(self.stage.play(), within, |play| !until(&play.requests))
            .unwrap_or_else(PoisonError::into_inner);
        if timeout.timed_out() && !until(&play.requests) {
            let seen = play.requests.iter().map(|r| (r.method.clone(), r.path.clone(), r.role)).collect();
            return Err(TimedOut { within, seen });
        }
        Ok(play.requests.clone())
    }

    /// Panics if a closure of the script did.
    #[track_caller]
    pub fn check(&self) {
        let fault = self.stage.play().fault.clone();
        assert!(fault.is_none(), "a step of the script panicked: {}", fault.unwrap_or_default());
    }
}

impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Model({})", self.url())
    }
}

impl Stage {
    fn answer(&self, incoming: Incoming) -> Reply {
        let Incoming { method, path, headers, body } = incoming;
        let body: Value = serde_json::from_slice(&body).unwrap_or_default();
        let wire = if method == "POST" { Wire::of(&path) } else { None };
        let offers_tools = body["tools"].as_array().is_some_and(|tools| !tools.is_empty());
        let role = match wire {
            Some(_) if offers_tools => Role::Main,
            Some(_) => Role::Aux,
            None => Role::Stub,
        };
        let request = Request { method, path, headers, body, role, wire };
        let Some(wire) = wire else { return self.stub(request) };

        let (step, tokens) = {
            let mut play = self.play();
            let step = match role {
                Role::Main => play.next(),
                _ => play.aux.clone(),
            };
            let tokens = step.input_tokens.unwrap_or(TOKENS);
            if role == Role::Main {
                play.tokens = tokens;
            }
            play.requests.push(request.clone());
            (step, tokens)
        };
        self.arrived.notify_all();

        let blocks = match step.kind {
            Kind::Blocks(blocks) => blocks,
            Kind::Error { status, message } => return wire.error(status, &message),
            Kind::Reaction(react) => match catch_unwind(AssertUnwindSafe(|| react(&request.body))) {
                Ok(blocks) => blocks,
                Err(panic) => {
                    let message = panic
                        .downcast_ref::<String>()
                        .cloned()
                        .or_else(|| panic.downcast_ref::<&str>().map(|&s| s.to_owned()))
                        .unwrap_or_default();
                    self.play().fault.get_or_insert(message);
                    return wire.error(400, "the script panicked");
                }
            },
        };
        let answer = Answer { id: next_id(), blocks, input_tokens: tokens };
        wire.answer(&request.path, &request.body, &answer)
    }

    fn stub(&self, request: Request) -> Reply {
        let reply = {
            let tokens = self.play().tokens;
            match request.method.as_str() {
                "POST" if request.path.contains("count_tokens") => {
                    Reply::json(200, &json!({"input_tokens": tokens}))
                }
                "POST" if request.path.contains(":countTokens") => {
                    Reply::json(200, &json!({"totalTokens": tokens}))
                }
                "GET" | "HEAD" => Reply::json(200, &json!({"models": [], "data": []})),
                _ => Reply::json(404, &json!({"error": {"message": "not here"}})),
            }
        };
        self.play().requests.push(request);
        self.arrived.notify_all();
        reply
    }
}

impl Play {
    fn next(&mut self) -> Step {
        match self.script.front() {
            Some(step) if step.forever => step.clone(),
            Some(_) => self.script.pop_front().expect("there is a front"),
            None => text("ok").into(),
        }
    }
}

/// Ids never repeat in a process: a resumed conversation holds those of earlier models too.
fn next_id() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}
