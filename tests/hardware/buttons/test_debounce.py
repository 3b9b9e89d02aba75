"""Edges to presses: each real press once, at its first edge, in order, whatever the contacts do."""

from bisect import bisect_right
from itertools import accumulate
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.buttons.chatter import CHATTER_EDGES, CHATTER_NS, LOOK_NS
from hardware.buttons.debounce import Change, Debouncer, Settled

MS = 1_000_000
SETTLE, MARGIN = 5 * MS, 2 * MS
UP = {"left": False, "right": False, "centre": False}


class Contacts:
    """Switches that change their level at given instants, and the debouncer that hears of it."""

    def __init__(self, settle_ns: int = SETTLE, margin_ns: int = MARGIN) -> None:
        self.levels = dict(UP)
        self.debouncer = Debouncer(UP, settle_ns, margin_ns)

    def edges(self, name: str, *instants_ns: int) -> "Contacts":
        """The level changes at each of these instants; every edge is reported, truly."""
        for at_ns in instants_ns:
            self.levels[name] = not self.levels[name]
            self.debouncer.edge(name, at_ns, down=self.levels[name])
        return self

    def settle(self, now_ns: int) -> Settled:
        """The owner reads the levels and asks."""
        return self.debouncer.settle(now_ns, self.levels)

    def rest(self) -> list[Change]:
        """All that comes out when the owner asks each time that it is due."""
        changes = []
        while (due_ns := self.debouncer.due_ns) is not None:
            changes += self.settle(due_ns).changes
        return changes


@pytest.mark.rule("R85")
def test_a_bouncing_press_is_one_press_at_its_first_edge() -> None:
    """R85: 5 ms of bounces: one press, stamped at the first of them."""
    contacts = Contacts().edges("left", *range(100 * MS, 105 * MS, 500_000), 105 * MS)
    assert contacts.rest() == [Change(100 * MS, "left", True)]


@pytest.mark.rule("R85")
def test_press_and_release_both_bounce() -> None:
    """R85: the bounces of letting go are no press."""
    contacts = Contacts().edges("left", 0, MS, 2 * MS, 90 * MS, 91 * MS, 92 * MS)
    assert contacts.rest() == [Change(0, "left", True), Change(90 * MS, "left", False)]
    assert contacts.debouncer.glitches == 0


@pytest.mark.rule("R85")
def test_simultaneous_presses_are_two_in_a_known_order() -> None:
    """R85: both plungers at the very same instant: two presses, ordered by name."""
    contacts = Contacts().edges("right", 7).edges("left", 7)
    assert contacts.rest() == [Change(7, "left", True), Change(7, "right", True)]


def test_a_press_is_told_once_no_edge_of_its_burst_can_still_arrive() -> None:
    """Not a nanosecond before the settling time and the margin are over."""
    contacts = Contacts().edges("left", 0)
    assert contacts.settle(SETTLE + MARGIN - 1) == ([], 0)
    assert contacts.debouncer.due_ns == SETTLE + MARGIN
    assert contacts.settle(SETTLE + MARGIN) == ([Change(0, "left", True)], SETTLE)
    assert contacts.settle(SETTLE + MARGIN) == ([], SETTLE)


@pytest.mark.rule("T8")
@pytest.mark.parametrize("gap_ns", [1, SETTLE - 1, SETTLE, SETTLE + 1, 40 * MS])
def test_t8_a_tap_too_short_does_not_hide_the_press_after_it(gap_ns: int) -> None:
    """T8: a tap of 3 ms, then a press: one press; a tap within its settling time is its bounce."""
    press_ns = 3 * MS + gap_ns
    contacts = Contacts().edges("left", 0, 3 * MS, press_ns)
    own_burst = gap_ns >= SETTLE
    assert contacts.rest() == [Change(press_ns if own_burst else 0, "left", True)]
    assert contacts.debouncer.glitches == own_burst


@pytest.mark.rule("T8")
def test_t8_a_tap_too_short_alone_is_a_glitch() -> None:
    """T8: 3 ms down is no press, is counted, and holds nothing back afterwards."""
    contacts = Contacts().edges("left", 0, 3 * MS)
    assert contacts.rest() == []
    assert contacts.debouncer.glitches == 1
    assert contacts.debouncer.unsettled_ns is None


def test_a_tap_as_long_as_the_settling_time_is_a_press() -> None:
    """Exactly 5 ms down is a press; 1 ns less is a glitch."""
    assert len(Contacts().edges("left", 0, SETTLE).rest()) == 2
    assert Contacts().edges("left", 0, SETTLE - 1).rest() == []


def test_a_press_let_go_before_anybody_asked_is_not_lost() -> None:
    """The level read long after says nothing of a burst that newer edges have followed."""
    contacts = Contacts().edges("left", 0, 30 * MS)
    changes = [Change(0, "left", True), Change(30 * MS, "left", False)]
    assert contacts.settle(5_000 * MS) == (changes, 4_998 * MS)


def test_an_edge_on_its_way_does_not_make_a_press_a_glitch() -> None:
    """The level is up again, but that edge has not arrived: the press waits for it and counts."""
    contacts = Contacts().edges("left", 0)
    contacts.levels["left"] = False  # at 29 ms
    assert contacts.settle(30 * MS).changes == []
    assert contacts.settle(30 * MS + MARGIN - 1) == ([], 0)
    contacts.debouncer.edge("left", 29 * MS, down=False)
    assert contacts.rest() == [Change(0, "left", True), Change(29 * MS, "left", False)]


@pytest.mark.parametrize("said", [True, False])
def test_what_an_edge_says_of_its_level_is_corrected_by_reading(said: bool) -> None:
    """The only edge of a press says "up": the level read after settling decides."""
    contacts = Contacts()
    contacts.levels["left"] = True
    contacts.debouncer.edge("left", 0, down=said)
    assert contacts.rest() == [Change(0, "left", True)]
    assert contacts.debouncer.missed == (not said)
    assert contacts.debouncer.unstamped == 0  # its stamp is the edge's


def test_a_missed_release_does_not_hide_the_next_press() -> None:
    """The level read in passing is believed when no edge has explained it within the margin."""
    contacts = Contacts().edges("left", 0)
    contacts.rest()
    contacts.levels["left"] = False  # and no edge of it
    assert contacts.settle(100 * MS) == ([], 98 * MS)
    assert contacts.rest() == [Change(100 * MS, "left", False)]
    assert contacts.edges("left", 200 * MS).rest() == [Change(200 * MS, "left", True)]
    assert (contacts.debouncer.missed, contacts.debouncer.unstamped) == (1, 1)


def test_a_plunger_down_at_the_beginning_has_not_been_pressed() -> None:
    """It gives no press until it has been let go."""
    contacts = Contacts()
    contacts.levels["left"] = True
    contacts.debouncer = Debouncer(contacts.levels, SETTLE, MARGIN)
    assert contacts.rest() == []
    contacts.edges("left", 100 * MS, 200 * MS)
    assert contacts.rest() == [Change(100 * MS, "left", False), Change(200 * MS, "left", True)]


def test_a_held_plunger_is_one_press() -> None:
    """However long it is down, and though its contact trembles."""
    contacts = Contacts().edges("left", 0)
    for at_ns in range(1_000 * MS, 60_000 * MS, 1_000 * MS):
        contacts.edges("left", at_ns, at_ns + MS)
    assert contacts.rest() == [Change(0, "left", True)]
    assert contacts.debouncer.glitches == 59


@pytest.mark.rule("R85")
def test_a_press_waits_for_an_earlier_one_that_has_not_settled() -> None:
    """The left one came first but bounces longer: the right one is told after it."""
    contacts = Contacts().edges("left", 0, 4 * MS, 8 * MS).edges("right", MS)
    assert contacts.settle(MS + SETTLE + MARGIN) == ([], 0)
    assert contacts.debouncer.due_ns == 8 * MS + SETTLE + MARGIN
    assert contacts.rest() == [Change(0, "left", True), Change(MS, "right", True)]


def test_a_margin_longer_than_the_settling_time_holds_back_what_an_edge_has_settled() -> None:
    """Another line's edge could still arrive: told when that is over, and due then."""
    contacts = Contacts(margin_ns=20 * MS).edges("left", 0, 6 * MS)
    assert contacts.settle(6 * MS) == ([], -14 * MS)
    assert contacts.debouncer.due_ns == 20 * MS + 1
    contacts.debouncer.edge("right", -1, down=True)
    contacts.levels["right"] = True
    first = [Change(-1, "right", True), Change(0, "left", True), Change(6 * MS, "left", False)]
    assert contacts.rest() == first


def test_an_edge_later_than_the_margin_is_counted_and_keeps_its_stamp() -> None:
    """The promise of the horizon was broken: that is seen."""
    contacts = Contacts()
    contacts.settle(100 * MS)
    assert contacts.edges("left", 98 * MS - 1).rest() == [Change(98 * MS - 1, "left", True)]
    assert contacts.debouncer.late == 1


# --- chatter ----------------------------------------------------------------------------------


def chatter(contacts: Contacts, name: str, start_ns: int, edges: int, gap_ns: int) -> int:
    """A line chatters; returns the instant of the last edge."""
    instants = range(start_ns, start_ns + edges * gap_ns, gap_ns)
    contacts.edges(name, *instants)
    return instants[-1]


def test_a_late_edge_of_a_line_that_chatters_does_not_count() -> None:
    """Nothing that it says is believed, so nothing of it is late."""
    contacts = Contacts()
    contacts.settle(100 * MS + chatter(contacts, "left", 0, CHATTER_EDGES + 1, MS))
    contacts.debouncer.edge("left", 0, down=True)
    assert contacts.debouncer.late == 0


def test_200_edges_in_a_second_are_allowed_and_one_more_is_not() -> None:
    """Slow presses are no chatter, nor is one edge each 5 ms exactly."""
    contacts = Contacts()
    chatter(contacts, "left", 0, CHATTER_EDGES, MS)
    assert contacts.debouncer.chattering == frozenset()
    contacts.edges("left", CHATTER_EDGES * MS)
    assert contacts.debouncer.chattering == {"left"}
    slow = Contacts()
    chatter(slow, "left", 0, 1_000, CHATTER_NS // CHATTER_EDGES)
    assert slow.debouncer.chattering == frozenset()


def test_a_chattering_line_does_not_hold_back_the_others() -> None:
    """Once it is cut off the other line's presses come at once, with their stamps."""
    contacts = Contacts()
    last_ns = chatter(contacts, "left", 0, 500, MS)
    contacts.edges("right", last_ns + MS)
    now_ns = last_ns + MS + SETTLE + MARGIN
    assert contacts.settle(now_ns) == ([Change(last_ns + MS, "right", True)], now_ns - MARGIN)


def test_a_chattering_line_is_looked_at_again_every_second() -> None:
    """Cut off for a second, looked at for a moment; it is well when it was quiet then."""
    contacts = Contacts()
    chatter(contacts, "left", 0, CHATTER_EDGES + 1, MS)
    cut_ns = CHATTER_EDGES * MS
    for _ in range(3):
        assert contacts.debouncer.due_ns == cut_ns + CHATTER_NS
        assert not contacts.debouncer.listening("left")
        contacts.settle(cut_ns + CHATTER_NS)
        assert contacts.debouncer.listening("left")
        cut_ns = chatter(contacts, "left", cut_ns + CHATTER_NS, 21, MS)
        assert contacts.debouncer.chattering == {"left"}
    contacts.settle(cut_ns + CHATTER_NS)
    contacts.settle(cut_ns + CHATTER_NS + LOOK_NS)
    assert contacts.debouncer.chattering == frozenset()
    assert contacts.debouncer.due_ns is None


def test_a_line_cut_off_counts_as_up_and_is_known_anew_when_it_is_well() -> None:
    """The centre does not stay down for ever; and down after chatter is no press."""
    contacts = Contacts().edges("left", 0)
    contacts.rest()
    last_ns = chatter(contacts, "left", 100 * MS, CHATTER_EDGES + 1, MS)
    assert contacts.settle(last_ns + MARGIN + 1).changes == [Change(100 * MS, "left", False)]
    contacts.levels["left"] = True
    assert contacts.rest() == []
    contacts.edges("left", 9_000 * MS, 9_100 * MS)
    changes = contacts.rest()
    assert changes == [Change(9_000 * MS, "left", False), Change(9_100 * MS, "left", True)]


def test_a_burst_of_a_second_is_chatter_however_slow() -> None:
    """With a long settling time 200 edges are not needed to hold everything back."""
    contacts = Contacts(settle_ns=50 * MS)
    chatter(contacts, "left", 0, 26, 40 * MS)
    assert contacts.debouncer.chattering == {"left"}


# --- any contacts -----------------------------------------------------------------------------


class Toggle(NamedTuple):
    """An edge: when it was, when it arrives, and what it says of the level."""

    arrives_ns: int
    name: str
    at_ns: int
    says: bool


class Story(NamedTuple):
    """What contacts do, and what must come of it."""

    settle_ns: int
    margin_ns: int
    toggles: list[Toggle]
    levels: dict[str, list[int]]  # the instants at which each line changes
    expected: list[Change]


def bursts(instants: list[int], settle_ns: int) -> list[list[int]]:
    """The edges of a line in groups, as the definition says."""
    groups: list[list[int]] = []
    for at_ns in instants:
        if groups and at_ns - groups[-1][-1] < settle_ns:
            groups[-1].append(at_ns)
        else:
            groups.append([at_ns])
    return groups


@st.composite
def stories(draw: st.DrawFn, *, lies: bool) -> Story:
    """Contacts with any bounces.

    Without `lies` the last edge of a burst says the level truly and bursts follow at once. With
    them nothing said is true for sure, and a burst follows when the last can have been decided.
    """
    settle_ns, margin_ns = draw(st.sampled_from([(SETTLE, MARGIN), (SETTLE, 20 * MS), (1, 1)]))
    stable_ns = settle_ns + 3 * margin_ns if lies else settle_ns
    gaps = st.integers(1, settle_ns - 1) if settle_ns > 1 else st.nothing()
    gap = gaps | st.integers(stable_ns, stable_ns + 80 * MS)
    story = Story(settle_ns, margin_ns, [], {}, [])
    for name in UP:
        instants = list(accumulate(draw(st.lists(gap, max_size=25))))
        story.levels[name] = instants
        number, level = 0, False
        for burst in bursts(instants, settle_ns):
            if len(burst) % 2:
                level = not level
                story.expected.append(Change(burst[0], name, level))
            for at_ns in burst:
                number += 1
                true = not lies and at_ns == burst[-1]
                says = number % 2 == 1 if true else draw(st.booleans())
                arrives_ns = at_ns + draw(st.integers(0, margin_ns))
                before = [t.arrives_ns for t in story.toggles if t.name == name]
                arrives_ns = max([arrives_ns, *before])  # those of one line come in their order
                story.toggles.append(Toggle(arrives_ns, name, at_ns, says))
    story.expected.sort(key=lambda change: (change.at_ns, change.name))
    story.toggles.sort(key=lambda toggle: toggle.arrives_ns)
    return story


def told(story: Story, asked: list[int]) -> list[Change]:
    """What comes out when the owner asks at these instants, or (none) whenever it is due."""
    debouncer = Debouncer(UP, story.settle_ns, story.margin_ns)
    toggles, asked = list(story.toggles), sorted(asked, reverse=True)
    eager, changes, horizon_ns, now_ns = not asked, list[Change](), -(10**18), 0
    while toggles or asked or debouncer.due_ns is not None:
        due_ns = debouncer.due_ns if eager or not (asked or toggles) else None
        nexts = [toggles[0].arrives_ns] if toggles else []
        nexts += [due_ns] if due_ns is not None else []
        nexts += [asked[-1]] if asked else []
        now_ns = max(now_ns, min(nexts))
        while toggles and toggles[0].arrives_ns <= now_ns:
            toggle = toggles.pop(0)
            debouncer.edge(toggle.name, toggle.at_ns, down=toggle.says)
        due = due_ns is not None and due_ns <= now_ns
        if due or (asked and asked[-1] <= now_ns):
            asked = asked[:-1]
            down = {name: bisect_right(at, now_ns) % 2 == 1 for name, at in story.levels.items()}
            new, following_ns = debouncer.settle(now_ns, down)
            assert all(horizon_ns <= change.at_ns < following_ns for change in new)
            assert following_ns >= horizon_ns
            horizon_ns = following_ns
            changes += new
    assert debouncer.late == 0
    return changes


@pytest.mark.rule("R85", "T8")
@given(stories(lies=True))
def test_each_press_once_at_its_first_edge_in_order_whatever_the_edges_say(story: Story) -> None:
    """R85, T8: any bounces on three lines, edges that lie, late by up to the margin."""
    assert told(story, []) == story.expected


@pytest.mark.rule("R85", "T8")
@given(stories(lies=False), st.lists(st.integers(0, 2_000 * MS), min_size=1, max_size=20))
def test_the_same_however_late_the_owner_asks(story: Story, asked: list[int]) -> None:
    """R85, T8: asked at any instants: the same presses, and never one before the horizon."""
    assert told(story, asked) == story.expected
