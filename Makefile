# SPDX-License-Identifier: Apache-2.0
PYTHON := .venv/bin/python
# Golden files are what the tool generated, as it generated them.
C_FILES = $(shell git ls-files --cached --others --exclude-standard -- '*.c' '*.h' ':!*/golden/*')
# Two processes: more would disturb nothing but the machine's other users.
PYTEST_ARGUMENTS ?= -n 2 --dist worksteal

.PHONY: help run test lint format unit docs clean setup-run setup-test

help:
	@echo 'make run     install what is needed, run examples/engine in QEMU, show its timeline'
	@echo 'make test    install what is needed, then lint, unit tests in C, all other tests'
	@echo 'make lint    ruff, mypy, clang-format, cppcheck with MISRA'
	@echo 'make format  format Python and C'
	@echo 'make docs    build the documentation'
	@echo 'make clean   remove what was built; .venv stays'

run: setup-run
	@mkdir -p build
	.venv/bin/carillon run examples/engine/schedule.toml --board ast1030-evb --for 1s --html build/engine.html

test: setup-test lint unit
	$(PYTHON) -m pytest $(PYTEST_ARGUMENTS)

lint: setup-test
	$(PYTHON) -m ruff check .
	$(PYTHON) -m mypy
	clang-format --dry-run -Werror $(C_FILES)
	tools/check-c.sh

format: setup-test
	$(PYTHON) -m ruff check --fix-only --quiet .
	$(PYTHON) -m ruff format .
	clang-format -i $(C_FILES)

unit: setup-test
	cmake --preset host-tests >/dev/null
	cmake --build --preset host-tests
	ctest --preset host-tests

docs: setup-test
	@if [ -x docs/build.sh ]; then docs/build.sh; else echo 'docs/build.sh does not exist yet'; fi

clean:
	rm -rf build dist examples/*/build bench/*/build bench/*/*/build .pytest_cache .mypy_cache .ruff_cache .hypothesis

setup-run:
	@tools/setup.sh run

setup-test:
	@tools/setup.sh test
