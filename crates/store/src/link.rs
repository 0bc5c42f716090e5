//! A connection to a PostgreSQL server on which every wait ends: the greeting, the encryption, the login and the answer
//! to each statement. The server's own limits (`statement_timeout`) hold only while it is well.

use crate::Opening;
use crate::error::{Error, Result};
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres::{Client, Config, NoTls, Socket};
use tokio_postgres_rustls::MakeRustlsConnect;

/// How long the farewell to the server may take.
const FAREWELL: Duration = Duration::from_millis(200);

/// An open connection.
pub(crate) struct Link {
    runtime: Runtime,
    /// `None` once an answer did not come in time: what comes after all would be taken for the answer to the next
    /// statement.
    client: Option<Client>,
    /// Moves the bytes, while the runtime runs.
    driver: Option<JoinHandle<()>>,
    patience: Duration,
    /// The same until the first answer: nobody waits a minute, meant for a migration, for a server that answers nothing.
    first: Option<Duration>,
}

impl Link {
    pub(crate) fn open(config: &Config, tls: Option<MakeRustlsConnect>, opening: Opening) -> Result<Self> {
        let runtime = Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| Error::Unreachable(error.to_string()))?;
        let (client, driver) = match tls {
            Some(tls) => connect(&runtime, config, tls, opening.connect),
            None => connect(&runtime, config, NoTls, opening.connect),
        }?;
        // The server ends a statement after `wait`; the time for a connection is what the way there and back may take.
        let patience = opening.connect + opening.wait;
        let first = Some(opening.connect + opening.wait.min(Opening::WORKER.wait));
        Ok(Self { runtime, client: Some(client), driver: Some(driver), patience, first })
    }

    /// Runs one request to its answer.
    pub(crate) fn run<T>(
        &mut self,
        request: impl AsyncFnOnce(&Client) -> std::result::Result<T, tokio_postgres::Error>,
    ) -> Result<T> {
        let patience = self.first.unwrap_or(self.patience);
        let client = self.client.as_ref().ok_or_else(|| late(patience))?;
        let answered = self.runtime.block_on(async { timeout(patience, request(client)).await });
        if answered.is_err() {
            self.client = None;
            self.driver = None;
        } else {
            self.first = None;
        }
        Ok(answered.map_err(|_| late(patience))??)
    }
}

fn connect<T>(runtime: &Runtime, config: &Config, tls: T, limit: Duration) -> Result<(Client, JoinHandle<()>)>
where
    T: MakeTlsConnect<Socket, Stream: Send + 'static>,
{
    let (client, connection) =
        runtime.block_on(async { timeout(limit, config.connect(tls)).await }).map_err(|_| late(limit))??;
    // Its end is the end of the client's requests, which report it.
    let driver = runtime.spawn(async {
        let _ = connection.await;
    });
    Ok((client, driver))
}

fn late(limit: Duration) -> Error {
    Error::Unreachable(format!("no answer within {} ms", limit.as_millis()))
}

impl Drop for Link {
    /// Lets the server know, so that it does not log a lost connection.
    fn drop(&mut self) {
        self.client = None;
        if let Some(driver) = self.driver.take() {
            let _ = self.runtime.block_on(async { timeout(FAREWELL, driver).await });
        }
    }
}
