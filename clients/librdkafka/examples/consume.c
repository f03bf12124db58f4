#include <librdkafka/rdkafka.h>
#include <stdio.h>
#include <stdlib.h>

static void set(rd_kafka_conf_t *conf, const char *name, const char *value) {
    char error[512];
    if (rd_kafka_conf_set(conf, name, value, error, sizeof error)) {
        fprintf(stderr, "%s\n", error);
        exit(1);
    }
}

static void check(rd_kafka_resp_err_t err, const char *what) {
    if (err) {
        fprintf(stderr, "%s: %s\n", what, rd_kafka_err2str(err));
        exit(1);
    }
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: consume BROKERS TOPIC\n");
        return 1;
    }

    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    set(conf, "bootstrap.servers", argv[1]);
    set(conf, "group.id", "billing");
    set(conf, "auto.offset.reset", "earliest");
    set(conf, "enable.auto.commit", "false");

    char error[512];
    rd_kafka_t *consumer =
        rd_kafka_new(RD_KAFKA_CONSUMER, conf, error, sizeof error);
    if (!consumer) {
        fprintf(stderr, "%s\n", error);
        return 1;
    }
    rd_kafka_poll_set_consumer(consumer);

    rd_kafka_topic_partition_list_t *topics = rd_kafka_topic_partition_list_new(1);
    rd_kafka_topic_partition_list_add(topics, argv[2], RD_KAFKA_PARTITION_UA);
    check(rd_kafka_subscribe(consumer, topics), "subscribe");
    rd_kafka_topic_partition_list_destroy(topics);

    for (int handled = 0; handled < 10;) {
        rd_kafka_message_t *message = rd_kafka_consumer_poll(consumer, 1000);
        if (!message)
            continue;
        check(message->err, "consume");
        printf("%lld %.*s %.*s\n", (long long)message->offset,
               (int)message->key_len, (const char *)message->key,
               (int)message->len, (const char *)message->payload);
        rd_kafka_message_destroy(message);
        handled++;
    }

    /* NULL: the position after the last record, in every partition assigned. */
    check(rd_kafka_commit(consumer, NULL, 0), "commit");
    check(rd_kafka_consumer_close(consumer), "close"); /* leaves the group */
    rd_kafka_destroy(consumer);
    return 0;
}
