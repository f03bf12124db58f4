// Relays the kit's commands to KafkaJS, and what KafkaJS says back.
'use strict'
process.env.KAFKAJS_NO_PARTITIONER_WARNING = '1'
const fs = require('fs')
const readline = require('readline')
const { Kafka, CompressionTypes, logLevel, Partitioners } = require('kafkajs')

const docs = 'https://kafka.js.org/docs/'
const number = text => { if (isNaN(text)) usage(`not a number: ${text}`); return Number(text) }
const yes = text => text === 'true'
const cannot = (reason, link) => () => ({ unsupported: { reason, link } })

// What each neutral option becomes: [where it goes, the client's name, its value], or why the client cannot honour it.
const COMMON = {
  'bootstrap-server': v => ['client', 'brokers', v.split(',')],
  'client-id': v => ['client', 'clientId', v],
  'request-timeout-ms': v => ['client', 'requestTimeout', number(v)],
  'metadata-max-age-ms': v => ['role', 'metadataMaxAge', number(v)],
}
const ASIDE = ['security', 'tls-ca', 'tls-cert', 'tls-key', 'sasl-mechanism', 'username', 'password', 'topic']
const codec = 'the client alone has only gzip; this codec needs a plug-in'
const PRODUCER = {
  acks: v => ['send', 'acks', v === 'all' ? -1 : number(v)],
  compression: v => v === 'none' || v === 'gzip' ? ['send', 'compression', v === 'gzip' ? CompressionTypes.GZIP : CompressionTypes.None]
    : { unsupported: { reason: codec, link: docs + 'producing#compression' } },
  idempotent: v => ['role', 'idempotent', yes(v)],
  'transactional-id': v => ['role', 'transactionalId', v],
  'max-in-flight': v => ['role', 'maxInFlightRequests', number(v)],
  retries: v => ['role', 'retry', { retries: number(v) }],
  'linger-ms': cannot('each call of send() is one request at once', docs + 'producing#producing-messages'),
  'batch-bytes': cannot('each call of send() is one request; the application makes the batches', docs + 'producing#producing-messages'),
  'delivery-timeout-ms': cannot('a send ends after its retries; there is no time for it as a whole', docs + 'configuration#retry'),
  'max-request-bytes': cannot('the client does not limit the size of a request', docs + 'producing#options'),
}
const CONSUMER = {
  'group-id': v => ['role', 'groupId', v],
  'auto-commit': v => ['run', 'autoCommit', yes(v)],
  'auto-commit-interval-ms': v => ['run', 'autoCommitInterval', number(v)],
  'session-timeout-ms': v => ['role', 'sessionTimeout', number(v)],
  'heartbeat-interval-ms': v => ['role', 'heartbeatInterval', number(v)],
  'fetch-max-bytes': v => ['role', 'maxBytes', number(v)],
  isolation: v => ['role', 'readUncommitted', v === 'read_uncommitted'],
  'offset-reset': v => v === 'none' ? { unsupported: { reason: 'fromBeginning is true or false', link: docs + 'consuming#from-beginning' } } : ['topic', 'fromBeginning', v === 'earliest'],
  'group-protocol': v => v === 'classic' ? ['topic', 'topic', undefined] : { unsupported: { reason: 'only the classic protocol', link: docs + 'consuming' } },
  assignor: v => v === 'roundrobin' ? ['topic', 'topic', undefined] : { unsupported: { reason: 'the client brings only its round-robin assigner', link: docs + 'consumer-configuration#custom-partition-assigner' } },
  assign: cannot('a consumer is always a member of a group', 'https://github.com/tulios/kafkajs/issues/373'),
  'group-instance-id': cannot('no static membership', 'https://github.com/tulios/kafkajs/issues/884'),
  'max-poll-interval-ms': cannot('the client does not watch how long a handler takes', docs + 'consuming#options'),
}

const say = (event, fields = {}) => new Promise(done => process.stdout.write(JSON.stringify({ event, ...fields }) + '\n', done))
const encode = bytes => bytes === null || bytes === undefined ? null : Buffer.from(bytes).toString('base64')
const decode = text => text === null ? null : Buffer.from(text, 'base64')
const usage = why => { console.error(why); process.exit(2) }

// The client's own type of error, or that of its cause: after its last retry KafkaJS wraps it.
function failure(why) {
  const origin = ['KafkaJSNumberOfRetriesExceeded', 'KafkaJSNonRetriableError'].includes(why.name) && why.cause ? why.cause : why
  const code = Number.isInteger(origin.code) ? origin.code : null
  let kind = 'unknown'
  if (origin.name === 'KafkaJSSASLAuthenticationError' || [33, 34, 58].includes(code)) kind = 'auth'
  else if ([29, 30, 31, 53].includes(code)) kind = 'authorization'
  else if (['KafkaJSRequestTimeoutError', 'KafkaJSTimeout', 'KafkaJSLockTimeout'].includes(origin.name) || [7, 20].includes(code)) kind = 'indeterminate'
  else if ([45, 47, 82, 90].includes(code)) kind = 'fatal'
  else if (code === 120) kind = 'abortable'
  else if (origin.retriable) kind = 'retriable'
  else if (code > 0 || String(origin.name).startsWith('KafkaJS')) kind = 'invalid'
  return { class: kind, code, error: origin.type || origin.name, message: why.message }
}

class Sending {
  constructor(kafka, { role, send }) {
    this.options = send
    this.placed = new Map()
    if (send.acks === 0) { // no answer tells the partition: the client's own partitioner is listened to
      role.createPartitioner = () => {
        const partitioner = Partitioners.DefaultPartitioner()
        return args => { const partition = partitioner(args); this.placed.set(args.message, partition); return partition }
      }
    }
    this.producer = kafka.producer(role)
    this.pending = new Set()
    this.ready = this.producer.connect()
    this.ready.catch(() => {}) // each command that waits for it says so
  }

  async send(c) {
    const headers = {}
    for (const [name, value] of c.headers || []) {
      if (value === null) return say('unsupported', { id: c.id, reason: 'a header has a value', link: docs + 'producing#message-headers' })
      headers[name] = name in headers ? [].concat(headers[name], decode(value)) : decode(value)
    }
    const message = { key: decode(c.key), value: decode(c.value), headers }
    if (c.partition !== null) message.partition = c.partition
    if (c.timestamp !== null) message.timestamp = String(c.timestamp)
    try {
      await this.ready
      const [at] = await (this.transaction || this.producer).send({ topic: c.topic, messages: [message], ...this.options })
      const partition = at ? at.partition : this.placed.get(message) ?? c.partition // no word on a record: still, the client calls it sent
      await say('producer_send_success', { id: c.id, topic: c.topic, partition, offset: at && at.baseOffset >= 0 ? Number(at.baseOffset) : null })
    } catch (why) {
      await say('producer_send_error', { id: c.id, ...failure(why) })
    }
    this.placed.delete(message)
  }

  async handle(c) {
    switch (c.command) {
      case 'send': { // not waited for: the next command is read at once
        const sent = this.send(c).finally(() => this.pending.delete(sent))
        this.pending.add(sent)
        return
      }
      case 'flush': { // KafkaJS keeps nothing back: an application waits for its promises
        let timer
        const late = new Promise(done => { timer = setTimeout(() => done('late'), c['timeout-ms']) })
        const first = await Promise.race([Promise.all(this.pending), late])
        clearTimeout(timer)
        return first === 'late' ? say('failed', { id: c.id, class: 'indeterminate', error: 'Timeout', message: `${this.pending.size} sends are still open` }) : say('done', { id: c.id })
      }
      case 'init-transactions': // transaction() does it
        await this.ready
        break
      case 'begin':
        await this.ready
        this.transaction = await this.producer.transaction()
        break
      case 'commit':
      case 'abort':
        if (!this.transaction) return say('failed', { id: c.id, class: 'invalid', error: 'Error', message: 'no transaction has begun' })
        await Promise.all(this.pending)
        await this.transaction[c.command]()
        this.transaction = undefined
        break
      default:
        return say('unsupported', { id: c.id, reason: `a producer has no ${c.command}` })
    }
    return say('done', { id: c.id })
  }

  async close() {
    await Promise.all(this.pending)
    await this.ready.then(() => this.producer.disconnect(), () => {})
  }
}

class Reading {
  constructor(kafka, { role, topic, run }, topics) {
    this.kafka = kafka
    this.groupId = role.groupId
    this.consumer = kafka.consumer(role)
    this.offered = null // the record that waits for a poll
    this.waiting = () => {} // wakes a poll
    this.next = new Map() // what was handed over, by partition: the next offset
    this.owned = []
    const { GROUP_JOIN, REBALANCING, CRASH } = this.consumer.events
    this.consumer.on(GROUP_JOIN, ({ payload }) => {
      this.owned = Object.entries(payload.memberAssignment).flatMap(([name, ps]) => ps.map(p => [name, p]))
      say('partitions_assigned', { partitions: this.owned })
    })
    this.consumer.on(REBALANCING, () => { say('partitions_revoked', { partitions: this.owned }); this.next.clear(); this.owned = [] })
    this.consumer.on(CRASH, ({ payload }) => say('consumer_error', failure(payload.error)))
    this.ready = this.start(topics, topic, run)
    this.ready.catch(why => say('consumer_error', failure(why)))
  }

  async start(topics, topic, run) {
    await this.consumer.connect()
    await this.consumer.subscribe({ ...topic, topics })
    await this.consumer.run({ ...run, eachBatchAutoResolve: false, eachBatch: batch => this.batch(batch) })
  }

  // Hands over one record at a time, and holds the client back until a poll takes it. A record that nobody took is not resolved:
  // the client brings it again.
  async batch({ batch: { topic, partition, messages }, resolveOffset, heartbeat, commitOffsetsIfNecessary, isRunning, isStale }) {
    for (const m of messages) {
      const paused = this.consumer.paused().some(p => p.topic === topic && p.partitions.includes(partition))
      if (!isRunning() || isStale() || paused || !(await this.offer(topic, partition, m, heartbeat))) return
      resolveOffset(m.offset)
      await heartbeat()
      await commitOffsetsIfNecessary()
    }
  }

  async offer(topic, partition, m, heartbeat) {
    const headers = Object.entries(m.headers || {}).flatMap(([name, v]) => (Array.isArray(v) ? v : [v]).map(one => [name, encode(one)]))
    const record = { topic, partition, offset: Number(m.offset), key: encode(m.key), value: encode(m.value), headers, timestamp: Number(m.timestamp) }
    const taken = new Promise(settle => { this.offered = { record, settle } })
    this.waiting()
    for (;;) { // while the application is busy, the documentation asks it to call heartbeat()
      let timer
      const tick = new Promise(done => { timer = setTimeout(done, 1000, 'tick') })
      const first = await Promise.race([taken, tick])
      clearTimeout(timer)
      if (first !== 'tick') return first
      try { await heartbeat() } catch (why) { this.offered = null; throw why }
    }
  }

  take() {
    const { record, settle } = this.offered
    this.offered = null
    this.next.set(JSON.stringify([record.topic, record.partition]), record.offset + 1)
    settle(true)
    return record
  }

  withdraw(topic, partition) {
    if (!this.offered || (topic !== undefined && (this.offered.record.topic !== topic || this.offered.record.partition !== partition))) return
    const { settle } = this.offered
    this.offered = null
    settle(false)
  }

  async poll(c) {
    const records = []
    const end = Date.now() + c['timeout-ms']
    while (records.length < c.max) {
      if (this.offered) { records.push(this.take()); await new Promise(setImmediate); continue }
      const left = end - Date.now()
      if (left <= 0) break
      await new Promise(done => { const timer = setTimeout(done, left); this.waiting = () => { clearTimeout(timer); done() } })
    }
    return say('records_consumed', { id: c.id, records })
  }

  async handle(c) {
    const { id, topic, partition } = c
    if (c.command === 'poll') return this.poll(c)
    if (c.command === 'position') return say('unsupported', { id, reason: 'the client does not tell which offset it reads next', link: docs + 'consuming#options' })
    await this.ready
    switch (c.command) {
      case 'commit-offsets': {
        const offsets = c.offsets || [...this.next].map(([at, offset]) => ({ topic: JSON.parse(at)[0], partition: JSON.parse(at)[1], offset }))
        await this.consumer.commitOffsets(offsets.map(o => ({ ...o, offset: String(o.offset) })))
        return say('offsets_committed', { id, offsets })
      }
      case 'seek':
        this.consumer.seek({ topic, partition, offset: String(c.offset) })
        this.withdraw(topic, partition)
        break
      case 'seek-to-time': {
        const found = await this.admin(admin => admin.fetchTopicOffsetsByTimestamp(topic, c.timestamp))
        this.consumer.seek({ topic, partition, offset: found.find(p => p.partition === partition).offset })
        this.withdraw(topic, partition)
        break
      }
      case 'pause':
      case 'resume':
        this.consumer[c.command](c.partitions.map(([name, p]) => ({ topic: name, partitions: [p] })))
        if (c.command === 'pause') c.partitions.forEach(at => this.withdraw(...at))
        break
      case 'committed': {
        const [found] = await this.admin(admin => admin.fetchOffsets({ groupId: this.groupId, topics: [topic] }))
        const offset = Number(found.partitions.find(p => p.partition === partition).offset)
        return say('offset', { id, offset: offset < 0 ? null : offset })
      }
      default:
        return say('unsupported', { id, reason: `a consumer has no ${c.command}` })
    }
    return say('done', { id })
  }

  async admin(ask) {
    const admin = this.kafka.admin()
    await admin.connect()
    return ask(admin).finally(() => admin.disconnect())
  }

  async close() {
    const closed = this.ready.catch(() => {}).then(() => this.consumer.disconnect())
    const withdrawing = setInterval(() => this.withdraw(), 10) // a handler that waits would hold the client
    await closed.catch(why => console.error(why))
    clearInterval(withdrawing)
  }
}

function read(role, args) {
  const map = { ...COMMON, ...(role === 'producer' ? PRODUCER : CONSUMER) }
  const given = { topic: [] }
  const config = { client: { logLevel: logLevel.WARN, logCreator: () => ({ log }) => console.error(log.message) }, role: {}, send: {}, topic: {}, run: {} }
  for (let i = 0; i < args.length; i += 2) {
    const name = args[i].replace(/^--/, '')
    const value = args[i + 1]
    if ((!map[name] && !ASIDE.includes(name)) || value === undefined) usage(`unknown option, or no value: ${args[i]}`)
    if (ASIDE.includes(name)) { if (name === 'topic') given.topic.push(value); else given[name] = value; continue }
    const one = map[name](value)
    if (one.unsupported) return { unsupported: { option: args[i], ...one.unsupported } }
    config[one[0]][one[1]] = one[2]
  }
  const file = name => given[name] && fs.readFileSync(given[name])
  if (/tls$/.test(given.security)) config.client.ssl = { ca: file('tls-ca'), cert: file('tls-cert'), key: file('tls-key') }
  if (/^sasl/.test(given.security)) config.client.sasl = { mechanism: given['sasl-mechanism'].toLowerCase(), username: given.username, password: given.password }
  return { config, topics: given.topic }
}

async function main() {
  const [role, ...args] = process.argv.slice(2)
  if (role === 'info') return say('info', { client: 'kafkajs', version: require('kafkajs/package.json').version, engine: null, language: `Node.js ${process.versions.node}`, roles: ['producer', 'consumer'] })
  if (role !== 'producer' && role !== 'consumer') usage('the role is info, producer or consumer')
  const { config, topics, unsupported } = read(role, args)
  if (unsupported) { await say('unsupported', unsupported); process.exit(3) }
  const kafka = new Kafka(config.client)
  const session = role === 'producer' ? new Sending(kafka, config) : new Reading(kafka, config, topics)
  await say('startup_complete')
  let id = null
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const c = JSON.parse(line)
    if (c.command === 'close') { id = c.id; break }
    try { await session.handle(c) } catch (why) { await say('failed', { id: c.id, ...failure(why) }) }
  }
  await session.close()
  await say('shutdown_complete', { id })
  process.exit(0)
}

main().catch(why => { console.error(why); process.exit(1) })
