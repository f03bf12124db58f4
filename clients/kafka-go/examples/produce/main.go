package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/segmentio/kafka-go"
)

func main() {
	brokers, topic := strings.Split(os.Args[1], ","), os.Args[2]

	writer := &kafka.Writer{
		Addr:         kafka.TCP(brokers...),
		Topic:        topic,
		Balancer:     &kafka.Hash{}, // one key, one partition
		RequiredAcks: kafka.RequireAll,
	}

	var messages []kafka.Message
	for n := range 10 {
		messages = append(messages, kafka.Message{
			Key:   fmt.Appendf(nil, "customer-%d", n%3),
			Value: fmt.Appendf(nil, "order-%d", n),
		})
	}
	if err := writer.WriteMessages(context.Background(), messages...); err != nil {
		log.Fatal(err)
	}
	if err := writer.Close(); err != nil {
		log.Fatal(err)
	}
	fmt.Println("stored 10 records")
}
