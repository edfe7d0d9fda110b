# Everything a developer types. `make` alone lists it.
.DEFAULT_GOAL := help
SHELL := /bin/bash
GO ?= go
TOOLS := .tools
# The linter's version stands in the first line of its configuration, and nowhere else.
LINT_VERSION := $(shell sed -n '1s/^\# *//p' .golangci.yml)
LINT := $(TOOLS)/golangci-lint-$(LINT_VERSION)
# make test RACE=1 looks for races, too, where there is a C compiler, which the detector needs. It takes twice the time.
RACE ?=
DETECTOR = $(if $(RACE),$(if $(filter ok,$(shell printf '\043include <stdlib.h>\n' | $$($(GO) env CC) -x c -fsyntax-only - 2>/dev/null && echo ok)),-race))
# Tests that the race detector would break, or slow down by minutes where nothing runs at the same time.
WITHOUT_RACE := TestNobodyBreaksOut|TestProcessesAgree
# An S3 server for the tests of foreign servers.
VERSITYGW_VERSION := v1.8.0
VERSITYGW := $(TOOLS)/versitygw-$(VERSITYGW_VERSION)
GOTESTSUM_VERSION := v1.13.0
GOTESTSUM := $(TOOLS)/gotestsum-$(GOTESTSUM_VERSION)
# How often a test that failed is run again, alone: CI has few processors, and a test that fails once in a hundred runs
# must not hold a change up. What failed is printed all the same; a data race is final, and more failures than a moment
# without a server explains.
RERUNS ?= 0
# The longest packages are named first, so that nothing waits for them at the end.
TESTED = $(if $(filter ./...,$(PKG)),./internal/httpapi ./cmd/dealflow) $(PKG)
TEST = $(if $(filter-out 0,$(RERUNS)),$(GOTESTSUM) --format pkgname-and-test-fails --rerun-fails=$(RERUNS) \
  --rerun-fails-max-failures=20 --rerun-fails-abort-on-data-race --packages='$(TESTED)' --,$(GO) test $(TESTED))
# Many tests wait, for a lease to end or a server to start: on few processors more run at once than there are processors.
# On more than four, that many would want more connections than the servers of the tests have; with the detector, which
# takes twice the processor time, they would run into their time limits.
CORES := $(shell getconf _NPROCESSORS_ONLN)
BESIDE = $(if $(DETECTOR),,$(if $(filter 1 2 3 4,$(CORES)),-p $(shell expr $(CORES) + 1) -parallel $(shell expr 3 \* $(CORES))))
# The same for programs, tests and linters, so that each package is compiled once for all of them. Nothing speaks
# MessagePack, and gin's codec for it takes longer to compile than anything else; programs have no path of the machine
# that builds them; tables for a debugger would take a third of the build cache.
export GOFLAGS += -tags=nomsgpack -trimpath -gcflags=all=-dwarf=false
export CGO_ENABLED := 0
BUILD_FLAGS := -ldflags='-s -w'
# The release's archives: systems and processors.
PLATFORMS := linux/amd64 linux/arm64 darwin/amd64 darwin/arm64
# What to test and lint; for one package: make test PKG=./internal/company
PKG ?= ./...

.PHONY: help
help: ## List these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-18s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: run
run: build ## Build and run everything on embedded defaults: database, queue, storage, API, worker
	@exec bin/dealflow up

.PHONY: build
build: ## Build api, worker and dealflow into bin/
	@# The list makes go download what is missing first, which it names as it goes.
	@packages=$$($(GO) list -deps ./cmd/... | wc -l) && \
	  .ci/build-progress $$packages $(GO) build -v $(BUILD_FLAGS) -o bin/ ./cmd/...

.PHONY: dist
dist: ## Build an archive of the programs for each of PLATFORMS into dist/, with checksums
	@rm -rf dist && mkdir dist
	@set -e; version=$$(git describe --tags --always); for platform in $(PLATFORMS); do \
	  name=dealflow-$$version-$${platform%/*}-$${platform#*/}; echo "  $$name"; \
	  GOOS=$${platform%/*} GOARCH=$${platform#*/} $(GO) build $(BUILD_FLAGS) -o dist/$$name/ ./cmd/...; \
	  cp -r README.md CHANGELOG.md docs dist/$$name/; tar -C dist -czf dist/$$name.tar.gz $$name; rm -rf dist/$$name; done
	@cd dist && sha256sum *.tar.gz > SHA256SUMS && cat SHA256SUMS

# Without the part of go vet that go test would run of itself: `make vet` and `make lint` have all of it. To collect
# garbage less often saves up to a tenth of the processor time of Go.
.PHONY: test
test: $(TOOLS)/servers $(if $(filter-out 0,$(RERUNS)),$(GOTESTSUM)) ## Run the tests against a real Postgres and Redis of their own (PKG=./internal/x for one package)
	$(if $(and $(DETECTOR),$(filter ./...,$(PKG))),$(GO) test -vet=off -count=1 -run '$(WITHOUT_RACE)' ./internal/pdftext ./internal/analysis/rules)
	$(if $(and $(DETECTOR),$(filter ./...,$(PKG))),$(GO) test -vet=off -count=1 ./internal/analysis/eval -every)
	$(if $(DETECTOR),CGO_ENABLED=1,GOGC=400) $(TOOLS)/servers -- $(TEST) $(DETECTOR) $(BESIDE) -vet=off -count=1 -timeout 30m

# Every test counts for every package, and so do the programs and other processes that tests start, unless they are
# killed, or confined as readers of PDFs are.
COVERAGE := $(CURDIR)/$(TOOLS)/coverage
.PHONY: cover
cover: $(TOOLS)/servers ## Run the tests and print the share of statements that they run: at least 0.9 of all, 0.6 of each package
	@GOFLAGS="$(GOFLAGS) -cover -coverpkg=dealflow/..." .ci/coverage $(COVERAGE) $(TOOLS)/servers -- $(GO) test $(TESTED) \
	  $(BESIDE) -vet=off -count=1 -timeout 30m -exec 'env GOCOVERDIR=$(COVERAGE)' -args -test.gocoverdir=$(COVERAGE)

.PHONY: test-foreign
test-foreign: $(TOOLS)/servers $(VERSITYGW) ## Run the built service on PgBouncer, Redis Cluster, Sentinel, TLS and S3, and have others' tools judge its document, its metrics and its pages (needs npm, promtool, Chromium)
	VERSITYGW="$(CURDIR)/$(VERSITYGW)" $(TOOLS)/servers -- $(GO) test -count=1 -timeout 20m -tags foreign,nomsgpack ./internal/foreign
	CI=true AXE="$(CURDIR)/$(TOOLS)/judges/node_modules/axe-core/axe.min.js" $(TOOLS)/servers -- $(GO) test -count=1 ./internal/browser

.PHONY: test-faults
test-faults: $(TOOLS)/servers ## Kill, stop and cut off every part of the built service under load, then check the books, and have followers see 20,000 changes (FAULTS_SEED, FAULTS_SECONDS)
	$(TOOLS)/servers -- $(GO) test -count=1 -v -timeout 20m -tags faults,nomsgpack ./internal/faults
	$(TOOLS)/servers -- $(GO) test -count=1 -v -timeout 20m -run TestFollowersSeeEveryChangeOnce ./internal/httpapi -followed-changes 20000

# How long each fuzz target looks for new inputs.
FUZZTIME ?= 5s

.PHONY: fuzz
fuzz: ## Look for inputs that break the readers of what comes from outside (FUZZTIME=5s for each target)
	@set -e; grep -rl --include='*_test.go' '^func Fuzz' internal | xargs -n 1 dirname | sort -u | while read -r dir; do \
	  for target in $$(grep -h '^func Fuzz' $$dir/*_test.go | sed 's/func \(Fuzz[A-Za-z]*\).*/\1/'); do \
	    $(GO) test ./$$dir -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME); done; done

.PHONY: migrations-check
migrations-check: ## Prove that the migrations apply to an empty database, and that the code's rows agree with the schema
	@$(MAKE) --no-print-directory test PKG=./migrations/...

.PHONY: schema
schema: $(TOOLS)/servers ## Write migrations/schema.sql anew, which shows the schema as it is now
	@$(TOOLS)/servers -- $(GO) test -count=1 -run TestSchemaFile ./migrations -update

.PHONY: servers
servers: $(TOOLS)/servers ## Keep the tests' servers running, and print the variables that a plain `go test` needs
	@exec $(TOOLS)/servers

# Without cgo here and below, so that all share one build cache with the programs.
.PHONY: eval
eval: ## Score the rules on the labelled texts and decks: a table, the misses, and how well the confidences hold (MODEL=1: the model of OPENAI_*)
ifdef MODEL
	@$(GO) test -count=1 -timeout 12h -v -tags model,nomsgpack -run TestScoresOfTheModel ./internal/analysis/eval
else
	@$(GO) test -count=1 -v -run 'TestScores$$|TestConfidences' ./internal/analysis/eval -every
endif

.PHONY: train
train: ## Train the models on the labelled texts, fit their confidences, and keep the scores of now as the floors (minutes; ONLY=Pruning: two of them, in seconds)
	@$(GO) test -count=1 -run TestFamiliarWords ./internal/analysis/eval -update
	@$(GO) test -count=1 -timeout 60m -v -tags train,nomsgpack -run TestTrain$(ONLY)$$ ./internal/analysis/eval
	@$(GO) test -count=1 -run TestScores$$ ./internal/analysis/eval -update

.PHONY: calibrate
calibrate: ## Fit the confidences of what the rules decide alone, and keep the scores of now as the floors
	@$(GO) test -count=1 -v -run TestCalibrate ./internal/analysis/eval -calibrate
	@$(GO) test -count=1 -run TestScores$$ ./internal/analysis/eval -update

.PHONY: bench
bench: build ## Measure the service against a minimal program of the same rows, and keep the table in docs/performance.md (ARGS=-quick to try)
	@$(GO) build -o $(TOOLS)/bench ./internal/bench
	@$(TOOLS)/bench -o docs/performance.md $(ARGS)

.PHONY: bench-growth
bench-growth: build ## Measure at 10 thousand to a million companies in one account and at 1 to 256 connections (half an hour)
	@$(GO) build -o $(TOOLS)/bench ./internal/bench
	@$(TOOLS)/bench -growth -o docs/performance.md $(ARGS)

.PHONY: check
check: ## Run what a change must pass: vet, for macOS too, the linters, all tests
	@$(MAKE) --no-print-directory vet
	@$(MAKE) --no-print-directory vet-macos
	@$(MAKE) --no-print-directory lint
	@$(MAKE) --no-print-directory test RACE=1

.PHONY: lint
lint: $(LINT) ## Run the linters (PKG=./internal/x for one package)
	$(LINT) run --allow-parallel-runners $(PKG)

.PHONY: fmt
fmt: $(LINT) ## Format the code
	$(LINT) fmt $(PKG:%/...=%)

.PHONY: vet
vet: ## Run go vet
	$(GO) vet $(PKG)

# The first run compiles the standard library and all modules for macOS, which takes minutes; a later one takes seconds.
.PHONY: vet-macos
vet-macos: ## Run go vet as on macOS: nothing else here reads the files that are for other systems than Linux
	CGO_ENABLED=0 GOOS=darwin GOARCH=arm64 $(GO) vet $(PKG)

.PHONY: generate
generate: ## Write the Go client anew from the OpenAPI document
	$(GO) generate ./client

.PHONY: clean
clean: ## Remove what was built; the data in .dealflow stays
	rm -rf bin dist $(TOOLS)

# Built rather than run by `go run`, which would not pass a signal on.
.PHONY: $(TOOLS)/servers
$(TOOLS)/servers:
	@$(GO) build -o $@ ./internal/testkit/servers

# By `go install`, so that the modules of these tools never mix with ours.
$(VERSITYGW):
	GOBIN="$(CURDIR)/$(TOOLS)" $(GO) install github.com/versity/versitygw/cmd/versitygw@$(VERSITYGW_VERSION)
	mv $(TOOLS)/versitygw $@

$(GOTESTSUM):
	GOBIN="$(CURDIR)/$(TOOLS)" $(GO) install gotest.tools/gotestsum@$(GOTESTSUM_VERSION)
	mv $(TOOLS)/gotestsum $@

$(LINT):
	GOBIN="$(CURDIR)/$(TOOLS)" $(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(LINT_VERSION)
	mv $(TOOLS)/golangci-lint $@
