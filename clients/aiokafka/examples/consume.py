import asyncio
import sys

from aiokafka import AIOKafkaConsumer


async def main(bootstrap_servers, topic):
    async with AIOKafkaConsumer(
        topic,
        bootstrap_servers=bootstrap_servers,
        group_id="billing",
        auto_offset_reset="earliest",
        enable_auto_commit=False,
    ) as consumer:
        for _ in range(10):
            message = await consumer.getone()
            print(message.offset, message.key.decode(), message.value.decode())
        await consumer.commit()


asyncio.run(main(*sys.argv[1:]))
