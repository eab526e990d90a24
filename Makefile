# Two commands do everything: `make demo` and `make test`. Both set up .venv first, once per pyproject.toml.

VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
WORKERS ?= auto

.DEFAULT_GOAL := demo
.PHONY: demo test lint types contracts tests coverage format readme clean

demo: $(READY)
	$(BIN)/kubestow compare --scenario shop

test: lint types contracts tests

lint: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(READY)
	$(BIN)/pyright

contracts: $(READY)
	$(BIN)/lint-imports

tests: $(READY)
	$(BIN)/python -m pytest -n $(WORKERS)

coverage: $(READY)
	$(BIN)/coverage run -m pytest
	$(BIN)/coverage report

format: $(READY)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

readme: $(READY)
	$(BIN)/python tests/shown_commands.py --write

$(READY): pyproject.toml
	@python=$$(for name in $(PYTHON) python3 python3.14 python3.13 python3.12 python3.11 python; do \
	    "$$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo "$$name" && break; \
	done); \
	if [ -z "$$python" ]; then \
	    echo "kubestow needs Python 3.11 or newer and found none; install one, or name it: make PYTHON=/path/to/python3" >&2; \
	    exit 1; \
	fi; \
	echo "Setting up $(VENV) with $$python"; \
	"$$python" -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

clean:
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .ruff_cache .hypothesis .coverage .import_linter_cache
