using Confluent.Kafka;

var (bootstrapServers, topic) = (args[0], args[1]);

var config = new ProducerConfig
{
    BootstrapServers = bootstrapServers,
    Acks = Acks.All,
};
using var producer = new ProducerBuilder<string, string>(config).Build();

var deliveries = new List<Task>();
for (var n = 0; n < 10; n++)
{
    var message = new Message<string, string>
    {
        Key = $"customer-{n % 3}",
        Value = $"order-{n}",
    };
    deliveries.Add(producer.ProduceAsync(topic, message));
}
// Throws if a record could not be stored.
await Task.WhenAll(deliveries);

Console.WriteLine("stored 10 records");
