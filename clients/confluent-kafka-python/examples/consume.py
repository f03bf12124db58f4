import sys

from confluent_kafka import Consumer, KafkaException

bootstrap_servers, topic = sys.argv[1:]
config = {
    "bootstrap.servers": bootstrap_servers,
    "group.id": "billing",
    "auto.offset.reset": "earliest",
    "enable.auto.commit": False,
}

with Consumer(config) as consumer:
    consumer.subscribe([topic])
    for _ in range(10):
        message = consumer.poll()
        if message.error():
            raise KafkaException(message.error())
        key, value = message.key().decode(), message.value().decode()
        print(message.offset(), key, value)
    consumer.commit(asynchronous=False)
