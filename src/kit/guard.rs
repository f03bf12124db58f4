//! Nothing is left behind: a small process that outlives the kit for a moment, even when the kit is killed with SIGKILL.
//!
//! The guard reads lines from a pipe that only the kit holds: process groups and folders, to watch and to forget. When the
//! pipe closes, it kills every group that is still watched, and on Linux every process that carries the kit's mark in its
//! environment; then it removes the folders. It runs in its own process group, so that Ctrl-C does not reach it.

use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use std::collections::BTreeSet;
use std::io::{BufRead, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The environment variable that carries the mark.
pub const MARK: &str = "CLIENTBOOK_KIT_RUN";

/// What every folder of the kit is called, to begin with; the guard removes no other.
pub const FOLDER: &str = "clientbook-kit-";

/// The kit's end of the pipe. Cloning shares it; dropping the last one ends what is left.
#[derive(Debug, Clone)]
pub struct Guard {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    mark: String,
    child: Mutex<Child>,
}

impl Guard {
    /// Starts the guard: `program` is a command line that ends up in [`serve`], without the mark.
    pub fn start(program: &[String]) -> std::io::Result<Guard> {
        let (name, arguments) = program.split_first().ok_or_else(|| std::io::Error::other("no guard program"))?;
        let nanos = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |d| d.as_nanos());
        let mark = format!("{}-{nanos}", std::process::id());
        let child = Command::new(name)
            .args(arguments)
            .arg(&mark)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()?;
        Ok(Guard { inner: Arc::new(Inner { mark, child: Mutex::new(child) }) })
    }

    /// The mark that everything the kit starts must carry in [`MARK`].
    pub fn mark(&self) -> &str {
        &self.inner.mark
    }

    /// Watches a process group.
    pub fn watch(&self, group: u32) {
        self.say(&format!("group {group}"));
    }

    /// Forgets a process group that has ended.
    pub fn forget(&self, group: u32) {
        self.say(&format!("gone {group}"));
    }

    /// Makes an empty folder below the system's temporary folder, removed at the latest with the kit's end.
    pub fn folder(&self, name: &str) -> std::io::Result<PathBuf> {
        let folder = std::env::temp_dir().join(format!("{FOLDER}{}-{name}", self.inner.mark));
        self.say(&format!("folder {}", folder.display()));
        std::fs::create_dir_all(&folder)?;
        Ok(folder)
    }

    fn say(&self, line: &str) {
        let mut child = self.inner.child.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(pipe) = child.stdin.as_mut() {
            let _ = writeln!(pipe, "{line}").and_then(|()| pipe.flush());
        }
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        let child = self.child.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner);
        drop(child.stdin.take());
        let _ = child.wait();
    }
}

/// The guard process: reads until the kit is gone, then cleans up.
pub fn serve(mark: &str, lines: impl BufRead) {
    let mut groups = BTreeSet::new();
    let mut folders = BTreeSet::new();
    for line in lines.lines().map_while(Result::ok) {
        match line.split_once(' ') {
            Some(("group", id)) => groups.extend(id.parse::<i32>().ok()),
            Some(("gone", id)) => {
                let _ = id.parse::<i32>().map(|id| groups.remove(&id));
            }
            Some(("folder", path)) => {
                folders.insert(PathBuf::from(path));
            }
            _ => {}
        }
    }
    for group in groups.into_iter().filter_map(Pid::from_raw) {
        let _ = kill_process_group(group, Signal::KILL);
    }
    // A process that was being started when the kit died takes its mark with its program: look until none is left twice.
    let mut quiet = 0;
    for _ in 0..50 {
        let left = marked(mark);
        quiet = if left.is_empty() { quiet + 1 } else { 0 };
        if quiet == 2 {
            break;
        }
        for pid in left {
            let _ = kill_process(pid, Signal::KILL);
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    for folder in folders.iter().filter(|folder| is_ours(folder, mark)) {
        let _ = std::fs::remove_dir_all(folder);
    }
}

fn is_ours(folder: &Path, mark: &str) -> bool {
    let name = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    name.starts_with(&format!("{FOLDER}{mark}-"))
}

/// Processes that carry the mark. Empty where there is no `/proc`.
fn marked(mark: &str) -> Vec<Pid> {
    let wanted = format!("{MARK}={mark}");
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_string_lossy().parse::<i32>().ok())
        .filter(|pid| {
            let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            environment.split(|byte| *byte == 0).any(|variable| variable == wanted.as_bytes())
        })
        .filter_map(Pid::from_raw)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_the_end_of_the_pipe_groups_marked_processes_and_folders_go() {
        let mark = format!("test-{}", std::process::id());
        let mut watched = Command::new("sleep").arg("60").process_group(0).spawn().unwrap();
        let mut gone = Command::new("sleep").arg("60").process_group(0).spawn().unwrap();
        let mut strayed = Command::new("sleep").arg("60").env(MARK, &mark).process_group(0).spawn().unwrap();
        let folder = std::env::temp_dir().join(format!("{FOLDER}{mark}-x"));
        let other = std::env::temp_dir().join(format!("{FOLDER}other-{}", std::process::id()));
        for made in [&folder, &other] {
            std::fs::create_dir_all(made.join("inner")).unwrap();
        }
        let lines = format!(
            "group {}\ngroup {}\ngone {}\nfolder {}\nfolder {}\n",
            watched.id(),
            gone.id(),
            gone.id(),
            folder.display(),
            other.display()
        );
        serve(&mark, lines.as_bytes());
        assert!(!watched.wait().unwrap().success());
        assert!(!strayed.wait().unwrap().success());
        assert!(gone.try_wait().unwrap().is_none(), "a forgotten group is left alone");
        gone.kill().unwrap();
        gone.wait().unwrap();
        assert!(!folder.exists());
        assert!(other.exists(), "a folder of another run is left alone");
        std::fs::remove_dir_all(other).unwrap();
    }
}
