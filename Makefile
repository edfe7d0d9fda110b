# Everything a developer types. `make` alone lists it.
.DEFAULT_GOAL := help
SHELL := /bin/bash
GO ?= go
TOOLS := .tools
# The linter's version stands in the first line of its configuration, and nowhere else.
LINT_VERSION := $(shell sed -n '1s/^\# *//p' .golangci.yml)
LINT := $(TOOLS)/golangci-lint-$(LINT_VERSION)
# The race detector needs a C compiler that can compile.
RACE = $(if $(filter ok,$(shell printf '\043include <stdlib.h>\n' | $$($(GO) env CC) -x c -fsyntax-only - 2>/dev/null && echo ok)),-race)
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
	CGO_ENABLED=0 $(GO) build -trimpath -o bin/ ./cmd/...

.PHONY: test
test: $(TOOLS)/servers ## Run the tests against a real Postgres and Redis of their own (PKG=./internal/x for one package)
	$(TOOLS)/servers -- $(GO) test $(RACE) -count=1 $(PKG)

.PHONY: migrations-check
migrations-check: ## Prove that the migrations apply to an empty database, and that the code's rows agree with the schema
	@$(MAKE) --no-print-directory test PKG=./migrations/...

.PHONY: servers
servers: $(TOOLS)/servers ## Keep the tests' servers running, and print the variables that a plain `go test` needs
	@exec $(TOOLS)/servers

# Without cgo here and below, so that all share one build cache with the programs.
.PHONY: eval
eval: ## Score the rules on the labelled texts and decks: a table, the misses, and how well the confidences hold
	@CGO_ENABLED=0 $(GO) test -count=1 -v -run 'TestScores|TestConfidences' ./internal/analysis/eval

.PHONY: calibrate
calibrate: ## Fit the confidences to the labelled texts and keep the scores of now as the floors
	@CGO_ENABLED=0 $(GO) test -count=1 -v -run TestCalibrate ./internal/analysis/eval -calibrate
	@CGO_ENABLED=0 $(GO) test -count=1 -run TestScores ./internal/analysis/eval -update

.PHONY: lint
lint: $(LINT) ## Run the linters (PKG=./internal/x for one package)
	CGO_ENABLED=0 $(LINT) run --allow-parallel-runners $(PKG)

.PHONY: fmt
fmt: $(LINT) ## Format the code
	$(LINT) fmt $(PKG:%/...=%)

.PHONY: vet
vet: ## Run go vet
	CGO_ENABLED=0 $(GO) vet $(PKG)

.PHONY: generate
generate: ## Write the Go client anew from the OpenAPI document
	CGO_ENABLED=0 $(GO) generate ./client

.PHONY: clean
clean: ## Remove what was built; the data in .dealflow stays
	rm -rf bin $(TOOLS)

# Built rather than run by `go run`, which would not pass a signal on.
.PHONY: $(TOOLS)/servers
$(TOOLS)/servers:
	@CGO_ENABLED=0 $(GO) build -o $@ ./internal/testkit/servers

# By `go install`, so that the linter's modules never mix with ours.
$(LINT):
	GOBIN="$(CURDIR)/$(TOOLS)" CGO_ENABLED=0 $(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(LINT_VERSION)
	mv $(TOOLS)/golangci-lint $@
