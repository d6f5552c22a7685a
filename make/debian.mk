# Debian's packages: those for a run, those for building and testing, and their installation.
APT_PACKAGES := $(shell sed -n 's/^\([a-z][^ ]*\) .*/\1/p' make/debian-needs.txt)
# Ray is an extra, installed when it is asked for.
WANTED_CLUSTER := $(if $(CLUSTER),cluster)
# So is the live page, whose library of charts the atlas has, too.
WANTED_PAGE := $(if $(LIVE)$(filter atlas,$(PAPER)),live)
# A user who is not root and has no sudo can install nothing, and is told which packages are missing.
SUDO := $(shell if [ "$$(id -u)" != 0 ]; then command -v sudo >/dev/null && echo sudo -E || echo false; fi)
# A bare system gets Rust and its linker first, and the other packages while Rust compiles.
BARE := $(if $(filter false,$(SUDO)),,$(shell PATH="$(PATH)" command -v cargo >/dev/null || echo yes))
export DEBIAN_FRONTEND := noninteractive
# Its name is said where a package cannot be had.
export OS_RELEASE := /etc/os-release

# $(call install-debian,NEEDS,MORE WORDS,EXIT CODE): those of these packages that are missing. Words and code are for a package that cannot be had.
define install-debian
	@SUDO='$(SUDO)' make/install-debian.sh $(3) '$(2)' $(1)
endef

packages:
	$(call install-debian,$(APT_PACKAGES),; install these by hand (as root) under the names that this system has for them and run make again,2)

lua-lint: packages
	$(call install-debian,lua-check,; it is what Lua is linted with,2)
