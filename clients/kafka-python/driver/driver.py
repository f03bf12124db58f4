"""Relays the kit's commands to kafka-python, and what it says back."""

import argparse
import base64
import json
import platform
import sys
import threading
import time

import kafka
from kafka import ConsumerRebalanceListener, KafkaConsumer, KafkaProducer, TopicPartition, errors
from kafka.coordinator.assignors.cooperative_sticky import CooperativeStickyAssignor
from kafka.coordinator.assignors.range import RangePartitionAssignor
from kafka.coordinator.assignors.roundrobin import RoundRobinPartitionAssignor
from kafka.structs import OffsetAndMetadata

DOCS = {"producer": "https://kafka-python.readthedocs.io/en/master/apidoc/KafkaProducer.html",
        "consumer": "https://kafka-python.readthedocs.io/en/master/apidoc/KafkaConsumer.html"}


def yes(text):
    return text == "true"


# The client's argument for each neutral option, and how its value is read.
COMMON = {"bootstrap_server": ("bootstrap_servers", lambda text: text.split(",")), "client_id": ("client_id", str),
          "request_timeout_ms": ("request_timeout_ms", int), "metadata_max_age_ms": ("metadata_max_age_ms", int),
          "security": ("security_protocol", {"plaintext": "PLAINTEXT", "tls": "SSL", "sasl-plaintext": "SASL_PLAINTEXT", "sasl-tls": "SASL_SSL"}.get),
          "tls_ca": ("ssl_cafile", str), "tls_cert": ("ssl_certfile", str), "tls_key": ("ssl_keyfile", str),
          "sasl_mechanism": ("sasl_mechanism", str), "username": ("sasl_plain_username", str), "password": ("sasl_plain_password", str)}
PRODUCER = {"acks": ("acks", lambda text: text if text == "all" else int(text)),
            "compression": ("compression_type", lambda text: None if text == "none" else text),
            "idempotent": ("enable_idempotence", yes), "transactional_id": ("transactional_id", str), "linger_ms": ("linger_ms", int),
            "batch_bytes": ("batch_size", int), "delivery_timeout_ms": ("delivery_timeout_ms", int), "retries": ("retries", int),
            "max_in_flight": ("max_in_flight_requests_per_connection", int), "max_request_bytes": ("max_request_size", int)}
CONSUMER = {"topic": None, "assign": None, "group_protocol": None, "group_id": ("group_id", str), "group_instance_id": ("group_instance_id", str),
            "offset_reset": ("auto_offset_reset", str), "auto_commit": ("enable_auto_commit", yes),
            "auto_commit_interval_ms": ("auto_commit_interval_ms", int), "isolation": ("isolation_level", str),
            "session_timeout_ms": ("session_timeout_ms", int), "heartbeat_interval_ms": ("heartbeat_interval_ms", int),
            "max_poll_interval_ms": ("max_poll_interval_ms", int), "fetch_max_bytes": ("fetch_max_bytes", int),
            "assignor": ("partition_assignment_strategy", lambda text: [{"range": RangePartitionAssignor, "roundrobin": RoundRobinPartitionAssignor,
                                                                         "cooperative-sticky": CooperativeStickyAssignor}[text]])}

AUTH = (errors.SaslAuthenticationFailedError, errors.UnsupportedSaslMechanismError, errors.IllegalSaslStateError)
INDETERMINATE = (errors.KafkaTimeoutError, errors.RequestTimedOutError, errors.NotEnoughReplicasAfterAppendError)
FATAL = (errors.ProducerFencedError, errors.InvalidProducerEpochError, errors.OutOfOrderSequenceNumberError, errors.FencedInstanceIdError)
INVALID = (errors.BrokerResponseError, errors.IllegalStateError, errors.IllegalArgumentError, errors.CommitFailedError,
           errors.NoOffsetForPartitionError, ValueError, TypeError, AssertionError)

lock = threading.Lock()


def say(event, **fields):
    line = json.dumps({"event": event, **fields})
    with lock:
        print(line, flush=True)


def fail(event, why, **fields):
    """Says an error, classed by the client's own type of exception."""
    if isinstance(why, AUTH):
        kind = "auth"
    elif isinstance(why, errors.AuthorizationError):
        kind = "authorization"
    elif isinstance(why, INDETERMINATE):
        kind = "indeterminate"
    elif isinstance(why, (errors.TransactionAbortedError, errors.TransactionAbortableError)):
        kind = "abortable"
    elif isinstance(why, FATAL):
        kind = "fatal"
    elif getattr(why, "retriable", False) or isinstance(why, errors.RebalanceInProgressError):
        kind = "retriable"
    else:
        kind = "invalid" if isinstance(why, INVALID) and not isinstance(why, errors.UnknownError) else "unknown"
    code = getattr(why, "errno", None)
    say(event, **fields, **{"class": kind}, code=code if isinstance(code, int) and code > 0 else None, error=type(why).__name__, message=str(why))


def encode(data):
    return None if data is None else base64.b64encode(data).decode()


def decode(text):
    return None if text is None else base64.b64decode(text)


class Sending:
    def __init__(self, config, options):
        if options.delivery_timeout_ms:  # send() may block this long before the delivery timeout begins; a request must fit into it
            config["max_block_ms"] = config["delivery_timeout_ms"]
            room = config["delivery_timeout_ms"] - config.get("linger_ms", 0)
            config.setdefault("request_timeout_ms", min(30_000, max(room, 1)))
        self.producer = KafkaProducer(**config)
        self.told = config.get("acks") != 0  # without an answer the client makes the offset 0

    def send(self, c):
        def sent(at):
            say("producer_send_success", id=c["id"], topic=at.topic, partition=at.partition, offset=at.offset if self.told and at.offset >= 0 else None)

        try:
            future = self.producer.send(c["topic"], key=decode(c["key"]), value=decode(c["value"]), partition=c["partition"],
                                        headers=[(n, decode(v)) for n, v in c.get("headers") or []], timestamp_ms=c["timestamp"])
        except Exception as why:  # the client raises what it finds wrong before it sends
            return fail("producer_send_error", why, id=c["id"])
        future.add_callback(sent)
        future.add_errback(lambda why: fail("producer_send_error", why, id=c["id"]))

    def handle(self, command, c):
        producer = self.producer
        if command == "send":
            return self.send(c)
        if command == "flush":
            producer.flush(c["timeout-ms"] / 1000)
        elif command == "init-transactions":
            producer.init_transactions()
        elif command == "begin":
            producer.begin_transaction()
        elif command == "commit":
            producer.commit_transaction()
        elif command == "abort":
            producer.abort_transaction()
        else:
            return say("unsupported", id=c["id"], reason=f"a producer has no {command}")
        say("done", id=c["id"])

    def close(self):
        self.producer.close()


class Reading(ConsumerRebalanceListener):
    def __init__(self, config, options):
        self.consumer = KafkaConsumer(**config)
        if options.topic:
            self.consumer.subscribe(options.topic, listener=self)
        if options.assign:
            places = [text.split(":") for text in options.assign]
            self.consumer.assign([TopicPartition(place[0], int(place[1])) for place in places])
            for topic, partition, *offset in places:
                at = TopicPartition(topic, int(partition))
                if offset == ["earliest"]:
                    self.consumer.seek_to_beginning(at)
                elif offset == ["latest"]:
                    self.consumer.seek_to_end(at)
                elif offset:
                    self.consumer.seek(at, int(offset[0]))

    def on_partitions_assigned(self, assigned):
        say("partitions_assigned", partitions=[list(p) for p in assigned])

    def on_partitions_revoked(self, revoked):
        say("partitions_revoked", partitions=[list(p) for p in revoked])

    def on_partitions_lost(self, lost):
        say("partitions_lost", partitions=[list(p) for p in lost])

    def poll(self, c):
        records = []
        end = time.monotonic() + c["timeout-ms"] / 1000
        try:
            while len(records) < c["max"]:
                left = max(0, end - time.monotonic())
                for messages in self.consumer.poll(int(left * 1000), c["max"] - len(records)).values():
                    records += [{"topic": m.topic, "partition": m.partition, "offset": m.offset, "key": encode(m.key), "value": encode(m.value),
                                 "headers": [[n, encode(v)] for n, v in m.headers], "timestamp": m.timestamp} for m in messages]
                if left == 0:
                    break
        except Exception as why:
            fail("consumer_error", why, id=c["id"])
        say("records_consumed", id=c["id"], records=records)

    def handle(self, command, c):
        consumer = self.consumer
        at = TopicPartition(c["topic"], c["partition"]) if "partition" in c else None
        if command == "poll":
            return self.poll(c)
        if command == "commit-offsets":
            if c["offsets"] is None:
                consumer.commit()
                found = {p: consumer.committed(p) for p in consumer.assignment()}
            else:
                found = {TopicPartition(o["topic"], o["partition"]): o["offset"] for o in c["offsets"]}
                consumer.commit({p: OffsetAndMetadata(offset, "", -1) for p, offset in found.items()})
            offsets = [{"topic": p.topic, "partition": p.partition, "offset": offset} for p, offset in found.items() if offset is not None]
            return say("offsets_committed", id=c["id"], offsets=offsets)
        if command in ("position", "committed"):
            return say("offset", id=c["id"], offset=getattr(consumer, command)(at))
        if command == "seek":
            consumer.seek(at, c["offset"])
        elif command == "seek-to-time":
            found = consumer.offsets_for_times({at: c["timestamp"]})[at]
            if found is None:
                consumer.seek_to_end(at)
            else:
                consumer.seek(at, found.offset)
        elif command in ("pause", "resume"):
            getattr(consumer, command)(*(TopicPartition(*p) for p in c["partitions"]))
        else:
            return say("unsupported", id=c["id"], reason=f"a consumer has no {command}")
        say("done", id=c["id"])

    def close(self):
        self.consumer.close()


class Failed:
    """The client connects when it is made. If it cannot, it says so there, and the driver says so to each command."""

    def __init__(self, why):
        self.why = why

    def handle(self, command, c):
        event = {"send": "producer_send_error", "poll": "consumer_error"}.get(command, "failed")
        fail(event, self.why, id=c["id"])
        if command == "poll":
            say("records_consumed", id=c["id"], records=[])

    def close(self):
        pass


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
        return say("info", client="kafka-python", version=kafka.__version__, engine=None,
                   language="Python " + platform.python_version(), roles=["producer", "consumer"])
    if getattr(options, "group_protocol", None) == "consumer":
        say("unsupported", option="--group-protocol", reason="only the classic protocol", link=DOCS["consumer"])
        sys.exit(3)
    config = {}
    for name, mapping in maps[options.role].items():
        value = getattr(options, name)
        if value is not None and mapping:
            config[mapping[0]] = mapping[1](value)
    try:
        session = (Sending if options.role == "producer" else Reading)(config, options)
    except (AssertionError, ValueError, RuntimeError, errors.KafkaConfigurationError) as why:  # refuses what was asked of it
        say("unsupported", reason=str(why) or type(why).__name__, link=DOCS[options.role])
        sys.exit(3)
    except errors.KafkaError as why:
        session = Failed(why)
    say("startup_complete")
    asked = None
    for line in sys.stdin:
        c = json.loads(line)
        if c["command"] == "close":
            asked = c["id"]
            break
        try:
            session.handle(c["command"], c)
        except Exception as why:
            fail("failed", why, id=c["id"])
    session.close()
    say("shutdown_complete", id=asked)


main()
