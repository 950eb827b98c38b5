//! The responses of one site that are kept for a while: bounded, oldest out first, each made once however many ask.

use std::collections::BTreeMap;
use std::hash::RandomState;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use hashbrown::{Equivalent, HashMap};
use http::{HeaderMap, StatusCode};
use tokio::sync::watch;

use crate::sandbox::PageBounds;

/// Responses that a site may have kept at once.
pub const MAX_ENTRIES: usize = 500;
/// The longest body that is kept, in bytes.
pub const MAX_BODY: usize = 256 << 10;

/// The forms of one route's answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// The screen, as HTML.
    Page,
    /// The screen, as Markdown.
    Markdown,
    /// The agent face.
    Data,
}

/// What tells two responses of a site apart. The site and its revision do so already: each has a cache of its own.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    /// In which form it is sent.
    pub form: Form,
    /// The path as sent.
    pub path: String,
    /// The query, its field selection in canonical order.
    pub query: String,
}

/// A [`Key`] that is only looked for. It has the same hash: the same fields in the same order.
#[derive(Clone, Copy, Debug, Hash)]
pub struct Asked<'r> {
    /// [`Key::form`]
    pub form: Form,
    /// [`Key::path`]
    pub path: &'r str,
    /// [`Key::query`]
    pub query: &'r str,
}

impl Equivalent<Key> for Asked<'_> {
    fn equivalent(&self, key: &Key) -> bool {
        self.form == key.form && self.path == key.path && self.query == key.query
    }
}

impl Asked<'_> {
    fn to_key(self) -> Key {
        Key { form: self.form, path: self.path.to_owned(), query: self.query.to_owned() }
    }
}

/// A response that is kept.
#[derive(Debug)]
pub struct Stored {
    /// Its status.
    pub status: StatusCode,
    /// Its headers. Those of one request alone have their places, not their values.
    pub headers: HeaderMap,
    /// Its body.
    pub body: Bytes,
    /// How much of a result it is.
    pub page: Option<Box<PageBounds>>,
    /// When it was made.
    pub made: Instant,
    /// How long it is kept.
    pub keep: Duration,
}

impl Stored {
    /// How old it is, unless it is too old.
    fn age(&self) -> Option<Duration> {
        Some(self.made.elapsed()).filter(|age| *age < self.keep)
    }
}

/// The cache of one revision of a site.
#[derive(Default)]
pub struct ResponseCache {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    entries: HashMap<Key, (u64, Arc<Stored>), RandomState>,
    /// Insertion number to key: the first is the oldest.
    order: BTreeMap<u64, Key>,
    inserted: u64,
    flights: HashMap<Key, watch::Receiver<Flight>, RandomState>,
}

/// How a run that others wait for stands.
#[derive(Clone, Debug)]
enum Flight {
    Running,
    Stored(Arc<Stored>),
    NotStored,
}

/// What a lookup came to.
pub enum Lookup {
    /// It is there, and so old.
    Hit(Arc<Stored>, Duration),
    /// It is not, and this request makes it while others wait.
    Lead(Lead),
    /// It is not, and another request makes it.
    Made(Making),
}

/// The wait for what another request makes.
pub struct Making(watch::Receiver<Flight>);

impl Making {
    /// What was made, and how old it is. `None` when it could not be kept: then who waited runs for itself.
    pub async fn made(mut self) -> Option<(Arc<Stored>, Duration)> {
        match self.0.wait_for(|flight| !matches!(flight, Flight::Running)).await.as_deref() {
            Ok(Flight::Stored(stored)) => Some((Arc::clone(stored), stored.made.elapsed())),
            _ => None,
        }
    }
}

/// The duty to make a response. Dropped without [`Lead::store`], it tells those who wait to run for themselves.
pub struct Lead {
    cache: Arc<ResponseCache>,
    key: Key,
    sender: watch::Sender<Flight>,
}

impl ResponseCache {
    /// Looks a key up. Who misses first leads, the others may wait for it.
    pub fn look_up(self: &Arc<Self>, asked: Asked<'_>) -> Lookup {
        let mut state = self.lock();
        if let Some((_, stored)) = state.entries.get(&asked)
            && let Some(age) = stored.age()
        {
            return Lookup::Hit(Arc::clone(stored), age);
        }
        if let Some(flight) = state.flights.get(&asked) {
            return Lookup::Made(Making(flight.clone()));
        }
        let key = asked.to_key();
        let (sender, receiver) = watch::channel(Flight::Running);
        state.flights.insert(key.clone(), receiver);
        Lookup::Lead(Lead { cache: Arc::clone(self), key, sender })
    }

    /// How many responses are kept.
    pub fn len(&self) -> usize {
        self.lock().entries.len()
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing that can panic runs under the lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Lead {
    /// Keeps what was made, and hands it to those who wait.
    pub fn store(self, stored: Arc<Stored>) {
        let mut state = self.cache.lock();
        let number = state.inserted;
        state.inserted += 1;
        if let Some((old, _)) = state.entries.insert(self.key.clone(), (number, Arc::clone(&stored))) {
            state.order.remove(&old);
        }
        state.order.insert(number, self.key.clone());
        while state.entries.len() > MAX_ENTRIES {
            let Some((_, oldest)) = state.order.pop_first() else { break };
            state.entries.remove(&oldest);
        }
        drop(state);
        self.sender.send_replace(Flight::Stored(stored));
    }
}

impl Drop for Lead {
    fn drop(&mut self) {
        self.cache.lock().flights.remove(&self.key);
        self.sender.send_if_modified(|flight| {
            let running = matches!(flight, Flight::Running);
            if running {
                *flight = Flight::NotStored;
            }
            running
        });
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn page(path: &str) -> Asked<'_> {
        Asked { form: Form::Data, path, query: "" }
    }

    fn stored(body: &'static str, keep: Duration) -> Arc<Stored> {
        let (status, headers) = (StatusCode::OK, HeaderMap::new());
        Arc::new(Stored { status, headers, body: Bytes::from_static(body.as_bytes()), page: None, made: Instant::now(), keep })
    }

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn a_miss_leads_and_then_hits() {
        let cache = Arc::new(ResponseCache::default());
        let Lookup::Lead(lead) = cache.look_up(page("/a")) else { panic!("should lead") };
        lead.store(stored("um", LONG));
        let Lookup::Hit(hit, _) = cache.look_up(page("/a")) else { panic!("should hit") };
        assert_eq!(hit.body, "um");
        assert!(matches!(cache.look_up(page("/b")), Lookup::Lead(_)));
    }

    #[test]
    fn what_is_asked_has_the_hash_of_its_key() {
        use std::hash::BuildHasher;
        let hasher = RandomState::new();
        for (form, path, query) in [(Form::Data, "/a", "b=1"), (Form::Page, "", ""), (Form::Markdown, "/é", "campos=id,titulo")] {
            let asked = Asked { form, path, query };
            let key = asked.to_key();
            assert!(asked.equivalent(&key));
            assert_eq!(hasher.hash_one(asked), hasher.hash_one(&key));
        }
    }

    #[test]
    fn what_is_stale_is_made_anew() {
        let cache = Arc::new(ResponseCache::default());
        let Lookup::Lead(lead) = cache.look_up(page("/a")) else { panic!("should lead") };
        lead.store(stored("um", Duration::ZERO));
        assert!(matches!(cache.look_up(page("/a")), Lookup::Lead(_)));
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_thousand_misses_are_one_run() {
        let cache = Arc::new(ResponseCache::default());
        let runs = Arc::new(std::sync::atomic::AtomicU32::new(0));
        let tasks: Vec<_> = (0..1000)
            .map(|_| {
                let (cache, runs) = (Arc::clone(&cache), Arc::clone(&runs));
                tokio::spawn(async move {
                    match cache.look_up(page("/a")) {
                        Lookup::Hit(hit, _) => assert_eq!(hit.body, "um"),
                        Lookup::Lead(lead) => {
                            tokio::time::sleep(Duration::from_millis(20)).await;
                            runs.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
                            lead.store(stored("um", LONG));
                        }
                        Lookup::Made(making) => assert_eq!(making.made().await.unwrap().0.body, "um"),
                    }
                })
            })
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
        assert_eq!(runs.load(std::sync::atomic::Ordering::SeqCst), 1);
    }

    #[tokio::test]
    async fn who_waits_in_vain_runs_alone() {
        let cache = Arc::new(ResponseCache::default());
        let Lookup::Lead(lead) = cache.look_up(page("/a")) else { panic!("should lead") };
        let Lookup::Made(making) = cache.look_up(page("/a")) else { panic!("should wait") };
        let waiting = making.made();
        tokio::pin!(waiting);
        assert!(tokio::time::timeout(Duration::from_millis(10), &mut waiting).await.is_err());
        drop(lead);
        assert!(waiting.await.is_none());
        assert!(matches!(cache.look_up(page("/a")), Lookup::Lead(_)));
    }

    #[test]
    fn the_oldest_leaves_first() {
        let cache = Arc::new(ResponseCache::default());
        for n in 0..=MAX_ENTRIES {
            let Lookup::Lead(lead) = cache.look_up(page(&n.to_string())) else { panic!("should lead") };
            lead.store(stored("x", LONG));
        }
        assert_eq!(cache.len(), MAX_ENTRIES);
        assert!(matches!(cache.look_up(page("0")), Lookup::Lead(_)));
        assert!(matches!(cache.look_up(page("1")), Lookup::Hit(..)));
    }
}
