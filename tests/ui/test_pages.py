"""What the panels say while no clock runs; golden pictures of them all.

After a change that is meant: `NEW_PICTURES=1 pytest tests/ui/test_pages.py` keeps the new pictures;
look at them before they are committed.
"""

import os
import re
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs
from PIL import Image, ImageChops

from clock.config.settings import Preset
from clock.eventlog.fingerprint import Shown, fingerprint_text, parse_qr
from clock.match.events import ReasonShownEvent
from clock.match.inputs import Restored
from clock.match.profiles import PROFILES
from clock.match.rules import Lateness, Method, Reason, RulingReason
from clock.match.state import AT_REST
from clock.match.stops import offered_reasons
from clock.match.types import Button, Pair, Phase, Side
from clock.text import tables
from clock.ui.descriptions import event_lines
from clock.ui.dialogue import TURN_PHASES as PLAYED
from clock.ui.dialogue import FormPage, MenuPage, names_asked
from clock.ui.i18n import LANGUAGE_NAMES, LANGUAGES, LINE_LENGTH, sayer
from clock.ui.names import rules_name, short_names
from clock.ui.pages import faces
from clock.units import MINUTE_NS, SECOND_NS
from hardware.display.glyphs import width
from hardware.display.layout import FLAG, arrange, draw
from hardware.display.widgets import HEIGHT, WIDTH
from hardware.face import NO_KEYS, Face
from lab.support.desk import (
    ANY,
    HASH,
    MOVES,
    PEOPLE,
    STILL,
    TABLES,
    WIDEST_NAME,
    C,
    Desk,
    L,
    Move,
    R,
    absent,
    after_game,
    aside,
    at_points,
    carried_out,
    chosen,
    desk,
    finished,
    flagged,
    form_items,
    in_break,
    offered,
    offered_next,
    ready,
    running,
    scored,
    stopped,
    to_resume,
    without_clock,
)
from lab.support.examples import examples
from lab.support.paths import PICTURES
from lab.support.phases import PROPOSAL
from lab.support.rows import row
from lab.support.world import LEFT, RIGHT, inputs, match_settings


def texts(face: Face) -> Iterator[str]:
    """All that can be read on a panel."""
    yield from (face.reserve, face.delay, face.delay_note, face.status, face.score, face.flag)
    yield from (*face.warnings, *face.lines, *face.keys, face.other_reserve)
    yield from (face.fingerprint, *face.result, face.name)


def no_limit(**rules: int) -> Desk:
    """A match without a limit waits to be confirmed."""
    own = desk("ebf", **rules).state.settings
    return Desk(structs.replace(own, rules=own.rules.at_pace()))


def paced() -> Desk:
    """LEFT's second turn in a match without a limit (R130)."""
    table = no_limit().tap(L, R, C, R)
    return table.pass_time(734 * SECOND_NS).tap(L).pass_time(5 * SECOND_NS).tap(R)


def practised() -> Desk:
    """A match in which no flag falls waits to be confirmed (R132)."""
    return Desk(structs.replace(desk().state.settings, practice=True))


# --- nothing else is shown (R81) --------------------------------------------------------------

NAMED = (
    Phase.REVIEW,
    Phase.GAME_OVER,
    Phase.FINISHED,
    Phase.PUT_ASIDE,
)  # phases whose pages have names (R103)
LEAST_NAME = 50  # pixels; eight letters or more
NUMBER = re.compile(
    r"-|[+±-]?\d+|[+-]\d+:\d\d|\d+:[0-5]\d(:[0-5]\d)?|\d+\.\d|\d+-\d+(/\d+)?|\d+/\d+"
    r"|C|\*+|[◀▶→=+±/]|OK|L|R"
)
TURNED = r"[ \[+-]+\d+[ \]]+:[ \[]\d\d[ \]]"  # a time that is added
CURSOR = re.compile("|".join((r"[ \[\]\d:]{13,}", TURNED, *LANGUAGE_NAMES.values())))


def spoken(language: str) -> set[str]:
    """Every word that the table of a language has, with its blanks empty."""
    texts = (text for table in tables(language, "panels").values() for text in table.values())
    bare = (re.sub(r"\{\w+\}", " ", text) for text in texts)
    return {word.strip(",:.'!?") for text in bare for word in text.split()}


WORDS = {language: spoken(language) for language in LANGUAGES}


def strangers(table: Desk) -> list[str]:
    """The words on both panels that are no time, score, name, or word of the rules."""
    names = set(map(rules_name, PROFILES))
    known = WORDS[table.language] | names | {table.state.code, table.view.fingerprint}
    page = table.dialogue.page
    asked = isinstance(page, FormPage) and (page.entry is None or names_asked(page))  # (R210)
    undone = table.state.done is not None and page is not None  # *Undo: Zaphod +1* (R212)
    people = {*PEOPLE, *short_names(*PEOPLE), *short_names(*PEOPLE.swapped())}
    known |= people if asked or undone or table.state.phase in NAMED else set()
    begun = tuple(known) if undone else ()  # the title of *Undo* is cut where it is too long
    return [
        word
        for face in table.faces()
        for text in texts(face)
        if not CURSOR.fullmatch(text)
        for word in text.replace("'s ", " s ").split()
        if not NUMBER.fullmatch(bare := word.strip(",:.'!?()")) and bare and bare not in known
        if not (bare.endswith("…") and any(each.startswith(bare.rstrip("…:")) for each in begun))
    ]


@pytest.mark.slow
@pytest.mark.rule("R81")
@settings(max_examples=examples(150))
@given(TABLES, MOVES, st.sampled_from(LANGUAGES))
def test_nothing_else_is_shown(table: Desk, moves: list[Move], language: str) -> None:
    """Time, score, length, Crawford, flags and words of the rules, on every page."""
    table.language = language
    assert strangers(table) == []
    for move in moves:
        move.at(table)
        assert strangers(table) == []


@pytest.mark.rule("R81")
@pytest.mark.parametrize("phase", ANY)
def test_no_name_is_shown_elsewhere(phase: Phase) -> None:
    """The players are Left and Right in the menu, its entries, and while they play.

    Only the question whether to do it says whom it is about (R210), and the item of the names them.
    """
    table = ANY[phase]()
    seen = [] if phase in NAMED else [text for face in table.faces() for text in texts(face)]
    for name in (item for item in form_items(table) if item != "names"):
        for table in ANY[phase]().open_item(name).each_entry():
            assert strangers(table) == []
            seen += (
                []
                if table.form.entry is None
                else [text for face in table.faces() for text in texts(face)]
            )
    assert not [text for text in seen if any(name in text for name in PEOPLE)]


# --- names (R103) -----------------------------------------------------------------------------


@pytest.mark.rule("R103")
@pytest.mark.parametrize("phase", NAMED)
def test_names_are_shown(phase: Phase) -> None:
    """Each player's on their own panel, before a match and after a game; then the winner's too."""
    for names in (PEOPLE, PEOPLE.swapped()):  # as after a change of sides
        table = STILL[phase]()
        table.state = table.state.replace(names=names)
        shown = Pair(names.left, names.left) if phase is Phase.FINISHED else names
        assert table.faces().map(lambda face: face.name) == shown


@pytest.mark.rule("R103")
@pytest.mark.parametrize("phase", NAMED)
def test_a_player_whom_the_file_does_not_name_has_no_name(phase: Phase) -> None:
    """Left and Right are what the settings file has before anybody edits it.

    At the end, and adjourned, a panel alone says whose time it has (R209).
    """
    table = STILL[phase]()
    table.state = table.state.replace(names=Pair("Zaphod", "Right"))
    won, aside = phase is Phase.FINISHED, phase is Phase.PUT_ASIDE
    right = "Zaphod" if won else "Right" if aside else ""
    assert table.faces().map(lambda face: face.name) == Pair("Zaphod", right)
    table.state = table.state.replace(names=Pair("Right", "Left"))
    named = Pair("Left", "Left" if won else right) if won or aside else Pair("", "")
    assert table.faces().map(lambda face: face.name) == named


@pytest.mark.rule("R121", "R209")
@pytest.mark.parametrize(
    "names", [PEOPLE, Pair("Left", "Right"), Pair("Left", PEOPLE.right)], ids=str
)
@pytest.mark.parametrize("winner", [*Side, None])
@pytest.mark.parametrize("whys", [("time", "late", "forfeit", "director"), ("score",)], ids=str)
def test_each_half_of_the_last_picture_says_the_truth(
    whys: tuple[str, ...], winner: Side | None, names: Pair[str]
) -> None:
    """For each way of ending: a time and a flag stand under the name of their own player."""
    for why in whys:
        table = flagged(both=True)
        table.state = table.state.replace(names=names)
        if why == "score" and winner is not None:
            table.tap(C).input(inputs.ScoreSet, side=winner, points=11).wait(0)
        else:
            table.tap(C).input(inputs.MatchEnded, winner=winner, why=why)
        assert table.phase is Phase.FINISHED
        for side, face in zip(Side, table.faces(), strict=True):
            shown = {each.name for each in arrange(face)}
            assert face.name == names[side] or not {"reserve", "flag", f"symbol {FLAG}"} & shown
            assert face.name in (names[side], "" if winner is None else names[winner])
            assert all(short[:3] == face.name[:3] for short in face.short_names)
            if winner is not None:
                said = " ".join((face.name, *face.result) if face.qr else face.lines)
                assert f"{names[winner]} WINS" in said


@pytest.mark.rule("R131")
def test_a_match_put_aside_while_points_are_entered_has_nobody_on_move() -> None:
    table = at_points()
    table.input(inputs.Adjourned)
    assert table.faces().left.lines[0] == "Between games"
    assert event_lines(table.last(), sayer("en")) == ("Adjourned", "Between games")


@pytest.mark.rule("R103", "R208")
@pytest.mark.parametrize("profile", PROFILES)
def test_the_settings_can_be_read_whoever_is_late(profile: str) -> None:
    """EBF 3.5(iii): both are late; each reads length, bank, delay and code, and what it costs."""
    table = desk(profile, length=5)
    on_time = table.faces()
    for side in Side:
        table.input(inputs.AbsenceNoted, side=side, late_ns=17 * MINUTE_NS)
    for side in Side:
        face, before = table.faces()[side], on_time[side]
        for text in (before.lines[0], before.lines[-1]):  # length, and the settings code
            assert text in face.lines
        for line in before.lines[1:-1]:  # bank and delay
            assert line.split()[-1] in face.lines[1]
        assert (face.name, face.status) == (PEOPLE[side], "Late: 17:00")
        assert len(face.lines) == len(before.lines)
        forfeits = PROFILES[profile].penalty_forfeit
        assert ("That loses the match" in face.lines) == forfeits
    table = no_limit()
    table.input(inputs.AbsenceNoted, side=LEFT, late_ns=17 * MINUTE_NS)
    lines = ("No time limit", f"Code {table.state.code}", "due: 3 points")
    assert table.faces().left.lines[1:] == lines


@pytest.mark.rule("R103")
@pytest.mark.parametrize("phase", NAMED)
@pytest.mark.parametrize("name", ["Bo", "Zaphod", "Christiansen", WIDEST_NAME])
@pytest.mark.parametrize("language", LANGUAGES)
def test_names_are_drawn(phase: Phase, name: str, language: str) -> None:
    table = STILL[phase]()
    table.language = language
    table.state = table.state.replace(names=Pair(name, name), score=Pair(24, 23), length=25)
    for face in table.faces():
        shown = [each.picture for each in arrange(face) if each.name == "name"]
        assert len(shown) == 1
        assert shown[0].getbbox() is not None
        assert shown[0].width >= min(width("text", name), LEAST_NAME)


# --- every button says what it does -----------------------------------------------------------


@pytest.mark.slow
@settings(max_examples=examples(100))
@given(TABLES, MOVES)
def test_nothing_stands_over_a_button_that_does_nothing(table: Desk, moves: list[Move]) -> None:
    """A legend is on the panel of its plunger; the centre's is on both panels."""
    for move in moves:
        move.at(table)
        left, right = table.faces()
        assert left.keys[2] == right.keys[0] == ""
        assert left.keys[1] == right.keys[1]


@pytest.mark.parametrize("phase", STILL)
@pytest.mark.parametrize(("button", "place"), [(L, 0), (C, 1), (R, 2)])
def test_a_legend_is_a_promise(phase: Phase, button: Button, place: int) -> None:
    """What has a legend is not refused, what has none is, or says that holding is meant."""
    table = STILL[phase]()
    legend = table.faces()[LEFT if place < 2 else RIGHT].keys[place]
    table.tap(button)
    refused = "accepted=False" in str(table.last())
    assert refused == (legend in {"", "hold: TD"})


SOUGHT: dict[str, Callable[[], Desk]] = {
    "settings": desk,
    "first roll": ready,
    "next game": after_game,
    "stopped": stopped,
    "director called": lambda: chosen(stopped(), Reason.DIRECTOR_CALLED),
}


@pytest.mark.parametrize("where", SOUGHT)
@pytest.mark.parametrize("language", LANGUAGES)
def test_how_the_director_opens_the_menu_is_said(where: str, language: str) -> None:
    """Nobody guesses that the centre can be held."""
    table, say = SOUGHT[where](), sayer(language)
    table.language = language
    right = table.faces().right
    assert {say("hold_td"), say("hold_for_director")} & {right.keys[1], *right.lines}
    assert isinstance(table.hold().dialogue.page, MenuPage)


# --- before a game ----------------------------------------------------------------------------


@pytest.mark.rule("R73")
@pytest.mark.parametrize(
    "make",
    [
        lambda: ready(length=7, score=(6, 3)),
        lambda: carried_out(Reason.GAME_OVER).tap(L),
        finished,
        lambda: desk(score=(3, 5)),
        lambda: ready(best_of_three=True),
    ],
    ids=["ready", "points", "finished", "review", "matches"],
)
def test_without_a_scoreboard_no_score_is_shown(make: Callable[[], Desk]) -> None:
    table = make()
    with_board = [text for face in table.faces() for text in texts(face)]
    table.scoreboard = False
    without = [text for face in table.faces() for text in texts(face)]
    score = re.compile(r"\d+-\d+|Crawford")
    assert any(score.search(text) for text in with_board)
    assert not any(score.search(text) for text in without)


# --- breaks -----------------------------------------------------------------------------------


def test_a_break_is_over_to_the_nanosecond() -> None:
    """Then it says who is late, if clock or director know, and what it costs."""
    for table, over in (
        (in_break(), ("Left late", "1 point in 5:00")),
        (in_break(lateness=Lateness.NONE), ("Write down the times",)),
        (both := after_game().tap(C, L, R, C), ("1 point in 5:00",)),
    ):
        assert table.state.pause is not None
        table.pass_time(table.state.pause.end_ns() - 1 - table.now_ns)
        assert table.faces().left.lines == ("Ends in 0:01", "Write down the times")
        assert table.pass_time(1).faces().left.lines == ("OVER by 0:00", *over)
    both.pass_time(6 * MINUTE_NS).open_item("penalty").enter(LEFT, "late", 1).through().tap(C)
    assert both.faces().left.lines[1] == "Left late"


# --- stopped, and the end of a game -----------------------------------------------------------


@pytest.mark.rule("R67")
def test_after_a_power_cut_the_centre_goes_on() -> None:
    """The same legend as for a stop without a reason: play goes on exactly as it was."""
    table = running()
    table.input(Restored, lost_ns=0, used_ns=0)
    for later_ns in (0, SECOND_NS):
        shown = faces(table.view, table.now_ns + later_ns)
        assert [face.keys[1] for face in shown] == ["GO ON", "GO ON"]
    reasons = table.faces().left.lines
    assert table.tap(R).faces().left.lines[1:] == reasons[1:]  # none is left out


def test_a_disputed_roll_says_what_the_centre_decides() -> None:
    assert stopped(reason=Reason.ROLL_DISPUTED).faces().right.lines[0] == "If the roll is valid:"


@pytest.mark.rule("R218")
def test_a_notice_is_on_top_of_a_page_and_on_no_clock() -> None:
    """It repeats no line, and takes the place of a QR code; a list stays as it is."""
    for table in (desk(), running()):
        page = table.faces().left
        notice = ("Clock was off", *page.lines[:1])
        shown = faces(table.view._replace(notice=notice), table.now_ns).left
        assert shown.lines == ((*notice, *page.lines[1:3]) if page.lines else ())
    table = finished()
    table.state = table.state.replace(proposal=PROPOSAL)
    for face in table.faces():
        assert (face.lines[0], face.qr) == (table.view.say("proposes"), "")


def turn_and_times(table: Desk) -> tuple[object, ...]:
    """Whose turn it is, how it is played, and all times: what goes on exactly as it was."""
    turn = table.state.turn
    assert turn is not None
    reserves = [table.reserve_ns(side) for side in Side]
    due = [player.next_delay for player in table.state.players]
    return turn.side, turn.free, turn.must_wait, turn.delay_left_ns(table.now_ns), *reserves, *due


@pytest.mark.rule("R211")
@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("first", [None, Reason.EARLY_PICKUP, Reason.DICE_TAKEN])
def test_a_legend_at_a_stop_is_what_the_centre_does(profile: str, first: Reason | None) -> None:
    """For each reason, in a turn that an earlier one may have left: GO ON, CALL TD or DO IT.

    A call under way is said; the list of the log names a reason and promises nothing.
    """
    begun = stopped(profile) if first is None else carried_out(first, profile).tap(C)
    for reason in offered_reasons(begun.state):
        table = chosen(begun.twin(), reason)
        before, pages = turn_and_times(table), dict[str, Pair[Face]]()
        for table.language in LANGUAGES:
            pages[table.language] = table.faces()
        state = table.tap(C).state
        goes_on = state.phase in PLAYED and turn_and_times(table) == before
        word = "go_on_exactly" if goes_on else "call_director" if state.held else "do_it"
        for language, shown in pages.items():
            say = sayer(language)
            with row(reason, language):
                assert [face.keys[1] for face in shown] == [say(word)] * 2
                assert event_lines(ReasonShownEvent(reason, R), say) == (say(f"reason_{reason}"),)
                called = say("director_is_called") in shown.right.lines
                assert called == (reason is Reason.DIRECTOR_CALLED)


@pytest.mark.rule("R78")
@pytest.mark.parametrize("reason", [Reason.CLOCK_FAULTY, Reason.TIME_EXPIRED])
def test_the_director_is_called(reason: Reason) -> None:
    """Nothing stands over the buttons, and none of them changes or resumes anything."""
    table = carried_out(reason).with_code("LR")
    for face in table.faces():
        assert (face.status, face.keys) == ("CALL TD", ("", "", ""))
        assert face.lines[-1] == "TD: hold centre"
    before = table.state
    table.tap(L, R, C)
    assert table.state.replace(at_ns=0) == before.replace(at_ns=0)
    assert table.faces().left.status == "CALL TD"
    table.hold().tap(L, L)
    assert table.state.replace(at_ns=0) == before.replace(at_ns=0)
    table.tap(L, R).open_item("resume").through().tap(C)
    assert table.state.running is LEFT


@pytest.mark.rule("R76", "R77", "R120")
@pytest.mark.parametrize(
    ("profile", "points", "warning"),
    [
        ("ebf", 5, "Impossible points"),
        ("ebf", 6, "Ends the match"),
        ("nbgf", 6, "Ends the match"),
        ("us", 6, "Ends match. A drop?"),
    ],
)
def test_points_that_should_be_looked_at(profile: str, points: int, warning: str) -> None:
    """What no game scores, and what ends the match, which a drop cannot (US 5.14)."""
    table = carried_out(Reason.GAME_OVER, profile, length=6).tap(*[L] * points)
    assert table.faces().left.lines[1] == warning


# --- the fingerprint of the log ---------------------------------------------------------------


@pytest.mark.parametrize("phase", ANY)
def test_the_fingerprint_is_shown_on_no_other_page(phase: Phase) -> None:
    """Neither while a game is on, nor before the first one, nor in the menu."""
    table = ANY[phase]()
    shows = phase in AT_REST
    assert [bool(face.fingerprint) for face in table.faces()] == [shows, shows]
    assert [bool(face.qr) for face in table.faces()] == [False, shows]
    if table.hold().dialogue.page is not None:
        assert not any(face.fingerprint or face.qr for face in table.faces())


def test_the_fingerprint_is_shown_after_a_game() -> None:
    """From the moment its points are confirmed until the next game begins; not in a break."""
    table = carried_out(Reason.GAME_OVER).tap(L)
    assert not any(face.fingerprint for face in table.faces())
    table.tap(C).pass_time(0)
    assert [face.fingerprint for face in table.faces()] == [fingerprint_text(HASH)] * 2
    assert not any(face.qr for face in table.faces())
    table.tap(C, L, C)
    assert not any(face.fingerprint for face in table.faces())
    table.tap(C)
    assert [face.fingerprint for face in table.faces()] == [fingerprint_text(HASH)] * 2
    table.tap(L)
    assert not any(face.fingerprint for face in table.faces())


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_finished_match_has_a_code_and_the_result_beside_it(language: str) -> None:
    """Who won; why, the score and the fingerprint are on the other panel."""
    table = finished()
    table.language, say = language, sayer(language)
    left, right = table.faces()
    assert parse_qr(right.qr) == Shown(HASH, 137, table.state.score)
    assert (left.qr, left.fingerprint, right.fingerprint) == (
        "",
        fingerprint_text(HASH),
        fingerprint_text(HASH),
    )
    assert left.lines == (say("event_wins", side="Zaphod"), say("end_score"))
    assert (right.name, right.result) == ("Zaphod", (say("wins"),))


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_restart_leaves_a_result_as_it_was_and_says_that_any_press_goes_on(language: str) -> None:
    """Nothing of a match that is over can be lost: its code is what the players wait for."""
    table = finished()
    table.language = language
    before = table.faces()
    after = faces(table.view._replace(notice=("Clock was off", "At most 0 s lost")), 0)
    go_on = sayer(language)("next_match")
    assert [face.keys for face in after] == [(go_on, go_on, ""), ("", go_on, go_on)]
    assert [structs.replace(face, keys=NO_KEYS) for face in after] == [
        structs.replace(face, keys=NO_KEYS) for face in before
    ]


@pytest.mark.rule("R121")
def test_a_match_without_a_winner_names_nobody() -> None:
    table = stopped(score=(3, 5))
    table.input(inputs.MatchEnded, winner=None, why="director")
    left, right = table.faces()
    assert left.lines == ("Match ended", "director's decision")
    assert (left.status, right.name, right.result) == ("Match over", "", ("Match over",))
    table = practised().tap(L, R, C)
    table.input(inputs.MatchEnded, winner=None, why="director")
    assert table.faces().right.result == ("Practice",)


@pytest.mark.rule("R125")
def test_a_long_name_is_shortened_to_the_family_name_and_then_cut() -> None:
    """40 characters in the data; a panel shows what it has room for."""
    table = finished()
    for name, shown in (
        ("Kari Nordmann", "Kari Nordmann WINS"),
        ("Bartholomew James Featherstone", "Featherstone WINS"),
        ("Wolfeschlegelsteinhausen-Bergerdorffson", "Wolfeschlegelst… WINS"),
    ):
        table.state = table.state.replace(names=Pair(name, "Bo"))
        assert table.faces().left.lines[0] == shown
        assert len(shown) <= LINE_LENGTH


@pytest.mark.rule("R127")
def test_scores_can_be_away_scores() -> None:
    """US 1.2.5: 3-5 of 11 is 8-away 6-away, wherever a page shows the score."""
    table = carried_out(Reason.GAME_OVER, score=(3, 5)).tap(R)
    left, _ = faces(table.view._replace(away=True), table.now_ns)
    assert (left.score, left.lines) == ("8a-6a/11", ("Right +1 → 8a-5a",))
    review, _ = faces(desk(score=(3, 5)).view._replace(away=True), 0)
    assert review.lines[0] == "EBF, 8a-6a/11"
    over, _ = faces(finished().view._replace(away=True), 10**15)
    assert over.score == "0a-1a/1"


# --- a wrong put right in a minute ------------------------------------------------------------

CORRECTIONS: dict[str, tuple[str, tuple[object, ...]]] = {
    "two minutes more": ("add_time", (LEFT, 2 * MINUTE_NS, "restored", None)),
    "half a minute for the other": ("add_time", (RIGHT, 30 * SECOND_NS, "restored", None)),
    "a minute less": ("add_time", (RIGHT, -MINUTE_NS, "time_penalty", RulingReason.DICE)),
    "7:45 more": ("add_time", (LEFT, 465 * SECOND_NS, "best_estimate", None)),
    "set to 17:30": ("set_time", (LEFT, 1050 * SECOND_NS, "best_estimate", None)),
    "set to 8:05": ("set_time", (RIGHT, 485 * SECOND_NS, "best_estimate", None)),
    "set to 1:05:00": ("set_time", (RIGHT, 65 * MINUTE_NS, "director", None)),
}
PRESS_NS = 2 * SECOND_NS  # a director who has never seen it reads before each press


@pytest.mark.rule("R66")
@pytest.mark.parametrize("correction", CORRECTIONS)
def test_a_wrong_time_is_put_right_in_a_minute(correction: str) -> None:
    """From STOPPED with the menu closed to done: at most 30 presses, 2 s each (FIDE: 60 s)."""
    name, values = CORRECTIONS[correction]
    table = stopped()
    before = len(table.given)
    table.open_item(name).enter(*values).tap(C)
    assert isinstance(table.given[-1], inputs.TimeSet)
    assert (len(table.given) - before) * PRESS_NS <= MINUTE_NS


@pytest.mark.rule("R66")
def test_lost_time_is_given_back_in_a_few_presses() -> None:
    """Back to the last press: the evidence is in the log, nobody counts seconds."""
    table = stopped()
    before = len(table.given)
    table.open_item("give_back").enter(LEFT).through().tap(C)
    assert len(table.given) - before <= 10


# --- golden pictures --------------------------------------------------------------------------


def _at_item(table: Desk, name: str) -> Desk:
    """The menu, with an item selected."""
    table.hold()
    table.dialogue = table.dialogue.replace(page=MenuPage(name))
    return table


def _claimed() -> Desk:
    return chosen(flagged().tap(C), Reason.TIME_EXPIRED).tap(C)


def _ended() -> Desk:
    """The TD ends a match in which the right side, its flag down, gives up."""
    table = scored(length=25, score=(12, 9)).tap(R).pass_time(90 * MINUTE_NS).tap(C)
    table.input(inputs.MatchEnded, winner=RIGHT, why="forfeit")
    return table


def _won_twice() -> Desk:
    table = scored(length=1, best_of_three=True)
    return chosen(table.tap(R, C), Reason.GAME_OVER).tap(C, L, C).pass_time(0)


def _crawford() -> Desk:
    return ready(length=7, score=(6, 3))


def _presets() -> Desk:
    """The page of the presets before anything has been confirmed."""
    final = match_settings(length=13, time_per_point_ns=150 * SECOND_NS)
    last = match_settings("nbgf-analog", length=25, score=(11, 24), best_of_three=True)
    return desk(length=9).with_presets(Preset("Final", final), Preset(WIDEST_NAME, last))


PAGES: dict[str, Callable[[], Desk]] = {
    "review": desk,
    "review-confirmed": lambda: desk().tap(L),
    "review-best-of-three": lambda: desk("nbgf-hurtig", score=(3, 5), best_of_three=True).tap(L, R),
    "review-late": lambda: absent("dbgf").pass_time(12 * MINUTE_NS),
    "review-offered": offered,
    "review-offered-confirmed": lambda: offered().tap(R),
    "ready": ready,
    "ready-crawford": _crawford,
    "ready-matches": lambda: ready(best_of_three=True),
    "ready-scored": lambda: scored(length=7, score=(3, 5)),
    "ready-scored-crawford": lambda: scored(length=7, score=(5, 5)),
    "break-choice": lambda: after_game(length=17).tap(C, L, R, R),
    "break": lambda: in_break().pass_time(72 * SECOND_NS),
    "break-over": lambda: in_break().pass_time(11 * MINUTE_NS),
    "running-delay": running,
    "running-reserve": lambda: running().pass_time(30 * SECOND_NS),
    "running-low": lambda: running(time_per_point_ns=4 * SECOND_NS).pass_time(20 * SECOND_NS),
    "running-wait": lambda: carried_out(Reason.ILLEGAL_MOVE),
    "running-bronstein": lambda: running(method=Method.BRONSTEIN),
    "running-pace": lambda: paced().pass_time(96 * SECOND_NS),
    "stopped-pace": lambda: paced().pass_time(96 * SECOND_NS).tap(C),
    "review-pace": no_limit,
    "review-pace-later": lambda: no_limit(delay_ns=15 * SECOND_NS, overtime_ns=MINUTE_NS),
    "ready-practice": lambda: practised().tap(L, R, C),
    "running-practice": lambda: practised().tap(L, R, C, R).pass_time(35 * MINUTE_NS),
    "running-flagged": flagged,
    "running-both-flagged": lambda: flagged(both=True),
    "out-of-turn": lambda: running().tap(R),
    "free-turn": lambda: carried_out(Reason.EARLY_PICKUP),
    "stopped": stopped,
    "stopped-game-over": lambda: stopped(reason=Reason.GAME_OVER),
    "stopped-early-pickup": lambda: stopped(reason=Reason.EARLY_PICKUP),
    "stopped-illegal-move": lambda: stopped(reason=Reason.ILLEGAL_MOVE),
    "stopped-expired": lambda: chosen(flagged().tap(C), Reason.TIME_EXPIRED),
    "call-director": _claimed,
    "game-over": lambda: carried_out(Reason.GAME_OVER),
    "game-over-points": lambda: carried_out(Reason.GAME_OVER).tap(R, R),
    "game-over-warned": lambda: carried_out(Reason.GAME_OVER).tap(*[L] * 5),
    "finished": finished,
    "finished-by-td": _ended,
    "finished-matches": _won_twice,
    "finished-offered": offered_next,
    "no-clock": without_clock,
    "put-aside": aside,
    "take-up": lambda: to_resume().open_item("take_up").tap(R),
    "take-up-none": lambda: aside().open_item("take_up"),
    "code": lambda: stopped().with_code("LRRL").hold().tap(L, R),
    "code-wrong": lambda: stopped().with_code("LR").hold().tap(L, L),
    "code-pause": lambda: stopped().with_code("L").hold().tap(R, R, R),
    "menu": lambda: stopped().hold(),
    "menu-flagged": lambda: _claimed().hold(),
    "menu-about": lambda: _at_item(stopped(), "next_delay"),
    "menu-codes": lambda: _at_item(stopped(), "codes"),
    "entry-side": lambda: stopped().open_item("set_time"),
    "entry-time": lambda: stopped().open_item("set_time").enter(LEFT).tap(C, R),
    "entry-why": lambda: stopped().open_item("set_time").enter(LEFT, 17 * MINUTE_NS),
    "entry-number": lambda: ready().open_item("score").enter(LEFT),
    "entry-press": lambda: stopped().open_item("give_back").enter(LEFT),
    "do-time": lambda: (
        stopped().open_item("set_time").enter(LEFT, 17 * MINUTE_NS, "restored").through()
    ),
    "entry-reason": lambda: stopped().open_item("flag").enter(LEFT, 1),
    "do-warning": lambda: stopped().open_item("penalty").enter(LEFT, "conduct").through(),
    "do-penalty": lambda: ready(length=7).open_item("penalty").enter(LEFT, "late").through(),
    "do-end": lambda: _claimed().open_item("end_match").through(),
    "do-banks": lambda: stopped().open_item("reset_banks").through(),
    "do-swap": lambda: stopped().open_item("swap"),
    "preset-none": _presets,
    "preset": lambda: _presets().tap(R),
    "preset-all": lambda: _presets().tap(L),
    "preset-next": lambda: _presets().tap(R, C).open_item("other_preset"),
}
IN_OTHER_LANGUAGES = (
    "review", "review-offered", "ready-crawford", "break", "free-turn", "stopped-early-pickup",
    "call-director", "game-over", "finished", "finished-offered", "put-aside", "take-up", "menu",
    "do-time", "preset", "preset-next",
)  # fmt: skip
PICTURED = [("en", name) for name in PAGES] + [
    (language, name) for language in LANGUAGES if language != "en" for name in IN_OTHER_LANGUAGES
]


def both(table: Desk) -> Image.Image:
    """Both panels, side by side as in the box, with a gap."""
    picture = Image.new("1", (2 * WIDTH + 8, HEIGHT))
    for place, face in enumerate(table.faces()):
        picture.paste(draw(face), (place * (WIDTH + 8), 0))
    return picture


@pytest.mark.rule("R51")
@pytest.mark.parametrize(("language", "name"), PICTURED)
def test_pages_look_as_they_did(language: str, name: str) -> None:
    table = PAGES[name]()
    table.language = language
    picture = both(table)
    file = PICTURES / f"face-{name}-{language}.png"
    if os.environ.get("NEW_PICTURES"):
        picture.save(file, optimize=True)
    with Image.open(file) as golden:
        changed = ImageChops.difference(picture.convert("L"), golden.convert("L")).getbbox()
    assert changed is None, (
        f"{file.name} has changed within {changed}. If this is meant: "
        "NEW_PICTURES=1 pytest tests/ui/test_pages.py, and look at the new picture"
    )


def test_every_picture_is_of_a_page() -> None:
    pictured = {f"face-{name}-{language}.png" for language, name in PICTURED}
    assert {path.name for path in PICTURES.glob("face-*.png")} == pictured


def test_every_phase_is_pictured() -> None:
    assert {make().state.phase for make in PAGES.values()} == set(Phase)
