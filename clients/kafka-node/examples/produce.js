const { HighLevelProducer, KafkaClient, KeyedMessage } = require('kafka-node')

const [bootstrapServers, topic] = process.argv.slice(2)

const client = new KafkaClient({ kafkaHost: bootstrapServers })
const producer = new HighLevelProducer(client, {
  requireAcks: -1, // all in-sync replicas
  partitionerType: 3 // by key
})

producer.on('error', fail)
producer.on('ready', () => {
  // The partitioner needs to know the topic's partitions.
  client.refreshMetadata([topic], error => {
    if (error) return fail(error)
    const payloads = []
    for (let n = 0; n < 10; n++) {
      const key = `customer-${n % 3}`
      payloads.push({ topic, key, messages: new KeyedMessage(key, `order-${n}`) })
    }
    producer.send(payloads, error => {
      if (error) return fail(error)
      producer.close(() => console.log('stored 10 records'))
    })
  })
})

function fail (error) {
  console.error(error)
  process.exit(1)
}
