//! Watches the files of the sites, so that a change is served without a restart.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use notify::event::{AccessKind, AccessMode, EventKind};
use notify::{Config, Event, PollWatcher, RecommendedWatcher, RecursiveMode, Watcher};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::time::Instant;

use super::Registry;
use crate::options::ServeReporter;

/// An editor writes a file in several steps, and people save several files: what comes within this time is one change.
const SETTLE: Duration = Duration::from_millis(40);
/// A change waits no longer than this for more of it.
const LATEST: Duration = Duration::from_secs(1);
/// After a renewal there is none for so many times as long as it took: all that is saved all the time costs a fifth of a core.
const REST: u32 = 4;
/// A site that waits for another's host is tried again after so long.
const AGAIN: Duration = Duration::from_secs(5 * 60);
/// How often files are looked at where the system does not tell of changes.
const POLL: Duration = Duration::from_secs(2);

/// Renews sites as their files change, on a thread of its own for the while that it takes: whoever accepts and serves goes on. Ends only
/// with the process; what cannot be watched is logged.
pub async fn watch(registry: Arc<Registry>, paths: Vec<PathBuf>, data: PathBuf, reporter: Arc<dyn ServeReporter>) {
    let (sender, mut events) = unbounded_channel();
    let _watcher = match start(&paths, move |event| drop(sender.send(event))) {
        Ok(watcher) => watcher,
        Err(error) => {
            tracing::warn!(%error, "changes of files will not be seen");
            return std::future::pending().await;
        }
    };
    let data = absolute(&data);
    let waits = registry.waits();
    let change = move |touched: Vec<PathBuf>| {
        registry.changed(&touched, &*reporter);
        registry.waits()
    };
    renew(&mut events, &data, (waits, AGAIN), change).await;
}

/// Hands on what was touched, one change after the other: what comes meanwhile is the next one.
///
/// `change` answers whether a site waits for something other than a file: then it is tried again without one.
async fn renew(
    events: &mut UnboundedReceiver<Event>,
    data: &Path,
    (mut waits, again_after): (bool, Duration),
    change: impl Fn(Vec<PathBuf>) -> bool + Send + Sync + 'static,
) {
    let change = Arc::new(change);
    let mut again = Instant::now() + again_after;
    loop {
        let event = tokio::select! {
            event = events.recv() => Some(event),
            () = tokio::time::sleep_until(again), if waits => None,
        };
        let touched = match event {
            Some(Some(first)) => match settled(first, events, data).await {
                touched if touched.is_empty() => continue,
                touched => touched,
            },
            Some(None) => return,
            None => Vec::new(),
        };
        let started = Instant::now();
        let change = Arc::clone(&change);
        match tokio::task::spawn_blocking(move || change(touched)).await {
            Ok(still) => (waits, again) = (still, Instant::now() + again_after),
            Err(error) => tracing::error!(%error, "the sites could not be renewed"),
        }
        // Of thousands of sites one that is saved all the time would keep a core busy with looking at all of them.
        tokio::time::sleep(started.elapsed() * REST).await;
    }
}

/// The paths of a change, each once: what comes until nothing more does, or until others have waited long enough.
async fn settled(first: Event, events: &mut UnboundedReceiver<Event>, data: &Path) -> Vec<PathBuf> {
    let mut touched = HashSet::new();
    let mut add = |event: Event| {
        if changes(event.kind) {
            touched.extend(event.paths.into_iter().filter(|path| !path.starts_with(data) && !is_hidden(path)));
        }
    };
    add(first);
    let latest = Instant::now() + LATEST;
    while let Ok(Some(event)) = tokio::time::timeout_at(latest.min(Instant::now() + SETTLE), events.recv()).await {
        add(event);
    }
    touched.into_iter().collect()
}

fn start(paths: &[PathBuf], tell: impl Fn(Event) + Send + Clone + 'static) -> notify::Result<Box<dyn Watcher + Send>> {
    let handler = |tell: Box<dyn Fn(Event) + Send>| {
        move |event: notify::Result<Event>| event.map_or_else(|error| tracing::warn!(%error, "watch"), &tell)
    };
    let native = RecommendedWatcher::new(handler(Box::new(tell.clone())), Config::default());
    let watched = native.and_then(|mut watcher| add(&mut watcher, paths).map(|()| watcher));
    match watched {
        Ok(watcher) => Ok(Box::new(watcher)),
        Err(error) => {
            // Out of watches, most often: thousands of folders are looked at by hand instead.
            tracing::info!(%error, "files are polled for changes");
            let mut watcher = PollWatcher::new(handler(Box::new(tell)), Config::default().with_poll_interval(POLL))?;
            add(&mut watcher, paths)?;
            Ok(Box::new(watcher))
        }
    }
}

fn add(watcher: &mut impl Watcher, paths: &[PathBuf]) -> notify::Result<()> {
    paths.iter().try_for_each(|path| {
        let path = absolute(path);
        // A file is replaced rather than written to, which only its folder sees.
        match path.parent() {
            Some(folder) if path.is_file() => watcher.watch(folder, RecursiveMode::NonRecursive),
            _ => watcher.watch(&path, RecursiveMode::Recursive),
        }
    })
}

/// Reading a file is an event too, and serving reads files.
fn changes(kind: EventKind) -> bool {
    match kind {
        EventKind::Access(AccessKind::Close(AccessMode::Write)) => true,
        EventKind::Access(_) => false,
        _ => true,
    }
}

/// Editors and tools keep their own files under names that start with a dot; no site has any.
fn is_hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
}

fn absolute(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
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

    #[tokio::test]
    async fn a_long_renewal_holds_nobody_up_and_what_comes_meanwhile_is_one_change() {
        let (sender, mut events) = unbounded_channel();
        let renewed = Arc::new(Mutex::new(Vec::new()));
        let noted = Arc::clone(&renewed);
        // One thread serves all of this, as one would that accepts.
        let renewing = renew(&mut events, Path::new("/data"), (false, AGAIN), move |touched| {
            std::thread::sleep(Duration::from_millis(200));
            noted.lock().unwrap().push(touched);
            false
        });
        let serving = async {
            let mut slowest = Duration::ZERO;
            for turn in 0..100 {
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
        assert!((1..=3).contains(&renewed.len()), "{} renewals of 2 s of saving", renewed.len());
        assert!(renewed.iter().all(|touched| touched.len() == 3), "each path once, and those of the data not: {renewed:?}");
    }

    #[tokio::test]
    async fn who_waits_for_no_file_is_tried_again() {
        let (sender, mut events) = unbounded_channel();
        let (tell, mut told) = unbounded_channel();
        const SOON: Duration = Duration::from_millis(300);
        let began = Instant::now();
        tokio::spawn(async move {
            renew(&mut events, Path::new("/data"), (true, SOON), move |touched| {
                tell.send(touched).unwrap();
                false
            })
            .await;
        });
        // What is written to the data folder all the time does not put it off, and is no change itself.
        let written = tokio::spawn(async move {
            while sender.send(saved("/data/a.db")).is_ok() {
                tokio::time::sleep(SOON / 10).await;
            }
        });
        assert_eq!(told.recv().await, Some(Vec::new()));
        assert!(began.elapsed() >= SOON);
        assert!(tokio::time::timeout(4 * SOON, told.recv()).await.is_err(), "nobody waits any more");
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
        assert_eq!(settled(first, &mut events, Path::new("/data")).await.len(), 1);
        assert!(started.elapsed() < 10 * LATEST);
    }
}
