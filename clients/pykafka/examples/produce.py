import sys

from pykafka import KafkaClient
from pykafka.partitioners import hashing_partitioner

bootstrap_servers, topic = sys.argv[1:]

client = KafkaClient(hosts=bootstrap_servers, broker_version="1.0.0")
# required_acks=-1 waits for all in-sync replicas.
with client.topics[topic].get_sync_producer(
    required_acks=-1, partitioner=hashing_partitioner
) as producer:
    for n in range(10):
        key, value = f"customer-{n % 3}".encode(), f"order-{n}".encode()
        producer.produce(value, partition_key=key)

print("stored 10 records")
