# `make run` opens the app, `make test` passes every test, `make check` what is quick of it.
# All set themselves up.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
DEV_STAMP := $(VENV)/.installed-dev
DOCS_STAMP := $(VENV)/.installed-docs
# Modules are compiled as they are first used, and kept so, whatever the shell says.
export PYTHONDONTWRITEBYTECODE :=
SUDO := $(shell [ "$$(id -u)" = 0 ] || command -v sudo)

.PHONY: run test test-deep check installed tests lint style types pytest quick format chromium clean bench docs

run: $(STAMP)
	$(BIN)/python app.py

# What is installed comes over the network, the browser beside the libraries; then types are
# checked on one core while the first tests run on the other.
test: installed
	@$(MAKE) --no-print-directory tests

# The same with many random examples and kills in place of few.
test-deep: export HYPOTHESIS_PROFILE := deep
test-deep: test

# Style, types, and the tests that run neither a browser nor a campaign nor a trained model.
check: $(DEV_STAMP) style
	@$(MAKE) --no-print-directory -j 2 types quick

installed:
	@$(MAKE) --no-print-directory -j 2 $(DEV_STAMP) chromium

tests: style
	@$(MAKE) --no-print-directory -j 2 types pytest

lint: style types

style: $(DEV_STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(DEV_STAMP)
	$(BIN)/mypy

pytest: $(DEV_STAMP)
	$(BIN)/python -m pytest -n 3 --dist loadfile --no-loadscope-reorder

quick: $(DEV_STAMP)
	$(BIN)/python -m pytest -n 2 --dist loadfile -m "not slow" tests/unit tests/architecture

format: $(DEV_STAMP)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(DEV_STAMP)
	$(BIN)/python -m benchmarks

# The site lies in build/site; a link that leads nowhere is an error. Only installing needs a network.
docs: $(DOCS_STAMP)
	$(BIN)/zensical build --clean --strict
	$(BIN)/python scripts/check_site.py build/site

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit("HInter needs Python 3.11 or newer; set PYTHON=python3.x" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)

# torch comes first and alone, so that its pinned build is taken before anything asks for a range.
# Nothing is compiled in advance: most of what is installed is never used.
$(STAMP): requirements.txt constraints.txt pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile -c constraints.txt torch
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile -c constraints.txt -e .
	touch $@

$(DEV_STAMP): requirements-dev.txt $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile -c constraints.txt -r requirements-dev.txt
	touch $@

$(DOCS_STAMP): requirements-docs.txt constraints.txt | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile -c constraints.txt -r requirements-docs.txt
	touch $@

# The browser tests drive a system Chromium.
chromium:
	@command -v chromium >/dev/null || command -v google-chrome >/dev/null || \
	  { $(SUDO) apt-get update -qq && $(SUDO) apt-get install -y -qq chromium; }

clean:
	rm -rf $(VENV) build *.egg-info
