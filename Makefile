PYTHON ?= python3
BIN := .venv/bin
ACTIVATE := . $(BIN)/activate

.PHONY: help try setup figures recover test test-quick test-cluster sensitivity benchmark docs lint lab lock

help:
	@echo "make try        draw one figure: installs only what it needs, three minutes at most"
	@echo "make setup      install everything into .venv, at the versions of requirements.lock"
	@echo "make figures    make all figures of the quick preset, offline, with their scoreboard"
	@echo "make recover    unlock after Snakemake was killed, where nothing of it runs any more"
	@echo "make test       run the tests"
	@echo "make test-quick run those that take a moment, what failed last first: for the time between two edits"
	@echo "make test-cluster  try the workflow on a SLURM of one node that this starts (Debian, root)"
	@echo "make sensitivity  see wrong versions of the physics turn tests and verdicts red"
	@echo "make benchmark  run the benchmarks, and write their table to docs/benchmarks.md"
	@echo "make docs       build the site of docs/, and of the docstrings, in docs/_build/html"
	@echo "make lint       check the style of the code and of the rules"
	@echo "make lab        open JupyterLab on the figure notebooks"
	@echo "make lock       write the installed versions to requirements.lock"

setup: $(BIN)/.installed

$(BIN)/.installed: requirements.lock pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --requirement requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	touch $@

# Without torch and Jupyter, at the versions of requirements.lock. A complete installation is used as it is.
$(BIN)/.tried: requirements.lock pyproject.toml
	test -e $(BIN)/.installed || { \
	    $(PYTHON) -m venv .venv && \
	    $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint requirements.lock setuptools && \
	    $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint requirements.lock \
	        --no-build-isolation --editable '.[figures]'; }
	touch $@

try: $(BIN)/.tried
	$(ACTIVATE) && snakemake figures/quick/fig1.pdf && \
	checks=$$(twolayer check fig1 --preset quick | tail -n 1) && \
	printf '\n%s\n%s\n%s\n' "figure: figures/quick/fig1.pdf" "checks: $$checks" \
	    "next:   make figures   installs everything and makes all figures, in 10 to 15 minutes"

figures: setup
	$(ACTIVATE) && snakemake quick && twolayer scoreboard --preset quick --check

recover: setup
	$(ACTIVATE) && twolayer recover

# Python keeps what it compiled of tests and modules, also where the environment says that it does not: a third of the
# start of pytest.
figures test test-quick sensitivity: export PYTHONDONTWRITEBYTECODE =

test: setup
	$(ACTIVATE) && pytest --numprocesses auto --dist worksteal

test-quick: setup
	$(ACTIVATE) && pytest --numprocesses auto --dist worksteal -m "not slow" --failed-first

# SELECTED names some of them: make test-cluster SELECTED=what_fails
SELECTED ?= test
test-cluster: setup
	tests/cluster/slurm.sh install && tests/cluster/slurm.sh up
	$(ACTIVATE) && eval "$$(tests/cluster/slurm.sh env)" && pytest tests/cluster -k "$(SELECTED)"; \
	status=$$?; tests/cluster/slurm.sh down; exit $$status

sensitivity: setup
	$(ACTIVATE) && pytest tests/sensitivity --sensitivity 1 --numprocesses auto

benchmark: setup
	mkdir -p .benchmarks
	$(ACTIVATE) && export OMP_NUM_THREADS=1 && pytest tests/benchmarks --benchmark-enable \
	    --benchmark-timer=time.process_time --benchmark-columns=min,median,rounds \
	    --benchmark-json=.benchmarks/table.json && \
	python tests/benchmarks/table.py .benchmarks/table.json > docs/benchmarks.md

docs: setup
	$(ACTIVATE) && sphinx-build -q -W --keep-going -b html docs docs/_build/html

lint: setup
	$(ACTIVATE) && ruff check . && ruff format --check . && snakefmt --check Snakefile workflow/rules

# A configuration of our own, in which a double click opens a .py file as the notebook that it is.
lab: setup
	$(ACTIVATE) && export JUPYTER_CONFIG_DIR=.venv/etc/jupyter && \
	jupytext-config set-default-viewer python && jupyter lab workflow/notebooks

lock: setup
	(echo "# Exact versions of everything installed, written by make lock." && $(BIN)/python -m pip freeze --all \
	| grep -vE '^(-e |pip==|twolayer|#)' | sed 's/+cpu$$//') > requirements.lock.new
	mv requirements.lock.new requirements.lock
