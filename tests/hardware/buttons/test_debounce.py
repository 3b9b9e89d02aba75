"""Each press is reported once, at its first edge and in order, however the contacts bounce."""

from bisect import bisect_right
from itertools import accumulate, pairwise
from typing import NamedTuple

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from hardware.buttons.debounce import (
    CHATTER_EDGES,
    CHATTER_NS,
    HAND_NS,
    OBSERVE_EDGES,
    OBSERVE_NS,
    Change,
    ChatterGuard,
    Debouncer,
    Settled,
)

MS = 1_000_000
SETTLE, MARGIN = 5 * MS, 2 * MS
UP = {"left": False, "right": False, "centre": False}


class Contacts:
    """Switches that change their level at given instants, and the debouncer of their edges."""

    def __init__(self, settle_ns: int = SETTLE, margin_ns: int = MARGIN) -> None:
        self.levels = dict(UP)
        self.debouncer = Debouncer(UP, settle_ns, margin_ns)

    def edges(self, name: str, *instants_ns: int) -> "Contacts":
        """Change the level at each of these instants; each edge reports its true level."""
        for at_ns in instants_ns:
            self.levels[name] = not self.levels[name]
            self.debouncer.edge(name, at_ns, down=self.levels[name])
        return self

    def settle(self, now_ns: int) -> Settled:
        """Read the levels and settle."""
        return self.debouncer.settle(now_ns, self.levels)

    def settle_all(self) -> list[Change]:
        """Settle whenever it is due, until nothing is; return all changes."""
        changes = []
        while (due_ns := self.debouncer.due_ns) is not None:
            changes += self.settle(due_ns).changes
        return changes


def test_a_press_is_returned_when_no_edge_of_its_burst_can_still_arrive() -> None:
    contacts = Contacts().edges("left", 0)
    assert contacts.settle(SETTLE + MARGIN - 1) == ([], 0)
    assert contacts.debouncer.due_ns == SETTLE + MARGIN
    assert contacts.settle(SETTLE + MARGIN) == ([Change(0, "left", True)], SETTLE)
    assert contacts.settle(SETTLE + MARGIN) == ([], SETTLE)
    assert Contacts().edges("left", 2, 1).debouncer.due_ns == 2 + SETTLE + MARGIN  # in any order


@pytest.mark.rule("T8")
@pytest.mark.parametrize("gap_ns", [1, SETTLE - 1, SETTLE, SETTLE + 1, 40 * MS])
def test_t8_a_tap_too_short_does_not_hide_the_press_after_it(gap_ns: int) -> None:
    """T8: a tap of 3 ms, then a press: one press; within the settle time the tap is a bounce."""
    press_ns = 3 * MS + gap_ns
    contacts = Contacts().edges("left", 0, 3 * MS, press_ns)
    own_burst = gap_ns >= SETTLE
    assert contacts.settle_all() == [Change(press_ns if own_burst else 0, "left", True)]
    assert contacts.debouncer.counts.glitches == own_burst


def test_a_tap_as_long_as_the_settle_time_is_a_press() -> None:
    """Exactly 5 ms down is a press; 1 ns less is a glitch."""
    assert len(Contacts().edges("left", 0, SETTLE).settle_all()) == 2
    assert Contacts().edges("left", 0, SETTLE - 1).settle_all() == []


def test_a_plunger_down_at_the_beginning_has_not_been_pressed() -> None:
    contacts = Contacts()
    contacts.levels["left"] = True
    contacts.debouncer = Debouncer(contacts.levels, SETTLE, MARGIN)
    assert contacts.settle_all() == []
    contacts.edges("left", 100 * MS, 200 * MS)
    assert contacts.settle_all() == [
        Change(100 * MS, "left", False),
        Change(200 * MS, "left", True),
    ]


@pytest.mark.parametrize("down", [False, True])
def test_an_edge_without_its_counterpart_is_a_missed_one(*, down: bool) -> None:
    """After quiet an edge reports the level that was there before: no glitch, and no press."""
    contacts = Contacts()
    if down:
        contacts.edges("left", 0)
        contacts.settle_all()
    contacts.debouncer.edge("left", 400 * MS, down=down)
    assert contacts.settle_all() == []
    counts = contacts.debouncer.counts
    assert (counts.glitches, counts.missed, counts.unstamped) == (0, 1, 1)
    contacts.edges("left", 500 * MS, 600 * MS)
    assert len(contacts.settle_all()) == 2
    contacts.debouncer.edge("left", 900 * MS, down=not down)  # it has lost the one after it
    assert contacts.settle_all() == []
    assert (counts.glitches, counts.missed, counts.unstamped) == (1, 2, 1)


@pytest.mark.rule("R85")
@pytest.mark.parametrize("at_ns", [0, MS])
def test_a_press_waits_for_an_earlier_one_that_has_not_settled(at_ns: int) -> None:
    """The left one came first but bounces longer: the right one is returned after it."""
    contacts = Contacts().edges("left", 0, 4 * MS, 8 * MS).edges("right", at_ns)
    assert contacts.debouncer.unsettled_ns == 0
    assert contacts.settle(at_ns + SETTLE + MARGIN) == ([], 0)
    assert contacts.debouncer.due_ns == 8 * MS + SETTLE + MARGIN
    assert contacts.settle_all() == [Change(0, "left", True), Change(at_ns, "right", True)]


def test_a_change_is_held_back_while_an_earlier_edge_may_still_arrive() -> None:
    """With a margin longer than the settle time; it is due when the margin is over."""
    contacts = Contacts(margin_ns=20 * MS).edges("left", 0, 6 * MS).edges("right", MS, 7 * MS)
    assert contacts.settle(7 * MS) == ([], -13 * MS)
    assert contacts.debouncer.due_ns == 20 * MS + 1
    contacts.edges("centre", -1)
    presses = [Change(-1, "centre", True), Change(0, "left", True), Change(MS, "right", True)]
    releases = [Change(6 * MS, "left", False), Change(7 * MS, "right", False)]
    assert contacts.settle_all() == presses + releases


def test_an_edge_ends_the_wait_for_one_that_is_missing() -> None:
    """A level was read that no edge had reported; then it comes, and its burst has to settle."""
    contacts = Contacts()
    contacts.levels["left"] = True
    contacts.settle(50 * MS)
    assert contacts.debouncer.due_ns == 50 * MS + MARGIN
    contacts.debouncer.edge("left", 51 * MS, down=True)
    assert contacts.debouncer.due_ns == 51 * MS + SETTLE + MARGIN
    assert contacts.settle_all() == [Change(51 * MS, "left", True)]
    assert (contacts.debouncer.counts.missed, contacts.debouncer.counts.glitches) == (0, 0)
    contacts.levels["left"] = False
    contacts.settle(199 * MS)
    assert contacts.settle_all() == [Change(199 * MS, "left", False)]
    counts = contacts.debouncer.counts
    assert (counts.missed, counts.unstamped) == (1, 1)  # this one never came


def test_an_edge_later_than_the_margin_is_counted_and_keeps_its_stamp() -> None:
    """Something was stamped before the horizon after all: that is counted."""
    contacts = Contacts()
    contacts.settle(100 * MS)
    assert contacts.edges("left", 98 * MS - 1).settle_all() == [Change(98 * MS - 1, "left", True)]
    assert contacts.debouncer.counts.late == 1
    contacts.settle(200 * MS)
    assert contacts.edges("left", 198 * MS, 198 * MS - 1).debouncer.counts.late == 2


# --- presses that may have begun --------------------------------------------------------------


def test_a_press_is_known_to_begin_at_its_first_edge() -> None:
    """Only that edge says so; it has begun until it is returned, and its release begins nothing."""
    contacts = Contacts()
    begins = [contacts.debouncer.edge("left", at_ns, down=True) for at_ns in (5, 6, 7)]
    contacts.levels["left"] = True
    assert begins == [True, False, False]
    assert contacts.debouncer.begun == [Change(5, "left", True)]
    assert contacts.settle(7 + SETTLE + MARGIN).changes == [Change(5, "left", True)]
    assert contacts.debouncer.begun == []
    assert not contacts.debouncer.edge("left", 90 * MS, down=False)
    assert contacts.debouncer.begun == []


@pytest.mark.rule("R85")
def test_a_press_has_begun_while_it_is_held_back() -> None:
    """R85: it has settled and was let go, but an earlier one bounces: both may still count."""
    contacts = Contacts().edges("left", *range(0, 68 * MS, 4 * MS)).edges("right", MS, 60 * MS)
    assert contacts.settle(68 * MS).changes == []
    assert contacts.debouncer.begun == [Change(0, "left", True), Change(MS, "right", True)]


def test_a_glitch_has_begun_until_it_is_known_to_be_one() -> None:
    """Until the settle time and the margin after its last edge are over."""
    contacts = Contacts().edges("left", 0, MS)
    contacts.settle(MS + SETTLE + MARGIN - 1)
    assert contacts.debouncer.begun == [Change(0, "left", True)]
    contacts.settle(MS + SETTLE + MARGIN)
    assert contacts.debouncer.begun == []


def test_a_contact_that_chatters_begins_no_press() -> None:
    """Its last edge before it is cut off ends what may have begun; then edges begin nothing."""
    contacts = Contacts()
    last_ns = chatter(contacts, "left", 0, CHATTER_EDGES, MS)
    assert contacts.debouncer.begun == [Change(0, "left", True)]
    assert contacts.debouncer.edge("left", last_ns + MS, down=True)
    assert not contacts.debouncer.edge("left", last_ns + 50 * MS, down=True)
    assert contacts.debouncer.begun == []


# --- chatter ----------------------------------------------------------------------------------


def chatter(contacts: Contacts, name: str, start_ns: int, edges: int, gap_ns: int) -> int:
    """Let a contact chatter; return the instant of the last edge."""
    instants = range(start_ns, start_ns + edges * gap_ns, gap_ns)
    contacts.edges(name, *instants)
    return instants[-1]


def test_a_late_edge_of_a_contact_that_chatters_does_not_count() -> None:
    contacts = Contacts()
    contacts.settle(100 * MS + chatter(contacts, "left", 0, CHATTER_EDGES + 1, MS))
    contacts.debouncer.edge("left", 0, down=True)
    assert contacts.debouncer.counts.late == 0


def test_200_edges_in_a_second_are_allowed_and_one_more_is_not() -> None:
    contacts = Contacts()
    chatter(contacts, "left", 0, CHATTER_EDGES, MS)
    assert contacts.debouncer.chattering == frozenset()
    contacts.edges("left", CHATTER_EDGES * MS)
    assert contacts.debouncer.chattering == {"left"}
    slow = Contacts()
    chatter(slow, "left", 0, 1_000, CHATTER_NS // CHATTER_EDGES)
    assert slow.debouncer.chattering == frozenset()


def test_a_chattering_contact_is_observed_again_every_second() -> None:
    """It is cut off for a second, then observed; it is well if it was quiet meanwhile."""
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
    contacts.settle(cut_ns + CHATTER_NS + OBSERVE_NS)
    assert contacts.debouncer.chattering == frozenset()
    assert contacts.debouncer.due_ns is None


def test_a_contact_cut_off_counts_as_up_and_its_level_is_read_again_when_it_is_well() -> None:
    """The centre does not stay down for ever; and being down after chatter is not a press."""
    contacts = Contacts().edges("left", 0)
    contacts.settle_all()
    last_ns = chatter(contacts, "left", 100 * MS, CHATTER_EDGES + 1, MS)
    assert contacts.settle(last_ns + MARGIN + 1).changes == [Change(100 * MS, "left", False)]
    contacts.levels["left"] = True
    assert contacts.settle_all() == []
    assert (contacts.debouncer.counts.missed, contacts.debouncer.counts.unstamped) == (0, 0)
    assert contacts.edges("left", 9_000 * MS).debouncer.begun == []  # it comes up
    changes = contacts.edges("left", 9_100 * MS).settle_all()
    assert changes == [Change(9_000 * MS, "left", False), Change(9_100 * MS, "left", True)]


def test_a_burst_of_a_second_is_chatter_however_slow() -> None:
    """With a long settle time fewer than 200 edges would hold everything back."""
    contacts = Contacts(settle_ns=50 * MS)
    chatter(contacts, "left", 0, 26, 40 * MS)
    assert contacts.debouncer.chattering == {"left"}


# --- any contacts -----------------------------------------------------------------------------


class Toggle(NamedTuple):
    """An edge: when it was, when it arrives, and the level that it reports."""

    arrives_ns: int
    name: str
    at_ns: int
    reports: bool


class Story(NamedTuple):
    """What contacts do, and the changes expected from it."""

    settle_ns: int
    margin_ns: int
    toggles: list[Toggle]
    levels: dict[str, list[int]]  # the instants at which each line changes
    expected: list[Change]


class Burst(NamedTuple):
    """Edges that belong together, and what they are: a press, a release, or nothing."""

    instants: list[int]
    change: bool | None
    end_ns: int


def bursts(instants: list[int], settle_ns: int) -> list[Burst]:
    """Group the edges of a switch into bursts and judge them, by the definition."""
    found: list[Burst] = []
    left, is_down, counted_down, counted_ns = list(instants), False, False, -(10**18)
    while left:
        group = [left.pop(0)]
        while left and left[0] < max(group[-1] + settle_ns, counted_ns + HAND_NS):
            group.append(left.pop(0))
        end_ns = max(group[-1] + settle_ns, counted_ns + HAND_NS)
        is_down ^= len(group) % 2 == 1
        too_soon = is_down and group[0] <= counted_ns + HAND_NS
        counts = is_down != counted_down and not too_soon
        found.append(Burst(group, is_down if counts else None, end_ns))
        if counts:
            counted_down, counted_ns = is_down, group[0]
    return found


@st.composite
def stories(draw: st.DrawFn, *, lies: bool) -> Story:
    """Draw contacts with any bounces.

    Without `lies` the last edge of a burst reports its true level, and bursts follow at once. With
    `lies` any level may be reported, and a burst follows when the last one can have settled.
    """
    settle_ns, margin_ns = draw(st.sampled_from([(SETTLE, MARGIN), (SETTLE, 20 * MS), (1, 1)]))
    stable_ns = settle_ns + 3 * margin_ns if lies else settle_ns
    gaps = st.integers(1, settle_ns - 1) if settle_ns > 1 else st.nothing()
    gap = gaps | st.integers(stable_ns, stable_ns + 80 * MS)
    story = Story(settle_ns, margin_ns, [], {}, [])
    for name in UP:
        instants = list(accumulate(draw(st.lists(gap, max_size=25))))
        story.levels[name] = instants
        number, grouped = 0, bursts(instants, settle_ns)
        for burst, following in pairwise(grouped):
            assume(not lies or following.instants[0] >= burst.end_ns + 3 * margin_ns)
        for burst in grouped:
            if burst.change is not None:
                story.expected.append(Change(burst.instants[0], name, burst.change))
            for at_ns in burst.instants:
                number += 1
                true = not lies and at_ns == burst.instants[-1]
                reports = number % 2 == 1 if true else draw(st.booleans())
                arrives_ns = at_ns + draw(st.integers(0, margin_ns))
                before = [t.arrives_ns for t in story.toggles if t.name == name]
                arrives_ns = max([arrives_ns, *before])  # those of one line come in their order
                story.toggles.append(Toggle(arrives_ns, name, at_ns, reports))
    story.expected.sort(key=lambda change: (change.at_ns, change.name))
    story.toggles.sort(key=lambda toggle: toggle.arrives_ns)
    return story


def debounced(story: Story, asked: list[int]) -> list[Change]:
    """Settle at the instants `asked`, or if there are none whenever it is due."""
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
            debouncer.edge(toggle.name, toggle.at_ns, down=toggle.reports)
        due = due_ns is not None and due_ns <= now_ns
        if due or (asked and asked[-1] <= now_ns):
            asked = asked[:-1]
            down = {name: bisect_right(at, now_ns) % 2 == 1 for name, at in story.levels.items()}
            new, following_ns = debouncer.settle(now_ns, down)
            assert all(horizon_ns <= change.at_ns < following_ns for change in new)
            assert following_ns >= horizon_ns
            horizon_ns = following_ns
            changes += new
    assert debouncer.counts.late == 0
    return changes


@pytest.mark.rule("R85", "T8")
@given(stories(lies=True))
def test_each_press_once_at_its_first_edge_in_order_whatever_the_edges_report(story: Story) -> None:
    """R85, T8: any bounces of three switches; edges report wrong levels, late by the margin."""
    assert debounced(story, []) == story.expected


@pytest.mark.rule("R85", "T8")
@given(stories(lies=False), st.lists(st.integers(0, 2_000 * MS), min_size=1, max_size=20))
def test_the_same_however_late_it_is_settled(story: Story, asked: list[int]) -> None:
    """R85, T8: settled at any instants: the same presses, never one before the horizon."""
    assert debounced(story, asked) == story.expected


def test_a_contact_that_chattered_is_observed_before_it_is_well() -> None:
    """Cut off for a second, then observed; it is well if few edges come meanwhile."""
    guard = ChatterGuard()
    guard.cut_off(0)
    for _ in range(CHATTER_EDGES):
        guard.count(1)
    assert guard.until_ns == CHATTER_NS  # edges that had waited do not make it longer
    assert (guard.listening, guard.recovered(CHATTER_NS - 1)) == (False, False)
    begin_ns = CHATTER_NS + MS  # the loop was late
    assert (guard.recovered(begin_ns), guard.listening) == (False, True)
    assert guard.until_ns == begin_ns + OBSERVE_NS
    for _ in range(OBSERVE_EDGES):
        guard.count(begin_ns + 1)
    assert guard.recovered(begin_ns + OBSERVE_NS)
    assert not guard.recovered(begin_ns + CHATTER_NS + OBSERVE_NS)
