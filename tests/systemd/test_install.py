"""The installation on a tree of its own: what it changes, twice, and taken back byte for byte.

The scripts are the real ones; around them stand programs of a few lines that do to the tree what
apt, systemd and pip would do to a Raspberry Pi. What these are asked for is noted in a file.
"""

import importlib.util
import os
import re
import shutil
import subprocess
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from gammonclock.__main__ import COMMANDS
from lab.release import sums
from lab.support.needs import needs, needs_root
from lab.support.paths import ROOT as PROJECT
from room.cards.join import KEY_FILE, Places

pytestmark = pytest.mark.slow

INSTALL_PAGE = PROJECT / "docs" / "install.md"

FAKES = {
    "chroot": 'shift; exec "$@"',
    "dpkg": 'echo "${FAKE_ARCHITECTURE:-arm64}"',
    "python3": """
        case $1 in
            --version) echo "Python ${FAKE_PYTHON:-3.11.2}" ;;
            -c) exit "${FAKE_OLD_PYTHON:-0}" ;;
            -m) mkdir -p "$4/bin"; cp "$0" "$4/bin/python" ;;
            logs) printf "$FAKE_MATCH" ;; # as the installed command
        esac""",
    "dpkg-query": """
        for name; do :; done
        grep -qx "$name" "$ROOT/var/lib/dpkg/status" && printf installed""",
    "apt-get": """
        echo "apt-get $*" >>"$NOTES"
        for name; do :; done
        case " $* " in
            *" update "*) ;;
            *" install "*)
                case " $FAKE_UNAVAILABLE " in *" $name "*) exit 100 ;; esac
                echo "$name" >>"$ROOT/var/lib/dpkg/status" ;;
            *" remove "*)
                sed -i "/^$name"'$'"/d" "$ROOT/var/lib/dpkg/status" ;;
        esac""",
    "systemd-sysusers": """
        for user in gammonclock gammonclock-link; do
            grep -q "^$user:" "$ROOT/etc/passwd" && continue
            echo "$user:x:995:995::/:/bin/false" >>"$ROOT/etc/passwd"
            echo "$user:x:995:" >>"$ROOT/etc/group"
        done""",
    "sync": "",
    "userdel": 'sed -i "/^$3:/d" "$2/etc/passwd"',
    "groupdel": 'sed -i "/^$3:/d" "$2/etc/group"',
    "systemctl": """
        echo "systemctl $*" >>"$NOTES"
        wants=$ROOT/etc/systemd/system/multi-user.target.wants
        case $* in
            *" enable "*) mkdir -p "$wants"
                for unit; do :; done
                ln -s "/etc/systemd/system/$unit" "$wants/$unit" ;;
            *" disable "*) for unit; do
                case $unit in *.service) rm "$wants/$unit" ;; esac; done ;;
            *" stop "*) for unit; do
                if [ -e "$wants/../$unit" ]; then echo "stopped $unit" >>"$NOTES"; fi; done ;;
        esac""",
}
PIP = """
if [ "$2" = pip ]; then
    [ -z "$FAKE_NO_NETWORK" ] || exit 1
    echo "$*" >>"$NOTES"
    cp "$0" "${0%/*}/gammonclock"
    exit
fi
if [ "$2" = hatchling ]; then
    mkdir -p "$7"
    touch "$7/gammonclock.whl"
    exit
fi"""


class Ran(NamedTuple):
    """What a script said."""

    code: int
    out: str
    err: str


class Pi:
    """A Raspberry Pi as far as these scripts see one, and a checkout of the clock."""

    def __init__(self, folder: Path, *, copied: bool = False) -> None:
        """Freshly written, with nothing of the clock; or as it is in a folder that was copied."""
        self.root, self.source, self.bin = folder / "root", folder / "source", folder / "bin"
        self.notes = folder / "notes"
        if not copied:
            self.make()

    def make(self) -> None:
        """Write the tree, the checkout and the programs."""
        self.bin.mkdir()
        for name, text in FAKES.items():
            program = self.bin / name
            pip = PIP if name == "python3" else ""
            program.write_text(f"#!/bin/sh\nset -e\n{pip}\n{text}\n", encoding="utf-8")
            program.chmod(0o755)
        for name in ("systemd", "config"):
            shutil.copytree(PROJECT / name, self.source / name)
        for name in ("clock", "gammonclock", "gpiozero_gpiod", "hardware", "room"):
            (self.source / name).mkdir()
        (self.source / "clock" / "__init__.py").write_text('__version__ = "1"\n', encoding="utf-8")
        (self.source / "pyproject.toml").write_text("", encoding="utf-8")
        self.write("etc/passwd", "root:x:0:0::/root:/bin/bash\n")
        self.write("etc/group", "root:x:0:\n")
        self.write("boot/firmware/config.txt", "arm_64bit=1\n[pi4]\narm_boost=1\n")
        self.write("var/lib/dpkg/status", "bash\n")
        (self.root / "usr/local/bin").mkdir(parents=True)
        (self.root / "opt").mkdir()

    def write(self, path: str, text: str) -> None:
        """A file of the Pi's."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        file.chmod(0o644)

    def start(self) -> None:
        """Let the scripts stop units too, as if this tree were the running system."""
        with (self.source / "systemd/pi.bash").open("a", encoding="utf-8") as shared:
            shared.write("live() { :; }\nneed_root() { :; }\n")

    def read(self, path: str) -> str:
        return (self.root / path).read_text(encoding="utf-8")

    def run(self, script: str, **environ: str) -> Ran:
        """One of the scripts, as root of this tree."""
        base = {"ROOT": str(self.root), "NOTES": str(self.notes)}
        path = {"PATH": f"{self.bin}:/usr/sbin:/usr/bin:/bin"}
        done = subprocess.run(
            [self.source / "systemd" / script],
            env=base | path | environ,
            capture_output=True,
            text=True,
            check=False,
        )
        return Ran(done.returncode, done.stdout, done.stderr)

    def tree(self) -> dict[str, tuple[int, str | bytes]]:
        """Every file, directory and link: its mode, and what it is."""
        return {
            str(path.relative_to(self.root)): (path.lstat().st_mode, self._content(path))
            for path in sorted(self.root.rglob("*"))
        }

    def _content(self, path: Path) -> str | bytes:
        if path.is_symlink():
            return str(path.readlink())
        return "" if path.is_dir() else path.read_bytes()

    def release(self, link: str = "current") -> str:
        """The name of the one that is in use, or of the one before."""
        return str((self.root / "opt/gammonclock" / link).readlink())


@pytest.fixture
def pi(tmp_path: Path) -> Pi:
    """A Pi without a clock."""
    return Pi(tmp_path)


def installed(pi: Pi, **environ: str) -> Ran:
    """Installing succeeds and has nothing to complain of."""
    ran = pi.run("install-pi", **environ)
    assert (ran.code, ran.err) == (0, "")
    return ran


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a Pi with a clock, made once, to be copied."""
    folder = tmp_path_factory.mktemp("installation")
    installed(Pi(folder))
    return folder


@pytest.fixture
def clock(installation: Path, tmp_path: Path) -> Pi:
    shutil.copytree(installation, tmp_path, symlinks=True, dirs_exist_ok=True)
    return Pi(tmp_path, copied=True)


def without_line_end(pi: Pi) -> None:
    """As some editors leave a file."""
    pi.write("boot/firmware/config.txt", "dtparam=audio=on")


def empty_config(pi: Pi) -> None:
    pi.write("boot/firmware/config.txt", "")


def everything_there(pi: Pi) -> None:
    """Directories, packages and another bus speed that others have made, which stay."""
    pi.write("boot/firmware/config.txt", "dtparam=i2c_arm_baudrate=100000\n")
    pi.write("var/lib/dpkg/status", "python3-venv\npython3-lgpio\npython3-rpi-lgpio\n")
    for path in ("etc/systemd/sleep.conf.d", "etc/systemd/system/multi-user.target.wants"):
        (pi.root / path).mkdir(parents=True)


def as_it_is(pi: Pi) -> None:
    """A fresh card."""


BEFORE = [as_it_is, without_line_end, empty_config, everything_there]


def test_what_the_units_start_is_imported_before_it_is_used() -> None:
    """The fake python here imports nothing: the modules exist, and each command is among them."""
    modules = (PROJECT / "systemd" / "imports").read_text(encoding="utf-8").split()
    assert [name for name in modules if importlib.util.find_spec(name) is None] == []
    units = [PROJECT / "systemd" / f"gammonclock{name}.service" for name in ("", "-room", "-link")]
    started = re.findall(r"bin/gammonclock ([a-z-]+)", "".join(map(Path.read_text, units)))
    assert {f"gammonclock.{COMMANDS[name][0]}" for name in started} <= {*modules}
    assert len(started) == len(units)


@pytest.mark.parametrize("before", BEFORE, ids=lambda before: before.__name__)
def test_uninstalling_restores_every_byte(pi: Pi, before: Callable[[Pi], None]) -> None:
    """Every file, directory, link and mode; installed twice, the second time changes nothing."""
    before(pi)
    tree = pi.tree()
    installed(pi)
    once, notes = pi.tree(), pi.notes.read_text(encoding="utf-8")
    assert once != tree
    assert "nothing to do: everything is installed" in installed(pi).out
    assert pi.tree() == once
    assert pi.notes.read_text(encoding="utf-8") == notes  # and no program was called
    assert pi.run("uninstall-pi", PURGE="1").code == 0
    assert pi.tree() == tree


def test_logs_and_settings_are_kept(pi: Pi) -> None:
    """Unless PURGE says otherwise."""
    before = pi.tree()
    installed(pi)
    pi.write("var/lib/gammonclock/current.jsonl", "{}\n")
    pi.write("boot/firmware/gammonclock.toml", "[match]\n")
    ran = pi.run("uninstall-pi")
    assert "kept" in ran.out
    assert sorted(pi.tree().keys() - before.keys()) == [
        "boot/firmware/gammonclock.toml",
        "var/lib/gammonclock",
        "var/lib/gammonclock/current.jsonl",
    ]
    installed(pi)
    assert pi.read("boot/firmware/gammonclock.toml") == "[match]\n"
    pi.run("uninstall-pi", PURGE="1")
    assert pi.tree() == before


def test_what_1_0_0_installed_besides_is_removed(clock: Pi) -> None:
    man = "usr/local/share/man/man1/gammonclock.1"
    bash = "usr/local/share/bash-completion/completions/gammonclock"
    for script in ("install-pi", "uninstall-pi"):
        for path in (man, bash):
            clock.write(path, "of 1.0.0")
        assert clock.run(script).code == 0
        assert not {man, bash} & clock.tree().keys()


def test_what_is_kept_belongs_to_root(clock: Pi) -> None:
    """Logs and the login of a room: the number of a user that is gone may be another's one day."""
    needs_root()
    names = ("gammonclock/x.jsonl", "gammonclock-link/x")
    kept = [clock.root / f"var/lib/{name}" for name in names]
    for path in kept:
        clock.write(str(path.relative_to(clock.root)), "secret\n")
        os.chown(path, 12345, 12345)
    clock.start()
    clock.run("uninstall-pi")
    assert [(path.stat().st_uid, path.stat().st_gid) for path in kept] == [(0, 0), (0, 0)]


@pytest.mark.parametrize("script", ["uninstall-pi", "prepare-card"])
def test_every_unit_is_stopped_while_it_is_there(clock: Pi, script: str) -> None:
    """The clock, its link, and what joins a room or names the card."""
    units = sorted(path.name for path in (clock.root / "etc/systemd/system").glob("*.service"))
    clock.start()
    assert clock.run(script, PURGE="1").code == 0
    notes = clock.notes.read_text("utf-8").splitlines()
    assert sorted(line[8:] for line in notes if line.startswith("stopped ")) == units


def test_purge_leaves_no_password_of_a_room(pi: Pi) -> None:
    """Joined or waiting to join, whole or half written; networks of others stay."""
    pi.write(str(Places().wifi.with_name("home.nmconnection"))[1:], "psk=of the house\n")
    before = pi.tree()
    installed(pi)
    for path in (KEY_FILE, *Places()):
        for each in (path, path.with_name(f"{path.name}.new")):
            pi.write(str(each)[1:], "password\n")
    assert "the Wi-Fi of a room" in pi.run("uninstall-pi").out
    assert pi.read(str(Places().wifi)[1:]) == pi.read(str(KEY_FILE)[1:]) == "password\n"
    installed(pi)
    pi.run("uninstall-pi", PURGE="1")
    assert pi.tree() == before


def test_the_bus_is_set_on_every_model_and_once(clock: Pi) -> None:
    """After a section of another model too; what comes later in the file stays there."""
    before, block = "arm_64bit=1\n[pi4]\narm_boost=1\n", clock.read("boot/firmware/config.txt")
    assert block.startswith(before + "# gammonclock: begin")
    assert "\n[all]\ndtparam=i2c_arm=on,i2c_arm_baudrate=400000\ndtparam=spi=on\n" in block
    clock.write("boot/firmware/config.txt", block + "gpu_mem=16\n")
    installed(clock)
    assert clock.read("boot/firmware/config.txt") == block + "gpu_mem=16\n"
    clock.run("uninstall-pi")
    assert clock.read("boot/firmware/config.txt") == before + "gpu_mem=16\n"


SERIAL_BLOCK = "[all]\ndtoverlay=disable-bt\n[pi5]\ndtparam=uart0=on\n[all]\n# gammonclock: end\n"
CMDLINE = "console=serial0,115200 console=tty1 root=PARTUUID=1-02 rootwait\n"


@pytest.mark.rule("R142")
@pytest.mark.parametrize("line_end", ["\n", ""])
def test_the_serial_line_is_made_and_taken_back(pi: Pi, line_end: str) -> None:
    """Only if asked for, and once; the console leaves it, and comes back byte for byte."""
    pi.write("boot/firmware/config.txt", "arm_64bit=1" + line_end)
    pi.write("boot/firmware/cmdline.txt", CMDLINE)
    before = pi.tree()
    installed(pi)
    assert "disable-bt" not in pi.read("boot/firmware/config.txt")
    assert pi.read("boot/firmware/cmdline.txt") == CMDLINE
    for _ in range(2):
        installed(pi, SERIAL="1")
        assert pi.read("boot/firmware/config.txt").endswith(SERIAL_BLOCK)
        assert pi.read("boot/firmware/config.txt").count("disable-bt") == 1
        assert pi.read("boot/firmware/cmdline.txt") == CMDLINE.removeprefix(
            "console=serial0,115200 "
        )
    pi.run("uninstall-pi", PURGE="1")
    assert pi.tree() == before


@pytest.mark.rule("R144")
def test_the_sudoers_file_is_one_that_sudo_reads(clock: Pi) -> None:
    """Of mode 0440; what it names is there, and belongs to the release."""
    path = clock.root / "etc/sudoers.d/gammonclock"
    assert path.stat().st_mode & 0o777 == 0o440
    command = path.read_text("utf-8").split("NOPASSWD: /bin/bash ")[1].strip()
    release = (clock.root / "opt/gammonclock/current").readlink()
    assert (clock.root / command[1:].replace("current", str(release))).is_file()


def test_a_line_after_the_block_is_kept(pi: Pi) -> None:
    without_line_end(pi)
    installed(pi)
    config = pi.read("boot/firmware/config.txt")
    pi.write("boot/firmware/config.txt", config + "gpu_mem=16\n")
    pi.run("uninstall-pi")
    assert pi.read("boot/firmware/config.txt") == "dtparam=audio=on\ngpu_mem=16\n"


@pytest.mark.parametrize("profile", ["ebf", "nbgf-hurtig"])
def test_the_first_settings_are_those_of_the_profile(pi: Pi, profile: str) -> None:
    """The EBF's, or of the profile that was asked for."""
    installed(pi, PROFILE="" if profile == "ebf" else profile)
    wanted = (PROJECT / "config" / f"{profile}.toml").read_text(encoding="utf-8")
    assert pi.read("boot/firmware/gammonclock.toml") == wanted


# --- updates and failures ---------------------------------------------------------------------


def newer(pi: Pi, version: str = "2") -> None:
    """The checkout has been updated."""
    file = pi.source / "clock" / "__init__.py"
    file.write_text(f'__version__ = "{version}"\n', encoding="utf-8")


def test_a_change_of_any_package_is_an_update() -> None:
    script = (PROJECT / "systemd" / "install-pi").read_text(encoding="utf-8")
    [compared] = re.findall(r"^release_files=\((.*?)\)", script, re.MULTILINE)
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))
    packages = project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    assert compared.split() == [*packages, "systemd", "pyproject.toml"]


def test_an_update_replaces_the_environment_and_nothing_else(clock: Pi) -> None:
    """The link moves to the new one, the one before is kept; so it is after an update of Python."""
    first, before = clock.release(), clock.tree()
    newer(clock)
    assert "made the environment" in installed(clock).out
    assert clock.release() != first
    assert clock.release("previous") == first
    assert {path for path in before if "opt/gammonclock" not in path} == {
        path for path in clock.tree() if "opt/gammonclock" not in path
    }
    second = clock.release()
    installed(clock, FAKE_PYTHON="3.13.5")
    assert clock.release() != second
    assert clock.release("previous") == second
    assert not (clock.root / "opt/gammonclock" / first).exists()


def test_going_back_and_forth(clock: Pi) -> None:
    """The release and its units change places with the ones before; nothing else changes."""
    first = clock.tree()
    unit = clock.source / "systemd" / "gammonclock.service"
    unit.write_text("[Service]\n# newer\n", encoding="utf-8")
    installed(clock)
    second, releases = clock.tree(), (clock.release(), clock.release("previous"))
    assert clock.read("etc/systemd/system/gammonclock.service") == "[Service]\n# newer\n"
    ran = clock.run("rollback-pi", FAKE_NO_NETWORK="1")
    assert (ran.code, ran.err) == (0, "")
    assert (clock.release("previous"), clock.release()) == releases
    service = "etc/systemd/system/gammonclock.service"
    assert clock.tree()[service] == first[service]
    assert clock.run("rollback-pi").code == 0
    assert clock.tree() == second


def test_a_release_that_cannot_run_any_more_is_not_used(clock: Pi) -> None:
    newer(clock)
    installed(clock)
    before = clock.tree()
    ran = clock.run("rollback-pi", FAKE_OLD_PYTHON="1")
    assert (ran.code, "cannot run on this system; nothing was changed" in ran.err) == (1, True)
    assert clock.tree() == before


@pytest.mark.parametrize("script", ["install-pi", "rollback-pi"])
def test_a_match_under_way_is_not_interrupted(clock: Pi, script: str) -> None:
    """Nothing is changed, and the message says which match, and how to interrupt it."""
    newer(clock)
    installed(clock)
    clock.write("var/lib/gammonclock/current.jsonl", "")
    newer(clock, "3")
    before, match = clock.tree(), "A, B  3-2 of 7  RUNNING"
    ran = clock.run(script, FAKE_MATCH=match)
    assert ran.code == 1
    assert f"a match is under way: {match}. Nothing was changed." in ran.err
    assert f"sudo make {script} FORCE=1" in ran.err
    assert clock.tree() == before
    assert clock.run(script, FAKE_MATCH=match, FORCE="1").code == 0
    assert clock.tree() != before


def test_each_library_is_installed_by_its_hash(clock: Pi) -> None:
    """Also those that build the clock; only the clock itself has none."""
    notes = clock.notes.read_text("utf-8").splitlines()
    *libraries, wheel = [line for line in notes if " pip install " in line]
    assert [line.split()[-1].rpartition("/")[2] for line in libraries] == [
        "requirements.txt", "requirements-build.txt",
    ]  # fmt: skip
    assert all("--require-hashes" in line and "--no-index" not in line for line in libraries)
    assert "--no-index --no-deps" in wheel


def test_a_bundle_needs_no_network(pi: Pi) -> None:
    """A folder `wheels` in the source is all that pip looks at, and apt is not asked."""
    (pi.source / "wheels").mkdir()
    pi.write("var/lib/dpkg/status", "python3-venv\n")
    installed(pi)
    notes = pi.notes.read_text("utf-8").splitlines()
    assert [line for line in notes if line.startswith("apt-get")] == []
    asked = [line for line in notes if " pip install " in line]
    assert all("--no-index" in line for line in asked)
    assert sum(f"--find-links {pi.source}/wheels" in line for line in asked) == 2


def test_a_bundle_whose_sums_are_wrong_is_refused(pi: Pi) -> None:
    """Nothing is changed, and the message names the file and says what to do."""
    (pi.source / "SHA256SUMS").write_text(sums(pi.source), encoding="utf-8")
    installed(pi)
    pi.run("uninstall-pi", PURGE="1")
    before = pi.tree()
    (pi.source / "systemd" / "gammonclock.service").write_text("[Service]\n", encoding="utf-8")
    ran = pi.run("install-pi")
    assert ran.code != 0
    assert "systemd/gammonclock.service: FAILED" in ran.out + ran.err
    assert "Unpack the bundle again" in ran.err
    assert pi.tree() == before


def test_a_failed_update_changes_nothing(clock: Pi) -> None:
    """Not a byte is changed, and the message says so; the next try succeeds."""
    before = clock.tree()
    newer(clock)
    ran = clock.run("install-pi", FAKE_NO_NETWORK="1")
    assert ran.code == 1
    assert "the version before it is unchanged" in ran.err
    assert clock.tree() == before
    installed(clock)


def test_an_interrupted_installation_can_be_finished_or_undone(pi: Pi) -> None:
    before = pi.tree()
    pi.run("install-pi", FAKE_NO_NETWORK="1")
    (pi.root / "opt/gammonclock/current.new").symlink_to("nowhere")
    installed(pi)
    assert not (pi.root / "opt/gammonclock/current.new").is_symlink()
    pi.run("uninstall-pi", PURGE="1")
    assert pi.tree() == before


def test_a_damaged_environment_is_replaced(clock: Pi) -> None:
    before = clock.tree()
    (clock.root / "opt/gammonclock/current/bin/gammonclock").unlink()
    assert "made the environment" in installed(clock).out
    assert clock.tree() == before


def test_unavailable_packages_are_reported(pi: Pi) -> None:
    """The pins work without those of the other factories, but nothing without python3-venv."""
    ran = installed(pi, FAKE_UNAVAILABLE="python3-lgpio python3-rpi-lgpio")
    assert "could not install the package python3-lgpio" in ran.out
    (pi.root / "var/lib/dpkg/status").write_text("bash\n", encoding="utf-8")
    ran = pi.run("install-pi", FAKE_UNAVAILABLE="python3-venv")
    assert (ran.code, "python3-venv cannot be installed" in ran.err) == (1, True)


def test_the_conflicting_package_is_not_removed(pi: Pi) -> None:
    """RPi.GPIO in its old package: the two exclude each other, and nothing is ever removed."""
    pi.write("var/lib/dpkg/status", "python3-rpi.gpio\n")
    installed(pi)
    notes = pi.notes.read_text(encoding="utf-8").splitlines()
    asked = [line for line in notes if line.startswith("apt-get") and "install" in line]
    assert [line.split()[-1] for line in asked] == ["python3-venv", "python3-lgpio"]
    assert all("--no-remove" in line for line in asked)


def test_existing_settings_are_kept_and_the_message_says_so(clock: Pi) -> None:
    before = clock.tree()
    assert "kept the settings" in installed(clock, PROFILE="nbgf").out
    assert "kept the settings" not in installed(clock).out
    assert clock.tree() == before


def test_a_foreign_link_is_kept(pi: Pi) -> None:
    link = pi.root / "usr/local/bin/gammonclock"
    link.symlink_to("/home/pi/mine")
    assert "kept /usr/local/bin/gammonclock" in installed(pi).out
    pi.run("uninstall-pi")
    assert str(link.readlink()) == "/home/pi/mine"


def test_a_foreign_command_is_kept(pi: Pi) -> None:
    pi.write("usr/local/bin/gammonclock", "mine\n")
    assert "kept /usr/local/bin/gammonclock" in installed(pi).out
    pi.run("uninstall-pi")
    assert pi.read("usr/local/bin/gammonclock") == "mine\n"


UNSUITABLE = {
    "profile": ("install-pi", {"PROFILE": "fide"}, "there is no "),
    "32-bit": ("install-pi", {"FAKE_ARCHITECTURE": "armhf"}, '"Raspberry Pi OS Lite (64-bit)"'),
    "old": ("install-pi", {"FAKE_OLD_PYTHON": "1", "FAKE_PYTHON": "3.9.2"}, "Python 3.9.2"),
    "nothing-before": ("rollback-pi", {}, "there is no release to go back to"),
    "nothing-to-uninstall": ("uninstall-pi", {}, "no clock is installed"),
}
if not Path("/proc/device-tree/model").exists():  # on a Pi it would install a clock
    UNSUITABLE["no-pi"] = ("install-pi", {"ROOT": ""}, "this machine is not a Raspberry Pi")


@pytest.mark.parametrize(("script", "environ", "said"), UNSUITABLE.values(), ids=UNSUITABLE)
def test_an_unsuitable_system_is_not_changed(
    pi: Pi, script: str, environ: dict[str, str], said: str
) -> None:
    before = pi.tree()
    ran = pi.run(script, **environ)
    assert ran.code == 1
    assert said in ran.err
    assert "nothing was changed" in ran.err
    assert (pi.tree(), pi.notes.exists()) == (before, False)


# --- a bare tree --------------------------------------------------------------------------------

TOOLS = ("systemctl", "systemd-sysusers", "userdel", "groupdel")


def test_a_bare_tree_with_the_tools_of_this_computer(tmp_path: Path) -> None:
    """A tree with two files and nothing to change the root to; only Python and pip are not real."""
    needs_root()
    for tool in TOOLS:
        needs(tool)
    pi = Pi(tmp_path)
    shutil.rmtree(pi.root)
    for name in FAKES.keys() - {"python3"}:
        (pi.bin / name).unlink()
    pi.write("boot/firmware/config.txt", "arm_64bit=1\n")
    pi.write("etc/passwd", "root:x:0:0::/root:/bin/sh\n")
    before = pi.tree()
    assert pi.run("install-pi").code == 0
    assert "\ngammonclock:" in pi.read("etc/passwd")
    assert "\ngammonclock:" in pi.read("etc/group")
    assert (pi.root / "etc/systemd/system/multi-user.target.wants/gammonclock.service").is_symlink()
    ran = pi.run("uninstall-pi", PURGE="1")
    assert (ran.code, ran.err) == (0, "")
    assert "gammonclock" not in pi.read("etc/passwd") + pi.read("etc/group")
    left = pi.tree().keys() - before.keys()
    users = re.compile(r"opt|etc/\.pwd\.lock|etc/(passwd|g?shadow|group)-?")
    assert [path for path in sorted(left) if not users.fullmatch(path)] == []


# --- the page ---------------------------------------------------------------------------------


def page_table() -> list[str]:
    """What docs/install.md says is changed: the first column of its table."""
    text = INSTALL_PAGE.read_text(encoding="utf-8")
    return re.findall(r"^\| (?:package |user )?`([^`]+)`", text, re.MULTILINE)


def test_the_page_lists_what_is_changed_and_nothing_else(pi: Pi) -> None:
    """Every path, package and user of an installation has a line, and every line is true."""
    listed = page_table()
    before = pi.tree()
    installed(pi)
    after = pi.tree()
    paths = ["/" + path for path in after if after[path] != before.get(path)]
    faked = ("/etc/passwd", "/etc/group", "/var/lib/dpkg/status")
    files = [path for path in paths if not (pi.root / path[1:]).is_dir() and path not in faked]
    for path in files:
        assert any(path == entry or path.startswith(f"{entry}/") for entry in listed), path
    wanted = re.findall(r"^package (.+)$", pi.read("opt/gammonclock/added"), re.MULTILINE)
    assert [entry for entry in listed if entry.startswith("python3-")] == wanted
    there = {entry for entry in listed if entry.startswith("/") and (pi.root / entry[1:]).exists()}
    there |= {entry for entry in listed if (pi.root / entry[1:]).is_symlink()}
    assert {entry for entry in listed if entry.startswith("/")} - there == {"/var/lib/gammonclock"}
    assert "gammonclock" in listed
