//! One generation of the site on the disk: what of it can be relied on, and how it is brought forward to what is wanted.

use super::list::{self, Files, LIST};
use super::{Stamp, WriteError};
use camino::{Utf8Path, Utf8PathBuf};
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::time::SystemTime;

/// A folder and the files in it that are as they were written.
#[derive(Debug)]
pub(super) struct Generation {
    folder: Utf8PathBuf,
    /// What can be relied on.
    pub(super) files: Files,
    /// Whether every file of its list can be relied on.
    pub(super) is_whole: bool,
}

impl Generation {
    /// The site as it stands; without files, if there is none yet. A file or folder in it that is not on its list is refused.
    pub(super) fn live(folder: &Utf8Path) -> Result<Generation, WriteError> {
        let Some((listed, written)) = list::read(folder) else {
            return Ok(Generation { folder: folder.to_owned(), files: Files::new(), is_whole: false });
        };
        let folders = folders(&listed);
        folders.par_iter().try_for_each(|inner| {
            let path = folder.join(inner);
            match path.symlink_metadata() {
                Ok(data) if data.is_dir() && is_untouched(&data, written) => Ok(()),
                Ok(data) if data.is_dir() => refuse_foreign(folder, inner, &listed, &folders),
                Ok(_) => Err(WriteError::Foreign(path)),
                Err(_) => Ok(()),
            }
        })?;
        let count = listed.len();
        let files = intact(folder, listed, written);
        Ok(Generation { folder: folder.to_owned(), is_whole: files.len() == count, files })
    }

    /// The generation to bring forward. One that was touched, or left half-way by a build that was killed, is taken away.
    pub(super) fn next(folder: &Utf8Path) -> Result<Generation, WriteError> {
        let known = list::read(folder).and_then(|(listed, written)| {
            let count = listed.len();
            let are_folders_intact = folders(&listed).par_iter().all(|inner| {
                folder.join(inner).symlink_metadata().is_ok_and(|data| data.is_dir() && is_untouched(&data, written))
            });
            let files = intact(folder, listed, written);
            (are_folders_intact && files.len() == count).then_some(files)
        });
        if let Some(files) = known {
            return Ok(Generation { folder: folder.to_owned(), files, is_whole: true });
        }
        match fs::remove_dir_all(folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(WriteError::io("remove", folder)(error)),
            _ => {}
        }
        fs::create_dir(folder).map_err(WriteError::io("make", folder))?;
        Ok(Generation { folder: folder.to_owned(), files: Files::new(), is_whole: true })
    }

    /// Makes this generation hold `contents`, whose stamps are `wanted`, linking what `live` has already.
    pub(super) fn bring_forward(
        &self,
        contents: &[(String, &[u8])],
        wanted: &Files,
        live: &Generation,
    ) -> Result<(), WriteError> {
        // Without its list this folder is nobody's until all of it is right.
        match fs::remove_file(self.folder.join(LIST)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(WriteError::io("remove", self.folder.join(LIST))(error));
            }
            _ => {}
        }
        let gone: Vec<&String> = self.files.keys().filter(|file| !wanted.contains_key(*file)).collect();
        gone.par_iter().try_for_each(|file| self.remove(file))?;
        let (before, after) = (folders(&self.files), folders(wanted));
        for inner in before.iter().rev().filter(|inner| !after.contains(*inner)) {
            let path = self.folder.join(inner);
            fs::remove_dir(&path).map_err(WriteError::io("remove", &path))?;
        }
        // Sorted, so that a folder comes before those in it.
        for inner in after.difference(&before).filter(|inner| !inner.is_empty()) {
            let path = self.folder.join(inner);
            fs::create_dir(&path).map_err(WriteError::io("make", &path))?;
        }
        contents.par_iter().try_for_each(|(file, bytes)| match (wanted.get(file), self.files.get(file)) {
            (stamp, own) if stamp == own => Ok(()),
            (stamp, own) => self.put(file, bytes, own.is_some(), stamp, live),
        })?;
        list::write(&self.folder, wanted)
    }

    fn put(&self, file: &str, bytes: &[u8], is_there: bool, stamp: Option<&Stamp>, live: &Generation) -> Result<(), WriteError> {
        let path = self.folder.join(file);
        if is_there {
            // The old file may be linked into the site that is being read: it is replaced, never written over.
            self.remove(file)?;
        }
        if stamp.is_some() && live.files.get(file) == stamp && fs::hard_link(live.folder.join(file), &path).is_ok() {
            return Ok(());
        }
        fs::write(&path, bytes).map_err(WriteError::io("write", path))
    }

    fn remove(&self, file: &str) -> Result<(), WriteError> {
        let path = self.folder.join(file);
        fs::remove_file(&path).map_err(WriteError::io("remove", path))
    }
}

/// The files of `listed` that are there, of the right size, and not touched after `written`.
fn intact(folder: &Utf8Path, listed: Files, written: SystemTime) -> Files {
    listed
        .into_par_iter()
        .filter(|(file, stamp)| {
            let data = folder.join(file).symlink_metadata();
            data.is_ok_and(|data| data.is_file() && data.len() == stamp.size && is_untouched(&data, written))
        })
        .collect()
}

fn is_untouched(data: &fs::Metadata, written: SystemTime) -> bool {
    data.modified().is_ok_and(|modified| modified <= written)
}

/// Every folder that `files` stand in, the generation's own (empty) included.
fn folders(files: &Files) -> BTreeSet<&str> {
    let mut folders = BTreeSet::from([""]);
    for file in files.keys() {
        let mut inner = file.as_str();
        while let Some((folder, _)) = inner.rsplit_once('/') {
            if !folders.insert(folder) {
                break;
            }
            inner = folder;
        }
    }
    folders
}

/// Refuses whatever stands in the folder `inner` and is not listed.
fn refuse_foreign(folder: &Utf8Path, inner: &str, listed: &Files, folders: &BTreeSet<&str>) -> Result<(), WriteError> {
    let path = folder.join(inner);
    for entry in fs::read_dir(&path).map_err(WriteError::io("read", &path))? {
        let entry = entry.map_err(WriteError::io("read", &path))?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let file = if inner.is_empty() { name.to_string() } else { format!("{inner}/{name}") };
        if file != LIST && !listed.contains_key(&file) && !folders.contains(file.as_str()) {
            return Err(WriteError::Foreign(folder.join(file)));
        }
    }
    Ok(())
}
