PYTHON ?= python3
BIN := .venv/bin
ACTIVATE := . $(BIN)/activate

.PHONY: help try setup figures recover test test-quick test-lowest test-newest test-oldest test-cluster
.PHONY: replicate test-processors sensitivity benchmark benchmark-calls docs lint lab lock

help:
	@echo "make try        install what one figure needs, and draw it (three minutes at most)"
	@echo "make setup      install everything into .venv, at the versions of requirements.lock"
	@echo "make figures    make all figures at the quick preset without network access, with their scoreboard"
	@echo "make recover    remove the lock after Snakemake was killed, if no job is running"
	@echo "make test       run the tests"
	@echo "make test-quick run the fast tests, the last failures first"
	@echo "make test-lowest  test the library with the lowest versions of its dependencies, in .lowest"
	@echo "make test-newest  test the library with the newest versions of its dependencies, in .newest"
	@echo "make test-oldest  test the workflow with the oldest supported version of Snakemake, in .oldest"
	@echo "make test-cluster  start a SLURM with one node and test the workflow on it (Debian, root)"
	@echo "make replicate  repeat the quick figures with shifted seeds: make replicate SEEDS=10"
	@echo "make test-processors  repeat the quick figures as other processors compute them"
	@echo "make sensitivity  verify that deliberate errors make tests and checks fail"
	@echo "make benchmark-calls  measure ordinary calls and first calls, and write docs/reference/calls.md"
	@echo "make benchmark  run the benchmarks, and write their table to docs/reference/benchmarks.md"
	@echo "make docs       build the documentation in docs/_build/html"
	@echo "make lint       check the style of the code and of the rules"
	@echo "make lab        open JupyterLab with a list of the notebooks"
	@echo "make lock       write the installed versions, with hashes, to requirements.lock"

setup: $(BIN)/.installed

# The lock file has the hashes of all files that the index offered when it was written. If pip finds no file with one of
# these hashes, `make setup HASHES=no` installs the same versions without the comparison.
HASHES ?= yes

# Creates .venv, or creates it again if a Python that is too old, or an interrupted call, left one that cannot be used.
NEW_ENOUGH = import sys; sys.exit(sys.version_info < (3, 11))
define create_environment
@$(BIN)/python -c 'import pip; $(NEW_ENOUGH)' 2>/dev/null || { \
    $(PYTHON) -c '$(NEW_ENOUGH)' || { \
        echo "error: twolayer needs Python 3.11 or newer, and $(PYTHON) is $$($(PYTHON) -V 2>&1):" \
            "name another one, for instance make $(or $(MAKECMDGOALS),setup) PYTHON=python3.12" >&2; exit 1; }; \
    $(PYTHON) -m venv --clear .venv; }
endef

$(BIN)/.installed: requirements.lock requirements-torch.lock pyproject.toml
	$(create_environment)
	$(if $(filter no,$(HASHES)),sed -e '/--hash/d' -e 's/ *\\$$//',cat) requirements.lock > .venv/requirements.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --requirement .venv/requirements.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --requirement requirements-torch.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	$(BIN)/python workflow/scripts/repair_environment.py .venv
	touch $@

# Without torch and Jupyter, at the versions of requirements.lock. A complete installation is used as it is.
$(BIN)/.tried: requirements.lock pyproject.toml
	$(create_environment)
	test -e $(BIN)/.installed || { \
	    sed -e '/--hash/d' -e 's/ *\\$$//' requirements.lock > .venv/constraints.txt && \
	    $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint .venv/constraints.txt setuptools && \
	    $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint .venv/constraints.txt \
	        --no-build-isolation --editable '.[figures]'; }
	$(BIN)/python workflow/scripts/repair_environment.py .venv
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

# Python keeps compiled modules even if the environment disables it. This saves a third of the start of pytest.
figures test test-quick sensitivity: export PYTHONDONTWRITEBYTECODE =

test: setup
	$(ACTIVATE) && pytest --numprocesses auto --dist worksteal

test-quick: setup
	$(ACTIVATE) && pytest --numprocesses auto --dist worksteal -m "not slow" --failed-first

# Tests of the library that need few other packages.
LIBRARY_TESTS := tests/unit/test_versions.py tests/unit/test_io.py tests/unit/test_netcdf.py tests/unit/test_config.py \
    tests/unit/test_checks.py tests/unit/test_pictures.py tests/unit/test_style.py tests/unit/test_custom_generators.py \
    tests/library/test_classes.py tests/library/test_custom_data.py tests/library/test_mixture_functions.py \
    tests/golden/test_mixture_equations.py
TEST_LIBRARY = -m pytest --override-ini addopts="-q --strict-markers --import-mode=importlib" $(LIBRARY_TESTS)
test-lowest:
	$(PYTHON) -m venv .lowest
	.lowest/bin/python -m pip install --quiet --disable-pip-version-check --requirement tests/lowest.txt pytest hypothesis
	PYTHONPATH=src .lowest/bin/python $(TEST_LIBRARY)

test-newest:
	$(PYTHON) -m venv .newest
	.newest/bin/python -m pip install --quiet --disable-pip-version-check '.[torch,figures]' pytest hypothesis
	PYTHONPATH=src .newest/bin/python $(TEST_LIBRARY)

# The oldest version of Snakemake that is supported, for tests that use many of its parts.
OLDEST_TESTS := tests/workflow/test_snakemake_options.py tests/workflow/test_rerun.py \
    tests/workflow/test_dry_run_of_checks.py
test-oldest: setup
	rm -rf .oldest
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --target .oldest \
	    "snakemake==$$(sed -n 's/^min_version("\(.*\)")/\1/p' Snakefile)"
	$(ACTIVATE) && export TWOLAYER_TEST_PACKAGES="$(CURDIR)/.oldest" && pytest --numprocesses auto $(OLDEST_TESTS)

# SELECTED names some of them: make test-cluster SELECTED=what_fails
SELECTED ?= test
test-cluster: setup
	tests/cluster/slurm.sh install && tests/cluster/slurm.sh up
	$(ACTIVATE) && eval "$$(tests/cluster/slurm.sh env)" && pytest tests/cluster -k "$(SELECTED)"; \
	status=$$?; tests/cluster/slurm.sh down; exit $$status

# Both take 20 to 30 minutes of CPU time a repetition. What docs/replicates/ has a record of is skipped.
SEEDS ?= 10
replicate: setup
	$(ACTIVATE) && twolayer replicate --seeds $(SEEDS)

test-processors: setup
	$(ACTIVATE) && twolayer processors

sensitivity: setup
	$(ACTIVATE) && pytest tests/sensitivity --sensitivity 1 --numprocesses auto

benchmark: setup
	mkdir -p .benchmarks
	$(ACTIVATE) && export OMP_NUM_THREADS=1 && pytest tests/benchmarks --benchmark-enable \
	    --benchmark-timer=time.process_time --benchmark-columns=min,median,rounds \
	    --benchmark-json=.benchmarks/table.json && \
	python tests/benchmarks/table.py .benchmarks/table.json > docs/reference/benchmarks.md

benchmark-calls: setup
	$(ACTIVATE) && python tests/benchmarks/calls_page.py > .benchmarks-calls.md && mv .benchmarks-calls.md docs/reference/calls.md

docs: setup
	$(ACTIVATE) && sphinx-build -q -W --keep-going -b html docs docs/_build/html
	@echo "open docs/_build/html/index.html"

lint: setup
	$(ACTIVATE) && ruff check . && ruff format --check . && snakefmt --check Snakefile workflow/rules

# workflow/notebooks/jupyterlab.json: a .py file opens as a notebook, and the list of notebooks as a page. Only this project
# uses this configuration of Jupyter. A new workspace shows the list, and not the files of the last session.
lab: setup
	$(ACTIVATE) && python -m twolayer.pipeline.report.website.notebook_index results/notebooks.md && \
	export JUPYTER_CONFIG_DIR=.venv/etc/jupyter && mkdir -p $$JUPYTER_CONFIG_DIR/labconfig && \
	cp workflow/notebooks/jupyterlab.json $$JUPYTER_CONFIG_DIR/labconfig/default_setting_overrides.json && \
	jupyter lab --LabApp.default_url='/lab/tree/results/notebooks.md?reset'

lock: setup
	$(PYTHON) -m venv .venv/lock && .venv/lock/bin/python -m pip install --quiet --disable-pip-version-check pip-tools
	$(BIN)/python -m pip freeze --all | sed 's/+cpu$$//' > .venv/lock/frozen.txt
	grep -vE '^(-e |pip==|twolayer|torch==|#)' .venv/lock/frozen.txt > .venv/lock/requirements.in
	(echo "# Exact versions of everything installed but torch, written by make lock." && \
	.venv/lock/bin/pip-compile --quiet --generate-hashes --allow-unsafe --strip-extras --no-annotate --no-header \
	    --no-emit-index-url --no-emit-find-links --no-emit-trusted-host --output-file - .venv/lock/requirements.in) \
	    > requirements.lock.new
	(head -n 1 requirements-torch.lock && grep '^torch==' .venv/lock/frozen.txt) > requirements-torch.lock.new
	mv requirements.lock.new requirements.lock && mv requirements-torch.lock.new requirements-torch.lock
	rm -rf .venv/lock
