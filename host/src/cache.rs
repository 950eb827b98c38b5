//! The responses of one site that are kept for a while: bounded, oldest out first, each made once however many ask.

mod room;

use std::collections::BTreeMap;
use std::hash::RandomState;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use hashbrown::{Equivalent, HashMap};
use http::{HeaderMap, StatusCode};
use tokio::sync::watch;

use crate::sandbox::PageBounds;
use room::{ROOM, Room};

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

/// What keeping a response costs beside its bytes, about.
const BESIDE: usize = 512;

/// The bytes that it takes to keep a response.
fn size(key: &Key, stored: &Stored) -> usize {
    let headers: usize = stored.headers.iter().map(|(name, value)| name.as_str().len() + value.len()).sum();
    stored.body.len() + headers + 2 * (key.path.len() + key.query.len()) + BESIDE
}

/// The cache of one revision of a site.
#[derive(Debug)]
pub struct ResponseCache {
    state: Mutex<State>,
    room: Arc<Room>,
}

impl Default for ResponseCache {
    fn default() -> Self {
        Self { state: Mutex::default(), room: Arc::clone(&ROOM) }
    }
}

impl Drop for ResponseCache {
    fn drop(&mut self) {
        let kept = self.lock().bytes;
        self.room.give_back(kept);
    }
}

#[derive(Debug, Default)]
struct State {
    entries: HashMap<Key, (u64, Arc<Stored>), RandomState>,
    /// Insertion number to key: the first is the oldest.
    order: BTreeMap<u64, Key>,
    inserted: u64,
    /// What all of them take.
    bytes: usize,
    /// It is swept.
    listed: bool,
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

    /// Clears away what is too old; tells whether anything is left.
    fn drop_expired(&self) -> bool {
        let mut gone = Vec::new();
        let mut state = self.lock();
        let old: Vec<u64> = state.entries.values().filter(|(_, stored)| stored.age().is_none()).map(|(number, _)| *number).collect();
        gone.extend(old.into_iter().filter_map(|number| state.remove(number, &self.room)));
        state.listed = !state.entries.is_empty();
        state.listed
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing that can panic runs under the lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn insert(&mut self, key: &Key, stored: &Arc<Stored>, room: &Room) {
        if let Some((old, _)) = self.entries.get(key) {
            self.remove(*old, room);
        }
        let (number, bytes) = (self.inserted, size(key, stored));
        self.inserted += 1;
        self.bytes += bytes;
        room.take(bytes);
        self.order.insert(number, key.clone());
        self.entries.insert(key.clone(), (number, Arc::clone(stored)));
    }

    fn remove(&mut self, number: u64, room: &Room) -> Option<Arc<Stored>> {
        let key = self.order.remove(&number)?;
        let (_, stored) = self.entries.remove(&key)?;
        let bytes = size(&key, &stored);
        self.bytes -= bytes;
        room.give_back(bytes);
        Some(stored)
    }
}

impl Lead {
    /// Keeps what was made, and hands it to those who wait.
    pub fn store(self, stored: Arc<Stored>) {
        let (cache, room) = (&self.cache, &self.cache.room);
        let mut state = cache.lock();
        state.insert(&self.key, &stored, room);
        while state.entries.len() > MAX_ENTRIES || !room.allows(state.bytes) {
            let Some(oldest) = state.order.first_key_value().map(|(number, _)| *number) else { break };
            state.remove(oldest, room);
        }
        let is_new = !state.entries.is_empty() && !std::mem::replace(&mut state.listed, true);
        drop(state);
        if is_new {
            room.fills(cache);
        }
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

    /// A cache in a room of so many bytes that nobody sweeps.
    fn within(room: &Arc<Room>) -> Arc<ResponseCache> {
        Arc::new(ResponseCache { state: Mutex::default(), room: Arc::clone(room) })
    }

    fn keep(cache: &Arc<ResponseCache>, path: &str, bytes: usize, keep: Duration) {
        let Lookup::Lead(lead) = cache.look_up(page(path)) else { panic!("should lead") };
        let (status, headers) = (StatusCode::OK, HeaderMap::new());
        let body = Bytes::from(vec![b'x'; bytes]);
        lead.store(Arc::new(Stored { status, headers, body, page: None, made: Instant::now(), keep }));
    }

    #[test]
    fn sites_share_the_room_there_is() {
        let room = Arc::new(Room::of(16 << 20));
        let greedy: Vec<_> = (0..8).map(|_| within(&room)).collect();
        let kept = |cache: &Arc<ResponseCache>| cache.lock().bytes;
        for n in 0..200 {
            greedy.iter().for_each(|cache| keep(cache, &n.to_string(), 200 << 10, LONG));
        }
        let all: usize = greedy.iter().map(kept).sum();
        assert!(all < 16 << 20, "{all}");
        let calm = within(&room);
        (0..4).for_each(|n| keep(&calm, &n.to_string(), 100 << 10, LONG));
        assert_eq!(calm.len(), 4);
        // It stays whatever the others go on to ask.
        for n in 200..400 {
            greedy.iter().for_each(|cache| keep(cache, &n.to_string(), 200 << 10, LONG));
        }
        assert_eq!(calm.len(), 4);
        drop((greedy, calm));
        assert!(room.allows(6 << 20), "what was kept is given back");
    }

    #[test]
    fn what_is_too_old_leaves_by_itself() {
        let room = Arc::new(Room::of(1 << 20));
        let cache = within(&room);
        keep(&cache, "/a", 1000, Duration::ZERO);
        keep(&cache, "/b", 1000, LONG);
        room.sweep();
        assert_eq!(cache.len(), 1);
        assert!(matches!(cache.look_up(page("/b")), Lookup::Hit(..)));
        // Emptied and filled again, it is swept again.
        let other = within(&room);
        for _ in 0..2 {
            keep(&other, "/a", 1000, Duration::ZERO);
            assert_eq!(other.len(), 1);
            room.sweep();
            assert_eq!((other.len(), other.lock().bytes), (0, 0));
        }
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
