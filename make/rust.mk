# The embedded compiler and switch: Rust, and the programs that it builds.
# An existing Rust of at least the needed version is used; else Debian's.
rust: $(if $(BARE),,packages)
	@if [ -e $(RELEASE)/.run-ready ] && ! command -v cargo >/dev/null; then exit 0; fi; \
	have=$$(cargo --version 2>/dev/null | cut -d' ' -f2 || true); \
	if [ -z "$$have" ] || [ "$$(printf '%s\n' "$(RUST_MINIMUM)" "$$have" | sort -V | head -n 1)" != "$(RUST_MINIMUM)" ]; then \
	  echo "installing Rust (Debian's cargo-web; at least $(RUST_MINIMUM) is needed, found: $${have:-none})"; \
	  { $(SUDO) apt-get update -qq && $(SUDO) apt-get install -y -qq --no-install-recommends cargo-web rustc-web build-essential >/dev/null; } || \
	  { echo "could not install Rust; install cargo-web and rustc-web (as root), or another cargo from $(RUST_MINIMUM) on, and run make again" >&2; exit 2; }; \
	fi

rust-lint: rust
	@if ! cargo clippy --version >/dev/null 2>&1 || ! cargo fmt --version >/dev/null 2>&1; then \
	  if command -v rustup >/dev/null 2>&1; then rustup component add clippy rustfmt; \
	  else $(SUDO) apt-get install -y -qq --no-install-recommends rust-web-clippy rustfmt-web >/dev/null; fi; \
	fi

switch: rust $(RELEASE)/.ready

# Without make's flags: cargo is not given the jobserver that they name.
OF_WORKSPACE := --quiet --release --locked --manifest-path switch/Cargo.toml --workspace
CARGO_BUILD := MAKEFLAGS= cargo build $(OF_WORKSPACE)
CARGO_TEST := cargo test $(OF_WORKSPACE)

# The two programs of a run; .ready is all of them.
$(RELEASE)/.run-ready: $(RUST_SOURCES)
	@echo "$$(date +%T) building the embedded compiler and switch"
	@$(CARGO_BUILD) --bin p4c-bm2-ss --bin p4switch
	@touch $@

$(RELEASE)/.ready: $(RUST_SOURCES)
	@echo "$$(date +%T) building the rest of the toolchain"
	@$(CARGO_BUILD) --bins
	@touch $@
