require "logger"
require "rdkafka"

bootstrap_servers, topic = ARGV

Rdkafka::Config.logger = Logger.new($stderr) # else its log goes to stdout
consumer = Rdkafka::Config.new(
  "bootstrap.servers": bootstrap_servers,
  "group.id": "billing",
  "auto.offset.reset": "earliest",
  "enable.auto.commit": false
).consumer

begin
  consumer.subscribe(topic)
  consumer.each_with_index do |message, index|
    puts "#{message.offset} #{message.key} #{message.payload}"
    break if index == 9
  end
  consumer.commit
ensure
  consumer.close # leaves the group
end
