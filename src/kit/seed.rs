//! Chance that can be had again: everything random in a run is drawn from its seed.

/// A stream of numbers that depends on its seed and its name only.
#[derive(Debug, Clone)]
pub struct Seed(u64);

impl Seed {
    /// The stream called `name` of the run with `seed`.
    pub fn new(seed: u64, name: &str) -> Self {
        // FNV-1a over the name, so that two scenarios with one seed draw different numbers.
        let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
        Seed(seed ^ hash)
    }

    /// The next number (SplitMix64).
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `end`; 0 when `end` is 0.
    pub fn below(&mut self, end: u64) -> u64 {
        if end == 0 { 0 } else { self.number() % end }
    }

    /// `length` bytes.
    pub fn bytes(&mut self, length: usize) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(length + 8);
        while bytes.len() < length {
            bytes.extend_from_slice(&self.number().to_le_bytes());
        }
        bytes.truncate(length);
        bytes
    }

    /// `length` letters.
    pub fn letters(&mut self, length: usize) -> String {
        (0..length).map(|_| char::from(b'a' + (self.below(26) as u8))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_depends_on_seed_and_name_only() {
        let draw = |seed, name| Seed::new(seed, name).number();
        assert_eq!(draw(1, "a"), draw(1, "a"));
        assert_ne!(draw(1, "a"), draw(1, "b"));
        assert_ne!(draw(1, "a"), draw(2, "a"));
        assert_eq!(Seed::new(1, "a").bytes(11).len(), 11);
    }
}
