//! A real PostgreSQL for tests: on a loopback port, in a temporary folder, stopped by its id.
#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "tests may fail"
)]

use crate::Target;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};

/// A running server.
pub struct Server {
    bin: PathBuf,
    dir: PathBuf,
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
        let Some(bin) = programs() else {
            assert!(
                std::env::var_os("CI").is_none(),
                "no PostgreSQL on this machine, and in CI nothing is skipped"
            );
            eprintln!("SKIPPED: no PostgreSQL here (initdb, postgres): `cargo xtask test` gets one");
            return None;
        };
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let dir = std::env::temp_dir().join(format!("sprag-pg-{}-{count}", std::process::id()));
        let _ = std::fs::remove_dir_all(&dir);
        std::fs::create_dir_all(&dir).unwrap();
        // PostgreSQL does not run as root.
        let user = rustix::process::geteuid().is_root().then(nobody);
        #[cfg(unix)]
        if let Some((uid, gid)) = user {
            std::os::unix::fs::chown(&dir, Some(uid), Some(gid)).unwrap();
        }
        let server = Self { bin, dir, port: free_port(), user, child: Mutex::new(None) };
        let made = server
            .command("initdb")
            .args(["-U", "sprag", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync", "-D"])
            .arg(server.dir.join("data"))
            .output()
            .unwrap();
        assert!(made.status.success(), "initdb: {}", String::from_utf8_lossy(&made.stderr));
        server.start();
        Some(server)
    }

    fn command(&self, program: &str) -> Command {
        use std::os::unix::process::CommandExt as _;
        let mut command = Command::new(self.bin.join(program));
        command.current_dir(&self.dir).env_remove("PGHOST").stdin(Stdio::null());
        if let Some((uid, gid)) = self.user {
            command.uid(uid).gid(gid);
        }
        command
    }

    /// Starts it; it runs when this returns.
    pub fn start(&self) {
        let log = std::fs::File::options().create(true).append(true).open(self.dir.join("log")).unwrap();
        let child = self
            .command("postgres")
            .arg("-D")
            .arg(self.dir.join("data"))
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
                std::fs::read_to_string(self.dir.join("log")).unwrap_or_default()
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
    pub fn sql(&self, database: &str, sql: &str) -> Result<(), postgres::Error> {
        postgres::Client::connect(&self.url(database), postgres::NoTls)?.batch_execute(sql)
    }

    /// The number that a question has for an answer.
    pub fn number(&self, database: &str, sql: &str) -> Result<i64, postgres::Error> {
        postgres::Client::connect(&self.url(database), postgres::NoTls)?.query_one(sql, &[])?.try_get(0)
    }

    /// The address of a database.
    pub fn url(&self, database: &str) -> String {
        format!("postgres://sprag@127.0.0.1:{}/{database}?sslmode=disable", self.port)
    }

    /// From here on it takes only encrypted connections, with this certificate and key.
    pub fn require_tls(&self, cert: &str, key: &str) {
        let data = self.dir.join("data");
        for (name, text) in [
            ("server.crt", cert),
            ("server.key", key),
            ("pg_hba.conf", "hostssl all all 127.0.0.1/32 trust\n"),
        ] {
            use std::os::unix::fs::PermissionsExt as _;
            let path = data.join(name);
            std::fs::write(&path, text).unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
            if let Some((uid, gid)) = self.user {
                std::os::unix::fs::chown(&path, Some(uid), Some(gid)).unwrap();
            }
        }
        self.sql("postgres", "ALTER SYSTEM SET ssl = on").unwrap();
        self.sql("postgres", "SELECT pg_reload_conf()").unwrap();
        // The reload is taken up in its own time: until a plain connection is refused.
        let deadline = Instant::now() + Duration::from_secs(20);
        while self.sql("postgres", "SELECT 1").is_ok() {
            assert!(Instant::now() < deadline, "the server does not take up TLS");
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
        let _ = std::fs::remove_dir_all(&self.dir);
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

/// The folder with `initdb` and `postgres`: a given one, the machine's, the distribution's.
fn programs() -> Option<PathBuf> {
    let has = |dir: &Path| dir.join("initdb").is_file() && dir.join("postgres").is_file();
    if let Some(dir) = std::env::var_os("SPRAG_TEST_PG_BIN").map(PathBuf::from) {
        return has(&dir).then_some(dir);
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut places: Vec<PathBuf> = std::env::split_paths(&path).collect();
    for base in ["/usr/lib/postgresql", "/opt/homebrew/opt", "/usr/local/opt"] {
        let mut found: Vec<PathBuf> = std::fs::read_dir(base)
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.path().join("bin"))
            .collect();
        found.sort();
        places.extend(found.into_iter().rev());
    }
    places.into_iter().find(|dir| has(dir))
}
