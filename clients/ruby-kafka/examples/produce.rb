require "kafka"

bootstrap_servers, topic = ARGV

producer = Kafka.new(bootstrap_servers.split(",")).producer(required_acks: :all)

begin
  10.times do |n|
    producer.produce("order-#{n}", key: "customer-#{n % 3}", topic: topic)
  end
  producer.deliver_messages # raises if a record could not be stored
ensure
  producer.shutdown
end

puts "stored 10 records"
