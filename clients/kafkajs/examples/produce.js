import { Kafka, logLevel, Partitioners } from 'kafkajs'

const [bootstrapServers, topic] = process.argv.slice(2)

const kafka = new Kafka({
  brokers: bootstrapServers.split(','),
  logLevel: logLevel.WARN // what is below WARN goes to stdout
})
const producer = kafka.producer({
  createPartitioner: Partitioners.DefaultPartitioner
})
await producer.connect()

const messages = []
for (let n = 0; n < 10; n++) {
  messages.push({ key: `customer-${n % 3}`, value: `order-${n}` })
}
await producer.send({ topic, acks: -1, messages }) // -1: all in-sync replicas

await producer.disconnect()
console.log('stored 10 records')
