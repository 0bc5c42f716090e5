//! What a server says of changes that others make, so that nobody has to ask again and again. Whoever does not listen, or whose
//! connection goes through a pooler that does not pass this on, polls.

use crate::error::{Error, Result};
use crate::postgres;
use crate::{Opening, Target};
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres::{AsyncMessage, Client, Config, NoTls, Socket};

/// The channel on which changes of tasks are told, with the project.
pub(crate) const CHANNEL: &str = "sprag_tasks";

/// What the server sent next; `None` when it is gone.
type Messages = Box<
    dyn FnMut(&mut Context<'_>) -> Poll<Option<std::result::Result<AsyncMessage, tokio_postgres::Error>>>
        + Send,
>;

/// A connection that hears when tasks of a project can be started or are over.
pub struct Listener {
    runtime: Runtime,
    /// The server closes the connection when it is dropped.
    _client: Client,
    messages: Messages,
    project: String,
}

impl Listener {
    /// Listens for changes of a project. `None` for a file, which tells nobody.
    pub fn open(target: &Target, project: &str, opening: Opening) -> Result<Option<Self>> {
        let Target::Postgres(server) = target else { return Ok(None) };
        let (config, tls) = postgres::access(server, opening)?;
        let runtime = Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| Error::Unreachable(error.to_string()))?;
        let limit = opening.connect + opening.wait;
        let listened = runtime.block_on(async {
            match tls {
                Some(tls) => timeout(limit, listen(&config, tls)).await,
                None => timeout(limit, listen(&config, NoTls)).await,
            }
        });
        let late = |_| Error::Unreachable(format!("no answer within {} ms", limit.as_millis()));
        let (client, messages) = listened.map_err(late)??;
        Ok(Some(Self { runtime, _client: client, messages, project: project.to_owned() }))
    }

    /// Waits so long for a change; true when there was one.
    pub fn wait(&mut self, limit: Duration) -> Result<bool> {
        let Self { runtime, messages, project, .. } = self;
        let heard = runtime.block_on(async {
            timeout(limit, async {
                loop {
                    match poll_fn(&mut *messages).await {
                        Some(Ok(AsyncMessage::Notification(told))) if told.payload() == project => {
                            return Ok(true);
                        }
                        Some(Ok(_)) => {}
                        Some(Err(error)) => return Err(Error::from(error)),
                        None => {
                            return Err(Error::Unreachable("the server closed the connection".to_owned()));
                        }
                    }
                }
            })
            .await
        });
        heard.unwrap_or(Ok(false))
    }
}

async fn listen<T>(config: &Config, tls: T) -> Result<(Client, Messages)>
where
    T: MakeTlsConnect<Socket, Stream: Send + 'static>,
{
    let (client, mut connection) = config.connect(tls).await?;
    let mut messages: Messages = Box::new(move |context| connection.poll_message(context));
    let statement = format!("LISTEN {CHANNEL}");
    {
        let mut listening = pin!(client.batch_execute(&statement));
        poll_fn(|context| {
            // The request moves only while the connection is looked at; nothing of interest can come before it is answered.
            while let Poll::Ready(message) = messages(context) {
                match message {
                    Some(Ok(_)) => {}
                    Some(Err(error)) => return Poll::Ready(Err(error)),
                    None => break,
                }
            }
            listening.as_mut().poll(context)
        })
        .await?;
    }
    Ok((client, messages))
}
