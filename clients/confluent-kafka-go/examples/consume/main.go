package main

import (
	"fmt"
	"log"
	"os"

	"github.com/confluentinc/confluent-kafka-go/v2/kafka"
)

func main() {
	brokers, topic := os.Args[1], os.Args[2]

	consumer, err := kafka.NewConsumer(&kafka.ConfigMap{
		"bootstrap.servers":  brokers,
		"group.id":           "billing",
		"auto.offset.reset":  "earliest",
		"enable.auto.commit": false,
	})
	if err != nil {
		log.Fatal(err)
	}
	if err := consumer.Subscribe(topic, nil); err != nil {
		log.Fatal(err)
	}

	for handled := 0; handled < 10; {
		message, err := consumer.ReadMessage(-1)
		if err != nil {
			switch err.(kafka.Error).Code() {
			case kafka.ErrTransport, kafka.ErrAllBrokersDown, kafka.ErrResolve:
				continue // the client connects again by itself
			}
			log.Fatal(err)
		}
		offset := message.TopicPartition.Offset
		fmt.Println(offset, string(message.Key), string(message.Value))
		handled++
	}

	if _, err := consumer.Commit(); err != nil {
		log.Fatal(err)
	}
	if err := consumer.Close(); err != nil { // leaves the group
		log.Fatal(err)
	}
}
