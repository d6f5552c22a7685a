# The parts of `make test`.
PYTEST_ARGS ?=
# For the Python tests; a session that takes longer hangs.
SESSION_S := $(if $(filter-out 0,$(NODECTL_LONG_TESTS)),7200,1800)

test: ready ## lint, Rust and Python unit tests, protocol tests, one short end-to-end run
	@$(SIDE_BY_SIDE_TARGETS) rust-tests lint-after-packages tests-by-themselves
	@$(MAKE) --no-print-directory python-tests

test-all: ## the same with all long tests: identity under load, long transfers, all commands of the pages in a new clone
	@NODECTL_LONG_TESTS=1 $(MAKE) --no-print-directory test
	@echo "$$(date +%T) commands of the pages"
	@$(PYTHON) -m tests.page_commands

# Two commands at a time, since each has a first and a last minute in which it leaves processors idle.
SIDE_BY_SIDE_TARGETS = $(MAKE) --no-print-directory --jobs=2 --output-sync=recurse
.PHONY: python-tests tests-by-themselves tests-side-by-side tests-in-virtual-time rust-tests lint-after-packages packages-first packages-of-tests lint-python lint-rust

python-tests:
	@echo "$$(date +%T) Python tests"
	@if [ "$(TIME)" != real ] && $(PYTHON) -m virtual_time true >/dev/null; then \
	  $(MAKE) --no-print-directory --jobs=2 tests-in-virtual-time tests-side-by-side; \
	else $(call pytest,-m "not ($(BY_THEMSELVES))"); fi

# The tests call make, which would take its variables for a wish.
tests-by-themselves tests-side-by-side tests-in-virtual-time: export MAKEFLAGS =
tests-side-by-side:
	@$(call pytest,$(TESTS_SIDE_BY_SIDE))

tests-in-virtual-time:
	@$(PYTHON) -m tests.in_virtual_time$(if $(NODECTL_LONG_TESTS), && \
	KERNEL=7.3 $(PYTHON) -m tests.in_virtual_time)

# No other test may run beside them; clippy may.
tests-by-themselves: rust-tests packages-first
	@echo "$$(date +%T) tests by themselves"
	@$(call pytest,-m "$(BY_THEMSELVES)")

# Many of them wait for something, so other work fits beside them.
rust-tests: export MAKEFLAGS =
rust-tests:
	@$(MAKE) --no-print-directory switch
	@echo "$$(date +%T) Rust tests"
	@$(CARGO_TEST)

# Packages come from a network while the compiler computes. Without prerequisites, or make would begin with those.
packages-first:
	@$(MAKE) --no-print-directory packages-of-tests

# Not at the same time: mypy reads the packages. Rust's tests go first, since others wait for them, and lint fills the gaps of those.
lint-after-packages: packages-first
	@nice $(MAKE) --no-print-directory lint

# Ray, JupyterLab and MkDocs are extras: where they cannot be had, their tests say so.
packages-of-tests: $(VENV)/.development-ready rust-lint lua-lint lint-page sandbox tshark live $(if $(NODECTL_LONG_TESTS),browser tools-of-long-tests)
	@$(MAKE) --no-print-directory cluster || echo 'the tests of CLUSTER= are skipped' >&2
	@$(MAKE) --no-print-directory notebook-packages || echo 'the test of the notebook is skipped' >&2
	@$(MAKE) --no-print-directory docs-ready || echo 'the test of the site is skipped' >&2

BY_THEMSELVES := this_machine or (alone and not real_time)
# Many of them wait for something.
SIDE_BY_SIDE := $(shell expr 2 '*' $$(nproc))
# Lint runs them, before anything else.
TESTS_OF_TEXTS := $(patsubst %,tests/harness/test_%.py,plain_english plain_sources proselint)
# In the order of tests/conftest.py.
TESTS_SIDE_BY_SIDE := --numprocesses $(SIDE_BY_SIDE) --dist loadfile --no-loadscope-reorder $(TESTS_OF_TEXTS:%=--ignore=%) -m "not real_time and not ($(BY_THEMSELVES))"
# 5: no such test is among PYTEST_ARGS.
pytest = { $(PYTHON) -m pytest --session-timeout=$(SESSION_S) --durations=15 $(1) $(PYTEST_ARGS) || [ $$? = 5 ]; }

beside-load: export MAKEFLAGS =
beside-load: setup sandbox ## the tests that are not in virtual time, 20 times beside changing load: ROUNDS=20, SEED=1
	@env -u ROUNDS -u SEED $(PYTHON) -m tests.beside_load $(if $(ROUNDS),--rounds $(ROUNDS)) --log build/beside-load.log $(if $(SEED),--seed $(SEED)) \
	  --part '$(CARGO_TEST)' \
	  --part '$(PYTHON) -m pytest -m "$(BY_THEMSELVES)"' \
	  --part '$(PYTHON) -m pytest $(TESTS_SIDE_BY_SIDE) --ignore=tests/virtual_time'

lint: ready $(VENV)/.development-ready rust-lint lua-lint lint-page ## ruff, mypy, codespell, proselint, rustfmt, clippy, luacheck, biome
	@echo "$$(date +%T) lint"
	@$(SIDE_BY_SIDE_TARGETS) lint-rust lint-python

lint-python:
	$(PYTHON) -m ruff check .
	$(PYTHON) -m ruff format --check .
	$(PYTHON) -m mypy
	$(PYTHON) -m codespell_lib .
	$(PYTHON) -m pytest --quiet $(TESTS_OF_TEXTS)
	luacheck --quiet view/wireshark

# The programs of `make fuzz-guided` bring libFuzzer, and with it other features of crates that have been built: `make test-all` lints
# them. Nothing of them is linked, so libFuzzer itself need not be built.
WITH_FUZZER := $(if $(filter-out 0,$(NODECTL_LONG_TESTS)),--features fuzz-targets/libfuzzer)
lint-rust: export MAKEFLAGS =
lint-rust: export CUSTOM_LIBFUZZER_PATH = $(CURDIR)/build/no-libfuzzer.a
lint-rust:
	cargo fmt --manifest-path switch/Cargo.toml --all -- --check
	cargo clippy $(OF_WORKSPACE) $(WITH_FUZZER) --all-targets -- -D warnings

hooks: $(VENV)/.development-ready ## lint before each commit (.pre-commit-config.yaml)
	$(call pip-install,$(VENV),$(call locked,hooks),pre-commit)
	@$(PYTHON) -m pre_commit install

test-clients: setup .venv-clients/shell/.ready ## P4Runtime clients from PyPI (bindings, p4runtime-shell) against the switch
	$(PYTHON) -m pytest tests/p4runtime/test_clients.py $(PYTEST_ARGS)
