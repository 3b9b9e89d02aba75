"""A power cut after the end of a match: what players write down stays until somebody presses."""

import pytest
from msgspec import structs

from clock.match.types import Pair, Phase
from clock.report.build import summary
from clock.ui.dialogue import PresetPage
from clock.virtual import VirtualClock
from hardware.face import NO_KEYS, Face

MATCH = '[match]\nlength = 3\nnames = ["Ada", "Ben"]\n'
PRESETS = '[[preset]]\nname = "Final"\nlength = 13\n'
NEXT = (("next match", "next match", ""), ("", "next match", "next match"))


def played(settings: str = MATCH) -> VirtualClock:
    """A clock on which Ada's turn of a match is stopped."""
    clock = VirtualClock(settings)
    if "preset" in settings:
        clock.press("centre")
    for button in ("left", "right", "centre", "right"):
        clock.press(button)
    return clock.wait(20).press("centre")


def over(settings: str = MATCH) -> VirtualClock:
    """A clock on which Ada has won a match."""
    return played(settings).choose("game_over", "left", 3).press("centre")


def shown(clock: VirtualClock) -> Pair[Face]:
    """What both panels show, but for what the buttons do."""
    return clock.faces.map(lambda face: structs.replace(face, keys=NO_KEYS))


def keys(clock: VirtualClock) -> tuple[object, ...]:
    """What the buttons do, by the panels."""
    return tuple(face.keys for face in clock.faces)


@pytest.mark.rule("R67")
@pytest.mark.parametrize("ended", [over, lambda: played().choose("put_aside")])
@pytest.mark.parametrize("button", ["left", "right", "centre"])
def test_it_stays_over_power_cuts_and_crashes_until_any_press(
    ended: type[VirtualClock], button: str
) -> None:
    clock = ended()
    before, log = shown(clock), clock.log
    assert before.right.qr
    for _ in range(2):
        clock.cut()
        assert (shown(clock), keys(clock), clock.log) == (before, NEXT, log)
    clock.restart()
    assert (shown(clock), keys(clock)) == (before, NEXT)
    assert clock.press(button).state.phase is Phase.REVIEW
    assert clock.log != log


@pytest.mark.rule("R67", "R104")
@pytest.mark.parametrize("players_start", ["true", "false"])
def test_with_presets_they_are_asked_for_after_it(players_start: str) -> None:
    clock = over(f"{MATCH}[director]\nplayers_start = {players_start}\n{PRESETS}").cut()
    assert clock._dialogue.page is None
    clock.press("right")
    assert clock._dialogue.page == PresetPage(first=True)
    assert clock.choose("new_match", "Final").state.length == 13


@pytest.mark.rule("R67")
def test_the_director_can_still_reopen_the_match() -> None:
    """After that its end is an end like any other: a plunger begins nothing."""
    clock = over().cut().choose("reopen")
    assert clock.state.phase is Phase.GAME_OVER
    clock.press("centre")
    assert (clock.state.phase, clock.state.score) == (Phase.FINISHED, Pair(3, 0))
    assert keys(clock) == (("", "hold: TD", ""), ("", "hold: TD", ""))
    assert clock.press("left").state.phase is Phase.FINISHED


@pytest.mark.rule("R67", "R115")
@pytest.mark.parametrize("ended", [over, lambda: played().choose("put_aside")])
def test_the_report_is_about_the_match_and_not_about_the_night_after_it(
    ended: type[VirtualClock],
) -> None:
    clock = ended()
    before = summary(clock.lines)
    after = summary(clock.wait(30 * 3600).cut().lines)
    assert (after.last.line, after.restorations) == (before.last.line + 1, ())
    assert (after.period, after.duration_ns) == (before.period, before.duration_ns)
    assert [each.notable for each in after.passages] == [each.notable for each in before.passages]
