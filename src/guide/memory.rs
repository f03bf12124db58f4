//! What the highlighter found, kept in memory and in one file. Kept are ranges and their classes, never markup: whatever the
//! file says, it can colour code wrongly but put nothing into a page, and an entry whose sum is wrong is not used at all.
//!
//! The file is read at the start as it lies and decoded entry by entry when asked for; if there is something new it is written
//! to a file of its own and renamed. Two processes do not disturb each other: the last one's file stays.

use super::highlight::{Class, Token};
use camino::{Utf8Path, Utf8PathBuf};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// First bytes of the file; the last is the format's version.
const MAGIC: &[u8; 8] = b"CBcode\0\x01";
/// Above this size of the file, in bytes, entries that this run did not use are dropped; nothing above is kept.
const FILE_BYTES_MAX: usize = 48 * 1024 * 1024;
/// Bytes of an entry's key and of its sum.
const KEY_BYTES: usize = 32;
const SUM_BYTES: usize = 8;

/// The hash of a language, a code and the highlighter's version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Key([u8; KEY_BYTES]);

impl Key {
    /// The hash of `parts`, told apart by their lengths.
    pub(super) fn of(parts: &[&str]) -> Key {
        let mut hash = Sha256::new();
        for part in parts {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part.as_bytes());
        }
        Key(hash.finalize().into())
    }

    /// What an entry's bytes must give with its key.
    fn sum(&self, bytes: &[u8]) -> [u8; SUM_BYTES] {
        let hash: [u8; 32] = Sha256::new().chain_update(self.0).chain_update(bytes).finalize().into();
        let mut sum = [0; SUM_BYTES];
        sum.copy_from_slice(&hash[..SUM_BYTES]);
        sum
    }
}

#[derive(Debug)]
struct Entry {
    /// The sum, then the tokens.
    bytes: Box<[u8]>,
    is_used: bool,
}

#[derive(Debug, Default)]
struct State {
    entries: HashMap<Key, Entry>,
    is_changed: bool,
    bytes: usize,
}

/// Tokens by key.
#[derive(Debug, Default)]
pub(super) struct Memory {
    path: Option<Utf8PathBuf>,
    state: Mutex<State>,
}

impl Memory {
    /// What the file at `path` holds; nothing, if it is not one of ours.
    pub(super) fn load(path: Option<Utf8PathBuf>) -> Memory {
        let bytes = path
            .as_ref()
            .filter(|path| path.metadata().is_ok_and(|data| data.is_file() && data.len() <= 2 * FILE_BYTES_MAX as u64))
            .and_then(|path| std::fs::read(path).ok())
            .unwrap_or_default();
        Memory { path, state: Mutex::new(parse(&bytes)) }
    }

    /// The file.
    pub(super) fn path(&self) -> Option<&Utf8Path> {
        self.path.as_deref()
    }

    /// The tokens under `key`; whether they fit the code is the caller's to see.
    pub(super) fn get(&self, key: &Key) -> Option<Vec<Token>> {
        let mut state = self.state();
        let entry = state.entries.get_mut(key)?;
        entry.is_used = true;
        let bytes = entry.bytes.clone();
        drop(state);
        let (sum, bytes) = bytes.split_at_checked(SUM_BYTES)?;
        if sum == key.sum(bytes) { decode(bytes) } else { None }
    }

    /// Keeps `tokens` under `key`.
    pub(super) fn put(&self, key: Key, tokens: &[Token]) {
        let tokens = encode(tokens);
        let mut bytes = key.sum(&tokens).to_vec();
        bytes.extend(tokens);
        let mut state = self.state();
        let size = bytes.len() + KEY_BYTES + 4;
        if state.bytes + size > FILE_BYTES_MAX {
            state.forget_unused();
        }
        if state.bytes + size <= FILE_BYTES_MAX {
            state.bytes += size;
            state.is_changed = true;
            state.entries.insert(key, Entry { bytes: bytes.into(), is_used: true });
        }
    }

    /// Writes the file if there is something new.
    pub(super) fn save(&self) -> std::io::Result<()> {
        let Some(path) = &self.path else { return Ok(()) };
        let mut state = self.state();
        if !state.is_changed {
            return Ok(());
        }
        let mut entries: Vec<(&Key, &Entry)> = state.entries.iter().collect();
        entries.sort_unstable_by_key(|(key, _)| **key);
        let mut out = Vec::with_capacity(state.bytes + MAGIC.len());
        out.extend(MAGIC);
        for (key, entry) in entries {
            out.extend(key.0);
            out.extend(u32::try_from(entry.bytes.len()).unwrap_or(0).to_le_bytes());
            out.extend(&entry.bytes);
        }
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let draft = path.with_extension(format!("{}.tmp", std::process::id()));
        let written = std::fs::write(&draft, out).and_then(|()| std::fs::rename(&draft, path));
        if written.is_err() {
            let _ = std::fs::remove_file(&draft);
        }
        state.is_changed = written.is_err();
        written
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Memory {
    /// A cache that cannot be written costs time, not truth.
    fn drop(&mut self) {
        let _ = self.save();
    }
}

impl State {
    fn forget_unused(&mut self) {
        self.entries.retain(|_, entry| entry.is_used);
        self.bytes = self.entries.values().map(|entry| entry.bytes.len() + KEY_BYTES + 4).sum();
    }
}

/// The entries of a file, as far as it is whole.
fn parse(file: &[u8]) -> State {
    let mut state = State::default();
    let Some(mut rest) = file.strip_prefix(MAGIC.as_slice()) else { return state };
    while let Some((key, after)) = rest.split_first_chunk::<KEY_BYTES>()
        && let Some((len, after)) = after.split_first_chunk::<4>()
        && let Some((bytes, after)) = after.split_at_checked(u32::from_le_bytes(*len) as usize)
    {
        state.bytes += KEY_BYTES + 4 + bytes.len();
        state.entries.insert(Key(*key), Entry { bytes: bytes.into(), is_used: false });
        rest = after;
    }
    state
}

/// Each token as two numbers: the gap before it, and its length with its class.
fn encode(tokens: &[Token]) -> Vec<u8> {
    let mut out = Vec::with_capacity(tokens.len() * 3);
    let mut at = 0;
    for token in tokens {
        let class = Class::ALL.iter().position(|&class| class == token.class).unwrap_or(0) as u64;
        number(&mut out, u64::from(token.start - at));
        number(&mut out, u64::from(token.end - token.start) * 8 + class);
        at = token.end;
    }
    out
}

fn decode(bytes: &[u8]) -> Option<Vec<Token>> {
    let mut tokens = Vec::with_capacity(bytes.len() / 2);
    let mut rest = bytes.iter();
    let mut at = 0u32;
    while !rest.as_slice().is_empty() {
        let start = at.checked_add(u32::try_from(read_number(&mut rest)?).ok()?)?;
        let packed = read_number(&mut rest)?;
        let class = *Class::ALL.get((packed % 8) as usize)?;
        let end = start.checked_add(u32::try_from(packed / 8).ok()?)?;
        tokens.push(Token { start, end, class });
        at = end;
    }
    Some(tokens)
}

/// Seven bits a byte, the lowest first; the highest bit says that more follow.
fn number(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn read_number(bytes: &mut std::slice::Iter<'_, u8>) -> Option<u64> {
    let mut number = 0;
    for shift in (0..63).step_by(7) {
        let byte = *bytes.next()?;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens() -> Vec<Token> {
        vec![
            Token { start: 0, end: 1, class: Class::Keyword },
            Token { start: 130, end: 20_000, class: Class::Comment },
            Token { start: 20_000, end: 20_001, class: Class::Call },
        ]
    }

    fn folder() -> (tempfile::TempDir, Utf8PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = Utf8PathBuf::try_from(folder.path().join("deep/highlight")).unwrap();
        (folder, path)
    }

    #[test]
    fn what_is_put_comes_back_also_from_the_file() {
        assert_eq!(decode(&encode(&tokens())), Some(tokens()));
        let (_folder, path) = folder();
        let key = Key::of(&["a", "b"]);
        assert_ne!(key, Key::of(&["ab", ""]));
        let memory = Memory::load(Some(path.clone()));
        assert_eq!(memory.get(&key), None);
        memory.put(key, &tokens());
        memory.put(Key::of(&["c"]), &[]);
        assert_eq!(memory.get(&key), Some(tokens()));
        drop(memory);
        let first = std::fs::read(&path).unwrap();
        let memory = Memory::load(Some(path.clone()));
        assert_eq!(memory.get(&key), Some(tokens()));
        assert_eq!(memory.get(&Key::of(&["c"])), Some(vec![]));
        drop(memory);
        assert_eq!(std::fs::read(&path).unwrap(), first);
        assert_eq!(std::fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }

    #[test]
    fn a_damaged_file_is_never_believed() {
        let (_folder, path) = folder();
        let key = Key::of(&["a"]);
        Memory::load(Some(path.clone())).put(key, &tokens());
        let whole = std::fs::read(&path).unwrap();
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x41;
            std::fs::write(&path, &bytes).unwrap();
            let seen = Memory::load(Some(path.clone())).get(&key);
            assert_eq!(seen, None, "byte {at} was changed");
            std::fs::write(&path, &whole[..at]).unwrap();
            assert_eq!(Memory::load(Some(path.clone())).get(&key), None, "cut at {at}");
        }
        std::fs::remove_file(&path).unwrap();
        std::fs::create_dir(&path).unwrap();
        let memory = Memory::load(Some(path));
        memory.put(key, &tokens());
        assert!(memory.save().is_err());
        assert_eq!(memory.get(&key), Some(tokens()));
    }
}
