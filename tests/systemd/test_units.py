"""The service and what it is started from fit together, and fit the clock.

What a unit must not say is as important: nothing that may be missing keeps the clock from starting.
"""

import re
import shlex
import subprocess
from collections import defaultdict
from ipaddress import ip_network
from pathlib import Path

import pytest

from clock.config.schema import LogTable
from lab.support.needs import needs
from lab.support.paths import ROOT
from room.cards.join import CLOCK_USER, KEY_FILE, LINK_USER, Places
from room.settings.link import OFFERS as LINK_OFFERS
from room.settings.link import PATH as LINK_FILE

UNITS = ROOT / "systemd"
Unit = dict[str, list[str]]


def read_unit(name: str) -> Unit:
    """The values of every key, in their order; an unescaped comment ends nothing."""
    values: Unit = defaultdict(list)
    for line in (UNITS / name).read_text(encoding="utf-8").splitlines():
        if line and line[0] not in "#[":
            key, _, value = line.partition("=")
            values[key].append(value)
    return values


@pytest.fixture
def unit() -> Unit:
    return read_unit("gammonclock.service")


def shell(name: str) -> str:
    """The value of a variable of the installation's scripts."""
    lines = (UNITS / "pi.bash").read_text(encoding="utf-8").splitlines()
    [value] = [line.partition("=")[2] for line in lines if line.startswith(f"{name}=")]
    return shlex.split(value, comments=True)[0]


@pytest.fixture
def room_unit() -> Unit:
    """What takes the file of a room."""
    return read_unit("gammonclock-room.service")


OFFERS = "/run/gammonclock-link"  # where the link puts what the room sends


EXPOSURES = {"": 5, "-card": 15, "-room": 15, "-link": 10, "-hub": 15}  # highest, in tenths


@pytest.mark.slow  # quick tests need no program
@pytest.mark.parametrize("name", EXPOSURES)
def test_systemd_knows_the_keys_and_finds_little_exposed(name: str, tmp_path: Path) -> None:
    """The program need not be installed for this; all else is checked as it stands."""
    analyze = needs("systemd-analyze")
    file = f"gammonclock{name}.service"
    text = (UNITS / file).read_text(encoding="utf-8")
    unit = tmp_path / file
    unit.write_text(re.sub(r"^ExecStart=\S+", "ExecStart=/bin/true", text, flags=re.MULTILINE))
    keys = [analyze, "verify", "--man=no", "--recursive-errors=no", str(unit)]
    exposure = [analyze, "security", "--no-pager", "--offline=true", str(unit)]
    for command in (keys, [*exposure, f"--threshold={EXPOSURES[name]}"]):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        assert not done.stderr  # what `verify` finds does not always make it fail


def test_the_unit_starts_the_installed_command(unit: Unit) -> None:
    """The release that `current` links to, as the command that runs the box."""
    assert unit["ExecStart"] == [f"{shell('opt')}/current/bin/gammonclock run --offers {OFFERS}"]


def test_the_unit_always_restarts(unit: Unit) -> None:
    assert (unit["Restart"], unit["RestartSec"]) == (["always"], ["10ms"])
    assert unit["StartLimitIntervalSec"] == ["0"]
    assert not [key for key in unit if key.startswith(("RestartPrevent", "StartLimitBurst"))]


def test_nothing_that_may_be_missing_is_required(unit: Unit) -> None:
    """Drivers, networks, mounts: a dependency that fails would leave the clock down."""
    required = ("Requires", "Requisite", "BindsTo", "PartOf", "RequiresMountsFor", "Conflicts")
    assert not [key for key in unit if key.startswith((*required, "Condition", "Assert"))]
    assert "network" not in " ".join(unit["After"] + unit["Wants"])
    assert unit["Wants"] == unit["After"]


def test_every_group_of_the_unit_is_created(unit: Unit) -> None:
    """A unit does not start while one of its groups is missing; its user can be the doctor's."""
    lines = (UNITS / "sysusers.d.conf").read_text(encoding="utf-8").splitlines()
    made = [line.split()[:3] for line in lines if not line.startswith("#")]
    assert unit["User"] == unit["Group"] == ["gammonclock"]
    groups = unit["SupplementaryGroups"][0].split()
    assert made == [
        *(["g", group, "-"] for group in groups),
        ["u", "gammonclock", "-"],
        *(["m", "gammonclock", group] for group in groups),
        ["u", "gammonclock-link", "-"],
    ]


def test_the_log_directory_is_the_default_and_readable_for_all(unit: Unit) -> None:
    """The default directory of the configuration; written by the clock alone."""
    assert LogTable().directory == f"/var/lib/{unit['StateDirectory'][0]}" == shell("logs")
    assert (unit["StateDirectoryMode"], unit["UMask"]) == (["0755"], ["0022"])
    assert "ReadWritePaths" not in unit


def test_the_devices_are_pins_panels_and_serial_ports(unit: Unit) -> None:
    """And no other; each of a driver's own is known before the clock starts."""
    assert unit["DevicePolicy"] == ["closed"]
    kinds = [f"char-{kind}" for kind in ("gpiochip", "i2c", "spi", "ttyAMA", "ttyUSB", "ttyACM")]
    kinds.insert(4, "/dev/ttyS0")  # its class has the consoles in it
    assert unit["DeviceAllow"] == [f"{kind} rw" for kind in kinds]
    drivers = {"i2c_dev", "spidev", "usbserial", "cdc_acm", "raspberrypi_hwmon"}
    assert set(" ".join(unit["Wants"]).split()) == {f"modprobe@{name}.service" for name in drivers}


def test_the_service_manager_listens_to_the_clock(unit: Unit) -> None:
    """READY, WATCHDOG and the lines of the buttons, from the clock's own process."""
    assert (unit["Type"], unit["NotifyAccess"]) == (["notify"], ["main"])
    assert unit["WatchdogSec"] == ["5s"]
    assert unit["FileDescriptorStoreMax"] == ["8"]


# --- the unit that takes the file of a room -----------------------------------------------------


def test_the_room_is_joined_before_the_network_and_never_waited_for(
    unit: Unit, room_unit: Unit
) -> None:
    """The clock starts beside it; without a file nothing is started."""
    assert room_unit["ConditionPathExists"] == [str(KEY_FILE)]
    assert room_unit["Before"] == ["NetworkManager.service gammonclock-link.service"]
    assert not [value for values in unit.values() for value in values if "room" in value]
    command = f"{shell('opt')}/current/bin/gammonclock room-join"
    assert (room_unit["ExecStart"], room_unit["Type"]) == ([command], ["oneshot"])


def test_the_room_unit_writes_where_the_file_goes_and_nowhere_else(room_unit: Unit) -> None:
    """The folders of `Places`, which exist before the clock first runs, and the boot partition."""
    writable = [path.removeprefix("-") for path in " ".join(room_unit["ReadWritePaths"]).split()]
    folders = [str(path.parent) for path in (KEY_FILE, *Places())]
    assert sorted(writable) == sorted(folders)
    lines = (UNITS / "tmpfiles.d.conf").read_text(encoding="utf-8").splitlines()
    made = [line.split()[1:5] for line in lines if not line.startswith("#")]
    assert made == [
        [str(Places().offer_key.parent), "0755", CLOCK_USER, CLOCK_USER],
        [str(Places().link.parent), "0700", LINK_USER, LINK_USER],
        [str(Places().link.parent), "-", LINK_USER, LINK_USER],  # and all files in it
    ]


def test_a_card_is_named_before_the_clock_starts(unit: Unit) -> None:
    """By what each release keeps beside its units; the clock does not wait for it to succeed."""
    card = read_unit("gammonclock-card.service")
    assert card["ExecStart"] == [f"/bin/bash {shell('opt')}/current/units/name-card"]
    assert "name-card)" in (UNITS / "pi.bash").read_text(encoding="utf-8")
    assert "gammonclock.service" in card["Before"][0].split()
    assert not [value for values in unit.values() for value in values if "card" in value]


# --- the link of a clock, and the hub of a room ---------------------------------------------------


@pytest.fixture
def link_unit() -> Unit:
    """What sends the logs of a clock."""
    return read_unit("gammonclock-link.service")


def test_the_clock_knows_no_link_and_goes_first(unit: Unit, link_unit: Unit) -> None:
    """Memory and processor are the clock's; the link is killed first and cannot grow."""
    named = [key for key, values in unit.items() if "gammonclock-link" in " ".join(values)]
    assert named == ["ExecStart"]  # a directory that may be missing
    assert int(link_unit["OOMScoreAdjust"][0]) > 0 > int(unit["OOMScoreAdjust"][0])
    limits = ("MemoryMax", "TasksMax", "CPUQuota", "CPUWeight")
    assert all(len(link_unit[limit]) == 1 for limit in limits)
    assert not {"Requires", "BindsTo", "PartOf", "Conflicts"} & set(link_unit)


def test_the_link_reads_the_log_and_writes_offers_alone(link_unit: Unit) -> None:
    """It starts when there is a room, as a user of its own."""
    assert link_unit["ConditionPathExists"] == [str(LINK_FILE)]
    assert link_unit["User"] == link_unit["Group"] == [LINK_USER]
    assert "StateDirectory" not in link_unit
    assert link_unit["RuntimeDirectory"] == [Path(OFFERS).name]
    assert (OFFERS, link_unit["RuntimeDirectoryMode"]) == (str(LINK_OFFERS), ["0755"])
    assert "ReadWritePaths" not in link_unit
    assert link_unit["ExecStart"] == [f"{shell('opt')}/current/bin/gammonclock link"]


@pytest.mark.parametrize("name", ["link", "hub"])
def test_only_private_networks_can_be_reached(name: str) -> None:
    found = read_unit(f"gammonclock-{name}.service")
    assert found["IPAddressDeny"] == ["any"]
    (allowed,) = found["IPAddressAllow"]
    local, *networks = allowed.split()
    assert local == "localhost"
    assert all(ip_network(each).is_private for each in networks)


@pytest.mark.parametrize(("name", "never_after"), [("link", ["2"]), ("hub", [])])
def test_a_unit_comes_back_however_often_it_ends(name: str, never_after: list[str]) -> None:
    """The link's file comes with a card, and ends it with 2 if it is wrong; the hub's is mended."""
    found = read_unit(f"gammonclock-{name}.service")
    assert (found["Restart"], found["RestartPreventExitStatus"]) == (["always"], never_after)
    assert found["StartLimitIntervalSec"] == ["0"]
