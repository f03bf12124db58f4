//! Drivers that the kit must see through, and one that is right: `fake_driver MODE ROLE OPTIONS`.
//!
//! The right one is a small client of its own on the kit's wire; a mutant is the right one with one fault.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use clientbook::kit::protocol::{Asked, Blob, Command, Delivered, Message, Place};
use clientbook::kit::wire::Wire;
use clientbook::kit::wire::batches::{self, Codec, Stored};
use kafka_protocol::messages::offset_commit_request::{OffsetCommitRequestPartition, OffsetCommitRequestTopic};
use kafka_protocol::messages::produce_request::{PartitionProduceData, TopicProduceData};
use kafka_protocol::messages::{GroupId, OffsetCommitRequest, ProduceRequest, TopicName};
use kafka_protocol::protocol::StrBytes;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, Write};
use std::time::{Duration, Instant};

fn say(event: Value) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{event}").and_then(|()| out.flush());
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (mode, role) = (arguments[0].clone(), arguments[1].as_str());
    let options: Vec<(String, String)> = arguments[2..].chunks(2).map(|pair| (pair[0].clone(), pair[1].clone())).collect();
    if role == "info" {
        let version = if mode == "no-version" { Value::Null } else { json!("1.0.0") };
        say(
            json!({"event": "info", "client": "fake", "version": version, "engine": null, "language": "Rust", "roles": ["producer", "consumer"]}),
        );
        return;
    }
    if bad_manners(&mode) {
        return;
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let fake = Fake::new(mode, options).await;
        if role == "producer" { fake.produce().await } else { fake.consume().await }
    });
}

/// Modes that need no broker. Whether it was one.
fn bad_manners(mode: &str) -> bool {
    let lines = || std::io::stdin().lock().lines().map_while(Result::ok);
    match mode {
        "silent" => lines().for_each(drop),
        "mute" => {
            say(json!({"event": "startup_complete"}));
            lines().for_each(drop);
        }
        "chatty" => {
            println!("connecting to the broker …");
            lines().for_each(drop);
        }
        "crash-at-start" => {
            eprintln!("panic: no such option");
            std::process::exit(134);
        }
        "crash-midway" => {
            say(json!({"event": "startup_complete"}));
            let _ = lines().next();
            eprintln!("Segmentation fault");
            std::process::exit(139);
        }
        "flood" => {
            say(json!({"event": "startup_complete"}));
            loop {
                if writeln!(std::io::stdout(), "{}", json!({"event": "partitions_assigned", "partitions": []})).is_err() {
                    break;
                }
            }
        }
        "long-line" => {
            let _ = write!(std::io::stdout(), "{}", "x".repeat(80 << 20));
        }
        "wrong-ids" => {
            say(json!({"event": "startup_complete"}));
            for line in lines() {
                let asked: Value = serde_json::from_str(&line).unwrap();
                say(json!({"event": "done", "id": asked["id"].as_u64().unwrap() + 7}));
            }
        }
        "memory" => {
            say(json!({"event": "startup_complete"}));
            let hoard: Vec<u8> = (0..400_usize << 20).map(|n| n as u8).collect();
            lines().for_each(drop);
            drop(hoard);
        }
        "unsupported-option" => {
            say(
                json!({"event": "unsupported", "option": "--acks", "reason": "it has no such setting", "link": "https://example.org/acks"}),
            );
            std::process::exit(3);
        }
        _ => return false,
    }
    true
}

struct Fake {
    mode: String,
    options: Vec<(String, String)>,
    wire: Wire,
}

impl Fake {
    async fn new(mode: String, options: Vec<(String, String)>) -> Fake {
        let bootstrap = &options.iter().find(|(name, _)| name == "--bootstrap-server").unwrap().1;
        let address = bootstrap.split(',').next().unwrap().parse().unwrap();
        let wire = Wire::connect(address, Duration::from_secs(30)).await.unwrap();
        say(json!({"event": "startup_complete"}));
        Fake { mode, options, wire }
    }

    fn is(&self, mode: &str) -> bool {
        self.mode == mode
    }

    fn option(&self, name: &str) -> Option<&str> {
        self.options.iter().rev().find(|(found, _)| found == name).map(|(_, value)| value.as_str())
    }

    async fn partitions(&mut self, topic: &str) -> i32 {
        let metadata = self.wire.metadata(&[topic]).await.unwrap();
        metadata.topics[0].partitions.len() as i32
    }

    // ---- producer

    async fn produce(mut self) {
        let mut held: Option<(u64, Message)> = None;
        let mut sent = 0;
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            let asked: Asked = serde_json::from_str(&line).unwrap();
            match asked.command {
                Command::Send(message) => {
                    sent += 1;
                    if self.is("swap-two") && sent == 3 {
                        held = Some((asked.id, message));
                        continue;
                    }
                    self.store(asked.id, message, sent).await;
                    if let Some((id, message)) = held.take_if(|_| sent == 20) {
                        self.store(id, message, sent).await;
                    }
                }
                Command::Close => {
                    say(json!({"event": "shutdown_complete", "id": asked.id}));
                    return;
                }
                _ => say(json!({"event": "done", "id": asked.id})),
            }
        }
    }

    async fn store(&mut self, id: u64, mut message: Message, sent: usize) {
        let count = self.partitions(&message.topic).await;
        let hash = message.key.iter().flat_map(|key| &key.0).fold(7_u32, |hash, byte| hash.wrapping_mul(31) ^ u32::from(*byte));
        let mut partition = message.partition.unwrap_or((hash % count as u32) as i32);
        let said = partition;
        match self.mode.as_str() {
            "null-as-empty" => message.value = message.value.or(Some(Blob(vec![]))),
            "text-only" => message.value = message.value.map(|v| Blob(String::from_utf8_lossy(&v.0).into_owned().into_bytes())),
            "headers-as-map" => message.headers = message.headers.into_iter().collect::<BTreeMap<_, _>>().into_iter().collect(),
            "own-timestamps" => message.timestamp = None,
            "round-robin-keys" if message.partition.is_none() => partition = sent as i32 % count,
            "ignores-partition" => partition = (hash % count as u32) as i32,
            _ => {}
        }
        let said = if self.is("ignores-partition") { said } else { partition };
        if self.is("drops-one") && sent == 5 {
            say(json!({"event": "producer_send_success", "id": id, "topic": message.topic, "partition": said, "offset": 4}));
            return;
        }
        let mut offset = self.append(&message, partition).await;
        if self.is("sends-twice") && sent == 4 {
            offset = self.append(&message, partition).await;
        }
        if self.is("lies-about-offset") && sent == 2 {
            offset = offset.map(|offset| offset + 1);
        }
        say(json!({"event": "producer_send_success", "id": id, "topic": message.topic, "partition": said, "offset": offset}));
    }

    async fn append(&mut self, message: &Message, partition: i32) -> Option<i64> {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_millis() as i64;
        let record = Stored {
            offset: 0,
            timestamp: message.timestamp.unwrap_or(now),
            key: message.key.clone(),
            value: message.value.clone(),
            headers: message.headers.clone(),
        };
        let wanted = self.option("--compression").unwrap_or("none");
        let codec = Codec::ALL.into_iter().find(|codec| codec.word() == wanted).unwrap();
        let codec = if self.is("ignores-compression") { Codec::None } else { codec };
        let acks = match self.option("--acks") {
            _ if self.is("ignores-acks") => 1,
            Some("0") => 0,
            Some("1") => 1,
            _ => -1,
        };
        let data =
            PartitionProduceData::default().with_index(partition).with_records(Some(batches::write(codec, &[record]).unwrap()));
        let name = TopicName(StrBytes::from_string(message.topic.clone()));
        let topic = TopicProduceData::default().with_name(name).with_partition_data(vec![data]);
        let request = ProduceRequest::default().with_acks(acks).with_timeout_ms(30_000).with_topic_data(vec![topic]);
        if acks == 0 {
            // Nobody would say that the leader was not ready yet: a fetch says it.
            while self.wire.fetch(&message.topic, partition, 0).await.is_err() {}
            self.wire.tell(9, &request).await.unwrap();
            return None;
        }
        loop {
            let response = self.wire.ask(9, &request).await.unwrap();
            let part = &response.responses[0].partition_responses[0];
            if part.error_code == 0 {
                return Some(part.base_offset);
            }
            // A new partition's leader may need a moment.
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    // ---- consumer: reads by itself; a "member" has the whole topic

    async fn consume(mut self) {
        let mut places = self.places().await;
        let mut paused: BTreeSet<(String, i32)> = BTreeSet::new();
        let mut delivered = 0;
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            let asked: Asked = serde_json::from_str(&line).unwrap();
            let id = asked.id;
            match asked.command {
                Command::Poll { max, timeout_ms } => {
                    let records = self.poll(&mut places, &paused, max, timeout_ms, &mut delivered).await;
                    if self.is("commits-early") && !records.is_empty() {
                        self.commit(&places).await;
                    }
                    say(json!({"event": "records_consumed", "id": id, "records": records}));
                }
                Command::CommitOffsets { .. } => {
                    if !self.is("never-commits") {
                        self.commit(&places).await;
                    }
                    say(json!({"event": "offsets_committed", "id": id, "offsets": []}));
                }
                Command::Seek(Place { topic, partition, offset }) => {
                    if !self.is("ignores-seek") {
                        places.insert((topic, partition), offset);
                    }
                    say(json!({"event": "done", "id": id}));
                }
                Command::Pause { partitions } => {
                    if !self.is("ignores-pause") {
                        paused.extend(partitions);
                    }
                    say(json!({"event": "done", "id": id}));
                }
                Command::Resume { partitions } => {
                    if !self.is("never-resumes") {
                        paused.retain(|partition| !partitions.contains(partition));
                    }
                    say(json!({"event": "done", "id": id}));
                }
                Command::Close => {
                    say(json!({"event": "shutdown_complete", "id": id}));
                    return;
                }
                _ => say(json!({"event": "unsupported", "id": id, "reason": "not in this fake"})),
            }
        }
    }

    async fn places(&mut self) -> BTreeMap<(String, i32), i64> {
        let mut places = BTreeMap::new();
        if let (Some(topic), Some(group)) =
            (self.option("--topic").map(str::to_owned), self.option("--group-id").map(str::to_owned))
        {
            for partition in 0..self.partitions(&topic).await {
                let committed = loop {
                    // A new coordinator may need a moment.
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    if self.wire.coordinator(&group).await.is_err() {
                        continue;
                    }
                    if let Ok(committed) = self.wire.committed(&group, &topic, partition).await {
                        break committed;
                    }
                };
                places.insert((topic.clone(), partition), committed.unwrap_or(0));
            }
        }
        let assigned: Vec<String> =
            self.options.iter().filter(|(name, _)| name == "--assign").map(|(_, value)| value.clone()).collect();
        for assigned in assigned {
            let parts: Vec<&str> = assigned.split(':').collect();
            let (topic, partition) = (parts[0].to_owned(), parts[1].parse().unwrap());
            let offset = match parts[2] {
                "latest" if !self.is("ignores-latest") => self.wire.offset(&topic, partition, -1).await.unwrap(),
                number if !self.is("ignores-offset") => number.parse().unwrap_or(0),
                _ => 0,
            };
            places.insert((topic, partition), offset);
        }
        places
    }

    async fn poll(
        &mut self,
        places: &mut BTreeMap<(String, i32), i64>,
        paused: &BTreeSet<(String, i32)>,
        max: u32,
        timeout_ms: u64,
        delivered: &mut usize,
    ) -> Vec<Delivered> {
        let until = Instant::now() + Duration::from_millis(timeout_ms);
        let mut records = Vec::new();
        while records.len() < max as usize && Instant::now() < until {
            for ((topic, partition), next) in places.iter_mut() {
                if paused.contains(&(topic.clone(), *partition)) {
                    continue;
                }
                let (bytes, _) = self.wire.fetch(topic, *partition, *next).await.unwrap();
                let stored = batches::read(&bytes).unwrap().into_iter().flat_map(|batch| batch.records);
                for record in stored {
                    // Batches are whole: what lies before the place is not for the application.
                    if records.len() == max as usize || (record.offset < *next && self.mode != "whole-batches") {
                        continue;
                    }
                    *next = record.offset + 1;
                    *delivered += 1;
                    let one = Delivered {
                        topic: topic.clone(),
                        partition: *partition,
                        offset: record.offset,
                        key: record.key,
                        value: if self.mode == "null-as-empty" { record.value.or(Some(Blob(vec![]))) } else { record.value },
                        headers: if self.mode == "no-headers" { vec![] } else { record.headers },
                        timestamp: Some(record.timestamp),
                    };
                    match self.mode.as_str() {
                        "skips-one" if *delivered == 7 => {}
                        "delivers-twice" if *delivered == 7 && records.len() + 1 < max as usize => {
                            records.extend([one.clone(), one])
                        }
                        _ => records.push(one),
                    }
                }
            }
        }
        records
    }

    async fn commit(&mut self, places: &BTreeMap<(String, i32), i64>) {
        let Some(group) = self.option("--group-id").map(str::to_owned) else { return };
        for ((topic, partition), next) in places {
            let offset = if self.is("commits-one-less") { next - 1 } else { *next };
            let part = OffsetCommitRequestPartition::default().with_partition_index(*partition).with_committed_offset(offset);
            let topic = OffsetCommitRequestTopic::default()
                .with_name(TopicName(StrBytes::from_string(topic.clone())))
                .with_partitions(vec![part.with_committed_leader_epoch(-1)]);
            let request = OffsetCommitRequest::default()
                .with_group_id(GroupId(StrBytes::from_string(group.clone())))
                .with_generation_id_or_member_epoch(-1)
                .with_topics(vec![topic]);
            self.wire.ask(8, &request).await.unwrap();
        }
    }
}
