# `make` alone lists the targets.
PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin/python
PIP := $(RUN) -m pip install --quiet --disable-pip-version-check
PYTHON_FILES := pyramid_site games leaderboard tests manage.py

.DEFAULT_GOAL := help
.PHONY: help run test lint check pytest test-pages test-sprints chromium bench bench-boards bench-live bench-pages pictures format messages lock

help:  ## list the targets
	@grep -hE '^[a-z-]+:.*## ' Makefile | sed 's/:.*## /\t/' | expand -t 14

run: $(VENV)/runtime  ## set everything up and start the server (HOST, PORT)
	@$(RUN) manage.py migrate --verbosity 0
	@$(RUN) manage.py collectstatic --no-input --verbosity 0
	@exec $(RUN) manage.py serve

test: lint chromium  ## set up what is needed and run every check; the slower ones beside the tests, and told after them
	@mkdir -p .data
	@nice $(MAKE) --no-print-directory check >.data/check.log 2>&1 & check=$$!; \
	$(MAKE) --no-print-directory pytest; failed=$$?; \
	wait $$check || failed=1; cat .data/check.log; exit $$failed

lint: $(VENV)/development
	$(RUN) -m ruff format --check $(PYTHON_FILES)
	$(RUN) -m ruff check $(PYTHON_FILES)

check: $(VENV)/development
	$(VENV)/bin/lint-imports
	$(RUN) -m mypy
	DATA_DIR=.data/test $(RUN) manage.py makemigrations --check --dry-run
	DATA_DIR=.data/test $(RUN) manage.py spectacular --validate --fail-on-warn --file .data/openapi.yaml

pytest: $(VENV)/development chromium  # two processors: three workers, since browsers and servers are waited for
	$(RUN) -m pytest -n 3 --dist worksteal

test-pages: $(VENV)/development chromium  ## every page at every size, with pictures to look at in PAGES_DIR (.data/pages)
	$(RUN) -m pytest -n 2 --dist worksteal tests/browser/matrix

test-sprints: $(VENV)/development  ## play SPRINTS (20) of five at once while workers are killed; SEED says what chance does
	SPRINTS=$(or $(SPRINTS),20) SEED=$(SEED) $(RUN) -m pytest -s tests/live/test_many_sprints.py

chromium:  # the pages are tested in a real browser; it is installed here where that is allowed
	@for name in chromium-headless-shell chromium chromium-browser google-chrome; do \
		command -v "$${CHROMIUM:-$$name}" && break; done >/dev/null || { \
		if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
			echo "Installing Chromium for the tests of the pages ..."; \
			apt-get update -qq && for name in chromium-headless-shell chromium; do \
				apt-get install -y -qq --no-install-recommends $$name >/dev/null && break; done; \
		else false; fi; } || { \
		echo "*** The pages are tested in Chromium, and there is none here. Install it (Debian: apt install"; \
		echo "*** chromium-headless-shell) or set CHROMIUM to a browser, and run make test again."; exit 1; }

bench: $(VENV)/development  ## measure: engine, solver, submits, board reads (daphne and uvicorn), sprints of a hundred
	$(RUN) -m tests.bench

bench-boards: $(VENV)/development  ## measure boards of up to ROWS rows (default 1000000), then writers for SECONDS (60)
	ROWS=$(ROWS) SECONDS=$(SECONDS) $(RUN) -m tests.bench.bench_boards

bench-live: $(VENV)/development  ## measure live races: SOCKETS (1000), MANY (4000), RACERS (100) for SECONDS (30) each
	SOCKETS=$(SOCKETS) MANY=$(MANY) RACERS=$(RACERS) SECONDS=$(SECONDS) $(RUN) -m tests.bench.bench_live

bench-pages: $(VENV)/development chromium  ## measure first and later visits of the pages on slow lines
	$(RUN) -m tests.bench.bench_pages

pictures: $(VENV)/development chromium  ## take the pictures of docs/pictures anew
	$(RUN) -m tests.browser.make_pictures

format: $(VENV)/development  ## format the code and sort its imports
	$(RUN) -m ruff check --fix $(PYTHON_FILES)
	$(RUN) -m ruff format $(PYTHON_FILES)

messages: $(VENV)/development  ## collect the translatable sentences and compile the catalogues
	$(RUN) -m tests.messages

lock: $(VENV)/development  ## pin the newest versions that pyproject.toml allows
	$(VENV)/bin/uv pip compile -q --upgrade pyproject.toml --universal --python-version 3.11 --generate-hashes \
		--no-header --no-annotate -o requirements.txt
	$(VENV)/bin/uv pip compile -q --upgrade pyproject.toml --extra dev --universal --python-version 3.11 \
		--generate-hashes --no-header --no-annotate -o requirements-dev.txt

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Pyramidion needs Python 3.11 or newer.")'
	@$(PYTHON) -m venv $(VENV)

$(VENV)/runtime: requirements.txt | $(VENV)/bin/python
	@echo "Installing what the server needs ..."
	@$(PIP) --require-hashes -r requirements.txt
	@touch $@

$(VENV)/development: requirements-dev.txt | $(VENV)/bin/python
	@echo "Installing what the checks need ..."  # uv takes a fifth of pip's time; pip may know mirrors that uv does not
	@sed -n '/^uv==/,/[^\]$$/p' requirements-dev.txt >$(VENV)/uv.txt
	@$(PIP) --no-compile --require-hashes -r $(VENV)/uv.txt
	@UV_HTTP_RETRIES=1 UV_HTTP_TIMEOUT=20 $(VENV)/bin/uv pip install --quiet --python $(RUN) \
		--require-hashes -r requirements-dev.txt \
		|| $(PIP) --no-compile --require-hashes -r requirements-dev.txt
	@touch $@ $(VENV)/runtime
