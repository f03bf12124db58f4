#include <librdkafka/rdkafka.h>
#include <stdio.h>
#include <stdlib.h>

static int stored;

static void on_delivery(rd_kafka_t *producer, const rd_kafka_message_t *message,
                        void *opaque) {
    (void)producer, (void)opaque;
    if (message->err)
        fprintf(stderr, "not stored: %s\n", rd_kafka_err2str(message->err));
    else
        stored++;
}

static void set(rd_kafka_conf_t *conf, const char *name, const char *value) {
    char error[512];
    if (rd_kafka_conf_set(conf, name, value, error, sizeof error)) {
        fprintf(stderr, "%s\n", error);
        exit(1);
    }
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: produce BROKERS TOPIC\n");
        return 1;
    }
    const char *topic = argv[2];

    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    set(conf, "bootstrap.servers", argv[1]);
    set(conf, "acks", "all");
    rd_kafka_conf_set_dr_msg_cb(conf, on_delivery);

    char error[512];
    rd_kafka_t *producer =
        rd_kafka_new(RD_KAFKA_PRODUCER, conf, error, sizeof error);
    if (!producer) {
        fprintf(stderr, "%s\n", error);
        return 1;
    }

    for (int n = 0; n < 10; n++) {
        char key[32], value[32];
        int key_size = snprintf(key, sizeof key, "customer-%d", n % 3);
        int value_size = snprintf(value, sizeof value, "order-%d", n);
        rd_kafka_resp_err_t err = rd_kafka_producev(
            producer, RD_KAFKA_V_TOPIC(topic),
            RD_KAFKA_V_KEY(key, key_size), RD_KAFKA_V_VALUE(value, value_size),
            RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY), RD_KAFKA_V_END);
        if (err)
            fprintf(stderr, "not queued: %s\n", rd_kafka_err2str(err));
    }
    /* Calls on_delivery for each record, stored or failed. */
    rd_kafka_flush(producer, -1);
    rd_kafka_destroy(producer);

    if (stored != 10)
        return 1;
    printf("stored 10 records\n");
    return 0;
}
