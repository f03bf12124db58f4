import org.apache.kafka.clients.producer.{ProducerConfig, ProducerRecord}
import org.apache.kafka.common.serialization.StringSerializer
import org.apache.pekko.actor.ActorSystem
import org.apache.pekko.kafka.ProducerSettings
import org.apache.pekko.kafka.scaladsl.Producer
import org.apache.pekko.stream.scaladsl.Source

import scala.concurrent.Await
import scala.concurrent.duration.Duration

@main def produce(bootstrapServers: String, topic: String): Unit =
  given system: ActorSystem = ActorSystem("produce")
  val settings = ProducerSettings(system, StringSerializer(), StringSerializer())
    .withBootstrapServers(bootstrapServers)
    .withProperty(ProducerConfig.ACKS_CONFIG, "all")

  // Completes when every record has been acknowledged, or fails.
  val stored = Source(0 until 10)
    .map(n => ProducerRecord(topic, s"customer-${n % 3}", s"order-$n"))
    .runWith(Producer.plainSink(settings))
  try
    Await.result(stored, Duration.Inf)
    println("stored 10 records")
  finally Await.result(system.terminate(), Duration.Inf)
