use std::{collections::BTreeMap, env, error::Error};

use chrono::Utc;
use rskafka::client::ClientBuilder;
use rskafka::client::partition::{Compression, UnknownTopicHandling};
use rskafka::record::Record;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = env::args().collect();
    let [_, brokers, topic] = args.as_slice() else {
        return Err("usage: produce BROKERS TOPIC".into());
    };

    let brokers = brokers.split(',').map(String::from).collect();
    let client = ClientBuilder::new(brokers).build().await?;
    // There is no partitioner: the caller chooses the partition of each record.
    let partition = client
        .partition_client(topic, 0, UnknownTopicHandling::Error)
        .await?;

    let records = (0..10)
        .map(|n| Record {
            key: Some(format!("customer-{}", n % 3).into_bytes()),
            value: Some(format!("order-{n}").into_bytes()),
            headers: BTreeMap::new(),
            timestamp: Utc::now(),
        })
        .collect();
    // Always waits for all in-sync replicas: there is no setting for acks.
    partition
        .produce(records, Compression::NoCompression)
        .await?;

    println!("stored 10 records");
    Ok(())
}
