// rskafka has no consumer groups: this reads partition 0 from its start.
use std::{env, error::Error};

use rskafka::client::ClientBuilder;
use rskafka::client::partition::{OffsetAt, UnknownTopicHandling};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = env::args().collect();
    let [_, brokers, topic] = args.as_slice() else {
        return Err("usage: consume BROKERS TOPIC".into());
    };

    let brokers = brokers.split(',').map(String::from).collect();
    let client = ClientBuilder::new(brokers).build().await?;
    let partition = client
        .partition_client(topic, 0, UnknownTopicHandling::Error)
        .await?;

    let mut position = partition.get_offset(OffsetAt::Earliest).await?;
    let mut handled = 0;
    while handled < 10 {
        let (records, _) = partition
            .fetch_records(position, 1..1_000_000, 1_000)
            .await?;
        for entry in records.into_iter().take(10 - handled) {
            let key = String::from_utf8(entry.record.key.unwrap_or_default())?;
            let value = String::from_utf8(entry.record.value.unwrap_or_default())?;
            println!("{} {key} {value}", entry.offset);
            position = entry.offset + 1;
            handled += 1;
        }
    }
    Ok(())
}
