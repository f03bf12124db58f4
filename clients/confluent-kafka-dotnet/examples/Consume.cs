using Confluent.Kafka;

var (bootstrapServers, topic) = (args[0], args[1]);

var config = new ConsumerConfig
{
    BootstrapServers = bootstrapServers,
    GroupId = "billing",
    AutoOffsetReset = AutoOffsetReset.Earliest,
    EnableAutoCommit = false,
};
using var consumer = new ConsumerBuilder<string, string>(config).Build();
consumer.Subscribe(topic);

try
{
    for (var n = 0; n < 10; n++)
    {
        var record = consumer.Consume();
        Console.WriteLine(
            $"{record.Offset} {record.Message.Key} {record.Message.Value}");
    }
    // Commits the position after the last record, in every partition assigned.
    consumer.Commit();
}
finally
{
    consumer.Close(); // leaves the group
}
