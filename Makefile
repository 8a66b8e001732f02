# Everything that a person or CI does here, one word each. `make` alone lists them.

VENV := .venv
BIN := $(VENV)/bin

# Debian packages that tests need beside Python: the README's requests are run, the tracked files read, limits counted,
# units verified.
TEST_PACKAGES := curl git redis-server systemd

# How many cases a generated test tries, and how often a crash test kills.
export OUTINGS_TEST_CASES
LONG_TEST_CASES := 1000

# How often `make faults` tries to kill: half of it builds, half of it small publishes.
KILLS := 10000

.DEFAULT_GOAL := help
.PHONY: help install run test test-long faults check bench bench-search bench-near clean build

help:
	@printf '%s\n' \
	  'make run        the environment, two sample metros, a key, and an API on 127.0.0.1:8000' \
	  'make test       the environment and all tests' \
	  'make test-long  the same with $(LONG_TEST_CASES) generated cases and kills a test (OUTINGS_TEST_CASES)' \
	  'make faults     $(KILLS) times SIGKILL at a random moment of a build (KILLS=…), and every fault that is drawn' \
	  'make check      lint, types, one-way imports, sizes of files' \
	  'make bench      the measurements' \
	  'make bench-search  how good search is: 80 judged queries, beside three peers (CITY_DATA)' \
	  'make bench-near  what is near a point, beside PostgreSQL' \
	  'make install    the environment alone, in $(VENV)' \
	  'make clean      remove what commands made here (the environment stays)'

install:
	@tools/install_environment $(VENV)

run: install
	@$(BIN)/outings demo

test: install
	@tools/install_packages $(TEST_PACKAGES)
	$(BIN)/pytest $(ARGS)

test-long: OUTINGS_TEST_CASES := $(LONG_TEST_CASES)
test-long: test

faults: install
	OUTINGS_TEST_CASES=$$(($(KILLS) / 2)) $(BIN)/pytest tests/faults/test_kills.py tests/release/test_crashes.py -k random \
	  -rP $(ARGS)
	OUTINGS_TEST_CASES=100 $(BIN)/pytest tests/faults tests/release/test_s3_builds.py tests/release/test_crashes.py $(ARGS)

check: install
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tools/check_sizes.py

bench: install
	$(BIN)/python -m bench.build
	$(BIN)/python -m bench.edge $(ARGS)
	$(BIN)/python -m bench.peers
	$(BIN)/python -m bench.paths
	$(BIN)/python -m bench.limits
	$(BIN)/python -m bench.release

bench-search: install
	$(BIN)/python -m bench.search_quality $(ARGS)

bench-near: install
	$(BIN)/python -m bench.near $(ARGS)

clean:
	rm -rf var dist .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -not -path './$(VENV)/*' -prune -exec rm -rf {} +

# A folder of that name is kept in version control; without this line `make build` would call it up to date.
build:
	@echo 'Nothing is compiled here: a release is built by `$(BIN)/outings build -c FILE` (docs/operators.md).'
