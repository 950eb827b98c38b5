//! Work of the host's own on what a site's code gave out, where that is large: to take it apart, shorten or translate it would hold up
//! everybody on a serving thread, and nobody meters it. It is done on threads of the lowest class, for each site one piece at a time, and
//! a site that gives out more than that can keep up with is full.

use std::sync::Arc;

use tokio::sync::Semaphore;

use super::Sandbox;
use super::background::Background;

/// Bytes of JSON from which it is worth the way: to go through less takes well under a millisecond.
pub const LARGE: usize = 64 << 10;

/// Pieces of one site that may wait: each holds an answer.
const ROOM: usize = 32;

/// What of a site is done, and waits to be done, aside.
#[derive(Clone, Debug)]
pub struct Queue {
    room: Arc<Semaphore>,
    turn: Arc<Semaphore>,
}

/// Too much of the site waits already; or it could not be done: the process ends, or the work panicked, which is on the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("too many large answers of the site wait")]
pub struct Full;

impl Default for Queue {
    fn default() -> Self {
        Self { room: Arc::new(Semaphore::new(ROOM)), turn: Arc::new(Semaphore::new(1)) }
    }
}

impl Sandbox {
    /// Does a piece of work aside. One that nobody waits for any more is not begun.
    ///
    /// # Errors
    /// [`Full`]: nothing was done.
    pub async fn aside<T: Send + 'static>(&self, queue: &Queue, work: impl FnOnce() -> T + Send + 'static) -> Result<T, Full> {
        queue.work(&self.background, work).await
    }
}

impl Queue {
    /// Whether there is room for no more.
    #[cfg(test)]
    pub(crate) fn is_full(&self) -> bool {
        self.room.available_permits() == 0
    }

    async fn work<T: Send + 'static>(&self, background: &Background, work: impl FnOnce() -> T + Send + 'static) -> Result<T, Full> {
        let _room = self.room.try_acquire().map_err(|_| Full)?;
        let turn = Arc::clone(&self.turn).acquire_owned().await.map_err(|_| Full)?;
        // What is begun goes on without who waited for it: the turn ends with the work.
        let work = move || {
            let done = work();
            drop(turn);
            done
        };
        background.work(work).await.ok_or(Full)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc;

    use super::super::idle::IdleInstances;
    use super::*;

    fn background() -> Background {
        Background::start(&Arc::new(IdleInstances::new())).unwrap()
    }

    #[tokio::test]
    async fn it_is_done_on_the_threads_of_long_runs() {
        let name = Queue::default().work(&background(), || std::thread::current().name().unwrap_or_default().to_owned()).await;
        assert_eq!(name.as_deref(), Ok("djo-long"));
    }

    #[tokio::test]
    async fn a_site_does_one_thing_at_a_time_and_has_room_for_a_few() {
        let (background, queue) = (Arc::new(background()), Queue::default());
        let (go, wait) = mpsc::channel::<()>();
        let begun = Arc::new(AtomicUsize::new(0));
        let piece = |wait: Option<mpsc::Receiver<()>>| {
            let (background, queue, begun) = (Arc::clone(&background), queue.clone(), Arc::clone(&begun));
            tokio::spawn(async move {
                let work = move || {
                    begun.fetch_add(1, Ordering::SeqCst);
                    wait.map(|wait| wait.recv());
                };
                queue.work(&background, work).await
            })
        };
        let first = piece(Some(wait));
        while begun.load(Ordering::SeqCst) == 0 {
            tokio::task::yield_now().await;
        }
        let others: Vec<_> = (1..ROOM).map(|_| piece(None)).collect();
        while !queue.is_full() {
            tokio::task::yield_now().await;
        }
        assert_eq!(piece(None).await.unwrap(), Err(Full));
        assert_eq!(begun.load(Ordering::SeqCst), 1);
        // One that nobody waits for is not begun, and its room is free again.
        others[0].abort();
        drop(go);
        first.await.unwrap().unwrap();
        for (index, other) in others.into_iter().enumerate() {
            assert_eq!(other.await.is_ok(), index > 0);
        }
        assert_eq!((begun.load(Ordering::SeqCst), queue.room.available_permits()), (ROOM - 1, ROOM));
    }
}
