//! Relays the kit's commands to rskafka, and what rskafka says back.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use base64::{Engine, prelude::BASE64_STANDARD as BASE64};
use chrono::{DateTime, Utc};
use futures::StreamExt;
use rskafka::client::consumer::{StartOffset, StreamConsumer, StreamConsumerBuilder};
use rskafka::client::error::{Error, ProtocolError, RequestError};
use rskafka::client::partition::{Compression, OffsetAt, PartitionClient, UnknownTopicHandling};
use rskafka::client::producer::{self, BatchProducer, BatchProducerBuilder, aggregator::RecordAggregator};
use rskafka::client::{Client, ClientBuilder, Credentials, SaslConfig};
use rskafka::{BackoffConfig, ConnectionError, record::Record};
use serde_json::{Value, json};
use tokio::io::AsyncBufReadExt;
use tokio::sync::{Notify, OnceCell, mpsc};
use tokio::time::{Instant, timeout, timeout_at};

const DOCS: &str = "https://docs.rs/rskafka/0.6.0/rskafka/";

fn say(event: &str, id: &Value, mut fields: Value) {
    fields["event"] = event.into();
    if !id.is_null() {
        fields["id"] = id.clone();
    }
    println!("{fields}");
}

/// Says an error, classed by rskafka's own kinds of error. It names the broker's error and keeps the code to itself.
fn fail(event: &str, id: &Value, why: &Error) {
    let (class, name) = match why {
        Error::Connection(ConnectionError::SaslFailed(_)) => ("auth", "SaslFailed".to_owned()),
        Error::Connection(_) => ("retriable", "Connection".to_owned()),
        Error::Request(RequestError::IO(_) | RequestError::Poisoned(_)) => ("indeterminate", "Request".to_owned()), // it may have been sent
        Error::Request(RequestError::NoVersionMatch { .. }) => ("invalid", "Request".to_owned()),
        Error::Request(_) => ("unknown", "Request".to_owned()), // it did not understand the answer
        Error::RetryFailed(_) => ("indeterminate", "RetryFailed".to_owned()),
        Error::Timeout => ("indeterminate", "Timeout".to_owned()),
        Error::ServerError { protocol_error: error, .. } => {
            use ProtocolError as P;
            let class = match error {
                P::TopicAuthorizationFailed | P::GroupAuthorizationFailed | P::ClusterAuthorizationFailed => "authorization",
                P::RequestTimedOut | P::NotEnoughReplicasAfterAppend => "indeterminate",
                P::UnknownTopicOrPartition | P::LeaderNotAvailable | P::NotLeaderOrFollower | P::NotEnoughReplicas => "retriable",
                P::CorruptMessage | P::NetworkException | P::KafkaStorageError | P::OffsetNotAvailable => "retriable",
                P::UnknownServerError => "unknown",
                _ => "invalid",
            };
            (class, error.to_string())
        }
        _ => ("unknown", "InvalidResponse".to_owned()),
    };
    say(event, id, json!({"class": class, "code": null, "error": name, "message": why.to_string()}));
}

fn unsupported(id: &Value, reason: &str, page: &str) {
    say("unsupported", id, json!({"reason": reason, "link": format!("{DOCS}{page}")}));
}

fn decode(text: &Value) -> Option<Vec<u8>> {
    text.as_str().map(|text| BASE64.decode(text).expect("base64"))
}

fn usage(why: &str) -> ! {
    eprintln!("{why}");
    std::process::exit(2)
}

#[derive(Default)]
struct Options(HashMap<String, Vec<String>>);

impl Options {
    fn read(role: &str, args: &[String]) -> Self {
        const COMMON: &str = "bootstrap-server client-id security tls-ca tls-cert tls-key sasl-mechanism username password";
        const CANNOT: [(&str, &str, &str); 19] = [
            ("request-timeout-ms", "a request has no time-out", "client/struct.ClientBuilder.html"),
            ("metadata-max-age-ms", "metadata is asked for when it is found to be stale", "client/struct.ClientBuilder.html"),
            ("transactional-id", "there are no transactions", ""),
            ("max-in-flight", "requests in flight are not limited", "client/producer/index.html"),
            ("max-request-bytes", "the size of a request is not limited", "client/producer/index.html"),
            ("retries", "retries are limited by time, not by number", "client/struct.ClientBuilder.html"),
            ("topic", "there are no consumer groups", "client/consumer/index.html"),
            ("group-id", "there are no consumer groups", "client/consumer/index.html"),
            ("group-instance-id", "there are no consumer groups", "client/consumer/index.html"),
            ("group-protocol", "there are no consumer groups", "client/consumer/index.html"),
            ("auto-commit", "there are no consumer groups", "client/consumer/index.html"),
            ("auto-commit-interval-ms", "there are no consumer groups", "client/consumer/index.html"),
            ("session-timeout-ms", "there are no consumer groups", "client/consumer/index.html"),
            ("heartbeat-interval-ms", "there are no consumer groups", "client/consumer/index.html"),
            ("max-poll-interval-ms", "there are no consumer groups", "client/consumer/index.html"),
            ("assignor", "there are no consumer groups", "client/consumer/index.html"),
            ("acks", "acks is always all", "client/partition/struct.PartitionClient.html#method.produce"),
            ("idempotent", "records carry no producer id", "client/partition/struct.PartitionClient.html#method.produce"),
            ("isolation", "the isolation asked for is always read_committed", "client/partition/struct.PartitionClient.html#method.fetch_records"),
        ];
        let own = if role == "producer" { "compression linger-ms batch-bytes delivery-timeout-ms" } else { "assign offset-reset fetch-max-bytes" };
        let mut options = Options::default();
        for pair in args.chunks(2) {
            let name = pair[0].trim_start_matches("--");
            let Some(value) = pair.get(1) else { usage(&format!("no value for {}", pair[0])) };
            let harmless = matches!((name, value.as_str()), ("acks", "all") | ("idempotent", "false") | ("isolation", "read_committed"));
            if let Some((_, reason, page)) = CANNOT.iter().find(|(option, ..)| *option == name && !harmless) {
                options.refuse(name, reason, page);
            }
            if !harmless && !COMMON.split(' ').chain(own.split(' ')).any(|known| known == name) {
                usage(&format!("unknown option: {}", pair[0]));
            }
            options.0.entry(name.to_owned()).or_default().push(value.clone());
        }
        options
    }

    fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(|values| values[0].as_str())
    }

    fn number(&self, name: &str) -> Option<u64> {
        self.get(name).map(|text| text.parse().unwrap_or_else(|_| usage(&format!("not a number: {text}"))))
    }

    fn refuse(&self, name: &str, reason: &str, page: &str) -> ! {
        say("unsupported", &Value::Null, json!({"option": format!("--{name}"), "reason": reason, "link": format!("{DOCS}{page}")}));
        std::process::exit(3)
    }

    fn builder(&self) -> ClientBuilder {
        let brokers = self.get("bootstrap-server").unwrap_or_else(|| usage("--bootstrap-server is missing"));
        let mut builder = ClientBuilder::new(brokers.split(',').map(str::to_owned).collect());
        if let Some(id) = self.get("client-id") {
            builder = builder.client_id(id);
        }
        if let Some(limit) = self.number("delivery-timeout-ms") {
            builder = builder.backoff_config(BackoffConfig { deadline: Some(Duration::from_millis(limit)), ..Default::default() });
        }
        let security = self.get("security").unwrap_or("plaintext");
        if security.ends_with("tls") {
            builder = builder.tls_config(Arc::new(self.tls()));
        }
        if security.starts_with("sasl") {
            let login = Credentials::new(self.get("username").unwrap_or("").into(), self.get("password").unwrap_or("").into());
            builder = builder.sasl_config(match self.get("sasl-mechanism") {
                Some("SCRAM-SHA-256") => SaslConfig::ScramSha256(login),
                Some("SCRAM-SHA-512") => SaslConfig::ScramSha512(login),
                _ => SaslConfig::Plain(login),
            });
        }
        builder
    }

    fn tls(&self) -> rustls::ClientConfig {
        use rustls::pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject};
        let certificates = |file: &str| CertificateDer::pem_file_iter(file).and_then(Iterator::collect::<Result<Vec<_>, _>>);
        let mut roots = rustls::RootCertStore::empty();
        let cas = self.get("tls-ca").map(certificates).transpose().unwrap_or_else(|why| usage(&format!("--tls-ca: {why}")));
        roots.add_parsable_certificates(cas.unwrap_or_default());
        let config = rustls::ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions().expect("ring has them").with_root_certificates(roots);
        match (self.get("tls-cert"), self.get("tls-key")) {
            (Some(cert), Some(key)) => {
                let key = PrivateKeyDer::from_pem_file(key).unwrap_or_else(|why| usage(&format!("--tls-key: {why}")));
                let chain = certificates(cert).unwrap_or_else(|why| usage(&format!("--tls-cert: {why}")));
                config.with_client_auth_cert(chain, key).unwrap_or_else(|why| usage(&format!("--tls-cert: {why}")))
            }
            _ => config.with_no_client_auth(),
        }
    }
}

/// The client connects when it is built: it is built when it is first needed.
struct Lazy {
    options: Options,
    client: OnceCell<Client>,
}

impl Lazy {
    /// An unknown topic is an error here: rskafka's other choice is to ask for it without end.
    async fn partition(&self, topic: &str, partition: i32) -> Result<Arc<PartitionClient>, Error> {
        let client = self.client.get_or_try_init(|| self.options.builder().build()).await?;
        Ok(Arc::new(client.partition_client(topic, partition, UnknownTopicHandling::Error).await?))
    }
}

type Batches = Rc<BatchProducer<RecordAggregator>>;

struct Sending {
    lazy: Rc<Lazy>,
    lanes: HashMap<(String, i32), mpsc::UnboundedSender<(Value, Record)>>,
    producers: Rc<RefCell<Vec<Batches>>>,
    open: Rc<RefCell<HashSet<u64>>>,
    settled: Rc<Notify>,
}

impl Sending {
    fn send(&mut self, c: &Value) {
        let id = &c["id"];
        let Some(partition) = c["partition"].as_i64() else {
            return unsupported(id, "there is no partitioner: the application names the partition", "client/struct.Client.html#method.partition_client");
        };
        let mut headers = BTreeMap::new();
        for header in c["headers"].as_array().into_iter().flatten() {
            let (name, Some(value)) = (header[0].as_str().unwrap_or_default(), decode(&header[1])) else {
                return unsupported(id, "a header has a value", "record/struct.Record.html");
            };
            if headers.insert(name.to_owned(), value).is_some() {
                return unsupported(id, "a header comes once", "record/struct.Record.html");
            }
        }
        let timestamp = c["timestamp"].as_i64().and_then(DateTime::from_timestamp_millis).unwrap_or_else(Utc::now);
        let record = Record { key: decode(&c["key"]), value: decode(&c["value"]), headers, timestamp };
        let at = (c["topic"].as_str().unwrap_or_default().to_owned(), partition as i32);
        self.open.borrow_mut().insert(id.as_u64().unwrap_or_default());
        if !self.lanes.contains_key(&at) {
            let (lane, records) = mpsc::unbounded_channel();
            tokio::task::spawn_local(self.lane(at.clone(), records));
            self.lanes.insert(at.clone(), lane);
        }
        let _ = self.lanes[&at].send((id.clone(), record));
    }

    /// Sends the records of one partition, in order, without waiting for one before the next.
    fn lane(&self, (topic, partition): (String, i32), mut records: mpsc::UnboundedReceiver<(Value, Record)>) -> impl Future<Output = ()> + use<> {
        let (lazy, producers, open, settled) = (self.lazy.clone(), self.producers.clone(), self.open.clone(), self.settled.clone());
        async move {
            let mut ready: Option<Batches> = None;
            while let Some((id, record)) = records.recv().await {
                if ready.is_none() {
                    match lazy.partition(&topic, partition).await {
                        Ok(client) => {
                            let batches = Rc::new(batches(&lazy.options, client));
                            producers.borrow_mut().push(batches.clone());
                            ready = Some(batches);
                        }
                        Err(why) => {
                            fail("producer_send_error", &id, &why);
                            open.borrow_mut().remove(&id.as_u64().unwrap_or_default());
                            settled.notify_waiters();
                            continue;
                        }
                    }
                }
                let (batches, topic, open, settled) = (ready.clone().expect("made above"), topic.clone(), open.clone(), settled.clone());
                tokio::task::spawn_local(async move {
                    match batches.produce(record).await {
                        Ok(offset) => say("producer_send_success", &id, json!({"topic": topic, "partition": partition, "offset": offset})),
                        Err(producer::Error::Client(why)) => fail("producer_send_error", &id, &why),
                        Err(why) => say("producer_send_error", &id, json!({"class": if matches!(why, producer::Error::FlushError(_)) { "unknown" } else { "invalid" },
                            "code": null, "error": format!("{why:?}").split(['(', ' ']).next(), "message": why.to_string()})),
                    }
                    open.borrow_mut().remove(&id.as_u64().unwrap_or_default());
                    settled.notify_waiters();
                });
            }
        }
    }

    /// Sends what waits for its batch, and waits for everything sent; false when the time is over.
    async fn flush(&self, limit: Duration) -> bool {
        let producers = self.producers.borrow().clone();
        timeout(limit, async {
            for batches in producers {
                let _ = batches.flush().await; // each record hears of it
            }
            loop {
                let settled = self.settled.notified();
                if self.open.borrow().is_empty() {
                    break;
                }
                settled.await;
            }
        })
        .await
        .is_ok()
    }

    async fn handle(&mut self, command: &str, c: &Value) {
        match command {
            "send" => self.send(c),
            "flush" if self.flush(Duration::from_millis(c["timeout-ms"].as_u64().unwrap_or(0))).await => say("done", &c["id"], json!({})),
            "flush" => fail("failed", &c["id"], &Error::Timeout),
            _ => unsupported(&c["id"], &format!("a producer has no {command}"), "client/producer/index.html"),
        }
    }

    /// rskafka has no close, and retries without end: after the time that its own requests name, what is open is given up.
    async fn close(&self) {
        self.flush(Duration::from_secs(30)).await;
        for id in self.open.borrow_mut().drain() {
            fail("producer_send_error", &id.into(), &Error::Timeout);
        }
    }
}

fn batches(options: &Options, client: Arc<PartitionClient>) -> BatchProducer<RecordAggregator> {
    let mut builder = BatchProducerBuilder::new(client);
    if let Some(linger) = options.number("linger-ms") {
        builder = builder.with_linger(Duration::from_millis(linger));
    }
    builder = builder.with_compression(match options.get("compression") {
        Some("gzip") => Compression::Gzip,
        Some("snappy") => Compression::Snappy,
        Some("lz4") => Compression::Lz4,
        Some("zstd") => Compression::Zstd,
        _ => Compression::NoCompression,
    });
    builder.build(RecordAggregator::new(options.number("batch-bytes").unwrap_or(1 << 20) as usize)) // the size is the application's to say
}

struct Part {
    topic: String,
    partition: i32,
    start: StartOffset,
    client: Option<Arc<PartitionClient>>,
    stream: Option<StreamConsumer>,
    ended: bool,
}

struct Reading {
    lazy: Rc<Lazy>,
    parts: Vec<Part>,
}

impl Reading {
    fn new(lazy: Rc<Lazy>) -> Self {
        let reset = lazy.options.get("offset-reset");
        let parts = lazy.options.0.get("assign").into_iter().flatten().map(|text| {
            let place: Vec<&str> = text.split(':').collect();
            let start = match (place.get(2).copied(), reset) {
                (Some("earliest"), _) | (None, Some("earliest") | None) => StartOffset::Earliest,
                (Some("latest"), _) | (None, Some("latest")) => StartOffset::Latest,
                (Some(offset), None | Some("none")) => StartOffset::At(offset.parse().unwrap_or_else(|_| usage("not an offset"))),
                _ => lazy.options.refuse("offset-reset", "an offset out of range is always an error; without an offset, earliest or latest must be said", "client/consumer/enum.StartOffset.html"),
            };
            let partition = place.get(1).and_then(|p| p.parse().ok()).unwrap_or_else(|| usage("not a partition"));
            Part { topic: place[0].to_owned(), partition, start, client: None, stream: None, ended: false }
        });
        Reading { parts: parts.collect(), lazy: lazy.clone() }
    }

    async fn poll(&mut self, c: &Value) {
        let end = Instant::now() + Duration::from_millis(c["timeout-ms"].as_u64().unwrap_or(0));
        let max = c["max"].as_u64().unwrap_or(0) as usize;
        let mut records = Vec::new();
        while records.len() < max {
            match timeout_at(end, self.next()).await {
                Err(_) => break, // the time is over
                Ok((_, Err(why))) => {
                    fail("consumer_error", &c["id"], &why);
                    break;
                }
                Ok((i, Ok(found))) => {
                    let (part, text) = (&self.parts[i], |bytes: &Vec<u8>| BASE64.encode(bytes));
                    let headers: Vec<Value> = found.record.headers.iter().map(|(name, value)| json!([name, text(value)])).collect();
                    records.push(json!({"topic": part.topic, "partition": part.partition, "offset": found.offset, "headers": headers,
                        "key": found.record.key.as_ref().map(text), "value": found.record.value.as_ref().map(text), "timestamp": found.record.timestamp.timestamp_millis()}));
                }
            }
        }
        say("records_consumed", &c["id"], json!({"records": records}));
    }

    /// The next record of any partition, or the error that ends a partition's stream.
    async fn next(&mut self) -> (usize, Result<rskafka::record::RecordAndOffset, Error>) {
        for i in 0..self.parts.len() {
            if self.parts[i].stream.is_none() && !self.parts[i].ended {
                match self.client(i).await {
                    Ok(client) => {
                        let mut builder = StreamConsumerBuilder::new(client, self.parts[i].start);
                        if let Some(bytes) = self.lazy.options.number("fetch-max-bytes") {
                            builder = builder.with_max_batch_size(bytes as i32);
                        }
                        self.parts[i].stream = Some(builder.build());
                    }
                    Err(why) => return (i, Err(why)),
                }
            }
        }
        futures::future::poll_fn(|context| {
            for (i, part) in self.parts.iter_mut().enumerate().filter(|(_, part)| !part.ended) {
                match part.stream.as_mut().map(|stream| stream.poll_next_unpin(context)) {
                    Some(Poll::Ready(Some(found))) => return Poll::Ready((i, found.map(|(record, _)| record))),
                    Some(Poll::Ready(None)) => part.ended = true,
                    _ => {}
                }
            }
            Poll::Pending
        })
        .await
    }

    async fn client(&mut self, i: usize) -> Result<Arc<PartitionClient>, Error> {
        if self.parts[i].client.is_none() {
            self.parts[i].client = Some(self.lazy.partition(&self.parts[i].topic, self.parts[i].partition).await?);
        }
        Ok(self.parts[i].client.clone().expect("made above"))
    }

    async fn handle(&mut self, command: &str, c: &Value) {
        let id = &c["id"];
        let place = self.parts.iter().position(|part| c["topic"] == part.topic && c["partition"] == part.partition);
        match (command, place) {
            ("poll", _) => self.poll(c).await,
            ("seek", Some(i)) => self.seek(i, c["offset"].as_i64().unwrap_or(0), id),
            ("seek-to-time", Some(i)) => {
                let asked = async {
                    let client = self.client(i).await?;
                    let time = DateTime::from_timestamp_millis(c["timestamp"].as_i64().unwrap_or(0)).unwrap_or_default();
                    match client.get_offset(OffsetAt::Timestamp(time)).await? {
                        offset if offset >= 0 => Ok(offset),
                        _ => client.get_offset(OffsetAt::Latest).await, // no record is as young
                    }
                };
                match asked.await {
                    Ok(offset) => self.seek(i, offset, id),
                    Err(why) => fail("failed", id, &why),
                }
            }
            ("seek" | "seek-to-time", None) => say("failed", id, json!({"class": "invalid", "error": "NotAssigned", "message": "there is no stream of this partition"})),
            _ => unsupported(id, &format!("a consumer has no {command}"), "client/consumer/struct.StreamConsumer.html"),
        }
    }

    /// A stream cannot be moved: a new one begins at the offset.
    fn seek(&mut self, i: usize, offset: i64, id: &Value) {
        let part = &mut self.parts[i];
        (part.start, part.stream, part.ended) = (StartOffset::At(offset), None, false);
        say("done", id, json!({}));
    }
}

enum Session {
    Producer(Sending),
    Consumer(Reading),
}

async fn run(role: &str, args: &[String]) {
    let options = Options::read(role, args);
    let lazy = Rc::new(Lazy { options, client: OnceCell::new() });
    let mut session = match role {
        "producer" => Session::Producer(Sending { lazy, lanes: HashMap::new(), producers: Rc::default(), open: Rc::default(), settled: Rc::default() }),
        _ => Session::Consumer(Reading::new(lazy)),
    };
    say("startup_complete", &Value::Null, json!({}));
    let mut lines = tokio::io::BufReader::new(tokio::io::stdin()).lines();
    let mut closing = Value::Null;
    while let Ok(Some(line)) = lines.next_line().await {
        let c: Value = serde_json::from_str(&line).expect("a command is JSON");
        match (c["command"].as_str().unwrap_or_default(), &mut session) {
            ("close", _) => {
                closing = c["id"].clone();
                break;
            }
            (command, Session::Producer(sending)) => sending.handle(command, &c).await,
            (command, Session::Consumer(reading)) => reading.handle(command, &c).await,
        }
    }
    if let Session::Producer(sending) = &session {
        sending.close().await;
    }
    say("shutdown_complete", &closing, json!({}));
    std::process::exit(0) // rskafka's own tasks may still retry
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.first().map(String::as_str) {
        Some("info") => {
            // rskafka does not tell its version: Cargo's lock file says which one was built in
            let lock = include_str!("../Cargo.lock");
            let version = lock.split("name = \"rskafka\"\nversion = \"").nth(1).and_then(|rest| rest.split('"').next());
            say("info", &Value::Null, json!({"client": "rskafka", "version": version, "engine": null,
                "language": format!("Rust {}", env!("RUSTC_VERSION")), "roles": ["producer", "consumer"]}));
        }
        Some(role @ ("producer" | "consumer")) => {
            // one thread, so that what is sent first is first handed to rskafka
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            tokio::task::LocalSet::new().block_on(&runtime, run(role, &args[1..]));
        }
        _ => usage("the role is info, producer or consumer"),
    }
}
