package bench

import (
	"context"
	"errors"
	"time"

	"github.com/shufflebench/shufflebench/internal/rundir"
	"github.com/shufflebench/shufflebench/pkg/metrics"
	"github.com/shufflebench/shufflebench/pkg/writer"
)

// Order is what the driver tells a child: one run, the floor, or one read.
type Order struct {
	Kind      string         `json:"kind"`
	Input     string         `json:"input"`
	OutputDir string         `json:"output_dir"`
	Options   rundir.Options `json:"options"`
	Profiles  Profiles       `json:"profiles,omitzero"`
	Read      *ReadOrder     `json:"read,omitempty"` // of kindRead, which has no input

	Repartition *RepartitionOrder `json:"repartition,omitempty"` // of kindRepartition
}

// The kinds of orders.
const (
	kindWrite = "write"
	kindFloor = "floor"
	kindRead  = "read"

	kindRepartition = "repartition"
)

// Reply is what the child tells the driver.
type Reply struct {
	Failure *Failure       `json:"failure,omitempty"`
	Started time.Time      `json:"started,omitzero"`
	Result  *writer.Result `json:"result,omitempty"`
	Usage   metrics.Usage  `json:"usage,omitzero"`
	Schema  *rundir.Schema `json:"schema,omitempty"`
	Floor   *Floor         `json:"floor,omitempty"`
	Read    *ReadFigures   `json:"read,omitempty"`

	Repartition *RepartitionFigures `json:"repartition,omitempty"`
}

// Failure carries an error across processes.
type Failure struct {
	Message  string                   `json:"message"`
	Canceled bool                     `json:"canceled,omitempty"`
	Unknown  *writer.UnknownNameError `json:"unknown,omitempty"`
}

// newFailure takes from err what the driver must know.
func newFailure(err error) *Failure {
	f := &Failure{Message: err.Error(), Canceled: errors.Is(err, context.Canceled)}
	errors.As(err, &f.Unknown)
	return f
}

// Error is the message.
func (f *Failure) Error() string { return f.Message }

// Unwrap restores what errors.Is and errors.As look for.
func (f *Failure) Unwrap() []error {
	var errs []error
	if f.Canceled {
		errs = append(errs, context.Canceled)
	}
	if f.Unknown != nil {
		errs = append(errs, f.Unknown)
	}
	return errs
}

// options puts writer options into their recorded form.
func options(o writer.Options) rundir.Options {
	return rundir.Options{
		Engine: o.Engine, Partitions: o.Partitions, Partitioning: string(o.Partitioning), HashColumns: o.HashColumns,
		BatchSize: o.BatchSize, Codec: o.Codec.String(), ZstdLevel: o.ZstdLevel, LZ4Encoder: string(o.LZ4Encoder),
		MemoryLimit: o.MemoryLimit, MaxBufferBytes: o.MaxBufferBytes, WriteBufferSize: o.WriteBufferSize, MergeBudget: o.MergeBudget,
		SpillMetadata: string(o.SpillMetadata), SpillCodec: o.SpillCodec, Limit: o.Limit,
		ConcurrentTasks: o.ConcurrentTasks, Workers: o.Workers, SpillDir: o.SpillDir,
		Checksum: o.Checksum.String(), PageSize: o.PageSize, SpillRows: o.SpillRows, Calls: string(o.Calls),
		RecordLength: o.RecordLength, DictionaryRatio: o.DictionaryRatio,
		Inputs: o.Inputs, TaskMemoryLimit: o.TaskMemoryLimit, Encode: string(o.Encode),
		OffsetLengths: o.OffsetLengths, StrictTypes: o.StrictTypes, HashRule: o.HashRule.String(),
	}
}
