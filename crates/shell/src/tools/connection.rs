//! Which database a client is connected to, and whether that is one for development on this machine.

use crate::model::HOLE;

use super::Split;

/// The database that a client talks to, as far as the command says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Connection {
    /// The server; `None` when the command does not name one and the client's own setting counts.
    host: Option<String>,
    /// The database; empty when it is not named.
    database: String,
}

impl Connection {
    /// By the words of a client. `variable` gives the value of a variable that the line sets.
    pub(crate) fn of(name: &str, s: &Split<'_>, variable: impl Fn(&str) -> Option<String>) -> Self {
        let value = |keys: &[&str]| s.value(keys).map(|value| value.text.clone());
        let operand = s.operands.first().map(|operand| operand.text.clone());
        let (host, database) = match name {
            "psql" | "pgcli" | "cockroach" => (
                value(&["-h", "--host"]).or_else(|| variable("PGHOST")),
                value(&["--url", "-d", "--dbname"]).or(operand).or_else(|| variable("PGDATABASE")),
            ),
            "createdb" | "dropdb" => (value(&["-h", "--host"]).or_else(|| variable("PGHOST")), operand),
            "mysql" | "mariadb" | "mycli" => (
                value(&["-h", "--host"]).or_else(|| variable("MYSQL_HOST")),
                value(&["-D", "--database"]).or(operand),
            ),
            "mysqladmin" => (
                value(&["-h", "--host"]).or_else(|| variable("MYSQL_HOST")),
                s.operands.get(1).map(|operand| operand.text.clone()),
            ),
            "redis-cli" | "valkey-cli" | "keydb-cli" => (value(&["-h"]), value(&["-u"])),
            "mongosh" | "mongo" => (value(&["--host"]), operand),
            "sqlcmd" => (value(&["-S"]), value(&["-d"])),
            "clickhouse-client" | "clickhouse" => (value(&["-h", "--host"]), value(&["-d", "--database"])),
            _ => (None, None),
        };
        Self::new(host, database.unwrap_or_default())
    }

    /// Another machine, whatever its address there.
    pub(crate) fn elsewhere() -> Self {
        Self { host: Some("another-machine.invalid".to_owned()), database: String::new() }
    }

    /// A host and a database, which may be an address with both.
    fn new(host: Option<String>, database: String) -> Self {
        if database.contains("://") {
            return Self::of_url(&database);
        }
        if database.contains('=') {
            // `host=db.example dbname=shop`
            let part = |key: &str| {
                database.split_whitespace().find_map(|pair| pair.strip_prefix(key)).map(str::to_owned)
            };
            return Self {
                host: part("host=").or_else(|| part("hostaddr=")).or(host),
                database: part("dbname=").unwrap_or_default(),
            };
        }
        Self { host, database }
    }

    /// `postgres://user:password@localhost:5432/shop?sslmode=disable`
    pub(crate) fn of_url(url: &str) -> Self {
        let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
        let (place, path) = rest.split_once('/').unwrap_or((rest, ""));
        let place = place.rsplit('@').next().unwrap_or(place);
        let host = match place.strip_prefix('[') {
            Some(v6) => v6.split(']').next().unwrap_or(v6),
            None => place.rsplit_once(':').map_or(place, |(host, _)| host),
        };
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let other = query.split('&').find_map(|pair| pair.strip_prefix("host="));
        Self { host: Some(other.unwrap_or(host).to_owned()), database: path.to_owned() }
    }

    /// The command says that the server is this machine.
    fn is_here(&self) -> bool {
        self.host.as_deref().is_some_and(is_this_machine)
    }

    /// Nothing says that it is another machine.
    fn may_be_here(&self) -> bool {
        self.host.as_deref().is_none_or(is_this_machine)
    }

    /// A database of this machine for tests or development, which may lose everything: by its name, or because the server
    /// is named as this machine. What calls itself production never is.
    pub(crate) fn is_for_development(&self) -> bool {
        !is_production(&self.database)
            && (self.is_here() || self.may_be_here() && is_development(&self.database))
    }

    /// The same of a database of this server with another name.
    pub(crate) fn has_for_development(&self, database: &str) -> bool {
        let other = Self { host: self.host.clone(), database: database.to_owned() };
        !is_production(&self.database) && other.is_for_development()
    }

    /// How a database is called in the record of what a session made.
    pub(crate) fn database_key(&self, database: &str) -> String {
        format!("database {}/{}", self.server(), plain(database))
    }

    /// The database that the client is in; `None` when it is not named.
    pub(crate) fn within(&self) -> Option<String> {
        (!self.database.is_empty() && !self.database.contains(HOLE))
            .then(|| self.database_key(&self.database))
    }

    /// How a table or a schema is called there.
    pub(crate) fn object_key(&self, kind: &str, name: &str) -> String {
        format!("{kind} {}/{}/{}", self.server(), plain(&self.database), plain(name))
    }

    fn server(&self) -> &str {
        match &self.host {
            Some(host) if !is_this_machine(host) => host,
            _ => "here",
        }
    }
}

fn plain(name: &str) -> String {
    name.trim_matches(['"', '`', '\'']).to_ascii_lowercase()
}

/// The parts of a name: `shop_test`, `ShopDev`, `ci-1234`.
fn parts(name: &str) -> impl Iterator<Item = String> {
    let mut spaced = String::with_capacity(name.len() + 8);
    let mut last = ' ';
    for c in name.chars() {
        if c.is_ascii_uppercase() && last.is_ascii_lowercase() {
            spaced.push(' ');
        }
        spaced.push(c.to_ascii_lowercase());
        last = c;
    }
    let words: Vec<String> = spaced.split(|c: char| !c.is_ascii_alphanumeric()).map(str::to_owned).collect();
    words.into_iter().filter(|word| !word.is_empty())
}

/// A name that says that it is made to be thrown away: `app_test`, `shop_dev`, `tmp-import`.
pub fn is_development(name: &str) -> bool {
    const WORDS: [&str; 17] = [
        "test", "tests", "testing", "ci", "scratch", "dev", "devel", "development", "tmp", "temp", "sandbox",
        "playground", "demo", "local", "bench", "benchmark", "localhost",
    ];
    parts(name).any(|part| WORDS.contains(&part.as_str())) && !is_production(name)
}

/// A name that says that others depend on it.
pub fn is_production(name: &str) -> bool {
    parts(name).any(|part| {
        // Not `products`, `producer`.
        matches!(part.as_str(), "prod" | "prods" | "prd" | "preprod" | "live" | "staging" | "stage")
            || part.starts_with("production")
            || part.strip_prefix("prod").is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit()))
    })
}

/// A name or an address of this machine, or the folder of a socket.
pub fn is_this_machine(host: &str) -> bool {
    let name = host.strip_prefix("tcp:").unwrap_or(host);
    let name = match name.strip_prefix('[') {
        Some(v6) => v6.split(']').next().unwrap_or(v6),
        None if name.matches(':').count() == 1 => name.split(':').next().unwrap_or(name),
        None => name.split(',').next().unwrap_or(name),
    };
    matches!(name, "" | "localhost" | "::1" | "0.0.0.0")
        || name.starts_with("127.") && name.bytes().all(|b| b.is_ascii_digit() || b == b'.')
        || name.ends_with(".localhost")
        || name.starts_with("/var/run/")
        || name.starts_with("/run/")
        || name.starts_with("/tmp")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_what_a_database_is_for() {
        for name in ["shop_test", "shop-dev", "ShopDev", "ci-12", "tmp_import", "app_development"] {
            assert!(is_development(name), "{name}");
        }
        for name in ["shop", "latest", "device", "contest", "prod_test", "shop_dev_live", "cities"] {
            assert!(!is_development(name), "{name}");
        }
        for name in ["prod", "shop-production", "shopProd", "prd-1", "db-prod-1.example", "staging"] {
            assert!(is_production(name), "{name}");
        }
        for name in ["products", "product_catalogue", "producer", "delivery", "olive"] {
            assert!(!is_production(name), "{name}");
        }
    }

    #[test]
    fn an_address_says_where_a_database_is() {
        let url = |url: &str| Connection::of_url(url).is_for_development();
        assert!(url("postgres://me:pw@localhost:5432/shop"));
        assert!(url("postgres:///shop_test"));
        assert!(url("mysql://root@[::1]:3306/shop"));
        assert!(!url("postgres://localhost/shop?host=db.example"));
        assert!(!url("postgres://me@db.example/shop_test"));
        assert!(!url("postgres://localhost/production"));
        assert!(!url("postgres://127.evil.example/shop"));
    }
}
