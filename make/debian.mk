# Debian's packages: what a run needs, what building and testing need besides, and how they are installed.
APT_PACKAGES := $(shell sed -n 's/^\([a-z][^ ]*\) .*/\1/p' make/debian-needs.txt)
# Ray is an extra, installed when it is asked for.
WANTED_CLUSTER := $(if $(CLUSTER),cluster)
# So is the live page.
WANTED_PAGE := $(if $(LIVE),live)
# Who is not root and has no sudo can install nothing, and is told what is missing.
SUDO := $(shell if [ "$$(id -u)" != 0 ]; then command -v sudo >/dev/null && echo sudo -E || echo false; fi)
export DEBIAN_FRONTEND := noninteractive
# Its name is said where a package cannot be had.
export OS_RELEASE := /etc/os-release

# $(call install-debian,NEEDS,MORE WORDS,EXIT CODE): what is not there yet of these packages; words and code are for when it cannot be had.
define install-debian
	@SUDO='$(SUDO)' make/install-debian.sh $(3) '$(2)' $(1)
endef

packages:
	$(call install-debian,$(APT_PACKAGES),; install these by hand (as root) under the names that this system has for them and run make again,2)

lua-lint: packages
	$(call install-debian,lua-check,; it is what Lua is linted with,2)
