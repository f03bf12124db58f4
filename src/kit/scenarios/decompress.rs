//! What another client has written in a codec can be read.

use super::{Scenario, topic, written};
use crate::kit::history::{Halt, History};
use crate::kit::judge::{self, Judged, Verdict, count, ensure};
use crate::kit::protocol::{Blob, Options, Role};
use crate::kit::stage::{PATIENCE, Stage};
use crate::kit::wire::batches::Codec;
use std::collections::BTreeMap;

/// One for each codec.
pub const SCENARIOS: [&Scenario; 4] = [&GZIP, &SNAPPY, &LZ4, &ZSTD];

macro_rules! decompress {
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

decompress!(
    GZIP,
    Gzip,
    "decompress-gzip",
    "gzip",
    "records that another client packed with gzip are delivered, each once, as they are"
);
decompress!(
    SNAPPY,
    Snappy,
    "decompress-snappy",
    "snappy",
    "records that another client packed with Snappy are delivered, each once, as they are"
);
decompress!(
    LZ4,
    Lz4,
    "decompress-lz4",
    "lz4",
    "records that another client packed with LZ4 are delivered, each once, as they are"
);
decompress!(
    ZSTD,
    Zstd,
    "decompress-zstd",
    "zstd",
    "records that another client packed with Zstandard are delivered, each once, as they are"
);

const RECORDS: usize = 150;

async fn drive(stage: &mut Stage<'_>, codec: Codec) -> Result<(), Halt> {
    let topic = stage.topic(1, &[]).await?;
    stage.step("write three batches with the kit's own client");
    for batch in 0..3 {
        let word = stage.seed().letters(8);
        let value = |n: usize| Some(Blob(format!("record {batch}.{n} {}", word.repeat(100)).into_bytes()));
        stage.write(&topic, 0, codec, &written(RECORDS / 3, value)).await?;
    }
    stage.step("read them");
    let options = Options::new().with("--assign", format!("{}:0:earliest", topic.name));
    let mut consumer = stage.driver("consumer", Role::Consumer, options).await?;
    consumer.collect(RECORDS, PATIENCE).await?;
    consumer.linger(2).await?;
    consumer.close(PATIENCE).await?;
    stage.read_own_log(&topic, RECORDS).await
}

fn judge(history: &History, codec: Codec) -> Judged {
    let batches = history.log(topic(history)).values().map(|batches| batches.len()).sum::<usize>();
    let packed = history.log(topic(history)).values().copied().flatten().all(|batch| batch.head.codec == codec);
    ensure(packed, || format!("the log does not hold {} (this is the kit's trouble)", codec.word()))?;
    let got = judge::delivered_once(history, topic(history), &judge::delivered(history, "consumer"), &BTreeMap::new())?;
    Ok(Verdict::pass(format!("{} delivered once, as stored", count(got, "record")))
        .log(format!("{batches} batches with {}", codec.word())))
}
