// Package reader decodes shuffle files: a data file and its index become
// partitions, blocks and Arrow record batches.
package reader
