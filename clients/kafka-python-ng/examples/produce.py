import sys

from kafka import KafkaProducer

bootstrap_servers, topic = sys.argv[1:]

producer = KafkaProducer(bootstrap_servers=bootstrap_servers, acks="all")
try:
    futures = []
    for n in range(10):
        key, value = f"customer-{n % 3}".encode(), f"order-{n}".encode()
        futures.append(producer.send(topic, key=key, value=value))
    producer.flush()
    for future in futures:
        future.get()  # raises if the record could not be stored
finally:
    producer.close()

print("stored 10 records")
