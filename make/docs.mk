# The site of docs/.
MKDOCS = NO_MKDOCS_2_WARNING=1 $(PYTHON) -m mkdocs
DOCS_SITE := docs/site/mkdocs.yml
.PHONY: docs docs-serve docs-ready

docs: docs-ready ## build the site of all pages into build/docs; every link is checked
	@$(MKDOCS) build --quiet --strict --config-file $(DOCS_SITE)
	@echo build/docs/index.html

docs-serve: docs-ready ## serve the site on this machine, and build it again when a page changes: LISTEN=127.0.0.1:8000
	@$(MKDOCS) serve --config-file $(DOCS_SITE) --dev-addr $(or $(LISTEN),127.0.0.1:8000)

docs-ready: $(VENV)/.docs-ready docs/site/node_modules/.ready

$(VENV)/.docs-ready: requirements.lock $(VENV)/.ready
	@echo "$$(date +%T) installing what the site is made with"
	$(call pip-install,$(VENV),$(call locked,docs),the packages that the site is made with)
	@touch $@

docs/site/node_modules/.ready: docs/site/package-lock.json $(VENV)/.docs-ready
	@$(call npm,docs/site) ci --silent || \
	  { echo 'could not install the packages of docs/site/package.json, which the site needs; the reason is above' >&2; exit 2; }
	@touch $@
