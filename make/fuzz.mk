# Fuzzing of the toolchain.
SECONDS ?= 60

# Each target has a fifth of the time. The seed and the finds are printed, and the input of a find is kept in build/.
fuzz: switch build/nodectl.json ## fuzz P4 source, meanings of programs, JSON, packets and gRPC requests for SECONDS (default 60), from SEED (1)
	$(RELEASE)/fuzz_p4_source --seconds $$(( $(SECONDS) / 5 )) --seed $(or $(SEED),1) p4src tests
	$(RELEASE)/fuzz_p4_semantics --seconds $$(( $(SECONDS) / 5 )) --seed $(or $(SEED),1) --out build
	$(RELEASE)/fuzz json --seconds $$(( $(SECONDS) / 5 )) --seed $(or $(SEED),1) --out build build/nodectl.json switch/crates/v1model/tests/programs/*.p4
	$(RELEASE)/fuzz packets --seconds $$(( $(SECONDS) / 5 )) --seed $(or $(SEED),1) --out build build/nodectl.json switch/crates/v1model/tests/programs/*.p4
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
