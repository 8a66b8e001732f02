# Everything that a person or CI does here, one word each. `make` alone lists all but the `…-environment` ones, which others call.

VENV := .venv
BIN := $(VENV)/bin

# Debian packages that tests need beside Python: the README's requests are run, the tracked files read, limits counted,
# units verified.
TEST_PACKAGES := curl git redis-server systemd
# Long tests put it before servers. Debian starts it as it is installed, which is not for a newcomer's `make test`.
LONG_TEST_PACKAGES := nginx-light

# How many cases a generated test tries, and how often a crash test kills: 3 in `make test` (tests/conftest.py), this many
# in `make test-long`.
export OUTINGS_TEST_CASES
LONG_TEST_CASES := 20

# How often `make faults` tries to kill: half of it builds, half of it small publishes.
KILLS := 10000

# Commands here start many Python processes. Where this variable of yours is set, each of them would compile all modules again:
# a run of the tests takes half as long again. The compiled modules are ignored by git, and `make clean` removes them.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
# Where `make run` serves.
PORT ?= 8000

.PHONY: help install run test test-environment test-pages screenshots pictures pages-environment bench-environment test-long faults check bench bench-search bench-near clean build

help:
	@printf '%s\n' \
	  'make run           the environment, two sample metros, a key, and an API on 127.0.0.1:8000 (PORT=…)' \
	  'make test          the environment and the tests but for the long ones' \
	  'make test-long     the long tests, and the generated ones with $(LONG_TEST_CASES) cases each (OUTINGS_TEST_CASES=…)' \
	  'make test-pages    the pages in Chromium: errors, outside requests, accessibility, in three widths, light and dark' \
	  'make screenshots   pictures of every page in var/screenshots' \
	  'make pictures      the pictures of the README, in docs/pictures' \
	  'make faults        $(KILLS) times SIGKILL at a random moment of a build (KILLS=…), and every fault that is drawn' \
	  'make check         lint, types, one-way imports, sizes of files' \
	  'make bench         the measurements' \
	  'make bench-search  how good search is: judged queries, beside three engines (CITY_DATA)' \
	  'make bench-near    what is near a point, beside PostgreSQL' \
	  'make install       the program alone, in $(VENV): what an operator needs, without tests, measurements and checks' \
	  'make clean         remove what commands made here (the environment stays)'

install:
	@tools/install_environment $(VENV)
	@tools/build_site $(VENV) || echo 'Without them a build publishes the API and no pages.' >&2

run: install
	@$(BIN)/outings demo --port $(PORT)

test-environment:
	@tools/install_environment $(VENV) test
	@tools/build_site $(VENV)
	@tools/install_packages $(TEST_PACKAGES)

bench-environment:
	@tools/install_environment $(VENV) bench

test: test-environment
	@tools/run_in_memory $(BIN)/pytest $(ARGS)

test-long: test-environment
	@tools/install_packages $(LONG_TEST_PACKAGES)
	@tools/install_npm_packages $(VENV) build/cloudflare dev > /dev/null
	@tools/install_npm_packages $(VENV) tests/pages/clients dev > /dev/null
	@OUTINGS_TEST_CASES=$${OUTINGS_TEST_CASES:-$(LONG_TEST_CASES)} tools/run_in_memory $(BIN)/pytest -m "(long or generated) and not browser" $(ARGS)

pages-environment:
	@tools/install_environment $(VENV) pages
	@tools/install_npm_packages $(VENV) site dev > /dev/null
	@tools/build_site $(VENV)
	@tools/install_packages chromium

# One process: each would serve sample cities and start a browser of its own.
test-pages: pages-environment
	@$(BIN)/pytest -n0 -m browser tests/pages $(ARGS)

screenshots: pages-environment
	@$(BIN)/python -m tests.pages.screenshots $(ARGS)

pictures: pages-environment
	@$(BIN)/python tools/take_pictures.py

faults: test-environment
	OUTINGS_TEST_CASES=$$(($(KILLS) / 2)) $(BIN)/pytest -m "" tests/faults/test_kills.py tests/release/test_crashes.py \
	  -k random -rP $(ARGS)
	OUTINGS_TEST_CASES=100 $(BIN)/pytest -m "" tests/faults tests/release/test_s3_builds.py tests/release/test_crashes.py \
	  $(ARGS)

check:
	@tools/install_environment $(VENV) check
	@tools/build_site $(VENV)
	$(BIN)/ruff check .
	$(BIN)/mypy
	tools/check_scripts $(VENV)
	$(BIN)/lint-imports
	$(BIN)/python tools/check_sizes.py

bench: bench-environment
	$(BIN)/python -m bench.build
	$(BIN)/python -m bench.mix
	$(BIN)/python -m bench.peers

bench-search: bench-environment
	$(BIN)/python -m bench.search_quality $(ARGS)

bench-near: bench-environment
	$(BIN)/python -m bench.near $(ARGS)

clean:
	rm -rf var dist .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -not -path './$(VENV)/*' -prune -exec rm -rf {} +

# A folder of that name is kept in version control; without this line `make build` would call it up to date.
build:
	@echo 'Nothing is compiled here: a release is built by `$(BIN)/outings build -c FILE` (docs/guides/builds.md).'
