//! Waits until a save among the inputs has settled.

use crate::source::INPUTS;
use camino::{Utf8Path, Utf8PathBuf};
use notify::event::{AccessKind, AccessMode};
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};
use std::collections::BTreeSet;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// An editor saves in several steps; what follows within this time belongs together.
const SETTLE: Duration = Duration::from_millis(10);
/// But nobody waits longer than this for a program that writes all the time.
const SETTLE_MAX: Duration = Duration::from_millis(250);

/// Watches the inputs.
pub(super) struct Watcher {
    root: Utf8PathBuf,
    notify: RecommendedWatcher,
    events: Receiver<()>,
    watched: BTreeSet<&'static str>,
}

impl Watcher {
    pub(super) fn new(root: &Utf8Path) -> notify::Result<Watcher> {
        let (sender, events) = channel();
        let absolute = root.canonicalize_utf8().unwrap_or_else(|_| root.to_owned());
        let inside = absolute.clone();
        let mut notify = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            // An error may hide a change.
            let counts = event.map_or(true, |event| is_change(&event.kind) && event.paths.iter().any(|p| is_input(&inside, p)));
            if counts {
                // Nobody listens any more: the server is ending.
                let _ = sender.send(());
            }
        })?;
        // The root itself, for `clientbook.toml` and for folders that are not there yet.
        notify.watch(absolute.as_std_path(), RecursiveMode::NonRecursive)?;
        let mut watcher = Watcher { root: absolute, notify, events, watched: BTreeSet::new() };
        watcher.watch_folders();
        Ok(watcher)
    }

    /// Waits for a change and until it has settled; `false` when there was none in time.
    pub(super) fn wait(&mut self, longest: Duration) -> bool {
        if self.events.recv_timeout(longest).is_err() {
            return false;
        }
        let first = Instant::now();
        while first.elapsed() < SETTLE_MAX && self.events.recv_timeout(SETTLE) != Err(RecvTimeoutError::Timeout) {}
        self.watch_folders();
        true
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

fn is_input(root: &Utf8Path, path: &std::path::Path) -> bool {
    let below = path.strip_prefix(root).ok();
    below.is_some_and(|below| INPUTS.iter().any(|input| below.starts_with(input)))
}
