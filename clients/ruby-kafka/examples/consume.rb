require "kafka"

bootstrap_servers, topic = ARGV

consumer = Kafka.new(bootstrap_servers.split(",")).consumer(
  group_id: "billing",
  offset_commit_interval: 0 # never by itself
)
consumer.subscribe(topic, start_from_beginning: true)

handled = 0
# Leaves the group when it returns.
consumer.each_message(automatically_mark_as_processed: false) do |message|
  puts "#{message.offset} #{message.key} #{message.value}"
  consumer.mark_message_as_processed(message)
  handled += 1
  next if handled < 10

  consumer.commit_offsets
  consumer.stop
end
