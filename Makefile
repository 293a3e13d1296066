# make run: the app. make test: all tests but the few that need gigabytes. Each makes or refreshes its own environment.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PORT ?= 8501
WORKERS ?= 2

# Linear algebra on threads of its own waits for them where cores are busy: a fit took 7 to 20 times as long.
export OPENBLAS_NUM_THREADS := 1

.PHONY: run test test-extra check bench load environment environment-dev chromium clean

run: environment
	$(BIN)/python -m stdial.web.assets
	$(BIN)/streamlit run app.py --server.port $(PORT)

test: check chromium
	$(BIN)/python -m pytest tests/app -n $(WORKERS)
	# a browser on a busy machine may miss a time-out: a second try, whose count is printed
	$(BIN)/python -m pytest tests/browser -n $(WORKERS) --dist loadscope --reruns 2 -rR
	$(BIN)/python -m bench --short

check: environment-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest tests stdial --doctest-modules --ignore=tests/app --ignore=tests/browser --ignore=tests/extra \
	  --ignore=tests/load --ignore=stdial/training/language_model -n $(WORKERS)

test-extra:
	PYTHON=$(PYTHON) sh tests/extra/run.sh

bench: environment-dev chromium
	$(BIN)/python -m bench

load: environment-dev chromium
	$(BIN)/python -m tests.load

environment: $(VENV)/.run
environment-dev: $(VENV)/.dev

# A stamp that is newer than the pinned files says that the environment holds what they ask for.
$(VENV)/.run: requirements.txt pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --requirement requirements.txt
	$(BIN)/python -m pip install --quiet --no-deps --editable . --config-settings editable_mode=compat
	touch $@

$(VENV)/.dev: requirements.txt requirements-dev.txt pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --requirement requirements-dev.txt
	$(BIN)/python -m pip install --quiet --no-deps --editable . --config-settings editable_mode=compat
	touch $@ $(VENV)/.run

chromium: environment-dev
	sh tests/browser/get_chromium.sh $(BIN)/python

clean:
	rm -rf $(VENV) static/stdial-* .pytest_cache .mypy_cache .ruff_cache .hypothesis
