package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"github.com/shufflebench/shufflebench/internal/rundir"
	"github.com/shufflebench/shufflebench/internal/shufflefile"
	"github.com/shufflebench/shufflebench/pkg/fixture"
	"github.com/shufflebench/shufflebench/pkg/metrics"
	"github.com/shufflebench/shufflebench/pkg/writer"
	"github.com/shufflebench/shufflebench/pkg/writer/partition"
)

// Serve is a child's whole life: it reads an order from in, carries it out
// until in ends, and writes the reply to out.
func Serve(ctx context.Context, in io.Reader, out io.Writer, now func() time.Time) error {
	dec := json.NewDecoder(in)
	var o Order
	if err := dec.Decode(&o); err != nil {
		return fmt.Errorf("no order on standard input: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() { // ends with the process: the driver closes its end or dies
		_, _ = io.Copy(io.Discard, in)
		cancel()
	}()
	reply, err := carryOut(ctx, o, now)
	if err != nil {
		reply = &Reply{Failure: newFailure(err)}
	}
	return json.NewEncoder(out).Encode(reply)
}

func carryOut(ctx context.Context, o Order, now func() time.Time) (*Reply, error) {
	if o.Kind == kindRead && o.Read != nil {
		fig, err := o.Read.read(ctx)
		return &Reply{Read: fig}, err
	}
	src, err := fixture.Open(o.Input)
	if err != nil {
		return nil, err
	}
	if o.Kind == kindRepartition && o.Repartition != nil {
		fig, err := o.Repartition.repartition(ctx, src)
		return &Reply{Repartition: fig}, err
	}
	switch o.Kind {
	case kindWrite:
		return write(ctx, src, o, now)
	case kindFloor:
		floor, err := measureFloor(ctx, src, o, now)
		return &Reply{Floor: floor}, err
	}
	return nil, fmt.Errorf("unknown order %q", o.Kind)
}

// gcPercent lets the heap grow by half of what is live before it is collected,
// unless GOGC says otherwise: a run's memory is nearly all buffers that are kept
// and reused, so that collections are few and cheap whatever the number.
const gcPercent = 50

// write is one run. Peak memory is read the moment the last task ends.
func write(ctx context.Context, src *fixture.Dataset, o Order, now func() time.Time) (*Reply, error) {
	opts, err := writerOptions(o)
	if err != nil {
		return nil, err
	}
	stop, err := o.Profiles.start()
	if err != nil {
		return nil, err
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	reply := &Reply{Started: now()}
	watch := metrics.Watch()
	res, err := writer.Run(ctx, src, opts)
	reply.Usage, reply.Result = watch.Stop(), res
	if perr := stop(); err == nil {
		err = perr
	}
	if err != nil {
		return nil, err
	}
	reply.Schema, err = describe(writer.OutputSchema(src.Schema()))
	return reply, err
}

// writerOptions is the inverse of options.
func writerOptions(o Order) (writer.Options, error) {
	r := o.Options
	codec, err := shufflefile.ParseCodec(r.Codec)
	checksum, checksumErr := shufflefile.ParseChecksum(r.Checksum)
	rule, ruleErr := partition.ParseRule(r.HashRule)
	return writer.Options{
		Engine: r.Engine, Partitions: r.Partitions, Partitioning: writer.Partitioning(r.Partitioning), HashColumns: r.HashColumns,
		BatchSize: r.BatchSize, Codec: codec, ZstdLevel: r.ZstdLevel, LZ4Encoder: writer.LZ4Encoder(r.LZ4Encoder),
		MemoryLimit: r.MemoryLimit, MaxBufferBytes: r.MaxBufferBytes, WriteBufferSize: r.WriteBufferSize, MergeBudget: r.MergeBudget,
		SpillMetadata: writer.SpillMetadata(r.SpillMetadata), SpillCodec: r.SpillCodec, Limit: r.Limit,
		ConcurrentTasks: r.ConcurrentTasks, Workers: r.Workers, SpillDir: r.SpillDir, OutputDir: o.OutputDir,
		Checksum: checksum, PageSize: r.PageSize, SpillRows: r.SpillRows, Calls: writer.Calls(r.Calls),
		RecordLength: r.RecordLength, DictionaryRatio: r.DictionaryRatio,
		Inputs: r.Inputs, TaskMemoryLimit: r.TaskMemoryLimit, Encode: writer.Encode(r.Encode),
		OffsetLengths: r.OffsetLengths, StrictTypes: r.StrictTypes, HashRule: rule,
	}, errors.Join(err, checksumErr, ruleErr)
}

// describe puts a schema into its recorded form.
func describe(s *arrow.Schema) (*rundir.Schema, error) {
	var b bytes.Buffer
	w := ipc.NewWriter(&b, ipc.WithSchema(s))
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("output schema: %w", err)
	}
	return &rundir.Schema{IPC: b.Bytes(), Text: s.String()}, nil
}
