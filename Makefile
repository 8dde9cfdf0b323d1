# Scout. Every target does its own set-up: on a fresh Debian or Ubuntu, python3 and make are all it takes.
.DEFAULT_GOAL := help
SHELL := /bin/bash
export PYTHON ?= python3
BIN := .venv/bin
INSTALL := $(BIN)/python -m pip install -qq --disable-pip-version-check
# stamps of what is installed: to run Scout, the demo, everything
RUN := .venv/.run
DEMO := .venv/.demo
DEV := .venv/.dev
WORKERS ?= 3
SHARED ?= ../shared

# Tests and tools start Python hundreds of times: compiled modules are kept, also where the machine says otherwise.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help
help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: setup
setup: $(DEV) ## the virtual environment .venv with everything in it

# Each layer brings what it needs to the one before. pip's own cache makes a second run quick; the stamps make it instant.
$(RUN): pyproject.toml requirements.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || { echo "Scout needs Python 3.10 or newer: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	@.ci/need --module ensurepip python3-venv
	@test -x $(BIN)/python || { echo "Creating .venv"; $(PYTHON) -m venv .venv; }
	@echo "Installing Scout into .venv (a minute or two the first time)"
	@$(INSTALL) -e .
	@touch $@

$(DEMO): $(RUN) requirements-demo.txt
	@echo "Installing the demo's shop into .venv"
	@$(INSTALL) -r requirements-demo.txt -e '.[matching]'
	@touch $@

$(DEV): $(DEMO) requirements-dev.txt
	@echo "Installing what checks and tests need into .venv (some minutes the first time)"
	@$(INSTALL) -r requirements-dev.txt
	@touch $@

.PHONY: demo
demo: $(DEMO) ## the main job: a real shop, rules learned from known offers, a crawl, the report of what is missing
	@$(BIN)/python -m tests.demo

.PHONY: demo-forms
demo-forms: $(DEV) ## a database behind a query form, at three degrees of cooperation (CityWorld, Weber 2001)
	@$(BIN)/python -m tests.demo.forms

.PHONY: test
test: setup services browser lint ## lint, types, import direction, unit tests, crawl tests against local servers
	@$(BIN)/python -m pytest -q -n $(WORKERS) --dist loadfile --no-loadscope-reorder -m "not long"
	@$(BIN)/python -m bench.gate --short

.PHONY: test-long
test-long: setup services browser spark ## the tests that take minutes
	@$(BIN)/python -m pytest -q -m long

.PHONY: lint
lint: setup ## style, types, and the direction of imports
	@$(BIN)/ruff check . && $(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

.PHONY: docs
docs: setup ## the documentation as a site, in build/site: open build/site/index.html
	@NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet && echo "build/site/index.html"

.PHONY: crawl
crawl: $(RUN) ## crawl a shop of yours: make crawl URL=https://shop.example [ARGS="-a max_pages=50"]
	@test -n "$(URL)" || { echo "Say which shop: make crawl URL=https://shop.example" >&2; exit 2; }
	@$(BIN)/scout crawl "$(URL)" $(ARGS)

.PHONY: bench
bench: setup ## speed, as ratios to the time a page takes to parse
	@$(BIN)/python -m bench

COMPARE := .venv/compare
$(COMPARE)/.done: bench/compare/requirements.txt $(DEV)
	@echo "Installing the other tools into $(COMPARE)"
	@$(PYTHON) -m venv $(COMPARE) && $(COMPARE)/bin/python -m pip install -qq --disable-pip-version-check -r bench/compare/requirements.txt
	@touch $@

.PHONY: compare
compare: $(COMPARE)/.done ## Scout beside five other tools on the same shops; writes docs/comparison.md
	@$(BIN)/python -m bench.compare $(COMPARE)/bin/python

.PHONY: gate
gate: setup ## accuracy against its floors, on all data: make gate [SHARED=../shared] [ARGS=--without-data]
	@$(BIN)/python -m bench.gate --since $$(git rev-list --max-parents=0 HEAD)
	@$(BIN)/python -m bench.gate --shared "$(SHARED)" $(ARGS)

.PHONY: services
services: ## PostgreSQL's and Redis' programs, which the tests start by themselves
	@.ci/need --optional --program initdb postgresql
	@.ci/need --optional --program redis-server redis-server

.PHONY: spark
spark: setup ## pyspark and Java, for bulk extraction on Spark (450 MB)
	@.ci/need --optional --program java default-jre-headless
	@$(BIN)/python -c 'import pyspark' 2>/dev/null || $(INSTALL) -e '.[spark]'

.PHONY: browser
browser: $(RUN) ## a Chromium for pages that need one: an existing one, else Playwright's, else the distribution's
	@.ci/browser

.PHONY: clean
clean: ## remove what the targets made, but for .venv and your databases
	rm -rf var build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find scout tests bench -name __pycache__ -type d -prune -exec rm -rf {} +
