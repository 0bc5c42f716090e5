//! What an MCP client may send after the handshake: any lines, a tool with any arguments, any resource, any prompt.
//! The server answers and goes on; the first byte chooses what is sent.
#![no_main]

use rmcp::ServiceExt as _;
use serde_json::{Value, json};
use sprag_config::host::Host;
use sprag_mcp::{Options, Server};
use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};

/// Calls after which the home is made again: some tools write into it.
const CALLS_PER_HOME: u32 = 2_000;

fn home() -> PathBuf {
    thread_local!(static CALLS: Cell<u32> = const { Cell::new(0) });
    let folder = std::env::temp_dir().join(format!("sprag-fuzz-mcp-{}", std::process::id()));
    let calls = CALLS.get();
    CALLS.set(calls + 1);
    if calls % CALLS_PER_HOME == 0 {
        let _ = std::fs::remove_dir_all(&folder);
        let _ = std::fs::create_dir_all(folder.join("shop/.git"));
        let _ = std::fs::write(folder.join("shop/cart.py"), "def total(items):\n    s = 0\n    for i in items:\n        s += i\n    return s\n");
    }
    folder
}

fn messages(data: &[u8]) -> Vec<u8> {
    let Some((first, rest)) = data.split_first() else { return Vec::new() };
    let text = String::from_utf8_lossy(rest);
    let tools: Vec<&str> = sprag_mcp::tool_names().collect();
    let one = |method: &str, params: Value| {
        format!("{}\n", json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params})).into_bytes()
    };
    let number = usize::from(*first);
    match number {
        0..=31 => rest.to_vec(),
        32..=47 => one("resources/read", json!({"uri": text})),
        48..=63 => one("prompts/get", json!({"name": text, "arguments": {"text": text}})),
        _ => {
            let arguments = serde_json::from_slice::<Value>(rest).unwrap_or_else(|_| {
                let words = ["query", "text", "path", "name", "command", "id", "question", "symbol"];
                Value::Object(words.iter().map(|word| ((*word).to_owned(), json!(text))).collect())
            });
            one("tools/call", json!({"name": tools[number % tools.len()], "arguments": arguments}))
        }
    }
}

async fn serve(home: &Path, sent: &[u8]) {
    let host = Host::in_home(home, &[]);
    let server = Server::new(host, Options { project: Some(home.join("shop")), ..Options::default() });
    let (client, other) = tokio::io::duplex(1 << 20);
    let serving = tokio::spawn(async move {
        if let Ok(running) = server.serve(other).await {
            let _ = running.waiting().await;
        }
    });
    let (read, mut write) = tokio::io::split(client);
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "fuzz", "version": "1"}}});
    let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let last = json!({"jsonrpc": "2.0", "id": "the-last", "method": "ping"});
    let _ = write.write_all(format!("{hello}\n{ready}\n").as_bytes()).await;
    let _ = write.write_all(sent).await;
    let _ = write.write_all(format!("\n{last}\n").as_bytes()).await;
    let _ = write.flush().await;
    let asked = sent.starts_with(b"{\"jsonrpc\":\"2.0\",\"id\":7");
    let (mut alive, mut answered) = (false, !asked);
    let mut lines = BufReader::new(read).lines();
    while !(alive && answered) {
        let Ok(Some(line)) = lines.next_line().await else { break };
        alive |= line.contains("the-last");
        answered |= line.contains("\"id\":7");
    }
    // Lines that are no messages may end the connection; a question is always answered.
    assert!(answered, "no answer to {}", String::from_utf8_lossy(sent));
    let _ = write.shutdown().await;
    drop((write, lines));
    serving.abort();
}

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let sent = messages(data);
    let home = home();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let _ = tokio::time::timeout(Duration::from_secs(15), serve(&home, &sent)).await.expect("the server answers");
    });
    runtime.shutdown_background();
});
