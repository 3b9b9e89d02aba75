"""Every Python that pyproject.toml promises has a wheel of each tool: nothing is compiled."""

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name, parse_wheel_filename

from lab.pins import LIST, MACHINES, PROJECT, promised, tags
from tests.systemd.test_requirements import applied, environment

NAMES = [line for line in LIST.read_text("utf-8").splitlines() if not line.startswith("#")]
GROUPS = PROJECT["dependency-groups"].values()
TOOLS = [tool for group in GROUPS for tool in group if isinstance(tool, str)]
TOOL_NAMES = {canonicalize_name(Requirement(tool).name) for tool in TOOLS}
Wheel = tuple[str, str]  # name, version


def wheel(name: str) -> Wheel:
    name, version, _, _ = parse_wheel_filename(name)
    return str(name), str(version)


def pinned(requirement: Requirement) -> Wheel:
    """Return the name and the version of a pinned tool."""
    return canonicalize_name(requirement.name), str(requirement.specifier).removeprefix("==")


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("python", promised())
def test_each_tool_and_library_has_a_wheel(python: str, machine: str) -> None:
    """Without one, pin another version; after a change of a pin: python -m lab.pins."""
    taken = set(tags(python, machine))
    there = {wheel(name) for name in NAMES if taken & parse_wheel_filename(name)[3]}
    demanded = {pinned(each) for each in applied(TOOLS, environment(python, machine))}
    assert demanded - there == set(), f"no wheel for Python {python}: python -m lab.pins"
    absent = {wheel(name)[0] for name in NAMES} - dict(there).keys()
    assert absent <= TOOL_NAMES - dict(demanded).keys(), f"no wheel for Python {python}"


def test_the_list_has_no_address() -> None:
    assert not any("/" in name for name in NAMES)
