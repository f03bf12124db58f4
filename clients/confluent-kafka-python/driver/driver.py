"""Relays the kit's commands to confluent-kafka-python, and what it says back."""

import argparse
import base64
import json
import platform
import sys
import threading
import uuid

import confluent_kafka
from confluent_kafka import OFFSET_BEGINNING, OFFSET_END, Consumer, KafkaError, KafkaException, Producer, TopicPartition

# The client's configuration for each neutral option.
COMMON = {"bootstrap_server": ["bootstrap.servers"], "client_id": ["client.id"], "request_timeout_ms": ["socket.timeout.ms"],
          "metadata_max_age_ms": ["topic.metadata.refresh.interval.ms", "metadata.max.age.ms"], "security": ["security.protocol"],
          "tls_ca": ["ssl.ca.location"], "tls_cert": ["ssl.certificate.location"], "tls_key": ["ssl.key.location"],
          "sasl_mechanism": ["sasl.mechanism"], "username": ["sasl.username"], "password": ["sasl.password"]}
PRODUCER = {"acks": ["acks"], "compression": ["compression.type"], "idempotent": ["enable.idempotence"],
            "transactional_id": ["transactional.id"], "linger_ms": ["linger.ms"], "batch_bytes": ["batch.size"],
            "delivery_timeout_ms": ["delivery.timeout.ms"], "max_in_flight": ["max.in.flight"],
            "max_request_bytes": ["message.max.bytes"], "retries": ["retries"]}
CONSUMER = {"topic": [], "assign": [], "group_id": ["group.id"], "group_instance_id": ["group.instance.id"],
            "group_protocol": ["group.protocol"], "offset_reset": ["auto.offset.reset"], "auto_commit": ["enable.auto.commit"],
            "auto_commit_interval_ms": ["auto.commit.interval.ms"], "isolation": ["isolation.level"],
            "session_timeout_ms": ["session.timeout.ms"], "heartbeat_interval_ms": ["heartbeat.interval.ms"],
            "max_poll_interval_ms": ["max.poll.interval.ms"], "fetch_max_bytes": ["fetch.max.bytes"],
            "assignor": ["partition.assignment.strategy"]}
WORDS = {"security": {"plaintext": "PLAINTEXT", "tls": "SSL", "sasl-plaintext": "SASL_PLAINTEXT", "sasl-tls": "SASL_SSL"},
         "offset_reset": {"none": "error"}}

AUTH = {KafkaError._AUTHENTICATION, KafkaError._SSL, KafkaError.UNSUPPORTED_SASL_MECHANISM, KafkaError.ILLEGAL_SASL_STATE,
        KafkaError.SASL_AUTHENTICATION_FAILED}
AUTHORIZATION = {KafkaError.TOPIC_AUTHORIZATION_FAILED, KafkaError.GROUP_AUTHORIZATION_FAILED,
                 KafkaError.CLUSTER_AUTHORIZATION_FAILED, KafkaError.TRANSACTIONAL_ID_AUTHORIZATION_FAILED}
INDETERMINATE = {KafkaError._MSG_TIMED_OUT, KafkaError._TIMED_OUT, KafkaError._TIMED_OUT_QUEUE, KafkaError._PURGE_INFLIGHT,
                 KafkaError.REQUEST_TIMED_OUT, KafkaError.NOT_ENOUGH_REPLICAS_AFTER_APPEND}
RETRIABLE = {KafkaError._TRANSPORT, KafkaError._ALL_BROKERS_DOWN, KafkaError._RESOLVE, KafkaError._WAIT_COORD,
             KafkaError._QUEUE_FULL, KafkaError._PURGE_QUEUE, KafkaError._IN_PROGRESS, KafkaError.INVALID_MSG,
             KafkaError.UNKNOWN_TOPIC_OR_PART, KafkaError.LEADER_NOT_AVAILABLE, KafkaError.NOT_LEADER_FOR_PARTITION,
             KafkaError.NETWORK_EXCEPTION, KafkaError.COORDINATOR_LOAD_IN_PROGRESS, KafkaError.COORDINATOR_NOT_AVAILABLE,
             KafkaError.NOT_COORDINATOR, KafkaError.NOT_ENOUGH_REPLICAS, KafkaError.KAFKA_STORAGE_ERROR,
             KafkaError.REBALANCE_IN_PROGRESS, KafkaError.CONCURRENT_TRANSACTIONS}
FATAL = {KafkaError._FATAL, KafkaError._FENCED, KafkaError.PRODUCER_FENCED, KafkaError.INVALID_PRODUCER_EPOCH,
         KafkaError.FENCED_INSTANCE_ID}
UNKNOWN = {KafkaError.UNKNOWN, KafkaError._FAIL}

lock = threading.Lock()


def say(event, **fields):
    line = json.dumps({"event": event, **fields})
    with lock:
        print(line, flush=True)


def fail(event, why, **fields):
    """Says an error; `why` is a KafkaError, or an exception that carries one."""
    error = why.args[0] if isinstance(why, KafkaException) else why
    if not isinstance(error, KafkaError):  # refused before it reached librdkafka
        return say(event, **fields, **{"class": "invalid"}, error=type(error).__name__, message=str(error))
    code = error.code()
    if error.fatal() or code in FATAL:
        kind = "fatal"
    elif error.txn_requires_abort():
        kind = "abortable"
    elif code in AUTH:
        kind = "auth"
    elif code in AUTHORIZATION:
        kind = "authorization"
    elif code in INDETERMINATE:
        kind = "indeterminate"
    elif error.retriable() or code in RETRIABLE:
        kind = "retriable"
    else:
        kind = "unknown" if code in UNKNOWN else "invalid"
    say(event, **fields, **{"class": kind}, code=code if code > 0 else None, error=error.name(), message=error.str())


def encode(data):
    return None if data is None else base64.b64encode(data).decode()


def decode(text):
    return None if text is None else base64.b64decode(text)


class Sending:
    def __init__(self, config, options):
        if "socket.timeout.ms" in config:
            config["request.timeout.ms"] = config["socket.timeout.ms"]
        self.producer = Producer(config)
        self.open = True
        self.poller = threading.Thread(target=self.serve)
        self.poller.start()

    def serve(self):
        """Delivery reports come only while somebody polls."""
        while self.open:
            self.producer.poll(0.1)

    def send(self, c):
        def report(why, at):
            if why is not None:
                return fail("producer_send_error", why, id=c["id"])
            offset = at.offset() if at.offset() is not None and at.offset() >= 0 else None
            say("producer_send_success", id=c["id"], topic=at.topic(), partition=at.partition(), offset=offset)

        record = {"key": decode(c["key"]), "headers": [(n, decode(v)) for n, v in c.get("headers") or []], "on_delivery": report}
        if c["partition"] is not None:
            record["partition"] = c["partition"]
        if c["timestamp"] is not None:
            record["timestamp"] = c["timestamp"]
        while True:
            try:
                return self.producer.produce(c["topic"], decode(c["value"]), **record)
            except BufferError:  # the local queue is full: nothing was sent; wait for room, as the documentation says
                self.producer.poll(0.1)
            except (KafkaException, ValueError, TypeError) as why:
                return fail("producer_send_error", why, id=c["id"])

    def handle(self, command, c):
        if command == "send":
            return self.send(c)
        if command == "flush":
            left = self.producer.flush(c["timeout-ms"] / 1000)
            if left:
                return fail("failed", KafkaError(KafkaError._TIMED_OUT, f"{left} still waiting"), id=c["id"])
        elif command == "init-transactions":
            self.producer.init_transactions()
        elif command == "begin":
            self.producer.begin_transaction()
        elif command == "commit":
            self.producer.commit_transaction()
        elif command == "abort":
            self.producer.abort_transaction()
        else:
            return say("unsupported", id=c["id"], reason=f"a producer has no {command}")
        say("done", id=c["id"])

    def close(self):
        self.producer.flush()
        self.open = False
        self.poller.join()


class Reading:
    def __init__(self, config, options):
        self.grouped = "group.id" in config
        if not self.grouped:  # librdkafka wants one also where no group is joined
            config.update({"group.id": f"unused-{uuid.uuid4()}", "enable.auto.commit": "false"})
        if int(config.get("fetch.max.bytes", 1_000_000)) < 1_000_000:  # librdkafka wants this not to be larger
            config["message.max.bytes"] = config["fetch.max.bytes"]
        self.consumer = Consumer({**config, "error_cb": lambda why: fail("consumer_error", why)})
        if options.topic:
            self.consumer.subscribe(options.topic, on_assign=lambda _, ps: self.moved("partitions_assigned", ps),
                                    on_revoke=lambda _, ps: self.moved("partitions_revoked", ps),
                                    on_lost=lambda _, ps: self.moved("partitions_lost", ps))
        if options.assign:
            places = []
            for topic, partition, *offset in (text.split(":") for text in options.assign):
                at = {"earliest": OFFSET_BEGINNING, "latest": OFFSET_END}.get(offset[0]) or int(offset[0]) if offset else None
                places.append(TopicPartition(topic, int(partition)) if at is None else TopicPartition(topic, int(partition), at))
            self.consumer.assign(places)

    @staticmethod
    def moved(event, partitions):
        say(event, partitions=[[p.topic, p.partition] for p in partitions])

    def poll(self, c):
        records = []
        try:
            for m in self.consumer.consume(c["max"], c["timeout-ms"] / 1000):
                if m.error():
                    fail("consumer_error", m.error(), id=c["id"])
                    continue
                records.append({"topic": m.topic(), "partition": m.partition(), "offset": m.offset(), "key": encode(m.key()),
                                "value": encode(m.value()), "headers": [[n, encode(v)] for n, v in m.headers() or []],
                                "timestamp": m.timestamp()[1] if m.timestamp()[0] else None})
        except KafkaException as why:
            fail("consumer_error", why, id=c["id"])
        say("records_consumed", id=c["id"], records=records)

    def handle(self, command, c):
        consumer = self.consumer
        at = TopicPartition(c["topic"], c["partition"]) if "partition" in c else None
        if command == "poll":
            return self.poll(c)
        if command in ("commit-offsets", "committed") and not self.grouped:
            return say("unsupported", id=c["id"], reason="only a consumer with a group has committed offsets")
        if command == "commit-offsets":
            if c["offsets"] is None:
                done = consumer.commit(asynchronous=False)
            else:
                done = consumer.commit(offsets=[TopicPartition(**o) for o in c["offsets"]], asynchronous=False)
            bad = next((p.error for p in done if p.error), None)
            if bad:
                return fail("failed", bad, id=c["id"])
            offsets = [{"topic": p.topic, "partition": p.partition, "offset": p.offset} for p in done if p.offset >= 0]
            return say("offsets_committed", id=c["id"], offsets=offsets)
        if command in ("position", "committed"):
            answer = (consumer.position([at]) if command == "position" else consumer.committed([at], timeout=30))[0]
            if answer.error:
                return fail("failed", answer.error, id=c["id"])
            return say("offset", id=c["id"], offset=answer.offset if answer.offset >= 0 else None)
        if command == "seek":
            consumer.seek(TopicPartition(**{k: c[k] for k in ("topic", "partition", "offset")}))
        elif command == "seek-to-time":
            found = consumer.offsets_for_times([TopicPartition(c["topic"], c["partition"], c["timestamp"])], timeout=30)[0]
            if found.error:
                return fail("failed", found.error, id=c["id"])
            consumer.seek(found)  # the end, when no record is as young
        elif command in ("pause", "resume"):
            getattr(consumer, command)([TopicPartition(*p) for p in c["partitions"]])
        else:
            return say("unsupported", id=c["id"], reason=f"a consumer has no {command}")
        say("done", id=c["id"])

    def close(self):
        self.consumer.close()


def main():
    parser = argparse.ArgumentParser(allow_abbrev=False)
    roles = parser.add_subparsers(dest="role", required=True)
    roles.add_parser("info")
    maps = {"producer": COMMON | PRODUCER, "consumer": COMMON | CONSUMER}
    for role, known in maps.items():
        sub = roles.add_parser(role, allow_abbrev=False)
        for name in known:
            sub.add_argument("--" + name.replace("_", "-"), action="append" if name in ("topic", "assign") else "store")
    options = parser.parse_args()
    if options.role == "info":
        engine = {"name": "librdkafka", "version": confluent_kafka.libversion()[0]}
        return say("info", client="confluent-kafka-python", version=confluent_kafka.__version__, engine=engine,
                   language="Python " + platform.python_version(), roles=["producer", "consumer"])
    config = {}
    for name, keys in maps[options.role].items():
        value = getattr(options, name)
        if value is not None:
            config.update({key: WORDS.get(name, {}).get(value, value) for key in keys})
    try:
        session = (Sending if options.role == "producer" else Reading)(config, options)
    except KafkaException as why:
        if why.args[0].code() not in (KafkaError._INVALID_ARG, KafkaError._CONFLICT):
            raise
        say("unsupported", reason=why.args[0].str())  # librdkafka refuses what was asked of it
        sys.exit(3)
    say("startup_complete")
    asked = None
    for line in sys.stdin:
        c = json.loads(line)
        if c["command"] == "close":
            asked = c["id"]
            break
        try:
            session.handle(c["command"], c)
        except (KafkaException, RuntimeError, ValueError, TypeError) as why:
            fail("failed", why, id=c["id"])
    session.close()
    say("shutdown_complete", id=asked)


main()
