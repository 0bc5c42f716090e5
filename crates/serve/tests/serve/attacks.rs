//! Each rule of the page's security, tried by somebody who breaks it.

use super::client::Server;
use sprag_runtime::approvals;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

const PAGES: [&str; 10] =
    ["/", "/events", "/guards", "/approvals", "/memory", "/lessons", "/tasks", "/code", "/cost", "/health"];

#[test]
fn it_listens_on_loopback_alone_and_on_a_port_of_its_own() {
    let (one, two) = (Server::start(false), Server::start(false));
    assert!(one.address.ip().is_loopback() && two.address.ip().is_loopback());
    assert_ne!(one.address.port(), two.address.port());
}

#[test]
fn another_name_for_this_machine_gets_nothing() {
    let server = Server::start(false);
    let cookie = server.enter();
    let port = server.address.port();
    for host in [
        format!("evil.example:{port}"),
        "evil.example".into(),
        format!("127.0.0.1.evil.example:{port}"),
        "127.0.0.1".into(),
    ] {
        for path in PAGES.into_iter().chain(["/live", "/assets/script.js"]) {
            let answer = server.get(path, &[("Host", &host), ("Cookie", &cookie)]);
            assert_eq!(answer.status, 421, "{host} {path}");
            assert!(!answer.body.contains("journal"), "{host} {path}");
        }
    }
    let two = server.raw(&format!(
        "GET / HTTP/1.1\r\nHost: {0}\r\nHost: evil.example\r\nCookie: {cookie}\r\nConnection: close\r\n\r\n",
        server.address
    ));
    assert!(two.status >= 400, "two names: {}", two.status);
    let none = server.raw(&format!("GET / HTTP/1.1\r\nCookie: {cookie}\r\nConnection: close\r\n\r\n"));
    assert!(none.status >= 400, "no name: {}", none.status);
}

#[test]
fn nothing_is_shown_without_the_cookie_and_the_link_is_used_up() {
    let server = Server::start(false);
    server.deny("git reset --hard");
    for path in PAGES.into_iter().chain(["/live", "/metrics", "/events/abc-1", "/memory/x"]) {
        for cookie in ["", "sprag-1=x", &format!("sprag-{}=0000", server.address.port())] {
            let answer = server.get(path, &[("Cookie", cookie)]);
            assert_eq!(answer.status, 401, "{path} {cookie}");
            assert!(!answer.body.contains("reset"), "{path}");
        }
    }
    let link = server.keys.link();
    let path = link.strip_prefix(&format!("http://{}", server.address)).unwrap();
    let first = server.get(path, &[]);
    assert_eq!(
        (first.status, first.header("location")),
        (303, Some("/")),
        "the token is gone from the address"
    );
    let cookie = first.header("set-cookie").unwrap();
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
    assert_eq!(server.get(path, &[]).status, 401, "a second time");
}

#[test]
fn who_guesses_links_is_locked_out_and_who_is_in_is_not() {
    let server = Server::start(false);
    let cookie = server.enter();
    let guesses: Vec<u16> =
        (0..15).map(|number| server.get(&format!("/?t={number:064}"), &[]).status).collect();
    assert!(guesses.contains(&429), "{guesses:?}");
    let link = server.keys.link();
    let right = server.get(link.strip_prefix(&format!("http://{}", server.address)).unwrap(), &[]);
    assert_eq!(right.status, 429, "also with the right one");
    server.page(&cookie, "/");
}

#[test]
fn every_answer_forbids_what_a_page_does_not_need() {
    let server = Server::start(false);
    let cookie = server.enter();
    let found = PAGES.map(|path| {
        server.get(path, &[("Cookie", &cookie), ("Origin", &format!("http://{}", server.address))])
    });
    for answer in found.iter().chain([&server.get("/", &[]), &server.get("/assets/style.css", &[])]) {
        let policy = answer.header("content-security-policy").unwrap();
        assert!(policy.contains("default-src 'none'") && policy.contains("script-src 'self'"), "{policy}");
        assert!(!policy.contains("unsafe") && policy.contains("frame-ancestors 'none'"), "{policy}");
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(answer.header("referrer-policy"), Some("same-origin"));
        assert!(!answer.head.to_lowercase().contains("access-control-"), "no CORS: {}", answer.head);
        for inline in ["<script>", "onclick=", "onload=", "style=\"", "javascript:"] {
            assert!(!answer.body.contains(inline), "{inline}");
        }
    }
    let preflight = server.send(
        "OPTIONS",
        "/act",
        &[("Origin", "http://evil.example"), ("Access-Control-Request-Method", "POST")],
        "",
    );
    assert!(preflight.status >= 400 && !preflight.head.to_lowercase().contains("access-control-"));
}

#[test]
fn another_site_cannot_read_or_embed() {
    let server = Server::start(false);
    let cookie = server.enter();
    for (site, mode) in [("cross-site", "no-cors"), ("cross-site", "cors"), ("same-site", "no-cors")] {
        for path in ["/", "/events", "/live", "/assets/script.js"] {
            let headers = [("Cookie", cookie.as_str()), ("Sec-Fetch-Site", site), ("Sec-Fetch-Mode", mode)];
            assert_eq!(server.get(path, &headers).status, 403, "{path} {site} {mode}");
        }
    }
    let foreign = server.get("/events", &[("Cookie", &cookie), ("Origin", "http://evil.example")]);
    assert_eq!(foreign.status, 403);
}

#[test]
fn the_stream_needs_the_cookie_and_tells_of_a_change() {
    let server = Server::start(false);
    let cookie = server.enter();
    let mut stream = TcpStream::connect(server.address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let request = format!(
        "GET /live HTTP/1.1\r\nHost: {}\r\nCookie: {cookie}\r\nAccept: text/event-stream\r\n\r\n",
        server.address
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut seen = String::new();
    let mut read = |stream: &mut TcpStream, until: &str| {
        let mut bytes = [0; 4096];
        while !seen.contains(until) {
            let count = stream.read(&mut bytes).expect("the stream goes on");
            assert!(count > 0, "the stream ended: {seen}");
            seen.push_str(&String::from_utf8_lossy(&bytes[..count]));
        }
    };
    read(&mut stream, "text/event-stream");
    server.deny("git reset --hard");
    read(&mut stream, "event: changed");
    assert!(!seen.contains("reset"), "what changed is not in the stream");
}

#[test]
fn what_is_hostile_is_text() {
    let server = Server::start(true);
    let attack = "</code><script>alert(1)</script><img src=x onerror=alert(1)>\" onmouseover=\"x";
    server.deny(attack);
    let cookie = server.enter();
    let list = server.page(&cookie, "/events");
    let event =
        list.split("href=\"/events/").nth(1).and_then(|rest| rest.split('"').next()).unwrap().to_owned();
    let query =
        "?session=%3Cscript%3Ealert(1)%3C/script%3E&verdict=%22%3E%3Csvg%20onload=x%3E&command=%3Cscript%3E";
    for path in PAGES
        .map(str::to_owned)
        .into_iter()
        .chain([format!("/events/{event}"), "/events/%3Cscript%3E".into()])
    {
        for path in [path.clone(), format!("{path}{query}")] {
            let body = server.get(&path, &[("Cookie", &cookie)]).body;
            for live in ["<script>alert", "<img src=x", "<svg onload", "\" onmouseover"] {
                assert!(!body.contains(live), "{path}: {live}");
            }
        }
    }
    assert!(list.contains("&lt;script&gt;alert(1)"), "it is shown as it is");
}

#[test]
fn a_change_needs_the_form_the_origin_and_actions() {
    let server = Server::start(true);
    server.deny("git reset --hard");
    let cookie = server.enter();
    let page = server.page(&cookie, "/approvals");
    let csrf = Server::csrf(&page);
    let (event, code) = (stop_of(&page), server.keys.code().unwrap());
    let form = format!("csrf={csrf}&action=allow-stop&id={event}&back=/approvals&code={code}");
    let origin = format!("http://{}", server.address);
    let cookie_header = ("Cookie", cookie.as_str());
    let tries: [(&str, Vec<(&str, &str)>, String); 7] = [
        ("no origin", vec![cookie_header], form.clone()),
        ("another origin", vec![cookie_header, ("Origin", "http://evil.example")], form.clone()),
        ("another port", vec![cookie_header, ("Origin", "http://127.0.0.1:1")], form.clone()),
        (
            "from another site",
            vec![cookie_header, ("Origin", &origin), ("Sec-Fetch-Site", "cross-site")],
            form.clone(),
        ),
        ("no mark", vec![cookie_header, ("Origin", &origin)], form.replace(&csrf, "")),
        (
            "a wrong mark",
            vec![cookie_header, ("Origin", &origin)],
            form.replace(&csrf, &"0".repeat(csrf.len())),
        ),
        ("no cookie", vec![("Origin", &origin)], form.clone()),
    ];
    for (what, headers, body) in tries {
        let status = server.send("POST", "/act", &headers, &body).status;
        assert!(status == 403 || status == 401, "{what}: {status}");
        assert!(approvals::valid(&server.host).is_empty(), "{what}");
    }
    assert_eq!(server.get(&format!("/act?{form}"), &[cookie_header]).status, 404, "a link never decides");
    assert!(approvals::valid(&server.host).is_empty());
    assert_eq!(server.post(&cookie, &form).status, 303);
    assert_eq!(approvals::valid(&server.host).len(), 1, "and the right one does");
    let shown = Server::start(false);
    shown.deny("git reset --hard");
    let cookie = shown.enter();
    let page = shown.page(&cookie, "/approvals");
    assert!(!page.contains("<form method=\"post\"") && !page.contains("name=\"csrf\""));
}

/// An agent of the same user has the link, the cookie and curl; it does not have what is on the terminal.
#[test]
fn an_agent_with_the_link_cannot_let_anything_through() {
    let server = Server::start(true);
    server.deny("git reset --hard");
    let cookie = server.enter();
    let page = server.page(&cookie, "/approvals");
    let (csrf, event, code) = (Server::csrf(&page), stop_of(&page), server.keys.code().unwrap());
    assert!(!page.contains(&code), "the page does not tell the code");
    let mut statuses = Vec::new();
    for guess in 0..40 {
        let guess = format!("{guess:06}");
        if guess == code {
            continue;
        }
        let form = format!("csrf={csrf}&action=allow-stop&id={event}&back=/approvals&code={guess}");
        statuses.push(server.post(&cookie, &form).status);
    }
    assert!(statuses.iter().all(|status| matches!(status, 403 | 429)), "{statuses:?}");
    assert!(statuses.contains(&429), "guessing ends: {statuses:?}");
    assert!(approvals::valid(&server.host).is_empty());
    // What only denies needs no code.
    let deny = server.post(&cookie, &format!("csrf={csrf}&action=answer-deny&id=7f3a&back=/approvals"));
    assert_eq!((deny.status, deny.header("location")), (303, Some("/approvals?done=gone")));
}

#[test]
fn a_form_leads_back_to_the_page_and_nowhere_else() {
    let server = Server::start(true);
    server.deny("git reset --hard");
    let cookie = server.enter();
    let csrf = Server::csrf(&server.page(&cookie, "/approvals"));
    for back in ["//evil.example", "http://evil.example", "/events%0d%0aSet-Cookie:%20x=y", "/nothing"] {
        let answer = server.post(&cookie, &format!("csrf={csrf}&action=answer-deny&id=x&back={back}"));
        assert_eq!(answer.header("location"), Some("/?done=gone"), "{back}");
    }
    let unknown = server.post(&cookie, &format!("csrf={csrf}&action=run-program&id=/bin/sh&back=/"));
    assert_eq!(unknown.status, 403);
}

fn stop_of(page: &str) -> String {
    let (_, after) = page.split_once("value=\"allow-stop\"").expect("a stop that can be allowed");
    let (_, after) = after.split_once("name=\"id\" value=\"").expect("its id");
    after.split('"').next().unwrap().to_owned()
}
