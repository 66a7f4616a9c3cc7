# The kit's commands. Everything they need goes into .venv here and into the user's cache; nothing else is touched.
# (make itself cannot work in a folder whose path has spaces.)
SHELL := /bin/sh
PYTHON ?=
VENV := .venv
RUN := $(VENV)/bin
READY := $(VENV)/ready
N ?= 1000

.PHONY: help demo test prove soak lint oracle bench lock clean

help: ## show this help
	@grep -E '^[a-z]+: .*##' Makefile | sed 's/:.*##/\t/'

demo: $(READY) ## set up, then grade the sample submissions on real Spark
	@$(RUN)/autograder warm
	@$(RUN)/autograder demo

test: lint ## set up, then run all tests
	@$(RUN)/autograder warm
	@$(RUN)/python -m pytest

prove: lint ## (maintainers) replay everything that tests judge by records, say what differs, write the records anew
	@$(RUN)/autograder warm
	@$(RUN)/python -m pytest --prove -m recorded

soak: lint ## (maintainers) the same report twenty times, thousands of fuzzed inputs, a grader killed at many points
	@$(RUN)/autograder warm
	@AUTOGRADER_GRADINGS=20 AUTOGRADER_EXAMPLES=5000 $(RUN)/python -m pytest -m soak

lint: $(READY)
	@echo "ruff, mypy, import-linter …"
	@$(RUN)/ruff check
	@$(RUN)/ruff format --check
	@$(RUN)/mypy
	@$(RUN)/lint-imports

oracle: $(READY) ## compare the oracle with real Spark on N random streams (make oracle N=5000)
	@$(RUN)/python -m tests.oracle.against_spark $(N)

bench: $(READY) ## measure the kit's speed against stock settings
	@$(RUN)/python benchmarks/bench.py

lock: ## (maintainers) remake the lock files with uv
	uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --no-annotate --allow-unsafe requirements/build.in -o requirements/build.lock
	uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --no-annotate --extra dev pyproject.toml -o requirements/dev.lock
	uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --no-annotate -c requirements/dev.lock pyproject.toml -o requirements/run.lock

clean: ## remove .venv and the reports
	rm -rf $(VENV) graded build *.egg-info

# Made again when a lock changes; an interrupted set-up leaves no 'ready' and is taken up again.
$(READY): requirements/build.lock requirements/dev.lock pyproject.toml requirements/find_python.sh
	@python=$$(sh requirements/find_python.sh "$(PYTHON)") || exit 1; \
	echo "Setting up $(VENV) with $$python (the first time it takes a few minutes) …"; \
	"$$python" -m venv --clear $(VENV) || { \
	  echo "The virtual environment could not be made: this Python comes without venv or ensurepip."; \
	  echo "Install them (on Debian and Ubuntu: apt install python3-venv), or name another one: make PYTHON=/path/to/python3"; \
	  exit 1; } >&2
	@$(RUN)/python -m pip install --disable-pip-version-check --quiet --require-hashes -r requirements/build.lock
	@echo "Downloading and installing PySpark and the rest …"
	@$(RUN)/python -m pip install --disable-pip-version-check --require-hashes --no-build-isolation -r requirements/dev.lock
	@$(RUN)/python -m pip install --disable-pip-version-check --quiet --no-deps --no-build-isolation -e .
	@touch $(READY)
