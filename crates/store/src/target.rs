//! The address of a store: `store.url`.

use crate::error::{Error, Result};
use std::path::{Path, PathBuf};

/// The address of a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A file on this machine.
    Sqlite(PathBuf),
    /// A server.
    Postgres(Server),
}

/// The address of a PostgreSQL server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Server {
    /// The address for the client, without the parameters that are handled here.
    pub(crate) url: String,
    /// A file with the certificates of trusted authorities.
    pub(crate) root_cert: Option<PathBuf>,
    /// `sslmode` was given.
    pub(crate) ssl_given: bool,
    /// The section of the connection service file that completes the address.
    pub(crate) service: Option<String>,
    /// The address for display, without the password.
    shown: String,
}

impl Target {
    /// Reads an address: `sqlite` is `default`, a file; `sqlite:/path`; `postgres://…`.
    pub fn parse(url: &str, default: &Path) -> Result<Self> {
        let url = url.trim();
        if url.is_empty() || url == "sqlite" {
            return Ok(Self::Sqlite(default.to_path_buf()));
        }
        if let Some(path) = url.strip_prefix("sqlite:") {
            let path = PathBuf::from(path.strip_prefix("//").unwrap_or(path));
            return if path.is_absolute() {
                Ok(Self::Sqlite(path))
            } else {
                Err(Error::Url(format!("store.url: `{url}` is not an absolute path")))
            };
        }
        if let Some(name) = url.strip_prefix("service=") {
            return Ok(Self::Postgres(Server::parse(&format!("postgres://?service={name}"))));
        }
        if url.starts_with("postgres://") || url.starts_with("postgresql://") {
            return Ok(Self::Postgres(Server::parse(url)));
        }
        Err(Error::Url(format!("store.url: `{}` is not a valid address", without_password(url))))
    }

    /// The address for display, without the password.
    pub fn shown(&self) -> String {
        match self {
            Self::Sqlite(path) => path.display().to_string(),
            Self::Postgres(server) => server.shown.clone(),
        }
    }

    /// True when it is reached over a network.
    pub const fn is_remote(&self) -> bool {
        matches!(self, Self::Postgres(_))
    }
}

impl Server {
    fn parse(url: &str) -> Self {
        let (base, query) = url.split_once('?').unwrap_or((url, ""));
        let mut server = Self {
            url: String::new(),
            root_cert: None,
            ssl_given: false,
            service: None,
            shown: without_password(base),
        };
        let mut kept = Vec::new();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            match pair.split_once('=') {
                Some(("service", name)) => {
                    let name = decoded(name);
                    server.shown = format!("{}?service={name}", server.shown);
                    server.service = Some(name);
                }
                Some(("sslrootcert", path)) => server.root_cert = Some(PathBuf::from(decoded(path))),
                Some(("sslmode", mode)) => {
                    server.ssl_given = true;
                    // Certificates are always verified, so `verify-ca` and `verify-full` mean `require`.
                    let mode = if mode.starts_with("verify-") { "require" } else { mode };
                    kept.push(format!("sslmode={mode}"));
                }
                _ => kept.push(pair.to_owned()),
            }
        }
        server.url = if kept.is_empty() { base.to_owned() } else { format!("{base}?{}", kept.join("&")) };
        server
    }
}

fn decoded(text: &str) -> String {
    text.replace("%2F", "/").replace("%2f", "/").replace("%20", " ")
}

/// An address without its password.
fn without_password(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let Some((login, host)) = rest.rsplit_once('@') else { return url.to_owned() };
    match login.split_once(':') {
        Some((user, _)) => format!("{scheme}://{user}:***@{host}"),
        None => url.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_and_shown_without_password() {
        let default = Path::new("/s/sprag.db");
        assert_eq!(Target::parse("sqlite", default).unwrap(), Target::Sqlite(default.into()));
        assert_eq!(Target::parse("sqlite:/x/y.db", default).unwrap(), Target::Sqlite("/x/y.db".into()));
        assert!(Target::parse("sqlite:y.db", default).is_err());
        let error = Target::parse("mysql://me:secret@h/db", default).unwrap_err().to_string();
        assert!(error.contains("mysql") && !error.contains("secret"));
        let target = Target::parse(
            "postgres://me:secret@h:5433/db?sslmode=verify-full&sslrootcert=%2Fetc%2Fca.pem&application_name=x",
            default,
        )
        .unwrap();
        assert_eq!(target.shown(), "postgres://me:***@h:5433/db");
        let Target::Postgres(server) = target else { panic!() };
        assert_eq!(server.url, "postgres://me:secret@h:5433/db?sslmode=require&application_name=x");
        assert_eq!(server.root_cert.as_deref(), Some(Path::new("/etc/ca.pem")));
    }
}
