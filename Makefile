# `make` lists the targets.
.DEFAULT_GOAL := help
SHELL := /bin/bash
VENV := .venv
PYTHON := $(VENV)/bin/python

.PHONY: help
help: ## List the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  make %-24s %s\n", $$1, $$2}'

.PHONY: demo
demo: ## Build calipers (without Parquet, which takes minutes) and measure what ships with it
	cargo run --release --quiet --package calipers-cli --no-default-features -- estimate data/cells_lgbm.csv

.PHONY: test
test: lint test-hygiene test-rust test-fuzz test-python test-report test-reproduce test-lesson ## Run every linter and every test

.PHONY: test-rust
test-rust: ## Run the tests of the library and of the command
	cargo test --workspace

.PHONY: properties
properties: ## Try every property on TIMES=20 times as many other cases, and write down how many (an hour)
	mkdir -p docs/reliability
	rm -f target/properties.csv
	CALIPERS_PROPERTY_TIMES=$(or $(TIMES),20) CALIPERS_PROPERTY_SEED=1 CALIPERS_PROPERTY_TABLE=$(CURDIR)/target/properties.csv \
		cargo test --workspace --test properties
	(echo "property,recalibrators,metrics,cases,comparisons,failures"; sort target/properties.csv) \
		> docs/reliability/properties.csv

.PHONY: extremes
extremes: ## Try predictions as far out as they come, also those that take minutes
	cargo test --workspace --test extremes -- --include-ignored --nocapture

# The targets of fuzz/, each a program that libFuzzer drives.
FUZZ_TARGETS := $(basename $(notdir $(wildcard fuzz/fuzz_targets/*.rs)))
FUZZ_BUILD := cargo build --workspace --features calipers-fuzz/libfuzzer $(addprefix --bin ,$(FUZZ_TARGETS))

# Only this workspace's crates are instrumented, and compiled anew: the others are the tests' own.
.PHONY: test-fuzz
test-fuzz: ## Fuzz every way in for a few seconds
	RUSTC_WORKSPACE_WRAPPER=$(CURDIR)/fuzz/instrument.sh $(FUZZ_BUILD) --config profile.dev.package.calipers.opt-level=1
	python3 fuzz/run.py target/debug --seconds $(or $(SECONDS),6)

.PHONY: fuzz
fuzz: ## Fuzz every way in at length (SECONDS=600 by default), and keep the figures
	RUSTFLAGS="--cfg fuzzing $$(sh fuzz/flags.sh | tr '\n' ' ')" $(FUZZ_BUILD) --profile fuzz \
		--target $$(rustc --print host-tuple) --target-dir target/fuzz
	python3 fuzz/run.py target/fuzz/$$(rustc --print host-tuple)/fuzz --seconds $(or $(SECONDS),600) \
		--corpus target/fuzz/corpus --record docs/reliability/fuzz.csv

.PHONY: python
python: $(VENV)/build ## Build the Python package and install it in .venv
	rm -rf dist
	$(VENV)/bin/maturin build --release --quiet --interpreter $(PYTHON) --out dist
	$(PYTHON) -m pip install --quiet dist/*.whl
	$(PYTHON) -m pip install --quiet --force-reinstall --no-deps dist/*.whl

$(VENV)/build: python/requirements-build.txt
	test -x $(PYTHON) || python3 -m venv $(VENV)
	$(PYTHON) -m pip install --quiet --requirement $<
	touch $@

.PHONY: test-python
test-python: python $(VENV)/test test-python-alone programs ## Test the Python package as it is installed
	$(PYTHON) -m mypy.stubtest calipers._calipers --mypy-config-file pyproject.toml
	CALIPERS_COMMAND=target/debug/calipers CALIPERS_EXAMPLE=target/debug/examples/simulated \
		OMP_NUM_THREADS=1 $(PYTHON) -m pytest --quiet python/tests
	OMP_NUM_THREADS=1 $(PYTHON) -m pytest --quiet --doctest-modules --pyargs calipers
	OMP_NUM_THREADS=1 $(PYTHON) -m pytest --quiet --doctest-glob='*.md' docs/python.md
	OMP_NUM_THREADS=1 $(PYTHON) examples/execute.py --check

.PHONY: programs
programs: # Build what tests run, all at once: parts apart would be built with other features
	cargo build --workspace --bins --examples

.PHONY: test-python-alone
test-python-alone: python # Try the package where there is nothing but NumPy
	rm -rf $(VENV)-alone
	python3 -m venv $(VENV)-alone
	$(VENV)-alone/bin/python -m pip install --quiet dist/*.whl
	$(VENV)-alone/bin/python python/tests/alone.py

$(VENV)/test: python/requirements-test.txt
	test -x $(PYTHON) || python3 -m venv $(VENV)
	$(PYTHON) -m pip install --quiet --requirement $<
	touch $@

.PHONY: test-report
test-report: $(VENV)/report programs ## Look at the report in a browser without a window
	CALIPERS_COMMAND=target/debug/calipers $(PYTHON) -m pytest --quiet tests/browser

# Chromium and its driver are Debian's, and are installed where they are missing.
$(VENV)/report: tests/browser/requirements.txt
	command -v chromedriver && command -v chromium || (apt-get update && apt-get install --yes chromium chromium-driver)
	test -x $(PYTHON) || python3 -m venv $(VENV)
	$(PYTHON) -m pip install --quiet --requirement $<
	touch $@

.PHONY: test-python-foundation
test-python-foundation: python ## Test TabICL, TabPFN and torch (downloads 3 GB)
	test -x $(VENV)-foundation/bin/python || python3 -m venv $(VENV)-foundation
	$(VENV)-foundation/bin/python -m pip install --quiet --requirement python/requirements-foundation.txt
	$(VENV)-foundation/bin/python -m pip install --quiet --force-reinstall --no-deps dist/*.whl
	$(VENV)-foundation/bin/python -m pytest --quiet python/tests/test_torch.py python/tests/test_foundation.py

.PHONY: notebook
notebook: python $(VENV)/test ## Run the example notebook again, and keep what it shows
	OMP_NUM_THREADS=1 $(PYTHON) examples/execute.py

.PHONY: lint
lint: lint-rust lint-python ## Run every linter

.PHONY: lint-rust
lint-rust: ## Check formatting, clippy and the documentation's links
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- --deny warnings
	RUSTDOCFLAGS="--deny warnings" cargo doc --package calipers --package calipers-files --no-deps

.PHONY: lint-python
lint-python: $(VENV)/lint ## Check the Python package and scripts
	$(PYTHON) -m ruff check python oracles bench examples reproduce lesson reliability tests fuzz
	$(PYTHON) -m ruff format --check python oracles bench examples reproduce lesson reliability tests fuzz
	$(PYTHON) -m mypy
	$(PYTHON) -m reliability --check

$(VENV)/lint: bench/requirements-lint.txt
	test -x $(PYTHON) || python3 -m venv $(VENV)
	$(PYTHON) -m pip install --quiet --requirement $<
	touch $@

.PHONY: test-hygiene
test-hygiene: $(VENV)/test ## Check licences and sources of dependencies, and that nothing is unsafe (seconds)
	$(PYTHON) -m pytest --quiet tests/hygiene

.PHONY: release-checks
release-checks: deny semver msrv minimal-versions miri audit-python coverage sbom ## All that a release is checked for, beyond the tests

# cargo subcommands, each installed where it is missing; the debug profile builds them in half the time.
INSTALL := cargo install --locked --debug

.PHONY: deny
deny: ## Check dependencies: licences, advisories, duplicates, sources (cargo-deny; fetches its database)
	command -v cargo-deny || $(INSTALL) cargo-deny
	cargo deny --locked check --hide-inclusion-graph licenses bans sources
	cargo deny --locked check --hide-inclusion-graph advisories

.PHONY: semver
semver: ## Compare the library's interface with the last tag's, or with BASE=<commit> (cargo-semver-checks)
	@base="$(or $(BASE),$$(git describe --tags --abbrev=0 2> /dev/null))"; \
	if [ -z "$$base" ]; then echo "There is no tag yet: nothing was promised, nothing is compared."; exit 0; fi; \
	set -ex; command -v cargo-semver-checks || $(INSTALL) cargo-semver-checks; \
	cargo semver-checks --package calipers --package calipers-draw --package calipers-files --baseline-rev "$$base"

MSRV := $(shell sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)

.PHONY: msrv
msrv: ## Compile with the oldest compiler that is promised
	cargo +$(MSRV).0 check --workspace --all-targets --locked

.PHONY: minimal-versions
minimal-versions: ## Compile with the oldest dependencies that the manifests allow
	rm -rf target/minimal-versions/tree
	mkdir -p target/minimal-versions/tree
	git ls-files -z | tar --create --null --files-from - | tar --extract --directory target/minimal-versions/tree
	cd target/minimal-versions/tree && RUSTC_BOOTSTRAP=1 cargo update -Z direct-minimal-versions
	cd target/minimal-versions/tree && CARGO_TARGET_DIR=.. cargo check --workspace --all-targets --locked

# Our crates forbid `unsafe`; Miri interprets what they ask of those that have it: vectors, views, threads. It is
# some thousand times slower than the processor, hence only these tests, with one case each. The features are those
# that our vectors choose on most machines; floating-point functions are to round as they do there. Of the two models
# of aliasing it is tree borrows: crossbeam-epoch, beneath rayon, breaks the older one, stacked borrows. Left out are
# tests that take hours, and one in which rayon's own in-place scope breaks tree borrows (docs/releasing.md).
MIRI_TESTS := simd:: probs:: labels:: stop:: --skip thousands_of_estimates --skip simd::product --skip the_calling_thread
MIRIFLAGS := -Zmiri-disable-isolation -Zmiri-deterministic-floats -Zmiri-tree-borrows

.PHONY: miri
miri: ## Interpret tests in search of undefined behaviour beneath us (rustup's nightly with miri)
	PROPTEST_CASES=1 RUSTFLAGS="-C target-feature=+avx2,+fma" MIRIFLAGS="$(MIRIFLAGS)" \
		cargo +nightly miri test --package calipers --lib -- $(MIRI_TESTS)

.PHONY: audit-python
audit-python: $(VENV)-audit/ready $(VENV)/build $(VENV)/test $(VENV)/lint ## Look up what the Python package and its tests need in a database of advisories (pip-audit)
	mkdir -p target
	{ $(PYTHON) -m pip freeze --exclude calipers; cat $$(git ls-files '*requirements*.txt'); } \
		| grep '==' | sort --ignore-case --unique > target/python-packages.txt
	$(VENV)-audit/bin/pip-audit --strict --no-deps --disable-pip --requirement target/python-packages.txt

$(VENV)-audit/ready: tests/hygiene/requirements-audit.txt
	test -x $(VENV)-audit/bin/python || python3 -m venv $(VENV)-audit
	$(VENV)-audit/bin/python -m pip install --quiet --requirement $<
	touch $@

.PHONY: sbom
sbom: python ## Write what the command and the wheel are made of to dist, as CycloneDX (cargo-cyclonedx)
	command -v cargo-cyclonedx || $(INSTALL) cargo-cyclonedx
	python3 tests/hygiene/sbom.py

.PHONY: coverage
coverage: ## Measure which lines of the core its tests run, and fail below 95 % (LLVM's tools)
	python3 tests/hygiene/coverage_of_lines.py

.PHONY: oracles
oracles: $(VENV)/oracles ## Compute the oracles' values again (two minutes)
	OMP_NUM_THREADS=1 $(PYTHON) oracles/generate.py
	git diff --stat oracles/values

$(VENV)/oracles: oracles/requirements.txt
	test -x $(PYTHON) || python3 -m venv $(VENV)
	$(PYTHON) -m pip install --quiet --requirement $<
	touch $@

.PHONY: oracles-boost
oracles-boost: $(VENV)/oracles-boost ## Grow CatBoost's and LightGBM's trees again (seconds)
	OMP_NUM_THREADS=1 $(PYTHON) oracles/boost.py
	git diff --stat oracles/boost_values

$(VENV)/oracles-boost: oracles/requirements-boost.txt
	test -x $(PYTHON) || python3 -m venv $(VENV)
	$(PYTHON) -m pip install --quiet --requirement $<
	touch $@

.PHONY: oracles-peer
oracles-peer: ## Estimate with probmetrics again (downloads 3 GB)
	test -x $(VENV)-peer/bin/python || python3 -m venv $(VENV)-peer
	$(VENV)-peer/bin/python -m pip install --quiet --requirement bench/requirements-probmetrics.txt
	OMP_NUM_THREADS=1 $(VENV)-peer/bin/python oracles/peer.py
	git diff --stat oracles/peer_values.json

.PHONY: oracles-neighbours
oracles-neighbours: $(VENV)-neighbours/ready ## Compute other packages' measures again (minutes; downloads 3 GB)
	OMP_NUM_THREADS=1 $(VENV)-neighbours/bin/python oracles/neighbours.py
	git diff --stat oracles/neighbour_values.json

$(VENV)-neighbours/ready: oracles/requirements-neighbours.txt
	test -x $(VENV)-neighbours/bin/python || python3 -m venv $(VENV)-neighbours
	$(VENV)-neighbours/bin/python -m pip install --quiet --requirement $<
	touch $@

.PHONY: bench-neighbours
bench-neighbours: python $(VENV)-neighbours/ready ## Time the neighbours beside their packages (downloads 3 GB)
	$(VENV)-neighbours/bin/python -m pip install --quiet --force-reinstall --no-deps dist/*.whl
	$(VENV)-neighbours/bin/python bench/neighbours.py

.PHONY: bench-probmetrics
bench-probmetrics: ## Time boost beside probmetrics' WS CatBoost (downloads 3 GB)
	python3 bench/against_probmetrics.py

.PHONY: reproduce
reproduce: $(VENV)/reproduce ## Compute the paper's figures and tables again (an hour; QUICK=1: minutes)
	$(PYTHON) -m reproduce $(if $(QUICK),--quick)

.PHONY: lesson
lesson: python $(VENV)/reproduce ## Measure data of known truth as others do, and write docs/neighbours.md
	OMP_NUM_THREADS=1 $(PYTHON) -m lesson

.PHONY: test-reproduce
test-reproduce: $(VENV)/reproduce $(VENV)/test programs ## Compute a part of the paper again, and compare
	$(PYTHON) -m pytest --quiet reproduce/tests
	$(PYTHON) -m reproduce --quick --program target/debug/calipers

.PHONY: test-lesson
test-lesson: python $(VENV)/reproduce ## Measure a few of the lesson's data sets, and write its page elsewhere
	OMP_NUM_THREADS=1 $(PYTHON) -m lesson --quick

$(VENV)/reproduce: reproduce/requirements.txt
	test -x $(PYTHON) || python3 -m venv $(VENV)
	$(PYTHON) -m pip install --quiet --requirement $<
	touch $@

.PHONY: score
score: $(VENV)/score ## Score auto on a folder of real predictions, beside other packages
	$(PYTHON) -m bench.score auto

$(VENV)/score: bench/requirements-score.txt
	test -x $(PYTHON) || python3 -m venv $(VENV)
	$(PYTHON) -m pip install --quiet --requirement $<
	touch $@

.PHONY: mutants
mutants: ## Break the core on purpose, and count the faults that tests notice (half an hour)
	command -v cargo-mutants || cargo install cargo-mutants --locked --version 27.1.0
	# 2 and 3 say that mutants survived or ran out of time: the script judges that.
	RUST_BACKTRACE=0 cargo mutants --output target || [[ $$? == [23] ]]
	python3 -m doctest reliability/mutants.py
	python3 -m reliability.mutants target/mutants.out/outcomes.json

.PHONY: bench
bench: ## Time reading and estimating a million rows, and the recalibrators
	cargo build --release --package calipers-cli
	python3 bench/million_rows.py
	cargo bench --package calipers

.PHONY: load
load: python ## Make thousands of estimates at once in Rust and Python, and see what they leave (minutes)
	$(PYTHON) bench/load.py

.PHONY: bench-python
bench-python: python ## Measure what the Python package costs beside the computation
	$(PYTHON) bench/python_overhead.py

.PHONY: clean
clean: ## Remove everything that was built
	cargo clean
	rm -rf $(VENV) $(VENV)-alone $(VENV)-foundation $(VENV)-neighbours $(VENV)-peer $(VENV)-audit dist
