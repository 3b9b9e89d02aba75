"""What a session decides, as a value; that the loop runs it is seen wherever the loop runs."""

import pytest

from clock.config.offer import OfferError
from clock.config.settings import Preset
from clock.eventlog.codec import Chain
from clock.eventlog.recovery import Recovery
from clock.eventlog.replay import Match
from clock.match.events import (
    CorrectedEvent,
    FaultEvent,
    MatchOverEvent,
    OfferRefusedEvent,
    PressedEvent,
    Record,
    RestoredEvent,
    Writer,
)
from clock.match.inputs import (
    CLOCK,
    PLAYERS,
    CentrePressed,
    FaultCleared,
    FaultSeen,
    LanguageWanted,
    MatchWanted,
    OfferRefused,
    ResumeMatchWanted,
)
from clock.match.rules import Offer
from clock.match.types import Button, Pair, Phase, Side
from clock.session import (
    ListMatches,
    MatchBegun,
    Session,
    SettingsFile,
    Step,
    first_match,
)
from clock.text import message
from clock.ui.dialogue import (
    HOLD_NS,
    BreakPage,
    ButtonMoved,
    Dialogue,
    MenuPage,
    PresetPage,
    names_asked,
)
from clock.ui.menu import TAKE_UP, items
from lab.support.match_scripts import named
from lab.support.phases import OFFER, PHASES
from lab.support.world import World, match_settings

FILE, WRITER = SettingsFile(match_settings()), Writer("test")
OPENED = Session(World().state)
FIRST, BREAK = PresetPage(first=True), BreakPage()


def on(page: object, session: Session = OPENED) -> Session:
    return session.replace(dialogue=session.dialogue.replace(page=page))


def told(step: Step) -> list[type]:
    """What was done, by its kind; of records the kind of the event."""
    return [type(each.event) if isinstance(each, Record) else type(each) for each in step[1]]


def test_a_session_begins_with_the_match_that_is_wanted() -> None:
    presets = (Preset("", FILE.own), Preset("Final", match_settings(length=1)))
    file = FILE._replace(choices=presets, board="7")
    session, (begun,) = first_match(MatchWanted(5, "Final"), file, WRITER, Dialogue())
    assert isinstance(begun, MatchBegun)
    assert (begun.record.at_ns, session.state.length, session.board) == (5, 1, "7")
    gone = first_match(MatchWanted(5, "Gone"), file, WRITER, Dialogue())[0]
    assert (gone.state.preset, gone.state.length, gone.dialogue.page) == (None, 11, FIRST)
    assert PresetPage("Gone").selected(presets) == presets[0]


def test_a_file_without_presets_closes_their_page_and_no_other() -> None:
    for page, left in ((FIRST, None), (BREAK, BREAK), (None, None)):
        assert on(page).ask(()).dialogue.page == left


def test_a_preset_is_asked_for_while_none_is_chosen_and_nothing_is_confirmed() -> None:
    offered, _ = OPENED.open_match(MatchWanted(4, offer=OFFER), FILE, WRITER)
    confirmed = Session(World().press(Side.LEFT).state)
    for session, page in ((OPENED, FIRST), (on(BREAK), BREAK), (offered, None), (confirmed, None)):
        assert session.ask((Preset("", FILE.own),)).dialogue.page == page


def test_a_change_of_the_file_shows_only_where_its_match_does() -> None:
    """On the page of the presets, and at REVIEW without any page, before anybody has confirmed."""
    assert on(None).follows_file
    assert on(FIRST).follows_file
    assert not on(BREAK).follows_file
    assert not Session(World.ready().state).follows_file
    assert OPENED.reread(5, FILE, WRITER) == (OPENED, ())
    for file in (FILE._replace(board="7"), SettingsFile(match_settings(length=3))):
        assert told(OPENED.reread(5, file, WRITER)) == [MatchBegun]


@pytest.mark.rule("R223")
def test_the_names_of_the_file_are_offered_where_names_are_asked_for() -> None:
    """Read anew while they are, and first of all; else what can be chosen is left for right."""
    session = on(MenuPage("names"), Session(World.ready().state.replace(names=Pair("Bo", "Ada"))))
    for down in (True, False):
        session, _ = session.press(ButtonMoved(Button.CENTRE, down=down, at_ns=5))
    assert names_offered(session) == [Pair("Ada", "Bo")]
    assert session.follows_file
    for names in (Pair("Bodil", "Ada"), Pair("Ada", "Bo"), Pair("Bo", "Ada")):
        session, _ = session.reread(6, FILE._replace(own=named(FILE.own, *names)), WRITER)
        assert names_offered(session) == [Pair("Bodil", "Ada"), Pair("Ada", "Bo")]
    for down in (True, False, True):
        session, _ = session.press(ButtonMoved(Button.CENTRE, down=down, at_ns=7))
    step = session.press(ButtonMoved(Button.CENTRE, down=False, at_ns=8))
    assert step[0].state.names == Pair("Bodil", "Ada")
    assert told(step) == [CorrectedEvent]


def names_offered(session: Session) -> list[object]:
    """What can be chosen where the director is asked for the names."""
    entry = names_asked(session.dialogue.page)
    assert entry is not None
    return [option.value for option in entry.options]


@pytest.mark.rule("R223")
def test_a_match_that_nobody_has_begun_ends_for_another_one() -> None:
    """At *Ready* 0-0: without a winner, in its own log; one that was begun is not left so."""
    session = Session(World.ready().state)
    assert told(session.apply(MatchWanted(5))) == [MatchOverEvent, MatchWanted]
    assert "new_match" in {item.name for item in items(session.state)}
    for played in (World.between_games(), World.ready(score=(1, 0)), World.stopped()):
        assert "new_match" not in {item.name for item in items(played.state)}


def test_the_disk_is_asked_for_matches_when_their_page_opens() -> None:
    session = on(MenuPage(TAKE_UP))
    session, _ = session.press(ButtonMoved(Button.CENTRE, down=True, at_ns=5))
    session, done = session.press(ButtonMoved(Button.CENTRE, down=False, at_ns=6))
    assert done[-1] == ListMatches()
    assert ListMatches() not in session.press(ButtonMoved(Button.LEFT, down=True, at_ns=7))[1]


@pytest.mark.rule("R134", "R218")
def test_offers_and_rulings_are_looked_for_where_one_would_be_shown() -> None:
    held, _ = OPENED.press(ButtonMoved(Button.CENTRE, down=True, at_ns=5))
    assert [each.takes_offers for each in (OPENED, on(BREAK), held)] == [True, False, False]
    assert [each.takes_rulings for each in (OPENED, on(BREAK), held)] == [True, False, False]
    no_menu = {Phase.RUNNING, Phase.FREE_TURN, Phase.PUT_ASIDE}
    assert {p for p in Phase if not Session(PHASES[p].state).takes_rulings} == no_menu
    assert not Session(World.running().state).takes_offers


def test_after_a_power_cut_a_result_stands_until_any_press_begins_the_next_match() -> None:
    """A match that is not over is resumed as it was; its notice ends with what a player does."""
    notice = RestoredEvent("power_loss", None, None)
    for phase, world in PHASES.items():
        found = Recovery(Match(world.state, Chain("m", "boot")), None, notice)
        session, done = OPENED.resume(found, WRITER)
        assert (session.state, session.notice, done) == (world.state, notice, ())
        assert session.shows_last_result is (phase in (Phase.FINISHED, Phase.PUT_ASIDE))
        for down in (True, False):
            step = session.press(ButtonMoved(Button.LEFT, down=down, at_ns=world.now_ns))
            assert (told(step) == [MatchWanted]) is (down and session.shows_last_result)
    assert not Session(PHASES[Phase.FINISHED].state).shows_last_result
    stopped = Session(World.stopped().state, notice=notice)
    assert stopped.apply(CentrePressed(stopped.state.at_ns))[0].notice is None


@pytest.mark.rule("R134")
def test_an_offer_that_was_given_up_is_refused_and_known() -> None:
    offered, _ = OPENED.open_match(MatchWanted(4, offer=OFFER), FILE, WRITER)
    assert told(offered.apply(MatchWanted(5, offer=OFFER))) == [MatchWanted]
    after, (refused, wish) = offered.apply(MatchWanted(5))
    assert wish == MatchWanted(5)
    assert isinstance(refused, Record)
    why = "another match was begun"
    assert refused.event == OfferRefusedEvent(OFFER.id, PLAYERS, why)
    third = Offer("offer-003", FILE.own)
    again, _ = after.open_match(MatchWanted(6, offer=third), FILE, WRITER)
    twice = again.apply(MatchWanted(7))[0], again.apply(OfferRefused(7, third.id, PLAYERS))[0]
    for session in twice:
        known = session.open_match(MatchWanted(8), FILE, WRITER)[0].known_offers
        assert {OFFER.id, third.id} <= known
    assert told(OPENED.apply(MatchWanted(5, offer=OFFER))) == [MatchWanted]
    assert told(offered.apply(OfferRefused(5, OFFER.id, PLAYERS))) == [
        OfferRefusedEvent,
        MatchWanted,
    ]
    _, (refused,) = OPENED.take_offer(5, OfferError(message("line", number=3), "offer-002"))
    assert isinstance(refused, Record)
    said = "line 3", "error_line", {"number": 3}
    assert refused.event == OfferRefusedEvent("offer-002", CLOCK, *said)


def test_what_cannot_be_taken_up_leaves_all_as_it_is() -> None:
    wanted = ResumeMatchWanted(5, "gone")
    assert OPENED.apply(wanted) == (OPENED, (wanted,))
    step = OPENED.resume_match(wanted, None, WRITER)
    assert told(step) == [PressedEvent]
    assert step[0].state.replace(at_ns=0) == OPENED.state


def test_a_language_is_a_wish_and_a_press() -> None:
    wanted = LanguageWanted(5, "de")
    assert told(OPENED.apply(wanted)) == [LanguageWanted, PressedEvent]


def test_parts_that_have_failed_are_warned_of_in_their_order() -> None:
    session = OPENED
    for part in ("log", "power", "log"):
        session, (record,) = session.apply(FaultSeen(5, part, "it fails"))
        assert isinstance(record, Record)
        assert isinstance(record.event, FaultEvent)
    assert session.warnings == ("power", "log")
    assert session.apply(FaultCleared(6, "power"))[0].warnings == ("log",)


@pytest.mark.rule("R38")
def test_what_is_due_is_done_one_after_another_at_its_own_instant() -> None:
    """A flag falls before the centre that is down counts as held, and nothing is due then."""
    state = World.running(Side.LEFT).state
    session = Session(state, Dialogue(centre_since_ns=0))
    flag_ns = session.state.bank_ns() + 12 * 10**9
    assert session.deadline() == HOLD_NS
    held, done = session.pass_time(flag_ns)
    assert told((held, done)) == [PressedEvent]
    assert held.pass_time(flag_ns - 1) == (held, ())
    fallen, _ = held.pass_time(2 * flag_ns)
    assert (fallen.state.at_ns, fallen.state.first_flagged) == (flag_ns, Side.LEFT)
    assert fallen.deadline() is None
    assert fallen.pass_time(3 * flag_ns) == (fallen, ())


@pytest.mark.rule("R85")
def test_a_press_that_may_have_begun_gives_the_light_to_the_opponent() -> None:
    session = Session(World.running(Side.LEFT).state)
    begun = [ButtonMoved(Button(side), down=True, at_ns=10**9) for side in Side]
    assert session.running_after(begun) is Side.RIGHT
    assert session.running_after(begun[1:]) is Side.LEFT
    begun.append(ButtonMoved(Button.CENTRE, down=True, at_ns=10**9))
    assert Session(World.ready().state).running_after(begun) is None
    assert session.state.phase is Phase.RUNNING
