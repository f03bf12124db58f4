//! Record batches (format 2), read byte by byte: what is really in the log, whatever a client says.

use super::crc::crc32c;
use crate::kit::protocol::{Blob, Header};
use bytes::{BufMut, Bytes, BytesMut};
use kafka_protocol::compression::{Compressor, Decompressor, Gzip, Lz4, Snappy, Zstd};
use serde::{Deserialize, Serialize};

/// How a batch's records are compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Codec {
    /// Not at all.
    None,
    /// gzip.
    Gzip,
    /// Snappy.
    Snappy,
    /// LZ4.
    Lz4,
    /// Zstandard.
    Zstd,
}

impl Codec {
    /// All of them, in the order of their numbers.
    pub const ALL: [Codec; 5] = [Codec::None, Codec::Gzip, Codec::Snappy, Codec::Lz4, Codec::Zstd];

    /// Its name as an option's value.
    pub fn word(self) -> &'static str {
        match self {
            Codec::None => "none",
            Codec::Gzip => "gzip",
            Codec::Snappy => "snappy",
            Codec::Lz4 => "lz4",
            Codec::Zstd => "zstd",
        }
    }
}

/// A batch's header.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Head {
    /// The first record's offset.
    pub base_offset: i64,
    /// The leader's epoch when it was appended.
    pub leader_epoch: i32,
    /// The codec.
    pub codec: Codec,
    /// Whether it belongs to a transaction.
    pub transactional: bool,
    /// Whether it marks a transaction's end.
    pub control: bool,
    /// Whether the broker set the timestamps.
    pub append_time: bool,
    /// The last record's offset.
    pub last_offset: i64,
    /// The first timestamp.
    pub base_timestamp: i64,
    /// The producer; -1 for one that is not idempotent.
    pub producer_id: i64,
    /// Its epoch.
    pub producer_epoch: i16,
    /// The first record's sequence number; -1 for none.
    pub base_sequence: i32,
    /// How many records it holds.
    pub count: i32,
    /// Its size in bytes, header included.
    pub bytes: usize,
}

/// A record in the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stored {
    /// Its offset.
    pub offset: i64,
    /// Its timestamp, in milliseconds since 1970.
    pub timestamp: i64,
    /// The key.
    pub key: Option<Blob>,
    /// The value.
    pub value: Option<Blob>,
    /// Headers, in order.
    pub headers: Vec<Header>,
}

/// A batch and its records.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Batch {
    /// Its header.
    pub head: Head,
    /// Its records.
    pub records: Vec<Stored>,
}

/// Why bytes are not a batch.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BatchError {
    /// The bytes end inside a batch.
    #[error("the bytes end inside a batch, at {0}")]
    Short(usize),
    /// Another format.
    #[error("magic {0} instead of 2")]
    Magic(i8),
    /// The checksum is wrong.
    #[error("batch at offset {offset}: checksum {found:08x}, but its bytes give {computed:08x}")]
    Checksum {
        /// The batch's first offset.
        offset: i64,
        /// What it says.
        found: u32,
        /// What it should say.
        computed: u32,
    },
    /// The records cannot be unpacked.
    #[error("batch at offset {offset}: {why}")]
    Records {
        /// The batch's first offset.
        offset: i64,
        /// Why.
        why: String,
    },
}

/// Size of a batch's header, in bytes.
const HEAD: usize = 61;

/// The headers of all whole batches in `bytes`; nothing is unpacked, and checksums are not looked at.
pub fn heads(mut bytes: &[u8]) -> Result<Vec<Head>, BatchError> {
    let mut heads = Vec::new();
    while let Some((head, rest)) = head(bytes)? {
        heads.push(head);
        bytes = rest;
    }
    Ok(heads)
}

/// All whole batches in `bytes`. A fetch may end inside a batch: that end is left out.
pub fn read(mut bytes: &[u8]) -> Result<Vec<Batch>, BatchError> {
    let mut batches = Vec::new();
    while let Some((head, rest)) = head(bytes)? {
        let whole = &bytes[..head.bytes];
        let found = u32::from_be_bytes([whole[17], whole[18], whole[19], whole[20]]);
        let computed = crc32c(&whole[21..]);
        if found != computed {
            return Err(BatchError::Checksum { offset: head.base_offset, found, computed });
        }
        let fault = |why: String| BatchError::Records { offset: head.base_offset, why };
        let unpacked = unpack(head.codec, &whole[HEAD..]).map_err(fault)?;
        let records = records(&head, &unpacked).map_err(fault)?;
        batches.push(Batch { head, records });
        bytes = rest;
    }
    Ok(batches)
}

/// The header at the start of `bytes` and what follows its batch; `None` where no whole batch is left.
fn head(bytes: &[u8]) -> Result<Option<(Head, &[u8])>, BatchError> {
    if bytes.len() < 17 {
        return Ok(None);
    }
    let magic = bytes[16] as i8;
    if magic != 2 {
        return Err(BatchError::Magic(magic));
    }
    let mut cursor = Cursor(bytes);
    let short = || BatchError::Short(bytes.len());
    let base_offset = cursor.i64().ok_or_else(short)?;
    let length = usize::try_from(cursor.i32().ok_or_else(short)?).map_err(|_| short())?;
    let total = length.saturating_add(12);
    if total < HEAD {
        return Err(short());
    }
    if bytes.len() < total {
        return Ok(None);
    }
    let head = fields(&mut cursor, base_offset, total).ok_or_else(short)?;
    Ok(Some((head, &bytes[total..])))
}

fn fields(cursor: &mut Cursor<'_>, base_offset: i64, bytes: usize) -> Option<Head> {
    let leader_epoch = cursor.i32()?;
    cursor.take(5)?; // magic and checksum
    let attributes = cursor.i16()?;
    let last_delta = cursor.i32()?;
    let base_timestamp = cursor.i64()?;
    cursor.take(8)?; // largest timestamp
    Some(Head {
        base_offset,
        leader_epoch,
        codec: *Codec::ALL.get(usize::from((attributes & 0x07) as u8))?,
        append_time: attributes & 0x08 != 0,
        transactional: attributes & 0x10 != 0,
        control: attributes & 0x20 != 0,
        last_offset: base_offset + i64::from(last_delta),
        base_timestamp,
        producer_id: cursor.i64()?,
        producer_epoch: cursor.i16()?,
        base_sequence: cursor.i32()?,
        count: cursor.i32()?,
        bytes,
    })
}

fn unpack(codec: Codec, bytes: &[u8]) -> Result<Bytes, String> {
    let mut packed = Bytes::copy_from_slice(bytes);
    let keep = |buffer: &mut Bytes| Ok(std::mem::take(buffer));
    let unpacked = match codec {
        Codec::None => return Ok(packed),
        Codec::Gzip => Gzip::decompress(&mut packed, keep),
        Codec::Snappy => Snappy::decompress(&mut packed, keep),
        Codec::Lz4 => Lz4::decompress(&mut packed, keep),
        Codec::Zstd => Zstd::decompress(&mut packed, keep),
    };
    unpacked.map_err(|why| format!("cannot unpack {}: {why}", codec.word()))
}

fn records(head: &Head, bytes: &[u8]) -> Result<Vec<Stored>, String> {
    let mut cursor = Cursor(bytes);
    let mut records = Vec::new();
    for n in 0..head.count {
        let record = record(head, &mut cursor).ok_or_else(|| format!("record {n} of {} is cut short", head.count))?;
        records.push(record);
    }
    if cursor.0.is_empty() { Ok(records) } else { Err(format!("{} bytes follow the last record", cursor.0.len())) }
}

fn record(head: &Head, cursor: &mut Cursor<'_>) -> Option<Stored> {
    let length = usize::try_from(cursor.varint()?).ok()?;
    let mut body = Cursor(cursor.take(length)?);
    body.take(1)?; // attributes, unused
    let timestamp = head.base_timestamp + body.varint()?;
    let offset = head.base_offset + body.varint()?;
    let key = body.blob()?;
    let value = body.blob()?;
    let mut headers = Vec::new();
    for _ in 0..body.varint()? {
        let name = body.blob()??;
        headers.push((String::from_utf8_lossy(&name.0).into_owned(), body.blob()?));
    }
    body.0.is_empty().then_some(Stored { offset, timestamp, key, value, headers })
}

/// Writes `records` as one batch, as a producer would that is not idempotent: what "another client" wrote.
pub fn write(codec: Codec, records: &[Stored]) -> Result<Bytes, String> {
    let first = records.first().map_or(0, |record| record.timestamp);
    let mut plain = BytesMut::new();
    for (n, record) in records.iter().enumerate() {
        let mut body = BytesMut::new();
        body.put_u8(0);
        put_varint(&mut body, record.timestamp - first);
        put_varint(&mut body, n as i64);
        put_blob(&mut body, record.key.as_ref());
        put_blob(&mut body, record.value.as_ref());
        put_varint(&mut body, record.headers.len() as i64);
        for (name, value) in &record.headers {
            put_blob(&mut body, Some(&Blob(name.clone().into_bytes())));
            put_blob(&mut body, value.as_ref());
        }
        put_varint(&mut plain, body.len() as i64);
        plain.extend_from_slice(&body);
    }
    let packed = pack(codec, plain)?;
    let mut tail = BytesMut::new(); // what the checksum covers
    tail.put_i16(codec as i16);
    tail.put_i32(records.len() as i32 - 1);
    tail.put_i64(first);
    tail.put_i64(records.iter().map(|record| record.timestamp).max().unwrap_or(first));
    tail.put_i64(-1);
    tail.put_i16(-1);
    tail.put_i32(-1);
    tail.put_i32(records.len() as i32);
    tail.extend_from_slice(&packed);
    let mut batch = BytesMut::new();
    batch.put_i64(0);
    batch.put_i32(tail.len() as i32 + 9);
    batch.put_i32(-1);
    batch.put_i8(2);
    batch.put_u32(crc32c(&tail));
    batch.extend_from_slice(&tail);
    Ok(batch.freeze())
}

fn pack(codec: Codec, plain: BytesMut) -> Result<BytesMut, String> {
    let mut packed = BytesMut::new();
    macro_rules! with {
        ($codec:ty) => {
            <$codec>::compress(&mut packed, |buffer| {
                buffer.extend_from_slice(&plain);
                Ok(())
            })
        };
    }
    match codec {
        Codec::None => return Ok(plain),
        Codec::Gzip => with!(Gzip),
        Codec::Snappy => with!(Snappy),
        Codec::Lz4 => with!(Lz4),
        Codec::Zstd => with!(Zstd),
    }
    .map_err(|why| format!("cannot pack {}: {why}", codec.word()))?;
    Ok(packed)
}

fn put_varint(buffer: &mut BytesMut, value: i64) {
    let mut rest = ((value << 1) ^ (value >> 63)) as u64;
    while rest >= 0x80 {
        buffer.put_u8(rest as u8 | 0x80);
        rest >>= 7;
    }
    buffer.put_u8(rest as u8);
}

fn put_blob(buffer: &mut BytesMut, blob: Option<&Blob>) {
    match blob {
        None => put_varint(buffer, -1),
        Some(Blob(bytes)) => {
            put_varint(buffer, bytes.len() as i64);
            buffer.extend_from_slice(bytes);
        }
    }
}

/// Bytes that are eaten from the front; `None` when there are too few.
struct Cursor<'b>(&'b [u8]);

impl<'b> Cursor<'b> {
    fn take(&mut self, count: usize) -> Option<&'b [u8]> {
        let (front, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(front)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    fn i16(&mut self) -> Option<i16> {
        self.array().map(i16::from_be_bytes)
    }

    fn i32(&mut self) -> Option<i32> {
        self.array().map(i32::from_be_bytes)
    }

    fn i64(&mut self) -> Option<i64> {
        self.array().map(i64::from_be_bytes)
    }

    fn varint(&mut self) -> Option<i64> {
        let mut value = 0_u64;
        for shift in (0..70).step_by(7) {
            let byte = self.array::<1>()?[0];
            value |= u64::from(byte & 0x7f).checked_shl(shift).unwrap_or(0);
            if byte < 0x80 {
                return Some((value >> 1) as i64 ^ -((value & 1) as i64));
            }
        }
        None
    }

    /// A length, then as many bytes; a negative length is `null`.
    #[expect(clippy::option_option, reason = "the outer one is the end of the bytes, the inner one is null")]
    fn blob(&mut self) -> Option<Option<Blob>> {
        match self.varint()? {
            ..0 => Some(None),
            length => Some(Some(Blob(self.take(usize::try_from(length).ok()?)?.to_vec()))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blob(text: &str) -> Option<Blob> {
        Some(Blob(text.as_bytes().to_vec()))
    }

    fn some_records() -> Vec<Stored> {
        let plain = |offset, key, value| Stored { offset, timestamp: 1_700_000_000_000 + offset, key, value, headers: vec![] };
        let mut last = plain(3, blob("k"), blob(&"long ".repeat(500)));
        last.headers = vec![("h".into(), blob("1")), ("h".into(), None), ("ü".into(), blob(""))];
        vec![plain(0, None, blob("a")), plain(1, blob(""), None), plain(2, None, blob("")), last]
    }

    #[test]
    fn what_is_written_is_read_in_every_codec() {
        for codec in Codec::ALL {
            let bytes = write(codec, &some_records()).unwrap();
            let batches = read(&bytes).unwrap();
            assert_eq!(batches.len(), 1);
            assert_eq!(batches[0].head.codec, codec);
            assert_eq!(batches[0].head.last_offset, 3);
            assert_eq!((batches[0].head.producer_id, batches[0].head.base_sequence), (-1, -1));
            assert_eq!(batches[0].records, some_records());
        }
    }

    #[test]
    fn the_library_reads_it_too() {
        for codec in Codec::ALL {
            let mut bytes = write(codec, &some_records()).unwrap();
            let set = kafka_protocol::records::RecordBatchDecoder::decode(&mut bytes).unwrap();
            let values: Vec<Option<Blob>> = set.records.iter().map(|r| r.value.as_ref().map(|v| Blob(v.to_vec()))).collect();
            assert_eq!(values, some_records().into_iter().map(|record| record.value).collect::<Vec<_>>());
        }
    }

    /// Segment files of Kafka 4.4.0, written by kafka-python 3.0.12: five records in each codec.
    #[test]
    fn segments_of_a_real_broker_are_read() {
        let segments: [(Codec, &[u8]); 5] = [
            (Codec::None, include_bytes!("../../../tests/kit/segments/none.log")),
            (Codec::Gzip, include_bytes!("../../../tests/kit/segments/gzip.log")),
            (Codec::Snappy, include_bytes!("../../../tests/kit/segments/snappy.log")),
            (Codec::Lz4, include_bytes!("../../../tests/kit/segments/lz4.log")),
            (Codec::Zstd, include_bytes!("../../../tests/kit/segments/zstd.log")),
        ];
        for (codec, bytes) in segments {
            let batches = read(bytes).unwrap();
            assert!(batches.iter().all(|batch| batch.head.codec == codec && batch.head.producer_id >= 0), "{codec:?}");
            let records: Vec<&Stored> = batches.iter().flat_map(|batch| &batch.records).collect();
            assert_eq!(records.len(), 5, "{codec:?}");
            for (n, record) in records.iter().enumerate() {
                assert_eq!((record.offset, record.timestamp), (n as i64, 1_700_000_000_000 + n as i64));
                assert_eq!(record.key, (n != 0).then(|| Blob(format!("k{n}").into_bytes())));
                assert_eq!(record.value, (n != 1).then(|| Blob(format!("value {n} ").repeat(20).into_bytes())));
                let headers = if n == 2 { vec![("h".into(), blob("1")), ("h".into(), blob("2"))] } else { vec![] };
                assert_eq!(record.headers, headers);
            }
        }
    }

    /// A transaction that was committed and one that was aborted: data, marker, data, marker.
    #[test]
    fn control_batches_of_a_real_broker_are_told_from_data() {
        let batches = read(include_bytes!("../../../tests/kit/segments/txn.log")).unwrap();
        let kinds: Vec<(bool, bool)> = batches.iter().map(|batch| (batch.head.transactional, batch.head.control)).collect();
        assert_eq!(kinds, [(true, false), (true, true), (true, false), (true, true)]);
        // A marker's key is its version and type: 0 aborts, 1 commits.
        let markers: Vec<u8> =
            batches.iter().filter(|batch| batch.head.control).map(|batch| batch.records[0].key.as_ref().unwrap().0[3]).collect();
        assert_eq!(markers, [1, 0]);
    }

    #[test]
    fn a_flipped_bit_is_seen_and_a_cut_end_is_left_out() {
        let bytes = write(Codec::None, &some_records()).unwrap();
        let mut flipped = bytes.to_vec();
        *flipped.last_mut().unwrap() ^= 1;
        assert!(matches!(read(&flipped), Err(BatchError::Checksum { offset: 0, .. })));
        let twice = [&bytes[..], &bytes[..bytes.len() - 1]].concat();
        assert_eq!(read(&twice).unwrap().len(), 1);
        assert_eq!(heads(&twice).unwrap().len(), 1);
    }

    #[test]
    fn no_bytes_make_it_panic() {
        let mut seed = crate::kit::seed::Seed::new(1, "batches");
        let good = write(Codec::None, &some_records()).unwrap();
        for _ in 0..2000 {
            let mut bytes = good.to_vec();
            for _ in 0..4 {
                let at = seed.below(bytes.len() as u64) as usize;
                bytes[at] = seed.number() as u8;
            }
            let sum = crc32c(&bytes[21..]).to_be_bytes();
            bytes[17..21].copy_from_slice(&sum);
            bytes.truncate(seed.below(bytes.len() as u64 + 1) as usize);
            let _ = read(&bytes);
        }
    }
}
