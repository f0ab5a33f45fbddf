# make run and make test do everything, from a fresh Debian or Ubuntu on.
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
MAKEFLAGS += --no-print-directory

# The OpenGL binding takes clang 40 s and gcc 220 s; make CC=gcc all the same.
ifeq ($(origin CC),default)
CC := clang
endif
export CC

# With Fyne's driver for tests nothing needs a display. Fyne follows the locale;
# the pictures and texts that tests expect are English.
TEST := LC_ALL=en_US.UTF-8 LANGUAGE=en go test -tags ci
PKG ?= ./...
CHECKS ?= 5000
MINUTES ?= 60
KILLS ?= 200
SEED ?= 1
SHOTS ?=
# What the user says of minutes holds for each fuzz test, else they are short.
FUZZTIME ?= $(if $(filter file,$(origin MINUTES)),20s,$(MINUTES)m)

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' Makefile

.PHONY: run
ifneq ($(DISPLAY)$(WAYLAND_DISPLAY),)
run: build ## the demo, in a window or, without a display, in the terminal
	@bin/reckoner --demo
else
run: headless
	@echo "No display here, so the demo runs in the terminal."
	@bin/reckoner-headless run --demo
endif

.PHONY: test
test: unit race rapid conformance killed xvfb ## all tests, under 5 minutes when the caches are warm

.PHONY: unit
unit: ## tests and golden pictures, without a display
	@.ci/install bus
	CGO_ENABLED=0 $(TEST) -timeout 5m $(PKG)

.PHONY: race
race: ## the same under the race detector, less the demo in full
	@.ci/install race bus
	CGO_ENABLED=1 $(TEST) -race -short -timeout 10m $(PKG)

.PHONY: rapid
rapid: ## random histories of the pure core: CHECKS=5000, and a fifth around notes
	@CGO_ENABLED=0 .ci/matching '^TestRandomHistories$$' -timeout 5m ./scheduler/core -rapid.checks=$(CHECKS)
	@CGO_ENABLED=0 .ci/matching '^TestRandomTestsOfANote$$' -timeout 5m ./scheduler/core -rapid.checks=$$(($(CHECKS) / 5))
	@echo "$(CHECKS) random histories, and a fifth of that around notes, kept the rules"

.PHONY: torture
torture: ## random histories for MINUTES=60, with the count; a failure prints its seed
	@CGO_ENABLED=0 .ci/torture $(MINUTES)

.PHONY: mutants
mutants: ## rules broken on purpose, and which test finds each
	@.ci/mutants

.PHONY: conformance
conformance: ## the client against recorded servers and the simulated one
	@CGO_ENABLED=0 .ci/matching 'Recording|RecordedServer|Conform' -timeout 5m -count=1 ./scheduler/...

.PHONY: xvfb
xvfb: build ## the real window on a desktop without a screen
	@.ci/install xvfb
	cd .ci/e2e && CGO_ENABLED=0 go test -count=1 -timeout 2m ./window -args -reckoner=$(CURDIR)/bin/reckoner

.PHONY: evening
evening: build ## an evening with the real window, by keyboard; SHOTS=DIR for pictures
	@.ci/install xvfb
	cd .ci/e2e && CGO_ENABLED=0 go test -count=1 -timeout 5m ./evening -args -reckoner=$(CURDIR)/bin/reckoner -shots=$(SHOTS)

.PHONY: killed
killed: headless ## kill -9 in the middle of a run, then the same command again
	cd .ci/e2e && CGO_ENABLED=0 go test -count=1 -timeout 2m ./killed -args -reckoner=$(CURDIR)/bin/reckoner-headless

.PHONY: kills
kills: headless ## kill -9 at KILLS=200 random moments of a 20-job queue; SEED=1
	cd .ci/e2e && CGO_ENABLED=0 go test -count=1 -timeout 60m -v -run ManyKills ./killed -args \
		-reckoner=$(CURDIR)/bin/reckoner-headless -kills=$(KILLS) -seed=$(SEED)

.PHONY: fuzz
fuzz: ## every fuzz test of PKG for MINUTES= each, else 20 s, with the counts
	@.ci/fuzz $(FUZZTIME) $(PKG)

.PHONY: bench
bench: ## the benchmarks of PKG
	CGO_ENABLED=0 $(TEST) -run '^$$' -bench . -benchmem $(PKG)

.PHONY: lint
lint: ## linters, formats, modules, scripts
	@.ci/lint

.PHONY: fix
fix: ## mend what the linters can mend
	@.ci/lint --fix

.PHONY: windows
windows: ## what a compiler says of the Windows build
	GOOS=windows CGO_ENABLED=0 go vet -tags ci ./...
	GOOS=windows CGO_ENABLED=0 go vet -tags headless . ./app/cli/...

.PHONY: build
build: ## bin/reckoner
	@.ci/install window
	@CGO_ENABLED=1 go build -o bin/reckoner .

.PHONY: headless
headless: ## bin/reckoner-headless: all but the window, no libraries needed
	@CGO_ENABLED=0 go build -tags headless -o bin/reckoner-headless .

PREFIX ?= /usr/local
.PHONY: install
install: build ## program, icons and menu entry into PREFIX=/usr/local
	@.ci/put bin/reckoner "$(DESTDIR)$(PREFIX)"

.PHONY: package
package: ## dist/*.tar.xz, to be unpacked into /usr/local or ~/.local
	@.ci/package

.PHONY: screenshot
screenshot: build ## the README's picture of the window
	@.ci/install xvfb
	cd .ci/e2e && CGO_ENABLED=0 go run ./screenshot -out $(CURDIR)/.github/window.png -after 3s $(CURDIR)/bin/reckoner --demo

.PHONY: icons
icons: ## the icons' PNG from their SVG
	@.ci/icons

.PHONY: clean
clean: ## what was built here
	rm -rf bin dist
