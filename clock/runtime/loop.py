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
from clock.config.offer import LatestLine
from clock.config.settings import Preset, Settings
from clock.eventlog.codec import Chain, heartbeat_line
from clock.eventlog.fingerprint import Shown
from clock.eventlog.recovery import Recovery
from clock.eventlog.replay import Match
from clock.eventlog.unfinished import Unfinished
from clock.match import inputs
from clock.match.events import Record, Stamps, Writer
from clock.match.faults import Fault
from clock.match.inputs import Input
from clock.match.rules import Offer
from clock.match.state import MatchState
from clock.match.types import Pair
from clock.runtime.alerts import Alert, Snapshot, find_alerts
from clock.runtime.ports import NextMatch, Ports, TimeSource
from clock.session import ListMatches, MatchBegun, Session, SettingsFile, Step, first_match
from clock.ui.descriptions import Say, event_lines
from clock.ui.dialogue import ButtonMoved, Dialogue
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
    start: str = ""  # random digits of this start, for the names of matches; "": a virtual clock

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


def first_faces(  # noqa: PLR0913, PLR0917 (what a `Runtime` begins with, and the faults of the start)
    time: TimeSource,
    next_match: NextMatch,
    options: UiOptions,
    recovery: Recovery | None = None,
    preset: str | None = None,
    offer: Offer | None = None,
    faults: Sequence[Fault] = (),
) -> Pair[Face]:
    """Return what a `Runtime` will show first; nothing is logged, so no log code is shown yet."""
    unlogged = _Unlogged(faults)
    ports = Ports(time, unlogged, unlogged, unlogged, unlogged, next_match)
    runtime = Runtime(ports, options, recovery, preset, offer)
    return faces(runtime.view()._replace(latest=None), time.now_ns())


class _Unlogged:
    """Ports of a loop that does not run: nothing is written, shown or pressed."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        self._faults = faults

    def begin(self, match: str) -> str:
        return match

    def append(self, line: bytes) -> None: ...

    def checkpoint(self, seq: int, at_ns: int, boot: str, state: MatchState) -> None: ...

    def late_ns(self) -> None: ...

    def show(self, faces: Pair[Face]) -> None: ...

    def wait(self, until_ns: int | None) -> None: ...

    def drain(self, now_ns: int = 0) -> Any:  # noqa: ARG002 (of buttons; health has no instant)
        return self._faults

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
        self._ports, self._options = ports, options
        self._shown: Pair[Face] | None = None
        self._shown_ns = now_ns = ports.time.now_ns()
        self._alerts_checked: Snapshot | None = None
        self._next_alert_ns: int | None = None
        self._unwritten: list[bytes] = []  # lines to write once the picture is on its way
        self._checkpointed: Chain | None = None  # the state of the log at the latest checkpoint
        self._chain: Chain | None = None if recovery is None else recovery.match.chain
        self.stopping = False
        dialogue = Dialogue(code=options.code, players_start=options.players_start)
        if recovery is None:
            file, wanted = self._file(), inputs.MatchWanted(now_ns, preset, offer)
            self._carry_out(first_match(wanted, file, self._writer(file.board), dialogue))
        else:
            choices, board = self._named()
            self.session = Session(recovery.match.state, dialogue, board)
            self._carry_out(self.session.resume(recovery, self._writer(board)))
            self.session = self.session.ask(choices)
        self._note_faults(now_ns)  # known before anybody can press
        self._write_log()

    @property
    def state(self) -> MatchState:
        """The match as committed so far."""
        return self.session.state

    @property
    def match(self) -> Match:
        """The match as committed so far, and where the next line of its log goes."""
        assert self._chain is not None  # noqa: S101 (a match has been opened or resumed)
        return Match(self.state, self._chain)

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
            self.session.deadline(),
            next_face_ns(self.view(), self._shown_ns),
            self._next_alert_ns,
            self._ports.log.late_ns(),
            self._shown_ns + REREAD_NS if self._looks_outside() else None,
        )
        return min((wake for wake in wakes if wake is not None), default=None)

    def apply_input(self, happened: Input) -> None:
        """Apply an input to the match and log its events."""
        self._carry_out(self.session.apply(happened))
        self._write_log()

    def heartbeat(self, number: int) -> bytes:
        """Return a heartbeat for the serial line; any thread may call this."""
        time = self._ports.time
        chain, warnings = self.match.chain, self.session.warnings
        return heartbeat_line(number, time.boot, time.now_ns(), chain, warnings)

    def unfinished(self) -> tuple[Unfinished, ...]:
        """Return the matches that can be resumed now."""
        return () if self._ports.resumable is None else self._ports.resumable.unfinished()

    # --- the parts of a turn ------------------------------------------------------------------

    def _decide(self, moved: Sequence[ButtonMoved], horizon_ns: int) -> None:
        for edge in moved:
            self._pass_time(edge.at_ns)
            self._carry_out(self.session.press(edge))
        self._pass_time(horizon_ns)
        if not self._ports.buttons.begun():  # a press that has begun was meant for what is shown
            if self.session.follows_file:
                file = self._file()
                self._carry_out(self.session.reread(horizon_ns, file, self._writer(file.board)))
            self._look_for_offer(horizon_ns)
            self._look_for_ruling(horizon_ns)
        self._note_faults(horizon_ns)

    def _note_faults(self, at_ns: int) -> None:
        for part, what in self._ports.health.drain():
            cleared = inputs.FaultCleared(at_ns, part)
            seen = cleared if what is None else inputs.FaultSeen(at_ns, part, what)
            self._carry_out(self.session.apply(seen))

    def _pass_time(self, now_ns: int) -> None:
        while (due_ns := self.session.deadline()) is not None and due_ns <= now_ns:
            self._carry_out(self.session.pass_time(now_ns))

    def _look_for_offer(self, at_ns: int) -> None:
        if self._ports.offers is None or not self.session.takes_offers:
            return
        found = self._ports.offers.look(self._latest(), self.session.known_offers)
        if found is not None:
            self._carry_out(self.session.take_offer(at_ns, found))

    def _look_for_ruling(self, at_ns: int) -> None:
        if self._ports.rulings is None or not self.session.takes_rulings:
            return
        found = self._ports.rulings.proposed(self._latest())
        if found is not None:
            self._carry_out(self.session.take_ruling(at_ns, found))

    def _latest(self) -> LatestLine:
        _, chain = self.match
        return LatestLine(chain.match, chain.seq, chain.hash)

    def _looks_outside(self) -> bool:
        takes_offers = self._ports.offers is not None and self.session.takes_offers
        takes_rulings = self._ports.rulings is not None and self.session.takes_rulings
        return takes_offers or takes_rulings or self.session.follows_file

    def _carry_out(self, step: Step) -> None:
        """Do what the session has decided, in its order; see `clock.session`."""
        self.session, done = step
        for each in done:
            match each:
                case Record():
                    self._log(each)
                case MatchBegun(record):
                    self._begin_log(record)
                case inputs.MatchWanted():
                    file = self._file()
                    self._carry_out(self.session.open_match(each, file, self._writer(file.board)))
                case inputs.ResumeMatchWanted(at_ns=at_ns, log=log):
                    resumable = self._ports.resumable
                    found = None if resumable is None else resumable.resume_match(log, at_ns)
                    self._carry_out(
                        self.session.resume_match(each, found, self._writer(self.session.board))
                    )
                case inputs.LanguageWanted(language=language):
                    self._options = self._options._replace(say=sayer(language))
                    if self._ports.keep_language is not None:
                        self._ports.keep_language(language)
                case ListMatches():
                    self.session = self.session.list_matches(self.unfinished())

    def _file(self) -> SettingsFile:
        """Read the director's file."""
        return SettingsFile(self._ports.next_match.settings(), *self._named())

    def _named(self) -> tuple[tuple[Preset, ...], str]:
        return self._ports.next_match.choices, self._ports.next_match.board

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
        _, chain = self.match
        if chain != self._checkpointed:
            self._checkpointed = chain
            self._ports.log.checkpoint(chain.seq, now_ns, chain.boot, self.state)

    def _show(self, now_ns: int) -> None:
        self._shown_ns = now_ns
        self._present(self._lit(faces(self.view(), now_ns)))

    def _lit(self, shown: Pair[Face]) -> Pair[Face]:
        """Return these faces with the light of the next turn, if a press may have ended this one.

        If the press was none, the next turn of the loop shows the faces as they were.
        """
        after = self.session.running_after(self._ports.buttons.begun())
        return shown if after is self.state.running else lit(shown, after)

    def _present(self, shown: Pair[Face]) -> None:
        if shown != self._shown:
            self._shown = shown
            self._ports.panels.show(shown)

    def _status(self) -> str:
        """Return phase, score, match and warnings; no times, so that it seldom changes."""
        view = self.view()._replace(scoreboard=True, away=False)
        match = f"{self.state.phase.value}, {score_shown(view)}, match {self.match.chain.match}"
        return "; ".join((match, *view.warnings))

    def view(self) -> View:
        """Return what the panels are to show."""
        say = self._options.say
        session, (_, chain) = self.session, self.match
        warnings = tuple(say(f"warning_{part}") for part in session.warnings)
        notice = event_lines(session.notice, say) if session.notice else ()
        latest = Shown(chain.fingerprint_hash, chain.fingerprint_seq, self.state.score)
        view = View(self.state, session.dialogue, say, warnings=warnings, notice=notice)
        view = view._replace(latest=latest, scoreboard=self._options.scoreboard)
        return view._replace(away=self._options.away, battery=self._ports.battery())

    # --- the log ------------------------------------------------------------------------------

    def _writer(self, board: str) -> Writer:
        options, battery = self._options, self._ports.battery()
        return Writer(options.version, options.clock, board, options.stamps, battery)

    def _begin_log(self, record: Record) -> None:
        """Begin a new log with this record, and write it before anything is shown."""
        self._write_log()
        time = self._ports.time
        begun = time.wall()[:19].replace(":", "-")
        options = self._options
        start = f"_{options.start}" if options.start else ""  # a copied card has board and id, too
        name = self._ports.log.begin(f"{begun}-{self.session.board or options.clock}{start}")
        self._chain = Chain(name, time.boot)
        self._log(record)
        self._write_log()

    def _log(self, record: Record) -> None:
        self._chain, line = self.match.chain.append(record, self._ports.time.wall())
        self._unwritten.append(line)

    def _write_log(self) -> None:
        for line in self._unwritten:
            self._ports.log.append(line)
        self._unwritten.clear()
