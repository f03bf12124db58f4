use std::{env, error::Error};

use rdkafka::ClientConfig;
use rdkafka::producer::{FutureProducer, FutureRecord};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = env::args().collect();
    let [_, brokers, topic] = args.as_slice() else {
        return Err("usage: produce BROKERS TOPIC".into());
    };

    let producer: FutureProducer = ClientConfig::new()
        .set("bootstrap.servers", brokers)
        .set("acks", "all")
        .create()?;

    // Queue all ten before awaiting any, so that they travel in one batch.
    let mut deliveries = Vec::new();
    for n in 0..10 {
        let key = format!("customer-{}", n % 3);
        let value = format!("order-{n}");
        let record = FutureRecord::to(topic).key(&key).payload(&value);
        deliveries.push(producer.send_result(record).map_err(|(error, _)| error)?);
    }
    for delivery in deliveries {
        delivery.await?.map_err(|(error, _)| error)?;
    }

    println!("stored 10 records");
    Ok(())
}
