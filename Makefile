# `make run` opens the app, `make test` passes every test, `make check` what is quick of it.
# All set themselves up. `make space` tries the repository as a Space, which takes minutes.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
DEV_STAMP := $(VENV)/.installed-dev
DOCS_STAMP := $(VENV)/.installed-docs
# Modules are compiled as they are first used, and kept so, whatever the shell says.
export PYTHONDONTWRITEBYTECODE :=
SUDO := $(shell [ "$$(id -u)" = 0 ] || command -v sudo)

.PHONY: run test test-deep check installed tests lint style types pytest quick format chromium clean bench docs space space-push

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

# What the platform's builder installs, in build/space, and one check by the app that it starts.
space: $(STAMP)
	$(BIN)/hinter space check
	$(PYTHON) scripts/try_space.py

# A Space refuses a git push of binary files, so the files that git knows go over HTTP. Nothing is
# sent: the commands are printed, for you to run.
SPACE ?= ORG/NAME
space-push: $(STAMP)
	@$(BIN)/hinter space check >&2
	@echo 'rm -rf build/push && mkdir -p build/push && git archive HEAD | tar -x -C build/push'
	@echo 'hf upload $(SPACE) build/push . --repo-type space --delete "*" --commit-message "$(shell git rev-parse --short HEAD)"'

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit("HInter needs Python 3.11 or newer; set PYTHON=python3.x" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)

# torch comes first and alone, so that its pinned build is taken before anything asks for a range.
# Nothing is compiled in advance: most of what is installed is never used.
INSTALL := $(BIN)/python scripts/install.py -c constraints.txt
$(STAMP): requirements.txt constraints.txt pyproject.toml | $(BIN)/python
	$(INSTALL) torch
	$(INSTALL) -e .
	touch $@

$(DEV_STAMP): requirements-dev.txt $(STAMP)
	$(INSTALL) -r requirements-dev.txt
	touch $@

$(DOCS_STAMP): requirements-docs.txt constraints.txt | $(BIN)/python
	$(INSTALL) -r requirements-docs.txt
	touch $@

# The browser tests drive a system Chromium: its headless shell, which needs half the time, where
# there is one.
APT := $(SUDO) apt-get -qq -o Acquire::Retries=1 -o Acquire::http::Timeout=20
chromium:
	@command -v chromium-headless-shell \
	  || { $(APT) update && $(APT) install -y chromium-headless-shell; } \
	  || command -v chromium || $(APT) install -y chromium

clean:
	rm -rf $(VENV) build *.egg-info
