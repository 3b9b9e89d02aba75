"""The files of a release: the same bytes wherever they are made, and each with its sum."""

import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from clock import __version__
from lab.release import (
    SBOM,
    SUMS,
    make_in,
    notes,
    pack,
    pack_bundle,
    sbom,
    sums,
    traces,
)
from lab.support.paths import ROOT


def tree(folder: Path, mode: int, at_s: int) -> Path:
    """Make a folder with a program and a text, of a mode and a time."""
    (folder / "a" / "b").mkdir(parents=True)
    for name, executable in (("a/run", 0o100), ("a/b/text", 0)):
        path = folder / name
        path.write_text(name)
        path.chmod(mode | executable)
        os.utime(path, (at_s, at_s))
    return folder / "a"


def test_an_archive_depends_on_names_and_contents_alone(tmp_path: Path) -> None:
    """Not on modes, times, users or places; what can be executed stays so."""
    packed = []
    for number, (mode, at_s) in enumerate(((0o644, 10**9), (0o600, 2 * 10**9))):
        folder = tree(tmp_path / str(number), mode, at_s)
        file = tmp_path / f"{number}.tar.gz"
        pack(folder, file)
        packed.append(file.read_bytes())
    assert packed[0] == packed[1]
    with tarfile.open(tmp_path / "0.tar.gz") as archive:
        assert {(each.uid, each.gid, each.uname, each.gname) for each in archive} == {
            (0, 0, "", "")
        }
    command = ["tar", "-xzf", "0.tar.gz"]
    subprocess.run(command, cwd=tmp_path, check=True)
    assert os.access(tmp_path / "a" / "run", os.X_OK)
    assert not os.access(tmp_path / "a" / "b" / "text", os.X_OK)


def test_the_sums_are_those_that_sha256sum_checks(tmp_path: Path) -> None:
    folder = tree(tmp_path, 0o644, 10**9)
    (folder / SUMS).write_text(sums(folder))
    command = ["sha256sum", "--check", "--strict", SUMS]
    said = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout
    assert said == "b/text: OK\nrun: OK\n"
    (folder / "run").write_text("other")
    assert subprocess.run(command, cwd=folder, capture_output=True, check=False).returncode


@pytest.mark.rule("R152")
def test_a_bundle_has_what_a_clock_needs_and_the_sums_of_that(tmp_path: Path) -> None:
    """`install-pi` refuses one with a sum of a file that it has not."""
    folder = tmp_path / "gammonclock-9.9"
    for name in ("clock", "docs", "examples", "lab", "systemd", "tests"):
        (folder / name).mkdir(parents=True)
        (folder / name / "file").write_text(name)
    pack_bundle(folder, tmp_path / "pi.tar.gz")
    unpack = ["tar", "-xzf", "pi.tar.gz", "--one-top-level=pi"]
    subprocess.run(unpack, cwd=tmp_path, check=True)
    command = ["sha256sum", "--check", "--strict", SUMS]
    there = tmp_path / "pi" / "gammonclock-9.9"
    said = subprocess.run(command, cwd=there, capture_output=True, text=True, check=True).stdout
    assert said == "clock/file: OK\nsystemd/file: OK\n"
    assert sorted(path.name for path in there.iterdir()) == [SUMS, "clock", "systemd"]


def test_the_folder_of_the_project_may_have_a_space(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bundle and pages are made with its environment, whose parts are not made again."""
    source, dist, prefix = (tmp_path / name for name in ("source", "a dist", "a folder/.venv"))
    for folder in (source, dist, prefix):
        folder.mkdir(parents=True)
    for name in ("clock", "pins", "wheel"):
        (prefix / f".with-{name}").touch()
    (source / "Makefile").write_text(
        "bundle: $(VENV)/.with-pins $(VENV)/.with-wheel\n"
        '\tln -s "$$(realpath "$(VENV)")" "$(DIST)/made-with"\n'
        "browser: $(VENV)/.with-clock\n"
        "$(VENV)/.with-%: Makefile\n\tfalse\n"
    )
    monkeypatch.setattr(sys, "prefix", str(prefix))
    make_in(source, dist, "bundle", "browser")
    assert (dist / "made-with").readlink() == prefix


def test_the_bill_of_materials_names_every_pinned_package() -> None:
    """`python -m lab.pins` writes it anew; the wheel carries it."""
    bill = (ROOT / "systemd" / SBOM).read_text(encoding="utf-8")
    assert bill == sbom(ROOT, __version__)
    for package in ("gpiozero@", "luma-oled@", "starlette@", f"gammonclock@{__version__}"):
        assert f'"pkg:pypi/{package}' in bill
    assert '"pkg:npm/pyodide@' in bill


@pytest.mark.slow
def test_the_wheel_has_the_bill_of_materials_and_the_types(tmp_path: Path) -> None:
    """PEP 770 and PEP 561: where tools look for them; and the file of each page and language."""
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (file,) = tmp_path.iterdir()
    with zipfile.ZipFile(file) as wheel:
        names = set(wheel.namelist())
        bill = wheel.read(f"gammonclock-{__version__}.dist-info/sboms/{SBOM}")
    assert bill == (ROOT / "systemd" / SBOM).read_bytes()
    packages = {name.partition("/")[0] for name in names if name.endswith(".py")}
    assert {f"{package}/py.typed" for package in packages} <= names
    for folder in ("room/pages", "clock/locale"):
        assert {str(path.relative_to(ROOT)) for path in (ROOT / folder).rglob("*.*")} <= names


def test_the_notes_are_those_of_the_newest_version() -> None:
    """With its heading, and nothing of the version before; what is not released is no version."""
    changelog = "# Changelog\n\n## [2.0]\n\n- [a](docs/a.md), [b](https://b)\n\n## [1.0]\n\n- old\n"
    assert notes(changelog, "2.0") == "# [2.0]\n\n- a, [b](https://b)\n"
    with pytest.raises(SystemExit, match=r"not that of 2\.1"):
        notes(changelog, "2.1")


def test_a_place_of_this_computer_is_found_in_every_kind_of_file(tmp_path: Path) -> None:
    """In an archive, in a wheel, and beside them; another word or a line committed is not."""
    folder = tree(tmp_path / "x", 0o644, 10**9)
    dist = tmp_path / "dist"
    dist.mkdir()
    pack(folder, dist / "a.tar.gz")
    (dist / SUMS).write_text("b/text")
    with zipfile.ZipFile(dist / "c.whl", "w") as wheel:
        wheel.writestr("METADATA", "Home: a/b/text")
    assert traces(dist, ["b/text"]) == ["SHA256SUMS", "a.tar.gz: a/b/text", "c.whl: METADATA"]
    assert traces(dist, ["b/test"]) == []
    source = tmp_path / "source"
    source.mkdir()
    (source / "CHANGELOG.md").write_text("# Changelog\n\n## [2.0] - b/text\n")
    git = ["git", "-C", str(source), "-c", "user.name=x", "-c", "user.email=x"]
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "x"]):
        subprocess.run([*git, *command], check=True)
    (dist / SUMS).write_text("# [2.0] - b/text\n")
    (dist / "b.txt").write_text("# [2.0] - b/text\n\nmade b/text")
    found = ["a.tar.gz: a/b/text", "b.txt", "c.whl: METADATA"]
    assert traces(dist, ["b/text"], source) == found
