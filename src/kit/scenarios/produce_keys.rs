//! Records with one key go to one partition; which partition is observed, not judged.

use super::{Driving, Scenario, message, text, topic, value};
use crate::kit::history::History;
use crate::kit::judge::{self, Judged, Verdict, count, ensure};
use crate::kit::protocol::{Options, Role};
use crate::kit::stage::{PATIENCE, Stage};
use std::collections::BTreeMap;

/// See the module.
pub const SCENARIO: Scenario = Scenario {
    id: "produce-keys",
    feature: "producer",
    group: "produce",
    nodes: 1,
    expected: "records with the same key go to the same partition; which partitioner is the default is observed",
    drive,
    judge,
};

const PARTITIONS: i32 = 6;
/// Not a multiple of the partitions: else taking turns would look like a hash.
const KEYS: usize = 61;

fn drive<'s>(stage: &'s mut Stage<'_>) -> Driving<'s> {
    Box::pin(async move {
        let topic = stage.topic(PARTITIONS, &[]).await?;
        stage.step("send each of 61 keys three times");
        let mut producer = stage.driver("producer", Role::Producer, Options::new().with("--acks", "all")).await?;
        let mut keys = Vec::new();
        for _ in 0..KEYS {
            let length = 1 + stage.seed().below(20) as usize;
            keys.push(stage.seed().letters(length));
        }
        let messages = (0..3 * KEYS).map(|n| {
            let mut message = message(&topic, None);
            (message.key, message.value) = (text(keys[n % KEYS].as_str()), value(n));
            message
        });
        producer.send_messages(messages, PATIENCE).await?;
        producer.close(PATIENCE).await?;
        stage.read_log(&topic).await
    })
}

fn judge(history: &History) -> Judged {
    let sends = judge::sends(history, "producer");
    judge::all_acknowledged(&sends)?;
    judge::stored_as_acknowledged(history, topic(history), &sends)?;
    let mut places: BTreeMap<&[u8], i32> = BTreeMap::new();
    for (partition, stored) in judge::records(history, topic(history)) {
        for (_, record) in stored {
            let Some(key) = &record.key else {
                return Err(Verdict::fail(format!(
                    "offset {} of partition {partition} has no key, though each record was sent with one",
                    record.offset
                )));
            };
            let first = *places.entry(&key.0).or_insert(partition);
            ensure(first == partition, || format!("records with the key {key:?} are in the partitions {first} and {partition}"))?;
        }
    }
    let named = partitioner(&places);
    Ok(Verdict::pass(format!("{} each in one partition; the default partitioner is {named}", count(places.len(), "key")))
        .log(format!("{} over {PARTITIONS} partitions, as {named} would place them", count(places.len(), "key"))))
}

/// The name of the hash that explains every key's partition.
fn partitioner(places: &BTreeMap<&[u8], i32>) -> &'static str {
    type Place = fn(&[u8]) -> i32;
    let known: [(&str, Place); 3] = [
        ("murmur2, as Java's", |key| (murmur2(key) & 0x7fff_ffff) as i32 % PARTITIONS),
        ("CRC-32, as librdkafka's", |key| (crc32(key) % PARTITIONS as u32) as i32),
        ("FNV-1a", |key| (fnv1a(key) as i32).wrapping_rem(PARTITIONS).abs()),
    ];
    known
        .iter()
        .find(|(_, place)| places.iter().all(|(key, partition)| place(key) == *partition))
        .map_or("one of its own", |(name, _)| name)
}

fn murmur2(bytes: &[u8]) -> u32 {
    const M: u32 = 0x5bd1_e995;
    let mut hash = 0x9747_b28c_u32 ^ bytes.len() as u32;
    let chunks = bytes.chunks_exact(4);
    let rest = chunks.remainder();
    for chunk in chunks {
        let mut word = u32::from_le_bytes([chunk[0], chunk[1], chunk[2], chunk[3]]).wrapping_mul(M);
        word ^= word >> 24;
        hash = hash.wrapping_mul(M) ^ word.wrapping_mul(M);
    }
    if !rest.is_empty() {
        let tail = rest.iter().enumerate().fold(0_u32, |tail, (n, byte)| tail | u32::from(*byte) << (8 * n));
        hash = (hash ^ tail).wrapping_mul(M);
    }
    hash ^= hash >> 13;
    hash = hash.wrapping_mul(M);
    hash ^ (hash >> 15)
}

fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0_u32, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 })
    })
}

fn fnv1a(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hashes_are_the_known_ones() {
        // The expected values of Kafka's own test of murmur2.
        assert_eq!(murmur2(b"21") as i32, -973_932_308);
        assert_eq!(murmur2(b"foobar") as i32, -790_332_482);
        assert_eq!(murmur2(b"a-little-bit-long-string") as i32, -985_981_536);
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
        assert_eq!(fnv1a(b"a"), 0xe40c_292c);
    }
}
