# Everything a newcomer or a CI needs: `make quickstart`, `make test`. Each makes .venv and installs first.
VENV ?= .venv
PYTHON ?= python3
BIN := $(VENV)/bin
# Of arithmetic: processes of the tests share the cores, and threads that wait for each other keep them busy.
ONE_THREAD := OMP_NUM_THREADS=1
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.PHONY: install quickstart test tests test-fast lint style types format docs

install: $(VENV)/.installed

# --no-deps: the lock names every package, so no resolver can add CUDA builds or anything else.
# --no-compile: Python compiles what it imports; to compile all packages takes half of the installation.
# Two at once, since one unpacks on one core only.
$(VENV)/.installed: requirements.lock pyproject.toml
	$(PYTHON) -m venv $(VENV)
	grep -v '^#' requirements.lock | xargs -P 2 -n 50 $(PIP) install --no-compile --no-deps
	$(PIP) install --no-deps --no-build-isolation -e .
	touch $@

quickstart: install
	$(BIN)/worksmith quickstart

# mypy runs on one core; the tests take the others.
test: style
	$(MAKE) -j 2 types tests

tests: install
	$(ONE_THREAD) $(BIN)/python -m pytest -n 4 --dist worksteal

test-fast: install
	$(ONE_THREAD) $(BIN)/python -m pytest -n 2 --dist worksteal -m "not slow"

lint: style types

style: install
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports

types: install
	$(BIN)/mypy

format: install
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

docs: install
	$(BIN)/python docs/reference.py
	$(BIN)/python docs/api_pages.py
