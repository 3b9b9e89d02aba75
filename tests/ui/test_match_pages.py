"""The page on which a match is chosen that is resumed (R131)."""

import msgspec
import pytest

from clock.config.settings import Preset
from clock.match.inputs import MatchWanted, Noted, ResumeMatchWanted
from clock.match.types import Pair, Phase
from clock.ui.dialogue import CodePage, MenuPage, PresetPage, ResumeMatchPage, offered_items
from clock.ui.i18n import LANGUAGES, LINE_LENGTH
from clock.units import MINUTE_NS, SECOND_NS
from lab.support.desk import LEFT, C, Desk, L, R, aside, desk, finished, flagged, to_resume
from lab.support.rows import row
from lab.support.world import inputs, match_settings


@pytest.mark.rule("R131")
def test_the_list_says_what_a_slip_says() -> None:
    """R131: names, date, score, both times, whose turn, fingerprint; the centre resumes it."""
    table = to_resume()
    table.resumable = {"1": aside().state}
    table.open_item("take_up").tap(R)
    left, right = table.faces()
    assert (left.selected, left.lines[1]) == (1, "Ford Prefect - Marvin")
    assert (left.reserve, right.reserve, right.status) == ("9:00", "17:01", "3-5/11")
    assert right.lines == (
        "2026-05-01 21:34",
        "Left is on move",
        "7KQ2-M9XT-4WDA",
        "of another clock",
    )
    table.tap(C)
    assert table.given[-1] == ResumeMatchWanted(table.now_ns, "1")


def test_a_match_is_marked_that_was_not_put_aside() -> None:
    """Its end may be missing; a damaged one is marked before all else. Names are shortened."""
    marks: dict[str, dict[str, object]] = {
        "of this clock": {"is_own": True},
        "NOT ADJOURNED: check": {"is_adjourned": False},
        "DAMAGED: check all": {"is_adjourned": False, "is_damaged": True},
        "Between games": {"mover": None},
    }
    for says, change in marks.items():
        with row(says):
            table = to_resume(change).open_item("take_up")
            assert says in table.faces().right.lines
    names = Pair("Ford Prefect of Betelgeuse", "Slartibartfast Magrathea")
    pace = {"names": names, "reserves": Pair(-61 * MINUTE_NS, 0)}
    table = to_resume(pace).open_item("take_up")
    table.state = flagged(both=True).state.replace(phase=Phase.REVIEW)
    assert [(face.reserve, face.flag) for face in table.faces()] == [("1:01:00", ""), ("0.0", "")]
    assert table.faces().left.lines[0] == "Betelgeu… - Magrathea"
    assert table.faces().left.keys == ("", "resume", "")
    assert to_resume(pace, pace).open_item("take_up").faces().left.keys == ("◀", "resume", "")


def test_without_a_match_the_page_can_only_be_left() -> None:
    """The centre closes it, and so does holding it; nothing is asked of the runtime."""
    table = aside().open_item("take_up")
    for language in LANGUAGES:
        table.language = language
        assert all(len(line) <= LINE_LENGTH for face in table.faces() for line in face.lines)
    table.tap(L, R)
    assert table.dialogue.page == ResumeMatchPage()
    assert table.twin().tap(C).dialogue.page is None
    assert isinstance(table.twin().tap(C).given[-1], Noted)
    assert table.hold().dialogue.page == MenuPage("take_up")
    assert table.state.turn is not None
    assert table.state.turn.side is LEFT


FINAL = Preset("Final", match_settings(length=13, time_per_point_ns=150 * SECOND_NS))
FAST = Preset("Fast", match_settings("nbgf-hurtig", length=5))
LONG = Preset("Analog", match_settings("nbgf-analog", length=25, best_of_three=True))


def at_choice() -> Desk:
    """A clock just switched on."""
    return desk(length=9).with_presets(FINAL, FAST)


def after_match(*, code: str = "", players_start: bool = True) -> Desk:
    """A match has been played under a preset, and its result is shown."""
    table = finished()
    table.state = table.state.replace(preset="Final")
    choices = (Preset("", match_settings(length=9)), FINAL, FAST)
    table.dialogue = table.dialogue.replace(choices=choices, players_start=players_start)
    return table.with_code(code)


def items_offered(table: Desk) -> list[str]:
    """The names of the items in the director's menu."""
    return [item.name for item in offered_items(table.dialogue, table.state)]


def selected(table: Desk) -> str | None:
    """The selected preset; None if the page is not open."""
    page = table.dialogue.page
    return page.name if isinstance(page, PresetPage) else None


# --- what it shows ----------------------------------------------------------------------------


@pytest.mark.rule("R104")
def test_times_per_match_and_a_score_are_shown() -> None:
    """With a time per match, alone or beside the one per point; at a score already reached."""
    begun = msgspec.structs.replace(LONG.match, score=Pair(11, 23))
    no_points = msgspec.structs.replace(LONG.match.rules, time_per_point_ns=0)
    alone = msgspec.structs.replace(LONG.match, rules=no_points)
    table = desk().with_presets(LONG._replace(match=begun), Preset("Per match", alone))
    face = table.tap(R).faces().left
    assert face.lines[:2] == ("NBgF-analog, 11-23/25", "5:00/point + 10:00")
    assert face.lines[3].endswith("best of 3")
    assert table.tap(R).faces().left.lines[1] == "10:00/match"


def test_times_that_count_from_a_limit_on_are_shown_as_before_a_match() -> None:
    own = match_settings(length=9, delay_ns=15 * SECOND_NS)
    later = msgspec.structs.replace(own, rules=own.rules.at_pace())
    chosen = desk().with_presets(Preset("No limit", later)).tap(R).faces().left.lines
    assert chosen[1:3] == ("No limit, or later:", "18:00, Delay 0:15")
    assert Desk(later).faces().left.lines[1:3] == chosen[1:3]


@pytest.mark.rule("R104")
def test_each_plunger_has_its_legend() -> None:
    """They stand over their own buttons; where there is something to go back to, it says how."""
    left, right = at_choice().faces()
    assert (left.keys, right.keys) == (("◀", "OK", ""), ("", "OK", "▶"))
    assert after_match().tap(C).faces().left.keys == ("◀", "OK, hold: back", "")


# --- before the settings are confirmed --------------------------------------------------------


@pytest.mark.rule("R104")
def test_the_plungers_turn_through_all_presets() -> None:
    table = at_choice()
    assert [selected(table), *(selected(table.tap(R)) for _ in range(3))] == [
        *("", "Final", "Fast"),
        "",
    ]
    assert [selected(table.tap(L)) for _ in range(3)] == ["Fast", "Final", ""]
    assert table.state.phase is Phase.REVIEW
    assert not any(player.confirmed for player in table.state.players)


@pytest.mark.rule("R104")
def test_the_centre_takes_a_preset_and_both_confirm_it() -> None:
    """The match is opened under it; the players confirm at REVIEW as always."""
    table = at_choice().tap(R, R, C)
    assert table.given[-1] == MatchWanted(table.now_ns, "Fast")
    assert (table.state.settings, table.state.preset) == (FAST.match, "Fast")
    assert (table.dialogue.page, table.state.phase) == (None, Phase.REVIEW)
    assert table.tap(L, R, C).state.phase is Phase.READY


@pytest.mark.rule("R104")
@pytest.mark.parametrize(("code", "page"), [("", MenuPage), ("LR", CodePage)])
def test_before_a_choice_the_director_can_be_called(code: str, page: type) -> None:
    """There is no page to go back to, so holding the centre opens the menu, or asks its code."""
    table = at_choice().with_code(code).tap(R).hold()
    assert isinstance(table.dialogue.page, page)


@pytest.mark.rule("R104")
def test_the_director_chooses_another_preset_until_both_have_confirmed() -> None:
    """The item is at REVIEW only; going back keeps what was chosen."""
    table = at_choice().tap(R, C)
    assert selected(table.open_item("other_preset")) == "Final"
    assert table.hold().dialogue.page is None
    assert table.state.preset == "Final"
    table.tap(L).open_item("other_preset").tap(R, C)
    assert (table.state.preset, table.state.players.left.confirmed) == ("Fast", False)
    assert "other_preset" in items_offered(table.tap(L))
    assert "other_preset" not in items_offered(table.tap(R))
    assert "other_preset" not in items_offered(table.tap(C))
    ended = at_choice().tap(C)
    ended.input(inputs.MatchEnded, winner=None, why="director")
    assert "other_preset" not in items_offered(ended)


@pytest.mark.rule("R104")
def test_without_presets_nothing_is_different() -> None:
    """No item, no page, no legend; the centre of a finished match does nothing."""
    assert "other_preset" not in items_offered(desk())
    over = finished()
    assert over.faces().left.keys[1] == "hold: TD"
    assert over.tap(C).dialogue.page is None
    assert "accepted=False" in str(over.last())
    assert over.open_item("new_match").tap(C).state.phase is Phase.REVIEW


# --- the next match ---------------------------------------------------------------------------


@pytest.mark.rule("R104")
def test_players_begin_the_next_match() -> None:
    """The centre opens the page at the preset just played; no code is asked for."""
    table = after_match(code="LRRL")
    assert table.faces().left.keys[1] == "next match"
    assert selected(table.tap(C)) == "Final"
    assert table.state.phase is Phase.FINISHED
    table.tap(R, C)
    assert (table.state.phase, table.state.preset) == (Phase.REVIEW, "Fast")


@pytest.mark.rule("R104")
def test_players_go_back_to_the_result() -> None:
    """Holding the centre closes the page; the director is not called by that."""
    table = after_match(code="LRRL")
    before = table.faces()
    assert table.tap(C, R).hold().faces() == before


@pytest.mark.rule("R104")
def test_only_the_director_begins_the_next_match() -> None:
    """With `players_start = false` the centre does nothing; the menu, behind its code, does."""
    table = after_match(code="LR", players_start=False)
    assert table.faces().left.keys[1] == "hold: TD"
    assert table.tap(C).dialogue.page is None
    assert table.hold().tap(L, L).dialogue.page == CodePage(wrong=True)
    assert selected(table.tap(L, R).open_item("new_match")) == "Final"
    assert table.tap(C).state.phase is Phase.REVIEW


@pytest.mark.rule("R104")
def test_between_the_legs_of_a_best_of_three_nothing_is_chosen() -> None:
    """The preset stays; the centre does what it does between games."""
    leg = msgspec.structs.replace(FAST.match, length=1)
    best_of_three = Preset("Best", msgspec.structs.replace(leg, format=LONG.match.format))
    table = desk().with_presets(best_of_three).tap(R, C, L, R, C)
    table.tap(R).pass_time(20 * SECOND_NS).tap(C, R, C, L, C).pass_time(0)
    assert (table.state.phase, table.state.legs) == (Phase.READY, Pair(1, 0))
    assert all(face.fingerprint for face in table.faces())  # of the leg that is over
    assert table.state.preset == "Best"
    assert "other_preset" not in items_offered(table)
    assert selected(table.tap(C)) is None
