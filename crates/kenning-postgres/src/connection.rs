//! One connection to one host. Nobody waits for ever: a host may take connections and never say a word, or fall silent in
//! the middle of an answer, and neither the system nor the driver would notice.

use std::io;
use std::pin::pin;
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_postgres::{Client, Config, Error};

use crate::tls::Tls;

/// How long an answer may take before it is looked whether the host is there at all.
const SILENCE_MAX: Duration = Duration::from_secs(5);

/// A host, and how long it may take to let somebody in.
#[derive(Clone)]
pub(crate) struct Door {
    pub(crate) config: Config,
    pub(crate) tls: Tls,
    pub(crate) limit: Duration,
}

/// Why there is no connection.
pub(crate) enum Refusal {
    /// The host, or the way to it, says so.
    Said(Error),
    /// Nothing was said in time.
    Silent,
    /// This machine has nothing left to connect with.
    Impossible(io::Error),
}

/// A connection that is open.
pub(crate) struct Connection {
    client: Client,
    carrying: JoinHandle<()>,
    door: Door,
    runtime: Own,
}

impl Connection {
    pub(crate) fn open(door: &Door) -> Result<Self, Refusal> {
        let runtime = Own::new().map_err(Refusal::Impossible)?;
        let connecting = door.config.connect(door.tls.clone());
        let connected = runtime
            .get()
            .block_on(async { timeout(door.limit, connecting).await });
        let connected = connected.map_err(|_| Refusal::Silent)?;
        let (client, connection) = connected.map_err(Refusal::Said)?;
        // What goes wrong with it is told to whoever asks.
        let carrying = runtime.get().spawn(async { drop(connection.await) });
        Ok(Self {
            client,
            carrying,
            door: door.clone(),
            runtime,
        })
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.client.is_closed()
    }
}

impl Connection {
    /// Asks something. A host that has gone meanwhile, without a word, is not waited for.
    pub(crate) fn run<'a, T, F>(&'a mut self, ask: impl FnOnce(&'a Client) -> F) -> Result<T, Error>
    where
        F: Future<Output = Result<T, Error>>,
    {
        let asked = watched(ask(&self.client), &self.door, &self.carrying);
        self.runtime.get().block_on(asked)
    }
}

async fn watched<T>(
    asked: impl Future<Output = Result<T, Error>>,
    door: &Door,
    carrying: &JoinHandle<()>,
) -> Result<T, Error> {
    let mut asked = pin!(asked);
    loop {
        if let Ok(answered) = timeout(SILENCE_MAX, &mut asked).await {
            return answered;
        }
        tokio::select! {
            answered = &mut asked => return answered,
            is_there = is_there(door) => if !is_there {
                break;
            }
        }
    }
    // What was asked ends with the connection that carries it.
    carrying.abort();
    asked.await
}

/// Whether a host says anything at all, if only that it lets nobody in.
async fn is_there(door: &Door) -> bool {
    let connected = timeout(door.limit, door.config.connect(door.tls.clone())).await;
    match connected {
        Ok(Ok(_)) => true,
        Ok(Err(error)) => error.code().is_some(),
        Err(_) => false,
    }
}

/// What carries a connection. It ends without waiting for anybody, such as a name that is still being looked up.
struct Own(Option<Runtime>);

impl Own {
    fn new() -> io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        Ok(Self(Some(runtime)))
    }

    fn get(&self) -> &Runtime {
        self.0
            .as_ref()
            .expect("it is taken when it is dropped only")
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}
