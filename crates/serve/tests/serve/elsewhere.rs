//! The page on another interface, or behind a proxy: with a password alone.

use super::client::Server;
use sprag_config::host::Host;
use sprag_project::Project;
use sprag_runtime::pending::{self, Question};
use sprag_serve::{Options, ServeError, set_password};
use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

fn options() -> Options {
    Options {
        listen: Some(IpAddr::V4(Ipv4Addr::UNSPECIFIED)),
        names: vec!["sprag.example".into()],
        actions: true,
        ..Options::default()
    }
}

fn server() -> Server {
    let home = tempfile::tempdir().unwrap();
    set_password(&Host::in_home(home.path(), &[]), "correct horse").unwrap();
    let mut server = Server::with(home, &options());
    server.address.set_ip(IpAddr::V4(Ipv4Addr::LOCALHOST));
    server
}

fn log_in(server: &Server, password: &str, next: &str) -> super::client::Answer {
    let headers =
        [("Host", "sprag.example"), ("Origin", "https://sprag.example"), ("Sec-Fetch-Site", "same-origin")];
    server.send("POST", "/login", &headers, &format!("password={password}&next={next}"))
}

#[test]
fn another_interface_needs_a_password() {
    let home = tempfile::tempdir().unwrap();
    let host = Host::in_home(home.path(), &[]);
    for options in [Options { names: Vec::new(), ..options() }, Options { listen: None, ..options() }] {
        let refused = sprag_serve::bind(host.clone(), Project::default(), &options);
        assert!(matches!(refused, Err(ServeError::NoPassword(_))));
    }
}

#[test]
fn the_password_opens_it_and_leads_to_where_the_link_wanted() {
    let server = server();
    let asked = server.get("/approval?id=7f3a", &[("Host", "sprag.example")]);
    assert_eq!(asked.status, 401);
    assert!(asked.body.contains("type=\"password\"") && asked.body.contains("value=\"/approval?id=7f3a\""));
    let wrong = log_in(&server, "wrong+horse", "/");
    assert!(
        wrong.status == 401
            && wrong.body.contains("not the password")
            && wrong.header("set-cookie").is_none()
    );
    let right = log_in(&server, "correct+horse", "/approval%3Fid=7f3a");
    assert_eq!((right.status, right.header("location")), (303, Some("/approval?id=7f3a")));
    let cookie = right.header("set-cookie").unwrap();
    assert!(cookie.contains("HttpOnly; SameSite=Strict; Secure"), "{cookie}");
    let cookie = cookie.split(';').next().unwrap().to_owned();
    let page = server.get("/", &[("Host", "sprag.example"), ("Cookie", &cookie)]);
    assert_eq!(page.status, 200);
    for outside in ["//evil.example", "https://evil.example/", "/%5Cevil.example", "javascript:alert(1)"] {
        let to = log_in(&server, "correct+horse", outside);
        let to = to.header("location").unwrap().to_owned();
        assert!(
            to == "/" || to.starts_with('/') && !to.starts_with("//") && !to.contains('\\'),
            "{outside}: {to}"
        );
    }
}

#[test]
fn another_site_cannot_log_in_and_who_guesses_is_locked_out() {
    let server = server();
    let body = "password=correct+horse&next=/";
    for headers in [
        vec![("Host", "sprag.example")],
        vec![("Host", "sprag.example"), ("Origin", "https://evil.example")],
        vec![("Host", "evil.example"), ("Origin", "https://evil.example")],
        vec![
            ("Host", "sprag.example"),
            ("Origin", "https://sprag.example"),
            ("Sec-Fetch-Site", "cross-site"),
        ],
    ] {
        let answer = server.send("POST", "/login", &headers, body);
        assert!(matches!(answer.status, 403 | 421) && answer.header("set-cookie").is_none(), "{headers:?}");
    }
    let guesses: Vec<u16> =
        (0..11).map(|number| log_in(&server, &format!("guess{number}"), "/").status).collect();
    assert_eq!(guesses.last(), Some(&429), "{guesses:?}");
    assert_eq!(log_in(&server, "correct+horse", "/").status, 429, "also the right one");
}

#[test]
fn on_loopback_there_is_no_log_in() {
    let server = Server::start(false);
    let origin = format!("http://{}", server.address);
    assert_eq!(server.send("POST", "/login", &[("Origin", &origin)], "password=x").status, 401);
    assert!(!server.get("/", &[]).body.contains("type=\"password\""));
}

#[test]
fn a_link_shows_the_question_and_decides_nothing() {
    let server = server();
    let cookie = log_in(&server, "correct+horse", "/").header("set-cookie").unwrap().to_owned();
    let cookie = cookie.split(';').next().unwrap();
    let headers = [("Host", "sprag.example"), ("Cookie", cookie)];
    let question = Question {
        shown: "git push --force".into(),
        rules: vec!["git:force-push".into()],
        ..Question::default()
    };
    let told = |question: &Question| {
        let page = server.get(&format!("/approval?id={}&action=answer-allow", question.id), &headers);
        assert!(page.status == 200 && page.body.contains("git push --force"), "{}", page.body);
        assert_eq!(pending::list(&server.host).len(), 1, "opening it answered nothing");
        let csrf = Server::csrf(&page.body);
        let act = |more: &str| {
            let headers = [
                headers[0],
                headers[1],
                ("Origin", "https://sprag.example"),
                ("Sec-Fetch-Site", "same-origin"),
            ];
            let body = format!("csrf={csrf}&id={}&back=/approvals{more}", question.id);
            server.send("POST", "/act", &headers, &body).status
        };
        assert_eq!(
            act("&action=answer-allow"),
            403,
            "letting it through needs the code, with the password too"
        );
        let code = server.keys.code().unwrap();
        assert_eq!(act(&format!("&action=answer-allow&code={code}")), 303);
    };
    let answered = pending::ask(&server.host, question, Duration::from_secs(60), told).unwrap();
    assert!(answered.unwrap().allow);
    let gone = server.get("/approval?id=7f3a", &headers);
    assert!(gone.body.contains("Nobody waits"), "{}", gone.body);
}
