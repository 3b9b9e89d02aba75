"""List a wheel of each library and tool for each Python that pyproject.toml promises.

make pins
"""

import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from packaging.tags import Tag, compatible_tags, cpython_tags
from packaging.utils import parse_wheel_filename

ROOT = Path(__file__).parents[1]
LIST = Path(__file__).with_name("wheels.txt")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
MACHINES = ("x86_64", "aarch64")
GLIBC = [f"_2_{minor}" for minor in range(36, 4, -1)]  # Debian 12 has 2.36
PLATFORMS = [f"manylinux{version}" for version in (*GLIBC, "2014", "2010", "1")]
HEADING = "# Written by `make pins`: for each Python that pyproject.toml promises, on Linux.\n"


def promised() -> list[str]:
    """Return the versions of Python that pyproject.toml promises."""
    found = (
        re.fullmatch(r"Programming Language :: Python :: (3\.\d+)", line)
        for line in PROJECT["project"]["classifiers"]
    )
    return [each[1] for each in found if each]


def tags(python: str, machine: str) -> list[Tag]:
    """Return the tags of the wheels that a Python on Linux takes, the best first."""
    version = tuple(map(int, python.split(".")))
    platforms = [f"{platform}_{machine}" for platform in PLATFORMS]
    own = cpython_tags(version, platforms=platforms)
    return [*own, *compatible_tags(version, f"cp{''.join(python.split('.'))}", platforms)]


def best(names: Iterable[str], python: str, machine: str) -> str | None:
    """Return the wheel that a Python takes; None: there is none for it."""
    order = {tag: number for number, tag in enumerate(tags(python, machine))}
    ranked = [
        (order[tag], name)
        for name in names
        for tag in parse_wheel_filename(name)[3]
        if tag in order
    ]
    return min(ranked)[1] if ranked else None


def chosen(lock: dict[str, Any]) -> Iterator[str]:
    """Return the best wheels of a file pylock.toml, without the addresses."""
    for package in lock["packages"]:
        names = [wheel["url"].rpartition("/")[2] for wheel in package.get("wheels", ())]
        for python in promised():
            for machine in MACHINES:
                if (found := best(names, python, machine)) is not None:
                    yield found


def main() -> None:
    """Write the list from the file that uv made."""
    lock = tomllib.loads(Path(sys.argv[1]).read_text("utf-8"))
    LIST.write_text(HEADING + "".join(f"{name}\n" for name in sorted(set(chosen(lock)))), "utf-8")


if __name__ == "__main__":
    main()
