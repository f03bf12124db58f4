//! All of a client's features in one small picture: one step for each feature, in the order of the groups, its height and
//! colour telling the state. The words stand beside it.

use super::frame::{Mark, STATES};
use crate::catalogue::Catalogue;
use crate::matrix::{Row, State};
use serde::Serialize;
use std::fmt::Write as _;

/// The steps of one state.
#[derive(Debug, Serialize)]
pub struct Steps {
    /// The class of the state.
    pub mark: &'static str,
    /// Outlines, in a box of [`Strip::width`] by 12.
    pub path: String,
}

/// The picture and the counts that say the same.
#[derive(Debug, Serialize)]
pub struct Strip {
    /// How wide the box is.
    pub width: usize,
    /// One for each state that occurs.
    pub steps: Vec<Steps>,
    /// How many features are in each state that occurs.
    pub counts: Vec<Count>,
    /// How many features there are.
    pub total: usize,
}

/// How many features are in a state.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Count {
    /// The class of the state.
    pub mark: &'static str,
    /// The state's word.
    pub word: &'static str,
    /// How many.
    pub count: usize,
}

/// Four units for each feature, of which one is a gap, and three more between groups.
const STEP: usize = 4;
const GAP: usize = 3;

/// The strip of a client.
pub fn strip(catalogue: &Catalogue, row: Option<&Row<'_>>) -> Strip {
    let mut paths = [const { String::new() }; STATES.len()];
    let mut counts = [0usize; STATES.len()];
    let mut x = 0;
    for group in &catalogue.groups {
        for feature in &group.features {
            let state = row.and_then(|row| row.cells.get(feature)).map_or(State::Unknown, |cell| cell.state);
            let at = STATES.iter().position(|s| *s == state).unwrap_or(STATES.len() - 1);
            let (top, height) = shape(state);
            let _ = write!(paths[at], "M{x} {top}h3v{height}h-3z");
            counts[at] += 1;
            x += STEP;
        }
        x += GAP;
    }
    let steps = STATES
        .iter()
        .zip(paths)
        .filter(|(_, path)| !path.is_empty())
        .map(|(state, path)| Steps { mark: Mark::from(*state).mark, path })
        .collect();
    let total = counts.iter().sum();
    let counts = STATES
        .iter()
        .zip(counts)
        .filter(|(_, count)| *count > 0)
        .map(|(state, count)| {
            let Mark { mark, word } = (*state).into();
            Count { mark, word, count }
        })
        .collect();
    Strip { width: x.saturating_sub(GAP + 1).max(1), steps, counts, total }
}

/// Top and height of a step in a box of 12: what is there stands tall, what is not lies low.
fn shape(state: State) -> (u8, u8) {
    match state {
        State::Proven | State::Contradicted => (0, 12),
        State::ProvenAgeing => (2, 10),
        State::Claimed => (3, 9),
        State::Inherited => (5, 7),
        State::Partial => (7, 5),
        State::Planned | State::Removed | State::No => (10, 2),
        State::Unknown => (11, 1),
    }
}
