const { ConsumerGroup } = require('kafka-node')

const [bootstrapServers, topic] = process.argv.slice(2)

const consumer = new ConsumerGroup(
  {
    kafkaHost: bootstrapServers,
    groupId: 'billing',
    fromOffset: 'earliest',
    autoCommit: false
  },
  topic
)
const positions = new Map() // for each partition, the offset to commit
let handled = 0

consumer.on('error', fail)
consumer.on('message', ({ partition, offset, key, value }) => {
  // Fetched messages go on arriving until the consumer is closed.
  if (handled === 10) return
  console.log(`${offset} ${key} ${value}`)
  positions.set(partition, { topic, partition, offset: offset + 1, metadata: '' })
  if (++handled < 10) return

  consumer.sendOffsetCommitRequest([...positions.values()], error => {
    if (error) return fail(error)
    consumer.close(error => { // leaves the group
      if (error) fail(error)
    })
  })
})

function fail (error) {
  console.error(error)
  process.exit(1)
}
