import org.apache.kafka.clients.consumer.ConsumerConfig
import org.apache.kafka.common.serialization.StringDeserializer
import org.apache.pekko.actor.ActorSystem
import org.apache.pekko.kafka.{CommitterSettings, ConsumerSettings, Subscriptions}
import org.apache.pekko.kafka.scaladsl.{Committer, Consumer}

import scala.concurrent.Await
import scala.concurrent.duration.Duration

@main def consume(bootstrapServers: String, topic: String): Unit =
  given system: ActorSystem = ActorSystem("consume")
  val settings = ConsumerSettings(system, StringDeserializer(), StringDeserializer())
    .withBootstrapServers(bootstrapServers)
    .withGroupId("billing")
    .withProperty(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest")
    .withProperty(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false")

  // The sink gathers offsets, and commits them when the stream ends.
  val committed = Consumer
    .committableSource(settings, Subscriptions.topics(topic))
    .take(10)
    .map: message =>
      val record = message.record
      println(s"${record.offset} ${record.key} ${record.value}")
      message.committableOffset
    .runWith(Committer.sink(CommitterSettings(system)))
  try Await.result(committed, Duration.Inf)
  finally Await.result(system.terminate(), Duration.Inf) // leaves the group
