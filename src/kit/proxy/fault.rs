//! What can go wrong between a client and a broker, on purpose.

use serde::{Deserialize, Serialize};

/// A fault and the frames it strikes. Frames are chosen by the request that they are, or that they answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// What happens.
    pub what: What,
    /// Only this API's frames.
    pub api: Option<i16>,
    /// Only at this node.
    pub node: Option<i32>,
    /// So many frames that would be struck are let through first.
    pub skip: u32,
    /// So many are struck; `None`: all, until healed.
    pub times: Option<u32>,
}

/// What happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum What {
    /// New connections are closed at once.
    Refuse,
    /// The connection is cut when the request arrives: the broker never sees it.
    CutBefore,
    /// The broker handles the request; the connection is cut in place of its answer.
    CutAfter,
    /// The connection is cut after so many bytes of the answer.
    CutInside(u32),
    /// The answer is held until faults are healed.
    Hold,
    /// The answer comes so many milliseconds late.
    Delay(u32),
    /// The answer trickles, so many bytes a second.
    Throttle(u32),
    /// The answer comes in writes of one byte.
    Split,
    /// The proxy answers with an error code; the broker never sees the request.
    Answer(i16),
    /// The broker handles the request; its answer's codes are replaced.
    AnswerAfter(i16),
    /// The versions of an API that the broker offers end at a number.
    HideVersions(i16, i16),
    /// A bit of a fetched batch's records is flipped.
    FlipBit,
    /// This request and all that follow on the connection vanish, until faults are healed; then it is cut.
    BlackHole,
}

impl Fault {
    /// Strikes every frame of every API at every node.
    pub fn new(what: What) -> Self {
        Fault { what, api: None, node: None, skip: 0, times: None }
    }

    /// Only frames of this API.
    #[must_use]
    pub fn api(mut self, key: i16) -> Self {
        self.api = Some(key);
        self
    }

    /// Only at this node.
    #[must_use]
    pub fn node(mut self, node: i32) -> Self {
        self.node = Some(node);
        self
    }

    /// Lets so many through first.
    #[must_use]
    pub fn skip(mut self, frames: u32) -> Self {
        self.skip = frames;
        self
    }

    /// Strikes so often.
    #[must_use]
    pub fn times(mut self, frames: u32) -> Self {
        self.times = Some(frames);
        self
    }
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", self.what)?;
        if let Some(api) = self.api {
            write!(f, " on {}", crate::kit::wire::api_name(api))?;
        }
        if let Some(node) = self.node {
            write!(f, " at node {node}")?;
        }
        if self.skip > 0 {
            write!(f, " after {} frames", self.skip)?;
        }
        self.times.map_or(Ok(()), |times| write!(f, ", {times} times"))
    }
}

/// When in a frame's life a fault strikes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// A connection is opened.
    Connect,
    /// A request has come from the client.
    Request,
    /// An answer has come from the broker.
    Answer,
}

impl What {
    /// When it strikes.
    pub fn stage(self) -> Stage {
        match self {
            What::Refuse => Stage::Connect,
            What::CutBefore | What::Answer(_) | What::BlackHole => Stage::Request,
            _ => Stage::Answer,
        }
    }
}

/// The faults that are on, and how often each has struck.
#[derive(Debug, Default)]
pub struct Faults(Vec<(Fault, u32, u32)>);

impl Faults {
    /// Adds one.
    pub fn add(&mut self, fault: Fault) {
        self.0.push((fault, 0, 0));
    }

    /// Ends all.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// The fault that strikes here, if one does: the first that was added.
    pub fn strike(&mut self, stage: Stage, node: i32, api: i16) -> Option<What> {
        for (fault, met, struck) in &mut self.0 {
            let hides = matches!(fault.what, What::HideVersions(..));
            let api_fits = if hides { api == 18 } else { fault.api.is_none_or(|wanted| wanted == api) };
            if fault.what.stage() != stage || !api_fits || fault.node.is_some_and(|wanted| wanted != node) {
                continue;
            }
            *met += 1;
            if *met > fault.skip && fault.times.is_none_or(|times| *struck < times) {
                *struck += 1;
                return Some(fault.what);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_strikes_what_it_names_after_what_it_skips_as_often_as_it_may() {
        let mut faults = Faults::default();
        faults.add(Fault::new(What::CutAfter).api(0).node(1).skip(1).times(1));
        let mut strike = |stage, node, api| faults.strike(stage, node, api);
        assert_eq!(strike(Stage::Answer, 1, 1), None, "another api");
        assert_eq!(strike(Stage::Answer, 2, 0), None, "another node");
        assert_eq!(strike(Stage::Request, 1, 0), None, "another stage");
        assert_eq!(strike(Stage::Answer, 1, 0), None, "skipped");
        assert_eq!(strike(Stage::Answer, 1, 0), Some(What::CutAfter));
        assert_eq!(strike(Stage::Answer, 1, 0), None, "used up");
    }
}
