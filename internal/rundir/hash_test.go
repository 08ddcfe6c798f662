package rundir

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestHashStopsWithItsContext(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(name, []byte("abc"), 0o666); err != nil {
		t.Fatal(err)
	}
	const abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
	if got, err := SHA256(t.Context(), name); err != nil || got != abc {
		t.Errorf("sha256 of abc is %s (%v)", got, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := SHA256(ctx, name); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
