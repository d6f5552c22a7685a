# Environments of Python packages, in the versions of requirements.lock.
# An environment holds the path of the folder that it was made in: one that was copied or moved with its checkout is made anew. Nothing runs
# pip, or a command that it has installed, but by the environment's own Python: a copied script would change the checkout that it was copied from.
ENVIRONMENTS := $(VENV) .venv-packages .venv-clients/shell
made-here = $(shell grep -qse '#!$(realpath $(1))/bin/python' -e '"$(realpath $(1))/bin/python' $(1)/bin/pip && echo yes)
MADE_ELSEWHERE := $(foreach one,$(ENVIRONMENTS),$(if $(wildcard $(one)/bin),$(if $(call made-here,$(one)),,$(one))))
.PHONY: $(addsuffix /.ready,$(MADE_ELSEWHERE))

# $(call new-environment,ENVIRONMENT,OPTIONS)
define new-environment
	@$(if $(filter $(1),$(MADE_ELSEWHERE)),echo '$(1) was made in another folder: it is made anew' >&2; rm -rf $(1))
	@$(SYSTEM_PYTHON) -m venv $(2) $(1)
endef

# $(call pip-install,ENVIRONMENT,PACKAGES,WHAT): two calls of make at once install one after the other. Python compiles what it imports, later.
define pip-install
	@flock $(1)/bin $(1)/bin/python -m pip install --quiet --disable-pip-version-check --no-compile $(2) || \
	  { echo 'could not install $(3); the reason is above' >&2; exit 2; }
endef
COMMA := ,
# $(call locked,EXTRA): the packages that pyproject.toml wants for it (dependencies: for the testbed itself), in the versions of requirements.lock.
locked = --constraint requirements.lock $$($(SYSTEM_PYTHON) -c 'import tomllib; wanted = tomllib.load(open("pyproject.toml", "rb"))["project"]; \
  print(*(wanted["dependencies"] if "$(1)" == "dependencies" else wanted["optional-dependencies"]["$(1)"]))')

lock: packages ## write requirements.lock with the newest versions for pyproject.toml
	@rm -rf build/lock
	$(call new-environment,build/lock)
	$(call pip-install,build/lock,pip-tools==7.6.2,pip-tools)
	@build/lock/bin/python -m piptools compile --quiet --upgrade --all-extras --strip-extras --no-annotate --no-header --allow-unsafe \
	  --no-emit-index-url --no-emit-trusted-host --no-emit-find-links --output-file build/lock/versions pyproject.toml
	@{ echo '# Versions of all Python packages; made by `make lock` of pyproject.toml.'; grep -v '^#' build/lock/versions; } > requirements.lock

$(VENV)/.ready: requirements.lock $(if $(BARE),| packages)
	@echo "$$(date +%T) installing Python packages"
	$(call new-environment,$(VENV),--system-site-packages)
	$(call pip-install,$(VENV),$(call locked,dependencies),the Python packages of requirements.lock)
	@touch $@

# A run needs none of these.
$(VENV)/.development-ready: requirements.lock $(VENV)/.ready
	@echo "$$(date +%T) installing what tests and lints"
	$(call pip-install,$(VENV),$(call locked,development),the packages that test and lint)
	@touch $@

# Users of a sandbox cannot write there, so they would compile what checks import each time.
$(VENV)/.compiled: $(VENV)/.ready
	@$(PYTHON) -c 'from labs.catalogue import labs; from labs.checking import load_checks; [load_checks(lab) for lab in labs()]' || true
	@touch $@

cluster: $(VENV)/.cluster-ready ## install Ray, for CLUSTER=

$(VENV)/.cluster-ready: requirements.lock $(VENV)/.ready
	@echo "$$(date +%T) installing Ray"
	$(call pip-install,$(VENV),$(call locked,cluster),Ray$(COMMA) which CLUSTER needs)
	@touch $@

notebook-packages: $(VENV)/.notebook-ready

$(VENV)/.notebook-ready: requirements.lock $(VENV)/.ready
	@echo "$$(date +%T) installing JupyterLab"
	$(call pip-install,$(VENV),$(call locked,notebook),JupyterLab$(COMMA) which the notebook needs)
	@touch $@

# Their packages are too old to be together with those of requirements.lock.
.venv-clients/shell/.ready: tests/p4runtime/clients/shell.txt
	@echo 'installing P4Runtime clients'
	$(call new-environment,.venv-clients/shell)
	$(call pip-install,.venv-clients/shell,--requirement $<,the packages of $<)
	@touch $@
