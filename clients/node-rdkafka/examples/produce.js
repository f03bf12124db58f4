const { promisify } = require('node:util')
const { HighLevelProducer } = require('node-rdkafka')

async function main (bootstrapServers, topic) {
  const producer = new HighLevelProducer({
    'bootstrap.servers': bootstrapServers,
    acks: 'all'
  })
  const connect = promisify(producer.connect).bind(producer)
  const produce = promisify(producer.produce).bind(producer)
  const disconnect = promisify(producer.disconnect).bind(producer)
  await connect({})

  const deliveries = []
  for (let n = 0; n < 10; n++) {
    const value = Buffer.from(`order-${n}`)
    deliveries.push(produce(topic, null, value, `customer-${n % 3}`, Date.now()))
  }
  await Promise.all(deliveries)

  await disconnect()
  console.log('stored 10 records')
}

main(...process.argv.slice(2)).catch(error => {
  console.error(error)
  process.exit(1)
})
