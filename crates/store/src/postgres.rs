//! The server: tables in a schema of their own, every wait bounded on both sides.

use crate::conn::Conn;
use crate::error::{Error, Result};
use crate::target::Server;
use crate::tls;
use crate::value::{Row, Value};
use crate::{Opening, Vector};
use postgres::config::{Host, SslMode};
use postgres::error::SqlState;
use postgres::types::{IsNull, ToSql, Type, private::BytesMut, to_sql_checked};
use postgres::{Client, Config, NoTls};

const MIGRATIONS: &[&str] = &[
    include_str!("../migrations/postgres/0001_sessions.sql"),
    include_str!("../migrations/postgres/0002_runs.sql"),
    include_str!("../migrations/postgres/0003_team.sql"),
    include_str!("../migrations/postgres/0004_patterns.sql"),
    include_str!("../migrations/postgres/0005_lessons.sql"),
    include_str!("../migrations/postgres/0006_memories.sql"),
];

/// The oldest server that is tested, as it numbers itself.
const OLDEST: i64 = 150_000;

/// Tells migrations of sprag from other locks in the database.
const LOCK: i64 = 0x7370_7261_6701;

pub(crate) struct Postgres {
    client: Client,
}

impl Postgres {
    pub(crate) fn open(server: &Server, opening: Opening) -> Result<Self> {
        let mut config: Config =
            server.url.parse().map_err(|error| Error::Url(format!("store.url: {}", chain(&error))))?;
        let local = config.get_hosts().iter().all(is_local);
        if !server.ssl_given {
            // Nothing crosses a network in the clear unless somebody asked for it.
            config.ssl_mode(if local { SslMode::Prefer } else { SslMode::Require });
        }
        if config.get_password().is_none()
            && let Ok(password) = std::env::var("PGPASSWORD")
        {
            config.password(password);
        }
        if config.get_application_name().is_none() {
            config.application_name("sprag");
        }
        config.connect_timeout(opening.connect);
        config.tcp_user_timeout(opening.connect + opening.wait);
        let wait = opening.wait.as_millis().max(1);
        let own = format!("-c search_path=sprag,public -c statement_timeout={wait} -c lock_timeout={wait}");
        let options = config.get_options().map_or_else(|| own.clone(), |given| format!("{given} {own}"));
        config.options(&options);
        let client = if config.get_ssl_mode() == SslMode::Disable {
            config.connect(NoTls)
        } else {
            config.connect(tls::connector(server.root_cert.as_deref())?)
        };
        let mut postgres = Self { client: client? };
        let number = postgres.query("SELECT current_setting('server_version_num')::BIGINT", &[])?;
        let number = number.first().and_then(|row| row.first()).map_or(0, Value::int);
        if number < OLDEST {
            return Err(Error::Refused(format!("PostgreSQL {}: 15 or newer is needed", number / 10_000)));
        }
        Ok(postgres)
    }
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

/// An error with its causes in one line; the client's own text often is only `db error`.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

impl From<postgres::Error> for Error {
    fn from(error: postgres::Error) -> Self {
        let text = chain(&error);
        let Some(code) = error.code() else { return Self::Unreachable(text) };
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
        kind: &Type,
        out: &mut BytesMut,
    ) -> std::result::Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        match self {
            Self::Null => Ok(IsNull::Yes),
            Self::Int(number) => number.to_sql(kind, out),
            Self::Text(text) => text.to_sql(kind, out),
            Self::Bytes(bytes) => bytes.to_sql(kind, out),
        }
    }

    fn accepts(kind: &Type) -> bool {
        matches!(*kind, Type::INT8 | Type::TEXT | Type::BYTEA)
    }

    to_sql_checked!();
}

fn params(values: &[Value]) -> Vec<&(dyn ToSql + Sync)> {
    values.iter().map(|value| value as &(dyn ToSql + Sync)).collect()
}

fn read(row: &postgres::Row, at: usize) -> Result<Value> {
    let kind = row.columns().get(at).map(postgres::Column::type_);
    Ok(match kind {
        Some(&Type::INT8) => row.try_get::<_, Option<i64>>(at)?.map_or(Value::Null, Value::Int),
        Some(&Type::INT4) => {
            row.try_get::<_, Option<i32>>(at)?.map_or(Value::Null, |n| Value::Int(i64::from(n)))
        }
        Some(&Type::BYTEA) => row.try_get::<_, Option<Vec<u8>>>(at)?.map_or(Value::Null, Value::Bytes),
        Some(&Type::BOOL) => {
            row.try_get::<_, Option<bool>>(at)?.map_or(Value::Null, |b| Value::Int(i64::from(b)))
        }
        _ => row.try_get::<_, Option<String>>(at)?.map_or(Value::Null, Value::Text),
    })
}

impl Conn for Postgres {
    fn batch(&mut self, sql: &str) -> Result<()> {
        Ok(self.client.batch_execute(sql)?)
    }

    fn execute(&mut self, sql: &str, values: &[Value]) -> Result<u64> {
        Ok(self.client.execute(sql, &params(values))?)
    }

    fn query(&mut self, sql: &str, values: &[Value]) -> Result<Vec<Row>> {
        let rows = self.client.query(sql, &params(values))?;
        rows.iter().map(|row| (0..row.len()).map(|at| read(row, at)).collect()).collect()
    }

    fn begin(&mut self) -> Result<()> {
        self.batch("BEGIN")
    }

    fn begin_snapshot(&mut self) -> Result<()> {
        self.batch("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
    }

    fn migration_lock(&mut self) -> Result<()> {
        self.query("SELECT pg_advisory_xact_lock($1)::TEXT", &[Value::Int(LOCK)]).map(|_| ())
    }

    fn order_lock(&mut self, table: &str) -> Result<()> {
        self.batch(&format!("LOCK TABLE sprag.{table} IN SHARE ROW EXCLUSIVE MODE"))
    }

    fn version(&mut self) -> Result<i64> {
        // Asked of the catalogue's rows: `to_regclass` may answer from a cache that is older than the lock.
        let known = self.query(
            "SELECT COUNT(*) FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
             WHERE n.nspname = 'sprag' AND c.relname = 'schema_version'",
            &[],
        )?;
        if known.first().and_then(|row| row.first()).map_or(0, Value::int) == 0 {
            return Ok(0);
        }
        let found = self.query("SELECT MAX(version) FROM sprag.schema_version", &[])?;
        Ok(found.first().and_then(|row| row.first()).map_or(0, Value::int))
    }

    fn set_version(&mut self, version: i64) -> Result<()> {
        let sql = "INSERT INTO sprag.schema_version (version, applied) \
                   VALUES ($1, CAST(EXTRACT(EPOCH FROM now()) * 1000000 AS BIGINT))";
        self.execute(sql, &[Value::Int(version)]).map(|_| ())
    }

    fn migrations(&self) -> &'static [&'static str] {
        MIGRATIONS
    }

    fn facts(&mut self) -> Result<(String, i64, Option<Vector>)> {
        let version = self.query("SELECT current_setting('server_version')", &[])?;
        let version = version.first().and_then(|row| row.first()).map_or_else(String::new, Value::text);
        let bytes = self.query(
            "SELECT CAST(COALESCE(SUM(pg_total_relation_size(c.oid)), 0) AS BIGINT) FROM pg_class c \
             JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'sprag' AND c.relkind = 'r'",
            &[],
        )?;
        let bytes = bytes.first().and_then(|row| row.first()).map_or(0, Value::int);
        let vector = self.query(
            "SELECT default_version, installed_version FROM pg_available_extensions WHERE name = 'vector'",
            &[],
        )?;
        let vector = vector.first().map(|row| match (row.first(), row.get(1)) {
            (_, Some(Value::Text(installed))) => Vector { version: installed.clone(), installed: true },
            (known, _) => Vector { version: known.map_or_else(String::new, Value::text), installed: false },
        });
        Ok((format!("PostgreSQL {version}"), bytes, vector))
    }

    fn verify(&mut self) -> Result<()> {
        self.query("SELECT 1::BIGINT", &[]).map(|_| ())
    }
}
