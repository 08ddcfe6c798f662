# `make` lists the targets. Nothing but Go is needed.

REVISION := $(shell git rev-parse HEAD 2>/dev/null)
DIRTY    := $(shell test -z "$$(git status --porcelain --untracked-files=no 2>/dev/null)" || echo true)
LDFLAGS  := -X main.stampedRevision=$(REVISION) -X main.stampedDirty=$(DIRTY)
FUZZTIME ?= 2000x
BIN      := bin/shufflebench

.DEFAULT_GOAL := help
.PHONY: help build test race fuzz-short bench seed lint fmt fmt-check tidy-check generate clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## build bin/shufflebench, stamped with its commit
	go build -ldflags '$(LDFLAGS)' -o $(BIN) ./cmd/shufflebench

test: ## vet, all tests, the race detector, every fuzz target for a moment (some minutes on two cores)
	go vet ./...
	go test ./...
	$(MAKE) --no-print-directory race fuzz-short

race: ## tests of the packages that have goroutines, under the race detector
	@if command -v "$$(go env CC)" >/dev/null; then \
	  echo "go test -race -short ..."; go test -race -short $$(scripts/race-packages); \
	else echo "no C compiler ($$(go env CC)): the race detector is left out"; fi

fuzz-short: ## each fuzz target for FUZZTIME (default 2000x)
	scripts/fuzz $(FUZZTIME)

bench: ## the Go benchmarks of the hot paths
	go test -run '^$$' -bench . -benchmem ./...

seed: build ## the seed workload in full: three cases x retain and release, rows to bin/seed.csv, figures checked
	go test -count=1 -timeout 60m -run '^TestSeedWorkload$$' -v ./cmd/shufflebench -seed $(CURDIR)/$(BIN) -seed-csv $(CURDIR)/bin/seed.csv

lint: ## golangci-lint, built from the version that tools/go.mod pins
	go -C tools build -o ../bin/golangci-lint github.com/golangci/golangci-lint/v2/cmd/golangci-lint
	bin/golangci-lint run ./...

fmt: ## format all Go files
	gofmt -w cmd internal pkg

fmt-check: ## fail if a Go file is not formatted
	@out=$$(gofmt -l cmd internal pkg); test -z "$$out" || { echo "not formatted:"; echo "$$out"; exit 1; }

tidy-check: ## fail if go.mod or go.sum are not tidy
	go mod tidy -diff

generate: ## rewrite what is generated: tables in README.md, golden files of reports
	go test ./cmd/shufflebench ./internal/report -run 'README|Golden' -update

clean: ## remove what make built
	rm -rf bin
