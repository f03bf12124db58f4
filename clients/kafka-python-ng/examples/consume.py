import sys
from itertools import islice

from kafka import KafkaConsumer

bootstrap_servers, topic = sys.argv[1:]

consumer = KafkaConsumer(
    topic,
    bootstrap_servers=bootstrap_servers,
    group_id="billing",
    auto_offset_reset="earliest",
    enable_auto_commit=False,
)
try:
    for message in islice(consumer, 10):
        print(message.offset, message.key.decode(), message.value.decode())
    consumer.commit()
finally:
    consumer.close()
