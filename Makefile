# PairSpot: `make run` starts everything, `make test` tests everything. `make help` lists the rest.

PORT ?= 8080
PREFIX ?= /usr/local
DEMO ?= 1
TLS ?=
MINUTES ?= 1
ROUNDS ?= 2000000
SEED ?= 1

SCRIPTS := deploy/scripts

.PHONY: help run install deb check test test-swift test-web test-long bench mutation fuzz freeze lint add-text clean

help:
	@echo 'make run [PORT=8080] [DEMO=1] [TLS=1]  build and start PairSpot; Ctrl-C stops it'
	@echo 'make deb                               a Debian package, .build/pairspot_*.deb'
	@echo 'make install [PREFIX=/usr/local] [DESTDIR=]'
	@echo '                                       install what deploy/scripts/build.sh has built'
	@echo 'make check                             lint, debug build and quick tests: before each commit'
	@echo 'make test-swift [FILTER=regex]         Swift tests: all, or those whose name matches'
	@echo 'make test-web [K=expression]           end-to-end tests: all, or those that pytest -k takes'
	@echo 'make test                              everything that CI runs'
	@echo 'make test-long                         the tests that take many minutes'
	@echo 'make bench [USERS=2000] [POSTS=100000] [ROUNDS=5] [SECONDS=5]'
	@echo '                                       speed, beside other programs, as ratios'
	@echo 'make mutation [FILES=regex]            whether tests notice changes of the check-in; hours'
	@echo 'make fuzz [MINUTES=1] [ROUNDS=2000000] [SEED=1]'
	@echo '                                       broken input: each parser for so long, guided by coverage,'
	@echo '                                       photos by the million, the fuzz tests of Swift; with a sanitizer'
	@echo 'make freeze OUT=folder                 what it shows and tells, as text, into a new folder'
	@echo 'make lint                              format and style of all sources'
	@echo 'make add-text KEY= EN= HANT= HANS=     a new text in the catalogues of all languages'
	@echo 'make clean                             throw away what was built (var/ stays)'

run:
	@$(SCRIPTS)/packages.sh run
	@$(SCRIPTS)/build.sh
	@PAIRSPOT_ENV=development PAIRSPOT_SHARE="$(CURDIR)" PAIRSPOT_PORT="$(PORT)" \
	  PAIRSPOT_DEMO="$(DEMO)" $(if $(TLS),PAIRSPOT_TLS="$(TLS)") \
	  exec .build/release/pairspot serve

install:
	@PREFIX="$(PREFIX)" DESTDIR="$(DESTDIR)" $(SCRIPTS)/install.sh

deb:
	@$(SCRIPTS)/packages.sh deb
	@$(SCRIPTS)/build.sh
	@$(SCRIPTS)/make-deb.sh

check:
	@$(SCRIPTS)/test.sh --quick

test-swift:
	@$(SCRIPTS)/packages.sh test
	@$(SCRIPTS)/build-tests.sh
	@swift test --skip-build $(if $(FILTER),--filter "$(FILTER)")

test-web:
	@$(SCRIPTS)/packages.sh test
	@$(SCRIPTS)/venv.sh
	@$(SCRIPTS)/build-tests.sh --product pairspot
	@$(SCRIPTS)/build-tests.sh --product pairspot-pictures
	@TEST_PROGRAM="$(CURDIR)/.build/debug/pairspot" .build/venv/bin/python -m pytest \
	  Tests/EndToEnd $(if $(K),-k "$(K)",-n auto --dist loadgroup -m "not (long or timed)")

test:
	@$(SCRIPTS)/test.sh

test-long:
	@$(SCRIPTS)/test.sh --long

bench:
	@$(SCRIPTS)/bench.sh $(ROWS)

mutation:
	@python3 Tests/Mutation/mutate.py --copy .build/mutation --path "$(FILES)"

fuzz:
	@$(SCRIPTS)/packages.sh run
	@$(SCRIPTS)/fuzz-parsers.sh "$(MINUTES)"
	@ASAN_OPTIONS=detect_leaks=1 $(SCRIPTS)/fuzz.sh "$(ROUNDS)" "$(SEED)"
	@$(SCRIPTS)/build-tests.sh
	@PAIRSPOT_FUZZ_ROUNDS="$$(( $(ROUNDS) / 20 ))" swift test --skip-build --filter FuzzTests

freeze:
	@test -n "$(OUT)" || { echo 'make freeze OUT=folder: which folder?' >&2; exit 1; }
	@$(SCRIPTS)/packages.sh test
	@$(SCRIPTS)/build.sh
	@$(SCRIPTS)/build-tests.sh
	@$(SCRIPTS)/venv.sh
	@.build/venv/bin/python $(SCRIPTS)/freeze.py "$(OUT)"

lint:
	@$(SCRIPTS)/lint.sh

add-text:
	@$(SCRIPTS)/add-text.py

clean:
	rm -rf .build
