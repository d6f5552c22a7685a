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

# The whole testbed: all that `make` builds for a run, and all that a run elsewhere would take.
wheel-testbed: setup live docs $(call packaged,$(THIS_ARCH))/.ready ## one wheel of the whole testbed, for any x86-64 Linux, into build/packages
	@wheel=$$($(PYTHON) -m testbed.packaging --binaries $(call packaged,$(THIS_ARCH)) --platform $(PACKAGES_PLATFORM) --out build/packages) && \
	  .venv-packages/bin/python -m switch.packages.platform_check "$$wheel" $(PACKAGES_PLATFORM) && echo "$$wheel"

image: wheel-testbed ## the whole testbed as an image of a container (an OCI layout), into build/image
	$(call install-debian,mmdebstrap umoci,; they are what makes the image,2)
	@$(PYTHON) -m testbed.packaging.container_image --out build/image

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
