//! A server in a throw-away home, and a client that sends exactly the headers it is told to.

use sprag_config::host::Host;
use sprag_project::Project;
use sprag_runtime::journal::{self, Entry, Run, Stop};
use sprag_serve::{Keys, Options};
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;
use tempfile::TempDir;

pub(crate) struct Server {
    pub(crate) home: TempDir,
    pub(crate) host: Host,
    pub(crate) address: SocketAddr,
    pub(crate) keys: Keys,
}

/// What came back.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.clone().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }
}

impl Server {
    /// An empty home.
    pub(crate) fn start(actions: bool) -> Self {
        Self::in_home(tempfile::tempdir().unwrap(), actions)
    }

    pub(crate) fn in_home(home: TempDir, actions: bool) -> Self {
        Self::with(home, &Options { actions, ..Options::default() })
    }

    pub(crate) fn with(home: TempDir, options: &Options) -> Self {
        let host = Host::in_home(home.path(), &[("SPRAG_HOST", "here")]);
        let project = Project::find(&home.path().to_string_lossy(), &host.env, home.path());
        let listening = sprag_serve::bind(host.clone(), project, options).unwrap();
        let (address, keys) = (listening.address(), listening.keys());
        std::thread::spawn(move || listening.run());
        Self { home, host, address, keys }
    }

    /// Sends a request as it is.
    pub(crate) fn raw(&self, request: &str) -> Answer {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut text = Vec::new();
        let _ = stream.read_to_end(&mut text);
        let text = String::from_utf8_lossy(&text).into_owned();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
        Answer { status, head: head.to_owned(), body: body.to_owned() }
    }

    /// A GET with these further headers.
    pub(crate) fn get(&self, path: &str, headers: &[(&str, &str)]) -> Answer {
        self.send("GET", path, headers, "")
    }

    pub(crate) fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let mut lines: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
            lines.push_str(&format!("Host: {}\r\n", self.address));
        }
        self.raw(&format!(
            "{method} {path} HTTP/1.1\r\n{lines}Content-Type: application/x-www-form-urlencoded\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        ))
    }

    /// Opens a link and gives the cookie.
    pub(crate) fn enter(&self) -> String {
        let link = self.keys.link();
        let path = link.strip_prefix(&format!("http://{}", self.address)).unwrap().to_owned();
        let answer = self.get(&path, &[]);
        assert_eq!(answer.status, 303, "{}", answer.head);
        answer.header("set-cookie").unwrap().split(';').next().unwrap().to_owned()
    }

    /// A page as a visitor sees it.
    pub(crate) fn page(&self, cookie: &str, path: &str) -> String {
        let answer = self.get(path, &[("Cookie", cookie)]);
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        answer.body
    }

    /// A form's mark.
    pub(crate) fn csrf(page: &str) -> String {
        let (_, after) = page.split_once("name=\"csrf\" value=\"").expect("a form");
        after.split('"').next().unwrap().to_owned()
    }

    /// Sends a form as a browser does.
    pub(crate) fn post(&self, cookie: &str, body: &str) -> Answer {
        let origin = format!("http://{}", self.address);
        let headers = [("Cookie", cookie), ("Origin", origin.as_str()), ("Sec-Fetch-Site", "same-origin")];
        self.send("POST", "/act", &headers, body)
    }

    /// Writes a denied call to the journal.
    pub(crate) fn deny(&self, command: &str) {
        self.deny_in("/p", command);
    }

    /// The same in a folder.
    pub(crate) fn deny_in(&self, cwd: &str, command: &str) {
        let run = Run {
            hook: "command-guard".into(),
            verdict: "deny".into(),
            rule: Some("git:reset-hard".into()),
            reason: Some("It throws away changes.".into()),
            us: 400,
            ..Run::default()
        };
        let stop = Stop {
            id: "7f3a".into(),
            key: Some("0123456789abcdef".into()),
            project: "/p".into(),
            shown: command.into(),
            whole: true,
        };
        let entry = Entry {
            t: self.host.clock.now().to_string(),
            agent: "claude".into(),
            session: "session-one".into(),
            cwd: cwd.into(),
            event: "PreToolUse".into(),
            tool: Some("Bash".into()),
            about: Some(command.into()),
            verdict: "deny".into(),
            us: 900,
            stop: Some(stop),
            runs: vec![run],
            ..Entry::default()
        };
        journal::write(&self.host.paths, &entry, 0, 1).unwrap();
    }
}
