"""Every text of every page is whole on its panel, and the reserve is large where people compare.

Only names are shortened, as the settings file gives them.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import product

import msgspec
import pytest

from clock.match.faults import PARTS
from clock.match.profiles import PROFILES
from clock.match.rules import Reason
from clock.match.types import Phase
from clock.ui.dialogue import FormPage
from clock.ui.i18n import LANGUAGES, sayer
from clock.ui.menu import items
from clock.ui.names import short_names
from clock.units import MINUTE_NS
from hardware.display import glyphs
from hardware.display.layout import NOTICE_LINES, arrange
from hardware.display.widgets import LINES_SHOWN
from hardware.face import Face
from lab.support.desk import ANY, LEFT, PEOPLE, STILL, WIDEST_NAME, C, Desk, absent, ready, stopped
from lab.support.world import inputs
from tests.ui.test_pages import PAGES

RESERVES = ("0:00", "22:22", "2:22:22")
COMPARED = 28  # pixels; the least height of a reserve where people compare
SHORTER = (*short_names(*PEOPLE), *short_names(*PEOPLE.swapped()))
NAMES = {*PEOPLE, *SHORTER, WIDEST_NAME}  # of players and presets
PLAYED = (Phase.RUNNING, Phase.FREE_TURN)


def stops() -> Iterator[Desk]:
    """Every reason of every profile, chosen and carried out, if the profile has it."""
    for profile, reason in product(PROFILES, Reason):
        if reason in stopped(profile).state.settings.rules.reasons:
            yield stopped(profile, reason)
            yield stopped(profile, reason).tap(C)


def ends() -> Iterator[Desk]:
    """Every way to end a match, of one match and in a best of three."""
    for why, best_of_three in product(
        ("time", "gin", "late", "forfeit", "director"), (False, True)
    ):
        for winner in (None, LEFT):
            table = stopped(best_of_three=best_of_three, length=25, score=(24, 23))
            table.input(inputs.MatchEnded, winner=winner, why=why)
            yield table


def latecomers() -> Iterator[Desk]:
    """A player who is missing at the review and at the opening roll, for longer and longer."""
    for profile, minutes in product(("ebf", "dbgf", "nbgf"), (1, 7, 40)):
        yield absent(profile).pass_time(minutes * MINUTE_NS)
        table = ready(profile)
        table.input(inputs.AbsenceNoted, side=LEFT)
        yield table.pass_time(minutes * MINUTE_NS)


def forms() -> Iterator[Desk]:
    """Each item of the director's menu in each phase, selected, and each of its entries."""
    for make in STILL.values():
        for name in [item.name for item in items(make().state)]:
            table = make().open_item(name)
            has_form = isinstance(table.dialogue.page, FormPage)  # not a list, nor the codes
            yield from table.each_entry() if has_form else (table,)


@cache
def pages() -> tuple[Desk, ...]:
    """Every page but the director's."""
    simple = (make() for make in (*PAGES.values(), *ANY.values()))
    return (*simple, *stops(), *ends(), *latecomers())


@cache
def menu_faces() -> dict[str, set[Face]]:
    """All different faces of the director's pages in each language."""
    found = defaultdict[str, set[Face]](set)
    for table in forms():
        for table.language in LANGUAGES:
            found[table.language].update(table.faces())
    return found


def troubled(faces: Iterable[Face], language: str) -> set[Face]:
    """Faces with the longest score, and each two of warning, flag and time."""
    say = sayer(language)
    faults = [(say(f"warning_{part}"),) for part in sorted(PARTS)]
    longest = max(faults, key=lambda fault: glyphs.width("text", fault[0]))
    marks = ("", say("flag_mark", order=2))
    shown = product(enumerate(((), longest, 2 * longest)), enumerate(RESERVES))
    pairs = [(each[1], marks[(each[0] + at) % 2], reserve) for each, (at, reserve) in shown]
    return {
        msgspec.structs.replace(
            face,
            warnings=warnings,
            flag=flag,
            reserve=reserve,
            score="24-23/25 C" if face.score else "",
        )
        for face in faces
        for warnings, flag, reserve in pairs
    }


def faces_of(tables: Iterable[Desk], language: str) -> set[Face]:
    """All different faces of these tables in a language."""
    found = set[Face]()
    for table in tables:
        table.language = language
        found.update(table.faces())
    return found


@cache
def page_faces(language: str) -> set[Face]:
    """All different faces of the pages but the director's."""
    return faces_of(pages(), language)


@pytest.fixture
def cut(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The texts that have been shortened."""
    found: list[str] = []
    shorten = glyphs.Font.shorten

    def watched(font: glyphs.Font, text: str, room: int) -> str:
        shown = shorten(font, text, room)
        if shown != text and text not in NAMES:
            found.append(text)
        return shown

    glyphs.label.cache_clear()
    monkeypatch.setattr(glyphs.Font, "shorten", watched)
    yield found
    glyphs.label.cache_clear()


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_is_cut(language: str, cut: list[str]) -> None:
    """Neither a text nor a line, whatever is wrong and however long the match."""
    for face in troubled(page_faces(language), language):
        assert face.selected is not None or len(face.lines) <= LINES_SHOWN, face
        arrange(face)
        assert cut == [], face


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_is_cut_in_the_menu(language: str, cut: list[str]) -> None:
    """Neither an item, nor what it is for, nor what it would do."""
    for face in troubled(menu_faces()[language], language):
        assert face.selected is not None or len(face.lines) <= LINES_SHOWN, face
        arrange(face)
        assert cut == [], face


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_lone_panel_cuts_nothing(language: str, cut: list[str]) -> None:
    """It shows the other side's reserve too, and that the display is faulty.

    Beside the code of a match that is over there is no reserve of its own.
    """
    fault = (sayer(language)("warning_display"),)
    for face, reserve in product(page_faces(language), RESERVES):
        lone = msgspec.structs.replace(face, warnings=fault, other_reserve=reserve)
        names = {widget.name for widget in arrange(lone)}
        assert cut == [], lone
        assert {"other_reserve", *(["reserve"] if face.reserve else [])} <= names


# --- large where people compare ---------------------------------------------------------------


def reserve_height(face: Face) -> int:
    """The height of the reserve in pixels."""
    (widget,) = [each for each in arrange(face) if each.name == "reserve"]
    return widget.picture.height


@cache
def compared(language: str) -> set[Face]:
    """The faces on which a line or two of text stand beside the reserve."""
    still = (table for table in pages() if table.state.phase not in PLAYED)
    return {face for face in faces_of(still, language) if len(face.lines) <= NOTICE_LINES}


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("reserve", RESERVES)
@pytest.mark.parametrize("order", [None, 2])
def test_the_reserve_is_large_where_people_compare(
    language: str, reserve: str, order: int | None
) -> None:
    """Stopped, ready, break, end of a game or match, director called; also beside a flag."""
    flag = "" if order is None else sayer(language)("flag_mark", order=order)
    replace = msgspec.structs.replace
    for face in {replace(face, reserve=reserve, flag=flag) for face in compared(language)}:
        fingerprint_and_keys = face.fingerprint and any(face.keys) and not face.qr
        if len(face.lines) + bool(fingerprint_and_keys) <= NOTICE_LINES:
            assert reserve_height(face) >= COMPARED, face


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_fault_leaves_the_reserve_legible(language: str) -> None:
    for face in compared(language):
        warned = msgspec.structs.replace(face, reserve="22:22", warnings=("x",), qr="")
        names = {widget.name: widget.picture.height for widget in arrange(warned)}
        assert names["reserve"] >= (12 if face.fingerprint and len(face.lines) > 1 else 20), warned
        assert "warning" in names


@pytest.mark.slow
def test_these_pages_are_all_kinds() -> None:
    """The tables above come to every phase in which no clock runs, and to a called director."""
    still = [table for table in pages() if table.state.phase not in PLAYED]
    assert {table.state.phase for table in still} == set(Phase) - set(PLAYED)
    assert any(table.state.held for table in still)
    assert any(len(face.lines) == NOTICE_LINES and face.fingerprint for face in compared("en"))
