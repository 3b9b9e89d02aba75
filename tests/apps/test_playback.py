"""A script played through the whole program, in virtual time."""

import json
from typing import ClassVar

import pytest

from clock.apps import playback
from clock.apps.playback import NullPanels, play
from clock.apps.script import parse
from clock.eventlog.fingerprint import Shown, fingerprint_text, parse_qr
from clock.eventlog.replay import replay
from clock.match.rules import MatchSettings
from clock.match.types import Pair, Phase
from clock.runtime.loop import UiOptions
from clock.ui.i18n import sayer
from clock.units import SECOND_NS
from hardware.display.layout import draw
from hardware.face import Face
from lab.support.camera import photograph, read_codes
from lab.support.logs import separate
from lab.support.match_scripts import VERSION, random_match
from lab.support.paths import DATA
from lab.support.rows import rest_slow
from lab.support.world import LEFT, RIGHT, match_settings

CASES = DATA / "cases"
READY = "0 press left\n0 press right\n0 press centre\n"
RUNNING = READY + "0 press right\n"
GAME_OVER = RUNNING + "3 press centre\n0 press right\n0 press centre\n0 press left\n"
SCORED = GAME_OVER + "0 press centre\n"
BANK_NS = 1320 * SECOND_NS  # of an 11-point match


def lines_of(script: str, settings: MatchSettings) -> list[bytes]:
    """Play a script, with all pictures; return the lines of its log."""
    lines: list[bytes] = []
    play(parse(script, "script"), settings, UiOptions(sayer("en"), VERSION), lines.append)
    return [line.rstrip(b"\n") for line in lines]


def fields(script: str, settings: str = "ebf") -> list[dict[str, object]]:
    """The lines of a script's log, read."""
    return [json.loads(line) for line in lines_of(script, match_settings(settings))]


def test_presses_have_the_instants_of_the_script() -> None:
    log = fields(RUNNING + "12.000000001 press left\n0.999999999 press right")
    assert [line["at_ns"] for line in log][-2:] == [12_000_000_001, 13_000_000_000]
    assert log[-2]["left_ns"] == BANK_NS - 1


@pytest.mark.rule("R85", "R217")
def test_both_plungers_at_once_make_no_turn() -> None:
    """The second press is refused; in a log of 1.0.0 it made a turn of 3 ms, and still does."""
    log = fields((CASES / "both-at-once.script").read_text("utf-8"))
    pressed = [line for line in log if line["event"] == "pressed"]
    whys = [None, None, "same_moment", "not_on_move", None]
    assert [line["why"] for line in pressed] == whys
    running = ["left", "right", "right", "right", "left"]
    assert [line["running"] for line in pressed] == running
    old = (CASES / "both-at-once-1.0.0.jsonl").read_bytes().splitlines()
    assert replay(old).match.chain.seq == len(old)


def test_the_wall_clock_continues_over_power_cuts() -> None:
    """It begins at noon, and shows thousandths; the raw clock of each boot begins at 0."""
    log = fields(RUNNING + "1.5 power cut\n0.25 press centre")
    assert [line["wall"] for line in (log[0], log[-2], log[-1])] == [
        "2000-01-01T12:00:00.000+00:00",
        "2000-01-01T12:00:01.500+00:00",
        "2000-01-01T12:00:01.750+00:00",
    ]
    assert [line["at_ns"] for line in log[-2:]] == [0, 250_000_000]
    boots = [line["boot"] for line in log]
    assert boots[-1] == boots[-2] != boots[-3]
    assert all(len(str(boot)) == 36 for boot in boots)


@pytest.mark.rule("R67")
@pytest.mark.parametrize(
    ("script", "phase"),
    [
        ("", "REVIEW"),
        (READY, "READY"),
        (RUNNING, "STOPPED"),
        (RUNNING + "3 press centre\n", "STOPPED"),
        (RUNNING + "3 press centre\n" + "0 press right\n" * 3 + "0 press centre\n", "STOPPED"),
        (GAME_OVER, "GAME_OVER"),
        (SCORED + "0 press centre\n0 press left\n0 press centre\n", "BREAK"),
        (READY + "0 hold centre\n0 press right\n", "READY"),
        (SCORED + "0 press centre\n0 press left\n", "READY"),
    ],
)
def test_a_power_cut_at_any_moment_leaves_no_clock_running(script: str, phase: str) -> None:
    """R67: in every phase, in the menu, on the page of breaks; and twice is as once."""
    for cut in ("0 power cut\n", "5 power cut\n", "0.3 power cut\n0 power cut\n700 power cut\n"):
        *before, last = fields(script + cut)
        assert (last["event"], last["phase"], last["running"]) == ("restored", phase, None)
        assert last["left_ns"] == last["right_ns"] == BANK_NS
        assert last["delay_ns"] <= 12 * SECOND_NS  # type: ignore[operator]
        assert len(before) >= 1


@pytest.mark.rule("R67")
@pytest.mark.parametrize("seconds", ["13", "13.5", "20.999999999", "100", "99.000000001"])
def test_a_power_cut_loses_at_most_a_second_of_play(seconds: str) -> None:
    """R67: of a turn on the clock."""
    last = fields(RUNNING + f"{seconds} power cut")[-1]
    played_ns = parse(f"{seconds} wait", "x")[0].end_ns
    assert last["event"] == "restored"
    assert 0 <= played_ns - int(str(last["used_ns"])) <= SECOND_NS == last["lost_ns"]


def test_a_press_at_the_instant_of_the_power_cut_counts() -> None:
    """The script says in which order; the press is on the disk."""
    log = fields(RUNNING + "20 press left\n0 power cut\n5 press centre")
    assert [line["event"] for line in log][-3:] == ["pressed", "restored", "resumed"]
    assert log[-1]["running"] == "right"


def test_a_new_match_has_a_log_of_its_own() -> None:
    """Named by its number; whatever was before is not in it, nor after a power cut."""
    menu = "0 hold centre\n0.2 press left\n0.2 press centre\n0 press centre\n"  # its last item
    script = f"0 press left\n{menu}1 press left\n0 power cut\n1 press right"
    logs = separate(lines_of(script, match_settings()))
    assert [json.loads(log[0])["match"] for log in logs] == ["play-1", "play-2"]
    assert [json.loads(log[-1])["phase"] for log in logs] == ["REVIEW", "REVIEW"]


def test_a_day_passes_in_a_moment_and_ends_at_its_end() -> None:
    """Waiting is not playing: nothing happens but the flag."""
    lines: list[bytes] = []
    options = UiOptions(sayer("en"), VERSION)
    state = play(parse(RUNNING + "86400 wait", "x"), match_settings(), options, lines.append)
    assert state.phase is Phase.RUNNING
    assert (state.running, state.flags_down) == (LEFT, 1)
    assert state.balance_ns(LEFT, 86_400 * SECOND_NS) == BANK_NS - (86_400 - 12) * SECOND_NS
    assert state.reserve_ns(RIGHT, 86_400 * SECOND_NS) == BANK_NS
    assert len(lines) == 6


# --- the fingerprint of the log on the panels -------------------------------------------------


class Shots(NullPanels):
    """Panels that keep every face that has been shown."""

    taken: ClassVar[list[Pair[Face]]] = []

    def show(self, faces: Pair[Face]) -> None:
        super().show(faces)
        assert self.faces is not None
        self.taken.append(self.faces)


@pytest.fixture
def shots(monkeypatch: pytest.MonkeyPatch) -> list[Pair[Face]]:
    """Return all faces shown by whatever is played."""
    monkeypatch.setattr(playback, "NullPanels", Shots)
    monkeypatch.setattr(Shots, "taken", [])
    return Shots.taken


@pytest.mark.parametrize("seed", rest_slow(range(3)))
def test_each_fingerprint_that_was_shown_is_found_in_the_log(
    seed: int, shots: list[Pair[Face]]
) -> None:
    """After every game that of its `game_over`, and on both panels the same."""
    settings = match_settings(length=5)
    log = [json.loads(line) for line in lines_of(random_match(settings, seed).script, settings)]
    fingerprints = {fingerprint_text(line["hash"]) for line in log}
    shown = {face.fingerprint for faces in shots for face in faces} - {""}
    assert shown <= fingerprints
    assert all(left.fingerprint == right.fingerprint for left, right in shots)
    games = [line for line in log if line["event"] == "game_over" and line["phase"] == "READY"]
    assert {fingerprint_text(line["hash"]) for line in games} <= shown


def test_the_code_at_the_end_is_that_of_the_last_line(shots: list[Pair[Face]]) -> None:
    """A camera reads hash, number and score from the right panel; both have the log code."""
    settings = match_settings(length=3)
    last = json.loads(lines_of(random_match(settings, 1).script, settings)[-1])
    left, right = shots[-1]
    (code,) = read_codes(photograph(draw(right), 4, 0.4))
    assert parse_qr(code) == Shown(last["hash"], last["seq"], Pair(*last["score"]))
    assert left.fingerprint == right.fingerprint == fingerprint_text(last["hash"])
    assert last["phase"] == Phase.FINISHED
