"""The loop: wait, drain, decide, log, show. It is the same in real and in virtual time.

A turn of the loop reads the time once and applies the button edges that have arrived, in the order
of their stamps. What time itself causes (a flag, a held button) is committed only up to the horizon
before which no edge can still arrive: so a press stamped before the flag wins however late it is
handled, and the log is never ahead of the facts (R39, T11). The displays may be: at the first edge
of a press that ends a turn the panels invert, while log and accounts wait until it has settled.

There is no tick: the loop sleeps until an edge, a deadline, or the next change of a digit shown.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from clock import __version__
from clock.config.offer import OfferError
from clock.config.settings import Settings
from clock.eventlog.codec import Chain
from clock.eventlog.head import Shown
from clock.eventlog.heartbeat import heartbeat_line
from clock.eventlog.recovery import Recovery, notice_after
from clock.eventlog.replay import Match
from clock.eventlog.unfinished import Unfinished
from clock.match import inputs, machine
from clock.match.events import PutAsideEvent, Record, RestoredEvent, Stamps, Writer
from clock.match.inputs import CLOCK, PLAYERS, Input
from clock.match.rules import Offer
from clock.match.state import AT_REST, MatchState
from clock.match.types import Button, Pair, Phase
from clock.runtime.alerts import Alert, Snapshot, find_alerts
from clock.runtime.next_match import MatchChoice, Opening
from clock.runtime.ports import NextMatch, Ports, TimeSource
from clock.ui.descriptions import Say, event_lines
from clock.ui.dialogue import (
    ButtonMoved,
    Dialogue,
    handle_button,
    handle_hold,
    handle_repeat,
    in_same_moment,
)
from clock.ui.face import View, lit, next_face_ns, score_shown
from clock.ui.i18n import sayer
from clock.ui.pages import faces
from clock.units import SECOND_NS
from hardware.face import Face

SIMULATED = "00000000"  # the id of each clock without a box of its own
REREAD_NS = 2 * SECOND_NS  # how soon a changed configuration shows before it is confirmed


class UiOptions(NamedTuple):
    """How the clock presents itself; none of this changes a time."""

    say: Say
    version: str
    scoreboard: bool = True
    away: bool = False  # scores as points that are still needed
    code: str = ""  # the director's
    players_start: bool = True  # the next match, if there are presets
    wanted: frozenset[Alert] = frozenset()  # the alerts that are turned on
    stamps: Stamps = "kernel"  # what stamps the presses, for the log
    clock: str = SIMULATED  # the id of the clock, for the log

    @classmethod
    def of(cls, settings: Settings) -> "UiOptions":
        """Return how a clock with these settings presents itself."""
        display, director = settings.display, settings.director
        say = sayer(display.language)
        return cls(
            say,
            __version__,
            display.scoreboard,
            away=display.scores == "away",
            code=director.code,
            players_start=director.players_start,
        )


def first_faces(
    time: TimeSource,
    next_match: NextMatch,
    options: UiOptions,
    recovery: Recovery | None = None,
    preset: str | None = None,
    offer: Offer | None = None,
) -> Pair[Face]:
    """Return what a `Runtime` will show first; nothing is logged, so no log code is shown yet."""
    unlogged = _Unlogged()
    ports = Ports(time, unlogged, unlogged, unlogged, unlogged, next_match)
    runtime = Runtime(ports, options, recovery, preset, offer)
    return faces(runtime.view()._replace(latest=None), time.now_ns())


class _Unlogged:
    """Ports of a loop that does not run: nothing is written, shown or pressed."""

    def begin(self, match: str) -> str:
        return match

    def append(self, line: bytes) -> None: ...

    def checkpoint(self, seq: int, at_ns: int, boot: str, state: MatchState) -> None: ...

    def late_ns(self) -> None: ...

    def show(self, faces: Pair[Face]) -> None: ...

    def wait(self, until_ns: int | None) -> None: ...

    def drain(self, now_ns: int = 0) -> Any: ...

    def begun(self) -> Sequence[ButtonMoved]:
        return ()


class Runtime:
    """One match after another, from power on to power off."""

    def __init__(
        self,
        ports: Ports,
        options: UiOptions,
        recovery: Recovery | None = None,
        preset: str | None = None,
        offer: Offer | None = None,
    ) -> None:
        """Resume a match, or open the next one.

        `preset` and `offer` are what was chosen and offered for the next one before a restart.
        """
        self._ports = ports
        self._options = options
        self._dialogue = Dialogue(code=options.code, players_start=options.players_start)
        self._warnings: tuple[str, ...] = ()
        self._shown: Pair[Face] | None = None
        self._shown_ns = ports.time.now_ns()
        self._alerts_checked: Snapshot | None = None
        self._next_alert_ns: int | None = None
        self._unwritten: list[bytes] = []  # lines to write once the picture is on its way
        self._checkpointed: Chain | None = None  # the state of the log at the latest checkpoint
        self._put_aside: Chain | None = None  # the log at that line, if it came since the start
        self._notice: RestoredEvent | None = None if recovery is None else recovery.notice
        self._choice = MatchChoice(ports.next_match, ports.offers, ports.shelf)
        self.stopping = False
        self._board = ports.next_match.board
        if recovery is None:
            self._open_match(inputs.MatchWanted(ports.time.now_ns(), preset, offer))
            return
        self._match = recovery.match
        if recovery.origin is not None:
            self._continue(recovery)
        elif recovery.restored is not None:
            self.apply_input(recovery.restored)
        self._ask()

    @property
    def state(self) -> MatchState:
        """The match as committed so far."""
        return self._match.state

    def run(self) -> None:
        """Run until `stopping` is set; the thread that sets it must wake the buttons."""
        self._show(self._ports.time.now_ns())
        while not self.stopping:
            self.turn()

    def turn(self) -> None:
        """Do one turn of the loop."""
        self._ports.buttons.wait(self.due_ns())
        if self._shown is not None:
            self._present(self._lit(self._shown))  # a player waits for it: before all else
        now_ns = self._ports.time.now_ns()
        moved, horizon_ns = self._ports.buttons.drain(now_ns)
        try:
            self._decide(moved, horizon_ns)
            self._show(now_ns)
        finally:  # what was decided is logged even if the rest of the turn fails
            self._write_log()
        self._announce_alerts(horizon_ns)
        self._checkpoint(now_ns)
        if self._ports.supervisor is not None:
            self._ports.supervisor.turned(horizon_ns, self._status())

    def due_ns(self) -> int | None:
        """Return when the next turn is due even if no button moves; None: never."""
        supervisor = self._ports.supervisor
        wakes = (
            None if supervisor is None else supervisor.due_ns,
            machine.next_deadline(self.state),
            self._dialogue.hold_at_ns(),
            self._dialogue.repeat_at_ns(),
            next_face_ns(self.view(), self._shown_ns),
            self._next_alert_ns,
            self._ports.log.late_ns(),
            self._shown_ns + REREAD_NS if self._follows_file() or self._takes_offers() else None,
        )
        return min((wake for wake in wakes if wake is not None), default=None)

    def apply_input(self, happened: Input) -> None:
        """Apply an input to the match and log its events."""
        self._apply(happened)
        self._write_log()

    def heartbeat(self, number: int) -> bytes:
        """Return a heartbeat for the serial line; any thread may call this."""
        time = self._ports.time
        return heartbeat_line(number, time.boot, time.now_ns(), self._match.chain, self._warnings)

    def unfinished(self) -> tuple[Unfinished, ...]:
        """Return the matches that can be taken up now."""
        return () if self._ports.shelf is None else self._ports.shelf.unfinished()

    # --- the parts of a turn ------------------------------------------------------------------

    def _decide(self, moved: Sequence[ButtonMoved], horizon_ns: int) -> None:
        for edge in moved:
            self._apply_hold(edge.at_ns)
            self._apply_deadlines(edge.at_ns)
            self._apply_edge(edge)
        self._apply_hold(horizon_ns)
        if not self._ports.buttons.begun():  # a press that has begun was meant for what is shown
            self._reread_settings(horizon_ns)
            self._look_for_offer(horizon_ns)
        self._apply_faults(horizon_ns)
        self._apply_deadlines(horizon_ns)

    def _apply(self, happened: Input | None) -> None:
        if happened is None:
            return
        if isinstance(happened, inputs.MatchWanted):
            if given_up := self._choice.give_up(self.state.standing_offer, happened):
                self._advance(given_up)
            self._open_match(happened)
            return
        if isinstance(happened, inputs.TakeUpWanted):
            self._take_up(happened)
            return
        if isinstance(happened, inputs.LanguageWanted):
            self._options = self._options._replace(say=sayer(happened.language))
            if self._ports.keep_language is not None:
                self._ports.keep_language(happened.language)
            happened = inputs.Noted(happened.at_ns, Button.CENTRE)
        self._advance(happened)
        if isinstance(happened, inputs.OfferRefused) and happened.by == PLAYERS:
            self._choice.refuse(happened.offer)
            self._open_match(inputs.MatchWanted(happened.at_ns))

    def _advance(self, happened: Input) -> None:
        state, records = machine.advance(self.state, happened)
        self._match = Match(state, self._match.chain)
        for record in records:
            self._log(record)

    def _apply_edge(self, edge: ButtonMoved) -> None:
        before = self._dialogue
        self._dialogue, happened = handle_button(before, self.state, edge)
        self._dialogue = self._choice.list_unfinished(before, self._dialogue)
        self._apply(happened)

    def _apply_hold(self, horizon_ns: int) -> None:
        """Apply what held buttons mean by the horizon: the centre's hold, a plunger's repeats."""
        while (at_ns := self._dialogue.repeat_at_ns()) is not None and at_ns <= horizon_ns:
            self._dialogue = handle_repeat(self._dialogue, self.state, at_ns)
        hold_at_ns = self._dialogue.hold_at_ns()
        if hold_at_ns is not None and hold_at_ns <= horizon_ns:
            self._dialogue, happened = handle_hold(self._dialogue, self.state, hold_at_ns)
            self._apply(happened)

    def _apply_deadlines(self, horizon_ns: int) -> None:
        while (due_ns := machine.next_deadline(self.state)) is not None and due_ns <= horizon_ns:
            self._apply(inputs.TimePassed(due_ns))

    def _apply_faults(self, at_ns: int) -> None:
        for part, what in self._ports.health.drain():
            others = tuple(warning for warning in self._warnings if warning != part)
            self._warnings = others if what is None else (*others, part)
            self._apply(
                inputs.FaultCleared(at_ns, part)
                if what is None
                else inputs.FaultSeen(at_ns, part, what)
            )

    # --- the next match -----------------------------------------------------------------------

    def _follows_file(self) -> bool:
        return self._choice.follows_file(self.state, self._dialogue)

    def _takes_offers(self) -> bool:
        return self._choice.takes_offers(self.state, self._dialogue)

    def _ask(self) -> None:
        self._dialogue = self._choice.ask(self.state, self._dialogue)

    def _reread_settings(self, at_ns: int) -> None:
        """Open the match anew if its settings have changed in the file before it is confirmed."""
        if not self._follows_file():
            return
        opening = self._choice.opening(
            inputs.MatchWanted(at_ns, self.state.preset, self.state.standing_offer)
        )
        now = (self.state.settings, self._board)
        if self.state.unconfirmed and (opening.settings, opening.board) != now:
            self._open(opening, at_ns)
        self._ask()

    def _look_for_offer(self, at_ns: int) -> None:
        if not self._takes_offers():
            return
        match self._choice.look(self._match):
            case Offer() as offer:
                self._show_offer(offer, at_ns)
            case OfferError() as error:
                self._apply(inputs.OfferRefused(at_ns, error.offer, CLOCK, str(error)))
            case None:
                pass

    def _show_offer(self, offer: Offer, at_ns: int) -> None:
        """Show an offer: beside the result of a match that is over, otherwise for confirmation."""
        if self.state.phase in AT_REST:
            self._apply(inputs.OfferMade(at_ns, offer))
            return
        self._dialogue = self._dialogue.replace(page=None)
        self._open_match(inputs.MatchWanted(at_ns, offer=offer))

    def _open_match(self, wanted: inputs.MatchWanted) -> None:
        self._open(self._choice.opening(wanted), wanted.at_ns)
        self._ask()

    def _take_up(self, wanted: inputs.TakeUpWanted) -> None:
        """Go on with a match that is not over; if it cannot be read all stays as it is."""
        recovery = self._choice.take_up(wanted)
        if recovery is None:
            self._advance(inputs.Noted(wanted.at_ns, Button.CENTRE))
            return
        if given_up := self._choice.give_up(self.state.standing_offer, wanted):
            self._advance(given_up)
        self._continue(recovery)

    def _continue(self, recovery: Recovery) -> None:
        """Go on, stopped, with a match of another log in a log of its own."""
        state, (restored, origin) = recovery.match.state, (recovery.restored, recovery.origin)
        if restored is not None and origin is not None:
            self._begin_log(*machine.restore_match(state, restored, origin, self._writer()))

    def _open(self, opening: Opening, at_ns: int) -> None:
        settings, preset, offer, self._board = opening
        self._begin_log(*machine.open_match(settings, at_ns, self._writer(), preset, offer))

    # --- what is shown, sounded and kept ------------------------------------------------------

    def _announce_alerts(self, horizon_ns: int) -> None:
        """Sound alerts up to the horizon only: a press before it may still prevent one."""
        now = Snapshot(self.state, max(horizon_ns, self.state.at_ns))
        due, self._next_alert_ns = find_alerts(self._alerts_checked, now, self._options.wanted)
        self._alerts_checked = now
        if self._ports.outputs is not None:
            for alert in due:
                self._ports.outputs.announce(alert)
            self._ports.outputs.light(self.state.running)

    def _checkpoint(self, now_ns: int) -> None:
        """Checkpoint the match after each change; the log repeats it while a clock runs."""
        chain = self._match.chain
        if chain != self._checkpointed:
            self._checkpointed = chain
            self._ports.log.checkpoint(chain.seq, now_ns, chain.boot, self.state)

    def _show(self, now_ns: int) -> None:
        self._shown_ns = now_ns
        self._present(self._lit(faces(self.view(), now_ns)))

    def _lit(self, shown: Pair[Face]) -> Pair[Face]:
        """Return these faces with the light of the next turn, if a press may have ended this one.

        Log and accounts do not depend on it. If the press was none, the next turn of the loop shows
        the faces as they were.
        """
        mover = self.state.running
        begun = self._ports.buttons.begun()
        stamps = [press.at_ns for press in begun if press.button.side is mover]
        if mover is None or not stamps:
            return shown
        if in_same_moment(self._dialogue, self.state, mover, stamps[0]):
            return shown
        return lit(shown, machine.running_after(self.state, inputs.Pressed(stamps[0], mover)))

    def _present(self, shown: Pair[Face]) -> None:
        if shown != self._shown:
            self._shown = shown
            self._ports.panels.show(shown)

    def _status(self) -> str:
        """Return phase, score, match and warnings; no times, so that it seldom changes."""
        view = self.view()._replace(scoreboard=True, away=False)
        match = f"{self.state.phase.value}, {score_shown(view)}, match {self._match.chain.match}"
        return "; ".join((match, *view.warnings))

    def view(self) -> View:
        """Return what the panels are to show."""
        say = self._options.say
        warnings = tuple(say(f"warning_{part}") for part in self._warnings)
        notice = event_lines(self._notice, say) if self._notice else ()
        chain, scoreboard = self._match.chain, self._options.scoreboard
        if self.state.phase is Phase.PUT_ASIDE and self._put_aside is not None:
            chain = self._put_aside  # the list of matches shows its head, whatever is pressed since
        latest = Shown(chain.hash, chain.seq, self.state.score)
        view = View(self.state, self._dialogue, say, scoreboard, warnings, notice, latest)
        return view._replace(away=self._options.away, battery=self._ports.battery())

    # --- the log ------------------------------------------------------------------------------

    def _writer(self) -> Writer:
        options = self._options
        battery = self._ports.battery()
        return Writer(options.version, options.clock, self._board, options.stamps, battery)

    def _begin_log(self, state: MatchState, record: Record) -> None:
        """Begin a new log with this record, and write it before anything is shown."""
        self._write_log()
        time = self._ports.time
        begun = time.wall()[:19].replace(":", "-")
        name = self._ports.log.begin(f"{begun}-{self._board or self._options.clock}")
        self._match = Match(state, Chain(name, time.boot))
        self._log(record)
        self._write_log()

    def _log(self, record: Record) -> None:
        chain, line = self._match.chain.append(record, self._ports.time.wall())
        self._match = self._match._replace(chain=chain)
        if isinstance(record.event, PutAsideEvent):
            self._put_aside = chain
        self._notice = notice_after(self._notice, record)
        self._unwritten.append(line)

    def _write_log(self) -> None:
        for line in self._unwritten:
            self._ports.log.append(line)
        self._unwritten.clear()
