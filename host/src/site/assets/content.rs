//! The bytes of a file: kept in memory when they are few, else opened for each answer.

use std::{
    fs, io,
    io::Read as _,
    path::{Path, PathBuf},
    sync::{
        Arc, OnceLock,
        atomic::{AtomicUsize, Ordering},
    },
    time::UNIX_EPOCH,
};

use bytes::Bytes;

use crate::{
    site::{file, walk},
    text::entity_tag,
};

/// Files up to this size are kept, once they were asked for.
const SMALL: u64 = 256 * 1024;
/// Bytes of files that the process keeps, over all sites. Beyond that, small files are read each time, too.
const MAX_KEPT: usize = 64 * 1024 * 1024;

static KEPT: AtomicUsize = AtomicUsize::new(0);

/// Where a file's bytes come from.
#[derive(Debug)]
pub(super) enum Stored {
    /// A component carried them; the tag is made when it is first asked for.
    Given(Bytes, OnceLock<String>),
    /// A file.
    OnDisk(OnDisk),
}

/// A file of the site's folder.
#[derive(Debug)]
pub(super) struct OnDisk {
    path: PathBuf,
    /// It may have become a link since it was indexed: what it leads to must lie in here.
    root: Arc<Path>,
    /// When it was indexed.
    size: u64,
    kept: OnceLock<Kept>,
}

/// A file that an answer can be made of.
#[derive(Debug)]
pub(super) struct Opened {
    /// Quoted.
    pub(super) tag: String,
    pub(super) body: OpenedBody,
}

#[derive(Debug)]
pub(super) enum OpenedBody {
    Kept(Bytes),
    /// With its size, as it is now.
    OnDisk(fs::File, u64),
}

impl Opened {
    pub(super) fn len(&self) -> u64 {
        match &self.body {
            OpenedBody::Kept(bytes) => bytes.len() as u64,
            OpenedBody::OnDisk(_, size) => *size,
        }
    }
}

impl Stored {
    pub(super) fn given(bytes: Bytes) -> Self {
        Self::Given(bytes, OnceLock::new())
    }

    pub(super) fn on_disk(walk::Found { path, root, size, .. }: walk::Found) -> Self {
        Self::OnDisk(OnDisk { path, root, size, kept: OnceLock::new() })
    }

    /// The bytes with their tag.
    pub(super) fn open(&self) -> io::Result<Opened> {
        match self {
            Self::Given(bytes, tag) => {
                let tag = tag.get_or_init(|| entity_tag(bytes)).clone();
                Ok(Opened { tag, body: OpenedBody::Kept(bytes.clone()) })
            }
            Self::OnDisk(file) => file.open(),
        }
    }
}

impl OnDisk {
    /// A large file is tagged by size and time, so that tag and bytes fit whatever happened since it was indexed.
    fn open(&self) -> io::Result<Opened> {
        if let Some(kept) = self.kept.get() {
            return Ok(kept.opened());
        }
        let file::Opened { mut file, metadata } = file::open(&self.path, Some(&self.root))?;
        if self.size.max(metadata.len()) > SMALL {
            let modified = metadata.modified()?.duration_since(UNIX_EPOCH).unwrap_or_default();
            let tag = format!("\"{:x}-{:x}\"", metadata.len(), modified.as_nanos());
            return Ok(Opened { tag, body: OpenedBody::OnDisk(file, metadata.len()) });
        }
        let mut bytes = Vec::with_capacity(metadata.len() as usize);
        file.by_ref().take(SMALL).read_to_end(&mut bytes)?;
        let tag = entity_tag(&bytes);
        let bytes = Bytes::from(bytes);
        let opened = Opened { tag: tag.clone(), body: OpenedBody::Kept(bytes.clone()) };
        // When another request was faster, its reservation stays and this one is given back.
        if let Some(reservation) = Reservation::take(bytes.len()) {
            let _ = self.kept.set(Kept { bytes, tag, _reservation: reservation });
        }
        Ok(opened)
    }
}

#[derive(Debug)]
struct Kept {
    bytes: Bytes,
    tag: String,
    _reservation: Reservation,
}

impl Kept {
    fn opened(&self) -> Opened {
        Opened { tag: self.tag.clone(), body: OpenedBody::Kept(self.bytes.clone()) }
    }
}

/// A share of [`MAX_KEPT`], given back when it is dropped.
#[derive(Debug)]
struct Reservation(usize);

impl Reservation {
    fn take(bytes: usize) -> Option<Self> {
        let add = |kept: usize| kept.checked_add(bytes).filter(|sum| *sum <= MAX_KEPT);
        KEPT.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add).ok().map(|_| Self(bytes))
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        KEPT.fetch_sub(self.0, Ordering::Relaxed);
    }
}
