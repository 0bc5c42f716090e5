//! A real PostgreSQL for tests: on a loopback port, in a temporary folder, stopped by its id.
//!
//! PostgreSQL refuses to run as root. Tests that do run as root start it as an unprivileged user, which can enter neither
//! root's home nor whatever lies below it: data and programs have to be where that user can go.
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    reason = "tests may fail"
)]

use crate::link::Link;
use crate::{Opening, Target};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Why no server can be started.
#[derive(Debug, thiserror::Error)]
pub enum NoServer {
    /// There is none.
    #[error("no PostgreSQL on this machine (initdb, postgres); `cargo xtask test` gets one")]
    Missing,
    /// There is one, but not for the user that it would run as.
    #[error("PostgreSQL does not run as root, and no other user can start {}/postgres", .0.display())]
    Unreachable(PathBuf),
}

/// A running server.
pub struct Server {
    bin: PathBuf,
    dir: TempDir,
    port: u16,
    user: Option<(u32, u32)>,
    child: Mutex<Option<Child>>,
}

/// The server that the tests of this program share: it runs while one of them holds it. `None` when no
/// server can be had; in CI that is a failure.
pub fn server() -> Option<Arc<Server>> {
    static SHARED: Mutex<Weak<Server>> = Mutex::new(Weak::new());
    let mut shared = SHARED.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some(server) = shared.upgrade() {
        return Some(server);
    }
    let server = Arc::new(Server::new()?);
    *shared = Arc::downgrade(&server);
    Some(server)
}

impl Server {
    /// A server of its own, for a test that stops it.
    pub fn new() -> Option<Self> {
        let bin = match programs() {
            Ok(bin) => bin,
            Err(why) => {
                assert!(std::env::var_os("CI").is_none(), "{why}; in CI nothing is skipped");
                sprag_testkit::skip(why);
                return None;
            }
        };
        let dir = tempfile::Builder::new().prefix("sprag-pg-").tempdir_in(open_folder()).unwrap();
        let user = unprivileged();
        if let Some((uid, gid)) = user {
            std::os::unix::fs::chown(dir.path(), Some(uid), Some(gid)).unwrap();
        }
        let server = Self { bin, dir, port: free_port(), user, child: Mutex::new(None) };
        let made = server
            .command("initdb")
            .args(["-U", "sprag", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync", "-D"])
            .arg(server.dir.path().join("data"))
            .output()
            .unwrap();
        assert!(made.status.success(), "initdb: {}", String::from_utf8_lossy(&made.stderr));
        server.start();
        Some(server)
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(self.bin.join(program));
        command.current_dir(self.dir.path()).env_remove("PGHOST").stdin(Stdio::null());
        become_user(&mut command, self.user);
        command
    }

    /// Starts it; it runs when this returns.
    pub fn start(&self) {
        let log =
            std::fs::File::options().create(true).append(true).open(self.dir.path().join("log")).unwrap();
        let child = self
            .command("postgres")
            .arg("-D")
            .arg(self.dir.path().join("data"))
            .args(["-p", &self.port.to_string(), "-c", "listen_addresses=127.0.0.1"])
            .args(["-c", "unix_socket_directories=", "-c", "fsync=off", "-c", "max_connections=200"])
            .args(["-c", "timezone=Asia/Tokyo"])
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .unwrap();
        *self.child.lock().unwrap() = Some(child);
        let deadline = Instant::now() + Duration::from_secs(60);
        while self.sql("postgres", "SELECT 1").is_err() {
            assert!(
                Instant::now() < deadline,
                "{}",
                std::fs::read_to_string(self.dir.path().join("log")).unwrap_or_default()
            );
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Stops it, as a crash would (`true`) or in order; by its id.
    pub fn stop(&self, crash: bool) {
        let Some(mut child) = self.child.lock().unwrap().take() else { return };
        let signal = if crash { rustix::process::Signal::QUIT } else { rustix::process::Signal::INT };
        if let Some(pid) = rustix::process::Pid::from_raw(child.id() as i32) {
            let _ = rustix::process::kill_process(pid, signal);
        }
        let _ = child.wait();
    }

    /// Runs statements in a database as its owner.
    pub fn sql(&self, database: &str, sql: &str) -> crate::Result<()> {
        self.link(database)?.run(async |client| client.batch_execute(sql).await)
    }

    /// The number that a question has for an answer.
    pub fn number(&self, database: &str, sql: &str) -> crate::Result<i64> {
        self.link(database)?.run(async |client| client.query_one(sql, &[]).await?.try_get(0))
    }

    fn link(&self, database: &str) -> crate::Result<Link> {
        let config = self.url(database).parse().expect("an address");
        let opening = Opening { wait: Duration::from_secs(300), ..Opening::WORKER };
        Link::open(&config, None, opening)
    }

    /// The address of a database.
    pub fn url(&self, database: &str) -> String {
        format!("postgres://sprag@127.0.0.1:{}/{database}?sslmode=disable", self.port)
    }

    /// From here on it takes only encrypted connections, with this certificate and key.
    pub fn require_tls(&self, cert: &str, key: &str) {
        self.sql("postgres", "ALTER SYSTEM SET ssl = on").unwrap();
        self.accept_only(
            &[("server.crt", cert), ("server.key", key)],
            "hostssl all all 127.0.0.1/32 trust\n",
        );
    }

    /// From here on it takes only connections with this password.
    pub fn require_password(&self, password: &str) {
        self.sql("postgres", &format!("ALTER USER sprag PASSWORD '{password}'")).unwrap();
        self.accept_only(&[], "host all all 127.0.0.1/32 scram-sha-256\n");
    }

    /// Puts files into its folder and lets it take only the connections that `pg_hba.conf` now names.
    fn accept_only(&self, files: &[(&str, &str)], rule: &str) {
        let data = self.dir.path().join("data");
        for (name, text) in files.iter().chain(&[("pg_hba.conf", rule)]) {
            use std::os::unix::fs::PermissionsExt as _;
            let path = data.join(name);
            std::fs::write(&path, text).unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
            if let Some((uid, gid)) = self.user {
                std::os::unix::fs::chown(&path, Some(uid), Some(gid)).unwrap();
            }
        }
        self.sql("postgres", "SELECT pg_reload_conf()").unwrap();
        // The reload is taken up in its own time: until a plain connection is refused.
        let deadline = Instant::now() + Duration::from_secs(20);
        while self.sql("postgres", "SELECT 1").is_ok() {
            assert!(Instant::now() < deadline, "the server does not take up its settings");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Its port.
    pub const fn port(&self) -> u16 {
        self.port
    }

    /// A new, empty database: its address.
    pub fn database(&self) -> String {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("t{}", COUNT.fetch_add(1, Ordering::Relaxed));
        self.sql("postgres", &format!("CREATE DATABASE {name}")).unwrap();
        self.url(&name)
    }

    /// A new, empty database.
    pub fn target(&self) -> Target {
        Target::parse(&self.database(), Path::new("")).unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop(true);
    }
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// A user that owns nothing else.
fn nobody() -> (u32, u32) {
    let text = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    let entry = |name: &str| {
        let line = text.lines().find(|line| line.split(':').next() == Some(name))?;
        let mut fields = line.split(':').skip(2);
        Some((fields.next()?.parse().ok()?, fields.next()?.parse().ok()?))
    };
    entry("postgres").or_else(|| entry("nobody")).unwrap_or((65_534, 65_534))
}

/// Whom the server runs as, when it cannot be the caller.
fn unprivileged() -> Option<(u32, u32)> {
    rustix::process::geteuid().is_root().then(nobody)
}

fn become_user(command: &mut Command, user: Option<(u32, u32)>) {
    use std::os::unix::process::CommandExt as _;
    if let Some((uid, gid)) = user {
        command.uid(uid).gid(gid);
    }
}

/// A folder for temporary files that every user can enter. `TMPDIR` may be in somebody's home.
pub fn open_folder() -> PathBuf {
    let is_open = |folder: &PathBuf| {
        use std::os::unix::fs::PermissionsExt as _;
        folder.canonicalize().is_ok_and(|path| {
            path.ancestors().all(|dir| {
                dir.metadata().is_ok_and(|meta| meta.is_dir() && meta.permissions().mode() & 0o001 != 0)
            })
        })
    };
    let candidates = [std::env::temp_dir(), "/tmp".into(), "/var/tmp".into(), "/dev/shm".into()];
    candidates.into_iter().find(is_open).unwrap_or_else(std::env::temp_dir)
}

/// True when the server in this folder can be started by the user that it has to run as.
pub fn can_start(bin: &Path) -> bool {
    let mut command = Command::new(bin.join("postgres"));
    command
        .arg("--version")
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    become_user(&mut command, unprivileged());
    command.status().is_ok_and(|status| status.success())
}

/// The folder with `initdb` and `postgres`: a given one (`SPRAG_TEST_PG_BIN`), the search path's, the distribution's.
pub fn programs() -> Result<PathBuf, NoServer> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut candidates: Vec<PathBuf> = match std::env::var_os("SPRAG_TEST_PG_BIN") {
        Some(given) => vec![given.into()],
        None => std::env::split_paths(&path).chain(distribution()).collect(),
    };
    candidates.retain(|dir| dir.join("initdb").is_file() && dir.join("postgres").is_file());
    match candidates.iter().find(|dir| can_start(dir)) {
        Some(dir) => Ok(dir.clone()),
        None => Err(candidates.into_iter().next().map_or(NoServer::Missing, NoServer::Unreachable)),
    }
}

/// Where distributions put the programs, the newest version first.
fn distribution() -> impl Iterator<Item = PathBuf> {
    ["/usr/lib/postgresql", "/opt/homebrew/opt", "/usr/local/opt"].into_iter().flat_map(|base| {
        let entries = std::fs::read_dir(base).into_iter().flatten().flatten();
        let mut versions: Vec<PathBuf> = entries.map(|entry| entry.path().join("bin")).collect();
        versions.sort();
        versions.into_iter().rev()
    })
}
