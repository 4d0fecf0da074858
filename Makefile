# kinit: build, test and run. `make help` lists the targets.
SHELL      := /bin/bash
GO         ?= go
LAB        ?= lab
HOSTS      ?= nyctea,tyto
SPEC       ?=
PINS       ?= $(wildcard pins.json)
VERSION    ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
FUZZTIME   ?= 60s
WINSIM     ?= bin/winsim
ARTIFACTS  ?=
# The build tags of everything that contains kinit. urfave_cli_no_docs: without it every start sets up
# a renderer of manual pages that nothing uses. libvirt_dlopen: libvirt is loaded at run time.
TAGS       := $(shell cat test/program/tags)
STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2

export CGO_ENABLED = 1
ifneq ($(ARTIFACTS),)
export KINIT_ARTIFACTS = $(ARTIFACTS)
endif

.PHONY: help
help: ## list the targets
	@awk -F':.*## ' '/^[a-z0-9_-]+:.*## /{printf "%s %-13s %s\n", $$0 ~ /^deps:|: deps/ ? "*" : " ", $$1, $$2}' $(MAKEFILE_LIST)
	@echo "* installs missing Debian packages first, and lists them before it does"

.PHONY: deps
deps: ## install the Debian packages that the lab and the tests need, those that are missing
	@./test/install-packages

.PHONY: build
build: ## build bin/kinit; needs Go and a C compiler, and installs nothing
	$(GO) build -trimpath -tags $(TAGS) -ldflags "-X main.version=$(VERSION)" -o bin/kinit ./cmd/kinit

.PHONY: dist
dist: ## build tarballs, .deb, .rpm, container images, SBOMs and checksums for amd64 and arm64 into bin/dist (ARCHES=amd64); arm64 needs gcc-aarch64-linux-gnu, images need mmdebstrap
	cmd/kinit/packaging/dist $(or $(DIST),bin/dist) '$(VERSION)' $(ARCHES)

.PHONY: dist-test
dist-test: deps ## build what make dist does for amd64 and arm64 twice, compare, and install each in a clean root
	$(GO) test -tags $(TAGS),dist -count=1 -v -run '^TestDist$$' -timeout 60m ./test/dist

.PHONY: docs
docs: ## build a static site with search from the pages of docs/ into bin/docs (BASE_URL=https://…/); needs Go and a Go module proxy
	docs/site/build $(or $(DOCS),bin/docs)

.PHONY: docs-test
docs-test: deps ## build what make docs does, follow its links, and open it in a browser of two sizes
	$(GO) test -tags site -count=1 -v -run '^TestSite$$' -timeout 30m ./test/site

.PHONY: winsim
winsim: ## build bin/winsim, the SIMULATED Windows Server that labs can have nodes of
	CGO_ENABLED=0 $(GO) build -trimpath -buildvcs=false -ldflags "-s -w" -o $(WINSIM) ./test/winsim/cmd/winsim

.PHONY: run
run: deps build ## bring the lab up (ARTIFACTS=auto|download|build), deploy a cluster on it (SPEC=…, or what fits this machine), print its nodes
	@LAB='$(LAB)' HOSTS='$(HOSTS)' SPEC='$(SPEC)' PINS='$(PINS)' ./test/make-run

.PHONY: real
real: deps build ## deploy, check and remove a cluster on hypervisors of your own (HOSTS=a,b, SPEC=…, FLAGS=…), and pack a report (REPORT=real.tar.gz): docs/real.md
	$(GO) run -tags $(TAGS) ./test/real -hosts '$(HOSTS)' $(if $(SPEC),-spec '$(SPEC)') -out '$(or $(REPORT),real.tar.gz)' -- $(FLAGS)

.PHONY: windows
windows: deps build ## deploy a cluster with a Windows node: KINIT_WINDOWS_ISO=<URL, or path on the hypervisors> HOSTS=… (ACTIVATION=none without the internet)
	@test -n "$(KINIT_WINDOWS_ISO)" || { echo "Set KINIT_WINDOWS_ISO to an ISO of Windows Server; docs/windows.md says where evaluation ISOs are." >&2; exit 2; }
	bin/kinit run $(or $(SPEC),k8s-libvirt-1-1-1) --hosts $(HOSTS) $(if $(PINS),--var-file $(PINS)) --var compute_os=windows --var windows_activation=$(or $(ACTIVATION),online) --var 'windows_iso={url="$(KINIT_WINDOWS_ISO)"}'

.PHONY: clean
clean: build ## remove the cluster and the lab; cached artifacts stay
	bin/kinit run $(or $(SPEC),k8s-podman-1-1-1) --hosts $(HOSTS) --stop-after cleanup
	bin/kinit lab down --name $(LAB)

.PHONY: check
check: ## check what a change touches: format, vet, lint, its packages and those that import them, in two minutes (CHECK_TIME=…, BASE=main)
	@STATICCHECK=$(STATICCHECK) ./test/check

.PHONY: test
test: deps ## run all tests, the end-to-end ones included, and print an honest count
	@./test/run

.PHONY: test-all
test-all: deps ## run everything that "make test" has only a sample of, part by part, and continue where it was stopped: hours ("test/all list" shows the parts)
	@./test/all

.PHONY: short
short: deps ## run the tests that need no lab
	KINIT_ALL=1 $(GO) test -tags $(TAGS) -race -shuffle=on ./...

.PHONY: ci
ci: deps build ## run the lab's periodic jobs once and render their site into public/
	bin/kinit lab up --name $(LAB) --hosts $(HOSTS)
	bin/kinit ci run examples/ci/ci.hcl

.PHONY: lint
lint: deps ## check format, vet, staticcheck, shellcheck and odd words
	@test -z "$$(gofmt -l . | tee /dev/stderr)"
	$(GO) vet -tags $(TAGS) ./...
	$(GO) vet -tags $(TAGS),kills,life,emulated,sequences ./test/e2e
	$(GO) vet -tags $(TAGS),dist,site ./test/dist ./test/site
	$(GO) run $(STATICCHECK) -tags $(TAGS) ./...
	@./test/shellcheck
	@./test/words

.PHONY: golden
golden: ## rewrite the golden files of the tests; read the diff afterwards
	KINIT_UPDATE=1 $(GO) test -tags $(TAGS) ./cmd/... ./engine/... ./modules/... ./test/corpus ./test/examples

.PHONY: generate
generate: ## regenerate the references of modules and functions from their comments and examples
	GOFLAGS=-tags=$(TAGS) $(GO) generate ./modules/reference
	KINIT_UPDATE=1 $(GO) test -tags $(TAGS) -count=1 -run ThePageHasEveryFunction ./engine/internal/eval

.PHONY: bench-upload
bench-upload: deps ## measure how fast 100 MB reach a simulated Windows node of a lab
	$(GO) test -tags $(TAGS) -count=1 -run '^$$' -bench UploadInALab -benchtime 1x -timeout 40m ./test/e2e

.PHONY: conformance
conformance: deps build ## run Kubernetes' conformance tests on a lab of their own, and write docs/conformance.md
	@./test/conformance/run

.PHONY: bench-cluster
bench-cluster: deps ## measure clusters of containers on a lab: until Ready, again, status, clean-up
	$(GO) test -tags $(TAGS) -count=1 -run '^$$' -bench Clusters -benchtime 1x -timeout 60m ./test/e2e

.PHONY: emulated
emulated: deps ## run Kubernetes on guests, emulated where there is no KVM, and let a simulated Windows guest join: half an hour
	$(GO) test -tags $(TAGS),emulated -count=1 -v -run KubernetesOnGuests -timeout 90m ./test/e2e

.PHONY: kills
kills: deps ## kill a deployment at 30 steps (KILLS=…, FROM=… to go on), each time run it again until Ready, kill its clean-up, and clean up: half an hour; KILLS=all kills runs one after the other, each at another step, until no step is left, in three rounds
	KINIT_KILLS=$(or $(KILLS),30) KINIT_KILLS_FROM=$(FROM) $(GO) test -tags $(TAGS),kills -count=1 -v -run KilledAnywhere -timeout 240m ./test/e2e

.PHONY: stock
stock: deps ## deploy nodes of stock images, containers of two distributions, upstream's container runtime, Calico, further addons, and guests, with everything else from mirrors: an hour where guests are emulated
	KINIT_STOCK=all $(GO) test -tags $(TAGS) -count=1 -v -run StockImages -timeout 120m ./test/e2e

.PHONY: life
life: deps ## the life of clusters of containers: they grow and shrink, roll to another version, are lost and restored, services and hypervisors fail (LIFE=Backup for one of these): an hour
	$(GO) test -tags $(TAGS),life -count=1 -v -run '^TestLife$(LIFE)' -timeout 150m ./test/e2e

.PHONY: upgrade
upgrade: ## of these, a cluster of five containers that rolls to the next minor version of Kubernetes while a client asks its workload
	@KINIT_MINOR=1 $(MAKE) --no-print-directory life LIFE=Rolls

.PHONY: faults
faults: ## every fault there is: the simulated Windows, bad disks, hostile users, runs that contend for a lock, broken connections, secrets, sequences of commands, a bad network: hours
	KINIT_EVERY_FAULT=1 $(GO) test -tags $(TAGS) -count=1 -v -run 'Restart|Mishaps' -timeout 40m ./test/winsim/faults
	KINIT_EVERY_FAULT=1 $(GO) test -tags $(TAGS) -count=1 -v -run 'Races|DiskFaults' -timeout 120m ./test/hostile ./engine/transport/local
	KINIT_EVERY_FAULT=1 $(GO) test -tags $(TAGS) -count=1 -v -run '^TestHistories|AtAnyCommand' -timeout 3h ./engine/internal/lock
	KINIT_EVERY_FAULT=1 $(GO) test -tags $(TAGS) -count=1 -v -run 'FailsAtMessages' -parallel 16 -timeout 12h ./engine/internal/run
	KINIT_EVERY_FAULT=1 $(GO) test -tags $(TAGS) -count=1 -v -run 'Canary|HostileServers' -timeout 120m ./cmd/kinit
	$(MAKE) --no-print-directory sequences
	$(MAKE) --no-print-directory cluster-sequences
	KINIT_EVERY_FAULT=1 KINIT_ALL=1 $(GO) test -tags $(TAGS) -count=1 -v -run TestFurtherClusters/OverABadNetwork -timeout 30m ./test/e2e

.PHONY: sequences
sequences: deps ## random sequences of commands on small clusters: N=20000 of them from seed FROM=1 on; it prints where to go on
	KINIT_SEQUENCES=$(or $(FROM),1)+$(or $(N),20000) $(GO) test -tags $(TAGS) -count=1 -v -run '^TestSequencesOfCommands' -timeout 24h ./cmd/kinit

.PHONY: cluster-sequences
cluster-sequences: deps ## random sequences of commands, kills and failures on a real cluster in a lab: N=15 of them from seed FROM=1 on; it prints where to go on
	KINIT_CLUSTER_SEQUENCES=$(or $(FROM),1)+$(or $(N),15) $(GO) test -tags $(TAGS),sequences -count=1 -v -run '^TestSequencesOnACluster' -timeout 12h ./test/e2e

.PHONY: soak
soak: ## let kinit ci serve run jobs with faults by chance for an hour, or KINIT_SOAK=10m; it must use no more and more
	KINIT_SOAK=$${KINIT_SOAK:-1h} $(GO) test -tags $(TAGS) -count=1 -v -run ServingJobsForLong -timeout 0 ./cmd/kinit

.PHONY: wine
wine: deps ## run kinit's scripts for Windows on a real PowerShell 7 for Windows under Wine: KINIT_POWERSHELL_WINDOWS=<folder with pwsh.exe>, 5 minutes (docs/windows.md)
	KINIT_ALL=1 $(GO) test -tags $(TAGS) -count=1 -v -timeout 40m ./test/wine

.PHONY: fuzz
fuzz: ## fuzz everything that reads foreign input, for $(FUZZTIME) each
	@set -e; grep -rEo --include='*_test.go' '^func Fuzz[A-Za-z0-9]*' . | sed 's,/[^/]*:func , ,' | sort -u | while read -r package name; do \
		echo "$$package $$name"; $(GO) test -tags $(TAGS) -run '^$$' -fuzz "^$$name\$$" -fuzztime $(FUZZTIME) "$$package"; \
	done

.PHONY: bench
bench: ## measure commands a second, transfer rates, planning and rendering
	$(GO) test -tags $(TAGS) -run '^$$' -bench . -benchtime 2s ./engine/... ./test/examples
	$(GO) test -tags $(TAGS) -run '^$$' -bench . -benchtime 1x ./cmd/kinit/ci/site
