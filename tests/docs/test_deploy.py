"""The files that start a cluster are what their tools read, and keep it to itself."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tools import deployment

CHECKOUT = Path(__file__).parents[2]
DEPLOY = CHECKOUT / "binder" / "cluster"
HOWTO = (CHECKOUT / "docs" / "howto" / "cluster.md").read_text("utf-8")


@pytest.fixture(scope="module")
def compose():
    return yaml.safe_load((DEPLOY / "compose.yaml").read_text("utf-8"))["services"]


@pytest.fixture(scope="module")
def objects():
    found = yaml.safe_load_all((DEPLOY / "kubernetes.yaml").read_text("utf-8"))
    return {(each["kind"], each["metadata"]["name"]): each for each in found}


def test_the_scheduler_is_published_to_this_machine_alone(compose):
    assert compose["scheduler"]["ports"] == ["127.0.0.1:8786:8786"]
    assert "ports" not in compose["worker"]


def test_the_image_is_built_from_what_is_there(compose):
    for service in compose.values():
        assert (DEPLOY / service["build"]["context"] / service["build"]["dockerfile"]).is_file()


def test_labels_lead_from_services_to_pods(objects):
    for (kind, name), each in objects.items():
        if kind == "Deployment":
            labels = each["spec"]["template"]["metadata"]["labels"]
            assert each["spec"]["selector"]["matchLabels"] == labels == {"app": name}
    selector = objects["Service", "scheduler"]["spec"]["selector"]
    assert ("Deployment", selector["app"]) in objects


def test_every_object_is_in_the_namespace_that_the_file_makes(objects):
    (namespace,) = (name for kind, name in objects if kind == "Namespace")
    others = [each for (kind, _), each in objects.items() if kind != "Namespace"]
    assert {each["metadata"]["namespace"] for each in others} == {namespace}


def test_the_network_is_closed_for_all_pods(objects):
    rules = objects["NetworkPolicy", "among-themselves"]["spec"]
    assert rules["podSelector"] == {}
    assert set(rules["policyTypes"]) == {"Ingress", "Egress"}
    assert rules["ingress"] == [{"from": [{"podSelector": {}}]}]


def commands(compose, objects):
    """What the containers run, and what the guide tells people to type."""
    yield from (service["command"] for service in compose.values())
    for (kind, _), each in objects.items():
        if kind == "Deployment":
            yield each["spec"]["template"]["spec"]["containers"][0]["args"]
    yield from (
        shlex.split(line)
        for line in re.findall(r"^(?:PYTHONSAFEPATH=1 )?(dask .*)$", HOWTO, re.MULTILINE)
    )


@pytest.mark.slow
def test_dask_knows_every_option_that_is_given(compose, objects):
    pytest.importorskip("distributed")
    given_commands = list(commands(compose, objects))
    assert len(given_commands) == 6
    for kind in ("scheduler", "worker"):
        ask = [sys.executable, "-m", "dask", kind, "--help"]
        known = subprocess.run(ask, capture_output=True, text=True, check=True).stdout
        given = [word for each in given_commands if each[1] == kind for word in each[2:]]
        options = {word.partition("=")[0] for word in given if word.startswith("--")}
        assert options
        assert {option for option in options if not mentioned(option, known)} == set()


def mentioned(option, help_text):
    """Whether an option stands in a help text, by itself or as `--option / --no-option`."""
    return bool(re.search(rf"{option}\b", help_text))


RENDER = """
import sys
from rattler_build import Stage0Recipe, VariantConfig
rendered = Stage0Recipe.from_file(sys.argv[1]).render(VariantConfig())
print(*(each.recipe.package.name for each in rendered))
"""


@pytest.mark.thorough
@pytest.mark.skipif(
    not deployment.PLACE.exists(),
    reason="their readers are not installed; python -m tools.deployment does that",
)
def test_the_readers_of_their_own_tools_take_the_files():
    containers = [CHECKOUT / "binder" / "Containerfile", DEPLOY / "Containerfile"]
    recipe = CHECKOUT / "binder" / "conda" / "recipe.yaml"
    compose = ["--builtin-schema", "vendor.compose-spec", DEPLOY / "compose.yaml"]
    read("hadolint", *containers)
    read("check-jsonschema", *compose)
    read("kubernetes-validate", "--strict", DEPLOY / "kubernetes.yaml")
    outputs = read("python", "-c", RENDER, recipe).split()
    assert outputs == ["tapelab", "tapelab-lab", "tapelab-grading", "tapelab-cluster"]


def read(name, *arguments):
    """Let a program read a file; what it says, if it is content."""
    run = subprocess.run([deployment.program(name), *arguments], capture_output=True, text=True,
                         check=False)  # fmt: skip
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout
