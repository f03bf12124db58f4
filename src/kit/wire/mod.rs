//! The kit's own client: asks the broker directly, past the proxy and past every client under test.
//!
//! [`batches`] reads the log's bytes by itself; only the codecs and the request messages come from a library that no client
//! under test uses.

pub mod batches;
pub mod crc;

use bytes::{Buf, Bytes, BytesMut};
use kafka_protocol::messages::create_topics_request::{CreatableTopic, CreatableTopicConfig};
use kafka_protocol::messages::fetch_request::{FetchPartition, FetchTopic};
use kafka_protocol::messages::list_offsets_request::{ListOffsetsPartition, ListOffsetsTopic};
use kafka_protocol::messages::metadata_request::MetadataRequestTopic;
use kafka_protocol::messages::offset_fetch_request::{OffsetFetchRequestGroup, OffsetFetchRequestTopics};
use kafka_protocol::messages::produce_request::{PartitionProduceData, TopicProduceData};
use kafka_protocol::messages::{
    ApiKey, ApiVersionsRequest, BrokerId, CreateTopicsRequest, FetchRequest, FindCoordinatorRequest, GroupId, ListOffsetsRequest,
    MetadataRequest, MetadataResponse, OffsetFetchRequest, ProduceRequest, RequestHeader, ResponseHeader, TopicName,
};
use kafka_protocol::protocol::{Decodable, Encodable, HeaderVersion, Request, StrBytes};
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// Why the kit's own client failed.
#[derive(Debug, thiserror::Error)]
pub enum WireError {
    /// No answer, or no connection.
    #[error("no answer from {0} in {1:?}")]
    Silent(SocketAddr, Duration),
    /// The connection broke.
    #[error("the connection to {0} broke: {1}")]
    Broken(SocketAddr, std::io::Error),
    /// Bytes that are not what the protocol says.
    #[error("cannot read an answer of {0}: {1}")]
    Nonsense(SocketAddr, String),
    /// The broker said no.
    #[error("{what}: the broker answered with error {code}")]
    Refused {
        /// What was asked.
        what: String,
        /// The protocol's error code.
        code: i16,
    },
}

/// The largest answer that is read, in bytes.
const LARGEST: usize = 128 << 20;

/// One connection to one broker.
#[derive(Debug)]
pub struct Wire {
    stream: TcpStream,
    address: SocketAddr,
    limit: Duration,
    correlation: i32,
}

impl Wire {
    /// Connects. Each question may take as long as `limit`.
    pub async fn connect(address: SocketAddr, limit: Duration) -> Result<Wire, WireError> {
        let stream = timeout(limit, TcpStream::connect(address)).await.map_err(|_| WireError::Silent(address, limit))?;
        let stream = stream.map_err(|why| WireError::Broken(address, why))?;
        let _ = stream.set_nodelay(true);
        Ok(Wire { stream, address, limit, correlation: 0 })
    }

    /// Asks, and waits for the answer.
    pub async fn ask<R: Request>(&mut self, version: i16, request: &R) -> Result<R::Response, WireError> {
        let bytes = self.encode(version, request)?;
        let exchange = async {
            self.stream.write_all(&bytes).await?;
            let length = usize::try_from(self.stream.read_i32().await?).unwrap_or(usize::MAX);
            if length > LARGEST {
                return Err(std::io::Error::other(format!("an answer of {length} bytes")));
            }
            let mut answer = BytesMut::zeroed(length);
            self.stream.read_exact(&mut answer).await?;
            Ok(answer.freeze())
        };
        let answer = timeout(self.limit, exchange).await.map_err(|_| WireError::Silent(self.address, self.limit))?;
        let mut answer = answer.map_err(|why| WireError::Broken(self.address, why))?;
        let nonsense = |why: String| WireError::Nonsense(self.address, why);
        let header =
            ResponseHeader::decode(&mut answer, R::Response::header_version(version)).map_err(|e| nonsense(e.to_string()))?;
        if header.correlation_id != self.correlation {
            return Err(nonsense(format!("correlation id {} instead of {}", header.correlation_id, self.correlation)));
        }
        R::Response::decode(&mut answer, version).map_err(|e| nonsense(e.to_string()))
    }

    /// Sends a request that is not answered: a Produce with acks=0.
    pub async fn tell<R: Request>(&mut self, version: i16, request: &R) -> Result<(), WireError> {
        let bytes = self.encode(version, request)?;
        let sent =
            timeout(self.limit, self.stream.write_all(&bytes)).await.map_err(|_| WireError::Silent(self.address, self.limit))?;
        sent.map_err(|why| WireError::Broken(self.address, why))
    }

    fn encode<R: Request>(&mut self, version: i16, request: &R) -> Result<BytesMut, WireError> {
        self.correlation += 1;
        let header = RequestHeader::default()
            .with_request_api_key(R::KEY)
            .with_request_api_version(version)
            .with_correlation_id(self.correlation)
            .with_client_id(Some(StrBytes::from_static_str("clientbook-kit")));
        let mut body = BytesMut::new();
        let encoded = header.encode(&mut body, R::header_version(version)).and_then(|()| request.encode(&mut body, version));
        encoded.map_err(|why| WireError::Nonsense(self.address, format!("cannot write a request: {why}")))?;
        let mut bytes = BytesMut::with_capacity(body.len() + 4);
        bytes.extend_from_slice(&u32::try_from(body.len()).unwrap_or(u32::MAX).to_be_bytes());
        bytes.extend_from_slice(&body);
        Ok(bytes)
    }

    /// The brokers and what they say of `topics` (empty: of none). Two questions, so that a broker that answers both is ready.
    pub async fn metadata(&mut self, topics: &[&str]) -> Result<MetadataResponse, WireError> {
        let versions = self
            .ask(
                3,
                &ApiVersionsRequest::default()
                    .with_client_software_name(name("clientbook-kit"))
                    .with_client_software_version(name("1")),
            )
            .await?;
        refused("ask for versions", versions.error_code)?;
        let topics = topics.iter().map(|t| MetadataRequestTopic::default().with_name(Some(TopicName(name(t))))).collect();
        let request = MetadataRequest::default().with_topics(Some(topics)).with_allow_auto_topic_creation(false);
        self.ask(12, &request).await
    }

    /// Makes a topic; returns its id.
    pub async fn create_topic(
        &mut self,
        topic: &str,
        partitions: i32,
        replicas: i16,
        config: &[(&str, &str)],
    ) -> Result<String, WireError> {
        let configs = config
            .iter()
            .map(|(key, value)| CreatableTopicConfig::default().with_name(name(key)).with_value(Some(name(value))))
            .collect();
        let creatable = CreatableTopic::default()
            .with_name(TopicName(name(topic)))
            .with_num_partitions(partitions)
            .with_replication_factor(replicas)
            .with_configs(configs);
        let request = CreateTopicsRequest::default().with_topics(vec![creatable]).with_timeout_ms(15_000);
        let response = self.ask(7, &request).await?;
        let made = response.topics.first();
        refused(&format!("make topic {topic}"), made.map_or(-1, |t| t.error_code))?;
        Ok(made.map(|t| t.topic_id.to_string()).unwrap_or_default())
    }

    /// Bytes of a partition's log from `offset` on, as they are, and the high watermark. The connection must be to the leader.
    pub async fn fetch(&mut self, topic: &str, partition: i32, offset: i64) -> Result<(Bytes, i64), WireError> {
        let wanted = FetchPartition::default()
            .with_partition(partition)
            .with_fetch_offset(offset)
            .with_current_leader_epoch(-1)
            .with_partition_max_bytes(8 << 20);
        let topic_wanted = FetchTopic::default().with_topic(TopicName(name(topic))).with_partitions(vec![wanted]);
        let request = FetchRequest::default()
            .with_replica_id(BrokerId(-1))
            .with_max_wait_ms(200)
            .with_min_bytes(1)
            .with_max_bytes(16 << 20)
            .with_isolation_level(0)
            .with_session_epoch(-1)
            .with_topics(vec![topic_wanted]);
        let what = format!("fetch {topic}-{partition} at {offset}");
        let response = self.ask(12, &request).await?;
        refused(&what, response.error_code)?;
        let Some(data) = response.responses.into_iter().next().and_then(|t| t.partitions.into_iter().next()) else {
            return Err(WireError::Refused { what, code: -1 });
        };
        refused(&what, data.error_code)?;
        Ok((data.records.unwrap_or_default(), data.high_watermark))
    }

    /// The offset of `timestamp` (-2: the first, -1: the end).
    pub async fn offset(&mut self, topic: &str, partition: i32, timestamp: i64) -> Result<i64, WireError> {
        let wanted = ListOffsetsPartition::default()
            .with_partition_index(partition)
            .with_current_leader_epoch(-1)
            .with_timestamp(timestamp);
        let topic_wanted = ListOffsetsTopic::default().with_name(TopicName(name(topic))).with_partitions(vec![wanted]);
        let request = ListOffsetsRequest::default().with_replica_id(BrokerId(-1)).with_topics(vec![topic_wanted]);
        let response = self.ask(7, &request).await?;
        let found = response.topics.first().and_then(|t| t.partitions.first());
        refused(&format!("find an offset of {topic}-{partition}"), found.map_or(-1, |p| p.error_code))?;
        Ok(found.map_or(-1, |p| p.offset))
    }

    /// A group's committed offset, asked of this node, which must be the group's coordinator; `None` when there is none.
    pub async fn committed(&mut self, group: &str, topic: &str, partition: i32) -> Result<Option<i64>, WireError> {
        let wanted =
            OffsetFetchRequestTopics::default().with_name(TopicName(name(topic))).with_partition_indexes(vec![partition]);
        let group_wanted = OffsetFetchRequestGroup::default().with_group_id(GroupId(name(group))).with_topics(Some(vec![wanted]));
        let response =
            self.ask(8, &OffsetFetchRequest::default().with_groups(vec![group_wanted]).with_require_stable(true)).await?;
        let what = format!("ask for the offset that {group} committed");
        let found = response.groups.first();
        refused(&what, found.map_or(-1, |group| group.error_code))?;
        let part = found.and_then(|group| group.topics.first()).and_then(|topic| topic.partitions.first());
        refused(&what, part.map_or(-1, |part| part.error_code))?;
        Ok(part.map(|part| part.committed_offset).filter(|offset| *offset >= 0))
    }

    /// The node that coordinates `group`.
    pub async fn coordinator(&mut self, group: &str) -> Result<i32, WireError> {
        let request = FindCoordinatorRequest::default().with_key_type(0).with_coordinator_keys(vec![name(group)]);
        let response = self.ask(4, &request).await?;
        let found = response.coordinators.first();
        refused(&format!("find the coordinator of {group}"), found.map_or(-1, |c| c.error_code))?;
        Ok(found.map_or(-1, |c| c.node_id.0))
    }

    /// Appends a record batch, written by [`batches::write`], with `acks=all`; returns its first offset.
    pub async fn append(&mut self, topic: &str, partition: i32, batch: Bytes) -> Result<i64, WireError> {
        let data = PartitionProduceData::default().with_index(partition).with_records(Some(batch));
        let topic_data = TopicProduceData::default().with_name(TopicName(name(topic))).with_partition_data(vec![data]);
        let request = ProduceRequest::default().with_acks(-1).with_timeout_ms(15_000).with_topic_data(vec![topic_data]);
        let response = self.ask(9, &request).await?;
        let stored = response.responses.first().and_then(|t| t.partition_responses.first());
        refused(&format!("write to {topic}-{partition}"), stored.map_or(-1, |p| p.error_code))?;
        Ok(stored.map_or(-1, |p| p.base_offset))
    }
}

/// The name of an API, for words: `Produce`, or its number.
pub fn api_name(key: i16) -> String {
    ApiKey::try_from(key).map_or_else(|()| format!("api {key}"), |api| format!("{api:?}"))
}

/// A request's body without its header, if the library knows this version.
pub fn body<R: Request>(frame: &Bytes, version: i16) -> Option<R> {
    if version < R::VERSIONS.min || version > R::VERSIONS.max {
        return None;
    }
    let mut bytes = frame.clone();
    RequestHeader::decode(&mut bytes, R::header_version(version)).ok()?;
    R::decode(&mut bytes, version).ok().filter(|_| !bytes.has_remaining())
}

/// An answer's body without its header, if the library knows this version.
pub fn answer<R: Request>(frame: &Bytes, version: i16) -> Option<R::Response> {
    if version < R::VERSIONS.min || version > R::VERSIONS.max {
        return None;
    }
    let mut bytes = frame.clone();
    ResponseHeader::decode(&mut bytes, R::Response::header_version(version)).ok()?;
    R::Response::decode(&mut bytes, version).ok()
}

fn name(text: &str) -> StrBytes {
    StrBytes::from_string(text.to_owned())
}

fn refused(what: &str, code: i16) -> Result<(), WireError> {
    if code == 0 { Ok(()) } else { Err(WireError::Refused { what: what.to_owned(), code }) }
}
