package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"
)

var known = map[string]string{
	"":         "bootstrap-server client-id request-timeout-ms security tls-ca tls-cert tls-key sasl-mechanism username password metadata-max-age-ms",
	"producer": "acks compression idempotent transactional-id linger-ms batch-bytes delivery-timeout-ms max-in-flight max-request-bytes retries",
	"consumer": "topic assign group-id group-instance-id group-protocol offset-reset auto-commit auto-commit-interval-ms isolation " +
		"session-timeout-ms heartbeat-interval-ms max-poll-interval-ms fetch-max-bytes assignor",
}

// options maps the neutral options to franz-go's own, and says whether partitions are assigned by hand.
func options(role string, args []string) ([]kgo.Opt, bool) {
	given := map[string][]string{}
	for i := 0; i < len(args); i += 2 {
		name := strings.TrimPrefix(args[i], "--")
		if !slices.Contains(strings.Fields(known[""]+" "+known[role]), name) || i+1 == len(args) {
			usage("unknown option, or no value: " + args[i])
		}
		given[name] = append(given[name], args[i+1])
	}
	has := func(name string) bool { return given[name] != nil }
	text := func(name string) string {
		if !has(name) {
			return ""
		}
		return given[name][0]
	}
	ms := func(name string) time.Duration { return time.Duration(number(text(name))) * time.Millisecond }

	list := []kgo.Opt{kgo.SeedBrokers(strings.Split(text("bootstrap-server"), ",")...), kgo.WithLogger(kgo.BasicLogger(os.Stderr, kgo.LogLevelWarn, nil))}
	add := func(name string, option func() kgo.Opt) {
		if has(name) {
			list = append(list, option())
		}
	}
	add("client-id", func() kgo.Opt { return kgo.ClientID(text("client-id")) })
	add("request-timeout-ms", func() kgo.Opt { return kgo.RequestTimeoutOverhead(ms("request-timeout-ms")) })
	add("metadata-max-age-ms", func() kgo.Opt {
		list = append(list, kgo.MetadataMinAge(min(ms("metadata-max-age-ms"), 2500*time.Millisecond)))
		return kgo.MetadataMaxAge(ms("metadata-max-age-ms"))
	})
	list = append(list, security(text)...)

	if role == "producer" {
		list = append(list, kgo.RecordPartitioner(asked{kgo.UniformBytesPartitioner(64<<10, true, true, nil)})) // the default, see asked
		unacked = text("acks") == "0"
		idempotent := text("idempotent") != "false" && (text("acks") == "" || text("acks") == "all")
		if !idempotent { // franz-go is idempotent by itself, which excludes acks other than all
			list = append(list, kgo.DisableIdempotentWrite())
		}
		if idempotent && has("max-in-flight") {
			refuse("--max-in-flight", "has no effect while the producer is idempotent", "MaxProduceRequestsInflightPerBroker")
		}
		add("max-in-flight", func() kgo.Opt { return kgo.MaxProduceRequestsInflightPerBroker(number(text("max-in-flight"))) })
		add("acks", func() kgo.Opt {
			return kgo.RequiredAcks(map[string]kgo.Acks{"0": kgo.NoAck(), "1": kgo.LeaderAck(), "all": kgo.AllISRAcks()}[text("acks")])
		})
		add("compression", func() kgo.Opt {
			return kgo.ProducerBatchCompression(map[string]kgo.CompressionCodec{"none": kgo.NoCompression(), "gzip": kgo.GzipCompression(),
				"snappy": kgo.SnappyCompression(), "lz4": kgo.Lz4Compression(), "zstd": kgo.ZstdCompression()}[text("compression")])
		})
		add("request-timeout-ms", func() kgo.Opt { return kgo.ProduceRequestTimeout(ms("request-timeout-ms")) })
		add("transactional-id", func() kgo.Opt { return kgo.TransactionalID(text("transactional-id")) })
		add("linger-ms", func() kgo.Opt { return kgo.ProducerLinger(ms("linger-ms")) })
		add("delivery-timeout-ms", func() kgo.Opt { return kgo.RecordDeliveryTimeout(ms("delivery-timeout-ms")) })
		add("retries", func() kgo.Opt { return kgo.RecordRetries(number(text("retries"))) })
		add("max-request-bytes", func() kgo.Opt {
			list = append(list, kgo.BrokerMaxWriteBytes(int32(number(text("max-request-bytes")))))
			return kgo.ProducerBatchMaxBytes(int32(number(text("max-request-bytes"))))
		})
		add("batch-bytes", func() kgo.Opt { return kgo.ProducerBatchMaxBytes(int32(number(text("batch-bytes")))) })
		return list, false
	}

	for _, name := range []string{"heartbeat-interval-ms", "session-timeout-ms", "assignor"} {
		if has(name) && text("group-protocol") == "consumer" {
			refuse("--"+name, "is the broker's to say in the consumer protocol", "ServerSideBalancer")
		}
	}
	resets := map[string]kgo.Offset{"earliest": kgo.NewOffset().AtStart(), "latest": kgo.NewOffset().AtEnd(), "none": kgo.NoResetOffset()}
	add("offset-reset", func() kgo.Opt {
		if text("offset-reset") == "none" {
			list = append(list, kgo.ConsumeStartOffset(kgo.NewOffset().AtCommitted()))
		}
		return kgo.ConsumeResetOffset(resets[text("offset-reset")])
	})
	add("isolation", func() kgo.Opt {
		return kgo.FetchIsolationLevel(map[string]kgo.IsolationLevel{"read_committed": kgo.ReadCommitted(), "read_uncommitted": kgo.ReadUncommitted()}[text("isolation")])
	})
	add("fetch-max-bytes", func() kgo.Opt { return kgo.FetchMaxBytes(int32(number(text("fetch-max-bytes")))) })
	if has("assign") {
		places := map[string]map[int32]kgo.Offset{}
		for _, place := range given["assign"] {
			part := strings.Split(place, ":")
			at, named := kgo.NewOffset().AtStart(), false // franz-go's own start
			if reset := text("offset-reset"); reset == "earliest" || reset == "latest" {
				at = resets[reset]
			}
			if len(part) > 2 {
				if at, named = resets[part[2]]; !named {
					at = kgo.NewOffset().At(int64(number(part[2])))
				}
			}
			if places[part[0]] == nil {
				places[part[0]] = map[int32]kgo.Offset{}
			}
			places[part[0]][int32(number(part[1]))] = at
		}
		return append(list, kgo.ConsumePartitions(places)), true
	}
	if has("max-poll-interval-ms") {
		refuse("--max-poll-interval-ms", "franz-go does not watch how often it is polled", "RebalanceTimeout")
	}
	add("group-id", func() kgo.Opt { return kgo.ConsumerGroup(text("group-id")) })
	add("topic", func() kgo.Opt { return kgo.ConsumeTopics(given["topic"]...) })
	add("group-instance-id", func() kgo.Opt { return kgo.InstanceID(text("group-instance-id")) })
	add("session-timeout-ms", func() kgo.Opt { return kgo.SessionTimeout(ms("session-timeout-ms")) })
	add("heartbeat-interval-ms", func() kgo.Opt { return kgo.HeartbeatInterval(ms("heartbeat-interval-ms")) })
	add("auto-commit-interval-ms", func() kgo.Opt { return kgo.AutoCommitInterval(ms("auto-commit-interval-ms")) })
	add("assignor", func() kgo.Opt {
		return kgo.Balancers(map[string]kgo.GroupBalancer{"range": kgo.RangeBalancer(), "roundrobin": kgo.RoundRobinBalancer(),
			"cooperative-sticky": kgo.CooperativeStickyBalancer()}[text("assignor")])
	})
	if text("group-protocol") == "consumer" {
		list = append(list, kgo.ServerSideBalancer(), kgo.Balancers(kgo.RangeBalancer()))
	}
	revoked := moved("partitions_revoked")
	if text("auto-commit") == "false" {
		list = append(list, kgo.DisableAutoCommit())
	} else { // a callback of one's own takes the place of the commit that franz-go would do here
		say := revoked
		revoked = func(c context.Context, client *kgo.Client, partitions map[string][]int32) {
			client.CommitUncommittedOffsets(c)
			say(c, client, partitions)
		}
	}
	return append(list, kgo.OnPartitionsAssigned(moved("partitions_assigned")), kgo.OnPartitionsRevoked(revoked), kgo.OnPartitionsLost(moved("partitions_lost"))), false
}

func security(text func(string) string) (list []kgo.Opt) {
	if strings.HasSuffix(text("security"), "tls") {
		config := &tls.Config{}
		if file := text("tls-ca"); file != "" {
			pem, err := os.ReadFile(file)
			config.RootCAs = x509.NewCertPool()
			if err != nil || !config.RootCAs.AppendCertsFromPEM(pem) {
				usage("no certificate in " + file)
			}
		}
		if text("tls-cert") != "" {
			pair, err := tls.LoadX509KeyPair(text("tls-cert"), text("tls-key"))
			if err != nil {
				usage(err.Error())
			}
			config.Certificates = []tls.Certificate{pair}
		}
		list = append(list, kgo.DialTLSConfig(config))
	}
	if strings.HasPrefix(text("security"), "sasl") {
		login := scram.Auth{User: text("username"), Pass: text("password")}
		list = append(list, kgo.SASL(map[string]sasl.Mechanism{"PLAIN": plain.Auth{User: login.User, Pass: login.Pass}.AsMechanism(),
			"SCRAM-SHA-256": login.AsSha256Mechanism(), "SCRAM-SHA-512": login.AsSha512Mechanism()}[text("sasl-mechanism")]))
	}
	return list
}

// refuse says that franz-go cannot honour an option, and ends the driver.
func refuse(option, why, function string) {
	say("unsupported", nil, event{"option": option, "reason": why, "link": "https://pkg.go.dev/github.com/twmb/franz-go/pkg/kgo#" + function})
	os.Exit(3)
}
