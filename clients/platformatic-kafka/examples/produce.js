import { ProduceAcks, Producer, stringSerializers } from '@platformatic/kafka'

const [bootstrapServers, topic] = process.argv.slice(2)

const producer = new Producer({
  clientId: 'produce',
  bootstrapBrokers: bootstrapServers.split(','),
  serializers: stringSerializers
})

const messages = []
for (let n = 0; n < 10; n++) {
  messages.push({ topic, key: `customer-${n % 3}`, value: `order-${n}` })
}
await producer.send({ messages, acks: ProduceAcks.ALL })

await producer.close()
console.log('stored 10 records')
