# `make` lists the targets.
.DEFAULT_GOAL := help
SHELL := /bin/bash
VENV := .venv
PYTHON := $(VENV)/bin/python

.PHONY: help
help: ## List the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  make %-18s %s\n", $$1, $$2}'

.PHONY: demo
demo: ## Build calipers (without Parquet, which takes minutes) and measure what ships with it
	cargo run --release --quiet --package calipers-cli --no-default-features -- estimate data/cells_lgbm.csv

.PHONY: test
test: lint ## Run every linter and every test
	cargo test --workspace

.PHONY: lint
lint: lint-rust lint-python ## Run every linter

.PHONY: lint-rust
lint-rust: ## Check formatting, clippy and the documentation's links
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- --deny warnings
	RUSTDOCFLAGS="--deny warnings" cargo doc --package calipers --no-deps

.PHONY: lint-python
lint-python: $(VENV)/lint ## Check the Python scripts
	$(PYTHON) -m ruff check oracles bench
	$(PYTHON) -m ruff format --check oracles bench

$(VENV)/lint: bench/requirements-lint.txt
	test -x $(PYTHON) || python3 -m venv $(VENV)
	$(PYTHON) -m pip install --quiet --requirement $<
	touch $@

.PHONY: oracles
oracles: $(VENV)/oracles ## Compute the oracles' values again (about a minute)
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

.PHONY: bench-probmetrics
bench-probmetrics: ## Time boost beside probmetrics' WS CatBoost (downloads 3 GB)
	python3 bench/against_probmetrics.py

.PHONY: bench
bench: ## Time reading and estimating a million rows, and the recalibrators
	cargo build --release --package calipers-cli
	python3 bench/million_rows.py
	cargo bench --package calipers

.PHONY: clean
clean: ## Remove everything that was built
	cargo clean
	rm -rf $(VENV)
