package main

import (
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/IBM/sarama"
)

func main() {
	brokers, topic := strings.Split(os.Args[1], ","), os.Args[2]

	config := sarama.NewConfig()
	config.Producer.RequiredAcks = sarama.WaitForAll
	config.Producer.Return.Successes = true // a SyncProducer needs it

	producer, err := sarama.NewSyncProducer(brokers, config)
	if err != nil {
		log.Fatal(err)
	}

	var messages []*sarama.ProducerMessage
	for n := range 10 {
		messages = append(messages, &sarama.ProducerMessage{
			Topic: topic,
			Key:   sarama.StringEncoder(fmt.Sprintf("customer-%d", n%3)),
			Value: sarama.StringEncoder(fmt.Sprintf("order-%d", n)),
		})
	}
	if err := producer.SendMessages(messages); err != nil {
		log.Fatal(err)
	}
	if err := producer.Close(); err != nil {
		log.Fatal(err)
	}
	fmt.Println("stored 10 records")
}
