"""The last run of a clock: matches with their logs, and the directory that it has left behind."""

from pathlib import Path
from typing import Self

from clock.eventlog.codec import Chain
from clock.eventlog.recovery import Checkpoint
from clock.eventlog.salvage import Salvaged, continue_in_new_log
from clock.match import inputs
from clock.match.events import Record, Writer
from clock.match.inputs import Input
from clock.match.machine import advance, open_match, restore_match
from clock.match.rules import MatchSettings
from clock.match.types import Pair
from clock.storage.checkpoint import CHECKPOINT, encode_slot
from clock.storage.log_reader import CURRENT
from clock.units import SECOND_NS
from lab.support.world import LEFT, RIGHT, match_settings

WALL = "2000-01-01T12:00:00.000+00:00"
BOOT, NEXT_BOOT = "boot-1", "boot-2"


class Written:
    """A match and its log, as the clock would write it."""

    def __init__(self, profile: str = "ebf", **changes: object) -> None:
        self.open("match", match_settings(profile, **changes))  # type: ignore[arg-type]

    def open(self, name: str, settings: MatchSettings, offer: str = "") -> None:
        """Begin a match, and its log."""
        self.chain, self.lines = Chain(name, BOOT), list[bytes]()
        self.state, record = open_match(settings, 0, Writer("test"), offer=offer)
        self.write(record)

    def write(self, record: Record) -> None:
        """Write a line of the log."""
        self.chain, line = self.chain.append(record, self.wall(record.at_ns))
        self.lines.append(line[:-1])

    def wall(self, _: int) -> str:
        """The day is of no matter."""
        return WALL

    def give(self, *happened: Input) -> Self:
        """Give inputs to the match, one after another, and log what they cause."""
        for each in happened:
            self.state, records = advance(self.state, each)
            for record in records:
                self.write(record)
        return self

    def ready(self) -> Self:
        """Have both players confirm the settings."""
        return self.give(inputs.Pressed(0, LEFT), inputs.Pressed(0, RIGHT), inputs.CentrePressed(0))

    def rebooted(self) -> Self:
        """Write the lines that follow on another boot."""
        self.chain = self.chain._replace(boot=NEXT_BOOT)
        return self


S = SECOND_NS
START = [
    inputs.Pressed(0, LEFT),
    inputs.Pressed(0, RIGHT),
    inputs.CentrePressed(0),
]
RUNNING = [*START, inputs.Pressed(0, RIGHT)]  # the left clock runs since 0
OVER = [  # a game ends after 20 s
    *RUNNING,
    inputs.CentrePressed(20 * S),
    inputs.Pressed(20 * S, RIGHT),
    inputs.CentrePressed(20 * S),
]
PHASES: dict[str, list[Input]] = {
    "REVIEW": [inputs.Pressed(0, LEFT)],
    "READY": START,
    "RUNNING": RUNNING,
    "STOPPED": [*RUNNING, inputs.CentrePressed(20 * S)],
    "FREE_TURN": [
        *RUNNING,
        inputs.CentrePressed(20 * S),
        inputs.Pressed(20 * S, RIGHT),
        inputs.Pressed(20 * S, RIGHT),
        inputs.Pressed(20 * S, RIGHT),
        inputs.CentrePressed(20 * S),
    ],
    "GAME_OVER": [*OVER, inputs.Pressed(20 * S, LEFT)],
    "BREAK": [*START, inputs.BreakTaken(0, Pair(1, 0))],
    "NO_CLOCK": [*START, inputs.ClockRemoved(0)],
    "PUT_ASIDE": [*RUNNING, inputs.CentrePressed(20 * S), inputs.Adjourned(20 * S)],
    "FINISHED": [*START, inputs.MatchEnded(0, LEFT, "director")],
}


def match_in(phase: str) -> Written:
    """Return a match in a phase."""
    match = Written().give(*PHASES[phase])
    assert match.state.phase == phase
    return match


def checkpoint_at(played: Written, at_ns: int, **changes: object) -> Checkpoint:
    """Return a checkpoint of this match at an instant."""
    fields = {"match": "match", "seq": played.chain.seq, "boot": BOOT} | changes
    return Checkpoint(at_ns=at_ns, state=played.state, **fields)  # type: ignore[arg-type]


def continued(of: Salvaged, why: str, name: str, *added: Input) -> list[bytes]:
    """Return a log that goes on from what was salvaged of another one, with what happens there."""
    recovery = continue_in_new_log(of, why, name, 5)
    assert recovery.restored is not None
    assert recovery.origin is not None
    restored = (recovery.match.state, recovery.restored, recovery.origin, Writer("test"))
    state, record = restore_match(*restored)
    chain, line = Chain(name, name).append(record, WALL)
    found = [line[:-1]]
    for happened in added:
        state, records = advance(state, happened)
        for record in records:
            chain, line = chain.append(record, WALL)
            found.append(line[:-1])
    return found


class Now:
    """A time."""

    def __init__(self, boot: str = BOOT, ns: int = 5) -> None:
        self.boot = boot
        self.ns = ns

    def now_ns(self) -> int:
        """Now."""
        return self.ns

    def wall(self) -> str:
        """The day is of no matter."""
        return "2026-05-01T10:00:00.000+02:00"


def put_log(path: Path, lines: list[bytes]) -> None:
    """Write the lines of a log to a file."""
    path.write_bytes(b"".join(line + b"\n" for line in lines))


def put_checkpoint(directory: Path, latest: Checkpoint) -> None:
    """Write the checkpoint file of a clock."""
    at, slot = encode_slot(1, latest)
    with (directory / CHECKPOINT).open("wb") as file:
        file.seek(at)
        file.write(slot)


def left_behind(directory: Path, lines: list[bytes], latest: Checkpoint | None = None) -> Path:
    """Write log, link and checkpoint, as the last run left them; return the log's path."""
    directory.mkdir(exist_ok=True)
    put_log(directory / "match.jsonl", lines)
    (directory / CURRENT).symlink_to("match.jsonl")
    if latest is not None:
        put_checkpoint(directory, latest)
    return directory / "match.jsonl"


def flipped(lines: list[bytes], number: int) -> list[bytes]:
    """Return the same lines with a bit of one of them, counted from 1, turned over."""
    line = bytearray(lines[number - 1])
    line[len(line) // 2] ^= 1
    return [*lines[: number - 1], bytes(line), *lines[number:]]
