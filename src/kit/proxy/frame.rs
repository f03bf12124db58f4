//! Frames: what a request is, what is inside, and answers forged or changed.

use crate::kit::history::{Inside, Part};
use crate::kit::wire::{self, batches};
use bytes::{Buf, BufMut, Bytes, BytesMut};
use kafka_protocol::messages::offset_commit_response::{OffsetCommitResponsePartition, OffsetCommitResponseTopic};
use kafka_protocol::messages::produce_response::{PartitionProduceResponse, TopicProduceResponse};
use kafka_protocol::messages::{
    ApiKey, ApiVersionsRequest, FetchRequest, FindCoordinatorRequest, HeartbeatRequest, InitProducerIdRequest, JoinGroupRequest,
    OffsetCommitRequest, OffsetCommitResponse, ProduceRequest, ProduceResponse, SyncGroupRequest, TopicName,
};
use kafka_protocol::protocol::{Encodable, HeaderVersion, Message, Request};
use tokio::io::{AsyncRead, AsyncReadExt};

/// Frames up to this size are held as a whole; of larger ones only the start is looked at, and the rest streams through.
pub const WHOLE: usize = 8 << 20;

/// How much of a larger frame is looked at.
const START: usize = 64 << 10;

/// The start of a frame, or all of it.
#[derive(Debug, Clone)]
pub struct Frame {
    /// The frame's length as its first four bytes say.
    pub length: usize,
    /// Its bytes, without the length.
    pub bytes: Bytes,
}

impl Frame {
    /// Reads one; `None` at the end of the stream.
    pub async fn read(from: &mut (impl AsyncRead + Unpin)) -> std::io::Result<Option<Frame>> {
        let length = match from.read_i32().await {
            Ok(length) => usize::try_from(length).map_err(|_| std::io::Error::other("a negative length"))?,
            Err(why) if why.kind() == std::io::ErrorKind::UnexpectedEof => return Ok(None),
            Err(why) => return Err(why),
        };
        let held = if length <= WHOLE { length } else { START };
        let mut bytes = BytesMut::zeroed(held);
        from.read_exact(&mut bytes).await?;
        Ok(Some(Frame { length, bytes: bytes.freeze() }))
    }

    /// Whether all of it is here.
    pub fn is_whole(&self) -> bool {
        self.bytes.len() == self.length
    }

    /// How much still has to stream through.
    pub fn rest(&self) -> u64 {
        (self.length - self.bytes.len()) as u64
    }
}

/// A request's header, as far as the proxy needs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    /// The API's key.
    pub api: i16,
    /// Its version.
    pub version: i16,
    /// The correlation id.
    pub correlation: i32,
    /// Whether the broker answers it: not a Produce with acks=0.
    pub answered: bool,
}

/// Reads a request's header. `None` when the bytes are too few.
pub fn head(bytes: &Bytes) -> Option<Head> {
    let mut rest = bytes.clone();
    let (api, version, correlation) = (rest.try_get_i16().ok()?, rest.try_get_i16().ok()?, rest.try_get_i32().ok()?);
    let answered = api != ApiKey::Produce as i16 || acks(rest, version) != Some(0);
    Some(Head { api, version, correlation, answered })
}

/// The acks of a Produce request; `rest` begins after the correlation id.
fn acks(mut rest: Bytes, version: i16) -> Option<i16> {
    let client = i64::from(rest.try_get_i16().ok()?);
    advance(&mut rest, client)?;
    if version >= 9 {
        for _ in 0..unsigned(&mut rest)? {
            unsigned(&mut rest)?;
            let size = unsigned(&mut rest)?;
            advance(&mut rest, size as i64)?;
        }
        let id = unsigned(&mut rest)? as i64 - 1;
        advance(&mut rest, id)?;
    } else {
        let id = i64::from(rest.try_get_i16().ok()?);
        advance(&mut rest, id)?;
    }
    rest.try_get_i16().ok()
}

fn advance(bytes: &mut Bytes, length: i64) -> Option<()> {
    let length = usize::try_from(length).unwrap_or(0);
    (bytes.remaining() >= length).then(|| bytes.advance(length))
}

fn unsigned(bytes: &mut Bytes) -> Option<u64> {
    let mut value = 0;
    for shift in (0..35).step_by(7) {
        let byte = bytes.try_get_u8().ok()?;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

/// A topic's name, or its id where newer requests give no name.
fn text(name: &TopicName, id: impl std::fmt::Display) -> String {
    if name.is_empty() { id.to_string() } else { name.to_string() }
}

/// What is inside a request, of the kinds that judges ask for.
pub fn inside_request(head: Head, bytes: &Bytes) -> Option<Inside> {
    match ApiKey::try_from(head.api).ok()? {
        ApiKey::Produce => {
            let request: ProduceRequest = wire::body(bytes, head.version)?;
            let mut parts = Vec::new();
            for topic in &request.topic_data {
                for part in &topic.partition_data {
                    let batches = part.records.as_ref().and_then(|records| batches::heads(records).ok()).unwrap_or_default();
                    parts.push(Part { topic: text(&topic.name, topic.topic_id), partition: part.index, batches });
                }
            }
            let transactional_id = request.transactional_id.map(|id| id.to_string());
            Some(Inside::Produce { acks: request.acks, transactional_id, parts })
        }
        ApiKey::Fetch => {
            let request: FetchRequest = wire::body(bytes, head.version)?;
            let parts = request.topics.iter().flat_map(|topic| {
                let name = text(&topic.topic, topic.topic_id);
                topic.partitions.iter().map(move |part| (name.clone(), part.partition, part.fetch_offset))
            });
            Some(Inside::Fetch { isolation: request.isolation_level, parts: parts.collect() })
        }
        ApiKey::OffsetCommit => {
            let request: OffsetCommitRequest = wire::body(bytes, head.version)?;
            let parts = request.topics.iter().flat_map(|topic| {
                let name = text(&topic.name, topic.topic_id);
                topic.partitions.iter().map(move |part| (name.clone(), part.partition_index, part.committed_offset))
            });
            Some(Inside::OffsetCommit { group: request.group_id.to_string(), parts: parts.collect() })
        }
        _ => None,
    }
}

/// What is inside an answer.
pub fn inside_answer(head: Head, bytes: &Bytes) -> Option<Inside> {
    match ApiKey::try_from(head.api).ok()? {
        ApiKey::Produce => {
            let response = wire::answer::<ProduceRequest>(bytes, head.version)?;
            let parts = response.responses.iter().flat_map(|topic| {
                let name = text(&topic.name, topic.topic_id);
                topic.partition_responses.iter().map(move |part| (name.clone(), part.index, part.error_code, part.base_offset))
            });
            Some(Inside::Produced { parts: parts.collect() })
        }
        ApiKey::OffsetCommit => {
            let response = wire::answer::<OffsetCommitRequest>(bytes, head.version)?;
            let parts = response.topics.iter().flat_map(|topic| {
                let name = text(&topic.name, topic.topic_id);
                topic.partitions.iter().map(move |part| (name.clone(), part.partition_index, part.error_code))
            });
            Some(Inside::OffsetsCommitted { parts: parts.collect() })
        }
        _ => None,
    }
}

/// An answer in place of the broker's: every part of the request failed with `code`. `None` where the kit cannot forge one.
pub fn forge(head: Head, request: &Bytes, code: i16) -> Option<Bytes> {
    if !head.answered {
        return None;
    }
    match ApiKey::try_from(head.api).ok()? {
        ApiKey::Produce => encode::<ProduceRequest>(head, &refuse_produce(&wire::body(request, head.version)?, code)),
        ApiKey::OffsetCommit => encode::<OffsetCommitRequest>(head, &refuse_commit(&wire::body(request, head.version)?, code)),
        ApiKey::InitProducerId => simple::<InitProducerIdRequest>(head, |r| r.with_error_code(code)),
        ApiKey::Heartbeat => simple::<HeartbeatRequest>(head, |r| r.with_error_code(code)),
        ApiKey::JoinGroup => simple::<JoinGroupRequest>(head, |r| r.with_error_code(code)),
        ApiKey::SyncGroup => simple::<SyncGroupRequest>(head, |r| r.with_error_code(code)),
        ApiKey::FindCoordinator if head.version < 4 => simple::<FindCoordinatorRequest>(head, |r| r.with_error_code(code)),
        _ => None,
    }
}

fn refuse_produce(request: &ProduceRequest, code: i16) -> ProduceResponse {
    let topics = request.topic_data.iter().map(|topic| {
        let part = |index| PartitionProduceResponse::default().with_index(index).with_error_code(code).with_base_offset(-1);
        TopicProduceResponse::default()
            .with_name(topic.name.clone())
            .with_topic_id(topic.topic_id)
            .with_partition_responses(topic.partition_data.iter().map(|data| part(data.index)).collect())
    });
    ProduceResponse::default().with_responses(topics.collect())
}

fn refuse_commit(request: &OffsetCommitRequest, code: i16) -> OffsetCommitResponse {
    let topics = request.topics.iter().map(|topic| {
        let part = |index| OffsetCommitResponsePartition::default().with_partition_index(index).with_error_code(code);
        OffsetCommitResponseTopic::default()
            .with_name(topic.name.clone())
            .with_topic_id(topic.topic_id)
            .with_partitions(topic.partitions.iter().map(|p| part(p.partition_index)).collect())
    });
    OffsetCommitResponse::default().with_topics(topics.collect())
}

fn simple<R: Request>(head: Head, change: impl FnOnce(R::Response) -> R::Response) -> Option<Bytes>
where
    R::Response: Default,
{
    encode::<R>(head, &change(R::Response::default()))
}

fn encode<R: Request>(head: Head, body: &R::Response) -> Option<Bytes> {
    let mut bytes = BytesMut::new();
    bytes.put_i32(head.correlation);
    if R::Response::header_version(head.version) > 0 {
        bytes.put_u8(0);
    }
    body.encode(&mut bytes, head.version).ok()?;
    Some(bytes.freeze())
}

/// The broker's answer with its error codes replaced.
pub fn with_code(head: Head, bytes: &Bytes, code: i16) -> Option<Bytes> {
    match ApiKey::try_from(head.api).ok()? {
        ApiKey::Produce => {
            let mut body = wire::answer::<ProduceRequest>(bytes, head.version)?;
            for part in body.responses.iter_mut().flat_map(|topic| &mut topic.partition_responses) {
                (part.error_code, part.base_offset) = (code, -1);
            }
            encode::<ProduceRequest>(head, &body)
        }
        ApiKey::Fetch => {
            let mut body = wire::answer::<FetchRequest>(bytes, head.version)?;
            for part in body.responses.iter_mut().flat_map(|topic| &mut topic.partitions) {
                (part.error_code, part.records) = (code, Some(Bytes::new()));
            }
            encode::<FetchRequest>(head, &body)
        }
        ApiKey::OffsetCommit => {
            let mut body = wire::answer::<OffsetCommitRequest>(bytes, head.version)?;
            for part in body.topics.iter_mut().flat_map(|topic| &mut topic.partitions) {
                part.error_code = code;
            }
            encode::<OffsetCommitRequest>(head, &body)
        }
        _ => None,
    }
}

/// A fetched answer with one bit of its first batch's records flipped; `None` when it brings no records.
pub fn with_flipped_bit(head: Head, bytes: &Bytes) -> Option<Bytes> {
    let mut body = wire::answer::<FetchRequest>(bytes, head.version)?;
    let parts = body.responses.iter_mut().flat_map(|topic| &mut topic.partitions);
    let records = parts.filter_map(|part| part.records.as_mut()).find(|records| records.len() > 62)?;
    let end = batches::heads(records).ok()?.first()?.bytes;
    let mut flipped = BytesMut::from(&records[..]);
    flipped[end - 1] ^= 1;
    *records = flipped.freeze();
    encode::<FetchRequest>(head, &body)
}

/// The broker's versions with those of `api` ending at `highest`.
pub fn with_hidden_versions(head: Head, bytes: &Bytes, api: i16, highest: i16) -> Option<Bytes> {
    let mut body = wire::answer::<ApiVersionsRequest>(bytes, head.version)?;
    for offered in &mut body.api_keys {
        if offered.api_key == api {
            offered.max_version = offered.max_version.min(highest);
        }
    }
    body.api_keys.retain(|offered| offered.min_version <= offered.max_version);
    encode::<ApiVersionsRequest>(head, &body)
}

/// Says, as a broker would that does not know this version of ApiVersions, to ask again with an older one.
pub fn ask_versions_again(head: Head) -> Bytes {
    let mut bytes = BytesMut::new();
    bytes.put_i32(head.correlation);
    bytes.put_i16(35); // unsupported version, in version 0 of the answer
    bytes.put_i32(1);
    bytes.put_i16(ApiKey::ApiVersions as i16);
    bytes.put_i16(0);
    bytes.put_i16(<ApiVersionsRequest as Message>::VERSIONS.max);
    bytes.freeze()
}

#[cfg(test)]
mod tests {
    use super::*;
    use kafka_protocol::messages::produce_request::{PartitionProduceData, TopicProduceData};
    use kafka_protocol::messages::{RequestHeader, TransactionalId};
    use kafka_protocol::protocol::StrBytes;

    fn produce(version: i16, acks: i16, transactional: Option<&'static str>) -> Bytes {
        let mut bytes = BytesMut::new();
        RequestHeader::default()
            .with_request_api_key(0)
            .with_request_api_version(version)
            .with_correlation_id(7)
            .with_client_id(Some(StrBytes::from_static_str("c")))
            .encode(&mut bytes, ProduceRequest::header_version(version))
            .unwrap();
        let batch = batches::write(batches::Codec::Gzip, &[]).unwrap();
        let data = PartitionProduceData::default().with_index(3).with_records(Some(batch));
        let topic =
            TopicProduceData::default().with_name(TopicName(StrBytes::from_static_str("t"))).with_partition_data(vec![data]);
        ProduceRequest::default()
            .with_acks(acks)
            .with_transactional_id(transactional.map(|id| TransactionalId(StrBytes::from_static_str(id))))
            .with_topic_data(vec![topic])
            .encode(&mut bytes, version)
            .unwrap();
        bytes.freeze()
    }

    #[test]
    fn acks_are_read_without_the_library() {
        for version in [3, 8, 9, 12] {
            for acks in [0, 1, -1] {
                let head = head(&produce(version, acks, Some("tx"))).unwrap();
                assert_eq!(head, Head { api: 0, version, correlation: 7, answered: acks != 0 });
            }
        }
        assert_eq!(head(&Bytes::from_static(b"\0\0")), None);
    }

    #[test]
    fn a_produce_request_is_looked_into_and_refused() {
        let bytes = produce(9, -1, None);
        let head = head(&bytes).unwrap();
        let Some(Inside::Produce { acks: -1, parts, .. }) = inside_request(head, &bytes) else { panic!() };
        assert_eq!((parts[0].topic.as_str(), parts[0].partition, parts[0].batches[0].codec), ("t", 3, batches::Codec::Gzip));
        let forged = forge(head, &bytes, 7).unwrap();
        assert_eq!(inside_answer(head, &forged), Some(Inside::Produced { parts: vec![("t".into(), 3, 7, -1)] }));
        let changed = with_code(head, &forged, 19).unwrap();
        assert_eq!(inside_answer(head, &changed), Some(Inside::Produced { parts: vec![("t".into(), 3, 19, -1)] }));
        assert_eq!(forge(Head { answered: false, ..head }, &bytes, 7), None, "nobody waits for an answer");
    }
}
