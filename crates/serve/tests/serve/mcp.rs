//! MCP over HTTP: a client with the token is served as on standard input, and nobody else.

use super::client::{Answer, Server};
use serde_json::{Value, json};
use sprag_serve::Options;

fn server() -> (Server, String) {
    let server = Server::with(tempfile::tempdir().unwrap(), &Options { mcp: true, ..Options::default() });
    let token = std::fs::read_to_string(sprag_serve::token_file(&server.host)).unwrap();
    (server, token.trim().to_owned())
}

fn ask(server: &Server, headers: &[(&str, &str)], body: &Value) -> Answer {
    let body = body.to_string();
    let mut lines: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    if !headers.iter().any(|(name, _)| *name == "Host") {
        lines.push_str(&format!("Host: {}\r\n", server.address));
    }
    server.raw(&format!(
        "POST /mcp HTTP/1.1\r\n{lines}Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
         Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    ))
}

fn hello() -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18",
        "capabilities": {}, "clientInfo": {"name": "claude-code", "version": "1"}}})
}

/// The JSON of an answer, which may be a stream of events.
fn result(answer: &Answer) -> Value {
    let lines = answer.body.lines().filter_map(|line| line.strip_prefix("data:")).map(str::trim);
    let mut found = lines.filter(|line| line.starts_with('{')).chain([answer.body.as_str()]);
    found.find_map(|text| serde_json::from_str(text).ok()).unwrap_or_default()
}

#[test]
fn a_client_with_the_token_lists_and_calls_tools() {
    let (server, token) = server();
    let bearer = format!("Bearer {token}");
    let first = ask(&server, &[("Authorization", &bearer)], &hello());
    assert_eq!(first.status, 200, "{}", first.body);
    assert_eq!(result(&first)["result"]["serverInfo"]["name"], "sprag");
    let session = first.header("mcp-session-id").unwrap().to_owned();
    let headers = [("Authorization", bearer.as_str()), ("Mcp-Session-Id", &session)];
    let begun = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    assert_eq!(ask(&server, &headers, &begun).status, 202);
    let list = ask(&server, &headers, &json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}));
    let list = result(&list);
    let tools: Vec<&str> =
        list["result"]["tools"].as_array().unwrap().iter().filter_map(|tool| tool["name"].as_str()).collect();
    assert_eq!(tools, sprag_mcp::tool_names().collect::<Vec<_>>());
    let call = json!({"jsonrpc": "2.0", "id": 3, "method": "tools/call",
        "params": {"name": "code_outline", "arguments": {"file": "a.rs"}}});
    let said = result(&ask(&server, &headers, &call)).to_string();
    assert!(
        said.contains("it is not known which project"),
        "where the server runs is no client's project: {said}"
    );
}

#[test]
fn nobody_else_is_answered() {
    let (server, token) = server();
    let (right, own) = (format!("Bearer {token}"), format!("http://{}", server.address));
    let cookie = server.enter();
    let status = |headers: &[(&str, &str)]| ask(&server, headers, &hello()).status;
    assert_eq!(status(&[]), 401, "no token");
    assert_eq!(status(&[("Cookie", &cookie), ("Origin", &own)]), 401, "the page's cookie is no token");
    assert_eq!(status(&[("Authorization", "Bearer 00")]), 401, "a wrong one");
    assert_eq!(status(&[("Authorization", &token)]), 401, "another scheme");
    assert_eq!(
        status(&[("Authorization", &right), ("Host", "evil.example")]),
        421,
        "another name leads here"
    );
    for origin in ["http://evil.example", "null", "https://127.0.0.1"] {
        assert_eq!(status(&[("Authorization", &right), ("Origin", origin)]), 403, "{origin}");
    }
    assert_eq!(status(&[("Authorization", &right), ("Sec-Fetch-Site", "cross-site")]), 403);
    assert_eq!(status(&[("Authorization", &right)]), 200);
    assert_eq!(server.get("/", &[("Authorization", &right)]).status, 401, "the token opens no page");
    for _ in 0..12 {
        status(&[("Authorization", "Bearer 00")]);
    }
    assert_eq!(status(&[("Authorization", &right)]), 429, "who guesses is locked out");
}

#[test]
fn without_the_option_there_is_nothing() {
    let server = Server::start(false);
    let cookie = server.enter();
    assert_eq!(server.get("/mcp", &[("Cookie", &cookie)]).status, 404);
    assert_eq!(ask(&server, &[("Authorization", "Bearer x")], &hello()).status, 403);
    assert!(!sprag_serve::token_file(&server.host).exists());
}
