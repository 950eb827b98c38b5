//! Watches the files of the sites, so that a change is served without a restart.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use notify::event::{AccessKind, AccessMode, EventKind};
use notify::{Config, ErrorKind, Event, RecommendedWatcher, RecursiveMode, Watcher};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::time::Instant;

use super::Registry;
use super::look::{Spot, is_hidden};
use crate::options::ServeReporter;

/// An editor writes a file in several steps, and people save several files: what comes within this time is one change.
const SETTLE: Duration = Duration::from_millis(40);
/// A change waits no longer than this for more of it.
const LATEST: Duration = Duration::from_secs(1);
/// After a look there is none for so many times as long as it took: of thousands of sites one that is saved all the time would keep a core
/// busy with looking at all of them.
const REST: u32 = 4;
/// How often all places are looked at, whatever the system tells: of another machine's changes it tells nothing.
const LOOK: Duration = Duration::from_secs(30);
/// How often places are looked at of which the system tells nothing.
const POLL: Duration = Duration::from_secs(2);
/// Looks beyond that, as few as keep a core busy for a part of the time that is one in so many.
const SHARE: u32 = 50;
/// What has changed again by the time that it is listened to is renewed at once, so many times in a row.
const TURNS: usize = 3;

/// Renews sites as their files change, on a thread of its own for the while that it takes: whoever accepts and serves goes on. Ends only
/// with the process; what cannot be watched is looked at.
pub async fn watch(registry: Arc<Registry>, reporter: Arc<dyn ServeReporter>) {
    let (sender, mut events) = unbounded_channel();
    let tell = move |event: notify::Result<Event>| match event {
        Ok(event) => drop(sender.send(event)),
        Err(error) => tracing::warn!(%error, "watch"),
    };
    let watcher = RecommendedWatcher::new(tell, Config::default());
    if let Err(error) = &watcher {
        tracing::warn!(%error, "the system does not tell of changes of files: they are looked at");
    }
    let except = registry.except();
    let lookout = Mutex::new(Lookout::new(registry, reporter, watcher.ok()));
    let change = move |change| lookout.lock().unwrap_or_else(PoisonError::into_inner).turn(change);
    renew(&mut events, &except, change).await;
}

/// What happened.
#[derive(Debug, Default, PartialEq, Eq)]
struct Change {
    paths: HashSet<PathBuf>,
    /// The system lost count.
    missed: bool,
}

/// What is to be done after a change.
struct Next {
    /// When to look again though nothing is told.
    look: Instant,
    /// How long to do nothing.
    rest: Duration,
}

/// Hands on what was touched, one change after the other: what comes meanwhile is the next one. The first is none.
async fn renew(events: &mut UnboundedReceiver<Event>, except: &Path, change: impl Fn(Change) -> Next + Send + Sync + 'static) {
    let turn = Arc::new(change);
    let mut change = Change::default();
    loop {
        let turn = Arc::clone(&turn);
        let look = match tokio::task::spawn_blocking(move || turn(change)).await {
            Ok(next) => {
                tokio::time::sleep(next.rest).await;
                next.look
            }
            Err(error) => {
                tracing::error!(%error, "the sites could not be renewed");
                Instant::now() + LOOK
            }
        };
        change = loop {
            tokio::select! {
                event = events.recv() => match event {
                    Some(first) => match settled(first, events, except).await {
                        nothing if nothing == Change::default() => {}
                        change => break change,
                    },
                    None => return,
                },
                () = tokio::time::sleep_until(look) => break Change::default(),
            }
        };
    }
}

/// The paths of a change, each once: what comes until nothing more does, or until others have waited long enough.
async fn settled(first: Event, events: &mut UnboundedReceiver<Event>, except: &Path) -> Change {
    let mut change = Change::default();
    let mut add = |event: Event| {
        change.missed |= event.need_rescan();
        if changes(event.kind) {
            change.paths.extend(event.paths.into_iter().filter(|path| !path.starts_with(except) && !is_hidden(path)));
        }
    };
    add(first);
    let latest = Instant::now() + LATEST;
    while let Ok(Some(event)) = tokio::time::timeout_at(latest.min(Instant::now() + SETTLE), events.recv()).await {
        add(event);
    }
    change
}

/// Reading a file is an event too, and serving reads files.
fn changes(kind: EventKind) -> bool {
    match kind {
        EventKind::Access(AccessKind::Close(AccessMode::Write)) => true,
        EventKind::Access(_) => false,
        _ => true,
    }
}

/// Listens where the system tells of changes, and looks where it does not.
pub(super) struct Lookout {
    registry: Arc<Registry>,
    reporter: Arc<dyn ServeReporter>,
    watcher: Option<RecommendedWatcher>,
    /// The folders that are listened to.
    heard: HashSet<PathBuf>,
    /// Every place, as it looked when its folders were last listened to.
    seen: HashMap<PathBuf, Arc<Spot>>,
    /// Places of which not all is heard.
    deaf: HashSet<PathBuf>,
    /// It was told that there are such.
    told: bool,
    /// When all places are looked at, and when those.
    look_at: Instant,
    poll_at: Instant,
}

impl Lookout {
    pub(super) fn new(registry: Arc<Registry>, reporter: Arc<dyn ServeReporter>, watcher: Option<RecommendedWatcher>) -> Self {
        let (look_at, poll_at) = (Instant::now() + LOOK, Instant::now() + POLL);
        let (heard, seen, deaf) = (HashSet::new(), HashMap::new(), HashSet::new());
        Self { registry, reporter, watcher, heard, seen, deaf, told: false, look_at, poll_at }
    }

    /// Looks at what cannot be heard as if it were time to.
    #[cfg(test)]
    pub(super) fn turn_now(&mut self) {
        self.poll_at = Instant::now();
        self.turn(Change::default());
    }

    fn turn(&mut self, change: Change) -> Next {
        let began = Instant::now();
        let missed = change.missed || self.look_at <= began;
        let mut rest = Duration::ZERO;
        let mut touched = match self.seen.is_empty() {
            // What was saved while the sites were loaded nobody has told of.
            true => self.listen(&HashSet::new()),
            false => self.registry.touched(change.paths.into_iter().collect()),
        };
        if missed {
            touched.extend(self.registry.changed(None));
            // Places may have become fewer.
            let deaf = std::mem::take(&mut self.deaf);
            touched.extend(self.listen(&deaf));
        } else if self.poll_at <= began {
            touched.extend(self.registry.changed(Some(&self.deaf)));
        }
        let looked = began.elapsed();
        if missed {
            self.look_at = Instant::now() + LOOK.max(looked * SHARE);
        }
        self.poll_at = Instant::now() + POLL.max(looked * SHARE);
        for turn in 0..TURNS {
            if turn > 0 && !touched.is_empty() {
                std::thread::sleep(SETTLE);
            }
            // The time has come for a site that waits.
            if touched.is_empty() && (turn > 0 || !self.registry.is_due()) {
                break;
            }
            rest += self.registry.renew(&touched, &*self.reporter) * REST;
            touched = self.listen(&touched);
        }
        let poll = (!self.deaf.is_empty()).then_some(self.poll_at);
        // What has changed yet again is looked at with what nobody tells of.
        self.deaf.extend(touched);
        let due = self.registry.due().map(Instant::from_std);
        Next { look: poll.into_iter().chain(due).fold(self.look_at, Instant::min), rest }
    }

    /// Listens to the places that are new, or look other than they did, or were touched: a folder may be another under the same name. Answers
    /// what of it has changed meanwhile.
    fn listen(&mut self, touched: &HashSet<PathBuf>) -> HashSet<PathBuf> {
        let spots = self.registry.spots();
        let is_same = |path: &PathBuf, spot: &Arc<Spot>| self.seen.get(path).is_some_and(|seen| Arc::ptr_eq(seen, spot));
        let fresh: HashSet<PathBuf> =
            spots.iter().filter(|(path, spot)| touched.contains(*path) || !is_same(path, spot)).map(|(path, _)| path.clone()).collect();
        let wanted: HashSet<&Path> = spots.values().flat_map(|spot| spot.listens_at()).collect();
        let stale: Vec<PathBuf> = self.heard.iter().filter(|folder| !wanted.contains(folder.as_path())).cloned().collect();
        for folder in stale {
            self.heard.remove(&folder);
            if let Some(watcher) = &mut self.watcher {
                // It may be gone, and with it what was heard of it.
                let _ = watcher.unwatch(&folder);
            }
        }
        self.deaf.retain(|path| spots.contains_key(path));
        let mut done = HashSet::new();
        let mut is_full = self.watcher.is_none();
        for path in &fresh {
            let folders = spots.get(path).into_iter().flat_map(|spot| spot.listens_at());
            let mut is_heard = true;
            for folder in folders {
                if !done.insert(folder) {
                    is_heard &= self.heard.contains(folder);
                    continue;
                }
                match self.hear(folder, &mut is_full) {
                    true => drop(self.heard.insert(folder.to_path_buf())),
                    false => {
                        self.heard.remove(folder);
                        is_heard = false;
                    }
                }
            }
            match is_heard {
                true => drop(self.deaf.remove(path)),
                false => drop(self.deaf.insert(path.clone())),
            }
        }
        if is_full && !std::mem::replace(&mut self.told, true) {
            let places = self.deaf.len();
            tracing::warn!(
                places,
                "the system tells of no more folders (fs.inotify.max_user_watches): the others are looked at every few seconds"
            );
        }
        self.seen = spots;
        self.registry.changed(Some(&fresh))
    }

    /// Whether a folder is listened to from now on.
    fn hear(&mut self, folder: &Path, is_full: &mut bool) -> bool {
        let Some(watcher) = self.watcher.as_mut().filter(|_| !*is_full) else { return false };
        match watcher.watch(folder, RecursiveMode::NonRecursive) {
            Ok(()) => true,
            Err(error) => {
                *is_full |= matches!(error.kind, ErrorKind::MaxFilesWatch);
                tracing::debug!(%error, "watch");
                false
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::sync::Mutex;

    use notify::event::ModifyKind;

    use super::*;

    fn saved(path: &str) -> Event {
        Event::new(EventKind::Modify(ModifyKind::Any)).add_path(path.into())
    }

    fn next(look: Duration, rest: Duration) -> Next {
        Next { look: Instant::now() + look, rest }
    }

    #[tokio::test]
    async fn a_long_renewal_holds_nobody_up_and_what_comes_meanwhile_is_one_change() {
        let (sender, mut events) = unbounded_channel();
        let renewed = Arc::new(Mutex::new(Vec::new()));
        let noted = Arc::clone(&renewed);
        // One thread serves all of this, as one would that accepts.
        let renewing = renew(&mut events, Path::new("/data"), move |change| {
            if change != Change::default() {
                std::thread::sleep(Duration::from_millis(200));
                noted.lock().unwrap().push(change.paths);
            }
            next(LOOK, Duration::from_millis(800))
        });
        let serving = async {
            let mut slowest = Duration::ZERO;
            for turn in 0..150 {
                sender.send(saved(&format!("/sites/a/{}.djo", turn % 3))).unwrap();
                sender.send(saved("/data/a.db")).unwrap();
                let asleep = Instant::now();
                tokio::time::sleep(Duration::from_millis(20)).await;
                slowest = slowest.max(asleep.elapsed());
            }
            slowest
        };
        let slowest = tokio::select! {
            () = renewing => unreachable!(),
            slowest = serving => slowest,
        };
        assert!(slowest < Duration::from_millis(150), "it was held up for {slowest:?}");
        let renewed = renewed.lock().unwrap();
        assert!((1..=3).contains(&renewed.len()), "{} renewals of 3 s of saving", renewed.len());
        assert!(renewed.iter().all(|touched| touched.len() == 3), "each path once, and those of the data not: {renewed:?}");
    }

    #[tokio::test]
    async fn it_is_looked_again_when_the_time_has_come() {
        let (sender, mut events) = unbounded_channel();
        let (tell, mut told) = unbounded_channel();
        const SOON: Duration = Duration::from_millis(300);
        let began = Instant::now();
        tokio::spawn(async move {
            renew(&mut events, Path::new("/data"), move |change| {
                tell.send(change).unwrap();
                next(SOON, Duration::ZERO)
            })
            .await;
        });
        // What is written to the data folder all the time does not put it off, and is no change itself.
        let written = tokio::spawn(async move {
            while sender.send(saved("/data/a.db")).is_ok() {
                tokio::time::sleep(SOON / 10).await;
            }
        });
        for _ in 0..3 {
            assert_eq!(told.recv().await, Some(Change::default()));
        }
        assert!(began.elapsed() >= 2 * SOON);
        written.abort();
    }

    #[tokio::test]
    async fn saving_without_end_does_not_put_a_change_off() {
        let (sender, mut events) = unbounded_channel();
        tokio::spawn(async move {
            while sender.send(saved("/sites/a/x.djo")).is_ok() {
                tokio::time::sleep(SETTLE / 2).await;
            }
        });
        let started = Instant::now();
        let first = events.recv().await.unwrap();
        assert_eq!(settled(first, &mut events, Path::new("/data")).await.paths.len(), 1);
        assert!(started.elapsed() < 10 * LATEST);
    }

    #[tokio::test]
    async fn events_that_were_lost_are_a_change() {
        let (_sender, mut events) = unbounded_channel();
        let lost = Event::new(EventKind::Other).set_flag(notify::event::Flag::Rescan);
        assert!(settled(lost, &mut events, Path::new("/data")).await.missed);
    }
}
