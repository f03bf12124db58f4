// Relays the kit's commands to franz-go, and what franz-go says back.
package main

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

type event map[string]any

type command struct {
	ID         *int64      `json:"id"`
	Command    string      `json:"command"`
	Topic      string      `json:"topic"`
	Partition  *int32      `json:"partition"`
	Offset     int64       `json:"offset"`
	Key        *string     `json:"key"`
	Value      *string     `json:"value"`
	Headers    [][]*string `json:"headers"`
	Timestamp  *int64      `json:"timestamp"`
	TimeoutMs  int64       `json:"timeout-ms"`
	Max        int         `json:"max"`
	Partitions [][]any     `json:"partitions"`
	Offsets    []struct {
		Topic     string `json:"topic"`
		Partition int32  `json:"partition"`
		Offset    int64  `json:"offset"`
	} `json:"offsets"`
}

type driver struct {
	client  *kgo.Client
	grouped bool
}

var (
	ctx     = context.Background()
	mutex   sync.Mutex
	open    sync.WaitGroup // records without an answer
	unacked bool           // acks=0: the broker does not tell the offset
)

func say(name string, id *int64, fields event) {
	if fields == nil {
		fields = event{}
	}
	fields["event"] = name
	if id != nil {
		fields["id"] = *id
	}
	line, _ := json.Marshal(fields)
	mutex.Lock()
	defer mutex.Unlock()
	os.Stdout.Write(append(line, '\n'))
}

// fail says an error, classed by franz-go's own kinds of error.
func fail(name string, id *int64, err error) {
	fields := event{"class": "unknown", "error": fmt.Sprintf("%T", err), "message": err.Error(), "code": nil}
	var broker *kerr.Error
	var network net.Error
	switch {
	case errors.As(err, &broker):
		fields["code"], fields["error"] = broker.Code, broker.Message
		switch broker {
		case kerr.SaslAuthenticationFailed, kerr.UnsupportedSaslMechanism, kerr.IllegalSaslState:
			fields["class"] = "auth"
		case kerr.TopicAuthorizationFailed, kerr.GroupAuthorizationFailed, kerr.ClusterAuthorizationFailed, kerr.TransactionalIDAuthorizationFailed:
			fields["class"] = "authorization"
		case kerr.ProducerFenced, kerr.InvalidProducerEpoch, kerr.FencedInstanceID, kerr.OutOfOrderSequenceNumber, kerr.UnknownProducerID:
			fields["class"] = "fatal"
		case kerr.TransactionAbortable:
			fields["class"] = "abortable"
		case kerr.RequestTimedOut, kerr.NotEnoughReplicasAfterAppend:
			fields["class"] = "indeterminate"
		case kerr.UnknownServerError:
		default:
			fields["class"] = "invalid"
			if broker.Retriable || broker == kerr.RebalanceInProgress {
				fields["class"] = "retriable"
			}
		}
	case errors.Is(err, kgo.ErrRecordTimeout), errors.Is(err, kgo.ErrRecordRetries), errors.Is(err, context.DeadlineExceeded), errors.Is(err, kgo.ErrAborting), errors.Is(err, kgo.ErrClientClosed):
		fields["class"] = "indeterminate"
	case errors.Is(err, kgo.ErrMaxBuffered), errors.As(err, &network):
		fields["class"] = "retriable"
	}
	say(name, id, fields)
}

func unsupported(id *int64, reason, link string) {
	fields := event{"reason": reason}
	if link != "" {
		fields["link"] = link
	}
	say("unsupported", id, fields)
}

func done(id *int64, err error) {
	if err != nil {
		fail("failed", id, err)
	} else {
		say("done", id, nil)
	}
}

func decode(text *string) []byte {
	if text == nil {
		return nil
	}
	data, err := base64.StdEncoding.DecodeString(*text)
	if err != nil {
		panic(err)
	}
	return data // empty, not nil, for an empty text
}

func encode(data []byte) any {
	if data == nil {
		return nil
	}
	return data // encoding/json writes base64
}

// asked is franz-go's default partitioner, but for records whose partition was named: those have one of 0 or more.
type asked struct{ kgo.Partitioner }

type askedTopic struct{ kgo.TopicBackupPartitioner }

func (p asked) ForTopic(topic string) kgo.TopicPartitioner {
	return askedTopic{p.Partitioner.ForTopic(topic).(kgo.TopicBackupPartitioner)}
}

func (p askedTopic) RequiresConsistency(r *kgo.Record) bool {
	return r.Partition >= 0 || p.TopicBackupPartitioner.RequiresConsistency(r)
}

func (p askedTopic) PartitionByBackup(r *kgo.Record, n int, backup kgo.TopicBackupIter) int {
	if r.Partition >= 0 {
		return int(r.Partition)
	}
	return p.TopicBackupPartitioner.PartitionByBackup(r, n, backup)
}

func (d *driver) send(c command) {
	r := &kgo.Record{Topic: c.Topic, Partition: -1, Key: decode(c.Key), Value: decode(c.Value)}
	if c.Partition != nil {
		r.Partition = *c.Partition
	}
	if c.Timestamp != nil {
		r.Timestamp = time.UnixMilli(*c.Timestamp)
	}
	for _, h := range c.Headers {
		r.Headers = append(r.Headers, kgo.RecordHeader{Key: *h[0], Value: decode(h[1])})
	}
	open.Add(1)
	d.client.Produce(ctx, r, func(r *kgo.Record, err error) {
		defer open.Done()
		if err != nil {
			fail("producer_send_error", c.ID, err)
			return
		}
		fields := event{"topic": r.Topic, "partition": r.Partition, "offset": r.Offset}
		if unacked || r.Offset < 0 {
			fields["offset"] = nil
		}
		say("producer_send_success", c.ID, fields)
	})
}

func (d *driver) end(c command, commit kgo.TransactionEndTry) {
	err := d.client.Flush(ctx)
	if !commit {
		err = d.client.AbortBufferedRecords(ctx)
	}
	if err == nil {
		err = d.client.EndTransaction(ctx, commit)
	}
	done(c.ID, err)
}

func (d *driver) produce(c command) {
	switch c.Command {
	case "send":
		d.send(c)
	case "flush":
		limited, cancel := context.WithTimeout(ctx, time.Duration(c.TimeoutMs)*time.Millisecond)
		defer cancel()
		done(c.ID, d.client.Flush(limited))
	case "init-transactions": // franz-go does it by itself at the first record; asking for the producer id does it now
		_, _, err := d.client.ProducerID(ctx)
		done(c.ID, err)
	case "begin":
		done(c.ID, d.client.BeginTransaction())
	case "commit":
		d.end(c, kgo.TryCommit)
	case "abort":
		d.end(c, kgo.TryAbort)
	default:
		unsupported(c.ID, "a producer has no "+c.Command, "")
	}
}

func (d *driver) poll(c command) {
	limited, cancel := context.WithTimeout(ctx, time.Duration(c.TimeoutMs)*time.Millisecond)
	defer cancel()
	records := []event{}
	for failed := false; len(records) < c.Max && limited.Err() == nil && !failed; {
		fetches := d.client.PollRecords(limited, c.Max-len(records))
		fetches.EachError(func(_ string, _ int32, err error) {
			if !errors.Is(err, context.DeadlineExceeded) {
				fail("consumer_error", c.ID, err)
				failed = true
			}
		})
		fetches.EachRecord(func(r *kgo.Record) {
			headers := [][]any{}
			for _, h := range r.Headers {
				headers = append(headers, []any{h.Key, encode(h.Value)})
			}
			records = append(records, event{"topic": r.Topic, "partition": r.Partition, "offset": r.Offset, "key": encode(r.Key),
				"value": encode(r.Value), "headers": headers, "timestamp": r.Timestamp.UnixMilli()})
		})
	}
	say("records_consumed", c.ID, event{"records": records})
}

func (d *driver) commit(c command) {
	offsets := d.client.UncommittedOffsets()
	if c.Offsets != nil {
		offsets = map[string]map[int32]kgo.EpochOffset{}
		for _, o := range c.Offsets {
			if offsets[o.Topic] == nil {
				offsets[o.Topic] = map[int32]kgo.EpochOffset{}
			}
			offsets[o.Topic][o.Partition] = kgo.EpochOffset{Epoch: -1, Offset: o.Offset}
		}
	}
	var failed error
	d.client.CommitOffsetsSync(ctx, offsets, func(_ *kgo.Client, _ *kmsg.OffsetCommitRequest, answer *kmsg.OffsetCommitResponse, err error) {
		failed = err
		for _, t := range answerTopics(answer) {
			for _, p := range t.Partitions {
				failed = errors.Join(failed, kerr.ErrorForCode(p.ErrorCode))
			}
		}
	})
	if failed != nil {
		fail("failed", c.ID, failed)
		return
	}
	list := []event{}
	for topic, partitions := range offsets {
		for partition, o := range partitions {
			list = append(list, event{"topic": topic, "partition": partition, "offset": o.Offset})
		}
	}
	say("offsets_committed", c.ID, event{"offsets": list})
}

func answerTopics(answer *kmsg.OffsetCommitResponse) []kmsg.OffsetCommitResponseTopic {
	if answer == nil {
		return nil
	}
	return answer.Topics
}

// offsetAt asks the broker, as franz-go's own kadm does: the first offset that is not older, or the end (-1).
func (d *driver) offsetAt(topic string, partition int32, timestamp int64) (int64, error) {
	p := kmsg.NewListOffsetsRequestTopicPartition()
	p.Partition, p.Timestamp = partition, timestamp
	t := kmsg.NewListOffsetsRequestTopic()
	t.Topic, t.Partitions = topic, append(t.Partitions, p)
	request := kmsg.NewPtrListOffsetsRequest()
	request.Topics = append(request.Topics, t)
	answer, err := request.RequestWith(ctx, d.client)
	if err != nil {
		return 0, err
	}
	found := answer.Topics[0].Partitions[0]
	if err := kerr.ErrorForCode(found.ErrorCode); err != nil || found.Offset >= 0 || timestamp < 0 {
		return found.Offset, err
	}
	return d.offsetAt(topic, partition, -1)
}

func (d *driver) consume(c command) {
	const position = "https://pkg.go.dev/github.com/twmb/franz-go/pkg/kgo#Client"
	seek := func(offset int64) {
		d.client.SetOffsets(map[string]map[int32]kgo.EpochOffset{c.Topic: {*c.Partition: {Epoch: -1, Offset: offset}}})
	}
	partitions := map[string][]int32{}
	for _, p := range c.Partitions {
		partitions[p[0].(string)] = append(partitions[p[0].(string)], int32(p[1].(float64)))
	}
	switch c.Command {
	case "poll":
		d.poll(c)
	case "commit-offsets":
		if !d.grouped {
			unsupported(c.ID, "only a group member commits", position+".CommitOffsetsSync")
			return
		}
		d.commit(c)
	case "seek":
		seek(c.Offset)
		done(c.ID, nil)
	case "seek-to-time":
		offset, err := d.offsetAt(c.Topic, *c.Partition, *c.Timestamp)
		if err == nil {
			seek(offset)
		}
		done(c.ID, err)
	case "pause":
		d.client.PauseFetchPartitions(partitions)
		done(c.ID, nil)
	case "resume":
		d.client.ResumeFetchPartitions(partitions)
		done(c.ID, nil)
	case "committed": // as the client knows it, for a partition it is assigned
		if o, known := d.client.CommittedOffsets()[c.Topic][*c.Partition]; known && o.Offset >= 0 {
			say("offset", c.ID, event{"offset": o.Offset})
		} else {
			say("offset", c.ID, event{"offset": nil})
		}
	case "position":
		unsupported(c.ID, "franz-go does not tell which offset it reads next", position)
	default:
		unsupported(c.ID, "a consumer has no "+c.Command, "")
	}
}

func moved(name string) func(context.Context, *kgo.Client, map[string][]int32) {
	return func(_ context.Context, _ *kgo.Client, assigned map[string][]int32) {
		list := [][]any{}
		for topic, partitions := range assigned {
			for _, p := range partitions {
				list = append(list, []any{topic, p})
			}
		}
		if len(list) > 0 || name == "partitions_assigned" {
			say(name, nil, event{"partitions": list})
		}
	}
}

func info() {
	version := ""
	build, _ := debug.ReadBuildInfo()
	for _, dep := range build.Deps {
		if dep.Path == "github.com/twmb/franz-go" {
			version = strings.TrimPrefix(dep.Version, "v")
		}
	}
	say("info", nil, event{"client": "franz-go", "version": version, "engine": nil, "roles": []string{"producer", "consumer"},
		"language": "Go " + strings.TrimPrefix(runtime.Version(), "go")})
}

func main() {
	if len(os.Args) < 2 {
		usage("the role is info, producer or consumer")
	}
	role := os.Args[1]
	if role == "info" {
		info()
		return
	}
	settings, assigned := options(role, os.Args[2:])
	client, err := kgo.NewClient(settings...)
	if err != nil { // franz-go refuses what was asked of it
		unsupported(nil, err.Error(), "")
		os.Exit(3)
	}
	d := &driver{client, !assigned}
	handle := map[string]func(command){"producer": d.produce, "consumer": d.consume}[role]
	say("startup_complete", nil, nil)
	var closing *int64
	for in := bufio.NewReader(os.Stdin); ; {
		line, err := in.ReadBytes('\n')
		if err != nil {
			break
		}
		var c command
		if err := json.Unmarshal(line, &c); err != nil {
			panic(err)
		}
		if c.Command == "close" {
			closing = c.ID
			break
		}
		handle(c)
	}
	if role == "producer" { // a record that was sent is retried without end: after this time, closing fails what is left
		limited, cancel := context.WithTimeout(ctx, 30*time.Second)
		defer cancel()
		client.Flush(limited)
	}
	client.Close()
	open.Wait() // Close does not wait until the failed records have been told
	say("shutdown_complete", closing, nil)
}

func usage(why string) {
	fmt.Fprintln(os.Stderr, why)
	os.Exit(2)
}

func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		usage("not a number: " + text)
	}
	return n
}
