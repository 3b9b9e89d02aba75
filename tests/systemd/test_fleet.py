"""One card for many clocks: copied, named at the first start, and looked after over SSH.

The scripts are the real ones, in a tree for each clock; the clock's command is this checkout's.
"""

import subprocess
import sys
from pathlib import Path

import pytest

from clock.config.loader import load_settings
from lab.support.paths import DATA, ROOT
from room.cards.join import KEY_FILE, Places

pytestmark = pytest.mark.slow

SCRIPTS = ROOT / "systemd"
TAKE = "/opt/gammonclock/current/units/take-settings"
SETTINGS = (ROOT / "config" / "ebf.toml").read_text("utf-8")

# Runs the command here, with the folders of the tree that has the host's name.
SSH = """#!/bin/bash
set -e
host=${@: -2:1}
tree=$TREES/$host
[ -d "$tree" ] || { echo "ssh: connect to host $host port 22: No route to host" >&2; exit 255; }
export ROOT=$tree
exec bash -c "$(sed "s,/boot/firmware,$tree&,g; s,/var/lib/gammonclock,$tree&,g" <<<"${@: -1}")"
"""
# As sudo with the clock's own sudoers file, where nobody is there to type a password.
SUDO = f"""#!/bin/bash
shift
if grep -qx ".* NOPASSWD: $*" '{SCRIPTS}/sudoers'; then
    exec /bin/bash '{SCRIPTS}/take-settings'
fi
echo "sudo: a password is required" >&2
exit 1
"""
SYSTEMCTL = f"#!/bin/sh\nexec '{SCRIPTS}/name-card' >&2\n"
KEYGEN = '#!/bin/sh\n[ "$*" = "-A -f $ROOT" ] && echo new >"$ROOT/etc/ssh/ssh_host_ed25519_key"\n'
CLOCK = f'#!/bin/sh\nexec "{sys.executable}" -m gammonclock "$@"\n'


class Fleet:
    """Clocks, each in a tree of its own, and the computer that looks after them."""

    def __init__(self, folder: Path) -> None:
        self.trees, self.bin = folder / "trees", folder / "bin"
        self.bin.mkdir()
        programs = {"ssh": SSH, "sudo": SUDO, "systemctl": SYSTEMCTL}
        programs |= {"ssh-keygen": KEYGEN, "gammonclock": CLOCK}
        for name, text in programs.items():
            (self.bin / name).write_text(text, encoding="utf-8")
            (self.bin / name).chmod(0o755)

    def add(self, host: str, names: str = "") -> Path:
        """Add a clock with the EBF's settings; return its tree."""
        tree = self.trees / host
        for folder in ("boot/firmware", "etc/ssh", "var/lib/gammonclock", "var/lib/systemd"):
            (tree / folder).mkdir(parents=True)
        release = tree / "opt/gammonclock/1/bin"
        release.mkdir(parents=True)
        (release / "gammonclock").symlink_to(self.bin / "gammonclock")
        (release.parent.parent / "current").symlink_to("1")
        (tree / "etc/ssh/ssh_host_rsa_key").write_text("a key\n", encoding="utf-8")
        (tree / "etc/hostname").write_text("raspberrypi\n", encoding="utf-8")
        (tree / "etc/hosts").write_text("127.0.0.1\tlocalhost\n127.0.1.1\traspberrypi\n", "utf-8")
        (tree / "boot/firmware/gammonclock.toml").write_text(SETTINGS, encoding="utf-8")
        if names:
            (tree / "boot/firmware/clock.txt").write_text(names, encoding="utf-8", newline="")
        return tree

    def run(
        self, script: str, *arguments: object, tree: Path | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run a script, in a tree or on the computer that looks after the clocks."""
        environ = {"PATH": f"{self.bin}:/usr/sbin:/usr/bin:/bin", "TREES": str(self.trees)}
        return subprocess.run(
            [SCRIPTS / script, *map(str, arguments)],
            env=environ | ({"ROOT": str(tree)} if tree else {}),
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )


@pytest.fixture
def fleet(tmp_path: Path) -> Fleet:
    """Return a fleet without a clock."""
    return Fleet(tmp_path)


def content(tree: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(tree)): path.read_bytes()
        for path in sorted(tree.rglob("*"))
        if path.is_file()
    }


def board(tree: Path) -> str:
    """Return the board that the settings of a clock name."""
    return load_settings(tree / "boot/firmware/gammonclock.toml").board


# --- one card -------------------------------------------------------------------------------------


def test_a_copied_card_becomes_a_clock_of_its_own(fleet: Fleet) -> None:
    """It loses what its copies would share, and gets names and new keys at the next start."""
    tree = fleet.add("master")
    room = [str(path)[1:] for path in (KEY_FILE, *Places())]  # joined, and another one waiting
    keys = ("etc/ssh/ssh_host_rsa_key", "etc/ssh/ssh_host_rsa_key.pub")
    shared = ("etc/machine-id", "var/lib/systemd/random-seed", "var/lib/gammonclock/old.jsonl")
    for path in (*keys, *shared, *room):
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).write_text("the same\n", encoding="utf-8")
    ran = fleet.run("prepare-card", tree=tree)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "the same\n" not in [text.decode() for text in content(tree).values()]
    assert (tree / "etc/machine-id").read_bytes() == b""
    names = tree / "boot/firmware/clock.txt"
    text = names.read_text("utf-8").replace("# host", "host").replace("# board", "board")
    names.write_text(text, encoding="utf-8")
    ran = fleet.run("name-card", tree=tree)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert (tree / "etc/hostname").read_text("utf-8") == "clock-7\n"
    assert (tree / "etc/hosts").read_text("utf-8") == "127.0.0.1\tlocalhost\n127.0.1.1\tclock-7\n"
    assert board(tree) == "7"
    assert (tree / "etc/ssh/ssh_host_ed25519_key").exists()
    before = content(tree)
    again = fleet.run("name-card", tree=tree)
    assert (again.returncode, again.stdout, content(tree)) == (0, "", before)


def test_the_template_alone_changes_nothing(fleet: Fleet) -> None:
    """A copy that nobody has named keeps the names of the first card."""
    tree = fleet.add("copy", (SCRIPTS / "clock.txt").read_text("utf-8"))
    before = content(tree)
    assert fleet.run("name-card", tree=tree).returncode == 0
    assert content(tree) == before


@pytest.mark.parametrize(
    "names",
    [
        'host = "clock-7"\r\nboard = "7"\r\n',
        "host=clock-7\nboard=7",
        "board = 7 # left\nhost = clock-7",
    ],
    ids=["windows", "no-line-end", "comment"],
)
def test_any_editor_may_have_written_the_names(fleet: Fleet, names: str) -> None:
    tree = fleet.add("copy", names)
    ran = fleet.run("name-card", tree=tree)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ((tree / "etc/hostname").read_text("utf-8"), board(tree)) == ("clock-7\n", "7")


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ("host = Clock_7\nboard = 7", 'clock.txt: host: found "Clock_7"'),
        ("host = clock-7\nboard = table seven", 'clock.txt: board: found "table seven"'),
    ],
    ids=["host", "board"],
)
def test_a_wrong_name_is_reported_and_the_other_one_counts(
    fleet: Fleet, names: str, said: str
) -> None:
    """The service fails, which `systemctl status` shows; the clock starts all the same."""
    tree = fleet.add("copy", names)
    ran = fleet.run("name-card", tree=tree)
    assert ran.returncode == 1
    assert said in ran.stderr
    named = ((tree / "etc/hostname").read_text("utf-8"), board(tree))
    assert named in {("raspberrypi\n", "7"), ("clock-7\n", "")}


def test_settings_with_an_error_are_left_alone(fleet: Fleet) -> None:
    """The clock shows their error; the director's file is not touched."""
    tree = fleet.add("copy", "board = 7\n")
    settings = tree / "boot/firmware/gammonclock.toml"
    settings.write_text("[match]\nlength = 1000\n", encoding="utf-8")
    ran = fleet.run("name-card", tree=tree)
    assert (ran.returncode, "has an error" in ran.stderr) == (1, True)
    assert settings.read_text("utf-8") == "[match]\nlength = 1000\n"


def test_a_card_is_not_prepared_during_a_match(fleet: Fleet) -> None:
    tree = fleet.add("master")
    lines = (DATA / "ebf.jsonl").read_bytes().splitlines(keepends=True)
    (tree / "var/lib/gammonclock/current.jsonl").write_bytes(b"".join(lines[:20]))
    before = content(tree)
    ran = fleet.run("prepare-card", tree=tree)
    assert (ran.returncode, "a match is under way" in ran.stderr) == (1, True)
    assert content(tree) == before


# --- many clocks ----------------------------------------------------------------------------------


def test_all_clocks_take_the_settings_and_keep_their_boards(fleet: Fleet) -> None:
    trees = [fleet.add(f"clock-{number}", f"board = {number}\n") for number in (1, 2, 3)]
    ran = fleet.run("fleet", "settings", "config/us.toml", "clock-1", "clock-2", "clock-3")
    lines = ran.stdout.splitlines()
    assert ran.returncode == 0, ran.stderr
    assert [line.split()[:4] for line in lines] == [
        [f"clock-{number}", "ok", "board", str(number)] for number in (1, 2, 3)
    ]
    assert len({line.split()[-1] for line in lines}) == 1
    assert [board(tree) for tree in trees] == ["1", "2", "3"]
    assert fleet.run("fleet", "codes", "clock-1", "clock-2", "clock-3").stdout == ran.stdout


def test_a_clock_that_did_not_take_them_is_named(fleet: Fleet) -> None:
    """With the reason; the others have taken them, and the exit code is 1."""
    fleet.add("clock-1")
    ran = fleet.run("fleet", "settings", "config/us.toml", "clock-1", "clock-2")
    assert ran.returncode == 1
    assert ran.stdout.splitlines()[0].startswith("clock-1  ok ")
    assert ran.stdout.splitlines()[1].startswith("clock-2  FAILED  ssh: connect to host clock-2")
    assert "1 of 2 clocks did not do it" in ran.stderr


def test_settings_with_an_error_reach_no_clock(fleet: Fleet, tmp_path: Path) -> None:
    tree = fleet.add("clock-1")
    wrong = tmp_path / "wrong.toml"
    wrong.write_text("[match]\nlength = 1000\n", encoding="utf-8")
    ran = fleet.run("fleet", "settings", wrong, "clock-1")
    assert (ran.returncode, "clock-1  FAILED" in ran.stdout) == (1, True)
    assert (tree / "boot/firmware/gammonclock.toml").read_text("utf-8") == SETTINGS


def test_different_codes_are_reported(fleet: Fleet) -> None:
    """One clock has other rules: the exit code is 1, and both codes are printed."""
    fleet.add("clock-1")
    other = fleet.add("clock-2") / "boot/firmware/gammonclock.toml"
    other.write_text((ROOT / "config" / "us.toml").read_text("utf-8"), encoding="utf-8")
    ran = fleet.run("fleet", "codes", "clock-1", "clock-2")
    assert (ran.returncode, ran.stderr.startswith("The settings differ:\n")) == (1, True)


def test_the_logs_of_all_clocks_are_collected(fleet: Fleet, tmp_path: Path) -> None:
    """In a folder for each clock; a clock that cannot be reached is named."""
    log = (DATA / "ebf.jsonl").read_bytes()
    for host in ("clock-1", "clock-2"):
        (fleet.add(host) / "var/lib/gammonclock/match.jsonl").write_bytes(log)
    logs = tmp_path / "logs"
    ran = fleet.run("fleet", "logs", logs, "clock-1", "clock-2", "clock-3")
    assert (ran.returncode, ran.stdout.count("ok      1 files")) == (1, 2)
    assert [(logs / host / "match.jsonl").read_bytes() for host in ("clock-1", "clock-2")] == [
        log,
        log,
    ]


def test_wrong_usage_changes_nothing(fleet: Fleet) -> None:
    for arguments in (
        [],
        ["codes"],
        ["settings", "missing.toml", "clock-1"],
        ["reboot", "clock-1"],
    ):
        ran = fleet.run("fleet", *arguments)
        assert (ran.returncode, "fleet settings FILE HOST" in ran.stderr) == (2, True)


@pytest.mark.rule("R144")
def test_settings_need_no_password_and_nothing_else_is_allowed(
    fleet: Fleet, tmp_path: Path
) -> None:
    """As on images since April 2026; without the sudoers file the clock says why it refused."""
    tree, new = fleet.add("clock-1"), tmp_path / "new.toml"
    new.write_text("[match]\nlength = 7\n", encoding="utf-8")
    assert fleet.run("fleet", "settings", new, "clock-1").returncode == 0
    assert (tree / "boot/firmware/gammonclock.toml").read_bytes() == new.read_bytes()
    rules = (SCRIPTS / "sudoers").read_text("utf-8").splitlines()
    [allowed] = [line for line in rules if not line.startswith("#")]
    assert allowed == "%sudo ALL=(root) NOPASSWD: /bin/bash " + TAKE
    assert "take-settings" in (SCRIPTS / "pi.bash").read_text("utf-8")
    new.write_text("[match]\nlength = 9\n", encoding="utf-8")
    sudo = (fleet.bin / "sudo").read_text("utf-8")
    (fleet.bin / "sudo").write_text(sudo.replace("if grep", "if ! grep"), encoding="utf-8")
    refused = fleet.run("fleet", "settings", new, "clock-1")
    assert (refused.returncode, "a password is required" in refused.stdout) == (1, True)
    assert load_settings(tree / "boot/firmware/gammonclock.toml").match.length == 7
