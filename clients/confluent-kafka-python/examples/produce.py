import sys

from confluent_kafka import Producer

bootstrap_servers, topic = sys.argv[1:]
errors = []


def on_delivery(error, message):
    if error is not None:
        errors.append(error)


with Producer({"bootstrap.servers": bootstrap_servers, "acks": "all"}) as producer:
    for n in range(10):
        producer.produce(
            topic,
            key=f"customer-{n % 3}",
            value=f"order-{n}",
            on_delivery=on_delivery,
        )
    # Returns when every record has been acknowledged or has failed.
    producer.flush()

if errors:
    sys.exit(f"{len(errors)} records were not stored: {errors[0]}")
print("stored 10 records")
