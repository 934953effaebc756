# One command for each thing: `make demo` shows what this is for, `make test` proves that it works.
# Everything is made in .venv and .cache; nothing outside of them changes, except that system
# packages are installed by apt-get when a browser is missing and we are root.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory

VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
BROWSER_STAMP := $(VENV)/.browser
TEST_STAMP := $(VENV)/.test-tools
BENCH_STAMP := $(VENV)/.bench-tools

say = @printf '\033[1m%s\033[0m\n' '$(1)' >&2

.PHONY: help setup quick check test test-apps demo bench compare-peers fuzz lock clean

help:
	@echo 'make demo    record the demo shop twice, switch it off, run an agent against it, write a report'
	@echo 'make test    everything that must hold: setup, checks, all tests'
	@echo 'make quick   formatting, lint, types and the pure tests, in seconds'
	@echo 'make check   formatting, lint, types, import directions, coverage of the pure modules'
	@echo 'make test-apps      record and replay six public apps in two versions each'
	@echo 'make compare-peers  the same tours with Playwright and mitmdump beside envsvc'
	@echo 'make fuzz    feed every parser what it was not made for, for ten minutes (FUZZ_SECONDS=600)'
	@echo 'make bench   measure against nginx, mitmdump and Playwright on this machine'
	@echo 'make setup   Python environment and browser; the others do it when needed'
	@echo 'make lock    pin the dependencies anew        make clean   remove what was made'

setup: $(STAMP) $(BROWSER_STAMP)

quick: $(STAMP)
	@$(BIN)/ruff format --check
	@$(BIN)/ruff check
	@$(BIN)/mypy
	@$(BIN)/lint-imports | tail -n 3
	@$(BIN)/pytest -q -m 'not loopback and not browser and not apps and not process and not docker and not all_apps'

check: $(STAMP)
	$(call say,format)
	@$(BIN)/ruff format --check
	$(call say,lint)
	@$(BIN)/ruff check
	$(call say,types)
	@$(BIN)/mypy
	$(call say,import directions)
	@$(BIN)/lint-imports | tail -n 3
	$(call say,coverage of the pure modules$(comma) each by its own tests)
	@$(BIN)/python -m tests.coverage_by_module

test: setup $(TEST_STAMP)
	@$(MAKE) check
	$(call say,tests)
	@$(BIN)/pytest

test-apps: setup $(TEST_STAMP)
	@$(BIN)/python -m tests.apps

compare-peers: setup $(TEST_STAMP)
	@$(BIN)/python -m tests.compare_peers

fuzz: $(STAMP)
	@$(BIN)/python -m tests.fuzz

demo: setup
	@$(BIN)/python images/shop/demo.py

bench: setup $(BENCH_STAMP)
	@$(BIN)/python -m tests.bench

lock: $(STAMP)
	@$(BIN)/pip-compile -q --extra dev --generate-hashes --allow-unsafe --strip-extras \
	  --no-emit-index-url --no-emit-find-links --no-emit-trusted-host --no-header \
	  --output-file requirements.lock pyproject.toml

clean:
	@rm -rf $(VENV) .cache build *.egg-info .mypy_cache .ruff_cache .pytest_cache \
	  .import_linter_cache .hypothesis .coverage*

comma := ,

# Python 3.12 or newer, wherever it is.
define find_python
for python in python3.13 "$${PYENV_ROOT:-$$HOME/.pyenv}"/versions/3.13.*/bin/python3 \
    python3.12 "$${PYENV_ROOT:-$$HOME/.pyenv}"/versions/3.12.*/bin/python3 \
    "$$HOME"/.pyenv/versions/3.1[23].*/bin/python3 python3; do \
  if "$$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 12))' \
      >/dev/null 2>&1; then echo "$$python"; exit 0; fi; \
done; \
echo 'envsvc needs Python 3.12 or newer with its venv module; none was found.' >&2; \
echo 'Install one (Debian 13, Ubuntu 24.04: apt-get install python3-venv; any system:' >&2; \
echo 'pyenv install 3.13), then run make again.' >&2; \
exit 1
endef

$(BIN)/python:
	@python="$$($(find_python))"; \
	printf '\033[1m%s\033[0m\n' "Python environment with $$("$$python" --version)" >&2; \
	"$$python" -m venv $(VENV)

$(STAMP): requirements.lock pyproject.toml | $(BIN)/python
	$(call say,Python packages$(comma) as pinned in requirements.lock (a minute or two))
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --require-hashes -r requirements.lock
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

# Installs the named Debian packages; the package list is fetched only if that fails without.
define apt_install
export DEBIAN_FRONTEND=noninteractive; \
install() { apt-get install -qq -y --no-install-recommends $(1) >$(VENV)/apt.log 2>&1; }; \
install || { apt-get update -qq && install; } || { tail -n 20 $(VENV)/apt.log >&2; exit 1; }
endef
can_apt = command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]

$(BROWSER_STAMP): | $(STAMP)
	@if [ -n "$${ENVSVC_CHROMIUM:-}" ] || command -v chromium chromium-browser google-chrome \
	    google-chrome-stable >/dev/null; then :; \
	elif $(can_apt); then \
	  printf '\033[1m%s\033[0m\n' 'Chromium, by apt-get' >&2; \
	  $(call apt_install,chromium fonts-dejavu-core fonts-noto-cjk); \
	elif $(BIN)/playwright install chromium; then :; \
	else \
	  echo 'There is no Chromium and none could be installed. Install one by your system, or' >&2; \
	  echo 'name its file in ENVSVC_CHROMIUM, then run make again.' >&2; exit 1; \
	fi
	@touch $@

# The tests ask with curl, take network and disk away with ip, unshare, setpriv and mount, and run
# a Docker engine of their own with an app that is busybox.
$(TEST_STAMP): Makefile | $(STAMP)
	@missing=; for tool in curl ip unshare setpriv mount dockerd iptables busybox; do \
	  PATH="$$PATH:/sbin:/usr/sbin" command -v $$tool >/dev/null || missing="$$missing $$tool"; \
	done; \
	if [ -z "$$missing" ]; then :; \
	elif $(can_apt); then \
	  printf '\033[1m%s\033[0m\n' 'tools of the tests, by apt-get' >&2; \
	  $(call apt_install,curl iproute2 util-linux mount docker.io iptables busybox-static); \
	else \
	  echo "make test needs$$missing. Install them, then run make test again." >&2; exit 1; \
	fi
	@touch $@

$(BENCH_STAMP): | $(STAMP)
	@if [ -x /usr/sbin/nginx -o -n "$$(command -v nginx)" ] && command -v wrk >/dev/null; then :; \
	elif $(can_apt); then \
	  printf '\033[1m%s\033[0m\n' 'nginx and wrk, by apt-get' >&2; \
	  $(call apt_install,nginx-light wrk); \
	else \
	  echo 'make bench needs nginx and wrk. Install them, then run make bench again.' >&2; exit 1; \
	fi
	@touch $@
