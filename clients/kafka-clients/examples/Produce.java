import java.util.ArrayList;
import java.util.Map;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.StringSerializer;

class Produce {
    public static void main(String[] args) throws Exception {
        String topic = args[1];
        Map<String, Object> config = Map.of(
                ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, args[0],
                ProducerConfig.ACKS_CONFIG, "all");

        try (var producer = new KafkaProducer<>(
                config, new StringSerializer(), new StringSerializer())) {
            var deliveries = new ArrayList<Future<RecordMetadata>>();
            for (int n = 0; n < 10; n++) {
                var delivery = producer.send(new ProducerRecord<>(
                        topic, "customer-" + n % 3, "order-" + n));
                if (delivery.isDone()) {
                    delivery.get(); // no such topic, say: not even queued
                }
                deliveries.add(delivery);
            }
            for (var delivery : deliveries) {
                delivery.get(); // throws if the record could not be stored
            }
        }
        System.out.println("stored 10 records");
    }
}
