"""Make the files of a release from what is committed: `make release`.

They are the same, byte for byte, whoever makes them, wherever and whenever: no date, no path, no
user and no address of a registry is in any of them. `--check` makes them a second time, from
another folder, under another umask and date, compares, and looks for such words.
"""

import argparse
import gzip
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit

from lab.browser import PYODIDE, PYODIDE_SHA256

ROOT = Path(__file__).parents[1]
VERSION = re.compile(r'^__version__ = "([^"]+)"$', re.MULTILINE)
PIN = re.compile(r"^([a-z0-9._-]+)==(\S+)(?: ; (.*?))? \\$", re.MULTILINE | re.IGNORECASE)
LINK = re.compile(r"\[([^\]]+)\]\((?!https?:)[^)]+\)")  # to a file of the project
REQUIREMENTS = ("requirements.txt", "requirements-room.txt")  # of the clock; of the room
SBOM = "sbom.cdx.json"
SUMS = "SHA256SUMS"
NOTES = "RELEASE-NOTES.md"
DATE = "SOURCE_DATE_EPOCH"  # would be the time of all files in wheel and source archive
NOT_FOR_CLOCKS = ("docs", "examples", "lab", "tests")  # folders of the source


def version(source: Path) -> str:
    """Return the version of the clock."""
    found = VERSION.search((source / "clock" / "__init__.py").read_text(encoding="utf-8"))
    assert found
    return found[1]


# --- the bill of materials ------------------------------------------------------------------------


def sbom(source: Path, number: str) -> str:
    """Return what clock and room are installed with, in CycloneDX 1.6 JSON."""
    name = "gammonclock"
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": _component(name, number) | {"type": "application"}},
        "components": [*_pinned(source), _pyodide()],
    }
    return json.dumps(document, indent=1) + "\n"


def _pinned(source: Path) -> Iterator[dict[str, object]]:
    """Yield the packages that are pinned, each version once; the room's are optional."""
    pins: dict[tuple[str, str], tuple[str, str]] = {}
    for file in REQUIREMENTS:
        text = (source / "systemd" / file).read_text(encoding="utf-8")
        scope = "required" if file == REQUIREMENTS[0] else "optional"
        for name, number, condition in PIN.findall(text):
            pins.setdefault((name, number), (scope, condition))
    for (name, number), (scope, condition) in sorted(pins.items()):
        component: dict[str, object] = _component(name, number) | {"scope": scope}
        if condition:
            component["properties"] = [{"name": "gammonclock:condition", "value": condition}]
        yield component


def _pyodide() -> dict[str, object]:
    """Return what the pages of `make browser` run in; their libraries are of those above."""
    return _component("pyodide", PYODIDE, "npm") | {
        "scope": "optional",
        "hashes": [{"alg": "SHA-256", "content": PYODIDE_SHA256}],
        "properties": [{"name": "gammonclock:condition", "value": "in the pages of make browser"}],
    }


def _component(name: str, number: str, registry: str = "pypi") -> dict[str, object]:
    purl = f"pkg:{registry}/{name}@{number}"
    return {"type": "library", "bom-ref": purl, "name": name, "version": number, "purl": purl}


# --- archives, notes and sums ---------------------------------------------------------------------


def pack(folder: Path, file: Path) -> None:
    """Pack a folder: the same bytes for the same names, contents and executable files."""
    with (
        file.open("wb") as raw,
        gzip.GzipFile("", "wb", mtime=0, fileobj=raw) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT) as archive,
    ):
        for path in sorted([folder, *folder.rglob("*")]):
            archive.add(path, path.relative_to(folder.parent), recursive=False, filter=_plain)


def pack_bundle(folder: Path, file: Path) -> None:
    """Pack source and wheels for a clock: with their sums, without what only developers need."""
    for name in NOT_FOR_CLOCKS:
        shutil.rmtree(folder / name)
    (folder / SUMS).write_text(sums(folder), encoding="utf-8")
    pack(folder, file)


def _plain(member: tarfile.TarInfo) -> tarfile.TarInfo:
    runs = member.isdir() or member.mode & 0o100
    member.mode, member.mtime = 0o755 if runs else 0o644, 0
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return member


def sums(folder: Path) -> str:
    """Return the sums of all files of a folder, as `sha256sum --check` reads them."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != SUMS)
    digests = ((hashlib.sha256(path.read_bytes()).hexdigest(), path) for path in files)
    return "".join(f"{digest}  {path.relative_to(folder)}\n" for digest, path in digests)


def notes(changelog: str, number: str) -> str:
    """Return what the newest version changes, from the text of CHANGELOG.md, which must name it.

    Links into the project are left out: they lead nowhere from the page of a release.
    """
    _, _, newest = changelog.partition("\n## ")
    if not newest.startswith(f"[{number}]"):
        raise SystemExit(f"the newest part of CHANGELOG.md is not that of {number}")
    newest = LINK.sub(r"\1", newest.partition("\n## ")[0])
    return f"# {newest.strip()}\n"


# --- the release ----------------------------------------------------------------------------------


def make(dist: Path, revision: str = "HEAD") -> None:
    """Make all files of the release into a folder, which is emptied first."""
    shutil.rmtree(dist, ignore_errors=True)
    dist.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as temporary:
        source = Path(temporary, "gammonclock")
        source.mkdir()
        committed = Path(temporary, "committed.tar")
        _run("git", "-C", str(ROOT), "archive", f"--output={committed}", revision)
        _run("tar", "-xf", str(committed), "-C", str(source))
        build = (sys.executable, "-m", "build", "--outdir", str(dist))
        _run(*build, str(source))
        _run(*build, "--wheel", str(source / "gpiozero_gpiod"))
        number = version(source)
        name = f"gammonclock-{number}"
        make_in(source, dist, "bundle", "browser")
        pages = (dist / "browser").rename(dist / f"{name}-browser")
        pack(pages, dist / f"{pages.name}.tar.gz")
        shutil.rmtree(pages)
        bill = sbom(source, number)
        (dist / f"{name}.{SBOM.partition('.')[2]}").write_text(bill, encoding="utf-8")
        changelog = (source / "CHANGELOG.md").read_text(encoding="utf-8")
        (dist / NOTES).write_text(notes(changelog, number), encoding="utf-8")
    (dist / SUMS).write_text(sums(dist), encoding="utf-8")


def make_in(source: Path, dist: Path, *targets: str) -> None:
    """Have the Makefile of a source make something, with the environment of this program.

    That gets a name without a space for it: make takes a name apart at spaces.
    """
    venv = Path("..", "venv")
    (source / venv).symlink_to(sys.prefix, target_is_directory=True)
    tools = [f"--assume-old={venv}/.with-{each}" for each in ("clock", "pins", "wheel")]
    _run("make", "-C", str(source), *tools, f"VENV={venv}", f"DIST={dist}", *targets)


def _run(*command: str) -> str:
    """Return what a step of the release says; if it fails, show that."""
    os.environ.pop(DATE, None)
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    if done.returncode:
        sys.stderr.write(done.stdout)
        raise SystemExit(f"failed: {' '.join(command)}")
    return done.stdout


def check(dist: Path) -> list[str]:
    """Make the release again, elsewhere and otherwise; return which files are not the same."""
    with tempfile.TemporaryDirectory(prefix="a second Büro ") as folder:
        before = os.umask(0o077)
        os.environ |= {"TZ": "Pacific/Chatham", DATE: "1000000000"}
        try:
            make(Path(folder, "dist"))
        finally:
            os.umask(before)
        first, second = ((each / SUMS).read_text() for each in (dist, Path(folder, "dist")))
        return sorted({line.split()[1] for line in {*first.splitlines()} ^ {*second.splitlines()}})


def traces(dist: Path, words: Iterable[str], source: Path = ROOT) -> list[str]:
    """Return the files, and those in archives, in which one of these words is.

    Lines that are committed may have it: the day of a release is the day of its changelog.
    """
    sought = {word.encode(): _committed(source, word) for word in words}
    contents = ((name, text) for file in sorted(dist.iterdir()) for name, text in _inside(file))
    return [name for name, text in contents if any(_has(text, *each) for each in sought.items())]


def _committed(source: Path, word: str) -> list[bytes]:
    """Return the lines with a word, without the marks of a heading, which the notes change."""
    command = ("git", "-C", str(source), "grep", "-hIF", "-e", word, "HEAD")
    found = subprocess.run(command, stdout=subprocess.PIPE, check=False).stdout
    return [line.strip(b"# ") for line in found.splitlines()]


def _has(text: bytes, word: bytes, committed: Iterable[bytes]) -> bool:
    if word in text:
        for line in committed:
            text = text.replace(line, b"")
    return word in text


def _inside(file: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the files of an archive, or the file itself, with their contents."""
    if file.name.endswith(".tar.gz"):
        with tarfile.open(file) as archive:
            for member in archive:
                if content := archive.extractfile(member):
                    yield f"{file.name}: {member.name}", content.read()
    elif file.suffix == ".whl":
        with zipfile.ZipFile(file) as wheel:
            yield from ((f"{file.name}: {name}", wheel.read(name)) for name in wheel.namelist())
    else:
        yield file.name, file.read_bytes()


def of_this_computer() -> set[str]:
    """Return its folders, its date, and where pip gets packages."""
    said = _run(sys.executable, "-m", "pip", "config", "list")
    values = re.findall(r"(?:index-url|find-links)='(.*)'", said)
    places = [urlsplit(each) for value in values for each in value.replace(r"\n", " ").split()]
    addresses = {f"{place.netloc}{place.path}" for place in places}
    return {str(ROOT), sys.prefix, f"{datetime.now(UTC):%Y-%m-%d}"} | addresses


def main() -> None:
    """Do what the command line asks for."""
    parser = argparse.ArgumentParser(prog="make release", description=__doc__)
    commands = parser.add_subparsers(required=True, dest="command")
    release = commands.add_parser("make")
    release.add_argument("dist", type=Path)
    release.add_argument("--check", action="store_true")
    packed = commands.add_parser("pack", help="pack the source and its wheels for a clock")
    packed.add_argument("folder", type=Path)
    packed.add_argument("file", type=Path)
    given = parser.parse_args()
    match given.command:
        case "pack":
            pack_bundle(given.folder, given.file)
        case _:
            make(given.dist.resolve())
            print((given.dist / SUMS).read_text(), end="")
            if given.check and (different := check(given.dist)):
                raise SystemExit(
                    f"made a second time these are not the same: {', '.join(different)}"
                )
            if given.check and (found := traces(given.dist, of_this_computer())):
                raise SystemExit(f"these name a place or date of this computer: {', '.join(found)}")


if __name__ == "__main__":
    main()
