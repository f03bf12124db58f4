package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"strings"
	"sync"

	"github.com/IBM/sarama"
)

type billing struct {
	stop    context.CancelFunc
	mu      sync.Mutex // claims run side by side, one for each partition
	handled int
}

func (b *billing) Setup(sarama.ConsumerGroupSession) error   { return nil }
func (b *billing) Cleanup(sarama.ConsumerGroupSession) error { return nil }

func (b *billing) ConsumeClaim(
	session sarama.ConsumerGroupSession, claim sarama.ConsumerGroupClaim,
) error {
	for message := range claim.Messages() {
		b.mu.Lock()
		if b.handled < 10 {
			fmt.Println(message.Offset, string(message.Key), string(message.Value))
			session.MarkMessage(message, "")
			if b.handled++; b.handled == 10 {
				session.Commit()
				b.stop()
			}
		}
		b.mu.Unlock()
	}
	return nil
}

func main() {
	brokers, topic := strings.Split(os.Args[1], ","), os.Args[2]

	config := sarama.NewConfig()
	config.Consumer.Offsets.Initial = sarama.OffsetOldest
	config.Consumer.Offsets.AutoCommit.Enable = false
	config.Consumer.Return.Errors = true

	group, err := sarama.NewConsumerGroup(brokers, "billing", config)
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	handler := &billing{stop: stop}
	for ctx.Err() == nil { // Consume also returns at every rebalance
		if err := group.Consume(ctx, []string{topic}, handler); err != nil {
			log.Fatal(err)
		}
	}
	// Leaves the group, and returns the errors nobody has read, a failed commit too.
	if err := group.Close(); err != nil {
		log.Fatal(err)
	}
}
