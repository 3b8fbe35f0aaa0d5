# SPDX-License-Identifier: Apache-2.0
PYTHON := .venv/bin/python
# Golden files are what the tool generated, as it generated them.
C_FILES = $(shell git ls-files --cached --others --exclude-standard -- '*.c' '*.h' ':!*/golden/*')
# Two processes: more would disturb nothing but the machine's other users.
PYTEST_ARGUMENTS ?= -n 2 --dist worksteal $(PYTEST_MORE)
SINCE ?= HEAD

.PHONY: help run test test-all affected search prove compare fuzz coverage quick lint lint-c lint-python lint-format format unit docs \
	docs-output clean setup-run setup-test setup-docs setup-coverage setup-peers

# Tests of the tool that need no emulator.
QUICK = $(addprefix tests/tool/test_,advice.py analyse.py arxml.py bad_inputs.py bad_plans.py board.py console.py docs.py explain.py \
	lower.py oil.py port_contract.py read.py read_osek.py service_reference.py spans.py spdx.py times.py website.py)

help:
	@echo 'make run     install what is needed, run examples/engine in QEMU, show its timeline'
	@echo 'make test    install what is needed, then lint, unit tests in C, each other test with a part of its cases'
	@echo 'make test-all   all cases of all tests; it may be stopped, and goes on where it was'
	@echo 'make quick   a part of make test, in about a minute: lint without cppcheck, tests of the tool alone'
	@echo 'make affected   the tests that a change since the last commit can concern; SINCE=main~3 for another one'
	@echo 'make search  the random tests with other draws, a minute each; SEARCH="allocation --for 600" for one of them'
	@echo 'make prove   what is proved of the kernel, each proof with a run that must fail and a mutant (tests/proof)'
	@echo 'make compare   what services cost here, in RTIC and in Embassy, in one emulator; installs Rust'
	@echo 'make fuzz    draw inputs for each reader of files, a minute each; FUZZ="oil --for 3600" for one of them (tests/fuzz)'
	@echo 'make coverage   branches and MC/DC of the kernel over the tests whose programs run on this machine; long'
	@echo 'make lint    ruff, mypy, clang-format, cppcheck with MISRA'
	@echo 'make format  format Python and C'
	@echo 'make docs    build the documentation as a site, in build/site'
	@echo 'make docs-output  run what the documentation shows, and write its output and pictures anew'
	@echo 'make clean   remove what was built; .venv stays'

run: setup-run
	@mkdir -p build
	.venv/bin/carillon run examples/engine/schedule.toml --board ast1030-evb --for 1s --html build/engine.html

# Lint and the unit tests at the same time, the output of each target together; then pytest, whose summary is the last line.
# One of its tests is lint-c (tests/tool/test_misra.py), so that it has what the other tests leave of two processors.
test: setup-test
	@$(MAKE) --no-print-directory -o setup-test -j 2 --output-sync=target lint-python lint-format unit
	$(PYTHON) -m pytest $(PYTEST_ARGUMENTS)

# Everything, and what was stopped goes on; the last line is the sum of all runs, in the form of pytest's.
test-all: setup-test
	@$(MAKE) --no-print-directory -o setup-test -j 2 --output-sync=target lint-python lint-format unit
	$(PYTHON) tests/whole.py $(PYTEST_ARGUMENTS)

quick: setup-test lint-python lint-format
	$(PYTHON) -m pytest $(PYTEST_ARGUMENTS) -m 'not long' $(QUICK)

affected: setup-test lint-python lint-format
	@mkdir -p build
	$(PYTHON) tests/affected.py --since $(SINCE) >build/affected
	@[ ! -s build/affected ] || $(PYTHON) -m pytest $(PYTEST_ARGUMENTS) $$(cat build/affected)

search: setup-test
	$(PYTHON) tests/search.py $(SEARCH)

# The tables of the guide, of what is here now: every row, also those in which another one needs less.
compare: setup-peers
	@mkdir -p build
	COLUMNS=110 $(PYTHON) -m bench.papers services | tee build/compare.txt

prove: setup-test
	@mkdir -p build
	$(PYTHON) tests/proof/prove.py --json build/proofs.json

fuzz: setup-test
	$(PYTHON) tests/fuzz/fuzz.py $(FUZZ)

coverage: setup-coverage
	$(PYTHON) tests/coverage/measure.py

lint: lint-c lint-python lint-format

lint-c: setup-test
	scripts/check-c.sh

lint-python: setup-test
	$(PYTHON) -m ruff check --no-cache .
	$(PYTHON) -m mypy

lint-format: setup-test
	clang-format --dry-run -Werror $(C_FILES)

format: setup-test
	$(PYTHON) -m ruff check --fix-only --quiet .
	$(PYTHON) -m ruff format .
	clang-format -i $(C_FILES)

unit: setup-test
	cmake --preset host-tests >/dev/null
	cmake --build --preset host-tests
	ctest --preset host-tests

docs: setup-docs
	$(PYTHON) docs/website.py

docs-output: setup-test
	docs/build.sh

clean:
	rm -rf build dist examples/*/build bench/*/build bench/*/*/build .pytest_cache .mypy_cache .ruff_cache .hypothesis

setup-run:
	@scripts/setup.sh run

setup-test:
	@scripts/setup.sh test

setup-docs:
	@scripts/setup.sh docs

setup-coverage: setup-test
	@scripts/setup.sh coverage

setup-peers: setup-test
	@scripts/setup.sh peers
