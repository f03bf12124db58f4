import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.StringDeserializer;

class Consume {
    public static void main(String[] args) {
        String topic = args[1];
        Map<String, Object> config = Map.of(
                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, args[0],
                ConsumerConfig.GROUP_ID_CONFIG, "billing",
                ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest",
                ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false,
                // commitSync() covers all that was polled: poll one at a time.
                ConsumerConfig.MAX_POLL_RECORDS_CONFIG, 1);

        try (var consumer = new KafkaConsumer<>(
                config, new StringDeserializer(), new StringDeserializer())) {
            consumer.subscribe(List.of(topic));
            int handled = 0;
            while (handled < 10) {
                for (var record : consumer.poll(Duration.ofSeconds(1))) {
                    System.out.printf("%d %s %s%n",
                            record.offset(), record.key(), record.value());
                    handled++;
                }
            }
            consumer.commitSync();
        }
    }
}
