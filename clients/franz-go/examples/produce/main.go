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

	client, err := kgo.NewClient(
		kgo.SeedBrokers(brokers...),
		kgo.RequiredAcks(kgo.AllISRAcks()),
	)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()

	var records []*kgo.Record
	for n := range 10 {
		records = append(records, &kgo.Record{
			Topic: topic,
			Key:   fmt.Appendf(nil, "customer-%d", n%3),
			Value: fmt.Appendf(nil, "order-%d", n),
		})
	}
	results := client.ProduceSync(context.Background(), records...)
	if err := results.FirstErr(); err != nil {
		log.Fatal(err)
	}
	fmt.Println("stored 10 records")
}
