# What one can do with a checkout. `make` alone lists it.
.DEFAULT_GOAL := help
SHELL := /bin/sh

# Where `make lab` puts a learner's copies of the lessons.
LESSONS ?= $(HOME)/tapelab-lessons
# Where `make teach` puts a teacher's course.
COURSE ?= $(HOME)/tapelab-course
# A port for JupyterLab, empty: the first free one from 8888 on; or for the teacher's pages.
PORT ?=
# How many random programs `make conformance` runs, and of which seed.
PROGRAMS ?= 20000
SEED ?= 1
# What the tests and tapelab need in the environment that has TensorFlow.
beside_tensorflow = pytest hypothesis ipython matplotlib scipy ml_dtypes
# The Python to build environments with; empty: the newest one found.
export PYTHON ?=
# What a framework whose programs are recorded is installed with, and what follows its tests.
packages_torch = "torch>=2.6" expecttest
packages_tensorflow = "tensorflow>=2.21" $(beside_tensorflow)
after_torch = .venv-torch/bin/python -m tests.foreign.operations $(TORCH_OPS)
# What `make bench` measures: names of works and options; empty: everything, three rounds.
BENCH ?=
# What `make torch` takes of the ops of PyTorch: options; empty: every sample of every op.
TORCH_OPS ?=
# What `make bench-ui` measures: how often, and on which lengths of tape.
BENCH_UI ?=
# The tag that a release is made from; `make dist` compares it with the version.
TAG ?=

find_python = python=$$(tools/find_python.sh) || exit 1

.PHONY: help lab teach test check conformance torch tensorflow bench bench-ui environment docs gallery dist clean

help: ## list what make can do
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 20

lab: ## open the lessons in JupyterLab (LESSONS=folder, PORT=number)
	@$(find_python) && "$$python" tools/environment.py .venv-lab lab
	@exec .venv-lab/bin/tapelab lab "$(LESSONS)" $(if $(PORT),--port "$(PORT)")

teach: ## open a course with an example class, graded, in the browser (COURSE=folder)
	@$(find_python) && "$$python" tools/environment.py .venv-teach lab,grading,lti
	@exec .venv-teach/bin/tapelab teach "$(COURSE)" $(if $(PORT),--port "$(PORT)")

environment: ## set up .venv, in which tapelab is developed
	@$(find_python) && "$$python" tools/environment.py .venv lab,grading,cluster,docs,dev

test: environment ## run the tests: linters, types, engine, lessons, front-end, browser (THOROUGH=1: all)
	@. .venv/bin/activate && $(if $(THOROUGH),TAPELAB_THOROUGH=1) python -m tools.run_tests all

check: environment ## run the fast part: linters, types, unit tests (under 3 minutes)
	@. .venv/bin/activate && python -m tools.run_tests fast

conformance: ## compare with real TensorFlow: goldens, semantics, PROGRAMS random programs of SEED
	@$(find_python) && test -x .venv-tensorflow/bin/pytest || { \
	  "$$python" -m venv .venv-tensorflow && \
	  .venv-tensorflow/bin/python -m pip install "tensorflow>=2.21" $(beside_tensorflow); }
	@.venv-tensorflow/bin/python -c "import IPython, scipy, ml_dtypes" 2>/dev/null || \
	  .venv-tensorflow/bin/python -m pip install $(beside_tensorflow)
	@PYTHONPATH=. .venv-tensorflow/bin/python tests/conformance/record.py
	@PYTHONPATH=. .venv-tensorflow/bin/python tests/conformance/names.py
	@PYTHONPATH=. .venv-tensorflow/bin/python tests/guides/record.py
	@PYTHONPATH=. .venv-tensorflow/bin/python tests/lessons/engine_cells.py
	@# What a tutorial registers stays registered in TensorFlow, so the facts come first, alone.
	@TAPELAB_CONFORMANCE=tensorflow .venv-tensorflow/bin/python -m pytest -q -W ignore \
	  tests/core/test_semantics_*.py
	@TAPELAB_CONFORMANCE=tensorflow .venv-tensorflow/bin/python -m pytest -q -W ignore \
	  tests/conformance tests/guides tests/tutorials
	@.venv-tensorflow/bin/python tests/conformance/fuzz.py --programs $(PROGRAMS) --seed $(SEED)
	@.venv-tensorflow/bin/python tests/conformance/fuzz.py --programs $(PROGRAMS) --seed $(SEED) \
	  --captured

torch: ## compare recordings of PyTorch with autograd (TORCH_OPS="--most 1")
tensorflow: ## compare recordings of TensorFlow with its gradients, and what is said of them
torch tensorflow: environment
	@test -x .venv-$@/bin/pytest || { \
	  .venv/bin/python -m venv .venv-$@ && \
	  .venv-$@/bin/python -m pip install pytest $(packages_$@); }
	@purelib='import sysconfig; print(sysconfig.get_path("purelib"))' && \
	  .venv/bin/python -c "$$purelib" > "$$(.venv-$@/bin/python -c "$$purelib")/tapelab.pth"
	@.venv-$@/bin/python -m pytest -q tests/foreign
	@$(after_$@)

docs: environment ## build the documentation site, build/site/index.html
	@. .venv/bin/activate && python -m tools.docs build/site

gallery: environment ## draw every scene of the Explorer on one page, build/gallery/index.html
	@. .venv/bin/activate && python -m tests.ui.gallery build/gallery

bench: ## measure tapelab beside its peers (BENCH="small_mlp --rounds 2")
	@$(find_python) && test -x .venv-bench/bin/tapelab || { \
	  "$$python" -m venv .venv-bench && \
	  .venv-bench/bin/python -m pip install -e . -r benchmarks/requirements.txt; }
	@.venv-bench/bin/python -m benchmarks.run $(BENCH)

bench-ui: environment ## measure the Explorer in JupyterLab (BENCH_UI="--runs 5 --long 100000")
	@. .venv/bin/activate && python -m benchmarks.ui $(BENCH_UI) && python -m benchmarks.live

dist: environment ## build wheel and source distribution in dist/ and check them (TAG=v0.2.0)
	@. .venv/bin/activate && python -m tools.distributions dist $(TAG)

clean: ## remove environments and caches, never lessons
	rm -rf .venv .venv-* extension/node_modules build dist
	rm -rf .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find tapelab tests tools -name __pycache__ -type d -prune -exec rm -rf {} +
