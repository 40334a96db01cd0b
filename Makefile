# Everything a newcomer or a CI needs: `make quickstart`, `make test`. Each makes .venv and installs first.
VENV ?= .venv
PYTHON ?= python3
BIN := $(VENV)/bin
# Of arithmetic: processes of the tests share the cores, and threads that wait for each other keep them busy.
ONE_THREAD := OMP_NUM_THREADS=1
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
# --no-deps: the lock names every package, so no resolver can add CUDA builds or anything else.
# --no-compile: Python compiles what it imports; to compile all packages takes half of the installation.
LOCKED := $(PIP) install --no-compile --no-deps
# PyTorch's builds for CPUs. Where it cannot be reached, the usual index has to do.
TORCH_INDEX ?= https://download.pytorch.org/whl/cpu

.PHONY: install quickstart test tests test-fast lint style types format docs replies

install: $(VENV)/.installed

# The pip that comes with Python takes twice as long as the newest. Several at once: each waits for the network.
$(VENV)/.installed: requirements.lock pyproject.toml
	@echo "Installing 166 packages, 2 GB, into $(VENV): half a minute with an index nearby, else minutes"
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --no-compile --upgrade pip
	grep '^torch==' requirements.lock | xargs $(LOCKED) --retries 0 --extra-index-url $(TORCH_INDEX) & \
	sed '/^# Tests/,$$d; /^#/d; /^torch==/d' requirements.lock | xargs -P 3 -n 56 $(LOCKED) && wait $$!
	PYTHONWARNINGS=ignore $(PIP) install --no-deps --no-build-isolation -e .  # setuptools warns of any editable one
	touch $@

# What tests need beside that.
$(VENV)/.tested: $(VENV)/.installed
	sed '1,/^# Tests/d; /^# Site/,$$d' requirements.lock | xargs -P 3 -n 45 $(LOCKED)
	touch $@

$(VENV)/.documented: $(VENV)/.tested
	sed '1,/^# Site/d' requirements.lock | xargs $(LOCKED)
	touch $@

quickstart: install
	$(BIN)/worksmith quickstart

# mypy runs on one core; the tests take the others.
test: $(VENV)/.tested
	$(MAKE) -j 3 style types tests

# One process first compiles all modules, beside mypy; else each of the three would. A file's fixtures are made once.
tests: $(VENV)/.tested
	-$(ONE_THREAD) $(BIN)/python -m pytest --collect-only -qq >/dev/null
	$(ONE_THREAD) $(BIN)/python -m pytest -n 3 --dist loadfile --no-loadscope-reorder

test-fast: $(VENV)/.tested
	$(ONE_THREAD) $(BIN)/python -m pytest -n 2 --dist worksteal -m "not slow"

lint: style types

style: $(VENV)/.tested
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports
	$(BIN)/python .ci/dead_code.py

types: $(VENV)/.tested
	$(BIN)/mypy

format: $(VENV)/.tested
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# What models in the process reply to the programs of the pages, with what these print. It takes many minutes.
replies: $(VENV)/.tested
	rm -f docs/replies.jsonl
	$(BIN)/python -m docs.snippets
	LC_ALL=C sort -u -o docs/replies.jsonl docs/replies.jsonl

docs: $(VENV)/.documented
	$(BIN)/python docs/reference.py
	$(BIN)/python docs/api_pages.py
	$(BIN)/python -m docs.structure
	$(BIN)/python -m docs.pages
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict
