"""What a clock and a hub are installed from: libraries pinned with hashes, and none too many."""

import re
import tomllib
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, requires

import pytest
from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from lab.support.paths import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
DEPENDENCIES = PROJECT["project"]["dependencies"]
EXTRAS = PROJECT["project"]["optional-dependencies"]
WANTED = {  # list -> what its libraries are for
    "requirements.txt": DEPENDENCIES + EXTRAS["pi"] + EXTRAS["link"],  # a clock, in a room or not
    "requirements-room.txt": DEPENDENCIES + EXTRAS["room"] + EXTRAS["chart"] + EXTRAS["postgres"],
    "requirements-build.txt": PROJECT["build-system"]["requires"],
}
LISTS = list(WANTED)
HUB = ["requirements-room.txt", "requirements-build.txt"]
PYTHONS = [(python, machine) for python in ("3.11", "3.13") for machine in ("aarch64", "x86_64")]

Environment = dict[str, str]


def environment(python: str, machine: str) -> Environment:
    """Return what markers are compared with on another computer."""
    other = {"platform_machine": machine, "sys_platform": "linux", "extra": ""}
    version = {"python_version": python, "python_full_version": f"{python}.2"}
    here = {key: str(value) for key, value in default_environment().items()}
    return here | other | version


def applied(lines: Iterable[str], where: Environment) -> list[Requirement]:
    found = map(Requirement, lines)
    return [each for each in found if each.marker is None or each.marker.evaluate(where)]


def text(name: str) -> str:
    """Return a list of pinned versions."""
    return (ROOT / "systemd" / name).read_text("utf-8")


def pins(name: str, where: Environment) -> dict[str, str]:
    """Return the pinned version of each library that is installed in an environment."""
    lines = re.findall(r"^([a-z].*?) \\$", text(name), re.MULTILINE)
    return {each.name: str(each.specifier)[2:] for each in applied(lines, where)}


def needed_by(wanted: Requirement, where: Environment) -> list[Requirement]:
    """Return what a library and its extras need, if it is installed here."""
    try:
        lines = requires(wanted.name) or ()
    except PackageNotFoundError:
        return []
    return [
        each for extra in ("", *wanted.extras) for each in applied(lines, where | {"extra": extra})
    ]


@pytest.mark.parametrize("where", PYTHONS)
@pytest.mark.parametrize("name", LISTS)
def test_the_list_is_complete_and_has_nothing_else(name: str, where: tuple[str, str]) -> None:
    """Each library of pyproject.toml, what these need, and so on; in a version that is allowed."""
    on = environment(*where)
    pinned, todo, done = pins(name, on), applied(WANTED[name], on), set[Requirement]()
    while todo:
        wanted = todo.pop()
        version = pinned[canonicalize_name(wanted.name)]
        assert wanted.specifier.contains(version), f"{wanted}: python -m lab.pins"
        if wanted not in done:
            done.add(wanted)
            todo += needed_by(wanted, on)
    assert set(pinned) == {canonicalize_name(wanted.name) for wanted in done}


def test_a_hub_is_installed_by_hashes() -> None:
    page = (ROOT / "docs" / "room.md").read_text("utf-8")
    asked = re.findall(r"/pip install (.*)", page)
    by_hash = [f"--only-binary :all: --require-hashes -r systemd/{name}" for name in HUB]
    assert asked == 2 * [*by_hash, "--no-index --no-build-isolation --no-deps ."]


@pytest.mark.parametrize("name", LISTS)
def test_each_version_has_hashes_and_no_address(name: str) -> None:
    lines = [line.strip() for line in text(name).splitlines() if not line.lstrip().startswith("#")]
    for before, line in zip(["", *lines], lines, strict=False):
        assert re.fullmatch(r"(--hash=sha256:[0-9a-f]{64}|[a-z0-9-]+==[^ ]+( ; .+)?)( \\)?", line)
        assert line.startswith("--hash") or not before.endswith("\\"), f"no hash: {before}"
    assert "://" not in text(name)
