"""The bundle installed on an emulated 64-bit ARM system without a network: `make test IN=emulated`.

Debian's programs are run by QEMU in a tree that they take for a Raspberry Pi's. The tests of a
suite are one story, in the order in which they stand here; each suite has a module, so that two can
be tested at once.
"""

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import ClassVar

import pytest

from clock import __version__
from lab.emulated.trees import PYTHONS, archive, run
from lab.release import SUMS, sums
from lab.support.paths import DATA, ROOT
from tests.systemd.test_requirements import environment, pins

HERE = Path(__file__).parent
BUNDLE = Path(os.environ.get("DIST", ROOT / "dist")) / f"gammonclock-{__version__}-pi.tar.gz"
SOURCE = Path("/root") / f"gammonclock-{__version__}"
RELEASES = Path("/opt/gammonclock")
PYTHON = RELEASES / "current" / "bin" / "python"
LOGS = Path("/var/lib/gammonclock")
NOT_OURS = {"pip", "setuptools"}  # of the environment itself
TESTED = ("storage", "eventlog", "gpiozero_gpiod", "hardware/display/test_layout.py")
TEST_TOOLS = ("pytest==", "hypothesis==")


class Pi:
    """A Raspberry Pi with a fresh card, on which the bundle has been unpacked."""

    def __init__(self, suite: str, folder: Path) -> None:
        self.suite, self.root = suite, folder
        run("tar", "-xf", archive(suite), "-C", folder)
        self.path("/boot/firmware").mkdir(parents=True)
        self.path("/boot/firmware/config.txt").write_text("arm_64bit=1\n")
        shutil.copy(HERE / "systemctl", self.path("/usr/local/sbin/systemctl"))
        run("tar", "-xf", BUNDLE, "-C", self.path("/root"))

    def path(self, inside: str | Path) -> Path:
        """Return where a path of the Pi is here."""
        return self.root / Path(inside).relative_to("/")

    def inside(self, *command: object) -> list[str]:
        """Return a command that runs one as root of the Pi, in the folder of the bundle."""
        enter = ["unshare", "--mount", "--net", "sh", str(HERE / "enter.sh"), str(self.root)]
        return [*enter, "env", f"--chdir={SOURCE}", *map(str, command)]

    def run(self, *command: object) -> subprocess.CompletedProcess[str]:
        """Run a command; see `inside`."""
        return subprocess.run(self.inside(*command), capture_output=True, text=True, check=False)

    def done(self, *command: object) -> str:
        """Run a command that succeeds; return its output."""
        ran = self.run(*command)
        assert ran.returncode == 0, ran.stdout + ran.stderr
        return ran.stdout

    def release(self, link: str = "current") -> str:
        """Return the name of the release in use, or of the one before."""
        return str(self.path(RELEASES / link).readlink())

    def tree(self) -> set[str]:
        """Return each path that neither programs nor users change as they run."""
        paths = (str(path.relative_to(self.root)) for path in self.root.rglob("*"))
        return {path for path in paths if "__pycache__" not in path}


def newer(pi: Pi, version: str) -> None:
    """Unpack another version over the one that is there."""
    with pi.path(SOURCE / "clock" / "__init__.py").open("a") as file:
        file.write(f"# {version}\n")
    unit = pi.path(SOURCE / "systemd" / "gammonclock.service")
    unit.write_text(f"{unit.read_text()}# {version}\n")
    folder = pi.path(SOURCE)
    (folder / SUMS).write_text(sums(folder))


def unit(pi: Pi) -> str:
    return pi.path("/etc/systemd/system/gammonclock.service").read_text()


class Installation:
    """The story of one suite; the fixtures are in conftest.py."""

    suite: ClassVar[str]

    def test_the_bundle_is_installed_without_a_network(self, pi: Pi, installed: str) -> None:
        """A second time there is nothing to do."""
        assert "made the environment" in installed
        assert "enabled gammonclock.service" in installed
        assert "nothing to do: everything is installed" in pi.done("make", "install-pi")
        assert pi.done("gammonclock", "--version").split()[-1] == __version__

    def test_nothing_but_the_pinned_libraries_is_installed(self, pi: Pi, installed: str) -> None:
        """In the pinned versions, and the clock."""
        listed = pi.done(PYTHON, "-m", "pip", "list", "--local", "--format=freeze", "--no-index")
        there = dict(line.split("==") for line in listed.split() if "==" in line)
        pinned = pins("requirements.txt", environment(PYTHONS[pi.suite], "aarch64"))
        wanted = {name.replace("_", "-"): version for name, version in pinned.items()}
        found = {name.lower().replace("_", "-").replace(".", "-"): at for name, at in there.items()}
        ours = {name: at for name, at in found.items() if name not in NOT_OURS - wanted.keys()}
        assert ours == wanted | {"gammonclock": __version__}
        assert installed

    @pytest.mark.parametrize("match", ["ebf", "nbgf"])
    def test_a_match_is_the_same_as_here(
        self, pi: Pi, installed: str, tmp_path: Path, match: str
    ) -> None:
        """Played from its script, its log is equal byte for byte."""
        play = ["play", f"{match}.script", "--config", f"{match}.toml", "--log"]
        here = [sys.executable, "-m", "gammonclock", *play, str(tmp_path / "here.jsonl")]
        subprocess.run(here, cwd=DATA, check=True, capture_output=True)
        there = f"/root/{match}.jsonl"
        shutil.copytree(DATA, pi.path("/root/data"), dirs_exist_ok=True)
        pi.done("env", "--chdir=/root/data", "gammonclock", *play, there)
        assert pi.path(there).read_bytes() == (tmp_path / "here.jsonl").read_bytes()
        assert installed

    def test_a_part_of_the_tests_passes(self, pi: Pi, installed: str) -> None:
        """Files, replay, pins and pictures, with the installed clock."""
        wheels, tree = pi.path("/root/test-wheels"), pi.path("/root/tests-only")
        group = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["dependency-groups"][
            "test"
        ]
        tools = [each for each in group if each.startswith(TEST_TOOLS)]
        other = ["--only-binary=:all:", f"--python-version={PYTHONS[pi.suite]}"]
        platforms = [f"--platform=manylinux_2_{minor}_aarch64" for minor in (17, 28)]
        download = [sys.executable, "-m", "pip", "--quiet", "download", *other, *platforms]
        run(*download, "--dest", wheels, *tools)
        for name in ("tests", "lab", "docs", "config", "systemd"):  # no package of the clock
            shutil.copytree(ROOT / name, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / "pyproject.toml", tree)
        install = ("--quiet", "install", "--no-index", "--find-links=/root/test-wheels")
        pi.done(PYTHON, "-m", "pip", *install, "--target=/root/test-tools", *tools)
        options = ("-q", "-p", "no:cacheprovider", "-m", "not slow", "--hypothesis-profile=dev")
        no_charts = "--ignore=tests/eventlog/test_salvage.py"  # a clock cannot draw them
        tests = [no_charts, *(f"tests/{name}" for name in TESTED)]
        where = ("--chdir=/root/tests-only", "PYTHONPATH=/root/test-tools")
        said = pi.done("env", *where, PYTHON, "-m", "pytest", *options, *tests)
        assert " passed" in said
        assert installed

    def test_a_match_under_way_is_not_interrupted(self, pi: Pi, installed: str) -> None:
        """An update refuses, by what the installed clock finds in its log."""
        pi.path(LOGS).mkdir(exist_ok=True)
        lines = (DATA / "ebf.jsonl").read_bytes().splitlines(keepends=True)
        current = pi.path(LOGS / "current.jsonl")
        current.write_bytes(b"".join(lines[:20]))
        ran = pi.run("make", "install-pi")
        assert ran.returncode != 0
        assert "a match is under way: " in ran.stderr
        current.write_bytes(b"".join(lines))
        assert "nothing to do" in pi.done("make", "install-pi")
        assert installed

    def test_a_release_that_does_not_start_is_taken_back(self, pi: Pi, installed: str) -> None:
        """The release before is in use again, with its unit."""
        first, unit_before = pi.release(), unit(pi)
        newer(pi, "does not start")
        pi.path("/run/fail-once").touch()
        ran = pi.run("make", "install-pi")
        assert ran.returncode != 0
        assert "the new version does not start; the version before it runs again" in ran.stderr
        assert (pi.release(), unit(pi)) == (first, unit_before)
        assert not pi.path(RELEASES / "previous").is_symlink()
        assert installed

    def test_going_back_to_the_release_before(self, pi: Pi, installed: str) -> None:
        """Without a network, and there again; a release that does not start is left at once."""
        first = pi.release()
        newer(pi, "starts")
        pi.done("make", "install-pi")
        second, unit_of_second = pi.release(), unit(pi)
        assert (pi.release("previous"), second) == (first, second)
        assert second != first
        pi.path("/run/fail-once").touch()
        ran = pi.run("make", "rollback-pi")
        assert (ran.returncode != 0, "the newer one runs again" in ran.stderr) == (True, True)
        assert (pi.release(), unit(pi)) == (second, unit_of_second)
        pi.done("make", "rollback-pi")
        assert (pi.release(), pi.release("previous")) == (first, second)
        assert unit(pi) != unit_of_second
        assert pi.done("gammonclock", "--version").split()[-1] == __version__
        assert installed

    def test_a_match_under_way_outlasts_an_update_and_the_way_back(
        self, pi: Pi, installed: str
    ) -> None:
        """If both are forced: either version knows the match, and no byte of its log changes."""
        log, lines = pi.path(LOGS / "current.jsonl"), (DATA / "ebf.jsonl").read_bytes()
        log.write_bytes(b"".join(lines.splitlines(keepends=True)[:20]))
        asked = ("gammonclock", "logs", LOGS, "--under-way")
        before, match, begun = pi.release(), pi.done(*asked), log.read_bytes()
        newer(pi, "forced")
        pi.done("make", "install-pi", "FORCE=1")
        assert pi.release() != before
        assert pi.done(*asked) == match != ""
        pi.done("make", "rollback-pi", "FORCE=1")
        assert (pi.release(), pi.done(*asked), log.read_bytes()) == (before, match, begun)
        log.write_bytes(lines)
        assert installed

    def test_nothing_is_left_after_uninstalling(
        self, pi: Pi, installed: str, before: set[str]
    ) -> None:
        """But the groups, which other programs may use."""
        pi.done("make", "uninstall-pi", "PURGE=1")
        left = {
            path for path in pi.tree() - before if not path.startswith(("root/", "run/", "tmp/"))
        }
        users = {f"etc/{name}-" for name in ("passwd", "group", "shadow", "gshadow")}
        assert left - users - {"etc/.pwd.lock"} == set()
        assert "gammonclock" not in pi.path("/etc/passwd").read_text()
        assert installed
