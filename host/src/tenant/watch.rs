//! Watches the files of the sites, so that a change is served without a restart.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use notify::event::{AccessKind, AccessMode, EventKind};
use notify::{Config, Event, PollWatcher, RecommendedWatcher, RecursiveMode, Watcher};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::Registry;
use crate::options::ServeReporter;

/// An editor writes a file in several steps, and people save several files: what comes within this time is one change.
const SETTLE: Duration = Duration::from_millis(40);
/// How often files are looked at where the system does not tell of changes.
const POLL: Duration = Duration::from_secs(2);

/// Renews sites as their files change. Ends only with the process; what cannot be watched is logged.
pub async fn watch(registry: Arc<Registry>, paths: Vec<PathBuf>, data: PathBuf, reporter: &dyn ServeReporter) {
    let (sender, mut events) = unbounded_channel();
    let _watcher = match start(&paths, move |event| drop(sender.send(event))) {
        Ok(watcher) => watcher,
        Err(error) => {
            tracing::warn!(%error, "changes of files will not be seen");
            return std::future::pending().await;
        }
    };
    let data = absolute(&data);
    while let Some(first) = events.recv().await {
        let touched = settled(first, &mut events, &data).await;
        if !touched.is_empty() {
            // Compiling is a matter of milliseconds, but not of none: requests go on meanwhile on other threads.
            tokio::task::block_in_place(|| registry.changed(&touched, reporter));
        }
    }
}

/// The paths of a change, once nothing more comes.
async fn settled(first: Event, events: &mut UnboundedReceiver<Event>, data: &Path) -> Vec<PathBuf> {
    let mut touched = Vec::new();
    let mut add = |event: Event| {
        if changes(event.kind) {
            touched.extend(event.paths.into_iter().filter(|path| !path.starts_with(data) && !is_hidden(path)));
        }
    };
    add(first);
    while let Ok(Some(event)) = tokio::time::timeout(SETTLE, events.recv()).await {
        add(event);
    }
    touched
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
