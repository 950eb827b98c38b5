//! What the machine gives this process.

/// The memory of the machine, or of the part of it that this process is held to, in bytes; `None` where nobody says.
pub(crate) fn memory() -> Option<u64> {
    let read = |path: &str| std::fs::read_to_string(path).ok();
    let told = read("/proc/meminfo")?;
    let kilobytes: u64 = told.lines().find_map(|line| line.strip_prefix("MemTotal:")?.trim().strip_suffix("kB")?.trim().parse().ok())?;
    // A container is given less; one that is not is told "max", or a number beyond all memory.
    let given = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"];
    let given = given.into_iter().find_map(|path| read(path)?.trim().parse().ok()).unwrap_or(u64::MAX);
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
