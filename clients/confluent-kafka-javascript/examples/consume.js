const { Kafka, logLevel } = require('@confluentinc/kafka-javascript').KafkaJS

async function main (bootstrapServers, topic) {
  const kafka = new Kafka({
    kafkaJS: {
      brokers: bootstrapServers.split(','),
      logLevel: logLevel.WARN // what is below WARN goes to stdout
    }
  })
  const consumer = kafka.consumer({
    kafkaJS: { groupId: 'billing', fromBeginning: true, autoCommit: false }
  })
  await consumer.connect()
  await consumer.subscribe({ topics: [topic] })

  const positions = new Map() // for each partition, the offset to commit
  let handled = 0

  await new Promise((resolve, reject) => {
    consumer.run({
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
}

main(...process.argv.slice(2)).catch(error => {
  console.error(error)
  process.exit(1)
})
