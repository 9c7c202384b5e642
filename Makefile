# Everything a newcomer types is `make demo` and `make test`; the rest is for daily work (`make help`).
.DEFAULT_GOAL := help
SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c

PYTHON ?= python3
BIN := .venv/bin
CORE := pyproject.toml lock.txt CMakeLists.txt native/games.cmake $(shell find native/src -type f)

.PHONY: help demo train gpu check test test-anywhere lint types quick docs format bench sanitize tsan soak simulate fuzz lock clean

help:  ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):[^#]*## */  make \1\t/' | expand -t 22

# The programs of Debian that tests run.
.PHONY: packages
packages: | python
	@$(PYTHON) tools/packages.py

# What installs: the tools it needs are checked, the environment is made, and pip's progress is shown.
INSTALL = $(PYTHON) tools/install.py .venv

.PHONY: python
python:
	@command -v $(PYTHON) > /dev/null || { echo "error: $(PYTHON) not found; install python3 (3.11 or later)" >&2; exit 2; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "error: Python 3.11 or later is needed, $$($(PYTHON) --version) is installed; try make PYTHON=python3.11" >&2; exit 2; }

# The core is built for this processor alone: what plays here needs no other build.
CORE_OF_HERE := --config-settings=build-dir=build/make/{wheel_tag} --config-settings=cmake.define.FIEDLER_LEVELS=host

# The build of onnxruntime in the environment: `make gpu` leaves a mark. The two builds overwrite each other's files.
ONNX := $(if $(wildcard .venv/.gpu),gpu,cpu)
# torch without CUDA, a tenth of the size of the build on PyPI; `make train TORCH_INDEX=` takes that one.
TORCH_INDEX := https://download.pytorch.org/whl/cpu

# The environment that plays, the one that also trains and tests, and the same with the core once more, with asserts,
# ASan and UBSan: where that is built once, it is kept up to date.
.venv/.play: $(CORE) | python
	@echo "Installing what playing needs (0.7 GB); the native core is compiled here, which takes some minutes."
	@$(INSTALL) $(ONNX),mqtt,web -- $(CORE_OF_HERE)
	@touch $@

.venv/.train: $(CORE) | python
	@echo "Installing what training needs (1.4 GB); the native core is compiled here, which takes some minutes."
	@$(INSTALL) $(ONNX),mqtt,web,train $(if $(wildcard .venv/.gpu),,$(TORCH_INDEX)) -- $(CORE_OF_HERE)
	@touch .venv/.play $@

.venv/.test: $(CORE) | python
	@echo "Installing what training and testing need (2.9 GB); the native core is compiled here, which takes some minutes."
	@$(INSTALL) $(ONNX),mqtt,web,notify,cluster,train,openspiel,wandb,docs,dev -- $(CORE_OF_HERE)
	@touch .venv/.play .venv/.train $@

.venv/.sanitized: $(CORE) | python
	@echo "Installing what testing needs (2.9 GB); the native core is compiled here, also with sanitizers, which takes some minutes."
	@$(INSTALL) $(ONNX),mqtt,web,notify,cluster,train,openspiel,wandb,docs,dev -- $(CORE_OF_HERE) --config-settings=cmake.define.FIEDLER_SANITIZE=ON
	@touch .venv/.play .venv/.train .venv/.test $@

demo: .venv/.play  ## play configs/quickstart.toml: ten players, a meeting graph, a ranking; SERVE=1: in a browser
	@rm -rf results/uttt-quickstart
	@$(BIN)/tournament run configs/quickstart.toml $(if $(SERVE),--serve)

train: .venv/.train  ## install what `train` needs: PyTorch for the processor
	@echo "Ready: $(BIN)/train run configs/training/connect4-small.toml"

gpu: .venv/.train  ## the same for a GPU: onnxruntime and PyTorch with CUDA; `make clean` is the way back
	@$(BIN)/python -m pip uninstall --quiet --yes onnxruntime torch
	@touch .venv/.gpu
	@$(INSTALL) gpu,mqtt,web,train -- $(CORE_OF_HERE)

# Three jobs on two cores; each one's output comes whole.
check: .venv/.test  ## two minutes: lint, types, and the tests that need no process, no browser and no torch
	@$(MAKE) --no-print-directory --output-sync=target --jobs 3 lint types quick

test: packages .venv/.sanitized  ## every check and every test
	@$(MAKE) --no-print-directory --output-sync=target --jobs 3 lint types sanitize
	@$(BIN)/python -m pytest -p tests.order -n 3 --dist loadfile --cov --cov-report=
	@$(PYTHON) tools/packages.py --left-out

test-anywhere: | python  ## the tests elsewhere, seven times: another user, random order, one core, busy loops, a bare Debian 12
	@$(PYTHON) -m tools.anywhere $(ANYWHERE)

# Deno keeps its results there.
DENO := DENO_DIR=build/deno DENO_NO_UPDATE_CHECK=1 $(BIN)/deno

# The schemas of a code host, from the package: nothing is fetched.
SCHEMA := $(BIN)/check-jsonschema --quiet --builtin-schema vendor.github

# tests/quick.py chooses the tests.
quick: .venv/.test
	@$(BIN)/python -m pytest -q -r fE -p tests.quick -W ignore::pytest.PytestUnraisableExceptionWarning -n 2 --dist loadfile

lint: .venv/.test docs  ## ruff, import-linter, clang-format; Deno, which checks the types of JavaScript; pages, workflows
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/lint-imports
	@$(BIN)/clang-format --dry-run --Werror $$(find native/src -type f)
	@$(DENO) lint --quiet
	@$(DENO) check --quiet
	@$(BIN)/zizmor --offline --quiet .github
	@$(SCHEMA)-workflows .github/workflows/*.yml
	@$(SCHEMA)-issue-forms .github/ISSUE_TEMPLATE/{fault,wish}.yml
	@$(SCHEMA)-issue-config .github/ISSUE_TEMPLATE/config.yml
	@$(BIN)/check-jsonschema --quiet --builtin-schema vendor.citation-file-format CITATION.cff
	@$(BIN)/check-jsonschema --quiet --builtin-schema vendor.compose-spec deploy/compose.yaml
	@RUST_LOG=error $(BIN)/taplo lint $$(find configs deploy -name '*.toml')

docs: .venv/.test  ## the pages as a site, without a dead link: build/docs/site/index.html
	@$(BIN)/python -m tools.docs

format: .venv/.test  ## put the sources into shape
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .
	@$(BIN)/clang-format -i $$(find native/src -type f)

types: .venv/.test  ## mypy --strict
	@$(BIN)/mypy

bench: .venv/.train  ## the speed measurements of benchmarks/README.md
	@$(BIN)/python benchmarks/speed.py
	@$(BIN)/python benchmarks/manager.py

sanitize: .venv/.sanitized  ## the native tests, without those of numbers, under ASan and UBSan, asserts on
	@LD_PRELOAD="$$($${CXX:-c++} -print-file-name=libasan.so) $$($${CXX:-c++} -print-file-name=libstdc++.so)" \
	  ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 FIEDLER_LEVEL=sanitized \
	  $(BIN)/python -m pytest tests/native -q -m "not soak and not numbers" -p no:cacheprovider -n 2

tsan: .venv/.test  ## what threads share, under the thread sanitizer (part of the tests)
	@$(BIN)/python -m pytest tests/native/test_threads.py

# Every build of the core: the tests of levels compare those that this processor runs.
.venv/.levels: $(CORE) | python
	@echo "Compiling the native core for every x86-64 level."
	@$(INSTALL) $(ONNX),mqtt,web,notify,cluster,train,docs,dev -- --config-settings=build-dir=build/make/{wheel_tag} \
	  --config-settings=cmake.define.FIEDLER_LEVELS="baseline;v3;v4"
	@touch .venv/.play .venv/.train .venv/.test $@

soak: .venv/.levels  ## the long tests: many kills, long runs, every build of the core
	@$(BIN)/python -m pytest tests/native/test_levels.py
	@$(BIN)/python -m pytest -m soak --timeout 3600

SEEDS ?= 1000

simulate: .venv/.test  ## runs whose nodes, managers and disks fail, by seeds: make simulate SEEDS=10000 FIRST=200
	@$(BIN)/python -m tests.simulated --seeds $(SEEDS) --first $(or $(FIRST),0)

fuzz: .venv/.test  ## a million inputs for every dialect, resumable; make fuzz FUZZ="--seconds 60 --dialect gtp" for less
	@$(BIN)/python -m tools.fuzz $(FUZZ)

UV ?= $(BIN)/uv
# What scikit-build-core asks for where the system has none.
BUILDERS := cmake>=3.25 ninja

lock:  ## write lock.txt after a change of pyproject.toml; UPGRADE=1: with the newest versions
	@command -v $(UV) > /dev/null || { echo "error: $(UV) not found; any uv will do: make lock UV=uv" >&2; exit 2; }
	@printf '%s\n' $(foreach builder,$(BUILDERS),'$(builder)') | \
	  $(UV) pip compile pyproject.toml - --all-extras --universal --python-version 3.11 --no-annotate --quiet \
	  $(if $(UPGRADE),--upgrade) --custom-compile-command 'make lock UPGRADE=1' --output-file lock.txt

clean:  ## remove the environment and the builds
	@rm -rf .venv build
