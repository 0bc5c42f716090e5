//! Who logs in, and where: from the variables and files that PostgreSQL's own programs read, `PGPASSWORD`, the password
//! file (`PGPASSFILE`, `~/.pgpass`) and the connection service file (`PGSERVICEFILE`, `~/.pg_service.conf`).

use crate::error::{Error, Result};
use sprag_base::files;
use std::path::{Path, PathBuf};
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};

/// More than anybody writes by hand.
const MAX_BYTES: u64 = 1 << 20;

/// The password for a connection that was given none.
pub(crate) fn password(config: &Config) -> Option<String> {
    if let Some(password) = variable("PGPASSWORD") {
        return Some(password);
    }
    let path = file("PGPASSFILE", ".pgpass")?;
    if is_open_to_others(&path) {
        return None;
    }
    let user =
        config.get_user().map(str::to_owned).or_else(|| variable("PGUSER")).or_else(|| variable("USER"))?;
    let wanted = Login {
        host: match config.get_hosts().first() {
            Some(Host::Tcp(name)) => name,
            // A socket on this machine goes by this name in the file.
            _ => "localhost",
        },
        port: config.get_ports().first().copied().unwrap_or(5432),
        database: config.get_dbname().unwrap_or(&user),
        user: &user,
    };
    wanted.password(&files::read_text(&path, MAX_BYTES).ok()?)
}

/// PostgreSQL's programs take no password from a file that others may read.
#[cfg(unix)]
fn is_open_to_others(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::metadata(path).is_ok_and(|facts| facts.permissions().mode() & 0o077 != 0)
}

#[cfg(not(unix))]
const fn is_open_to_others(_: &Path) -> bool {
    false
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

fn file(variable_name: &str, in_home: &str) -> Option<PathBuf> {
    match variable(variable_name) {
        Some(path) => Some(path.into()),
        None => std::env::home_dir().map(|home| home.join(in_home)),
    }
}

/// What a line of the password file must match.
struct Login<'a> {
    host: &'a str,
    port: u16,
    database: &'a str,
    user: &'a str,
}

impl Login<'_> {
    /// The password of the first line `host:port:database:user:password` that matches; `*` matches everything.
    fn password(&self, text: &str) -> Option<String> {
        let port = self.port.to_string();
        text.lines().filter(|line| !line.starts_with('#')).find_map(|line| {
            let fields: [String; 5] = fields(line).try_into().ok()?;
            let [host, number, database, user, password] = fields;
            let matches = |field: &str, value: &str| field == "*" || field == value;
            (matches(&host, self.host)
                && matches(&number, &port)
                && matches(&database, self.database)
                && matches(&user, self.user))
            .then_some(password)
        })
    }
}

/// The fields of a line; a backslash takes the next character as it is.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        let taken = match c {
            // The password is the last one: a colon in it needs no backslash.
            ':' if fields.len() < 5 => {
                fields.push(String::new());
                continue;
            }
            '\\' => chars.next().unwrap_or('\\'),
            other => other,
        };
        if let Some(field) = fields.last_mut() {
            field.push(taken);
        }
    }
    fields
}

/// One section of the connection service file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Service {
    settings: Vec<(String, String)>,
    root_cert: Option<PathBuf>,
}

/// The section with this name.
pub(crate) fn service(name: &str) -> Result<Service> {
    let files = [
        file("PGSERVICEFILE", ".pg_service.conf"),
        variable("PGSYSCONFDIR").map(|folder| Path::new(&folder).join("pg_service.conf")),
    ];
    let texts = files.into_iter().flatten().filter_map(|path| files::read_text(path, MAX_BYTES).ok());
    texts.into_iter().find_map(|text| Service::parse(&text, name)).ok_or_else(|| {
        Error::Url(format!("store.url: there is no service `{name}` in the connection service file"))
    })
}

impl Service {
    fn parse(text: &str, name: &str) -> Option<Self> {
        let mut lines = text.lines().map(str::trim);
        lines.find(|line| line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) == Some(name))?;
        let mut service = Self::default();
        for line in lines.take_while(|line| !line.starts_with('[')) {
            match line.split_once('=').filter(|_| !line.starts_with('#')) {
                Some(("sslrootcert", path)) => service.root_cert = Some(path.into()),
                Some((key, value)) => service.settings.push((key.trim().to_owned(), value.trim().to_owned())),
                None => {}
            }
        }
        Some(service)
    }

    /// Sets what the address leaves open.
    pub(crate) fn complete(&self, config: &mut Config) -> Result<()> {
        for (key, value) in &self.settings {
            match key.as_str() {
                "host" | "hostaddr" if config.get_hosts().is_empty() => drop(config.host(value)),
                "port" if config.get_ports().is_empty() => {
                    let port = value
                        .parse()
                        .map_err(|_| Error::Url(format!("the connection service file: port {value}")))?;
                    config.port(port);
                }
                "dbname" if config.get_dbname().is_none() => drop(config.dbname(value)),
                "user" if config.get_user().is_none() => drop(config.user(value)),
                "password" if config.get_password().is_none() => drop(config.password(value)),
                "sslmode" => {
                    config.ssl_mode(match value.as_str() {
                        "disable" => SslMode::Disable,
                        "allow" | "prefer" => SslMode::Prefer,
                        _ => SslMode::Require,
                    });
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// It says whether the connection is encrypted.
    pub(crate) fn sets_encryption(&self) -> bool {
        self.settings.iter().any(|(key, _)| key == "sslmode")
    }

    /// The file with the certificates of trusted authorities.
    pub(crate) fn root_cert(&self) -> Option<&Path> {
        self.root_cert.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_that_matches_has_the_password() {
        let text = "# work\n\
                    db.example:5432:other:ann:wrong\n\
                    db.example:*:sprag:ann:se\\:cr\\\\et:x\n\
                    *:*:*:*:any\n";
        let login = |host, user| Login { host, port: 5432, database: "sprag", user };
        assert_eq!(login("db.example", "ann").password(text).as_deref(), Some("se:cr\\et:x"));
        assert_eq!(login("db.example", "bob").password(text).as_deref(), Some("any"));
        assert_eq!(login("db.example", "bob").password("db.example:5432:sprag:ann:x").as_deref(), None);
        assert_eq!(login("h", "u").password("too:few\n\n").as_deref(), None);
    }

    #[test]
    fn a_service_completes_the_address_and_overrides_nothing() {
        let text = "[other]\nhost=no\n\n[prod]\n# comment\nhost=db.example\nport = 6000\ndbname=sprag\nuser=ann\n\
                    sslmode=verify-full\nsslrootcert=/etc/ca.pem\n[last]\nuser=no\n";
        let service = Service::parse(text, "prod").unwrap();
        let mut config: Config = "postgres://bob@/".parse().unwrap();
        service.complete(&mut config).unwrap();
        assert_eq!(config.get_hosts(), [Host::Tcp("db.example".into())]);
        assert_eq!((config.get_ports(), config.get_dbname()), ([6000].as_slice(), Some("sprag")));
        assert_eq!(config.get_user(), Some("bob"));
        assert_eq!(config.get_ssl_mode(), SslMode::Require);
        assert_eq!(service.root_cert(), Some(Path::new("/etc/ca.pem")));
        assert!(service.sets_encryption());
        assert_eq!(Service::parse(text, "absent"), None);
    }
}
