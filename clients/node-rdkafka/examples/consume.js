const { promisify } = require('node:util')
const { KafkaConsumer } = require('node-rdkafka')

async function main (bootstrapServers, topic) {
  const consumer = new KafkaConsumer(
    {
      'bootstrap.servers': bootstrapServers,
      'group.id': 'billing',
      'enable.auto.commit': false
    },
    { 'auto.offset.reset': 'earliest' }
  )
  const connect = promisify(consumer.connect).bind(consumer)
  const consume = promisify(consumer.consume).bind(consumer)
  const disconnect = promisify(consumer.disconnect).bind(consumer)
  await connect({})
  consumer.subscribe([topic])

  let handled = 0
  while (handled < 10) {
    for (const { offset, key, value } of await consume(10 - handled)) {
      console.log(`${offset} ${key} ${value}`)
      handled++
    }
  }

  consumer.commitSync() // the position after the last record, in every partition
  await disconnect() // leaves the group
}

main(...process.argv.slice(2)).catch(error => {
  console.error(error)
  process.exit(1)
})
