import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.time.Duration;
import java.util.*;
import java.util.concurrent.*;
import org.apache.kafka.clients.consumer.*;
import org.apache.kafka.clients.producer.*;
import org.apache.kafka.common.*;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.errors.*;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.serialization.*;
import org.apache.kafka.common.utils.internals.AppInfoParser;

/** Relays the kit's commands to kafka-clients, and what kafka-clients says back. */
public final class Driver {
    static final ObjectMapper JSON = new ObjectMapper();
    static final PrintStream OUT = new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);

    /** Neutral options that kafka-clients has under another name; those of a consumer are refused in a producer, and so on. */
    static final Map<String, String> COMMON = Map.of("bootstrap-server", "bootstrap.servers", "client-id", "client.id",
        "request-timeout-ms", "request.timeout.ms", "metadata-max-age-ms", "metadata.max.age.ms", "sasl-mechanism", "sasl.mechanism");
    static final Map<String, String> PRODUCER = Map.ofEntries(Map.entry("acks", "acks"), Map.entry("compression", "compression.type"),
        Map.entry("idempotent", "enable.idempotence"), Map.entry("transactional-id", "transactional.id"), Map.entry("linger-ms", "linger.ms"),
        Map.entry("batch-bytes", "batch.size"), Map.entry("delivery-timeout-ms", "delivery.timeout.ms"), Map.entry("retries", "retries"),
        Map.entry("max-in-flight", "max.in.flight.requests.per.connection"), Map.entry("max-request-bytes", "max.request.size"));
    static final Map<String, String> CONSUMER = Map.ofEntries(Map.entry("group-id", "group.id"), Map.entry("group-instance-id", "group.instance.id"),
        Map.entry("group-protocol", "group.protocol"), Map.entry("offset-reset", "auto.offset.reset"), Map.entry("auto-commit", "enable.auto.commit"),
        Map.entry("auto-commit-interval-ms", "auto.commit.interval.ms"), Map.entry("isolation", "isolation.level"),
        Map.entry("session-timeout-ms", "session.timeout.ms"), Map.entry("heartbeat-interval-ms", "heartbeat.interval.ms"),
        Map.entry("max-poll-interval-ms", "max.poll.interval.ms"), Map.entry("fetch-max-bytes", "fetch.max.bytes"));
    static final Set<String> OTHERS = Set.of("security", "tls-ca", "tls-cert", "tls-key", "username", "password", "topic", "assign", "assignor");
    static final Map<String, String> ASSIGNORS = Map.of("range", RangeAssignor.class.getName(), "roundrobin", RoundRobinAssignor.class.getName(),
        "cooperative-sticky", CooperativeStickyAssignor.class.getName());

    public static void main(String[] args) throws Exception {
        String role = args.length > 0 ? args[0] : "";
        if (!List.of("info", "producer", "consumer").contains(role)) usage("the role is info, producer or consumer");
        if (role.equals("info")) {
            say("info", null, "client", "kafka-clients", "version", AppInfoParser.getVersion(), "engine", null,
                "language", "Java " + System.getProperty("java.version"), "roles", List.of("producer", "consumer"));
            return;
        }
        Map<String, String> map = role.equals("producer") ? PRODUCER : CONSUMER;
        Map<String, List<String>> options = new LinkedHashMap<>();
        for (int i = 1; i < args.length; i += 2) {
            String name = args[i].startsWith("--") ? args[i].substring(2) : args[i];
            if (!COMMON.containsKey(name) && !map.containsKey(name) && !OTHERS.contains(name)) usage("unknown option: " + args[i]);
            if (i + 1 == args.length) usage("no value for " + args[i]);
            options.computeIfAbsent(name, key -> new ArrayList<>()).add(args[i + 1]);
        }
        Properties config = new Properties();
        options.forEach((name, values) -> {
            String key = COMMON.getOrDefault(name, map.get(name));
            if (key != null) config.put(key, values.get(0));
        });
        security(options, config);
        try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            Session session = role.equals("producer") ? new Sending(options, config) : new Reading(options, config);
            say("startup_complete", null);
            for (String line; (line = in.readLine()) != null; ) {
                JsonNode c = JSON.readTree(line);
                if (c.get("command").asText().equals("close")) { session.close(c.get("id")); return; }
                try {
                    session.handle(c.get("command").asText(), c, c.get("id"));
                } catch (KafkaException | IllegalStateException | IllegalArgumentException why) {
                    fail("failed", c.get("id"), why);
                }
            }
            session.close(null);
        } catch (ConfigException why) { // the client refuses what was asked of it
            unsupported(null, why.getMessage());
            System.exit(3);
        }
    }

    interface Session {
        void handle(String command, JsonNode c, JsonNode id);
        void close(JsonNode id);
    }

    static final class Sending implements Session {
        final KafkaProducer<byte[], byte[]> producer;

        Sending(Map<String, List<String>> options, Properties config) {
            if (options.containsKey("delivery-timeout-ms")) { // send() may block this long before the delivery timeout begins; a request must fit into it
                config.put("max.block.ms", config.get("delivery.timeout.ms"));
                long room = Long.parseLong(config.getProperty("delivery.timeout.ms")) - Long.parseLong(config.getProperty("linger.ms", "5"));
                config.putIfAbsent("request.timeout.ms", String.valueOf(Math.min(30_000, Math.max(room, 1))));
            }
            producer = new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer());
        }

        @Override public void handle(String command, JsonNode c, JsonNode id) {
            switch (command) {
                case "send" -> send(c, id);
                case "flush" -> flush(c.get("timeout-ms").asLong(), id);
                case "init-transactions" -> { producer.initTransactions(); say("done", id); }
                case "begin" -> { producer.beginTransaction(); say("done", id); }
                case "commit" -> { producer.commitTransaction(); say("done", id); }
                case "abort" -> { producer.abortTransaction(); say("done", id); }
                default -> unsupported(id, "a producer has no " + command);
            }
        }

        void send(JsonNode c, JsonNode id) {
            try {
                var record = new ProducerRecord<>(c.get("topic").asText(), c.hasNonNull("partition") ? c.get("partition").intValue() : null,
                    c.hasNonNull("timestamp") ? c.get("timestamp").longValue() : null, bytes(c.get("key")), bytes(c.get("value")));
                for (JsonNode h : c.path("headers")) record.headers().add(new RecordHeader(h.get(0).asText(), bytes(h.get(1))));
                producer.send(record, (at, why) -> {
                    if (why == null) say("producer_send_success", id, "topic", at.topic(), "partition", at.partition(), "offset", at.hasOffset() ? at.offset() : null);
                    else fail("producer_send_error", id, why);
                });
            } catch (KafkaException | IllegalStateException | IllegalArgumentException why) {
                fail("producer_send_error", id, why);
            }
        }

        /** The client's flush() takes no time: it waits as long as the delivery timeout lets it. */
        void flush(long timeout, JsonNode id) {
            try {
                CompletableFuture.runAsync(producer::flush).get(timeout, TimeUnit.MILLISECONDS);
                say("done", id);
            } catch (java.util.concurrent.TimeoutException why) {
                fail("failed", id, new TimeoutException("flush() has not returned"));
            } catch (ExecutionException | InterruptedException why) {
                fail("failed", id, why.getCause());
            }
        }

        @Override public void close(JsonNode id) {
            producer.close();
            say("shutdown_complete", id);
        }
    }

    static final class Reading implements Session, ConsumerRebalanceListener {
        final KafkaConsumer<byte[], byte[]> consumer;
        /** What the client gave beyond what a poll may answer. */
        final Deque<ConsumerRecord<byte[], byte[]>> rest = new ArrayDeque<>();

        Reading(Map<String, List<String>> options, Properties config) {
            if (options.containsKey("assignor")) config.put("partition.assignment.strategy", ASSIGNORS.get(options.get("assignor").get(0)));
            consumer = new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer());
            if (options.containsKey("topic")) consumer.subscribe(options.get("topic"), this);
            var places = options.getOrDefault("assign", List.of()).stream().map(text -> text.split(":")).toList();
            if (!places.isEmpty()) consumer.assign(places.stream().map(place -> new TopicPartition(place[0], Integer.parseInt(place[1]))).toList());
            for (String[] place : places) {
                var at = new TopicPartition(place[0], Integer.parseInt(place[1]));
                if (place.length < 3) continue;
                if (place[2].equals("earliest")) consumer.seekToBeginning(List.of(at));
                else if (place[2].equals("latest")) consumer.seekToEnd(List.of(at));
                else consumer.seek(at, Long.parseLong(place[2]));
            }
        }

        @Override public void handle(String command, JsonNode c, JsonNode id) {
            if (command.equals("poll")) { poll(c.get("max").asInt(), c.get("timeout-ms").asLong(), id); return; }
            giveBack();
            var at = c.has("partition") ? new TopicPartition(c.get("topic").asText(), c.get("partition").asInt()) : null;
            switch (command) {
                case "commit-offsets" -> {
                    var offsets = new HashMap<TopicPartition, OffsetAndMetadata>();
                    if (c.hasNonNull("offsets")) {
                        for (JsonNode o : c.get("offsets")) offsets.put(new TopicPartition(o.get("topic").asText(), o.get("partition").asInt()), new OffsetAndMetadata(o.get("offset").asLong()));
                        consumer.commitSync(offsets);
                    } else {
                        consumer.commitSync();
                        offsets.putAll(consumer.committed(consumer.assignment()));
                    }
                    say("offsets_committed", id, "offsets", offsets.entrySet().stream().filter(o -> o.getValue() != null)
                        .map(o -> event("topic", o.getKey().topic(), "partition", o.getKey().partition(), "offset", o.getValue().offset())).toList());
                }
                case "seek" -> { consumer.seek(at, c.get("offset").asLong()); say("done", id); }
                case "seek-to-time" -> {
                    var found = consumer.offsetsForTimes(Map.of(at, c.get("timestamp").asLong())).get(at);
                    if (found == null) consumer.seekToEnd(List.of(at)); else consumer.seek(at, found.offset());
                    say("done", id);
                }
                case "pause" -> { consumer.pause(partitions(c)); say("done", id); }
                case "resume" -> { consumer.resume(partitions(c)); say("done", id); }
                case "position" -> say("offset", id, "offset", consumer.position(at));
                case "committed" -> {
                    var offset = consumer.committed(Set.of(at)).get(at);
                    say("offset", id, "offset", offset == null ? null : offset.offset());
                }
                default -> unsupported(id, "a consumer has no " + command);
            }
        }

        void poll(int max, long timeout, JsonNode id) {
            long end = System.nanoTime() + timeout * 1_000_000;
            var records = new ArrayList<Map<String, Object>>();
            try {
                for (long left = timeout; ; left = Math.max(0, (end - System.nanoTime()) / 1_000_000)) {
                    if (rest.isEmpty()) consumer.poll(Duration.ofMillis(left)).forEach(rest::add);
                    while (!rest.isEmpty() && records.size() < max) records.add(record(rest.poll()));
                    if (records.size() == max || left == 0) break;
                }
            } catch (KafkaException | IllegalStateException why) {
                fail("consumer_error", id, why);
            }
            say("records_consumed", id, "records", records);
        }

        /** Moves the client's position back to the first record that was not handed over. */
        void giveBack() {
            var first = new LinkedHashMap<TopicPartition, Long>();
            for (var r : rest) first.putIfAbsent(new TopicPartition(r.topic(), r.partition()), r.offset());
            rest.clear();
            first.keySet().retainAll(consumer.assignment());
            first.forEach(consumer::seek);
        }

        static Map<String, Object> record(ConsumerRecord<byte[], byte[]> r) {
            var headers = new ArrayList<List<Object>>();
            r.headers().forEach(h -> headers.add(Arrays.asList(h.key(), h.value())));
            return event("topic", r.topic(), "partition", r.partition(), "offset", r.offset(), "key", r.key(), "value", r.value(),
                "headers", headers, "timestamp", r.timestamp() < 0 ? null : r.timestamp());
        }

        static List<TopicPartition> partitions(JsonNode c) {
            var list = new ArrayList<TopicPartition>();
            c.get("partitions").forEach(p -> list.add(new TopicPartition(p.get(0).asText(), p.get(1).asInt())));
            return list;
        }

        static void moved(String event, Collection<TopicPartition> partitions) {
            say(event, null, "partitions", partitions.stream().map(p -> List.of(p.topic(), p.partition())).toList());
        }

        @Override public void onPartitionsAssigned(Collection<TopicPartition> partitions) { moved("partitions_assigned", partitions); }
        @Override public void onPartitionsRevoked(Collection<TopicPartition> partitions) { moved("partitions_revoked", partitions); }
        @Override public void onPartitionsLost(Collection<TopicPartition> partitions) { moved("partitions_lost", partitions); }

        @Override public void close(JsonNode id) {
            giveBack();
            consumer.close();
            say("shutdown_complete", id);
        }
    }

    static void security(Map<String, List<String>> options, Properties config) throws IOException {
        String security = options.getOrDefault("security", List.of("plaintext")).get(0);
        config.put("security.protocol", Map.of("plaintext", "PLAINTEXT", "tls", "SSL", "sasl-plaintext", "SASL_PLAINTEXT", "sasl-tls", "SASL_SSL").get(security));
        if (options.containsKey("tls-ca")) {
            config.put("ssl.truststore.type", "PEM");
            config.put("ssl.truststore.location", options.get("tls-ca").get(0));
        }
        if (options.containsKey("tls-cert")) {
            config.put("ssl.keystore.type", "PEM");
            config.put("ssl.keystore.certificate.chain", Files.readString(Path.of(options.get("tls-cert").get(0))));
            config.put("ssl.keystore.key", Files.readString(Path.of(options.get("tls-key").get(0))));
        }
        if (options.containsKey("username")) {
            String module = options.get("sasl-mechanism").get(0).startsWith("SCRAM") ? "scram.ScramLoginModule" : "plain.PlainLoginModule";
            config.put("sasl.jaas.config", "org.apache.kafka.common.security.%s required username=\"%s\" password=\"%s\";"
                .formatted(module, options.get("username").get(0), options.get("password").get(0)));
        }
    }

    /** What the client's own type of error says about it. */
    static String classOf(Throwable why) {
        if (why instanceof AuthenticationException) return "auth";
        if (why instanceof AuthorizationException) return "authorization";
        if (why instanceof TimeoutException) return "indeterminate";
        if (why instanceof TransactionAbortableException) return "abortable";
        if (why instanceof RetriableException || why instanceof RebalanceInProgressException) return "retriable";
        if (why instanceof ApplicationRecoverableException || why instanceof UnsupportedVersionException || why instanceof OutOfOrderSequenceException) return "fatal";
        if (why instanceof ApiException || why instanceof org.apache.kafka.clients.consumer.InvalidOffsetException || why instanceof SerializationException || why instanceof CommitFailedException) return "invalid";
        if (why instanceof IllegalStateException || why instanceof IllegalArgumentException) return "invalid";
        return why.getCause() instanceof KafkaException ? classOf(why.getCause()) : "unknown";
    }

    static void fail(String event, JsonNode id, Throwable why) {
        Errors code = why instanceof TimeoutException ? Errors.UNKNOWN_SERVER_ERROR : Errors.forException(why); // the client times out by itself, too
        say(event, id, "class", classOf(why), "code", code == Errors.UNKNOWN_SERVER_ERROR ? null : code.code(),
            "error", why.getClass().getSimpleName(), "message", String.valueOf(why.getMessage()));
    }

    static void unsupported(JsonNode id, String reason) { say("unsupported", id, "reason", reason); }

    /** Bytes become base64 in Jackson by themselves. */
    static synchronized void say(String event, JsonNode id, Object... fields) {
        Map<String, Object> line = event(fields);
        line.put("event", event);
        if (id != null) line.put("id", id);
        try {
            OUT.println(JSON.writeValueAsString(line));
            OUT.flush();
        } catch (IOException why) {
            throw new UncheckedIOException(why);
        }
    }

    static Map<String, Object> event(Object... fields) {
        var map = new LinkedHashMap<String, Object>();
        for (int i = 0; i < fields.length; i += 2) map.put((String) fields[i], fields[i + 1]);
        return map;
    }

    static byte[] bytes(JsonNode node) { return node == null || node.isNull() ? null : Base64.getDecoder().decode(node.asText()); }

    static void usage(String why) {
        System.err.println(why);
        System.exit(2);
    }
}
