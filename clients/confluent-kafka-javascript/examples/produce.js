const { Kafka, logLevel } = require('@confluentinc/kafka-javascript').KafkaJS

async function main (bootstrapServers, topic) {
  const kafka = new Kafka({
    kafkaJS: {
      brokers: bootstrapServers.split(','),
      logLevel: logLevel.WARN // what is below WARN goes to stdout
    }
  })
  const producer = kafka.producer({ kafkaJS: { acks: -1 } }) // all in-sync replicas
  await producer.connect()

  const messages = []
  for (let n = 0; n < 10; n++) {
    messages.push({ key: `customer-${n % 3}`, value: `order-${n}` })
  }
  await producer.send({ topic, messages })

  await producer.disconnect()
  console.log('stored 10 records')
}

main(...process.argv.slice(2)).catch(error => {
  console.error(error)
  process.exit(1)
})
