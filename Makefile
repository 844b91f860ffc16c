# Every target sets up what it needs: a virtual environment from hashed requirements, bytecode compiled.
PYTHON ?= $(shell PATH=$(or $(PATH),/usr/local/bin:/usr/bin:/bin); for name in python3 python3.11 python3.12 python3.13 python3.14; do \
	$$name -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$name; break; }; done)
BIN := .venv/bin
export PATH := $(or $(PATH),/usr/local/bin:/usr/bin:/bin)
export PYTHONDONTWRITEBYTECODE :=
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: demo test check bench lint fast docs real hostile lock clean
.DEFAULT_GOAL := check

demo: .venv/run.stamp
	$(BIN)/gossamer demo

test: lint cover processes alone

check: lint fast

bench: .venv/dev.stamp
	$(BIN)/python -m bench

# The type checker takes most of the time and one core: the rest is done beside it.
lint: .venv/dev.stamp
	@$(MAKE) --no-print-directory -j 2 types style

.PHONY: types style
types:
	$(BIN)/pyright --pythonpath $(BIN)/python

style:
	$(BIN)/ruff format --check --quiet .
	$(BIN)/ruff check --quiet .
	$(BIN)/lint-imports --no-cache
	$(BIN)/python scripts/docs.py --check
	$(BIN)/python scripts/snapshot.py --check

# What users install: the built wheel takes the place of the source in .venv. Back again: rm .venv/run.stamp
.PHONY: wheel
wheel: .venv/dev.stamp
	rm -rf dist
	$(BIN)/python -m build --wheel --no-isolation --outdir dist .
	$(BIN)/python -m pip install --quiet --no-deps --force-reinstall dist/*.whl

# Properties are tried with fewer examples than in `make test`, and what works on large inputs is left to it.
fast: .venv/dev.stamp
	$(BIN)/pytest -q -n 2 --hypothesis-profile=quick -m 'not large' tests/unit tests/contract

# They wait for processes and servers more than they work, so there are more lanes than cores; both folders in one
# run, so that no lane stands idle at the end of the first.
.PHONY: processes
processes: .venv/dev.stamp
	$(BIN)/pytest -q -n 5 --dist loadfile -m 'not alone' tests/real tests/hostile

real: .venv/dev.stamp
	$(BIN)/pytest -q -n 4 --dist loadfile tests/real

hostile: .venv/dev.stamp
	$(BIN)/pytest -q -n 3 --dist loadfile -m 'not alone' tests/hostile
	@$(MAKE) --no-print-directory alone

# What measures how long things take goes after the rest, one at a time.
.PHONY: alone
alone: .venv/dev.stamp
	$(BIN)/pytest -q -m alone tests/hostile

# Only what needs no other process: the rest proves deadlines, which a traced program keeps only by luck.
.PHONY: cover
cover: .venv/dev.stamp
	rm -f .coverage .coverage.*
	$(BIN)/coverage run -m pytest -q -n 2 tests/unit tests/contract
	$(BIN)/coverage combine -q
	$(BIN)/coverage report --fail-under=90
	$(BIN)/coverage report --fail-under=100 --include='*/gossamer/errors.py,*/gossamer/ports/*,*/gossamer/model/*,*/gossamer/steps/*,*/gossamer/contracts/*'

# Outside of every other target: real services, real keys, real money.
.PHONY: live
live: .venv/run.stamp
	$(BIN)/python scripts/live.py $(QUERY)

docs: .venv/dev.stamp
	$(BIN)/python scripts/docs.py
	$(BIN)/python scripts/snapshot.py

# Resolve the requirements anew; the files hold hashes, and no address of a registry.
lock: .venv/dev.stamp
	$(BIN)/uv pip compile -q --universal --generate-hashes --no-emit-index-url --no-emit-find-links --python-version 3.11 pyproject.toml requirements/run.in -o requirements/run.txt
	$(BIN)/uv pip compile -q --universal --generate-hashes --no-emit-index-url --no-emit-find-links --python-version 3.11 pyproject.toml --all-extras requirements/dev.in -o requirements/dev.txt
	$(BIN)/uv pip compile -q --universal --generate-hashes --no-emit-index-url --no-emit-find-links --python-version 3.11 requirements/peers.in -o requirements/peers.txt

.venv/run.stamp: requirements/run.txt pyproject.toml
	@test -n "$(PYTHON)" || { echo "Gossamer needs Python 3.11 or newer; set PYTHON=/path/to/python3.11."; exit 1; }
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null || { echo "$(PYTHON) cannot make virtual environments; install its venv package (Debian: python3-venv)."; exit 1; }
	@echo "Setting up .venv (about a minute, once)"
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --require-hashes -r requirements/run.txt
	@$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation -e .
	@$(BIN)/python -m compileall -q src
	@touch $@

.venv/dev.stamp: .venv/run.stamp requirements/dev.txt
	@$(BIN)/python -m pip install --quiet --require-hashes -r requirements/dev.txt
	@touch $@

clean:
	rm -rf .venv .cache dist build .coverage .coverage.*
