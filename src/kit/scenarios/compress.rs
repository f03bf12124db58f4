//! The codec that is asked for is the one in the log.

use super::{Scenario, message, topic};
use crate::kit::history::{Halt, History};
use crate::kit::judge::{self, Judged, Verdict, count, ensure};
use crate::kit::protocol::{Blob, Options, Role};
use crate::kit::stage::{PATIENCE, Stage};
use crate::kit::wire::batches::Codec;

/// One for each codec.
pub const SCENARIOS: [&Scenario; 5] = [&NONE, &GZIP, &SNAPPY, &LZ4, &ZSTD];

macro_rules! compress {
    ($name:ident, $codec:ident, $id:literal, $feature:literal, $expected:literal) => {
        const $name: Scenario = Scenario {
            id: $id,
            feature: $feature,
            group: "compress",
            nodes: 1,
            expected: $expected,
            drive: |stage| Box::pin(drive(stage, Codec::$codec)),
            judge: |history| judge(history, Codec::$codec),
        };
    };
}

compress!(NONE, None, "compress-none", "producer", "without compression, every batch is sent and stored as it is");
compress!(
    GZIP,
    Gzip,
    "compress-gzip",
    "gzip",
    "every batch is sent and stored with gzip, smaller than its records, and holds the records that were sent"
);
compress!(
    SNAPPY,
    Snappy,
    "compress-snappy",
    "snappy",
    "every batch is sent and stored with Snappy, smaller than its records, and holds the records that were sent"
);
compress!(
    LZ4,
    Lz4,
    "compress-lz4",
    "lz4",
    "every batch is sent and stored with LZ4, smaller than its records, and holds the records that were sent"
);
compress!(
    ZSTD,
    Zstd,
    "compress-zstd",
    "zstd",
    "every batch is sent and stored with Zstandard, smaller than its records, and holds the records that were sent"
);

const RECORDS: usize = 100;

async fn drive(stage: &mut Stage<'_>, codec: Codec) -> Result<(), Halt> {
    let topic = stage.topic(1, &[]).await?;
    stage.step("send 100 records that can be packed well");
    let options = Options::new().with("--acks", "all").with("--compression", codec.word());
    let mut producer = stage.driver("producer", Role::Producer, options).await?;
    let mut messages = Vec::new();
    for n in 0..RECORDS {
        let mut message = message(&topic, Some(0));
        let word = stage.seed().letters(6);
        message.value = Some(Blob(format!("record {n} {}", word.repeat(150)).into_bytes()));
        messages.push(message);
    }
    producer.send_messages(messages, PATIENCE).await?;
    producer.close(PATIENCE).await?;
    stage.read_log(&topic).await
}

fn judge(history: &History, wanted: Codec) -> Judged {
    let sends = judge::sends(history, "producer");
    judge::all_acknowledged(&sends)?;
    judge::stored_as_acknowledged(history, topic(history), &sends)?;
    let requests = judge::produce_requests(history, topic(history));
    let sent_heads = requests.iter().flat_map(|request| &request.parts).flat_map(|part| &part.batches);
    let mut sent = 0;
    for head in sent_heads {
        sent += 1;
        ensure(head.codec == wanted, || {
            format!("a batch was sent with {}, though {} was set", head.codec.word(), wanted.word())
        })?;
    }
    ensure(sent > 0, || "no batch for the topic went by".to_owned())?;
    let log = history.log(topic(history));
    let batches: Vec<_> = log.values().copied().flatten().collect();
    ensure(!batches.is_empty(), || "the log holds no batch".to_owned())?;
    let (mut stored, mut plain) = (0, 0);
    for batch in &batches {
        let head = &batch.head;
        ensure(head.codec == wanted, || {
            format!(
                "the batch at offset {} is stored with {}, though {} was set",
                head.base_offset,
                head.codec.word(),
                wanted.word()
            )
        })?;
        stored += head.bytes;
        plain += batch.records.iter().filter_map(|record| record.value.as_ref()).map(|value| value.0.len()).sum::<usize>();
    }
    ensure(wanted == Codec::None || stored < plain, || {
        format!("the batches are marked {}, but take {stored} bytes for {plain} bytes of values", wanted.word())
    })?;
    Ok(Verdict::pass(format!(
        "{} stored with {}: {plain} bytes of values in {stored} bytes",
        count(batches.len(), "batch"),
        wanted.word()
    ))
    .wire(format!("{sent} sent with {}", wanted.word()))
    .log(format!("{} stored with {}", batches.len(), wanted.word())))
}
