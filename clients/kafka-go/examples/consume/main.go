package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"strings"
	"time"

	"github.com/segmentio/kafka-go"
)

func main() {
	brokers, topic := strings.Split(os.Args[1], ","), os.Args[2]
	ctx := context.Background()

	reader := kafka.NewReader(kafka.ReaderConfig{
		Brokers:     brokers,
		GroupID:     "billing",
		Topic:       topic,
		StartOffset: kafka.FirstOffset,
		MaxWait:     time.Second, // Close waits for the fetch under way
	})

	var handled []kafka.Message
	for len(handled) < 10 {
		// FetchMessage, unlike ReadMessage, leaves committing to us.
		message, err := reader.FetchMessage(ctx)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(message.Offset, string(message.Key), string(message.Value))
		handled = append(handled, message)
	}
	if err := reader.CommitMessages(ctx, handled...); err != nil {
		log.Fatal(err)
	}
	if err := reader.Close(); err != nil { // leaves the group
		log.Fatal(err)
	}
}
