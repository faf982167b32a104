# A thin front: meson builds, tests and installs; tools/ installs what is missing and sets up build directories.
BUILD ?= build
PREFIX ?=
DESTDIR ?=
FUZZ_SECONDS ?= 60
SOAK_SECONDS ?= 3600
# More options of meson, such as SETUP="werror=true"
SETUP ?=

# "make CC=clang" builds with clang; make's own default is left to meson.
ifneq ($(origin CC),default)
export CC
endif

prefix = $(if $(PREFIX),prefix=$(PREFIX),"prefix?=/usr/local") "libdir?=lib"
# Many tests wait, for a broker or a deadline.
waiting = --num-processes $(shell expr 2 \* $$(nproc))
sanitized = ASAN_OPTIONS=abort_on_error=1 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1

.PHONY: all tests check audit games slow soak demo demo-nats container image deb reduced bench accuracy python r wheels site install uninstall fuzz sanitize tsan mutate proofs format coverage clean help
.NOTPARALLEL:

all: ## build $(BUILD)/hedgerow and the library (the default)
	@tools/setup.sh build
	@tools/configure.py $(BUILD) $(prefix) $(SETUP)
	@ninja -C $(BUILD) product
	@ln -sfn cli/hedgerow $(BUILD)/hedgerow

tests: ## build the tests, examples and benches, too, and run none
	@tools/setup.sh build test
	@tools/configure.py $(BUILD) $(prefix) tests=true $(SETUP)
	@ninja -C $(BUILD)
	@ln -sfn cli/hedgerow $(BUILD)/hedgerow

check: tests ## build and run every test but the longest (make slow)
	@meson test -C $(BUILD) --no-rebuild $(waiting) --print-errorlogs --no-suite long $(LESS)

audit: tests ## run the audits alone: games of thousands of fits against each guarantee
	@meson test -C $(BUILD) --no-rebuild --print-errorlogs --suite audit

games: ## play every game twice, in a copy of the project and in one with a fault planted that the game must find; continues an interrupted run
	@tools/setup.sh build test
	@tools/games.py --table docs/explanation/audit.md

slow: ## run the slow tests alone: parties that crash at every step, floods of messages, ten thousand schedules of messages, the longest games, small runs of the benches, exports in their engines, fits over workers of Dask, Ray and Spark, a job by way of Flower, reports in a browser, the R package (needs PyPI)
	@tools/setup.sh build zeromq test python r spark browser deb
	@tools/python.sh build-python shap
	@$(MAKE) --no-print-directory tests
	@meson test -C $(BUILD) --no-rebuild --print-errorlogs --suite slow --suite long
	@tools/exports.sh build-python $(BUILD)/cli/hedgerow
	@tools/engines.sh build-python
	@tools/flower.sh build-python $(BUILD)/cli/hedgerow
	@tools/r.sh $(BUILD)-r $(BUILD) build-python/venv/bin/python
	@tools/r-long.sh $(BUILD)-r
	@tools/kubernetes.sh build-python $(BUILD)/cli/hedgerow

reduced: ## build without the broker and gzip, and without federations and libraries of table sources; check that the rest works and that the tool names what is missing
	@tools/setup.sh build
	@tools/configure.py build-no-nats buildtype=plain tests=false nats=disabled gzip=disabled werror=true
	@ninja -C build-no-nats
	@for t in without_nats without_gzip outputs; do python3 tests/cli/run.py build-no-nats/cli/hedgerow tests/cli/$$t.test || exit 1; done
	@tools/configure.py build-alone buildtype=plain tests=false benches=true federation=disabled gzip=disabled zstd=disabled xz=disabled postgresql=disabled parquet=disabled mpi=disabled zeromq=disabled werror=true
	@ninja -C build-alone
	@for t in without_federation without_sources without_mpi without_zeromq ledger; do python3 tests/cli/run.py build-alone/cli/hedgerow tests/cli/$$t.test || exit 1; done

soak: all ## ten owners, a hostile member, kills and restarts of the broker for SOAK_SECONDS (3600)
	@tools/setup.sh test
	@nice python3 tests/nats/soak.py $(BUILD)/hedgerow $(SOAK_SECONDS)

demo: all ## a short tour: three hospitals train a model together, each from its own file, ledger and key
	@tools/demo.sh

demo-nats: all ## the same over a real broker, one process for each member
	@tools/setup.sh test
	@tools/demo.sh --nats

container: ## run the steps of packaging/Containerfile in folders that debootstrap fills (needs root and a Debian mirror)
	@tools/container.py packaging/Containerfile .

bench: ## time training, prediction and reading beside the newest releases of other tree libraries (needs PyPI)
	@tools/setup.sh build bench
	@tools/configure.py $(BUILD) $(prefix) benches=true $(SETUP)
	@ninja -C $(BUILD)
	@ln -sfn cli/hedgerow $(BUILD)/hedgerow
	@tools/peers.sh $(BUILD)/peers
	@bench/run.py --build $(BUILD)

accuracy: all ## error of every method on prepared sets; HEDGEROW_DATA names their folder
	@tools/setup.sh accuracy
	@bench/accuracy.py --hedgerow $(BUILD)/hedgerow
	@bench/diprime.py --hedgerow $(BUILD)/hedgerow
	@bench/balance.py --hedgerow $(BUILD)/hedgerow

site: ## build the documentation site in $(BUILD)/site, and run its tutorials and its pages of Python (needs PyPI)
	@tools/setup.sh build python site
	@tools/site.sh $(BUILD)/site build-python

python: ## build the wheel of the Python package, install it in a virtual environment and run its tests (needs PyPI)
	@tools/setup.sh build python test
	@tools/python.sh build-python

r: all ## check the R package as CRAN would, and see that its models are those of the command, and of Python after "make python"
	@tools/setup.sh r
	@tools/r.sh $(BUILD)-r $(BUILD) $(wildcard build-python/venv/bin/python)

wheels: ## build the source distribution and the wheels for x86-64 and arm64, and run the one for arm64 under qemu (needs PyPI)
	@tools/setup.sh build python arm64
	@tools/wheel.sh build-python
	@tools/wheel-arm64.sh build-arm64

image: ## build the image of packaging/Containerfile in build-image, by buildah, on a base that debootstrap makes
	@tools/setup.sh image
	@tools/image.sh build-image

deb: ## build Debian's packages in build-deb, and check them with lintian
	@tools/setup.sh build deb
	@tools/deb.sh build-deb

install: all ## install below PREFIX (/usr/local); DESTDIR is put before it
	@DESTDIR=$(if $(DESTDIR),$(abspath $(DESTDIR))) meson install -C $(BUILD) --no-rebuild --quiet
	@if [ -z "$(DESTDIR)" ] && [ "$$(id -u)" = 0 ] && command -v ldconfig > /dev/null; then ldconfig; fi

uninstall: ## remove what was installed last
	@ninja -C $(BUILD) uninstall

fuzz: ## run each fuzzer for FUZZ_SECONDS (60)
	@tools/setup.sh build test clang
	@CC=clang tools/configure.py build-fuzz buildtype=debugoptimized tests=true fuzzers=true b_lundef=false
	@ninja -C build-fuzz
	@tools/fuzz.sh build-fuzz $(FUZZ_SECONDS)

sanitize: ## run the tests with AddressSanitizer and UndefinedBehaviorSanitizer; not the audits, the slow tests and those of thousands of draws
	@tools/setup.sh build test
	@tools/configure.py build-sanitize buildtype=debugoptimized optimization=1 c_args=-g1 tests=true b_sanitize=address,undefined b_lundef=false $(SETUP)
	@$(sanitized) meson test -C build-sanitize $(waiting) --print-errorlogs --no-suite hygiene --no-suite proofs --no-suite audit --no-suite draws --no-suite slow --no-suite long --timeout-multiplier 6

tsan: ## run the unit tests with ThreadSanitizer (clang)
	@tools/setup.sh build test clang
	@CC=clang tools/configure.py build-tsan buildtype=debugoptimized tests=true b_sanitize=thread b_lundef=false
	@ninja -C build-tsan
	@TSAN_OPTIONS=halt_on_error=1 meson test -C build-tsan --no-rebuild --print-errorlogs --suite unit --timeout-multiplier 10

proofs: ## check the theorems of proofs/ with Coq, and print the axioms that each rests on
	@tools/setup.sh proofs
	@tests/hygiene/theorems.py .
	@tests/proofs/coq.py .

format: ## format every C file
	@tools/setup.sh format
	@python3 tests/hygiene/format.py . --write

mutate: ## plant every fault of tests/mutations in a copy, one at a time, and see a test catch it; continues an interrupted run
	@tools/setup.sh build test
	@tools/mutate.py --table docs/explanation/audit.md

coverage: ## run every test and say which part of the lines they reach
	@tools/setup.sh build test coverage
	@tools/configure.py build-coverage buildtype=debug tests=true b_coverage=true
	@ninja -C build-coverage
	@meson test -C build-coverage --no-rebuild --print-errorlogs --no-suite hygiene --no-suite proofs --timeout-multiplier 4
	@gcovr --root . --filter src/ --filter cli/ --print-summary build-coverage

clean: ## remove every build directory
	@rm -rf $(BUILD) build-*

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { sub(/:.*/, "", $$1); sub(/\$$\(BUILD\)/, "$(BUILD)"); printf "make %-10s %s\n", $$1, $$2 }' Makefile
