"""Which match a clock opens that starts, and in which language: in a box and on a terminal."""

from collections.abc import Callable
from pathlib import Path
from unittest import mock

import pytest

from clock.apps import simulator
from clock.config.loader import parse_settings
from clock.match.inputs import CentrePressed, LanguageWanted, Pressed
from clock.runtime.alerts import Alert
from clock.runtime.handover import Incoming, MatchFinder
from clock.runtime.loop import Runtime
from clock.runtime.startup import StartupMatch, find_match
from clock.ui.i18n import sayer
from lab.support.appliances import OPTIONS, Hardware
from lab.support.last_run import match_in
from lab.support.offers import OfferDesk
from lab.support.world import LEFT, RIGHT
from tests.stories.test_rulings import MORE

PRESET = '[[preset]]\nname = "Final"\nlength = 13\n'
Story = Callable[[Runtime], object]


def in_a_box(
    story: Story,
    folder: Path,
    find: MatchFinder = find_match,
    offers: Path | None = None,
    text: str = PRESET,
) -> None:
    hardware = Hardware()
    box = hardware.switch_on(folder, text, find=find, offers=offers)
    story(box.runtime)
    hardware.switch_off(box)


def on_a_terminal(
    story: Story,
    folder: Path,
    find: MatchFinder = find_match,
    offers: Path | None = None,
    text: str = PRESET,
) -> None:
    settings = parse_settings(text, "test")
    with mock.patch.object(simulator, "_run_in_thread", lambda runtime, *_: story(runtime)):
        simulator._run(settings, OPTIONS, lambda: settings, folder, find, Incoming(offers))


on_both = pytest.mark.parametrize("start", [in_a_box, on_a_terminal])


@pytest.mark.rule("R104", "R67")
@on_both
def test_the_match_that_was_chosen_is_opened(start: Callable[..., None], tmp_path: Path) -> None:
    """Nobody had confirmed it when the power was cut; the page does not come again."""

    def look(clock: Runtime) -> None:
        assert (clock.state.preset, clock.state.length) == ("Final", 13)
        assert clock.session.dialogue.page is None

    start(look, tmp_path, lambda *_: StartupMatch(None, preset="Final"))


@pytest.mark.rule("R133")
@on_both
def test_the_language_of_the_menu_is_kept_over_a_restart(
    start: Callable[..., None], tmp_path: Path
) -> None:
    """On the next start the panels speak it; the file's is the one that was there."""
    for language in ("en", "nb"):

        def choose(clock: Runtime) -> None:
            assert clock.view().say("ready") == sayer(language)("ready")  # noqa: B023 (called at once)
            clock.apply_input(LanguageWanted(clock.state.at_ns, "nb"))
            assert clock.view().say("ready") == sayer("nb")("ready")

        start(choose, tmp_path)


@pytest.mark.rule("R134")
@on_both
def test_offers_are_taken(start: Callable[..., None], tmp_path: Path) -> None:
    """And rulings, by a clock that is started with a directory of offers."""
    desk = OfferDesk(tmp_path, tmp_path / "logs")

    def take(clock: Runtime) -> None:
        desk.put(desk.line(after=clock._latest(), length=7))
        clock._look_for_offer(clock.state.at_ns)
        assert (clock.state.offer, clock.state.length) == ("offer-001", 7)
        at_ns = clock.state.at_ns
        for press in (Pressed(at_ns, LEFT), Pressed(at_ns, RIGHT), CentrePressed(at_ns)):
            clock.apply_input(press)
        desk.put(desk.ruling("add_time", *MORE, after=clock._latest()))
        clock._look_for_ruling(clock.state.at_ns)
        assert clock.state.proposal is not None

    start(take, tmp_path / "logs", offers=desk.directory)


@on_both
def test_an_unfinished_match_of_the_folder_can_be_resumed(
    start: Callable[..., None], tmp_path: Path
) -> None:
    (tmp_path / "match.jsonl").write_bytes(
        b"".join(line + b"\n" for line in match_in("RUNNING").lines)
    )

    def look(clock: Runtime) -> None:
        assert [Path(each.log).name for each in clock.unfinished()] == ["match.jsonl"]

    start(look, tmp_path)


@on_both
def test_it_sounds_what_the_file_turns_on(start: Callable[..., None], tmp_path: Path) -> None:
    for sound, wanted in (
        ("", frozenset()),
        ("buzzer_pin = 12\nlow_time = true", {Alert.LOW_TIME}),
    ):

        def look(clock: Runtime) -> None:
            assert clock._options.wanted == wanted  # noqa: B023 (called at once)

        start(look, tmp_path, text=f"[sound]\n{sound}\n")
