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
        Ok(Self { runtime, client: Some(client), driver: Some(driver), patience })
    }

    /// Runs one request to its answer.
    pub(crate) fn run<T>(
        &mut self,
        request: impl AsyncFnOnce(&Client) -> std::result::Result<T, tokio_postgres::Error>,
    ) -> Result<T> {
        let client = self.client.as_ref().ok_or_else(|| late(self.patience))?;
        let answered = self.runtime.block_on(async { timeout(self.patience, request(client)).await });
        if answered.is_err() {
            self.client = None;
            self.driver = None;
        }
        Ok(answered.map_err(|_| late(self.patience))??)
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
