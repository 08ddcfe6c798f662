package reader

import (
	"errors"
	"strings"
	"testing"

	"github.com/shufflebench/shufflebench/internal/shufflefile"
)

// wantError wants a *shufflefile.Error of a class whose text has a part.
func wantError(t *testing.T, err, class error, part string) {
	t.Helper()
	var e *shufflefile.Error
	switch {
	case !errors.As(err, &e) || !errors.Is(err, class):
		t.Errorf("error %v (%T), want one of class %v", err, err, class)
	case !strings.Contains(err.Error(), part):
		t.Errorf("error %q, want %q in it", err, part)
	}
}

func wantCorrupt(t *testing.T, err error, part string) {
	t.Helper()
	wantError(t, err, shufflefile.ErrCorrupt, part)
}
