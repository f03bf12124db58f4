//! Where the site goes, and the exchange of its two generations.

use super::{WriteError, list};
use crate::source::INPUTS;
use camino::{Utf8Path, Utf8PathBuf};
use std::fs::{File, TryLockError};
use std::io;

/// The folders of one site.
#[derive(Debug)]
pub(super) struct Place {
    /// What the host serves.
    pub(super) out: Utf8PathBuf,
    /// The other generation.
    pub(super) next: Utf8PathBuf,
    /// What `out` was, for the moment between two renames where a system cannot exchange.
    old: Utf8PathBuf,
    lock: Utf8PathBuf,
}

impl Place {
    /// The folders for the output `out` of the catalogue at `root`; makes those beside it. Refuses what is not ours to write.
    pub(super) fn of(out: &Utf8Path, root: &Utf8Path) -> Result<Place, WriteError> {
        let out = absolute(out)?;
        let (Some(parent), Some(name)) = (out.parent(), out.file_name()) else {
            return Err(WriteError::NotOurs(out));
        };
        std::fs::create_dir_all(parent).map_err(WriteError::io("make", parent))?;
        let parent = parent.canonicalize_utf8().map_err(WriteError::io("find", parent))?;
        let out = parent.join(name);
        refuse_inputs(&out, root)?;
        match out.symlink_metadata() {
            Ok(data) if data.is_symlink() => return Err(WriteError::Link(out)),
            Ok(data) if !data.is_dir() => return Err(WriteError::NotAFolder(out)),
            Ok(_) if list::read(&out).is_none() && !is_empty(&out)? => return Err(WriteError::NotOurs(out)),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(WriteError::io("look at", out)(error)),
        }
        let beside = parent.join(format!(".{name}.clientbook"));
        if beside.is_symlink() {
            return Err(WriteError::Link(beside));
        }
        std::fs::create_dir_all(&beside).map_err(WriteError::io("make", &beside))?;
        Ok(Place { out, next: beside.join("next"), old: beside.join("old"), lock: beside.join("lock") })
    }

    /// Keeps other builds from writing here until it is dropped, or we are killed.
    pub(super) fn lock(&self) -> Result<Lock, WriteError> {
        let file = File::options().create(true).truncate(false).write(true).open(&self.lock);
        let file = file.map_err(WriteError::io("open", &self.lock))?;
        match file.try_lock() {
            Ok(()) => Ok(Lock(file)),
            Err(TryLockError::WouldBlock) => Err(WriteError::Busy(self.out.clone())),
            // Some network disks know no locks; there we go without.
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => Ok(Lock(file)),
            Err(TryLockError::Error(error)) => Err(WriteError::io("lock", &self.lock)(error)),
        }
    }

    /// Puts the old site back where an exchange by renaming was cut off in the middle.
    pub(super) fn recover(&self) -> Result<(), WriteError> {
        if !self.old.exists() {
            return Ok(());
        }
        if self.out.exists() {
            return std::fs::remove_dir_all(&self.old).map_err(WriteError::io("remove", &self.old));
        }
        std::fs::rename(&self.old, &self.out).map_err(WriteError::io("put back", &self.out))
    }

    /// Makes the next generation the site, and the site the next generation's ground.
    pub(super) fn exchange(&self) -> Result<(), WriteError> {
        if !self.out.exists() {
            return std::fs::rename(&self.next, &self.out).map_err(WriteError::io("make", &self.out));
        }
        match exchange(&self.next, &self.out) {
            Err(error) if matches!(error.kind(), io::ErrorKind::Unsupported | io::ErrorKind::InvalidInput) => {
                std::fs::rename(&self.out, &self.old).map_err(WriteError::io("replace", &self.out))?;
                if let Err(error) = std::fs::rename(&self.next, &self.out) {
                    let _ = std::fs::rename(&self.old, &self.out);
                    return Err(WriteError::io("replace", &self.out)(error));
                }
                std::fs::rename(&self.old, &self.next).map_err(WriteError::io("move", &self.old))
            }
            other => other.map_err(WriteError::io("replace", &self.out)),
        }
    }
}

/// A lock that is held.
#[derive(Debug)]
pub(super) struct Lock(File);

impl Drop for Lock {
    /// To close the file is not enough: a process that is just being started holds it open too, for a moment.
    fn drop(&mut self) {
        let _ = self.0.unlock();
    }
}

/// Exchanges two folders in one step.
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
fn exchange(one: &Utf8Path, other: &Utf8Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    renameat_with(CWD, one.as_std_path(), CWD, other.as_std_path(), RenameFlags::EXCHANGE).map_err(io::Error::from)
}

#[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
fn exchange(_: &Utf8Path, _: &Utf8Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

fn absolute(path: &Utf8Path) -> Result<Utf8PathBuf, WriteError> {
    // `.` and `..` at the end name a folder that is there, or nothing.
    if path.file_name().is_none() {
        return path.canonicalize_utf8().map_err(WriteError::io("find", path));
    }
    camino::absolute_utf8(path).map_err(WriteError::io("find", path))
}

/// Refuses an `out` that holds an input, or that an input holds.
fn refuse_inputs(out: &Utf8Path, root: &Utf8Path) -> Result<(), WriteError> {
    let root = root.canonicalize_utf8().map_err(WriteError::io("find", root))?;
    let inputs = INPUTS.iter().filter_map(|input| root.join(input).canonicalize_utf8().ok());
    for input in inputs {
        if input.starts_with(out) || out.starts_with(&input) {
            return Err(WriteError::Inputs { out: out.to_owned(), input });
        }
    }
    if root.starts_with(out) {
        return Err(WriteError::Inputs { out: out.to_owned(), input: root });
    }
    Ok(())
}

fn is_empty(folder: &Utf8Path) -> Result<bool, WriteError> {
    let mut entries = folder.read_dir_utf8().map_err(WriteError::io("read", folder))?;
    Ok(entries.next().is_none())
}
