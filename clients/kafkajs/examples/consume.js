import { Kafka, logLevel } from 'kafkajs'

const [bootstrapServers, topic] = process.argv.slice(2)

const kafka = new Kafka({
  brokers: bootstrapServers.split(','),
  logLevel: logLevel.WARN // what is below WARN goes to stdout
})
const consumer = kafka.consumer({ groupId: 'billing' })
await consumer.connect()
await consumer.subscribe({ topics: [topic], fromBeginning: true })

const positions = new Map() // for each partition, the offset to commit
let handled = 0

await new Promise((resolve, reject) => {
  consumer.on(consumer.events.CRASH, ({ payload }) => {
    if (!payload.restart) reject(payload.error)
  })
  consumer.run({
    autoCommit: false,
    eachMessage: async ({ partition, message }) => {
      // The consumer may not be stopped from in here, so let the rest pass by.
      if (handled === 10) return
      console.log(`${message.offset} ${message.key} ${message.value}`)
      const offset = String(BigInt(message.offset) + 1n)
      positions.set(partition, { topic, partition, offset })
      if (++handled === 10) resolve()
    }
  }).catch(reject)
})

await consumer.commitOffsets([...positions.values()])
await consumer.disconnect()
