require "logger"
require "rdkafka"

bootstrap_servers, topic = ARGV

Rdkafka::Config.logger = Logger.new($stderr) # else its log goes to stdout
producer = Rdkafka::Config.new(
  "bootstrap.servers": bootstrap_servers,
  "acks": "all"
).producer

begin
  deliveries = 10.times.map do |n|
    producer.produce(topic: topic, key: "customer-#{n % 3}", payload: "order-#{n}")
  end
  deliveries.each(&:wait) # raises if the record could not be stored
ensure
  producer.close
end

puts "stored 10 records"
