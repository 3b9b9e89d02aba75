"""The chart of a match: both reserves over its time, and what happened on the way.

The one rule: what is nearer to the reader's question is drawn later; the lines of the reserves and
the flags are never hidden by a game, a break or a stop.
"""

from collections.abc import Iterator

from clock.report.chart_frame import BAND, BOTTOM, COLOURS, FADED, FAINT, HEIGHT, INK, LEFT, PAPER, RIGHT, STRIP_BOTTOM, STRIP_TOP, WIDTH, Frame, framed, shortened, width
from clock.report.chart_marks import adjustments, backdrop, flags, signs
from clock.report.chart_signs import legend
from clock.match.time_format import clock_text
from clock.report.drawing import Area, Drawing, Line, Shape, Spot, Words, box
from clock.ui.i18n import sayer
from clock.match.rules import Format
from clock.match.sides import Side
from clock.report.summary import Game, Summary
from clock.ui.descriptions import Say

TITLE, SUBTITLE, LABEL, SMALL = 420, 230, 210, 180  # sizes of letters
LINE = 30  # width of a reserve's line
APART = 560  # between the names at the ends of the lines
ENGLISH = sayer("en")


def chart(summary: Summary, say: Say = ENGLISH) -> Drawing:
    """The picture of a match.

    Args:
        summary: of its log.
        say: words for the events, as on the displays.
    """
    frame = framed(summary)
    shapes = (
        Area(box(0, 0, WIDTH, HEIGHT), PAPER),
        *_bands(summary, frame),
        *_axes(summary, frame),
        *backdrop(summary, frame),
        *_reserves(summary, frame),
        *adjustments(summary, frame),
        *flags(summary, frame),
        *signs(summary, frame, say),
        *_ends(summary, frame),
        *_title(summary, say),
        *legend(summary),
    )
    return Drawing(WIDTH, HEIGHT, shapes)


# --- around the plot --------------------------------------------------------------------------


def _title(summary: Summary, say: Say) -> Iterator[Shape]:
    left, right = (shortened(name, TITLE, 5_500) for name in summary.names)
    score = f"{summary.score.left} - {summary.score.right}"
    if _best_of(summary):
        score = f"{summary.legs.left} - {summary.legs.right} ({score})"
    yield Words(Spot(LEFT, 800), f"{left}  {score}  {right}", TITLE, INK)
    settings = summary.settings
    facts = (
        _outcome(summary, say),
        f"to {summary.length} points" + ", best of three" * _best_of(summary),
        f"{settings.rules.profile}, code {settings.code}",
        summary.period,
    )
    yield Words(Spot(LEFT, 1_250), "  ·  ".join(facts), SUBTITLE, FADED)


def _outcome(summary: Summary, say: Say) -> str:
    if summary.over is None:
        return f"not finished ({summary.phase.value})"
    _, event, winner = summary.over
    who = f"{shortened(summary.names[winner], SUBTITLE, 3_000)} wins" if winner else "nobody wins"
    return f"{who} {say(f'end_{event.why}')}"


def _axes(summary: Summary, frame: Frame) -> Iterator[Shape]:
    for level_ns in frame.levels(6):
        y = frame.y(level_ns)
        yield Line((Spot(LEFT, y), Spot(RIGHT, y)), FAINT if level_ns else INK, 10)
        yield Words(Spot(LEFT - 130, y + 70), clock_text(level_ns), LABEL, FADED, "end")
    for at_ns in frame.ticks(12):
        x = frame.x(at_ns)
        yield Line((Spot(x, BOTTOM), Spot(x, BOTTOM + 70)), INK, 10)
        yield Words(Spot(x, 8_130), clock_text(at_ns), LABEL, FADED, "middle")
    yield Words(Spot(LEFT - 130, STRIP_BOTTOM - 170), "reserve", SMALL, FADED, "end")
    yield Words(Spot(LEFT - 130, 8_130), "elapsed", SMALL, FADED, "end")


# --- games ------------------------------------------------------------------------------------


def _bands(summary: Summary, frame: Frame) -> Iterator[Shape]:
    """The games as bands, with the score after each as far as there is room."""
    free = LEFT  # from here on nothing is written
    for game in summary.games:
        if game.begun is None:
            continue
        left, top, right = frame.span(game.begun, game.ended)
        yield Area(box(left, top, right, BOTTOM), BAND)
        yield Area(box(left, STRIP_TOP, right, STRIP_BOTTOM), BAND, _game_title(summary, game))
        if game.winner:
            yield Area(box(left, STRIP_BOTTOM - 60, right, STRIP_BOTTOM), COLOURS[game.winner])
        labels = list(_game_label(summary, game, free, left, right))
        yield from labels
        free = right + SMALL if labels else free


def _game_title(summary: Summary, game: Game) -> str:
    winner = f", {summary.names[game.winner]} +{game.points}" if game.winner else ""
    return f"game {game.number}{winner}, {game.score.left}-{game.score.right}"


def _game_label(summary: Summary, game: Game, free: int, left: int, right: int) -> Iterator[Shape]:
    """The score after a game, and its name: in its band, or else the score before its end."""
    score = f"{game.score.left}-{game.score.right}" if game.winner else ""
    name = f"{game.leg}/{game.number}" if _best_of(summary) else f"{game.number}"
    full = f"match {game.leg}, game {game.number}" if _best_of(summary) else f"game {name}"
    names = (f"{full}, Crawford", f"{name} C") if game.crawford else (full, name)
    room, middle = right - left - 60, (left + right) // 2
    if width(score, LABEL) <= room:
        fitting = next((each for each in names if width(each, SMALL) <= room), "")
        yield Words(Spot(middle, STRIP_TOP + 190), fitting, SMALL, FADED, "middle")
        yield Words(Spot(middle, STRIP_BOTTOM - 130), score, LABEL, INK, "middle")
    elif free + width(score, LABEL) <= right:
        yield Words(Spot(right, STRIP_BOTTOM - 130), score, LABEL, INK, "end")


def _best_of(summary: Summary) -> bool:
    return summary.settings.format is Format.BEST_OF_THREE


# --- reserves ---------------------------------------------------------------------------------


def _reserves(summary: Summary, frame: Frame) -> Iterator[Shape]:
    for player in Side:
        spots = [Spot(frame.x(at_ns), frame.y(ns)) for at_ns, ns in summary.curves[player]]
        yield Line(tuple(dict.fromkeys(spots)), COLOURS[player], LINE)


def _ends(summary: Summary, frame: Frame) -> Iterator[Shape]:
    """The players' names and what they have left, where their lines end."""
    places = {player: min(frame.y(summary.left[player]), BOTTOM - 250) for player in Side}
    upper, lower = sorted(Side, key=lambda player: places[player])
    if places[lower] - places[upper] < APART:
        places[lower] = min(max(places[lower], places[upper] + APART), BOTTOM)
        places[upper] = places[lower] - APART
    for player, y in places.items():
        name = shortened(summary.names[player], LABEL + 20, WIDTH - RIGHT - 250)
        yield Words(Spot(RIGHT + 150, y), name, LABEL + 20, COLOURS[player])
        left = clock_text(summary.left[player])
        yield Words(Spot(RIGHT + 150, y + 230), left, LABEL, INK)
