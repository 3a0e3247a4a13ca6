# `make` lists the targets.
.DEFAULT_GOAL := help
SHELL := /bin/bash
VENV := .venv
PYTHON := $(VENV)/bin/python
# Libraries that start a thread a core on a busy machine mostly wait for each other; where they are timed, they may.
ifneq ($(NAME),neighbours-speed)
export OMP_NUM_THREADS := 1
endif

# Where nothing is built a second time, nothing has to be kept for that.
ifdef CI
export CARGO_INCREMENTAL := 0
endif

.PHONY: help demo build python web notebook site clean check test lint test-rust test-fuzz test-package test-python \
	test-cookbook test-report test-builds test-site test-checks test-studies long integrations study bench release-checks

help: ## List the targets
	@awk -F':.*## ' '/^##@ /{printf "\n%s\n", substr($$0, 5)} /^[a-z-]+:.*## /{printf "  make %-16s %s\n", $$1, $$2}' \
		$(MAKEFILE_LIST)

##@ Build

demo: ## Build calipers quickly (without Parquet, and without optimising it) and measure what ships with it
	cargo run --profile demo --quiet --package calipers-cli --no-default-features -- estimate data/cells_lgbm.csv

# All at once: parts apart would be built with other features, and so anew.
build: ## Build what tests run, without optimising all of it
	cargo build --workspace --lib --bins --examples

python: ## Build the Python package as it is released, and install it in .venv
	test -x $(PYTHON) || python3 -m venv $(VENV)
	$(PYTHON) -m pip install --quiet $$(grep ^maturin== requirements/test.txt)
	rm -rf dist
	$(VENV)/bin/maturin build --release --quiet --interpreter $(PYTHON) --out dist
	$(PYTHON) -m pip install --quiet dist/*.whl
	$(PYTHON) -m pip install --quiet --force-reinstall --no-deps dist/*.whl

# What a browser runs, in web/dist, and a look at it in one. Chromium and its driver are Debian's, as for the report.
WASM := wasm32-unknown-unknown

web: $(VENV)/ready ## Build the page that measures in a browser, in web/dist, and test it
	rustup target list --installed | grep --quiet --line-regexp $(WASM) || rustup target add $(WASM)
	RUSTFLAGS="-C target-feature=+simd128" cargo build --profile web --package calipers-web --target $(WASM)
	rm -rf web/dist && mkdir web/dist
	cp web/*.html web/*.js web/*.css web/*.svg data/cells_lgbm.csv data/LICENSE-modeldata LICENSE-MIT LICENSE-APACHE web/dist
	cp crates/calipers-draw/src/page/style.css web/dist/report.css
	cp target/$(WASM)/web/calipers_web.wasm web/dist/calipers.wasm
	command -v chromedriver && command -v chromium || (apt-get update && apt-get install --yes chromium chromium-driver)
	cargo build --release --quiet --package calipers-cli --no-default-features
	CALIPERS_COMMAND=target/release/calipers $(PYTHON) -m pytest --quiet checks/web

notebook: $(VENV)/ready python ## Run the example notebook again, and keep what it shows
	$(PYTHON) examples/execute.py

# The pages of the reference are the program's own words, and the figures are drawn by it. Not --quiet: then --strict
# would let warnings pass.
site: $(VENV)/ready $(VENV)-site/ready build ## Build the documentation as a site, target/site, and look at it in a browser
	command -v chromedriver && command -v chromium || (apt-get update && apt-get install --yes chromium chromium-driver)
	NO_MKDOCS_2_WARNING=1 CALIPERS_COMMAND=target/debug/calipers $(VENV)-site/bin/python -m mkdocs build --strict
	CALIPERS_COMMAND=target/debug/calipers $(PYTHON) -m pytest --quiet checks/site/test_built.py

clean: ## Remove everything that was built
	cargo clean
	rm -rf $(VENV) $(VENV)-* dist web/dist

##@ Test

check: ## Look at formats, clippy and the core's own tests
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- --deny warnings
	cargo test --workspace --lib

test: lint test-checks test-rust test-fuzz test-python test-cookbook test-report test-builds test-site test-studies ## Run every linter and every test

# Python's packages are fetched while clippy has the cores.
lint: ## Run every linter
	cargo fmt --all --check
	$(MAKE) --silent $(VENV)/ready & cargo clippy --workspace --all-targets -- --deny warnings; done=$$?; wait; exit $$done
	$(MAKE) --silent $(VENV)/ready
	RUSTDOCFLAGS="--deny warnings" cargo doc --workspace --lib --examples --no-deps
	$(PYTHON) -m ruff check
	$(PYTHON) -m ruff format --check
	$(PYTHON) -m mypy
	$(PYTHON) -m studies robustness --check
	$(PYTHON) -m studies comparison --check
	$(PYTHON) -m studies contest --check
	$(PYTHON) -m studies stream --check

test-checks: $(VENV)/ready ## Check the repository: licences and sources of dependencies, links (seconds)
	$(PYTHON) -m pytest --quiet checks/test_*.py

test-rust: ## Run the tests of every crate
	cargo test --workspace

# The targets of fuzz/, each a program that libFuzzer drives. For seconds, only this workspace's crates are
# instrumented, and compiled anew: the others are the tests' own.
FUZZ_BUILD := cargo build --workspace --features calipers-fuzz/libfuzzer \
	$(addprefix --bin ,$(basename $(notdir $(wildcard fuzz/fuzz_targets/*.rs))))

test-fuzz: ## Fuzz every way in for a few seconds
	RUSTC_WORKSPACE_WRAPPER=$(CURDIR)/fuzz/instrument.sh $(FUZZ_BUILD) --config profile.dev.package.calipers.opt-level=1
	python3 -m studies fuzz target/debug --seconds $(or $(SECONDS),6)

# The package around the library of `build`, as a tree to import from and as a wheel.
test-package: $(VENV)/ready build
	$(PYTHON) -m checks.package

# Where tests import calipers from, and what they run.
PACKAGE := PYTHONPATH=$(CURDIR)/target/python MYPYPATH=$(CURDIR)/target/python CALIPERS_COMMAND=target/debug/calipers \
	CALIPERS_EXAMPLE=target/debug/examples/simulated

# Modules that import what is not in .venv: their examples are run by `integrations`.
APART := huggingface inspect mlflow nannyml skore torch

test-python: test-package ## Test the Python package, also where there is nothing but NumPy
	$(PACKAGE) $(PYTHON) -m mypy.stubtest calipers._calipers --mypy-config-file pyproject.toml
	$(PACKAGE) $(PYTHON) -m pytest --quiet python/tests checks/schemas
	$(PACKAGE) $(PYTHON) -m pytest --quiet --doctest-modules --pyargs calipers $(addprefix --ignore=$(CURDIR)/target/python/calipers/,$(APART:=.py))
	$(PACKAGE) $(PYTHON) -m pytest --quiet --doctest-glob='*.md' docs/python.md docs/integrations/scikit-learn.md
	$(PACKAGE) $(PYTHON) examples/execute.py --check
	rm -rf $(VENV)-alone
	python3 -m venv $(VENV)-alone
	$(VENV)-alone/bin/python -m pip install --quiet target/wheels/*.whl
	$(VENV)-alone/bin/python python/tests/alone.py

test-cookbook: test-package ## Run the programs of the cookbook, and compare what they print with its page
	$(PACKAGE) $(PYTHON) -m pytest --quiet checks/cookbook

# Chromium and its driver are Debian's, and are installed where they are missing.
test-report: $(VENV)/ready build ## Look at the report in a browser without a window
	command -v chromedriver && command -v chromium || (apt-get update && apt-get install --yes chromium chromium-driver)
	CALIPERS_COMMAND=target/debug/calipers $(PYTHON) -m pytest --quiet checks/browser

test-builds: $(VENV)/ready build ## Run what build systems run: the action's scripts, the hook, the examples
	CALIPERS_COMMAND=target/debug/calipers $(PYTHON) -m pytest --quiet checks/builds

test-site: test-package ## Run what the pages of the guide show, commands and Python
	CALIPERS_COMMAND=target/debug/calipers $(PYTHON) -m pytest --quiet checks/site/test_pages.py
	$(PACKAGE) $(PYTHON) -m pytest --quiet --doctest-glob='*.md' docs/start.md docs/guide

test-studies: test-package ## Compute a part of the paper and of the neighbours again, and compare
	$(PYTHON) -m pytest --quiet studies/tests
	$(PYTHON) -m studies reproduce --quick --program target/debug/calipers
	$(PACKAGE) $(PYTHON) -m studies neighbours --quick

define LONG_properties
	$(PYTHON) -m studies properties --times $(or $(TIMES),20)
endef
define LONG_extremes
	cargo test --workspace --test main extremes:: -- --include-ignored --nocapture
endef
define LONG_simulations
	CALIPERS_LONG=1 cargo test --workspace --test main -- --nocapture
endef
# Every crate beneath us is instrumented, too.
define LONG_fuzz
	RUSTFLAGS="--cfg fuzzing $$(sh fuzz/flags.sh | tr '\n' ' ')" $(FUZZ_BUILD) --profile fuzz \
		--target $$(rustc --print host-tuple) --target-dir target/fuzz
	$(PYTHON) -m studies fuzz target/fuzz/$$(rustc --print host-tuple)/fuzz --seconds $(or $(SECONDS),600) \
		--corpus target/fuzz/corpus --record
endef
define LONG_load
	$(PYTHON) -m studies load
endef
# 2 and 3 say that mutants survived or ran out of time: the study judges that.
define LONG_mutants
	command -v cargo-mutants || cargo install cargo-mutants --locked --version 27.1.0
	RUST_BACKTRACE=0 cargo mutants --output target || [[ $$? == [23] ]]
	$(PYTHON) -m studies mutants target/mutants.out/outcomes.json
endef
define LONG_miri
	python3 -m checks.release miri
endef
define LONG_foundation
	$(VENV)-foundation/bin/python -m pip install --quiet --force-reinstall --no-deps dist/*.whl
	$(VENV)-foundation/bin/python -m pytest --quiet python/tests/test_torch.py python/tests/test_foundation.py
endef
# Java is Debian's, and is installed where it is missing.
define LONG_spark
	command -v java || (apt-get update && apt-get install --yes openjdk-17-jre-headless)
	$(VENV)-spark/bin/python -m pip install --quiet --force-reinstall --no-deps dist/*.whl
	$(VENV)-spark/bin/python -m pytest --quiet python/tests/test_spark.py
endef
define LONG_ray
	$(VENV)-ray/bin/python -m pip install --quiet --force-reinstall --no-deps dist/*.whl
	$(VENV)-ray/bin/python -m pytest --quiet python/tests/test_engines.py
endef
# What is behind the feature, against a store of objects on this machine.
define LONG_cloud
	cargo clippy --package calipers-files --package calipers-cli --features calipers-cli/cloud --all-targets -- --deny warnings
	cargo test --package calipers-files --features cloud --lib remote::
	cargo build --package calipers-cli --features cloud
	CALIPERS_COMMAND=target/debug/calipers $(VENV)-cloud/bin/python -m pytest --quiet checks/cloud
endef
LONG := properties extremes simulations fuzz load mutants miri foundation spark ray cloud
# Those that have an environment of their own, and those that run the package.
LONG_APART := foundation spark ray cloud
LONG_PACKAGE := load foundation spark ray

long: $(if $(filter-out cloud,$(WHAT)),$(VENV)/ready) $(if $(filter $(LONG_PACKAGE),$(WHAT)),python) $(if $(filter $(LONG_APART),$(WHAT)),$(VENV)-$(WHAT)/ready) ## Test at length: WHAT=properties, extremes, simulations, fuzz, load, mutants, miri, cloud, spark, ray, or foundation (3 GB)
	$(if $(filter $(WHAT),$(LONG)),,$(error WHAT is one of $(LONG)))
	$(LONG_$(WHAT))

INTEGRATIONS := evaluate helm inspect lm-eval mlflow nannyml skore torchmetrics

# Warnings of other packages are theirs.
integrations: test-package $(if $(filter $(INTEGRATIONS),$(WHAT)),$(VENV)-$(WHAT)/ready) ## Test calipers inside other packages: WHAT=evaluate (400 MB), helm (6 GB), inspect (500 MB), lm-eval (900 MB), mlflow (900 MB), nannyml (2 GB), skore (600 MB) or torchmetrics (3 GB)
	$(if $(filter $(INTEGRATIONS),$(WHAT)),,$(error WHAT is one of $(INTEGRATIONS)))
	$(VENV)-$(WHAT)/bin/python -m pip install --quiet --force-reinstall --no-deps target/wheels/*.whl
	CALIPERS_COMMAND=$(CURDIR)/target/debug/calipers $(VENV)-$(WHAT)/bin/python -m pytest --quiet -W ignore checks/integrations/test_$(subst -,_,$(WHAT)).py \
		$(if $(filter $(WHAT),$(APART)),--doctest-modules --pyargs calipers.$(WHAT))

##@ Studies

# Those beside other packages have an environment of their own, of 3 GB, and so have Spark and MCGrad; some of both run the package.
STUDY_PEERS := contest neighbours-speed oracles-neighbours oracles-probmetrics
STUDY_SPARK := spark-speed
STUDY_MCGRAD := features
STUDY_APART := $(STUDY_PEERS) $(STUDY_SPARK) $(STUDY_MCGRAD)
STUDY_PACKAGE := contest features guess neighbours neighbours-speed python-overhead shapes spark-speed load
STUDY_VENV := $(VENV)$(if $(filter $(NAME),$(STUDY_PEERS)),-peers)$(if $(filter $(NAME),$(STUDY_SPARK)),-spark)$(if $(filter $(NAME),$(STUDY_MCGRAD)),-mcgrad)

study: $(STUDY_VENV)/ready $(if $(filter $(NAME),$(STUDY_PACKAGE)),python) ## Run a study: NAME=reproduce, QUICK=1, CHECK=1, ARGS="..."; without a name, list them
	$(if $(filter $(STUDY_APART),$(filter $(STUDY_PACKAGE),$(NAME))),$(STUDY_VENV)/bin/python -m pip install --quiet --force-reinstall --no-deps dist/*.whl)
	$(STUDY_VENV)/bin/python -m studies $(NAME) $(if $(QUICK),--quick) $(if $(CHECK),--check) $(ARGS)

bench: ## Time reading and estimating a million rows, and the recalibrators
	python3 -m studies million-rows
	cargo bench --package calipers

##@ Release

# `.venv-wheels` holds zig and what examines wheels; on Windows its programs lie elsewhere.
WHEELS := $(VENV)-wheels/$(if $(filter Windows_NT,$(OS)),Scripts,bin)/python
# In the order in which each stands on those before it.
CRATES := $(addprefix --package ,calipers calipers-draw calipers-files calipers-cli)

.PHONY: release wheels test-wheels sdist test-sdist crates sbom image tag publish

release: $(VENV)/ready $(VENV)-wheels/ready ## Make a release up to the upload: VERSION=1.2.3, the first time REPOSITORY=https://...
	$(PYTHON) -m release $(VERSION) $(if $(REPOSITORY),--repository $(REPOSITORY))

wheels: $(VENV)-wheels/ready ## Build the wheels of Linux into dist; ON="TARGET ..." some of them, ON=here this machine's
	$(WHEELS) -m release.wheels $(ON)

test-wheels: $(VENV)-wheels/ready ## Examine the wheels in dist, and try those that run on this machine
	$(WHEELS) -m release.examine

sdist: $(VENV)-wheels/ready ## Pack the source into dist
	$(WHEELS) -m release.source

test-sdist: sdist ## Build a wheel of the packed source, without a network, and try it
	$(WHEELS) -m release.examine --source

crates: ## Pack the crates, build each of what was packed, and install the command of that
	cargo package --locked $(CRATES)
	python3 -m release.crates

sbom: ## Write what the command and the wheels in dist are made of
	python3 -m checks.release sbom

image: $(VENV)-wheels/ready ## Build the container image of the musllinux wheels in dist (needs Docker)
	$(WHEELS) -m release.image
	docker build --file packaging/Dockerfile --tag calipers target/image

tag: ## See that TAG=v1.2.3, on GitHub the one that is built, names the version
	python3 -m release.tag

publish: $(VENV)-wheels/ready ## Upload what is in dist, and the crates
	$(WHEELS) -m twine upload dist/*.whl dist/*.tar.gz
	cargo publish --locked $(CRATES)

release-checks: $(VENV)/ready $(VENV)-audit/ready $(if $(filter sbom,$(or $(ONLY),sbom)),python) ## Check what a release is checked for beyond the tests; ONLY="deny semver" some of it
	python3 -m checks.release $(ONLY)

# Environments: one for tests and studies, others for what is large or must not mix.
$(VENV)/ready: requirements/test.txt requirements/studies.txt
	test -x $(PYTHON) || python3 -m venv $(VENV)
	$(PYTHON) -m pip install --quiet --requirement $<
	touch $@

$(VENV)-%/ready: requirements/%.txt
	test -x $(VENV)-$*/bin/python || python3 -m venv $(VENV)-$*
	$(VENV)-$*/bin/python -m pip install --quiet --requirement $<
	touch $@

$(VENV)-wheels/ready: requirements/wheels.txt
	test -x $(WHEELS) || python3 -m venv $(VENV)-wheels
	$(WHEELS) -m pip install --quiet --requirement $<
	touch $@
