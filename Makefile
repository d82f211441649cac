# Every verb works from a clean checkout, in any order: each installs what it lacks.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check -qq
# It installs in seconds what takes pip a minute. Where it can't, pip does.
UV := uv==0.13.8
LOCK_VENV := $(VENV)-lock

.NOTPARALLEL:
.DEFAULT_GOAL := help
.PHONY: help install demo run worker test test-all test-published test-slow campaigns bench bench-web reproduce simulate house mutants coverage lint lock audit messages dist release clean programs

help:
	@echo "make demo       the whole site with demonstration data; Ctrl-C ends it"
	@echo "make run        the same without demonstration data"
	@echo "make programs   what organizers' scoring programs may import"
	@echo "make worker     one more Celery worker for the site that runs, or will"
	@echo "make test       the fast part of the suite, for every commit: what a change"
	@echo "                since the last that passed can turn red (SINCE=COMMIT; none: all)"
	@echo "                (ARGS=... goes to pytest, NO_SKIPS=1 fails on skipped tests,"
	@echo "                SECOND_TRY=1 runs what failed once more, alone;"
	@echo "                ARGS=--without-extras: what meets the absence of extras)"
	@echo "make test-all   the rest: browser, workers, PostgreSQL, short campaigns"
	@echo "make test-published DATA=...  published figures, on data sets of others"
	@echo "make test-slow  statistical checks that take minutes"
	@echo "make campaigns  fault campaigns in full length"
	@echo "make bench      speed against other programs"
	@echo "make bench-web  speed of a large board, alone and under load"
	@echo "make reproduce DATA=...  published tables from outputs of real systems"
	@echo "make simulate   do tests and intervals keep their promises? (minutes)"
	@echo "make lint       ruff, mypy, import contract, djlint"
	@echo "make house      size and shape of the code"
	@echo "make mutants    faults put into the code on purpose: do tests catch them?"
	@echo "make install    only the virtual environment, in $(VENV)"
	@echo "make lock       write the requirements files from pyproject.toml"
	@echo "make coverage   all parts of the suite: their lines, the least covered modules"
	@echo "make audit      ask which pinned versions have known holes (needs the network)"
	@echo "make messages   take new texts into locale/ and compile what is there"
	@echo "make dist       sdists and wheels of site and engine, in dist/"
	@echo "make release VERSION=1.2.0   changelog, tag and files of a release"
	@echo "make clean      remove $(VENV), caches and collected files; data stay"
	@echo "PYTHON=python3.12 make ... chooses the interpreter"

# --- environment -----------------------------------------------------------------

# A stamp is a copy of the file that was installed, so that neither a new checkout
# nor a touched file installs anything again. Modules are compiled when they are first
# imported: most never are, and to compile all takes a good part of the time. A mirror
# that pip knows is asked by both.
define install_requirements
	@if ! cmp -s $(1) $@; then \
		echo "installing $(1) into $(VENV)"; \
		mirror=$${PIP_INDEX_URL:-$$($(PIP) config get global.index-url 2>/dev/null)}; \
		[ -z "$$mirror" ] || export UV_DEFAULT_INDEX="$$mirror"; \
		$(BIN)/uv pip install --quiet --system-certs --no-deps --python $(BIN)/python -r $(1) \
			2>/dev/null || $(PIP) install --no-compile --no-deps -r $(1) || exit 1; \
	fi
	@cp $(1) $@
endef

$(VENV)/made:
	@command -v "$(PYTHON)" >/dev/null || \
		{ echo "Plumbline needs Python 3.11 or newer; there is no $(PYTHON)."; exit 1; }
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Plumbline needs Python 3.11 or newer; $(PYTHON) is" \
		"$$("$(PYTHON)" -c 'import platform; print(platform.python_version())')." \
		"Set PYTHON=..."; exit 1; }
	@"$(PYTHON)" -c 'import venv, ensurepip' 2>/dev/null || \
		{ echo "$(PYTHON) lacks its venv module (on Debian: apt install python3-venv)."; \
		exit 1; }
	@echo "making $(VENV) with $$("$(PYTHON)" --version)"
	@"$(PYTHON)" -m venv --clear $(VENV)
	@$(PIP) install $(UV) 2>/dev/null || true
	@touch $@

$(VENV)/installed: requirements.txt $(VENV)/made
	$(call install_requirements,requirements.txt)

$(VENV)/installed-test: tests/requirements.txt $(VENV)/installed
	$(call install_requirements,tests/requirements.txt)

$(VENV)/installed-dev: dev-requirements.txt $(VENV)/installed
	$(call install_requirements,dev-requirements.txt)

$(VENV)/installed-bench: benchmarks/requirements.txt $(VENV)/installed
	$(call install_requirements,benchmarks/requirements.txt)

install: $(VENV)/installed
	@echo "$(VENV) is ready"

# --- the site --------------------------------------------------------------------

demo: $(VENV)/installed
	@$(BIN)/python manage.py serve --demo --program-packages

programs: $(VENV)/installed
	@$(BIN)/python manage.py programs_environment

run: $(VENV)/installed
	@$(BIN)/python manage.py serve

worker: $(VENV)/installed
	@echo "a worker for the broker of this checkout, or of REDIS_URL;" \
		"it waits until that is there (make run)"
	@$(BIN)/celery -A leaderboard worker --loglevel INFO --concurrency 2 \
		--without-mingle --without-gossip --hostname worker-$$$$@%h

# --- checks ----------------------------------------------------------------------

test: $(VENV)/installed-test
	@$(BIN)/python -m tests.run $(if $(SINCE),--since $(SINCE)) $(ARGS)

test-all: $(VENV)/installed-test
	@$(BIN)/python -m tests.run --all $(ARGS)

# Nobody's data are in this repository: tests/scoring/outside.py says which sets there are.
test-published: $(VENV)/installed-test
	@test -n "$(DATA)" || { echo "say where the data sets lie: make test-published DATA=FOLDER"; exit 1; }
	@for name in ud12 senseval3 spans unl; do test -d "$(DATA)/$$name" || \
		{ echo "$(DATA) lacks the folder $$name (CONTRIBUTING.md says what is in it)"; exit 1; }; done
	@PLUMBLINE_PUBLISHED="$(abspath $(DATA))" $(BIN)/python -m pytest -q -n 0 -m published $(ARGS)

test-slow: $(VENV)/installed-test
	@$(BIN)/python -m tests.run --all -n 0 -m slow $(ARGS)

# In turn: each has limits in seconds that it keeps on cores of its own.
campaigns: $(VENV)/installed-test
	@$(BIN)/python -m tests.run --all --in-turn -n 0 -m campaign --whole \
		-o faulthandler_timeout=3600 $(ARGS)

bench: $(VENV)/installed-bench
	@$(BIN)/python -m benchmarks $(ARGS)

bench-web: $(VENV)/installed
	@$(BIN)/python -m benchmarks.site $(ARGS)

reproduce: $(VENV)/installed
	@test -n "$(DATA)" || { echo "say where the data sets lie: make reproduce DATA=FOLDER"; exit 1; }
	@$(BIN)/python -m benchmarks.reproduced "$(DATA)" $(ARGS)

simulate: $(VENV)/installed
	@$(BIN)/python -m benchmarks.simulation --write $(ARGS)

house: $(VENV)/installed-test
	@$(BIN)/python -m tests.house

mutants: $(VENV)/installed-test
	@$(BIN)/python -m tests.mutants $(ARGS)

# Programs that tests start are counted too, unless they are killed. A line of the
# product that runs in no part is one that nobody asked for, or nobody tests.
LEAST_COVERED := 20
coverage: $(VENV)/installed-test
	@$(BIN)/coverage erase
	@$(BIN)/coverage run -m tests.run $(ARGS); fast=$$?; \
	$(BIN)/coverage run -m tests.run --all $(ARGS); rest=$$?; \
	$(BIN)/coverage combine --quiet && \
	$(BIN)/coverage report --sort=cover | sed -n "1,$$(($(LEAST_COVERED) + 2))p" && \
	echo "$$($(BIN)/coverage report --format=total)% of lines and branches in all" \
	"(coverage report -m: which are missing)" && \
	exit $$((fast + rest))

lint: $(VENV)/installed-dev
	@failed=0; for check in "ruff check ." "ruff format --check ." mypy lint-imports \
		"djlint --quiet --check templates leaderboard/extras"; do \
		echo "$$check"; $(BIN)/$$check || failed=1; \
	done; exit $$failed

# --- upkeep ----------------------------------------------------------------------

PIN = $(LOCK_VENV)/bin/uv pip compile --quiet --universal --python-version 3.11 \
	--no-emit-index-url --no-emit-find-links --no-header --no-annotate
COMPILE = $(PIN) pyproject.toml

# Kits are downloads, and those are English.
messages: $(VENV)/installed
	@$(BIN)/python manage.py makemessages --all --extension html,jinja,txt,py --no-wrap \
		--add-location file --no-obsolete --ignore $(VENV) --ignore tests \
		--ignore var --ignore benchmarks --ignore docs --ignore kits
	@$(BIN)/python manage.py compilemessages --ignore $(VENV)

# UPGRADE=--upgrade lets versions rise; without it what is pinned stays.
lock:
	@"$(PYTHON)" -m venv $(LOCK_VENV)
	@$(LOCK_VENV)/bin/python -m pip --disable-pip-version-check -qq install $(UV)
	$(COMPILE) $(UPGRADE) -o requirements.txt
	$(COMPILE) $(UPGRADE) -c requirements.txt --extra test -o tests/requirements.txt
	$(COMPILE) $(UPGRADE) -c tests/requirements.txt --extra lint -o dev-requirements.txt
	$(COMPILE) $(UPGRADE) -c tests/requirements.txt --extra bench \
		-o benchmarks/requirements.txt
	$(PIN) $(UPGRADE) -c tests/requirements.txt --group programs \
		-o deploy/programs-requirements.txt
	@rm -rf $(LOCK_VENV)

# Only a service on the network knows; what is asked are names and versions.
audit:
	@"$(PYTHON)" -m venv $(LOCK_VENV)
	@$(LOCK_VENV)/bin/python -m pip --disable-pip-version-check -qq install \
		pip-audit==2.10.1
	@failed=0; for file in requirements.txt tests/requirements.txt; do \
		$(LOCK_VENV)/bin/pip-audit --no-deps --disable-pip \
			--vulnerability-service osv -r $$file || failed=1; \
	done; rm -rf $(LOCK_VENV); exit $$failed

dist: $(VENV)/installed-test
	@rm -rf dist
	@$(BIN)/python -m release

# Tagged here and sent nowhere (docs/developers/releasing.md).
release: $(VENV)/installed-test
	@test -n "$(VERSION)" || { echo "say which: make release VERSION=1.2.0"; exit 1; }
	@rm -rf dist
	@$(BIN)/python -m release $(VERSION)

clean:
	rm -rf $(VENV) $(LOCK_VENV) .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
	rm -rf dist .hypothesis .coverage htmlcov var/static var/static.stamp
	find . -name __pycache__ -type d -not -path './.git/*' -prune -exec rm -rf {} +
