"""The loop: wait, drain, decide, log, show. The same in real and in virtual time.

A turn of the loop reads the time once, takes the edges that have arrived, and brings to the machine
what they mean, in the order of their stamps. What time itself brings about (a flag, a held button)
is committed only up to the horizon before which no edge can still arrive: so a press stamped before
the flag wins however late it is handled, and the record is never ahead of the facts (R39, T11). The
displays may be.

There is no tick: the loop sleeps until an edge, a deadline, or the next change of a digit shown.
"""

from collections.abc import Sequence
from typing import NamedTuple

from clock.ui import dialogue as buttons_mean
from clock.match import machine
from clock.eventlog.codec import Chain
from clock.ui.dialogue import ButtonMoved, Dialogue
from clock.match.events import Origin, Record, RestoredEvent, Stamps
from clock.ui.face import Face, View, next_face_ns, score_shown
from clock.match.inputs import FaultCleared, FaultSeen, Input, MatchWanted, Restored, TimePassed
from clock.match.state import MatchState
from clock.ui.pages import faces
from clock.match.phases import Phase
from clock.runtime.ports import Ports
from clock.eventlog.recovery import Recovered, noticed
from clock.eventlog.replay import Match
from clock.match.rules import SECOND_NS, MatchSettings
from clock.match.sides import Pair
from clock.runtime.alerts import Moment, Signal, signals
from clock.ui.descriptions import Say, tell

REREAD_NS = 2 * SECOND_NS  # how soon a changed configuration shows while nobody has confirmed


class Manner(NamedTuple):
    """How the clock presents itself; nothing of this changes a time."""

    say: Say
    version: str
    scoreboard: bool = True
    code: str = ""  # the director's
    wanted: frozenset[Signal] = frozenset()  # to be heard
    stamps: Stamps = "kernel"  # who takes the instants of the presses, for the log


class Runtime:
    """One match after another, from switching on to switching off."""

    def __init__(self, ports: Ports, manner: Manner, found: Recovered | None = None) -> None:
        """Go on with a match, or open the next one.

        Args:
            ports: the outside.
            manner: how it presents itself.
            found: the match as it was recovered; None opens a new one.
        """
        self._ports = ports
        self._manner = manner
        self._dialogue = Dialogue(code=manner.code)
        self._warnings: tuple[str, ...] = ()
        self._shown: Pair[Face] | None = None
        self._shown_ns = ports.time.now_ns()
        self._heard: Moment | None = None
        self._signal_ns: int | None = None
        self._lines: list[bytes] = []  # of the log, to be written when the picture is on its way
        self._signed: Chain | None = None  # the match of which signs of life are left
        self._notice: RestoredEvent | None = None if found is None else found.notice
        self.stopping = False
        if found is None:
            self._match = self._opened(ports.next_match.settings(), ports.time.now_ns())
        else:
            self._match = found.match
            if found.happened is not None and found.origin is not None:
                self._goes_on_anew(found.happened, found.origin)
            elif found.happened is not None:
                self.give(found.happened)

    @property
    def state(self) -> MatchState:
        """The match as committed so far."""
        return self._match.state

    def run(self) -> None:
        """Run until `stopping` is set; whoever sets it wakes the buttons."""
        self._show(self._ports.time.now_ns())
        while not self.stopping:
            self.turn()

    def turn(self) -> None:
        """One turn of the loop."""
        self._ports.buttons.wait(self._wake_ns())
        now_ns = self._ports.time.now_ns()
        moved, horizon_ns = self._ports.buttons.drain(now_ns)
        try:
            self._decide(moved, horizon_ns, now_ns)
            self._show(now_ns)
        finally:  # what was decided stands, whatever fails after it
            self._write()
        self._signal(horizon_ns)
        self._checkpoint(now_ns)
        if self._ports.supervisor is not None:
            self._ports.supervisor.turned(horizon_ns, self._status())

    def give(self, happened: Input) -> None:
        """Bring an input to the machine and log what comes of it."""
        self._give(happened)
        self._write()

    # --- a turn's parts -----------------------------------------------------------------------

    def _decide(self, moved: Sequence[ButtonMoved], horizon_ns: int, now_ns: int) -> None:
        for event in moved:
            self._hold(event.at_ns)
            self._deadlines(event.at_ns)
            self._press(event)
        self._hold(horizon_ns)
        self._reread(now_ns)
        self._faults(horizon_ns)
        self._deadlines(horizon_ns)

    def _give(self, happened: Input) -> None:
        if isinstance(happened, MatchWanted):
            self._match = self._opened(self._ports.next_match.settings(), happened.at_ns)
            return
        state, records = machine.advance(self.state, happened)
        self._match = Match(state, self._match.chain)
        for record in records:
            self._log(record)

    def _wake_ns(self) -> int | None:
        supervisor = self._ports.supervisor
        wakes = (
            None if supervisor is None else supervisor.due_ns,
            machine.next_deadline(self.state),
            self._dialogue.hold_at_ns(),
            next_face_ns(self._view(), self._shown_ns),
            self._signal_ns,
            self._ports.log.late_ns(),
            self._shown_ns + REREAD_NS if self._untouched else None,
        )
        return min((wake for wake in wakes if wake is not None), default=None)

    def _press(self, event: ButtonMoved) -> None:
        self._dialogue, happened = buttons_mean.moved(self._dialogue, self.state, event)
        if happened is not None:
            self._give(happened)

    def _hold(self, horizon_ns: int) -> None:
        """The centre button has been held long enough, by the horizon."""
        hold_at_ns = self._dialogue.hold_at_ns()
        if hold_at_ns is not None and hold_at_ns <= horizon_ns:
            self._dialogue, happened = buttons_mean.held(self._dialogue, hold_at_ns)
            if happened is not None:
                self._give(happened)

    def _deadlines(self, horizon_ns: int) -> None:
        """What time brings about by the horizon."""
        while (due_ns := machine.next_deadline(self.state)) is not None and due_ns <= horizon_ns:
            self._give(TimePassed(due_ns))

    @property
    def _untouched(self) -> bool:
        """Nobody has confirmed the settings yet: they may still change."""
        players = self.state.players
        return self.state.phase is Phase.REVIEW and not any(p.confirmed for p in players)

    def _reread(self, at_ns: int) -> None:
        """As long as no match is under way, settings that have changed are those of the match."""
        if self._untouched and self._dialogue.page is None:
            settings = self._ports.next_match.settings()
            if settings != self.state.settings:
                self._match = self._opened(settings, at_ns)

    def _faults(self, at_ns: int) -> None:
        for part, what in self._ports.health.drain():
            others = tuple(warning for warning in self._warnings if warning != part)
            self._warnings = others if what is None else (*others, part)
            seen = FaultCleared(at_ns, part) if what is None else FaultSeen(at_ns, part, what)
            self._give(seen)

    def _signal(self, horizon_ns: int) -> None:
        """Up to the horizon, as with deadlines: a press before it is no low time."""
        now = Moment(self.state, max(horizon_ns, self.state.at_ns))
        due, self._signal_ns = signals(self._heard, now, self._manner.wanted)
        self._heard = now
        if self._ports.signs is not None:
            for signal in due:
                self._ports.signs.signal(signal)
            self._ports.signs.lamps(self.state.running)

    def _checkpoint(self, now_ns: int) -> None:
        """The log leaves signs of life of the match, so it is told how that is now."""
        chain = self._match.chain
        if chain != self._signed:
            self._signed = chain
            self._ports.log.checkpoint(chain.seq, now_ns, chain.boot, self.state)

    def _show(self, now_ns: int) -> None:
        self._shown_ns = now_ns
        shown = faces(self._view(), now_ns)
        if shown != self._shown:
            self._shown = shown
            self._ports.panels.show(shown)

    def _status(self) -> str:
        """Phase, score, match and warnings; it changes as seldom as they do."""
        view = self._view()._replace(scoreboard=True)
        match = f"{self.state.phase.value}, {score_shown(view)}, match {self._match.chain.match}"
        return "; ".join((match, *view.warnings))

    def _view(self) -> View:
        say = self._manner.say
        warnings = tuple(say(f"warning_{part}") for part in self._warnings)
        notice = tell(self._notice, say) if self._notice else ()
        return View(self.state, self._dialogue, say, self._manner.scoreboard, warnings, notice)

    # --- the log ------------------------------------------------------------------------------

    def _opened(self, settings: MatchSettings, at_ns: int) -> Match:
        """A new match, with the first line of its own log."""
        manner = self._manner
        return self._begun(*machine.open_match(settings, at_ns, manner.version, manner.stamps))

    def _goes_on_anew(self, happened: Restored, origin: Origin) -> None:
        """The match goes on in a log of its own, which begins with all that is known of it."""
        manner = self._manner
        self._begun(
            *machine.restore_match(self.state, happened, origin, manner.version, manner.stamps)
        )

    def _begun(self, state: MatchState, record: Record) -> Match:
        """A match whose log begins with this record; it is there before anything is shown."""
        self._write()
        time = self._ports.time
        name = self._ports.log.begin(time.wall()[:19].replace(":", "-"))
        self._match = Match(state, Chain(name, time.boot))
        self._log(record)
        self._write()
        return self._match

    def _log(self, record: Record) -> None:
        chain, line = self._match.chain.append(record, self._ports.time.wall())
        self._match = self._match._replace(chain=chain)
        self._notice = noticed(self._notice, record)
        self._lines.append(line)

    def _write(self) -> None:
        for line in self._lines:
            self._ports.log.append(line)
        self._lines.clear()
