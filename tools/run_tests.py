"""Run the tests: python -m tools.run_tests all|fast. Linters first, pytest has the last word."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from tools import (
    bubblewrap,
    chromium,
    deployment,
    environment,
    graders,
    graphviz,
    hosts,
    hunspell,
    node,
    postgresql,
)

LINTERS = {"ruff": ["ruff", "check"], "mypy": ["mypy"]}
PYTEST = {
    "all": ["--numprocesses=3", "--dist=loadfile", "--no-loadscope-reorder"],
    "fast": ["--numprocesses=2", "--dist=loadfile", "-m", "not ui and not slow"],
}

SECOND_TRIES = ["--rerun-show-tracebacks", "--max-suite-reruns=8"]
"""Under CI, how often tests that drive other processes may fail once; see tests/conftest.py."""


def main(extent: str) -> int:
    """Run linters and tests; the status is 0 only when every one of them is content.

    The linters read while what the tests meet is installed, which mostly waits for the net.
    """
    with ThreadPoolExecutor() as beside:
        linted = {name: beside.submit(lint, command) for name, command in LINTERS.items()}
        if extent == "all":
            prepare()
    failed = [name for name, linter in linted.items() if not report(name, linter.result())]
    if failed:
        print(f"\n{' and '.join(failed)} found faults, see above; the tests go on.", flush=True)
    print("\n--- pytest ---", flush=True)
    tests = [sys.executable, "-m", "pytest", "-q", *PYTEST[extent]]
    if "CI" in os.environ:
        tests += SECOND_TRIES
    content = subprocess.run(tests, check=False).returncode == 0
    return 0 if content and not failed else 1


def prepare() -> None:
    """Install what the tests meet: programs of the system, and environments at the same time."""
    with ThreadPoolExecutor(max_workers=1) as beside:
        environments = beside.submit(prepare_environments)
        os.environ["CHROMIUM"] = chromium.ensure()
        node.ensure()
        node.ensure_packages()
        graphviz.ensure()
        hunspell.ensure()
        bubblewrap.ensure()
        postgresql.ensure()
        environments.result()


def prepare_environments() -> None:
    """The oldest releases that are promised; in a thorough run hosts, graders and readers, too."""
    environment.main(".venv-oldest", "lab", environment.OLDEST)
    if "TAPELAB_THOROUGH" in os.environ:
        for name in hosts.HOSTS:
            hosts.ensure(name)
        graders.ensure()
        deployment.ensure()


def lint(command: list[str]) -> subprocess.CompletedProcess[str]:
    """Run a linter of this environment, and keep what it says."""
    command = [sys.executable, "-m", *command]
    return subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )


def report(name: str, done: subprocess.CompletedProcess[str]) -> bool:
    """Print under a heading what a linter said, and tell whether it was content."""
    print(f"\n--- {name} ---\n{done.stdout.rstrip()}", flush=True)
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
