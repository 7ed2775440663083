# Everything lives in .venv: packages, Jupyter's settings, its runtime files. Nothing outside is touched.
VENV   := .venv
BIN    := $(VENV)/bin
PYTHON ?=
START  := notebooks/00_start_here.ipynb
LAB_SETTINGS := $(VENV)/share/jupyter/lab/settings/overrides.json

JUPYTER := $(abspath $(VENV))/jupyter
export JUPYTER_CONFIG_DIR  := $(JUPYTER)/config
export JUPYTER_DATA_DIR    := $(JUPYTER)/data
export JUPYTER_RUNTIME_DIR := $(JUPYTER)/runtime
export IPYTHONDIR          := $(JUPYTER)/ipython
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Tests start some hundred processes; each would compile every module anew.
unexport PYTHONDONTWRITEBYTECODE

# How many processes run tests: one more than a small machine has cores, for a test of a page often waits.
WORKERS ?= 3

# The airports and BREC are not ours to ship; copies next to the project are used before any download.
DATA := $(abspath $(wildcard ../shared/data/airports ../shared/data/brec))
ifneq ($(DATA),)
space := $() $()
export DEGNN_DATA ?= $(subst $(space),:,$(DATA))
endif

.PHONY: help lab app test lint mutation bench lessons results site clean
.DEFAULT_GOAL := help

help:  ## Show this list
	@sed -nE 's/^([a-z]+):.*## (.*)/make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 14

lab: $(VENV)/.lab $(LAB_SETTINGS)  ## Set up .venv and open JupyterLab on the start notebook (LAB_ARGS: more options for jupyter lab)
	@flags="--ip=127.0.0.1"; \
	if [ "$$(id -u)" = 0 ]; then flags="$$flags --allow-root"; fi; \
	if [ "$$(uname)" != Darwin ] && [ -z "$${DISPLAY:-}$${WAYLAND_DISPLAY:-}" ]; then flags="$$flags --no-browser"; fi; \
	echo "JupyterLab is starting; its address follows. Ctrl-C stops it."; \
	exec $(BIN)/jupyter lab $$flags --ServerApp.root_dir="$(CURDIR)" \
		--LabApp.default_url=/lab/tree/$(START) $(LAB_ARGS)

app: $(VENV)/.app  ## Show the Explorer and the Training Board as a page, for a projector (APP_ARGS: such as --dark)
	@exec $(BIN)/degnn-explore app $(APP_ARGS)

test: $(VENV)/.dev  ## Set up .venv with the test tools and run the whole suite (PYTEST_ARGS: more options for pytest)
	$(BIN)/python -m pytest -n $(WORKERS) $(PYTEST_ARGS)

lint: $(VENV)/.dev  ## Check style, layout, types and which room imports which
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-cache
	$(BIN)/mypy

mutation: $(VENV)/.dev  ## Put random faults into a copy of the package and count how many the tests notice (MUTATION_ARGS: such as --rooms graphs)
	$(BIN)/python -m tests.support.mutation $(MUTATION_ARGS)

bench: $(VENV)/.dev  ## Run every benchmark; results go to benchmarks/results
	@set -e; for script in $(sort $(wildcard benchmarks/[!_]*.py)); do echo "== $$script"; $(BIN)/python $$script; done

lessons: $(VENV)/.dev  ## Write the students' notebooks in notebooks/classroom from the solutions in teaching/
	$(BIN)/python teaching/make_student_notebooks.py

site: $(VENV)/.dev  ## Write guides, executed notebooks and API as pages into site/html, for any static host (SITE_ARGS: options for Sphinx)
	$(BIN)/python -m sphinx -q -W --keep-going -c docs -d site/doctrees $(SITE_ARGS) . site/html

results: $(VENV)/.lab  ## Write docs/results.md and the README's table from the committed runs
	$(BIN)/python docs/make_results.py

clean:  ## Remove caches and build products; .venv stays (delete it to start afresh)
	rm -rf build dist site .pytest_cache .hypothesis .mypy_cache .ruff_cache *.egg-info
	find . -path ./$(VENV) -prune -o \( -name __pycache__ -o -name .ipynb_checkpoints \) -type d -exec rm -rf {} +

# A stamp newer than both files means: nothing to install. The test tools include all that the lab needs.
$(VENV)/.lab: pyproject.toml constraints.txt | $(BIN)/pip
	$(BIN)/pip install --quiet -e ".[lab]" -c constraints.txt
	@echo "Compiling the numeric loops, once: one or two minutes."
	@$(BIN)/python binder/warm.py > $(VENV)/warm.log 2>&1 || echo "They will be compiled when first used; see $(VENV)/warm.log."
	@touch $@

$(VENV)/.app: pyproject.toml constraints.txt | $(BIN)/pip
	$(BIN)/pip install --quiet -e ".[app,lab]" -c constraints.txt
	@touch $@ $(VENV)/.lab

$(VENV)/.dev: pyproject.toml constraints.txt | $(BIN)/pip
	$(BIN)/pip install --quiet -e ".[dev]" -c constraints.txt
	@touch $@ $(VENV)/.lab $(VENV)/.app

# JupyterLab asks the internet for news and updates unless told not to.
$(LAB_SETTINGS): | $(VENV)/.lab
	@mkdir -p $(@D)
	@echo '{"@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": false}}' > $@

# pip is the last thing that venv installs, so an interrupted start is finished the next time.
$(BIN)/pip:
	@for python in $(PYTHON) python3 python3.13 python3.12 python3.11; do \
		if $$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
			echo "Creating $(VENV) with $$($$python --version); installing takes a few minutes, once."; \
			exec $$python -m venv $(VENV); \
		fi; \
	done; \
	echo "Python 3.11 or newer is needed and was not found; install it, or name it: make lab PYTHON=/path/to/python" >&2; \
	exit 1
