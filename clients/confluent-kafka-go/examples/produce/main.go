package main

import (
	"fmt"
	"log"
	"os"

	"github.com/confluentinc/confluent-kafka-go/v2/kafka"
)

func main() {
	brokers, topic := os.Args[1], os.Args[2]

	producer, err := kafka.NewProducer(&kafka.ConfigMap{
		"bootstrap.servers": brokers,
		"acks":              "all",
	})
	if err != nil {
		log.Fatal(err)
	}
	defer producer.Close()

	deliveries := make(chan kafka.Event, 10)
	for n := range 10 {
		message := &kafka.Message{
			TopicPartition: kafka.TopicPartition{
				Topic: &topic, Partition: kafka.PartitionAny,
			},
			Key:   fmt.Appendf(nil, "customer-%d", n%3),
			Value: fmt.Appendf(nil, "order-%d", n),
		}
		if err := producer.Produce(message, deliveries); err != nil {
			log.Fatal(err)
		}
	}
	for range 10 {
		message := (<-deliveries).(*kafka.Message)
		if err := message.TopicPartition.Error; err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println("stored 10 records")
}
