# StarCloak. `make help` lists what can be asked for.
#
# Each target does its own set-up: scripts/setup installs the Debian packages that the target
# needs and the machine lacks, and says so; where nothing is missing it does nothing.

SHELL := /bin/bash
.DEFAULT_GOAL := all
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60
SOAK_SECONDS ?= 3600
SOAK_HELD ?= 50000
CHAOS_MINUTES ?= 3
CHAOS_SEED ?= 1
SIEGE_SECONDS ?= 3600

.PHONY: all ui demo demo-stop tour test check lint format bench profile soak chaos siege figures fuzz dist deb deb-check image reproducible arm64 install clean help debug asan tsan

all: ## build the libraries and the program: build/starcloak
	@scripts/setup build
	@scripts/build release

ui: ## the same with the page that the service shows in a browser (needs Node.js)
	@scripts/setup ui
	@scripts/web
	@scripts/build release

demo: ## a city with travellers, a provider, the service, and one address to open; MAP=FILE TRACES=PATH REPLAY=RUN
	@scripts/setup demo
	@scripts/web
	@scripts/build release
	@DEMO_MAP="$(MAP)" DEMO_TRACES="$(TRACES)" DEMO_REPLAY="$(REPLAY)" scripts/demo

demo-stop: ## end a demo that goes on in the background
	@scripts/demo stop

tour: ## the same on the command line: every engine on a sample city, a run verified and attacked, the service
	@scripts/setup demo
	@scripts/build release
	@scripts/tour

test: ## build with sanitizers, run every test, end with one line of counts
	@scripts/setup test
	@tests/run

check: ## what takes longer, for CI: gcc's warnings, clang-tidy, cppcheck, the thread sanitizer, a model, packages
	@scripts/setup test
	@scripts/setup package
	@tests/run --slow

lint: ## clang-format, clang-tidy and cppcheck; types, format and lint of the UI
	@scripts/setup test
	@scripts/lint

format: ## let clang-format set the shape of all C files
	@scripts/setup test
	@git ls-files -co --exclude-standard '*.c' '*.h' | xargs clang-format -i

bench: ## measure, as ratios in one run (docs/benchmarks.md explains them)
	@scripts/setup test
	@scripts/web
	@scripts/build bench all benchmarks
	@scripts/bench

profile: ## where the time of a query goes in the service: build/profile/serve.svg, and a table
	@scripts/setup profile
	@scripts/build profile starcloak
	@scripts/profile

soak: ## let travellers ask the service for an hour (SOAK_SECONDS), and watch its memory
	@scripts/setup test
	@scripts/build bench all benchmarks
	@scripts/bench_service 10 $(SOAK_HELD) $(SOAK_SECONDS)

chaos: ## a cluster in network namespaces of its own, where things break at random for CHAOS_MINUTES (default 3)
	@scripts/setup test
	@scripts/build release
	@scripts/chaos $(CHAOS_MINUTES) $(CHAOS_SEED)

siege: ## the service behind nginx and HAProxy, attacked in all known ways at once for SIEGE_SECONDS (default: an hour)
	@scripts/setup test
	@scripts/build release
	@scripts/siege $(SIEGE_SECONDS)

figures: ## the whole evaluation: build/figures/results/report.html (about half an hour)
	@scripts/setup demo
	@scripts/build release
	@scripts/figures

fuzz: ## fuzz every door for FUZZ_SECONDS each (default 60)
	@scripts/setup test
	@scripts/fuzz $(FUZZ_SECONDS)

dist: ## the source tarball, with the page built in: build/dist
	@scripts/setup package
	@scripts/web
	@scripts/dist

deb: dist ## Debian packages, built without a network: build/deb
	@scripts/deb

image: deb ## an OCI image of the Debian package, made without a container engine: build/image
	@scripts/image

deb-check: deb ## autopkgtest and piuparts in a root of their own; needs root
	@scripts/deb_check

reproducible: ## build all that is released twice, in two folders, and compare the bytes
	@scripts/setup package
	@scripts/web
	@scripts/reproducible

arm64: ## cross-build for arm64 in a root of its own, and run the unit tests there by QEMU
	@scripts/setup package
	@scripts/arm64

install: ui ## install under PREFIX (default /usr/local); DESTDIR is respected
	@cmake --install build --prefix "$(PREFIX)" >build/install.log
	@echo "installed under $(DESTDIR)$(PREFIX)"

debug asan tsan:
	@scripts/setup test
	@scripts/build $@

clean: ## remove all that was built
	rm -rf build

help: ## show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12
