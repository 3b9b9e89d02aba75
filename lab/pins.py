"""Write the pinned versions of all dependencies anew: `python -m lab.pins`, after `make venv`.

Pinned, with hashes and without the address of an index: whatever runs as a clock or as the hub of a
room, and what builds their wheel, for every Python from 3.11 on and every processor. Of the tools,
a wheel is listed for each Python that pyproject.toml promises.
"""

import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from packaging.tags import Tag, compatible_tags, cpython_tags
from packaging.utils import parse_wheel_filename

from lab.release import SBOM, sbom, version

ROOT = Path(__file__).parents[1]
LIST = Path(__file__).with_name("wheels.txt")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
MACHINES = ("x86_64", "aarch64")
GLIBC = [f"_2_{minor}" for minor in range(36, 4, -1)]  # Debian 12 has 2.36
PLATFORMS = [f"manylinux{version}" for version in (*GLIBC, "2014", "2010", "1")]
HEADING = "# Written by `python -m lab.pins`: for each Python of pyproject.toml, on Linux.\n"


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


def resolve(*arguments: str, text: str | None = None) -> None:
    """Have uv write the newest versions that are allowed, for all Pythons and processors."""
    program = Path(sys.executable).with_name("uv")
    always = ("--universal", "--python-version", "3.11", "--no-build")
    subprocess.run(
        [program, "pip", "compile", "--quiet", *always, *arguments],
        check=True, cwd=ROOT, input=text, text=True,
    )  # fmt: skip


def main() -> None:
    """Write the requirements of clock, build and room, their bill of materials, and the wheels."""
    hashed = ("--upgrade", "--generate-hashes", "--no-emit-index-url")
    pinned = (*hashed, "--custom-compile-command", "python -m lab.pins", "--output-file")
    clock, build, room = (f"systemd/requirements{each}.txt" for each in ("", "-build", "-room"))
    project = "pyproject.toml"
    resolve(*pinned, clock, project, "--extra=pi", "--extra=link")
    resolve(*pinned, build, "-", text="\n".join(PROJECT["build-system"]["requires"]))
    extras = ("--extra=room", "--extra=chart", "--extra=postgres")
    resolve(*pinned, room, project, *extras, f"--constraint={clock}")
    (ROOT / "systemd" / SBOM).write_text(sbom(ROOT, version(ROOT)), encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        lock = Path(folder, "pylock.toml")
        groups = [f"--group={group}" for group in PROJECT["dependency-groups"]]
        limits = (f"--constraint={clock}", f"--constraint={room}", "--all-extras")
        resolve("--format=pylock.toml", *limits, *groups, project, "--output-file", str(lock))
        names = set(chosen(tomllib.loads(lock.read_text("utf-8"))))
    LIST.write_text(HEADING + "".join(f"{name}\n" for name in sorted(names)), "utf-8")


if __name__ == "__main__":
    main()
