//! Limits how many requests are worked on at once, each on a thread of its own, and how many wait.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use axum::http::StatusCode;
use kenning::budget::Stop;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use super::problem::Problem;
use crate::searcher::asker::{self, Waiting};

pub(super) struct Gate {
    /// One for each that runs or waits.
    places: Arc<Semaphore>,
    /// One for each that runs.
    turns: Arc<Semaphore>,
    time_max: Option<Duration>,
}

impl Gate {
    pub(super) fn new(running_max: usize, waiting_max: usize, time_max: Option<Duration>) -> Self {
        Self {
            places: Arc::new(Semaphore::new(running_max + waiting_max)),
            turns: Arc::new(Semaphore::new(running_max)),
            time_max,
        }
    }

    /// Returns the turns themselves, for those who take several, one after the other.
    pub(super) fn turns(&self) -> Arc<Semaphore> {
        Arc::clone(&self.turns)
    }

    /// Runs a piece of work when its turn has come. One that takes too long, or whose client has gone, is
    /// told so, and keeps its turn until it has ended: a thread cannot be taken back.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T> + Send + 'static,
    ) -> Result<T, Problem> {
        let place = self.place()?;
        let turns = Arc::clone(&self.turns);
        let waiting = Waiting(Stop::default());
        let stop = waiting.0.clone();
        let done = async move {
            let turn = turns.acquire_owned().await;
            let work = spawn_blocking(move || {
                let result = asker::on_behalf_of(&stop, work);
                drop((place, turn));
                result
            });
            match work.await {
                Ok(result) => result.map_err(Problem::from),
                Err(_) => Err(Problem::new(
                    StatusCode::INTERNAL_SERVER_ERROR,
                    "the work stopped in the middle; that is a bug",
                )),
            }
        };
        let result = self.in_time(done).await;
        drop(waiting);
        result
    }

    /// Lets something happen when its turn has come; `stop` is set when nobody waits for it any more.
    pub(super) async fn pass<T>(
        &self,
        stop: Stop,
        happening: impl Future<Output = T>,
    ) -> Result<T, Problem> {
        let _waiting = Waiting(stop);
        let _place = self.place()?;
        let happening = async {
            let _turn = self.turns.acquire().await;
            Ok(happening.await)
        };
        self.in_time(happening).await
    }

    fn place(&self) -> Result<OwnedSemaphorePermit, Problem> {
        let place = Arc::clone(&self.places).try_acquire_owned();
        place.map_err(|_| busy("too many requests are waiting already"))
    }

    async fn in_time<T>(
        &self,
        done: impl Future<Output = Result<T, Problem>>,
    ) -> Result<T, Problem> {
        match self.time_max {
            Some(limit) => timeout(limit, done)
                .await
                .unwrap_or_else(|_| Err(busy("the answer took too long"))),
            None => done.await,
        }
    }
}

fn busy(detail: &str) -> Problem {
    Problem::new(StatusCode::SERVICE_UNAVAILABLE, detail).hint("try again in a second")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block_on<T>(work: impl Future<Output = T>) -> T {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .unwrap();
        runtime.block_on(work)
    }

    #[test]
    fn who_finds_no_place_is_turned_away() {
        let gate = Gate::new(1, 0, None);
        let (end, ended) = std::sync::mpsc::channel::<()>();
        block_on(async {
            let first = gate.run(move || Ok(ended.recv()?));
            let second = async {
                let turned_away = gate.run(|| Ok(())).await.unwrap_err().details();
                end.send(()).unwrap();
                turned_away
            };
            let (first, second) = tokio::join!(first, second);
            first.unwrap();
            assert_eq!(second.status, 503);
        });
        // The place is free again.
        assert_eq!(block_on(gate.run(|| Ok(7))).unwrap(), 7);
    }

    #[test]
    fn what_takes_too_long_is_not_waited_for() {
        let gate = Gate::new(1, 1, Some(Duration::from_millis(1)));
        let (end, ended) = std::sync::mpsc::channel::<()>();
        let problem = block_on(async {
            let problem = gate.run(move || Ok(ended.recv()?)).await.unwrap_err();
            drop(end);
            problem
        });
        assert_eq!(problem.details().status, 503);
    }

    #[test]
    fn work_that_nobody_waits_for_ends_and_gives_its_turn_back() {
        let gate = Gate::new(1, 1, Some(Duration::from_millis(1)));
        let until_stopped = || loop {
            asker::budget(0).check()?;
        };
        let problem = block_on(gate.run::<()>(until_stopped)).unwrap_err();
        assert_eq!(problem.details().status, 503);
        // The same where the client goes away: the work is dropped.
        let gate = Gate::new(1, 1, None);
        block_on(async {
            let gone =
                tokio::time::timeout(Duration::from_millis(1), gate.run::<()>(until_stopped));
            assert!(gone.await.is_err());
            assert_eq!(gate.run(|| Ok(7)).await.unwrap(), 7);
        });
    }

    #[test]
    fn a_panic_is_a_problem_of_its_own_request() {
        let gate = Gate::new(1, 0, None);
        let problem = block_on(gate.run::<()>(|| panic!("on purpose"))).unwrap_err();
        assert_eq!(problem.details().status, 500);
        assert_eq!(block_on(gate.run(|| Ok(1))).unwrap(), 1);
    }
}
