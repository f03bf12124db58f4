import asyncio
import sys

from aiokafka import AIOKafkaProducer


async def main(bootstrap_servers, topic):
    async with AIOKafkaProducer(
        bootstrap_servers=bootstrap_servers, acks="all"
    ) as producer:
        # send() returns once the record is queued, with a future of its delivery.
        deliveries = []
        for n in range(10):
            key, value = f"customer-{n % 3}".encode(), f"order-{n}".encode()
            deliveries.append(await producer.send(topic, key=key, value=value))
        await asyncio.gather(*deliveries)

    print("stored 10 records")


asyncio.run(main(*sys.argv[1:]))
