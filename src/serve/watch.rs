//! Waits until a save among the inputs has settled.

use crate::source::INPUTS;
use camino::{Utf8Path, Utf8PathBuf};
use notify::event::{AccessKind, AccessMode};
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// An editor saves in several steps; what follows within this time belongs together.
const SETTLE: Duration = Duration::from_millis(10);
/// But nobody waits longer than this for a program that writes all the time.
const SETTLE_MAX: Duration = Duration::from_millis(250);

/// The paths that changed, relative to the root; `None` when they are not known.
pub(super) type Change = Option<BTreeSet<Utf8PathBuf>>;

/// Watches the inputs.
pub(super) struct Watcher {
    root: Utf8PathBuf,
    notify: RecommendedWatcher,
    events: Receiver<Option<Vec<PathBuf>>>,
    watched: BTreeSet<&'static str>,
}

impl Watcher {
    pub(super) fn new(root: &Utf8Path) -> notify::Result<Watcher> {
        let (sender, events) = channel();
        let absolute = root.canonicalize_utf8().unwrap_or_else(|_| root.to_owned());
        let inside = absolute.clone();
        let mut notify = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            let paths = match event {
                Ok(event) if event.need_rescan() => None,
                Ok(event) if is_change(&event.kind) && event.paths.iter().any(|path| is_input(&inside, path)) => {
                    Some(event.paths)
                }
                Ok(_) => return,
                // An error may hide a change.
                Err(_) => None,
            };
            // When nobody listens any more, the server is ending.
            let _ = sender.send(paths);
        })?;
        // The root itself, for `clientbook.toml` and for folders that are not there yet.
        notify.watch(absolute.as_std_path(), RecursiveMode::NonRecursive)?;
        let mut watcher = Watcher { root: absolute, notify, events, watched: BTreeSet::new() };
        watcher.watch_folders();
        Ok(watcher)
    }

    /// Waits for a change and until it has settled; `None` when there was none in time.
    pub(super) fn wait(&mut self, longest: Duration) -> Option<Change> {
        let mut events = vec![self.events.recv_timeout(longest).ok()?];
        let first = Instant::now();
        while first.elapsed() < SETTLE_MAX
            && let Ok(event) = self.events.recv_timeout(SETTLE)
        {
            events.push(event);
        }
        self.watch_folders();
        let paths: Option<Vec<Vec<PathBuf>>> = events.into_iter().collect();
        Some(paths.map(|paths| paths.iter().flatten().filter_map(|path| self.below(path)).collect()))
    }

    /// An input's path, relative to the root.
    fn below(&self, path: &Path) -> Option<Utf8PathBuf> {
        let below = path.strip_prefix(&self.root).ok().filter(|_| is_input(&self.root, path))?;
        Some(below.to_string_lossy().replace('\\', "/").into())
    }

    /// Input folders may appear, vanish and come back.
    fn watch_folders(&mut self) {
        for folder in INPUTS {
            let path = self.root.join(folder);
            if !path.is_dir() {
                self.watched.remove(folder);
            } else if !self.watched.contains(folder) && self.notify.watch(path.as_std_path(), RecursiveMode::Recursive).is_ok() {
                self.watched.insert(folder);
            }
        }
    }
}

/// Reading is no change: the build itself reads.
fn is_change(kind: &EventKind) -> bool {
    !matches!(kind, EventKind::Access(access) if *access != AccessKind::Close(AccessMode::Write))
}

fn is_input(root: &Utf8Path, path: &Path) -> bool {
    let below = path.strip_prefix(root).ok();
    below.is_some_and(|below| INPUTS.iter().any(|input| below.starts_with(input)))
}
