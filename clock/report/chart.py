"""The chart of a match, drawn with matplotlib (the extra `chart`).

It shows both reserves over time and what happened on the way. Both axes count nanoseconds: the
horizontal one since the log's first line, the vertical one of reserve.
"""

from collections.abc import Sized
from typing import Any, Literal, NamedTuple

from matplotlib.artist import Artist
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.path import Path
from matplotlib.text import Text
from matplotlib.transforms import Bbox
from msgspec.structs import replace

from clock.match.durations import clock_text, signed_text
from clock.match.events import CorrectedEvent, LateEvent
from clock.match.rules import Reason
from clock.match.scoring import score_text
from clock.match.types import Pair, Side
from clock.report import wording
from clock.report.chart_file import own_style
from clock.report.summary import Stamp, Stop, Summary
from clock.text import printable
from clock.ui.descriptions import Say
from clock.ui.i18n import sayer
from clock.ui.names import rules_name
from clock.units import MINUTE_NS, SECOND_NS

STEPS_S = (1, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400)  # along an axis


class Period(NamedTuple):
    """The time that the horizontal axis shows, in ns since the log's first line."""

    begin_ns: int
    end_ns: int

    def clamp(self, at_ns: int) -> int:
        """Return the nearest instant that is shown."""
        return min(max(at_ns, self.begin_ns), self.end_ns)

    def span(self, begun: Stamp, ended: Stamp | None) -> tuple[int, int]:
        """Return the part of the axis that something takes; what still lasts goes to its end."""
        return self.clamp(begun.at_ns), self.clamp(ended.at_ns if ended else self.end_ns)


def period(summary: Summary) -> Period:
    """Return the time from the confirmation of the match, or what came before it, to its end."""
    begun = [summary.confirmed.at_ns] if summary.confirmed else []
    begun += [
        seated.stamp.at_ns
        for seated in summary.interventions
        if isinstance(seated.event, LateEvent)
    ]
    begin_ns = min(begun, default=0)
    return Period(begin_ns, max(summary.ended.at_ns, begin_ns + SECOND_NS))


def marked_stops(summary: Summary) -> list[Stop]:
    """Return the stops to be marked: all but those at the end of a game or after a power cut."""
    unmarked = (Reason.GAME_OVER, Reason.POWER_LOSS)
    return [stop for stop in summary.stops if stop.reason not in unmarked]


def round_step_ns(span_ns: int, most: int) -> int:
    """Return the smallest round step of which at most `most` make the span."""
    step_ns = next((s * SECOND_NS for s in STEPS_S if span_ns <= s * SECOND_NS * most), 0)
    longest_ns = STEPS_S[-1] * SECOND_NS
    return step_ns or longest_ns * -(-span_ns // (longest_ns * most))


TITLE, NORMAL, SMALL = 28, 13, 11  # sizes of text, in points

# The players' colours differ in hue for the colour-blind, and in lightness when printed in grey.
PLAYERS = Pair("#17438F", "#D67500")
INK, MUTED, GRID = "#222222", "#666666", "#D8D8D8"
GAME, BREAK, STOP = "#F4F3EF", "#D4D4D4", "#B4B4B4"

PLATE = {"color": GAME, "alpha": 0.8, "boxstyle": "square,pad=0.1"}  # hides the lines under a text

LONGEST_NAME = 24  # letters that are shown
APART = 0.11  # least distance between the two names beside the plot, in heights of the plot
MOST_SIGNS = 100  # of two that are closer than a hundredth of the plot the later is left out


def _shape(*corners: tuple[float, float]) -> Path:
    """Return a closed line through corners."""
    return Path([*corners, corners[0]], closed=True)


PAUSE = Path.make_compound_path(
    _shape((-7, -9), (-7, 9), (-2, 9), (-2, -9)), _shape((2, -9), (2, 9), (7, 9), (7, -9))
)
BOLT = _shape((2, 11), (-6, -2), (0, -2), (-2, -11), (6, 2), (0, 2))


def chart(summary: Summary, say: Say | None = None) -> Figure:
    """Return the chart of a match, in English or with the texts of another language."""
    say = say or sayer("en")
    names = summary.names.map(lambda name: wording.player_name(name, say))
    with own_style():
        return _Chart(replace(summary, names=names), say).figure


class _Chart:
    """A figure of three parts: the games on top, the reserves, and below them signs."""

    def __init__(self, summary: Summary, say: Say) -> None:
        self.summary, self.period = summary, period(summary)
        self.say = say
        self.figure = Figure()
        FigureCanvasAgg(self.figure)  # without it each label that is measured makes its own
        self.games, self.reserves, self.signs = self.figure.subplots(
            3,
            sharex=True,
            height_ratios=(10, 86, 9),
            gridspec_kw={"left": 0.07, "right": 0.88, "top": 0.83, "bottom": 0.13, "hspace": 0.02},
        )
        self._axes()
        self._games()
        self._breaks()
        self._stops()
        self._interventions_and_power_cuts()
        self._curves()
        self._reserve_changes()
        self._flags()
        self._names()
        self._title()
        self._legend()

    # --- around the reserves ------------------------------------------------------------------

    def _axes(self) -> None:
        most_ns = max(point.left_ns for curve in self.summary.curves for point in curve)
        most_ns = most_ns or MINUTE_NS
        step_ns = round_step_ns(most_ns, 6)
        self._top_ns = -(-most_ns // step_ns) * step_ns
        levels = range(0, self._top_ns + 1, step_ns)
        self.reserves.set_yticks(levels, [clock_text(level_ns) for level_ns in levels])
        self.reserves.set_ylabel(self.say("report_chart_reserve"), color=MUTED, size=SMALL)
        self.reserves.grid(axis="y", color=GRID)
        begin_ns, end_ns = self.period
        step_ns = round_step_ns(end_ns - begin_ns, 12)
        instants = range(-(-begin_ns // step_ns) * step_ns, end_ns + 1, step_ns)
        self.signs.set_xlim(begin_ns, end_ns)
        self.signs.set_xticks(instants, [clock_text(at_ns) for at_ns in instants])
        self.signs.set_xlabel(self.say("report_chart_time"), color=MUTED, size=SMALL)
        self.signs.set_ylim(-0.5, 1.5)
        self.signs.set_yticks(
            [1, 0], [self.say(f"report_chart_{row}") for row in ("stops", "director")]
        )
        self.games.set_yticks([])
        for axes in (self.games, self.reserves, self.signs):
            axes.set_axisbelow(True)
            axes.spines[:].set_visible(False)
            axes.tick_params(length=0, labelcolor=MUTED, labelsize=NORMAL)
        self.signs.tick_params(axis="y", labelsize=SMALL, pad=12)
        self.reserves.spines["bottom"].set_visible(True)
        self.reserves.tick_params(axis="x", length=5)

    def _title(self) -> None:
        summary, settings = self.summary, self.summary.settings
        left, right = map(_short, summary.names)
        score = f"{summary.score.left} - {summary.score.right}"
        if settings.best_of_three:
            score = f"{summary.legs.left} - {summary.legs.right} ({score})"
        facts = (
            wording.outcome_text(replace(summary, names=summary.names.map(_short)), self.say),
            wording.length_text(summary, self.say),
            f"{rules_name(settings.rules.profile)}, {self.say('code')} {summary.code}",
            summary.period,
        )
        title = self.figure.text(0.07, 0.92, printable(f"{left}  {score}  {right}"), size=TITLE)
        subtitle = self.figure.text(0.07, 0.87, printable("  ·  ".join(facts)))
        subtitle.set_color(MUTED)
        for text in (title, subtitle):
            _shrink(text, 0.9)

    def _names(self) -> None:
        """Write both names, and what each player has left, where the lines end."""
        left = self.summary.left
        heights = {each: max(left[each] / self._top_ns, 0.05) for each in Side}
        upper, lower = sorted(Side, key=lambda player: -heights[player])
        if heights[upper] - heights[lower] < APART:
            heights[lower] = max(heights[upper] - APART, 0.05)
            heights[upper] = heights[lower] + APART
        for player, height in heights.items():
            self._beside(height, _short(self.summary.names[player]), PLAYERS[player], "bottom")
            self._beside(height, clock_text(left[player]), INK, "top")

    def _beside(self, y: float, text: str, colour: str, align: Literal["bottom", "top"]) -> None:
        where = self.reserves.transAxes
        _shrink(self.reserves.text(1.012, y, text, va=align, transform=where, color=colour), 0.105)

    def _legend(self) -> None:
        summary = self.summary
        entries: list[tuple[Sized, str, Artist]] = [
            (marked_stops(summary), "stop", Patch(fill=False, edgecolor=STOP, hatch="////")),
            (summary.breaks, "break", Patch(color=BREAK)),
            (summary.flags, "flag", _sign(">", 11, PLAYERS.right)),
            (summary.reserve_changes, "change", _sign("o", 9, PLAYERS.left)),
            (summary.interventions, "ruling", _sign("D", 8, MUTED)),
            (summary.restorations, "power", _sign(BOLT, 16, INK)),
        ]
        shown = [(sign, self.say(f"report_chart_{key}")) for any_, key, sign in entries if any_]
        self.figure.legend(
            *zip(*shown, strict=True) if shown else ([], []),
            loc="lower left",
            bbox_to_anchor=(0.063, 0.005),
            ncols=len(entries),
            frameon=False,
            fontsize=SMALL,
        )

    # --- games, breaks, stops, power cuts -----------------------------------------------------

    def _games(self) -> None:
        """Shade the games; above them stand their numbers and the scores after them."""
        free = self.period.begin_ns  # no score is written from here on
        for game in self.summary.games:
            if game.begun is None:
                continue
            left, right = self.period.span(game.begun, game.ended)
            self.reserves.axvspan(left, right, color=GAME, zorder=0)
            score = score_text(game.score)
            won = f", {self.summary.names[game.winner]} +{game.points}" if game.winner else ""
            label = f"{self.say('report_chart_game', number=game.number)}{won}, {score}"
            self.games.axvspan(left, right, color=GAME, label=label)
            if game.winner:
                self.games.axvspan(left, right, ymax=0.1, color=PLAYERS[game.winner])
            if not game.winner or self._write(left, right, 0.36, score, size=NORMAL):
                called = wording.game_names(game, self.summary, self.say)
                self._write(left, right, 0.76, *called, size=SMALL, color=MUTED)
            elif not self._write(free, right, 0.36, score, size=NORMAL, ha="right"):
                continue
            free = right

    def _write(self, left: int, right: int, y: float, *texts: str, **how: Any) -> bool:
        """Write the first text that fits between two instants; return whether one does.

        It stands in the middle, or ends at the right one: it fits if it does so on the left.
        """
        x = right if "ha" in how else (left + right) / 2
        for text in texts:
            label = self.games.text(x, y, text, **{"ha": "center", "va": "center", **how})
            box = label.get_window_extent().transformed(self.games.transData.inverted())
            if left <= box.x0:
                return True
            label.remove()
        return False

    def _breaks(self) -> None:
        for each in self.summary.breaks:
            pause = self.say("report_chart_break")
            took_ns = each.took_ns
            took = self.say("report_under_way") if took_ns is None else clock_text(took_ns)
            allowed = self.say("report_chart_allowed", time=clock_text(each.allowed_ns))
            label = f"{each.begun.time} {pause}, {took}, {allowed}"
            left, right = self.period.span(each.begun, each.ended)
            for axes in (self.games, self.reserves):
                axes.axvspan(left, right, color=BREAK, label=label)
            self._write(left, right, 0.76, pause, size=SMALL)
            self._write(left, right, 0.36, took, size=NORMAL)

    def _stops(self) -> None:
        signs = []
        for stop in marked_stops(self.summary):
            left, right = self.period.span(stop.begun, stop.ended)
            self.reserves.axvspan(left, right, fill=False, edgecolor=STOP, hatch="////")
            length = f", {clock_text(stop.duration_ns)}" if stop.duration_ns is not None else ""
            reason = self.say(f"reason_{stop.reason.value}")
            signs.append((stop.begun, f"{reason}{length}", _sign(PAUSE, 12, INK)))
        self._signs(1, signs)

    def _interventions_and_power_cuts(self) -> None:
        signs = []
        for cut in self.summary.restorations:
            self.reserves.axvline(self.period.clamp(cut.stamp.at_ns), color=INK, linestyle="--")
            text = self.say("report_chart_power" if cut.reboot else "report_program_stopped")
            signs.append((cut.stamp, text, _sign(BOLT, 16, INK)))
        undone = {seated.takes_back for seated in self.summary.interventions}
        for seated in self.summary.interventions:
            signs.append((seated.stamp, wording.event_text(seated, self.say), _sign("D", 8, MUTED)))
            removed = isinstance(seated.event, CorrectedEvent) and seated.event.what == "clock"
            if removed and seated.stamp.line not in undone:
                at_ns = self.period.clamp(seated.stamp.at_ns)
                self.reserves.axvline(at_ns, color=INK)
                x = -68 if at_ns > sum(self.period) / 2 else 68  # away from the nearer edge
                text = self.say("report_chart_no_clock")
                self._note(at_ns, self._top_ns, text, (x, -16), bbox=PLATE)
        self._signs(0, signs)

    def _signs(self, y: int, signs: list[tuple[Stamp, str, Line2D]]) -> None:
        """Put signs into a row; of two that are too close, the later is left out."""
        begin_ns, end_ns = self.period
        room_ns = (end_ns - begin_ns) // MOST_SIGNS
        latest_ns = begin_ns - room_ns
        for stamp, text, sign in sorted(signs):
            at_ns = self.period.clamp(stamp.at_ns)
            if at_ns - latest_ns >= room_ns:
                sign.set(xdata=[at_ns], ydata=[y], label=f"{stamp.time} {text}")
                self.signs.add_line(sign)
                latest_ns = at_ns

    # --- the reserves -------------------------------------------------------------------------

    def _curves(self) -> None:
        clamp = self.period.clamp
        for player, curve in zip(Side, self.summary.curves, strict=True):
            corners = dict.fromkeys((clamp(point.at_ns), point.left_ns) for point in curve)
            line = Line2D(*zip(*corners, strict=True), color=PLAYERS[player], linewidth=2.2)
            line.set(clip_on=False, zorder=3)
            self.reserves.add_line(line)

    def _reserve_changes(self) -> None:
        """Put a dot where a reserve was changed, with the difference if there is room for it."""
        notes: list[Bbox] = []
        for change in self.summary.reserve_changes:
            more = change.new_ns >= change.old_ns
            text = signed_text(change.new_ns - change.old_ns)
            at_ns = self.period.clamp(change.stamp.at_ns)
            dot = _sign("o", 10, PLAYERS[change.player])
            dot.set(xdata=[at_ns], ydata=[change.new_ns], label=f"{change.stamp.time} {text}")
            dot.set(markeredgecolor="white", zorder=4)
            self.reserves.add_line(dot)
            place, colour = (0, 9 if more else -20), PLAYERS[change.player]
            note = self._note(at_ns, change.new_ns, text, place, color=colour, bbox=PLATE)
            box = note.get_window_extent()
            if any(box.overlaps(other) for other in notes):
                note.remove()
            else:
                notes.append(box)

    def _note(self, x: int, y: int, text: str, offset: tuple[float, float], **how: Any) -> Text:
        how = {"ha": "center", "size": SMALL, "zorder": 6, **how}
        note: Text = self.reserves.annotate(text, (x, y), offset, "data", "offset points", **how)
        return note

    def _flags(self) -> None:
        """Put a flag, with its order, where one fell; it points to its player's side."""
        for flag in self.summary.flags:
            if flag.player is not None:
                at_ns, left = self.period.clamp(flag.stamp.at_ns), flag.player is Side.LEFT
                player = self.summary.names[flag.player]
                label = f"{flag.stamp.time} {wording.flag_label(flag, player, self.say)}"
                height = 52 if flag.order == 1 else 28  # two flags do not hide each other
                x = -24 if left else 24
                cloth = [(0, height), (x, height - 10), (x / 16, height - 20)]
                shape = _shape((0, 0), *cloth, (x / 16, 0))
                sign = _sign(shape, 2 * height, PLAYERS[flag.player])
                sign.set(xdata=[at_ns], ydata=[0], label=label, zorder=5)
                self.reserves.add_line(sign)
                place, colour = (x / 3, height - 10), "white" if left else INK
                self._note(at_ns, 0, f"{flag.order}", place, va="center", color=colour)


def _sign(marker: str | Path, size: float, colour: str) -> Line2D:
    """Return a sign that stands nowhere yet."""
    return Line2D([], [], linestyle="", marker=marker, markersize=size, color=colour, clip_on=False)


def _short(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"


def _shrink(text: Text, room: float) -> None:
    """Make a text smaller if it is wider than `room`, in widths of the figure."""
    figure = text.get_figure(root=True)
    width = text.get_window_extent().width
    if figure is not None and width > room * figure.bbox.width:
        text.set_fontsize(float(text.get_fontsize()) * room * figure.bbox.width / width)
