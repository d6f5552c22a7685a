# Nodectl testbed. `make help` lists what there is. Every target sets up what it needs itself.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
# One thing after the other, but for these, where they are asked for by their names.
ifeq ($(filter side-by-side lint-after-packages lint-python lint-rust tests-side-by-side,$(MAKECMDGOALS)),)
.NOTPARALLEL:
endif

# Debian's own Python, since Mininet is packaged for it alone.
SYSTEM_PYTHON := /usr/bin/python3
VENV := .venv
PYTHON := $(VENV)/bin/python
# Variables that make is given are in its environment; the program makes its options of them (scenario/run_request.py).
TESTBED := TESTBED_BY_MAKE=1 $(PYTHON) -m testbed
RELEASE := switch/target/release
RUST_MINIMUM := $(shell sed -n 's/^rust-version = "\(.*\)"/\1/p' switch/Cargo.toml)
export PATH := $(PATH):$(HOME)/.cargo/bin:/usr/local/sbin:/usr/sbin:/sbin

P4_SOURCES := $(wildcard p4src/*.p4)
RUST_SOURCES := $(shell find switch -path switch/target -prune -o -type f \( -name '*.rs' -o -name '*.toml' -o -name Cargo.lock -o -name '*.p4' -o -name '*.proto' \) -print) .cargo/config.toml switch/rustc-wrapper.sh

include $(wildcard make/*.mk)

.PHONY: help readme-digits setup ready kernel kernel-packages side-by-side packages rust switch p4 labs lab handout grade sandbox run cli live hooks lint-page browser replay export pictures reproduce atlas ccas cca-pictures test test-all beside-load lint bench clean check-run check-cli check-reproduce check-lab doctor fuzz fuzz-guided check-fuzz-guided test-clients cluster lock wireshark tshark lua-lint notebook notebook-packages wheel wheel-testbed image deb tools-of-long-tests

help: ## list the targets
	@echo 'Nodectl testbed: a P4 data plane for congestion control. As root:'
	@sed -n 's/^\([a-z0-9-]*\):.*## \(.*\)/  make \1@\2/p' $(MAKEFILE_LIST) | column -t -s @
	@echo; $(SYSTEM_PYTHON) -m scenario.run_request

setup: ready switch $(VENV)/.development-ready ## install and build everything (the other targets do it themselves)

# The needs of a run, and nothing else.
ready: rust
	@mkdir -p build
	@flock --close build/setup.lock $(MAKE) --no-print-directory --jobs=3 BARE=$(BARE) side-by-side

# Packages and the kernel's sources come from the network while Rust is compiled.
side-by-side: $(VENV)/.ready p4 kernel

# Rust first: its last crates wait for each other, and the kernel's files do not.
kernel: packages kernel-packages ## build the user-mode kernel for virtual time, if this machine can
	@nice $(SYSTEM_PYTHON) -m virtual_time.kernel --if-possible
	@[ -z "$${KERNEL:-}" ] || nice $(SYSTEM_PYTHON) -m virtual_time.kernel --kernel "$$KERNEL"

# Where they cannot be had, runs are in real time.
kernel-packages: packages
	$(call install-debian,$$($(SYSTEM_PYTHON) -m virtual_time.kernel --packages), (virtual time needs them),0)

# A wish that would be ignored is an error, before anything is installed or built. (Without Python there is nothing built yet either, and
# the run itself checks again.)
check-run check-cli check-reproduce check-lab:
	@[ ! -x $(SYSTEM_PYTHON) ] || { $(SYSTEM_PYTHON) -m scenario.run_request $(@:check-%=%) && $(SYSTEM_PYTHON) -m topo.toolchain "$(or $(SWITCH),embedded)" "$(COMPILER)"; }

run: check-run ready $(WANTED_CLUSTER) $(WANTED_PAGE) ## run a scenario with every scheme: table, picture, samples; P4APP=FOLDER: an exercise of p4lang, with its prompt
	@$(TESTBED) $(if $(P4APP),tutorial,run)

cli: check-cli ready $(WANTED_PAGE) ## the same network with the Mininet prompt; TIME=real: on this machine, as root, with the page in the browser
	@[ "$(TIME)" != real ] || $(MAKE) --no-print-directory live || echo 'the prompt goes on without the live page' >&2
	@$(if $(filter real,$(TIME)),LIVE=1) $(TESTBED) cli

replay: live ## show a finished run in a browser: RUN=results/latest
	@$(TESTBED) replay $(if $(RUN),"$(RUN)") --listen "$(LISTEN)"

export: live ## write a run as one HTML file that needs no network: RUN=results/latest, OUT=FILE
	@$(TESTBED) export $(if $(RUN),"$(RUN)") $(if $(OUT),--out "$(OUT)")

pictures: $(VENV)/.ready ## draw the pictures of a run, light and dark, SVG and PNG: RUN=results/latest, OUT=FOLDER
	@$(TESTBED) pictures $(if $(RUN),"$(RUN)") $(if $(OUT),--out "$(OUT)")

reproduce: check-reproduce ready $(WANTED_CLUSTER) $(WANTED_PAGE) ## measure a paper's tables and figures, write a report with measured beside published
	@$(TESTBED) reproduce

atlas: ## measure congestion controls against each other, and make a page of maps: QUICK=1, FULL=1, CELL=NAME
	@$(MAKE) --no-print-directory reproduce PAPER=atlas

doctor: $(VENV)/.ready ## say what this machine can do, and what to install for the rest
	@$(TESTBED) doctor

labs: $(VENV)/.ready ## list the labs and your progress
	@$(TESTBED) labs

lab: check-lab ready switch ## check a lab: LAB=3; SOLUTION=1 its solution, FROM=FOLDER the files there, ALL=1 shows every failure, RUN=no packet tests alone, RUN=only the network alone
	@[ -n "$(LAB)" ] || { echo 'make lab: which one? For example make lab LAB=1; make labs lists them' >&2; exit 2; }
	@$(TESTBED) lab "$(LAB)" $(if $(FROM),--from "$(FROM)") $(if $(ALL),--all) $(if $(filter no,$(RUN)),--no-run) $(if $(filter only,$(RUN)),--only-run)

handout: ready switch ## write a tree for students to OUT=FOLDER, without solutions
	@$(TESTBED) handout "$(OUT)"

# Hand-ins are checked in a sandbox of bubblewrap's, as users of their own if this is root.
grade: ready switch sandbox ## check all hand-ins, a sub-folder of IN=FOLDER each: LAB=7 of one lab alone, SEED=N hidden traces of lab 7, LIMIT=SECONDS each
	@$(TESTBED) grade "$(IN)" $(if $(LAB),--lab "$(LAB)") $(if $(SEED),--seed "$(SEED)") $(if $(OUT),--out "$(OUT)") $(if $(LIMIT),--limit "$(LIMIT)") $(if $(filter no,$(RUN)),--no-run)

sandbox: packages $(VENV)/.compiled
	$(call install-debian,bubblewrap util-linux,; it is what hand-ins are kept in,2)

wireshark: packages $(VENV)/.ready tshark ## install the dissector for Wireshark and tshark, for you alone (OUT=FOLDER: there)
	@$(PYTHON) -m view.wireshark $(if $(OUT),--out "$(OUT)")

notebook: ready notebook-packages ## open view/notebook/ in JupyterLab, on this machine alone: a run, its pictures and tables (docs/python-api.md)
	@PYTHONPATH="$(CURDIR)" $(PYTHON) -m jupyterlab --ip=127.0.0.1 --notebook-dir=view/notebook $(if $(filter 0,$(shell id -u)),--allow-root)

# The tests of the dissector say so where it cannot be had.
tshark: packages
	$(call install-debian,tshark, (the dissector can be neither installed nor tested without),0)

readme-digits: ready ## write the table and the checksums of `make run` into README.md and docs/timing.md
	@$(PYTHON) -m tests.virtual_time.readme_digits

ccas: packages $(VENV)/.ready ## build, register and list the BPF congestion controls
	@$(PYTHON) -m hosts.cca load --keep-going
	@$(PYTHON) -m hosts.cca list

cca-pictures: packages $(VENV)/.ready ## measure every BPF congestion control and draw docs/pictures/cca
	@$(PYTHON) -m bench.studies.cca_pictures $(SCHEMES)

bench: setup ## compile time, forwarding, latency and tables, beside p4c and BMv2 where they are on PATH
	@$(TESTBED) bench $(if $(GRPC_BASE_PORT),--grpc-port $(GRPC_BASE_PORT))

clean: ## remove what was built and measured (not .venv)
	rm -rf build results switch/target

p4: rust build/nodectl.json

# In a handout a part of the source is for students to write, and the program is there compiled.
build/nodectl.json: $(P4_SOURCES) $(RELEASE)/.run-ready
	@mkdir -p build
	@whole=$$(mktemp -d build/unfinished-XXXXXX) && trap 'rm -rf "$$whole"' EXIT && \
	if [ -d p4src/compiled ]; then cp p4src/compiled/* "$$whole"; \
	else $(RELEASE)/p4c-bm2-ss --arch v1model --p4v 16 --p4runtime-files "$$whole/nodectl.p4info.txtpb" -o "$$whole/nodectl.json" p4src/nodectl.p4; fi && \
	mv "$$whole"/* build/ && touch $@
