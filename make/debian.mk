# Debian's packages: what a run needs, what building and testing need besides, and how they are installed.
# What a run needs of Debian, and what building and testing need besides.
APT_PACKAGES := mininet iproute2 iputils-ping net-tools procps libbpf1 \
	clang-14 libbpf-dev build-essential python3-venv iperf3 curl nginx-light libpcap0.8
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

packages:
	$(call install-debian,$(APT_PACKAGES),; install these Debian packages by hand (as root) and run make again,2)

lua-lint: packages
	$(call install-debian,lua-check,; it is what Lua is linted with,2)
