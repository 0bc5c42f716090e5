//! PostgreSQL: tables in a schema of their own, every wait bounded by the client and by the server.

use crate::conn::{Conn, ServerFacts, statement};
use crate::error::{Error, Result};
use crate::link::Link;
use crate::listen::CHANNEL;
use crate::login;
use crate::row::{Cells, Row, wrong};
use crate::target::Server;
use crate::tls;
use crate::value::Value;
use crate::{Opening, PgvectorExtension};
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};
use tokio_postgres::error::SqlState;
use tokio_postgres::types::{IsNull, ToSql, Type, private::BytesMut, to_sql_checked};
use tokio_postgres_rustls::MakeRustlsConnect;

const MIGRATIONS: &[&str] = &[
    include_str!("../migrations/postgres/0001_sessions.sql"),
    include_str!("../migrations/postgres/0002_runs.sql"),
    include_str!("../migrations/postgres/0003_team.sql"),
    include_str!("../migrations/postgres/0004_patterns.sql"),
    include_str!("../migrations/postgres/0005_lessons.sql"),
    include_str!("../migrations/postgres/0006_memories.sql"),
    include_str!("../migrations/postgres/0007_provenance.sql"),
    include_str!("../migrations/postgres/0008_vectors_by_model.sql"),
    include_str!("../migrations/postgres/0009_dispatch.sql"),
];

/// The oldest supported server, as `server_version_num` reports it.
const MIN_SERVER_VERSION: i64 = 150_000;

/// The key of the advisory lock under which migrations run.
const MIGRATION_LOCK: i64 = 0x7370_7261_6701;

pub(crate) struct Postgres {
    link: Link,
}

impl Postgres {
    pub(crate) fn open(server: &Server, opening: Opening) -> Result<Self> {
        let (config, tls) = access(server, opening)?;
        let mut postgres = Self { link: Link::open(&config, tls, opening)? };
        let conn: &mut dyn Conn = &mut postgres;
        let number: i64 = conn.one("SELECT current_setting('server_version_num')::BIGINT", &[])?;
        if number < MIN_SERVER_VERSION {
            return Err(Error::Refused(format!("PostgreSQL {}: 15 or newer is needed", number / 10_000)));
        }
        Ok(postgres)
    }
}

/// How a server is reached: from the address, the files of its client and the limits of the caller.
pub(crate) fn access(server: &Server, opening: Opening) -> Result<(Config, Option<MakeRustlsConnect>)> {
    let mut config: Config =
        server.url.parse().map_err(|error| Error::Url(format!("store.url: {}", chain(&error))))?;
    let service = match &server.service {
        Some(name) => login::service(name)?,
        None => login::Service::default(),
    };
    service.complete(&mut config)?;
    let local = config.get_hosts().iter().all(is_local);
    if !server.ssl_given && !service.sets_encryption() {
        // Connections over a network are encrypted unless the user asks otherwise.
        config.ssl_mode(if local { SslMode::Prefer } else { SslMode::Require });
    }
    if config.get_password().is_none()
        && let Some(password) = login::password(&config)
    {
        config.password(password);
    }
    if config.get_application_name().is_none() {
        config.application_name("sprag");
    }
    config.connect_timeout(opening.connect);
    config.tcp_user_timeout(opening.connect + opening.wait);
    let wait = opening.wait.as_millis().max(1);
    // Compiling a statement takes longer than any of ours runs.
    let own =
        format!("-c search_path=sprag,public -c statement_timeout={wait} -c lock_timeout={wait} -c jit=off");
    let options = config.get_options().map_or_else(|| own.clone(), |given| format!("{given} {own}"));
    config.options(&options);
    let root_cert = server.root_cert.as_deref().or(service.root_cert());
    let encrypted = config.get_ssl_mode() != SslMode::Disable;
    let tls = encrypted.then(|| tls::connector(root_cert)).transpose()?;
    Ok((config, tls))
}

fn is_local(host: &Host) -> bool {
    match host {
        Host::Tcp(name) => {
            name == "localhost" || name.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
        }
        #[cfg(unix)]
        Host::Unix(_) => true,
    }
}

/// An error with its causes in one line; the client's own message is often just `db error`.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

impl From<tokio_postgres::Error> for Error {
    fn from(error: tokio_postgres::Error) -> Self {
        let text = chain(&error);
        let Some(code) = error.code() else {
            // It asks for a password and there is none, or for a way to log in that we do not have.
            let about_login =
                text.starts_with("invalid configuration") || text.starts_with("authentication error");
            return if about_login { Self::Refused(text) } else { Self::Unreachable(text) };
        };
        let class = code.code().get(..2).unwrap_or_default();
        match class {
            _ if *code == SqlState::LOCK_NOT_AVAILABLE
                || *code == SqlState::QUERY_CANCELED
                || *code == SqlState::T_R_DEADLOCK_DETECTED
                || *code == SqlState::T_R_SERIALIZATION_FAILURE =>
            {
                Self::Busy(text)
            }
            _ if *code == SqlState::READ_ONLY_SQL_TRANSACTION => Self::ReadOnly(text),
            _ if *code == SqlState::DISK_FULL => Self::Full(text),
            _ if *code == SqlState::INSUFFICIENT_PRIVILEGE => Self::Refused(text),
            "53" | "57" | "08" | "58" | "XX" => Self::Unreachable(text),
            "28" | "3D" => Self::Refused(text),
            _ => Self::Rejected(text),
        }
    }
}

impl ToSql for Value {
    fn to_sql(
        &self,
        ty: &Type,
        out: &mut BytesMut,
    ) -> std::result::Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        match self {
            Self::Null => Ok(IsNull::Yes),
            Self::Int(number) => number.to_sql(ty, out),
            Self::Text(text) => text.to_sql(ty, out),
            Self::Bytes(bytes) => bytes.to_sql(ty, out),
        }
    }

    fn accepts(ty: &Type) -> bool {
        matches!(*ty, Type::INT8 | Type::TEXT | Type::BYTEA)
    }

    to_sql_checked!();
}

fn params(values: &[Value]) -> Vec<&(dyn ToSql + Sync)> {
    values.iter().map(|value| value as &(dyn ToSql + Sync)).collect()
}

impl Cells for tokio_postgres::Row {
    fn width(&self) -> usize {
        self.len()
    }

    fn name(&self, column: usize) -> &str {
        self.columns().get(column).map_or("", tokio_postgres::Column::name)
    }

    fn value(&self, column: usize) -> Result<Value> {
        let unsupported = || wrong(self.name(column), "an integer, text or bytes", "another type");
        let value = match self.columns().get(column).map(tokio_postgres::Column::type_) {
            Some(&Type::INT8) => self.try_get::<_, Option<i64>>(column).map(|number| number.map(Value::Int)),
            Some(&Type::INT4) => {
                self.try_get::<_, Option<i32>>(column).map(|number| number.map(|n| Value::Int(n.into())))
            }
            Some(&Type::BOOL) => {
                self.try_get::<_, Option<bool>>(column).map(|flag| flag.map(|b| Value::Int(b.into())))
            }
            Some(&Type::BYTEA) => {
                self.try_get::<_, Option<Vec<u8>>>(column).map(|bytes| bytes.map(Value::Bytes))
            }
            Some(_) => self.try_get::<_, Option<String>>(column).map(|text| text.map(Value::Text)),
            None => return Err(unsupported()),
        };
        value.map(|value| value.unwrap_or(Value::Null)).map_err(|_| unsupported())
    }
}

impl Conn for Postgres {
    fn batch(&mut self, sql: &str) -> Result<()> {
        statement(|| self.link.run(async |client| client.batch_execute(sql).await))
    }

    fn execute(&mut self, sql: &str, values: &[Value]) -> Result<u64> {
        statement(|| self.link.run(async |client| client.execute(sql, &params(values)).await))
    }

    fn query(
        &mut self,
        sql: &str,
        values: &[Value],
        each: &mut dyn FnMut(&Row<'_>) -> Result<()>,
    ) -> Result<()> {
        let rows = statement(|| self.link.run(async |client| client.query(sql, &params(values)).await))?;
        rows.iter().try_for_each(|row| each(&Row::new(row)))
    }

    fn begin(&mut self) -> Result<()> {
        self.batch("BEGIN")
    }

    fn begin_snapshot(&mut self) -> Result<()> {
        self.batch("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
    }

    fn migration_lock(&mut self) -> Result<()> {
        self.query("SELECT pg_advisory_xact_lock($1)::TEXT", &[Value::Int(MIGRATION_LOCK)], &mut |_| Ok(()))
    }

    fn tell(&mut self, project: &str) -> Result<()> {
        // The server takes no longer text.
        if project.len() < 8_000 {
            self.execute("SELECT pg_notify($1, $2)", &[Value::from(CHANNEL), Value::from(project)])?;
        }
        Ok(())
    }

    fn order_lock(&mut self, table: &str) -> Result<()> {
        self.batch(&format!("LOCK TABLE sprag.{table} IN SHARE ROW EXCLUSIVE MODE"))
    }

    fn version(&mut self) -> Result<i64> {
        // Read from the catalogue's rows: `to_regclass` may answer from a cache that is older than the lock.
        let conn: &mut dyn Conn = self;
        let tables: i64 = conn.one(
            "SELECT COUNT(*) FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
             WHERE n.nspname = 'sprag' AND c.relname = 'schema_version'",
            &[],
        )?;
        if tables == 0 {
            return Ok(0);
        }
        conn.one("SELECT COALESCE(MAX(version), 0) FROM sprag.schema_version", &[])
    }

    fn set_version(&mut self, version: i64) -> Result<()> {
        let sql = "INSERT INTO sprag.schema_version (version, applied) \
                   VALUES ($1, CAST(EXTRACT(EPOCH FROM now()) * 1000000 AS BIGINT))";
        self.execute(sql, &[Value::Int(version)]).map(|_| ())
    }

    fn migrations(&self) -> &'static [&'static str] {
        MIGRATIONS
    }

    fn server(&mut self) -> Result<ServerFacts> {
        let conn: &mut dyn Conn = self;
        let version: String = conn.one("SELECT current_setting('server_version')", &[])?;
        let bytes = conn.one(
            "SELECT CAST(COALESCE(SUM(pg_total_relation_size(c.oid)), 0) AS BIGINT) FROM pg_class c \
             JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'sprag' AND c.relkind = 'r'",
            &[],
        )?;
        let versions: Option<(Option<String>, Option<String>)> = conn.first(
            "SELECT default_version, installed_version FROM pg_available_extensions WHERE name = 'vector'",
            &[],
        )?;
        let pgvector = versions.map(|(available, installed)| PgvectorExtension {
            installed: installed.is_some(),
            version: installed.or(available).unwrap_or_default(),
        });
        Ok(ServerFacts { version: format!("PostgreSQL {version}"), bytes, pgvector })
    }

    fn verify(&mut self) -> Result<()> {
        self.query("SELECT 1", &[], &mut |_| Ok(()))
    }
}
