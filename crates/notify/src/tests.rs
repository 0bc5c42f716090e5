//! With servers on loopback and a program of its own in place of the desktop's.

use super::*;
use serde_json::Value;
use sprag_base::files;
use sprag_base::time::Clock;
use sprag_runtime::queue::JobState;
use sprag_testkit::http::{Incoming, Reply, Server};
use std::sync::mpsc::{Receiver, channel};

fn serve(status: u16) -> (Server, Receiver<Incoming>) {
    let (send, got) = channel();
    let server = Server::start(move |incoming| {
        send.send(incoming).unwrap();
        Reply { status, kind: "text/plain", body: b"said".to_vec() }
    })
    .unwrap();
    (server, got)
}

fn host(dir: &Path, config: &str, vars: &[(&str, &str)]) -> Host {
    let host = Host::in_home(dir, vars);
    let text = format!("version = 1\n[notify]\n{config}\n");
    files::write_atomic(&host.paths.config_file(), text.as_bytes()).unwrap();
    host
}

fn notice(host: &Host, what: NoticeKind, session: &str) -> Notice {
    Notice {
        what,
        agent: "claude".into(),
        session: session.into(),
        project: "/home/me/shop".into(),
        text: "git push --force".into(),
        rule: "git:force-push".into(),
        question: String::new(),
        ended: false,
        at: host.clock.now().0,
        only: None,
    }
}

fn body(incoming: &Incoming) -> Value {
    serde_json::from_slice(&incoming.body).unwrap()
}

#[test]
fn a_webhook_is_sent_the_template_with_its_words_and_no_secret() {
    let dir = tempfile::tempdir().unwrap();
    let (server, got) = serve(200);
    let config = format!(
        "webhook = \"http://{}/in\"\ntemplate = '{{\"content\": \"{{title}}: {{text}}\", \"from\": \"{{project}}\"}}'\nkey_env = \"TOKEN\"",
        server.address()
    );
    let host = host(dir.path(), &config, &[("TOKEN", "k")]);
    let mut stopped = notice(&host, NoticeKind::Stopped, "s");
    stopped.text = "curl -H 'Authorization: Bearer ghp_0123456789abcdefghijABCDEFGHIJ012345'".into();
    run(&host, &stopped).unwrap();
    let sent = got.recv().unwrap();
    assert_eq!((sent.method.as_str(), sent.path.as_str()), ("POST", "/in"));
    assert_eq!(sent.headers.get("authorization").map(String::as_str), Some("Bearer k"));
    let body = body(&sent);
    let content = body["content"].as_str().unwrap();
    assert!(content.starts_with("sprag: Claude Code was stopped in shop: curl"), "{content}");
    assert!(content.contains("git:force-push") && !content.contains("ghp_0"), "{content}");
    assert_eq!(body["from"], "shop");
    assert!(!body.to_string().contains("/home/me"), "{body}");
}

#[test]
fn ntfy_is_sent_to_its_topic_with_a_link_to_the_question() {
    let dir = tempfile::tempdir().unwrap();
    let (server, got) = serve(200);
    let config = format!("ntfy = \"http://{}/agents\"\npage = \"https://box.example/\"", server.address());
    let host = host(dir.path(), &config, &[]);
    let gone = Notice { question: "7f3a".into(), ..notice(&host, NoticeKind::Waits, "s") };
    run(&host, &gone).unwrap();
    assert!(got.try_recv().is_err(), "it was answered in the meantime");
    let question = pending::Question { shown: "git push".into(), ..pending::Question::default() };
    let told = |question: &pending::Question| {
        let waits = Notice { question: question.id.clone(), ..notice(&host, NoticeKind::Waits, "s") };
        run(&host, &waits).unwrap();
        let body = body(&got.recv().unwrap());
        assert_eq!((&body["topic"], &body["priority"]), (&"agents".into(), &4.into()));
        assert_eq!(body["click"], format!("https://box.example/approval?id={}", question.id));
        pending::answer(&host, &question.id, false, "test").unwrap();
    };
    let answered = pending::ask(&host, question, Duration::from_secs(60), told).unwrap();
    assert!(!answered.unwrap().allow);
}

#[test]
fn the_desktop_is_told_by_its_own_program() {
    use std::os::unix::fs::PermissionsExt as _;
    let dir = tempfile::tempdir().unwrap();
    let bin = dir.path().join("bin");
    std::fs::create_dir_all(&bin).unwrap();
    let out = dir.path().join("out");
    let script = format!("#!/bin/sh\nprintf '%s\\n' \"$@\" > '{}'\n", out.display());
    std::fs::write(bin.join("notify-send"), script).unwrap();
    std::fs::set_permissions(bin.join("notify-send"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:/usr/bin:/bin", bin.display());
    let host = host(dir.path(), "desktop = true", &[("PATH", &path)]);
    run(&host, &notice(&host, NoticeKind::Done, "s")).unwrap();
    let said = std::fs::read_to_string(&out).unwrap_or_default();
    assert!(said.contains("--app-name=sprag\n") && said.contains("Claude Code is done in shop"), "{said}");
}

#[test]
fn a_flood_is_held_back_and_counted() {
    let dir = tempfile::tempdir().unwrap();
    let (server, got) = serve(200);
    let config = format!("webhook = \"http://{}\"\nevery_s = 60\nmax_per_hour = 3", server.address());
    let mut host = host(dir.path(), &config, &[]);
    let at = |second: u64| Clock::Fixed(Stamp(1_700_000_000_000_000 + second * 1_000_000));
    host.clock = at(0);
    for _ in 0..5 {
        run(&host, &notice(&host, NoticeKind::Stopped, "s")).unwrap();
    }
    assert_eq!(got.try_iter().count(), 1, "the same, within a minute");
    host.clock = at(61);
    run(&host, &notice(&host, NoticeKind::Stopped, "s")).unwrap();
    let text = body(&got.recv().unwrap())["text"].as_str().unwrap().to_owned();
    assert!(text.contains("4 more since"), "{text}");
    for session in ["a", "b", "c"] {
        run(&host, &notice(&host, NoticeKind::Stopped, session)).unwrap();
    }
    assert_eq!(got.try_iter().count(), 1, "the third of this hour is the last");
    host.clock = at(4_000);
    let old = Notice { at: at(61).now().0, ..notice(&host, NoticeKind::Stopped, "d") };
    run(&host, &old).unwrap();
    assert_eq!(got.try_iter().count(), 0, "what is old is not told");
    run(&host, &notice(&host, NoticeKind::Done, "d")).unwrap();
    let ended = Notice { ended: true, ..notice(&host, NoticeKind::Done, "d") };
    host.clock = at(5_000);
    run(&host, &Notice { at: host.clock.now().0, ..ended }).unwrap();
    assert_eq!(got.try_iter().count(), 1, "done, and then its end");
}

#[test]
fn a_channel_that_fails_is_tried_again_alone() {
    let dir = tempfile::tempdir().unwrap();
    let (good, got) = serve(200);
    let (bad, refused) = serve(500);
    let config = format!("webhook = \"http://{}\"\nntfy = \"http://{}/t\"", good.address(), bad.address());
    let host = host(dir.path(), &config, &[]);
    run(&host, &notice(&host, NoticeKind::Done, "s")).unwrap();
    assert_eq!((got.try_iter().count(), refused.try_iter().count()), (1, 1));
    let waiting = queue::list(&host.paths, JobState::Waiting);
    let again = waiting.iter().find_map(|(_, stored)| match &stored.job.work {
        sprag_runtime::job::Work::Notify(notice) => Some(notice.clone()),
        _ => None,
    });
    let error = run(&host, &again.unwrap()).unwrap_err().to_string();
    assert!(error.contains("answered 500: said"), "{error}");
    assert_eq!((got.try_iter().count(), refused.try_iter().count()), (0, 1));
}

#[test]
fn a_limit_is_told_once_per_window() {
    let dir = tempfile::tempdir().unwrap();
    let (server, got) = serve(200);
    let host = host(dir.path(), &format!("webhook = \"http://{}\"\nevery_s = 1", server.address()), &[]);
    let resets = Some(host.clock.now().after(Duration::from_secs(3_600)));
    let limit = |percent| sprag_transcript::Limit { name: "seven day".into(), percent, resets };
    limits::keep(&host, "claude", &[limit(89)]).unwrap();
    run(&host, &notice(&host, NoticeKind::Limit, "s")).unwrap();
    assert_eq!(got.try_iter().count(), 0);
    limits::keep(&host, "claude", &[limit(91)]).unwrap();
    for _ in 0..2 {
        run(&host, &notice(&host, NoticeKind::Limit, "s")).unwrap();
    }
    let told: Vec<Value> = got.try_iter().map(|sent| body(&sent)).collect();
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0]["text"].as_str().unwrap().contains("seven day: 91 %"), "{told:?}");
}

#[test]
fn a_project_has_no_say_and_nothing_is_sent_by_default() {
    let dir = tempfile::tempdir().unwrap();
    let (server, got) = serve(200);
    let own = host(dir.path(), "", &[]);
    let repo = dir.path().join("repo/.sprag");
    std::fs::create_dir_all(&repo).unwrap();
    let theirs = format!("version = 1\n[notify]\nwebhook = \"http://{}\"\n", server.address());
    std::fs::write(repo.join("config.toml"), theirs).unwrap();
    let mut told = notice(&own, NoticeKind::Stopped, "s");
    told.project = dir.path().join("repo").display().to_string();
    run(&own, &told).unwrap();
    assert!(test(&own).is_empty());
    assert_eq!(got.try_iter().count(), 0);
}

#[test]
fn the_test_names_what_failed() {
    let dir = tempfile::tempdir().unwrap();
    let (server, got) = serve(200);
    let config = format!("webhook = \"http://{}\"\nntfy = \"topic\"", server.address());
    let done = test(&host(dir.path(), &config, &[]));
    assert_eq!(done.len(), 2);
    assert!(done[0].1.is_ok() && done[1].1.as_ref().unwrap_err().to_string().contains("my-topic"));
    assert_eq!(body(&got.recv().unwrap())["what"], "test");
}
