# StarCloak. `make help` lists what can be asked for.
#
# Each target does its own set-up: scripts/setup installs the Debian packages
# that are missing and says so; where nothing is missing it does nothing.

SHELL := /bin/bash
.DEFAULT_GOAL := all
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60
SOAK_SECONDS ?= 3600
SOAK_HELD ?= 50000
CHAOS_MINUTES ?= 3
CHAOS_SEED ?= 1

.PHONY: all demo demo-stop tour test check lint format bench soak chaos figures fuzz install clean setup help debug asan tsan

all: setup ## build the library and the program: build/starcloak
	@scripts/build release

demo: all ## a sample city with travellers, a provider, the service, and one address to open in a browser
	@scripts/demo

demo-stop: ## end a demo that goes on in the background
	@scripts/demo stop

tour: all ## the same on the command line: every engine on a sample city, a run verified and attacked, the service
	@scripts/tour

test: setup ## build with sanitizers, run every test, end with one line of counts
	@tests/run

check: setup ## what takes longer, for CI: gcc's warnings, clang-tidy, cppcheck, the thread sanitizer
	@tests/run --slow

lint: setup ## clang-format, clang-tidy and cppcheck; types, format and lint of the window
	@scripts/lint

format: setup ## let clang-format set the shape of all C files
	@git ls-files -co --exclude-standard '*.c' '*.h' | xargs clang-format -i

bench: all ## measure, as ratios in one run (docs/benchmarks.md explains them)
	@scripts/bench

soak: all ## let travellers ask the service for an hour (SOAK_SECONDS), and watch its memory
	@scripts/bench_service 10 $(SOAK_HELD) $(SOAK_SECONDS)

chaos: all ## a cluster in network namespaces of its own, where things break at random for CHAOS_MINUTES (default 3)
	@scripts/chaos $(CHAOS_MINUTES) $(CHAOS_SEED)

figures: all ## the whole evaluation: build/figures/results/report.html (about half an hour)
	@scripts/figures

fuzz: setup ## fuzz every door for FUZZ_SECONDS each (default 60)
	@scripts/fuzz $(FUZZ_SECONDS)

install: all ## install under PREFIX (default /usr/local); DESTDIR is respected
	@scripts/install "$(PREFIX)"

debug asan tsan: setup
	@scripts/build $@

setup:
	@scripts/setup

clean: ## remove all that was built
	rm -rf build

help: ## show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12
