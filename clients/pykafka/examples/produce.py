import sys

from pykafka import KafkaClient
from pykafka.partitioners import hashing_partitioner

bootstrap_servers, topic = sys.argv[1:]

client = KafkaClient(hosts=bootstrap_servers, broker_version="1.0.0")
with client.topics[topic].get_producer(
    required_acks=-1,  # all in-sync replicas
    partitioner=hashing_partitioner,
    delivery_reports=True,
    linger_ms=5,
) as producer:
    for n in range(10):
        key, value = f"customer-{n % 3}".encode(), f"order-{n}".encode()
        producer.produce(value, partition_key=key)
    for _ in range(10):
        message, error = producer.get_delivery_report()
        if error is not None:
            raise error

print("stored 10 records")
