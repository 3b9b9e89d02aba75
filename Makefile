# All that `make` needs is Python 3.11 or newer; everything else goes into $(VENV).
#
#   make run ARGS="--config my.toml"     what comes after `gammonclock run --simulate`
#   make test ARGS="-k flag"             what comes after `pytest`
#   make test PARALLEL=                  in one process
#   make test PYTHON=python3.13          the Python of a new .venv
#   make venv PIP_ONLY_BINARY=           allow packages without a wheel (a compiler may be needed)

VENV ?= .venv
DIST ?= dist
PYTHON ?= python3 python3.14 python3.13 python3.12 python3.11
ARGS ?=
PARALLEL ?= --numprocesses=auto --dist=worksteal

export PIP_ONLY_BINARY ?= :all:
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# The tests start many programs, which start in half the time with compiled modules.
unexport PYTHONDONTWRITEBYTECODE
# It would be the time of all files in wheels and source archives, which are the same whenever made.
unexport SOURCE_DATE_EPOCH

BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet install

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help release venv run watch room check test bare-test test-wheel bench-kernel bench-test bench-cuts prove forged-logs room-kills halls room-seeds mutants browser-test emulated-trees emulated-test gpiozero-test lint lint-units format bench docs pins bundle card card-test install-pi rollback-pi prepare-card uninstall-pi clean

help:  ## Say what there is to make
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

venv: $(VENV)/.with-lint $(VENV)/.with-bench $(VENV)/.with-wheel  ## Make .venv with the clock, its tests and its tools

run: $(VENV)/.with-$(if $(findstring --browser,$(ARGS)),room,clock)  ## Start the clock on this terminal; ARGS=--browser: on a page
	$(BIN)/gammonclock run --simulate $(ARGS)

LOGS := $(or $(XDG_STATE_HOME),$(HOME)/.local/state)/gammonclock
watch: ARGS = $(LOGS) --open
watch: $(VENV)/.with-room  ## Show the match of `make run` on pages; ARGS="SOURCE..." for others
	@if [ "$(firstword $(ARGS))" = "$(LOGS)" ] && [ ! -e "$(LOGS)/current.jsonl" ]; then \
	    mkdir -p "$(LOGS)"; echo "No match is played yet: start one with \`make run\` in another terminal."; fi
	$(BIN)/gammonclock watch $(ARGS)

room: $(VENV)/.with-room  ## Show simulated clocks on pages; ARGS="--clocks 64"; BROKER=1: with mosquitto
	$(BIN)/python -m room.simulation $(if $(BROKER),--broker --clocks 64) $(ARGS)

check: lint  ## Lint and the quick tests: before each commit
	$(BIN)/python -m pytest $(PARALLEL) -m "not slow" --hypothesis-profile=dev $(ARGS)

# Some of these tests wait for programs and disks: one worker more than there are cores.
test: PARALLEL = --numprocesses=$(shell expr $$(getconf _NPROCESSORS_ONLN) + 1) --dist=worksteal
test: $(VENV)/.with-test  ## Test the checkout: everything but bench and browser
	$(BIN)/python -m pytest $(PARALLEL) $(ARGS)

# The source archive is unpacked elsewhere and its packages are taken away, so that the tests can
# find them nowhere but in the installed wheel. What could be missing there is missing in the quick
# tests and in the first examples of a property, too; the slow ones are run in the checkout. What AS_USER
# says comes before pytest: `make test-wheel AS_USER="setpriv --reuid ..."`.
test-wheel: $(VENV)/.with-wheel  ## Build the wheel and test it in an environment of its own
	@set -eu; \
	work=$$(mktemp -d); chmod 755 "$$work"; trap 'rm -rf "$$work"' EXIT; \
	$(BIN)/python -m build --outdir "$$work" .; \
	$(BIN)/python -m venv --without-pip "$$work/venv"; \
	$(BIN)/python -m pip --python "$$work/venv" --quiet install "$$work"/*.whl --group test; \
	mkdir "$$work/tree"; \
	tar -xzf "$$work"/*.tar.gz -C "$$work/tree" --strip-components 1; \
	cd "$$work/tree"; \
	rm -r clock gammonclock gpiozero_gpiod hardware room; \
	unset PYTHONPATH; \
	"$$work/venv/bin/python" -c 'import clock, gammonclock, gpiozero_gpiod, hardware, room; print("Testing", clock.__file__)'; \
	$(AS_USER) "$$work/venv/bin/python" -m pytest $(PARALLEL) -m "not slow" --hypothesis-profile=dev $(ARGS)

# The whole clock on a kernel of its own; without the kernel, every one of these tests fails.
bench-kernel: $(VENV)/.with-pip  ## Build the bench's kernel into a cache, once: 3 minutes
	$(BIN)/python -m lab.bench.build_kernel

# The tests of one file share what takes long to make.
bench-test: PARALLEL = --numprocesses=auto --dist=loadfile --no-loadscope-reorder
bench-test: $(VENV)/.with-bench  ## Test the whole clock on the bench
	$(BIN)/python -m pytest tests/bench $(PARALLEL) $(ARGS)

CUTS ?= 10000
SEED ?= 1
bench-cuts: $(VENV)/.with-bench  ## Pull the plug CUTS times, at instants by SEED: 4 hours for 10000
	CUTS=$(CUTS) SEED=$(SEED) $(BIN)/python -m pytest tests/bench/test_power_cuts.py $(ARGS)

prove: $(VENV)/.with-test  ## Search all states of small matches: 15 minutes; ARGS=--quick: one
	$(BIN)/python -m lab.prove $(ARGS)

CASES ?= 10000
forged-logs: $(VENV)/.with-test  ## Have two verifiers judge CASES forged logs: 5 minutes for 10000
	$(BIN)/python -m lab.forged_logs $(CASES)

KILLS ?= 1000
CLOCKS ?= 100
room-kills: $(VENV)/.with-test  ## Kill broker, hub, links, PostgreSQL KILLS times at random: 15 minutes for 1000
	$(BIN)/python -m lab.room_kills $(KILLS) $(CLOCKS) $(SEED)

room-seeds: $(VENV)/.with-test  ## Play whole rooms in virtual time; ARGS="--seeds 1000": 25 minutes
	$(BIN)/python -m lab.room_seeds $(ARGS)

halls: $(VENV)/.with-test  ## Follow 10 halls of 200 clocks on one page while hubs are killed: 8 minutes
	$(BIN)/python -m lab.halls $(ARGS)

mutants: $(VENV)/.with-mutants  ## See which one-line faults the tests notice: an hour; ARGS="clock/report"
	$(BIN)/python -m lab.mutants $(ARGS)

# Chromium comes from the operating system.
browser-test: $(VENV)/.with-browser  ## Test the pages in a browser
	$(BIN)/python -m pytest tests/browser $(PARALLEL) $(ARGS)

# Trees of Debian Bookworm and Trixie for 64-bit ARM, in a cache; as root.
emulated-trees: $(VENV)/.with-pip  ## Make the trees for emulated-test, once: 10 to 20 minutes
	$(BIN)/python -m lab.emulated.build_trees

# The tests of one system are one story.
emulated-test: PARALLEL = --numprocesses=2 --dist=loadfile
emulated-test: $(VENV)/.with-test bundle  ## Install the bundle on emulated 64-bit ARM, and test it there
	DIST="$(DIST)" $(BIN)/python -m pytest tests/emulated $(PARALLEL) --durations=12 $(ARGS)

# What is committed is tried, with Python and make alone. Leaves nothing in the checkout.
SUITE ?= trixie
bare-test:  ## Try `make run` and `make test` on a bare Debian, as root: 3 minutes
	python3 -B -m lab.bare_system $(SUITE) $(ARGS)

# The tests come with gpiozero's source archive. SPI in software takes gpiozero's default factory, so
# that test_spi_init fails without /dev/spidev, whichever factory is tested.
gpiozero-test: $(VENV)/.with-test  ## Run gpiozero's own tests of pins with our pin factory
	@set -eu; \
	work=$$(mktemp -d); trap 'rm -rf "$$work"' EXIT; python=$(abspath $(BIN))/python; \
	version=$$($$python -c 'from importlib.metadata import version; print(version("gpiozero"))'); \
	$$python -m pip --quiet download --no-deps --no-binary gpiozero --dest "$$work" "gpiozero==$$version"; \
	tar -xzf "$$work"/*.tar.gz -C "$$work" --strip-components 1; \
	cd "$$work/tests"; \
	GPIOZERO_TEST_LOCK=$$work/lock PYTHONPATH=$(CURDIR) $$python -m pytest -c /dev/null --rootdir . \
	    -p lab.support.wired_pins test_real_pins.py -k "gpiod and not spi_init" -rs -W ignore $(ARGS)

lint: $(VENV)/.with-lint  ## Check style, types and the direction of imports
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

# A unit, and the highest exposure that it may have, in tenths.
UNITS := gammonclock:5 gammonclock-card:15 gammonclock-room:15 gammonclock-link:10 gammonclock-hub:15

# The program need not be installed for this; all else is checked as it stands. `verify` may find
# something and still succeed, so it must also say nothing.
lint-units:  ## Check the services: their keys, and that their exposure is low
	@set -eu; \
	if ! command -v systemd-analyze >/dev/null; then \
	    echo "systemd-analyze is missing. On Debian: sudo apt install systemd" >&2; exit 1; \
	fi; \
	work=$$(mktemp -d); trap 'rm -rf "$$work"' EXIT; \
	for each in $(UNITS); do \
	    unit=$$work/$${each%:*}.service; \
	    sed 's,^ExecStart=[^ ]*,ExecStart=/bin/true,' "systemd/$${each%:*}.service" >"$$unit"; \
	    found=$$(systemd-analyze verify --man=no --recursive-errors=no "$$unit" 2>&1) && \
	        test -z "$$found" || { echo "$$found" >&2; exit 1; }; \
	    found=$$(systemd-analyze security --no-pager --offline=true --threshold=$${each#*:} "$$unit") || \
	        { echo "$$found" >&2; exit 1; }; \
	    echo "$$found" | tail -n 1; \
	done

format: $(VENV)/.with-lint  ## Bring the code into shape
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

# The figures of the whole clock need `make bench-kernel`; without it they are left out, with a word.
bench: $(VENV)/.with-bench  ## Measure the clock; ARGS=whole_clock for that alone
	$(BIN)/python -m lab.benchmarks $(ARGS)

docs: $(VENV)/.with-browser  ## Write anew what is generated: requirements, state diagram, cards, pictures
	@set -e; for generator in requirements state_diagram log_schema report_schema cards recording enclosure matches proof; do \
	    $(BIN)/python -m lab.docs.generate_$$generator; done
	NEW_PICTURES=1 $(BIN)/python -m pytest --quiet tests/hardware/display/test_layout.py tests/ui/test_pages.py tests/ui/test_error_pages.py tests/report tests/browser/test_pictures.py

# Whatever runs as a clock or as the hub of a room, and what builds their wheel: each with its version
# and hashes, for every Python from 3.11 on and every processor. Without the address of an index.
PIN := uv pip compile --quiet --upgrade --universal --python-version 3.11 --no-build --generate-hashes \
    --no-emit-index-url --custom-compile-command "make pins"
GROUPS := test bench browser lint mutants pins wheel
pins: $(VENV)/.with-pins $(VENV)/.with-test  ## Write the pinned versions of all dependencies anew
	$(BIN)/$(PIN) pyproject.toml --extra pi --extra link --output-file systemd/requirements.txt
	$(BIN)/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"], sep="\n")' | \
	    $(BIN)/$(PIN) - --output-file systemd/requirements-build.txt
	$(BIN)/$(PIN) pyproject.toml --extra room --extra chart --extra postgres \
	    --constraint systemd/requirements.txt --output-file systemd/requirements-room.txt
	$(BIN)/python -m lab.release sbom
	@set -e; work=$$(mktemp -d); trap 'rm -rf "$$work"' EXIT; \
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --no-build --format pylock.toml \
	    --constraint systemd/requirements.txt --constraint systemd/requirements-room.txt \
	    --all-extras $(GROUPS:%=--group %) \
	    pyproject.toml --output-file "$$work/pylock.toml"; \
	$(BIN)/python -m lab.wheels "$$work/pylock.toml"

# The source with all wheels for a Raspberry Pi: Raspberry Pi OS Bookworm (Python 3.11) and Trixie
# (3.13). glibc is 2.36 in Bookworm.
PI_PYTHONS := 3.11 3.13
PI_PLATFORMS := $(foreach minor,$(shell seq 17 36),--platform manylinux_2_$(minor)_aarch64) --platform manylinux2014_aarch64
release: $(VENV)/.with-pins $(VENV)/.with-wheel  ## Make all files of a release into dist; ARGS=--check: twice, 2 minutes
	$(BIN)/python -m lab.release make "$(DIST)" $(ARGS)

bundle: $(VENV)/.with-pins $(VENV)/.with-wheel  ## Make one file that installs a clock without a network
	@set -eu; \
	work=$$(mktemp -d); chmod 755 "$$work"; trap 'rm -rf "$$work"' EXIT; \
	$(BIN)/python -m build --sdist --outdir "$$work" . >/dev/null; \
	tar -xzf "$$work"/*.tar.gz -C "$$work"; rm "$$work"/*.tar.gz; \
	folder=$$(basename "$$work"/*); \
	for python in $(PI_PYTHONS); do \
	    for list in requirements requirements-build; do \
	        $(BIN)/uv pip compile --quiet --no-deps --generate-hashes --no-emit-index-url --no-annotate \
	            --python-version $$python --python-platform aarch64-manylinux_2_36 \
	            --output-file "$$work/$$list-$$python" "systemd/$$list.txt"; \
	        $(BIN)/python -m pip --quiet download --no-deps --require-hashes --only-binary :all: \
	            --python-version $$python $(PI_PLATFORMS) --requirement "$$work/$$list-$$python" \
	            --dest "$$work/$$folder/wheels"; \
	    done; \
	done; \
	mkdir -p "$(DIST)"; \
	$(BIN)/python lab/release.py pack "$$work/$$folder" "$(DIST)/$$folder-pi.tar.gz"; \
	ls -l "$(DIST)/$$folder-pi.tar.gz"

BUNDLE = $(lastword $(sort $(wildcard $(DIST)/*-pi.tar.gz)))
card: $(VENV)/.with-clock  ## Make a card that installs itself: DIR=/media/bootfs PROFILE= PANELS=spi BOARD=
	@test -f "$(DIR)/config.txt" || { echo "Name the boot partition of a card: make card DIR=/media/NAME/bootfs" >&2; exit 1; }
	@test -n "$(BUNDLE)" || $(MAKE) bundle
	@PROFILE="$(PROFILE)" PANELS="$(PANELS)" BOARD="$(BOARD)" SSH="$(SSH)" SERIAL="$(SERIAL)" \
	    $(BIN)/python -m lab.card "$(DIR)" "$$(ls $(DIST)/*-pi.tar.gz | tail -n 1)"

card-test: $(VENV)/.with-clock  ## Try such a card without a Pi, in QEMU: IMAGE=raspios-lite-arm64.img.xz
	@test -f "$(IMAGE)" || { echo "Name an image of Raspberry Pi OS: make card-test IMAGE=FILE" >&2; exit 1; }
	@test -n "$(BUNDLE)" || $(MAKE) bundle
	@PROFILE="$(PROFILE)" PANELS="$(PANELS)" BOARD="$(BOARD)" SSH="$(SSH)" SERIAL="$(SERIAL)" \
	    $(BIN)/python -m lab.card_test "$(IMAGE)" "$$(ls $(DIST)/*-pi.tar.gz | tail -n 1)"

install-pi:  ## Make this Raspberry Pi a clock (sudo; see docs/install.md)
	@PROFILE="$(PROFILE)" SERIAL="$(SERIAL)" ROOT="$(ROOT)" FORCE="$(FORCE)" systemd/install-pi

rollback-pi:  ## Go back to the release before, without a network (sudo)
	@ROOT="$(ROOT)" FORCE="$(FORCE)" systemd/rollback-pi

prepare-card:  ## Make this clock's card a card to copy (sudo; see docs/fleet.md)
	@ROOT="$(ROOT)" FORCE="$(FORCE)" systemd/prepare-card

uninstall-pi:  ## Undo install-pi (sudo)
	@PURGE="$(PURGE)" ROOT="$(ROOT)" systemd/uninstall-pi

clean:  ## Remove all that make has made
	@if [ -e "$(VENV)/pyvenv.cfg" ]; then rm -rf "$(VENV)"; fi
	rm -rf build dist .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# --- The virtual environment: each stamp says that a part of it is complete -----------------------

# pip 25.1 is the first to know dependency groups.
$(VENV)/.with-pip:
	@set -eu; \
	if $(BIN)/python -c 'import pip, sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
	    echo "Using $(VENV) as it is"; \
	else \
	    found=; seen=; \
	    for python in $(PYTHON); do \
	        version=$$("$$python" -c 'import platform; print(platform.python_version())' 2>/dev/null) || continue; \
	        if "$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then found=$$python; break; fi; \
	        seen="$$seen $$python is $$version."; \
	    done; \
	    if [ -z "$$found" ]; then \
	        echo "gammonclock needs Python 3.11 or newer, and none was found.$$seen" >&2; \
	        echo "Install one, or name it: make PYTHON=/path/to/python3" >&2; \
	        exit 1; \
	    fi; \
	    echo "Making $(VENV) with $$found $$version"; \
	    if ! "$$found" -m venv --clear "$(VENV)"; then \
	        echo "$$found could not make $(VENV). If its module venv or ensurepip is missing," >&2; \
	        echo "on Debian, Ubuntu and Raspberry Pi OS: sudo apt install python3-venv" >&2; \
	        exit 1; \
	    fi; \
	fi
	$(PIP) --upgrade 'pip>=25.1'
	@touch $@

# The libraries are those of a clock, without their hashes: pip has none for the checkout.
$(VENV)/.with-clock: $(VENV)/.with-pip pyproject.toml systemd/requirements.txt
	@sed -n 's/^\([a-z].*\) \\$$/\1/p' systemd/requirements.txt >$(VENV)/constraints.txt
	$(PIP) --constraint $(VENV)/constraints.txt --editable .
	@touch $@

$(VENV)/.with-room: $(VENV)/.with-clock
	$(PIP) --editable ".[room]"
	@touch $@

$(VENV)/.with-test: $(VENV)/.with-clock
	$(PIP) --group test
	@touch $@

# gpiozero's other pin factories: the clock is tested with them, and what is usual measured.
$(VENV)/.with-bench: $(VENV)/.with-test
	$(PIP) --group bench
	@touch $@

$(VENV)/.with-browser: $(VENV)/.with-test
	$(PIP) --group browser
	@touch $@

$(VENV)/.with-mutants: $(VENV)/.with-test
	$(PIP) --group mutants
	@touch $@

$(VENV)/.with-lint: $(VENV)/.with-test
	$(PIP) --group lint
	@touch $@

$(VENV)/.with-pins: $(VENV)/.with-pip pyproject.toml
	$(PIP) --group pins
	@touch $@

$(VENV)/.with-wheel: $(VENV)/.with-test
	$(PIP) --group wheel
	@touch $@
