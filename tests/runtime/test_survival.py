"""Whatever happens to the box in whatever order, no time is made and nothing acknowledged is lost.

Presses, stops, the director, crashes, reboots, a full disk, damage in the middle of a log, parts
that fail: hypothesis puts them in a row, and a book kept beside the clock says what must hold.
"""

from collections import Counter

import msgspec
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from clock.eventlog.recovery import EXACT_GAP_NS, Checkpoint
from clock.eventlog.replay import replay
from clock.match import inputs
from clock.match.faults import Fault
from clock.match.state import MatchState
from clock.match.transitions import DIRECTOR_PHASES
from clock.match.types import Button, Phase, Side
from clock.report.build import summary
from clock.runtime.startup import StartupMatch, find_match
from clock.storage.log_reader import SavedMatch
from clock.ui.dialogue import ButtonMoved
from clock.units import SECOND_NS
from clock.virtual import VirtualButtons, VirtualTime
from lab.support.examples import examples
from lab.support.loops import Parts, make_loop
from lab.support.world import LEFT, match_settings

UNKNOWN = "?"  # a book that has to be begun from the log


class Disk:
    """Logs that survive a crash, and lines that wait in memory while the disk is full."""

    def __init__(self) -> None:
        self.logs: dict[str, list[bytes]] = {}
        self.current = ""  # the log that a start finds
        self.count = 0
        self.begun = ""  # the one that lines go to
        self.waiting: list[tuple[str, bytes]] = []
        self.full = False
        self.life: Checkpoint | None = None
        self.latest: Checkpoint | None = None

    def begin(self, match: str) -> str:  # noqa: ARG002 (the name that a real log would have)
        """A log of its own."""
        self.count += 1
        self.begun = f"match-{self.count}"
        return self.begun

    def append(self, line: bytes) -> None:
        """On the disk, or in memory."""
        self.waiting.append((self.begun, line[:-1]))
        self.write()

    def write(self) -> None:
        """What waits goes to the disk, in its order, if there is room."""
        while self.waiting and not self.full:
            self.current, line = self.waiting.pop(0)
            self.logs.setdefault(self.current, []).append(line)

    def checkpoint(self, seq: int, at_ns: int, boot: str, state: MatchState) -> None:
        """Take the state for the checkpoints to come."""
        self.life = Checkpoint(self.begun, seq, at_ns, boot, state)
        self.pass_time(at_ns)

    def late_ns(self) -> int | None:
        return None

    def pass_time(self, until_ns: int) -> None:
        """Checkpoints are written, if there is room."""
        if self.life is not None and not self.full:
            self.latest = self.life.last_by(until_ns)

    def reopen(self) -> SavedMatch | None:
        lines = self.logs.get(self.current)
        return SavedMatch(tuple(lines), self.latest) if lines else None

    def keep_checkpoint(self) -> None:
        """Nothing is overwritten here."""


whiles = st.one_of(
    st.integers(0, 3 * SECOND_NS),
    st.sampled_from([0, 1, SECOND_NS, 12 * SECOND_NS, 40 * SECOND_NS, 301 * SECOND_NS]),
)
sides = st.sampled_from(Side)


class Survival(RuleBasedStateMachine):
    """A box, its disk, and a book of who played for how long."""

    def __init__(self) -> None:
        super().__init__()
        self.time, self.disk = VirtualTime(), Disk()
        self.time.ns = 5 * SECOND_NS
        self.read: dict[tuple[str, int], bytes] = {}  # by somebody who follows the log
        self.spoilt: set[str] = set()  # logs in which a bit was turned over
        self.book: Counter[Side | str | None] = Counter()  # of the current log
        self.booked = ""

    @initialize(point_s=st.sampled_from([4, 20]), ready=st.booleans())
    def switched_on(self, point_s: int, ready: bool) -> None:
        match = match_settings(length=5, time_per_point_ns=point_s * SECOND_NS, bank_step_ns=1)
        self.parts = Parts(self.time, match)
        self.start()
        if ready:
            for button in (Button.LEFT, Button.RIGHT, Button.CENTRE, Button.LEFT):
                self.push(button)

    # --- the box ------------------------------------------------------------------------------

    @property
    def state(self) -> MatchState:
        return self.runtime.state

    def find(self) -> StartupMatch:
        """What the clock would go on with now."""
        return find_match(self.disk, self.time)  # type: ignore[arg-type]

    def start(self) -> None:
        """The program starts with what is on the disk."""
        self.found = self.find()
        self.buttons = VirtualButtons(self.time)
        parts = (self.time, self.buttons, self.parts, self.disk)
        self.runtime = make_loop(*parts, begin=(self.found.recovery,))
        self.keep_book(0)

    def turn(self) -> None:
        """The loop goes round once."""
        self.runtime.turn()

    def pass_time(self, duration_ns: int) -> None:
        """Time passes; a turn falls in between only where something is due."""
        self.keep_book(duration_ns)
        self.time.ns += duration_ns
        self.disk.pass_time(self.time.ns)
        self.turn()

    def keep_book(self, duration_ns: int) -> None:
        """Who is on the clock for how long; a log of its own begins a new book."""
        if self.booked not in (self.disk.begun, UNKNOWN):
            self.book, self.booked = Counter(), self.disk.begun
        self.book[self.state.running] += duration_ns

    def push(self, button: Button) -> None:
        """Down and up at once."""
        now_ns = self.time.ns
        moves = (ButtonMoved(button, down, now_ns) for down in (True, False))
        self.buttons.move(*moves, end_ns=now_ns)
        self.turn()
        self.keep_book(0)

    # --- what happens -------------------------------------------------------------------------

    @rule(side=sides, after_ns=whiles)
    def press(self, side: Side, after_ns: int) -> None:
        self.pass_time(after_ns)
        self.push(Button(side.value))

    @precondition(lambda self: self.state.running is not None)
    @rule(after_ns=whiles)
    def mover_presses(self, after_ns: int) -> None:
        self.pass_time(after_ns)
        self.push(Button((self.state.running or LEFT).value))

    @rule(after_ns=whiles)
    def stop(self, after_ns: int) -> None:
        self.pass_time(after_ns)
        self.push(Button.CENTRE)

    @precondition(lambda self: self.state.phase in DIRECTOR_PHASES)
    @rule(side=sides, time_ns=st.integers(0, 100 * SECOND_NS), score=st.integers(0, 4))
    def direct(self, side: Side, time_ns: int, score: int) -> None:
        at_ns = self.time.ns
        self.runtime.apply_input(inputs.TimeSet(at_ns, side, time_ns, "director"))
        self.runtime.apply_input(inputs.ScoreSet(at_ns, side, score))

    @rule(part=st.sampled_from(["serial", "display"]), well=st.booleans())
    def unplug(self, part: str, well: bool) -> None:
        """A wire comes off, or is put back."""
        self.parts.faults.append(Fault(part, None if well else "gone"))
        self.turn()

    @rule(full=st.booleans())
    def fill_disk(self, full: bool) -> None:
        """Nothing more fits; or it does again, and what waited is written."""
        self.disk.full = full
        self.disk.pass_time(self.time.ns)
        self.disk.write()

    # --- what befalls it ----------------------------------------------------------------------

    @rule(
        gap_ns=st.sampled_from([0, 1, SECOND_NS, EXACT_GAP_NS, EXACT_GAP_NS + 1, 100 * SECOND_NS])
    )
    def crash(self, gap_ns: int) -> None:
        """The program dies; the computer does not."""
        before, exact = self.die(), not self.disk.waiting
        seen_ns, died_ns = self.seen_ns(), self.time.ns
        running = before.running
        self.disk.waiting.clear()
        self.time.ns += gap_ns
        self.start()
        if not exact or self.booked != self.disk.begun or self.found.recovery is None:
            self.booked = UNKNOWN
            return
        if self.time.ns - seen_ns <= EXACT_GAP_NS:
            assert self.found.recovery.restored is None
            assert self.state == before
            self.book[running] += gap_ns
        else:
            assert self.state.running is None
            self.book[running] -= died_ns - seen_ns if running else 0
            self.book[None] += self.time.ns - (seen_ns if running else died_ns)
        self.came_back()

    @rule()
    def cut_power(self) -> None:
        """Everything stops; another boot begins."""
        before, exact = self.die(), not self.disk.waiting
        unseen_ns = self.time.ns - self.seen_ns()
        self.disk.waiting.clear()
        self.time.reboot()
        self.time.ns = SECOND_NS
        self.start()
        if not exact or self.found.recovery is None:
            self.booked = UNKNOWN
            return
        assert unseen_ns <= SECOND_NS or before.running is None or self.disk.full
        for side in Side:
            known_ns = before.reserve_ns(side, before.at_ns)
            assert 0 <= self.state.reserve_ns(side, self.time.ns) <= known_ns
        self.book[before.running] -= unseen_ns
        self.came_back()

    @precondition(lambda self: not self.disk.full and len(self.disk.logs[self.disk.current]) > 1)
    @rule(at=st.integers(0, 10**6), bit=st.integers(0, 7), reboot=st.booleans())
    def spoil(self, at: int, bit: int, reboot: bool) -> None:
        """A bit of the log is turned over, and the power goes or the program dies."""
        before, name = self.die(), self.disk.current
        lines = self.disk.logs[name]
        data = bytearray(b"\n".join(lines))
        data[at % len(data)] ^= 1 << bit
        self.disk.logs[name] = bytes(data).split(b"\n")
        kept = list(self.disk.logs[name])
        if reboot:
            self.time.reboot()
            self.time.ns = SECOND_NS
        self.spoilt.add(name)
        self.start()
        assert self.disk.logs[name] == kept
        assert self.disk.current != name
        if self.found.recovery is None:
            return
        origin = self.found.recovery.origin
        assert origin is not None
        if origin.match != name:  # nothing is left of this log: the checkpoint before it counts
            assert (self.disk.latest and self.disk.latest.match) == origin.match
            self.booked = UNKNOWN
            self.came_back()
            return
        told = msgspec.json.decode(lines[origin.seq - 1])
        for side in Side:
            left_ns = self.state.reserve_ns(side, self.time.ns)
            assert 0 <= left_ns <= told[f"{side.value}_ns"]
            if origin.seq == len(lines) and origin.taken_from != "effects":
                assert left_ns >= before.reserve_ns(side, self.seen_at_death)
        self.came_back()

    def die(self) -> MatchState:
        """The state that the program had; its memory is gone."""
        self.the_log_is_the_match()
        self.disk.life = None  # the checkpoints of a dead program are not written any more
        self.seen_at_death = self.time.ns
        return self.state

    def seen_ns(self) -> int:
        """The last instant that the disk knows of."""
        last = msgspec.json.decode(self.disk.logs[self.disk.current][-1])
        latest = self.disk.latest
        signed = (last["match"], last["seq"], last["boot"])
        if latest and (latest.match, latest.seq, latest.boot) == signed:
            return max(int(last["at_ns"]), latest.at_ns)
        return int(last["at_ns"])

    def came_back(self) -> None:
        """Whoever recovers again, at once, gets the same; what was restored is shown."""
        if self.disk.full:
            return
        again = self.find().recovery
        assert again is not None
        assert (again.match.state, again.restored) == (self.state, None)
        last = msgspec.json.decode(self.disk.logs[self.disk.current][-1])
        assert (last["event"] == "restored") == (
            self.found.recovery is not None and self.found.recovery.restored is not None
        )
        assert (again.notice is not None) >= (last["event"] == "restored")

    # --- what always holds --------------------------------------------------------------------

    @invariant()
    def what_was_acknowledged_stays(self) -> None:
        """Gapless, and nobody who follows the log reads two different lines of one number."""
        for name, lines in self.disk.logs.items():
            if name in self.spoilt:
                continue
            for seq, line in enumerate(lines, 1):
                assert self.read.setdefault((name, seq), line) == line
            told = msgspec.json.decode(lines[-1])
            assert (told["match"], told["seq"]) == (name, len(lines))
        for name, seq in self.read:
            assert len(self.disk.logs[name]) >= seq or name in self.spoilt

    @invariant()
    def no_time_below_zero(self) -> None:
        """Whoever looks at the panels."""
        for side in Side:
            assert self.state.reserve_ns(side, self.time.ns) >= 0
        assert (self.state.running is not None) == (self.state.phase is Phase.RUNNING)

    def teardown(self) -> None:
        """At the end of every story, as before every crash."""
        if hasattr(self, "runtime"):
            self.disk.full = False
            self.disk.write()
            self.the_log_is_the_match()

    def the_log_is_the_match(self) -> None:
        """Replayed it gives the state; use and pauses are the raw time that has passed, exactly."""
        if self.disk.full:
            return
        self.runtime.apply_input(inputs.FaultSeen(self.time.ns, "power", "asked for a line"))
        lines = self.disk.logs[self.disk.current]
        assert replay(lines).match.state == self.state
        told = summary(lines)
        used = {side: told.used_ns(side) for side in Side}
        if self.booked == UNKNOWN:  # lines were lost that nobody had been told were saved
            self.booked, self.book = self.disk.current, Counter(used)
            self.book[None] = told.last.at_ns - sum(used.values())
        assert used == {side: self.book[side] for side in Side}
        assert sum(used.values()) + self.book[None] == told.last.at_ns


Survival.TestCase.settings = settings(
    derandomize=True,
    database=None,
    max_examples=examples(40),
    stateful_step_count=30,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
)
TestSurvival = pytest.mark.slow(Survival.TestCase)
