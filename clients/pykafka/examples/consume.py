import sys

from pykafka import KafkaClient

bootstrap_servers, topic = sys.argv[1:]

client = KafkaClient(hosts=bootstrap_servers, broker_version="1.0.0")
# A managed consumer joins the group at the broker, not in ZooKeeper.
consumer = client.topics[topic].get_balanced_consumer("billing", managed=True)
try:
    for _ in range(10):
        message = consumer.consume()
        key, value = message.partition_key.decode(), message.value.decode()
        print(message.offset, key, value)
    consumer.commit_offsets()
finally:
    consumer.stop()  # leaves the group
