//! How much memory a process group uses.

/// Resident memory of all processes of `group`, in MiB; 0 where there is no `/proc`.
pub fn of_group(group: u32) -> u64 {
    let Ok(entries) = std::fs::read_dir("/proc") else { return 0 };
    let kib: u64 = entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_string_lossy().parse::<u32>().ok())
        .filter(|pid| group_of(*pid) == Some(group))
        .filter_map(resident)
        .sum();
    kib / 1024
}

/// The fifth field of `/proc/<pid>/stat`; the second, in parentheses, may hold anything.
fn group_of(pid: u32) -> Option<u32> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(')')?.1.split_whitespace().nth(2)?.parse().ok()
}

fn resident(pid: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}
