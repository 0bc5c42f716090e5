//! Requests to `sprag serve` and to its MCP clients' address: raw bytes, and requests with a cookie that is let in.
//! Every request ends; the server goes on. The first byte chooses the kind.
#![no_main]

use sprag_config::host::Host;
use sprag_project::Project;
use sprag_serve::Options;
use std::io::{Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::OnceLock;
use std::time::Duration;

struct Page {
    address: SocketAddr,
    cookie: String,
    token: String,
}

fn page() -> &'static Page {
    static PAGE: OnceLock<Page> = OnceLock::new();
    PAGE.get_or_init(|| {
        let folder = std::env::temp_dir().join(format!("sprag-fuzz-http-{}", std::process::id()));
        let _ = std::fs::create_dir_all(folder.join("shop/.git"));
        let host = Host::in_home(&folder, &[]);
        let project = Project::find(&folder.join("shop").display().to_string(), &host.env, &host.paths.home);
        let _ = std::fs::create_dir_all(&host.paths.state);
        let _ = std::fs::write(host.paths.state.join("journal.jsonl"), include_str!("../seeds/state/journal.jsonl"));
        let options = Options { actions: true, metrics: true, mcp: true, ..Options::default() };
        let listening = sprag_serve::bind(host.clone(), project, &options).expect("a port of loopback");
        let token = std::fs::read_to_string(sprag_serve::token_file(&host)).unwrap_or_default().trim().to_owned();
        let (address, link) = (listening.address(), listening.keys().link());
        std::thread::spawn(move || listening.run());
        let path = link.split_once(&address.to_string()).map_or("/", |(_, path)| path);
        let answer = exchange(address, format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").as_bytes(), false);
        let cookie = answer.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap_or_default();
        let cookie = cookie.split(';').next().unwrap_or_default().to_owned();
        assert!(!cookie.is_empty() && !token.is_empty(), "{answer}");
        Page { address, cookie, token }
    })
}

fn exchange(address: SocketAddr, bytes: &[u8], leave: bool) -> String {
    let mut stream = TcpStream::connect(address).expect("the server listens");
    let _ = stream.set_read_timeout(Some(Duration::from_secs(15)));
    let _ = stream.write_all(bytes);
    if leave {
        let _ = stream.shutdown(Shutdown::Write);
    }
    let mut answer = Vec::new();
    match stream.read_to_end(&mut answer) {
        Err(error) if matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut) => {
            panic!("no answer to {}", String::from_utf8_lossy(bytes));
        }
        _ => String::from_utf8_lossy(&answer).into_owned(),
    }
}

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Some((first, rest)) = data.split_first() else { return };
    let page = page();
    if *first < 64 {
        let _ = exchange(page.address, rest, true);
        return;
    }
    let text = String::from_utf8_lossy(rest);
    let (path, body) = text.split_once('\n').unwrap_or((&text, ""));
    let path: String = path.chars().filter(|c| c.is_ascii_graphic()).collect();
    // The stream of changes has no end.
    if path.starts_with("/live") {
        return;
    }
    let (address, length) = (page.address, body.len());
    let who = match first % 4 {
        0 => format!("Cookie: {}\r\n", page.cookie),
        1 => format!("Cookie: {}\r\nOrigin: http://{address}\r\nContent-Type: application/x-www-form-urlencoded\r\n", page.cookie),
        2 => format!("Authorization: Bearer {}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n", page.token),
        _ => String::new(),
    };
    let (method, path) = match first % 4 {
        1 => ("POST", format!("/{}", path.trim_start_matches('/'))),
        2 => ("POST", "/mcp".to_owned()),
        _ => ("GET", format!("/{}", path.trim_start_matches('/'))),
    };
    let head = format!("{method} {path} HTTP/1.1\r\nHost: {address}\r\n{who}Content-Length: {length}\r\nConnection: close\r\n\r\n");
    let answer = exchange(address, &[head.as_bytes(), body.as_bytes()].concat(), false);
    assert!(answer.starts_with("HTTP/1.1 "), "{head}\n{answer}");
});
