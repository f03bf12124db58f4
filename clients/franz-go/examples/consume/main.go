package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/twmb/franz-go/pkg/kgo"
)

func main() {
	brokers, topic := strings.Split(os.Args[1], ","), os.Args[2]
	ctx := context.Background()

	client, err := kgo.NewClient(
		kgo.SeedBrokers(brokers...),
		kgo.ConsumerGroup("billing"),
		kgo.ConsumeTopics(topic),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
		kgo.DisableAutoCommit(),
	)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close() // leaves the group

	var handled []*kgo.Record
	for len(handled) < 10 {
		fetches := client.PollRecords(ctx, 10-len(handled))
		if err := fetches.Err(); err != nil {
			log.Fatal(err)
		}
		for _, record := range fetches.Records() {
			fmt.Println(record.Offset, string(record.Key), string(record.Value))
			handled = append(handled, record)
		}
	}
	if err := client.CommitRecords(ctx, handled...); err != nil {
		log.Fatal(err)
	}
}
