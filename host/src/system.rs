//! What the machine gives this process.

use std::path::PathBuf;

/// The memory of the machine, or of the part of it that this process is held to, in bytes; `None` where nobody says.
pub(crate) fn memory() -> Option<u64> {
    let read = |path: &str| std::fs::read_to_string(path).ok();
    let told = read("/proc/meminfo")?;
    let kilobytes: u64 = told.lines().find_map(|line| line.strip_prefix("MemTotal:")?.trim().strip_suffix("kB")?.trim().parse().ok())?;
    // A container or a unit is given less. Who is not is told "max", or a number beyond all memory.
    let group = read("/proc/self/cgroup").and_then(|groups| groups.lines().find_map(|line| Some(line.strip_prefix("0::")?.to_owned())));
    let group = format!("/sys/fs/cgroup{}", group.unwrap_or_default());
    let groups = std::path::Path::new(&group).ancestors().take_while(|folder| folder.starts_with("/sys/fs/cgroup"));
    let files = groups.map(|folder| folder.join("memory.max")).chain([PathBuf::from("/sys/fs/cgroup/memory/memory.limit_in_bytes")]);
    let given = files.filter_map(|file| std::fs::read_to_string(file).ok()?.trim().parse().ok()).min().unwrap_or(u64::MAX);
    Some(kilobytes.saturating_mul(1024).min(given))
}

/// How many files this process may have open.
#[cfg(unix)]
pub(crate) fn open_files() -> usize {
    use rustix::process::{Resource, getrlimit};
    getrlimit(Resource::Nofile).current.map_or(usize::MAX, |most| usize::try_from(most).unwrap_or(usize::MAX))
}

/// Nobody says: as many as any process will have use for.
#[cfg(not(unix))]
pub(crate) fn open_files() -> usize {
    1 << 16
}
