"""Each sandbox that this host has holds what it should, and the lack of one is noticed."""

import platform

import pytest

from tapelab.grading.sandbox.backends import BACKENDS, PACKAGE, private_folder_above, readable_paths
from tapelab.grading.sandbox.kernel_filters import MACHINES, seccomp_program, why_no_seccomp
from tapelab.grading.sandbox.probe import HAZARDS, contained_attacks
from tests.grading.corpora_run import why_not


@pytest.mark.slow
@pytest.mark.parametrize("name", ["bubblewrap", "landlock"])
def test_a_sandbox_holds_every_hazard(name):
    if why_not(name):
        pytest.skip(f"This host has no {name}: {why_not(name)}")
    backend = next(each for each in BACKENDS if each.name == name)
    assert contained_attacks(backend) == dict.fromkeys(HAZARDS, True)


@pytest.mark.slow
def test_the_probe_finds_what_nothing_holds():
    found = contained_attacks(BACKENDS[-1])
    assert not found["network"]
    assert not found["files"]


def test_a_worker_may_read_the_package_and_nothing_around_it():
    paths = readable_paths()
    assert PACKAGE in paths
    assert PACKAGE.parent not in paths
    assert not any(path in PACKAGE.parents for path in paths)


def test_a_private_home_above_the_python_is_found(tmp_path):
    inner = tmp_path / "home" / "python"
    inner.mkdir(parents=True)
    for above in (tmp_path, *tmp_path.parents):
        if above.stat().st_mode & 0o001 == 0:
            assert private_folder_above(inner) is not None
            break
    (tmp_path / "home").chmod(0o700)
    assert private_folder_above(inner) is not None


def test_the_filter_refuses_by_number_and_kills_on_another_machine():
    code = seccomp_program(*MACHINES["x86_64"])
    assert len(code) % 8 == 0
    assert len(code) // 8 < 4096
    machines = {"x86_64", "aarch64"}
    assert platform.machine() not in machines or why_no_seccomp() == ""
