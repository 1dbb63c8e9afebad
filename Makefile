# PairSpot: `make run` starts everything, `make test` tests everything. `make help` lists the rest.

PORT ?= 8080
DEMO ?= 1
TLS ?=
MINUTES ?= 1
ROUNDS ?= 2000000
SEED ?= 1

SCRIPTS := deploy/scripts

.PHONY: help run test test-long bench fuzz freeze lint clean

help:
	@echo 'make run [PORT=8080] [DEMO=1] [TLS=1]  build and start PairSpot; Ctrl-C stops it'
	@echo 'make test                              Swift, API and browser tests'
	@echo 'make test-long                         the tests that take many minutes'
	@echo 'make bench [USERS=2000] [POSTS=100000] [ROUNDS=5] [SECONDS=5]'
	@echo '                                       speed, beside other programs, as ratios'
	@echo 'make fuzz [MINUTES=1] [ROUNDS=2000000] [SEED=1]'
	@echo '                                       broken input: each parser for so long, guided by coverage,'
	@echo '                                       photos by the million, the fuzz tests of Swift; with a sanitizer'
	@echo 'make freeze OUT=folder                 what it shows and tells, as text, into a new folder'
	@echo 'make lint                              format and style of the Swift sources'
	@echo 'make clean                             throw away what was built (var/ stays)'

run:
	@$(SCRIPTS)/packages.sh run
	@$(SCRIPTS)/build.sh
	@PAIRSPOT_ENV=development PAIRSPOT_SHARE="$(CURDIR)" PAIRSPOT_PORT="$(PORT)" \
	  PAIRSPOT_DEMO="$(DEMO)" $(if $(TLS),PAIRSPOT_TLS="$(TLS)") \
	  exec .build/release/pairspot serve

test:
	@$(SCRIPTS)/test.sh

test-long:
	@$(SCRIPTS)/test.sh --long

bench:
	@$(SCRIPTS)/bench.sh $(ROWS)

fuzz:
	@$(SCRIPTS)/packages.sh run
	@$(SCRIPTS)/fuzz-parsers.sh "$(MINUTES)"
	@ASAN_OPTIONS=detect_leaks=1 $(SCRIPTS)/fuzz.sh "$(ROUNDS)" "$(SEED)"
	@PAIRSPOT_FUZZ_ROUNDS="$$(( $(ROUNDS) / 20 ))" swift test --filter FuzzTests

freeze:
	@test -n "$(OUT)" || { echo 'make freeze OUT=folder: which folder?' >&2; exit 1; }
	@$(SCRIPTS)/packages.sh test
	@$(SCRIPTS)/build.sh
	@swift build --build-tests
	@.build/venv/bin/python $(SCRIPTS)/freeze.py "$(OUT)"

lint:
	@$(SCRIPTS)/lint.sh

clean:
	rm -rf .build
