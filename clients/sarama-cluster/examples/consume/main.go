// sarama-cluster only consumes: its producer is that of sarama.
package main

import (
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/Shopify/sarama"
	cluster "github.com/bsm/sarama-cluster"
)

func main() {
	brokers, topic := strings.Split(os.Args[1], ","), os.Args[2]

	config := cluster.NewConfig()
	config.Version = sarama.V2_1_0_0
	config.Consumer.Offsets.Initial = sarama.OffsetOldest
	config.Consumer.Return.Errors = true

	consumer, err := cluster.NewConsumer(brokers, "billing", []string{topic}, config)
	if err != nil {
		log.Fatal(err)
	}

	// What is marked is committed in the background: mark nothing before the tenth.
	stash := cluster.NewOffsetStash()
	for handled := 0; handled < 10; {
		select {
		case message := <-consumer.Messages():
			fmt.Println(message.Offset, string(message.Key), string(message.Value))
			stash.MarkOffset(message, "")
			handled++
		case err := <-consumer.Errors():
			log.Fatal(err)
		}
	}
	consumer.MarkOffsets(stash)
	if err := consumer.CommitOffsets(); err != nil {
		log.Fatal(err)
	}
	if err := consumer.Close(); err != nil { // leaves the group
		log.Fatal(err)
	}
}
