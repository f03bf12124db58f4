import {
  Consumer,
  MessagesStreamFallbackModes,
  MessagesStreamModes,
  stringDeserializers
} from '@platformatic/kafka'

const [bootstrapServers, topic] = process.argv.slice(2)

const consumer = new Consumer({
  clientId: 'consume',
  groupId: 'billing',
  bootstrapBrokers: bootstrapServers.split(','),
  deserializers: stringDeserializers
})
const stream = await consumer.consume({
  topics: [topic],
  mode: MessagesStreamModes.COMMITTED,
  fallbackMode: MessagesStreamFallbackModes.EARLIEST,
  autocommit: false
})

const last = new Map() // for each partition, the last message handled
let handled = 0

for await (const message of stream) {
  console.log(`${message.offset} ${message.key} ${message.value}`)
  last.set(message.partition, message)
  if (++handled === 10) {
    for (const message of last.values()) await message.commit()
    break
  }
}

await consumer.close() // leaves the group
