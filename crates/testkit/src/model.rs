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
enum StepKind {
    Blocks(Vec<Block>),
    Reaction(Reaction),
    Error { status: u16, message: String },
}

/// What the model does with one request.
#[derive(Clone)]
pub struct Step {
    kind: StepKind,
    input_tokens: Option<u64>,
    forever: bool,
}

impl Step {
    fn of(kind: StepKind) -> Self {
        Self { kind, input_tokens: None, forever: false }
    }

    /// Answers with whatever the closure makes of the request.
    ///
    /// It runs on the connection's own thread and may block; a panic in it fails the run that asked.
    pub fn with(react: impl Fn(&Value) -> Vec<Block> + Send + Sync + 'static) -> Self {
        Self::of(StepKind::Reaction(Arc::new(react)))
    }

    /// Answers with an HTTP error in the format of the request's protocol.
    ///
    /// Agents try again after most errors, Claude Code even after some 400s: add [`Step::forever`] for one
    /// that lasts, and `CLAUDE_CODE_MAX_RETRIES=0` where its minutes of retries would be too long.
    pub fn error(status: u16, message: impl Into<String>) -> Self {
        Self::of(StepKind::Error { status, message: message.into() })
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
            StepKind::Blocks(blocks) => f.debug_list().entries(blocks).finish(),
            StepKind::Reaction(_) => f.write_str("a closure"),
            StepKind::Error { status, message } => write!(f, "error {status}: {message}"),
        }
    }
}

impl From<Block> for Step {
    fn from(block: Block) -> Self {
        Self::of(StepKind::Blocks(vec![block]))
    }
}

impl From<Vec<Block>> for Step {
    fn from(blocks: Vec<Block>) -> Self {
        Self::of(StepKind::Blocks(blocks))
    }
}

impl<const N: usize> From<[Block; N]> for Step {
    fn from(blocks: [Block; N]) -> Self {
        Self::of(StepKind::Blocks(blocks.into()))
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

struct ScriptState {
    script: VecDeque<Step>,
    aux: Step,
    requests: Vec<Request>,
    tokens: u64,
    panic_message: Option<String>,
}

struct Stage {
    play: Mutex<ScriptState>,
    arrived: Condvar,
}

impl Stage {
    fn play(&self) -> MutexGuard<'_, ScriptState> {
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
            play: Mutex::new(ScriptState {
                script: script.into_iter().map(Into::into).collect(),
                aux: text("ok").into(),
                requests: Vec::new(),
                tokens: TOKENS,
                panic_message: None,
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

    /// Replaces what is left of the script, a step that lasts included.
    pub fn replace(&self, script: impl IntoIterator<Item = impl Into<Step>>) {
        self.stage.play().script = script.into_iter().map(Into::into).collect();
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
        let panic_message = self.stage.play().panic_message.clone();
        assert!(
            panic_message.is_none(),
            "a step of the script panicked: {}",
            panic_message.unwrap_or_default()
        );
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
        let tools = if wire == Some(Wire::Augment) { "tool_definitions" } else { "tools" };
        let offers_tools = body[tools].as_array().is_some_and(|tools| !tools.is_empty());
        let role = match wire {
            Some(_) if offers_tools && !is_chore(&body) => Role::Main,
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
            StepKind::Blocks(blocks) => blocks,
            StepKind::Error { status, message } => return wire.error(status, &message),
            StepKind::Reaction(react) => match catch_unwind(AssertUnwindSafe(|| react(&request.body))) {
                Ok(blocks) => blocks,
                Err(panic) => {
                    let message = panic
                        .downcast_ref::<String>()
                        .cloned()
                        .or_else(|| panic.downcast_ref::<&str>().map(|&s| s.to_owned()))
                        .unwrap_or_default();
                    self.play().panic_message.get_or_insert(message);
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
                "POST" if request.path.ends_with("/get-models") => {
                    Reply::json(200, &crate::wire::augment_models())
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

impl ScriptState {
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

/// True for a call that offers tools and is about the session, not a part of it: Grok's title and status line.
fn is_chore(body: &Value) -> bool {
    let only_title = body["tools"]
        .as_array()
        .is_some_and(|tools| matches!(tools.as_slice(), [one] if one["name"] == "session_title"));
    let last = body["input"].as_array().and_then(|items| items.last());
    let asks = last.and_then(|item| item["content"].as_str().map(str::to_owned));
    only_title
        || asks.is_some_and(|text| text.starts_with("<system-reminder>Write an ultra-short dashboard line"))
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpStream;

    use super::*;

    const PATHS: [(&str, Wire); 5] = [
        ("/v1/messages?beta=true", Wire::Anthropic),
        ("/v1/responses", Wire::Responses),
        ("/v1beta/models/x:streamGenerateContent?alt=sse", Wire::Gemini),
        ("/v1/chat/completions", Wire::Chat),
        ("/chat-stream", Wire::Augment),
    ];
    const WAIT_TIMEOUT: Duration = Duration::from_secs(10);

    fn send(model: &Model, method: &str, path: &str, body: &Value) -> (u16, String) {
        let body = body.to_string();
        let mut stream = TcpStream::connect(model.server.address()).unwrap();
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nx-Who: me\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
    }

    fn ask(model: &Model, path: &str, stream: bool) -> (u16, String) {
        send(model, "POST", path, &json!({"model": "m", "stream": stream, "tools": [{"name": "t"}]}))
    }

    /// The data of each event.
    fn events(body: &str) -> Vec<Value> {
        let data =
            body.lines().filter_map(|line| line.strip_prefix("data: ")).filter(|line| *line != "[DONE]");
        data.map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    fn call() -> Vec<Block> {
        vec![text("well"), tool("Bash", json!({"command": "ls"}))]
    }

    #[test]
    fn anthropic_streams_blocks_and_usage() {
        let model = Model::start([Step::from(call()).input_tokens(7000)]);
        let (status, body) = ask(&model, PATHS[0].0, true);
        let events = events(&body);
        assert_eq!((status, events[0]["message"]["usage"]["input_tokens"].as_u64()), (200, Some(7000)));
        assert_eq!(events[2]["delta"]["text"], "well");
        assert_eq!(events[4]["content_block"]["name"], "Bash");
        assert_eq!(events[5]["delta"]["partial_json"], r#"{"command":"ls"}"#);
        assert_eq!(events[7]["delta"]["stop_reason"], "tool_use");
        assert!(body.starts_with("event: message_start\ndata: "));
        let (_, count) = send(&model, "POST", "/v1/messages/count_tokens", &json!({}));
        assert_eq!(count, r#"{"input_tokens":7000}"#);
    }

    #[test]
    fn anthropic_answers_whole() {
        let model = Model::start([call()]);
        let message: Value = serde_json::from_str(&ask(&model, PATHS[0].0, false).1).unwrap();
        assert_eq!(message["content"][1]["input"]["command"], "ls");
        assert_eq!(message["stop_reason"], "tool_use");
    }

    #[test]
    fn responses_streams_items_and_calls_free_form_tools_with_text() {
        let model = Model::start([call(), vec![tool("apply_patch", json!("*** Begin"))]]);
        let first = events(&ask(&model, PATHS[1].0, true).1);
        assert_eq!(first[1]["item"]["content"][0]["text"], "well");
        assert_eq!(first[2]["item"]["arguments"], r#"{"command":"ls"}"#);
        assert_eq!(first[3]["response"]["usage"]["input_tokens"], 100);
        let tools = json!({"stream": true, "tools": [{"type": "custom", "name": "apply_patch"}]});
        let second = events(&send(&model, "POST", PATHS[1].0, &tools).1);
        assert_eq!(second[1]["item"]["type"], "custom_tool_call");
        assert_eq!(second[1]["item"]["input"], "*** Begin");
    }

    #[test]
    fn responses_calls_a_tool_in_the_namespace_that_has_it() {
        let model = Model::start([call(), call()]);
        let inner = json!({"type": "function", "name": "Bash"});
        let tools = json!([{"type": "namespace", "name": "shells", "tools": [inner]}]);
        let named = events(&send(&model, "POST", PATHS[1].0, &json!({"stream": true, "tools": tools})).1);
        assert_eq!(named[2]["item"]["namespace"], "shells");
        let plain = events(&send(&model, "POST", PATHS[1].0, &json!({"stream": true, "tools": [inner]})).1);
        assert!(plain[2]["item"].get("namespace").is_none());
    }

    #[test]
    fn a_script_can_be_replaced_while_the_model_runs() {
        let model = Model::start([Step::error(529, "busy").forever()]);
        let tools = json!({"tools": [{"name": "Bash"}]});
        assert_eq!(send(&model, "POST", PATHS[0].0, &tools).0, 529);
        model.replace([text("better")]);
        let (status, body) = send(&model, "POST", PATHS[0].0, &tools);
        assert!(status == 200 && body.contains("better"), "{body}");
    }

    #[test]
    fn gemini_and_chat_stream_too() {
        let model = Model::start([call(), call()]);
        let gemini = &events(&ask(&model, PATHS[2].0, false).1)[0];
        assert_eq!(gemini["candidates"][0]["content"]["parts"][1]["functionCall"]["name"], "Bash");
        let (_, body) = ask(&model, PATHS[3].0, true);
        let chat = events(&body);
        assert_eq!(chat[0]["choices"][0]["delta"]["tool_calls"][0]["index"], 0);
        assert_eq!(chat[1]["choices"][0]["finish_reason"], "tool_calls");
        assert!(body.ends_with("data: [DONE]\n\n"));
    }

    #[test]
    fn calls_without_tools_leave_the_script_alone() {
        let model = Model::start([text("first")]);
        model.answer_aux(text("a title"));
        let (_, aux) = send(&model, "POST", PATHS[0].0, &json!({"tools": []}));
        assert!(aux.contains("a title"));
        assert_eq!(model.steps_left(), 1);
        assert!(ask(&model, PATHS[0].0, false).1.contains("first"));
        assert!(ask(&model, PATHS[0].0, false).1.contains(r#""text":"ok""#));
        let roles: Vec<Role> = model.requests().iter().map(|request| request.role).collect();
        assert_eq!(roles, [Role::Aux, Role::Main, Role::Main]);
        assert_eq!(model.requests()[0].headers["x-who"], "me");
    }

    #[test]
    fn errors_have_the_protocols_shape_and_may_last() {
        let model = Model::start([Step::error(529, "busy"), Step::prompt_too_long().forever()]);
        let (status, body) = ask(&model, PATHS[0].0, true);
        assert_eq!(status, 529);
        assert!(body.contains("overloaded_error"));
        // One protocol says it inside of its answer.
        for (path, _) in PATHS.into_iter().filter(|(_, wire)| *wire != Wire::Augment) {
            let (status, body) = ask(&model, path, true);
            let body: Value = serde_json::from_str(&body).unwrap();
            assert_eq!(status, 400);
            assert!(body["error"]["message"].as_str().unwrap().starts_with("prompt is too long"));
        }
    }

    #[test]
    fn closures_see_the_request_and_their_panics_are_kept() {
        let echo = Step::with(|request| vec![text(format!("you are {}", request["model"]))]);
        let model = Model::start([echo, Step::with(|_| panic!("not like this"))]);
        assert!(ask(&model, PATHS[3].0, true).1.contains(r#"you are \"m\""#));
        model.check();
        assert_eq!(ask(&model, PATHS[3].0, true).0, 400);
        assert_eq!(model.stage.play().panic_message.as_deref(), Some("not like this"));
    }

    #[test]
    fn stubs_answer_and_the_rest_is_not_found() {
        let model = Model::start(Vec::<Step>::new());
        assert_eq!(send(&model, "GET", "/v1/models", &Value::Null).0, 200);
        assert_eq!(send(&model, "HEAD", "/", &Value::Null), (200, String::new()));
        assert_eq!(send(&model, "POST", "/telemetry", &Value::Null).0, 404);
        assert!(send(&model, "POST", "/v1beta/models/x:countTokens", &Value::Null).1.contains("100"));
        assert!(model.requests().iter().all(|request| request.role == Role::Stub));
    }

    #[test]
    fn waiting_ends_with_the_request_waited_for_even_if_the_answer_is_blocked() {
        let (open, gate) = std::sync::mpsc::channel::<()>();
        let gate = Mutex::new(gate);
        let model = Model::start([Step::with(move |_| {
            let _ = gate.lock().unwrap().recv();
            vec![text("late")]
        })]);
        std::thread::scope(|scope| {
            let slow = scope.spawn(|| ask(&model, PATHS[0].0, false));
            model.wait_for(|seen| seen.len() == 1, WAIT_TIMEOUT).unwrap();
            // Others are served meanwhile.
            assert!(ask(&model, PATHS[0].0, false).1.contains("ok"));
            model.wait_for(|seen| seen.len() == 2, WAIT_TIMEOUT).unwrap();
            let timed_out = model.wait_for(|seen| seen.len() == 3, Duration::from_millis(10)).unwrap_err();
            assert_eq!(timed_out.seen.len(), 2);
            drop(open);
            assert!(slow.join().unwrap().1.contains("late"));
        });
    }

    /// The same short conversation in each protocol.
    fn conversation(wire: Wire) -> Value {
        match wire {
            Wire::Anthropic => json!({
                "system": [{"type": "text", "text": "be brief"}],
                "messages": [
                    {"role": "user", "content": "list it"},
                    {"role": "assistant", "content": [{"type": "text", "text": "sure"},
                        {"type": "tool_use", "id": "c1", "name": "sh", "input": {"command": "ls"}}]},
                    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1",
                        "is_error": true, "content": [{"type": "text", "text": "a.txt"}]}]},
                    {"role": "system", "content": [{"type": "text", "text": "a reminder"}]}]}),
            Wire::Responses => json!({
                "instructions": "be brief",
                "input": [
                    {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "list it"}]},
                    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "sure"}]},
                    {"type": "function_call", "call_id": "c1", "name": "sh", "arguments": "{\"command\":\"ls\"}"},
                    {"type": "function_call_output", "call_id": "c1", "output": "a.txt"},
                    {"type": "message", "role": "developer", "content": "a reminder"}]}),
            Wire::Gemini => json!({
                "systemInstruction": {"role": "user", "parts": [{"text": "be brief"}]},
                "contents": [
                    {"role": "user", "parts": [{"text": "list it"}]},
                    {"role": "model", "parts": [{"text": "sure"},
                        {"functionCall": {"name": "c1", "args": {"command": "ls"}}}]},
                    {"role": "user", "parts": [
                        {"functionResponse": {"name": "c1", "response": {"error": "a.txt"}}},
                        {"text": "a reminder"}]}]}),
            Wire::Chat => json!({"messages": [
                {"role": "system", "content": "be brief"},
                {"role": "user", "content": [{"type": "text", "text": "list it"}]},
                {"role": "assistant", "content": "sure", "tool_calls": [{"id": "c1", "type": "function",
                    "function": {"name": "sh", "arguments": "{\"command\":\"ls\"}"}}]},
                {"role": "tool", "tool_call_id": "c1", "content": [{"type": "text", "text": "a.txt"}]},
                {"role": "developer", "content": "a reminder"}]}),
            Wire::Augment => json!({
                "user_guidelines": "be brief",
                "chat_history": [{
                    "request_nodes": [{"id": 1, "type": 0, "text_node": {"content": "list it"}}],
                    "response_nodes": [{"id": 1, "type": 0, "content": "sure"}, {"id": 2, "type": 5, "content": "",
                        "tool_use": {"tool_use_id": "c1", "tool_name": "sh", "input_json": "{\"command\":\"ls\"}"}}]}],
                "nodes": [
                    {"id": 1, "type": 1, "tool_result_node": {"tool_use_id": "c1", "content": "a.txt", "is_error": true}},
                    {"id": 2, "type": 0, "text_node": {"content": "a reminder"}}]}),
        }
    }

    #[test]
    fn every_protocol_reads_the_same() {
        for (path, wire) in PATHS {
            let model = Model::start(Vec::<Step>::new());
            send(&model, "POST", path, &conversation(wire));
            let request = &model.requests()[0];
            assert_eq!(request.wire, Some(wire));
            assert_eq!(request.told(), "be brief\nlist it\na.txt\na reminder", "{wire:?}");
            let own = request.said_by(|speaker| speaker == Speaker::Model);
            assert!(own.starts_with("sure\n") && own.ends_with(r#" {"command":"ls"}"#), "{own}");
            let error = matches!(wire, Wire::Anthropic | Wire::Gemini | Wire::Augment);
            let result = ToolResult { call: "c1".into(), text: "a.txt".into(), error };
            assert_eq!(request.tool_results(), [result]);
        }
    }
}
