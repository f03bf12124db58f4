//! Writes the site so that whoever reads the folder, and whatever kills us, sees the whole old site or the whole new one.
//!
//! The new site is made ready in a second folder beside the output, and the two are exchanged in one step of the operating
//! system. What was the site before becomes the second folder of the next time, and is brought forward by its difference: a file
//! that is right stays, one that the site has is linked, only the rest is written. So an unchanged site costs a look at each
//! file, a changed page costs that page, and no tree is ever deleted and made again.
//!
//! ```text
//! site/                       what the host serves; its `.clientbook.json` lists every file of it
//! .site.clientbook/lock       held while we write
//!                  next/      the other generation; without its list while it is being changed
//! ```
//!
//! Files in the folder whose list we wrote are trusted if their size is right and they were not touched after the list was: then
//! nobody else did. A folder that is not empty and has no list, or has a file that is not on it, is not ours and is refused.
//! A killed process leaves all of this true; a machine that loses its power may not (nothing is forced onto the disk).

mod error;
mod generation;
mod list;
mod place;

pub use error::WriteError;
pub use list::LIST;

use super::Site;
use camino::Utf8Path;
use generation::Generation;
use list::{Files, Stamp};
use place::Place;
use rayon::prelude::*;

/// What was done, seen from the output folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Written {
    /// Files that are new or changed.
    pub written: usize,
    /// Files that are gone.
    pub removed: usize,
    /// Files that are as they were.
    pub unchanged: usize,
}

impl std::fmt::Display for Written {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} written, {} removed, {} unchanged", self.written, self.removed, self.unchanged)
    }
}

/// Makes the folder `out` hold `site` and nothing else. `root` is the catalogue's: its inputs are never written over.
///
/// # Errors
/// Where `out` is not ours to write, somebody else is writing it, or the disk refuses. The old site is then as it was.
pub fn write(site: &Site, out: &Utf8Path, root: &Utf8Path) -> Result<Written, WriteError> {
    let place = Place::of(out, root)?;
    let _lock = place.lock()?;
    place.recover()?;
    let contents: Vec<(String, &[u8])> = site.files.iter().map(|(path, bytes)| (path.file(), &bytes[..])).collect();
    let wanted: Files = contents.par_iter().map(|(file, bytes)| (file.clone(), Stamp::of(bytes))).collect();
    let live = Generation::live(&place.out)?;
    let done = compare(&wanted, &live.files);
    if live.is_whole && done.written == 0 && done.removed == 0 {
        return Ok(done);
    }
    let next = Generation::next(&place.next)?;
    next.bring_forward(&contents, &wanted, &live)?;
    place.exchange()?;
    Ok(done)
}

fn compare(wanted: &Files, live: &Files) -> Written {
    let unchanged = wanted.iter().filter(|(file, stamp)| live.get(*file) == Some(stamp)).count();
    let removed = live.keys().filter(|file| !wanted.contains_key(*file)).count();
    Written { written: wanted.len() - unchanged, removed, unchanged }
}
