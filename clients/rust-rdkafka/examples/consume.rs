use std::{env, error::Error};

use rdkafka::consumer::{CommitMode, Consumer, StreamConsumer};
use rdkafka::{ClientConfig, Message};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = env::args().collect();
    let [_, brokers, topic] = args.as_slice() else {
        return Err("usage: consume BROKERS TOPIC".into());
    };

    let consumer: StreamConsumer = ClientConfig::new()
        .set("bootstrap.servers", brokers)
        .set("group.id", "billing")
        .set("auto.offset.reset", "earliest")
        .set("enable.auto.commit", "false")
        .create()?;
    consumer.subscribe(&[topic])?;

    for _ in 0..10 {
        let message = consumer.recv().await?;
        let key = message.key_view::<str>().unwrap_or(Ok(""))?;
        let value = message.payload_view::<str>().unwrap_or(Ok(""))?;
        println!("{} {key} {value}", message.offset());
    }

    // Commits the position after the last record received, for every partition.
    consumer.commit_consumer_state(CommitMode::Sync)?;
    Ok(()) // dropping the consumer leaves the group
}
