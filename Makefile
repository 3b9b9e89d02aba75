# All that `make` needs is Python 3.11 or newer; everything else goes into $(VENV).
#
#   make run ARGS="--config my.toml"     what comes after `gammonclock run --simulate`
#   make test ARGS="-k flag"             what comes after `pytest`
#   make test IN=browser                 elsewhere: browser, bench, wheel, gpiozero, emulated, bare
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
.PHONY: help venv run watch room check lint test test-checkout test-browser test-bench test-emulated test-bare test-wheel test-gpiozero browser format docs bench prove day mutants release bundle card install-pi rollback-pi uninstall-pi clean

help:  ## Say what there is to make
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

venv: $(VENV)/.with-lint $(VENV)/.with-bench $(VENV)/.with-pins $(VENV)/.with-wheel  ## Make .venv with the clock, its tests and its tools

run: $(VENV)/.with-clock $(if $(findstring --browser,$(ARGS)),dist/browser/files.json)  ## Start the clock on this terminal; ARGS=--browser: on a page
	$(BIN)/gammonclock run --simulate $(ARGS)

LOGS := $(or $(XDG_STATE_HOME),$(HOME)/.local/state)/gammonclock
watch: ARGS = $(LOGS) --open
watch: $(VENV)/.with-room  ## Show the match of `make run` on pages; ARGS="SOURCE..." for others
	@if [ "$(firstword $(ARGS))" = "$(LOGS)" ] && [ ! -e "$(LOGS)/current.jsonl" ]; then \
	    mkdir -p "$(LOGS)"; echo "No match is played yet: start one with \`make run\` in another terminal."; fi
	$(BIN)/gammonclock watch $(ARGS)

room: $(VENV)/.with-room  ## Show simulated clocks on pages; ARGS="--clocks 64"; BROKER=1: with mosquitto
	$(BIN)/python -m room.simulation $(if $(BROKER),--broker --clocks 64) $(ARGS)

browser: $(VENV)/.with-clock  ## Make the pages that need no installation into dist/browser (npm brings Pyodide)
	$(BIN)/python -m lab.browser "$(DIST)/browser"

# Made last, so all are there; `run --browser` looks for them here.
dist/browser/files.json:
	$(MAKE) browser DIST=dist

# Some of these tests wait for programs and disks: one worker more than there are cores.
check test-checkout: PARALLEL = --numprocesses=$(shell expr $$(getconf _NPROCESSORS_ONLN) + 1) --dist=worksteal
check: lint $(VENV)/.compiled  ## Lint and the quick tests: before each commit
	$(BIN)/python -m pytest $(PARALLEL) -m "not slow" --hypothesis-profile=dev $(ARGS)

IN ?= checkout
test-checkout: $(VENV)/.compiled
	$(BIN)/python -m pytest $(PARALLEL) $(ARGS)

test: test-$(IN)  ## Test the checkout; IN=browser, bench, wheel, gpiozero, emulated, bare: the rest

# Chromium comes from the operating system.
test-browser: $(VENV)/.with-browser browser
	DIST="$(DIST)" $(BIN)/python -m pytest tests/browser $(PARALLEL) $(ARGS)

# The whole clock on a kernel of its own, which is built once, in 3 minutes. The tests of one file
# share what takes long to make.
test-bench: PARALLEL = --numprocesses=auto --dist=loadfile --no-loadscope-reorder
test-bench: $(VENV)/.with-bench
	$(BIN)/python -m lab.bench.build_kernel
	$(BIN)/python -m pytest tests/bench $(PARALLEL) $(ARGS)

# The installation on Debian Bookworm and Trixie for 64-bit ARM, as root: their trees are made once,
# in 10 to 20 minutes. The tests of one system are one story.
test-emulated: PARALLEL = --numprocesses=2 --dist=loadfile
test-emulated: $(VENV)/.with-test bundle
	$(BIN)/python -m lab.emulated.build_trees
	DIST="$(DIST)" $(BIN)/python -m pytest tests/emulated $(PARALLEL) --durations=12 $(ARGS)

# Both commands of README.md on a bare Debian, as root: 3 minutes. What is committed is tried, with
# Python and make alone. Leaves nothing in the checkout.
SUITE ?= trixie
test-bare:
	python3 -B -m lab.bare_system $(SUITE) $(ARGS)

# The source archive is unpacked elsewhere and its packages are taken away, so that the tests can
# find them nowhere but in the installed wheel. What could be missing there is missing in the quick
# tests and in the first examples of a property, too; the slow ones are run in the checkout. What AS_USER
# says comes before pytest: `make test IN=wheel AS_USER="setpriv --reuid ..."`.
test-wheel: $(VENV)/.with-wheel
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

# The tests come with gpiozero's source archive. SPI in software takes gpiozero's default factory, so
# that test_spi_init fails without /dev/spidev, whichever factory is tested.
test-gpiozero: $(VENV)/.with-test
	@set -eu; \
	work=$$(mktemp -d); trap 'rm -rf "$$work"' EXIT; python=$(abspath $(BIN))/python; \
	version=$$($$python -c 'from importlib.metadata import version; print(version("gpiozero"))'); \
	$$python -m pip --quiet download --no-deps --no-binary gpiozero --dest "$$work" "gpiozero==$$version"; \
	tar -xzf "$$work"/*.tar.gz -C "$$work" --strip-components 1; \
	cd "$$work/tests"; \
	GPIOZERO_TEST_LOCK=$$work/lock PYTHONPATH=$(CURDIR) $$python -m pytest -c /dev/null --rootdir . \
	    -p lab.support.wired_pins test_real_pins.py -k "gpiod and not spi_init" -rs -W ignore $(ARGS)

prove: $(VENV)/.with-test  ## Search all states of small matches: 15 minutes; ARGS=--quick: one
	$(BIN)/python -m lab.prove $(ARGS)

day: $(VENV)/.with-browser  ## Play a director's day on 32 simulated boards, in minutes; ARGS=6: on 6
	$(BIN)/python -m lab.director_day $(ARGS)

mutants: $(VENV)/.with-mutants  ## See which one-line faults the tests notice: an hour; ARGS="clock/report"
	$(BIN)/python -m lab.mutants $(ARGS)

lint: $(VENV)/.with-lint
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

format: $(VENV)/.with-lint  ## Bring the code into shape
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

# The figures of the whole clock need the kernel of `make test IN=bench`; without it they are left out.
bench: $(VENV)/.with-bench  ## Measure the clock; ARGS=whole_clock for that alone
	$(BIN)/python -m lab.benchmarks $(ARGS)

docs: $(VENV)/.with-browser  ## Write anew what is generated: requirements, state diagram, cards, pictures
	@set -e; for generator in requirements state_diagram log_schema report_schema cards recording enclosure matches proof; do \
	    $(BIN)/python -m lab.docs.generate_$$generator; done
	NEW_PICTURES=1 $(BIN)/python -m pytest --quiet tests/hardware/display/test_layout.py tests/hardware/diagnostics/test_check_bus.py tests/ui/test_pages.py tests/ui/test_error_pages.py tests/report tests/browser/test_pictures.py

# The source with all wheels for a Raspberry Pi: Raspberry Pi OS Bookworm (Python 3.11) and Trixie
# (3.13). glibc is 2.36 in Bookworm.
PI_PYTHONS := 3.11 3.13
PI_PLATFORMS := $(foreach minor,$(shell seq 17 36),--platform manylinux_2_$(minor)_aarch64) --platform manylinux2014_aarch64
release: $(VENV)/.with-pins $(VENV)/.with-wheel  ## Make all files of a release into dist; ARGS=--check: twice, 2 minutes
	$(BIN)/python -m lab.release make "$(DIST)" $(ARGS)

bundle: $(VENV)/.with-pins $(VENV)/.with-wheel  ## Make one file that installs a clock without a network
	@set -eu; \
	work=$$(mktemp -d); trap 'rm -rf "$$work"' EXIT; \
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
	$(BIN)/python -m lab.release pack "$$work/$$folder" "$(DIST)/$$folder-pi.tar.gz"; \
	ls -l "$(DIST)/$$folder-pi.tar.gz"

BUNDLE = $(DIST)/gammonclock-$(shell sed -n 's/^__version__ = "\(.*\)"/\1/p' clock/__init__.py)-pi.tar.gz
card: $(VENV)/.with-clock  ## Make a card that installs itself: DIR=/media/bootfs PROFILE= PANELS=spi BOARD=
	@test -f "$(DIR)/config.txt" || { echo "Name the boot partition of a card: make card DIR=/media/NAME/bootfs" >&2; exit 1; }
	@test -f "$(BUNDLE)" || $(MAKE) bundle
	@PROFILE="$(PROFILE)" PANELS="$(PANELS)" BOARD="$(BOARD)" SSH="$(SSH)" SERIAL="$(SERIAL)" \
	    $(BIN)/python -m lab.card "$(DIR)" "$(BUNDLE)"

install-pi:  ## Make this Raspberry Pi a clock (sudo; see docs/install.md)
	@PROFILE="$(PROFILE)" SERIAL="$(SERIAL)" ROOT="$(ROOT)" FORCE="$(FORCE)" systemd/install-pi

rollback-pi:  ## Go back to the release before, without a network (sudo)
	@ROOT="$(ROOT)" FORCE="$(FORCE)" systemd/rollback-pi

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

# In a fresh clone each worker would compile all tests for itself: two processes do it once, each a half.
$(VENV)/.compiled: $(VENV)/.with-test
	@for half in a-m n-z; do \
	    $(BIN)/python -m pytest --collect-only --quiet --ignore-glob="tests/[$$half]*" >/dev/null & \
	done; wait
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
