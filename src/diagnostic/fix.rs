//! Applies the mends that findings carry.

use super::text::Texts;
use super::{Diagnostic, Fix};
use camino::Utf8PathBuf;
use std::collections::BTreeMap;

/// The texts of the files that change when the fixes of `findings` are applied, and how many were. Of fixes that overlap only
/// the first is applied: the next run finds the other again.
pub fn fixed(findings: &[Diagnostic], texts: &dyn Texts) -> (BTreeMap<Utf8PathBuf, String>, usize) {
    let mut by_file: BTreeMap<&Utf8PathBuf, Vec<&Fix>> = BTreeMap::new();
    for fix in findings.iter().filter_map(|finding| finding.fix.as_ref()) {
        by_file.entry(&fix.path).or_default().push(fix);
    }
    let mut changed = BTreeMap::new();
    let mut applied = 0;
    for (path, mut fixes) in by_file {
        let Some(text) = texts.text(path) else { continue };
        fixes.sort_by_key(|fix| fix.span);
        let mut out = String::with_capacity(text.len());
        let mut done = 0;
        let mut last = None;
        for fix in fixes {
            let range = fix.span.range();
            // Two insertions at one place overlap too: their order would be a guess.
            let free = range.start >= done && last != Some(range.start);
            let Some(between) = text.get(done..range.start).filter(|_| free && text.get(range.clone()).is_some()) else {
                continue;
            };
            out.push_str(between);
            out.push_str(&fix.replacement);
            done = range.end;
            last = Some(range.start);
            applied += 1;
        }
        out.push_str(&text[done..]);
        if out != text {
            changed.insert(path.clone(), out);
        }
    }
    (changed, applied)
}
