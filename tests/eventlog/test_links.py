"""How logs continue one another: the same match, nothing missing, and resumed once (R131)."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import msgspec
import pytest

from clock.eventlog.codec import Chain
from clock.eventlog.links import GivenLog, begun_at_score, chains, links
from clock.eventlog.recovery import Checkpoint
from clock.eventlog.replay import replay
from clock.eventlog.salvage import Salvaged, continue_in_new_log, salvage, salvage_checkpoint
from clock.match import inputs
from clock.match.events import Writer
from clock.match.inputs import TAKEN_UP
from clock.match.machine import advance, open_match
from clock.match.types import Pair, Phase
from lab.support.last_run import BOOT, WALL, S, Written, checkpoint_at, continued, match_in
from lab.support.logs import body, forged, renamed, sealed
from lab.support.rows import row
from lab.support.world import LEFT, RIGHT, match_settings


def put_aside(at_s: int = 20) -> list[bytes]:
    """The log of a match that was adjourned in the left player's turn; a press follows."""
    match = match_in("STOPPED").give(inputs.Adjourned(at_s * S), inputs.Pressed(at_s * S, LEFT))
    return match.lines


def taken_up(lines: Sequence[bytes], name: str, *added: inputs.Input) -> list[bytes]:
    """A log that continues another one, with what happens there."""
    return continued(salvage(lines, None), TAKEN_UP, name, *added)


def given(**logs: Sequence[bytes]) -> list[GivenLog]:
    return [GivenLog(name, lines) for name, lines in logs.items()]


ONE = put_aside()
PLAYED = (inputs.CentrePressed(6), inputs.CentrePressed(9 * S), inputs.Adjourned(10 * S))
TWO = taken_up(ONE, "second", *PLAYED)
THREE = taken_up(TWO, "third")
OTHER = sealed(  # of another clock that had the same wrong date
    body(line).replace(BOOT.encode(), b"boot-9") for line in match_in("FINISHED").lines
)


@pytest.mark.rule("R131")
def test_a_match_of_three_logs_is_one() -> None:
    """R131: each log begins as the one before it stood, in whatever order they are given."""
    found = links(given(c=THREE, a=ONE, b=TWO, other=OTHER))
    assert found.objections == []
    assert sorted(remark.split(":")[0] for remark in found.remarks) == [
        "a and other are both called match, but begin differently",
        f"b continues a after its line {len(ONE)}",
        f"c continues b after its line {len(TWO)}",
    ]
    whole, alone = chains(given(c=THREE, a=ONE, b=TWO, other=OTHER))
    assert [log.name for log in whole] == ["a", "b", "c"]
    assert [log.name for log in alone] == ["other"]


def more_time(line: dict[str, Any]) -> None:
    """A forger gives the left player a second."""
    line["left_ns"] += S
    line["state"]["players"][0]["account"]["granted_ns"] += S


def other_date(line: dict[str, Any]) -> None:
    """A forger changes what proves nothing else."""
    line["wall"] = "2000-01-02T12:00:00.000+00:00"


def no_time(line: dict[str, Any]) -> None:
    """A forger leaves the left player nothing."""
    line["state"]["players"][0]["account"]["granted_ns"] -= line["left_ns"]
    line["left_ns"] = 0


def longer_turn(line: dict[str, Any]) -> None:
    """A forger lets the stopped turn have used more."""
    line["used_ns"] += S
    line["left_ns"] -= S
    line["state"]["turn"]["used_ns"] += S


@pytest.mark.rule("R131")
def test_nothing_goes_unsaid() -> None:
    """R131: a log that is missing, changed, older than the slip, or resumed twice."""
    stopped = match_in("STOPPED").lines
    wrong = {
        "is not among these": given(b=TWO),
        f"a has {len(ONE) - 2} lines: its end is missing": given(a=ONE[:-2], b=TWO),
        "a has another line there": given(a=forged(ONE, 3, other_date), b=TWO),
        "a and b are both called match, and differ from line 4 on": given(
            a=ONE, b=forged(ONE, 3, other_date)
        ),
        "b and c are both called second, and differ from line 2 on": given(
            a=ONE, b=TWO, c=forged(TWO, 1, other_date)
        ),
        "b does not begin with the times": given(a=ONE, b=forged(TWO, 0, more_time)),
        "b does not begin": given(a=ONE, b=forged(TWO[:1], 0, longer_turn)),
        "that log goes on: its last 2 lines": given(a=ONE, b=taken_up(stopped, "older")),
        "resumed 2 times, and each goes on: b and c": given(a=ONE, b=TWO, c=taken_up(ONE, "other")),
    }
    for says, logs in wrong.items():
        with row(says):
            found = links(logs)
            assert says in "\n".join((*found.objections, *found.remarks))
            assert bool(found.objections) == (says != "is not among these")
    aside = links(given(a=ONE, b=taken_up(ONE[:-1], "aside")))
    assert aside.objections == []  # a press follows, but nothing that was played
    ready = match_in("READY").give(inputs.Adjourned(5)).lines
    assert links(given(a=ready, b=taken_up(ready, "ready"))).objections == []
    one, two, copy = given(a=ONE, b=TWO, copy=TWO)
    for second in (two, replace(two, is_damaged=True)):
        for third in (copy, replace(copy, is_damaged=True)):
            found = links([one, second, third])
            whole = not (second.is_damaged or third.is_damaged)
            assert (len(found.remarks), found.objections, found.unproven) == (2 + whole, [], [])


@pytest.mark.rule("R131")
def test_of_logs_in_any_order_nothing_goes_unsaid() -> None:
    found = links(given(c=THREE, other=OTHER, a=ONE, b=taken_up(ONE, "fourth")))
    assert any(remark.startswith("b continues a after its line") for remark in found.remarks)
    changed = forged(ONE, 3, other_date)
    found = links(given(c=THREE, other=OTHER, a=ONE, changed=changed, copy=ONE))
    says = "\n".join(found.objections)
    assert "a and changed are both called match, and differ from line 4 on" in says
    assert "changed and copy are both called match, and differ from line 4 on" in says
    remarks = "\n".join(found.remarks)
    assert "other and changed are both called match, but begin differently" in remarks


@pytest.mark.rule("R131")
def test_a_match_begins_at_the_first_log_that_is_there_and_fits() -> None:
    """A log of the right name that lacks the line, or has another one, is another match's."""
    for logs in (given(b=TWO), given(a=ONE[:-2], b=TWO), given(a=OTHER, b=TWO)):
        assert [log.name for log in chains(logs)[-1]] == ["b"]
    whole, *_ = chains(given(other=OTHER, a=ONE, b=TWO)[::-1])
    assert [log.name for log in whole] == ["a", "b"]


@pytest.mark.rule("R131")
def test_a_match_may_be_taken_up_after_its_first_line() -> None:
    opened = ONE[:1]
    found = links(given(a=opened, b=taken_up(opened, "second")))
    assert found.objections == []
    assert [remark.partition(":")[0] for remark in found.remarks] == [
        "b continues a after its line 1"
    ]
    assert [len(chain) for chain in chains(given(a=opened, b=taken_up(opened, "second")))] == [2]


TEN = match_in("RUNNING").give(  # lines 6 to 10
    inputs.Pressed(20 * S, LEFT),
    inputs.Pressed(50 * S, RIGHT),
    inputs.Pressed(90 * S, LEFT),
    inputs.Pressed(95 * S, RIGHT),
    inputs.CentrePressed(130 * S),
)
AT_TEN = checkpoint_at(TEN, 130 * S)
NINE = TEN.lines[:9]  # the left clock runs
AT_NINE, LATER = (
    Checkpoint("match", 9, at * S, BOOT, replay(NINE).match.state) for at in (97, 120)
)


def torn(number: int) -> list[bytes]:
    """The ten lines, one of them zeroed as a lost sector is."""
    return [*TEN.lines[: number - 1], b"\0" * 300, *TEN.lines[number:]]


@pytest.mark.rule("R131", "T12")
def test_what_is_not_proven_is_said() -> None:
    """R131: a match that goes on from a damaged log, and what came after its end."""
    effects, saved = salvage(torn(3), None), salvage(torn(3), AT_TEN)
    left_out = salvage_checkpoint(AT_NINE, TEN.lines)
    unknown = left_out.origin
    untold = left_out._replace(origin=msgspec.structs.replace(unknown, unknown=0))
    named = left_out._replace(origin=msgspec.structs.replace(untold.origin, damage="line 10: bad"))
    at_effects = "is not proven: it was restored from the times and the score on a line after"
    at_checkpoint = 'is not proven: it was restored from its checkpoint ("line'
    same = "the same match, with the same times and score; not proven: "
    played = "what was played after it"
    whole = TEN.lines
    says: list[tuple[Salvaged, GivenLog, str, str]] = [
        (effects, GivenLog("a", whole[:2], is_damaged=True), at_effects, "undamaged line 10"),
        (effects, GivenLog("a", whole), at_effects, "it has both times and the score, no more"),
        (saved, GivenLog("a", whole[:2], is_damaged=True), at_checkpoint, "undamaged line 10"),
        (saved, GivenLog("a", whole), same, f'{played} ("line 3: '),
        (salvage(NINE, AT_TEN), GivenLog("a", NINE), at_checkpoint, '("line 10 is missing'),
        (salvage(NINE, AT_NINE), GivenLog("a", NINE), same, "1 s of play, at most, after it"),
        (salvage(NINE, None), GivenLog("a", NINE), same, played),
        (
            salvage(NINE, LATER),
            GivenLog("a", NINE),
            "same score; left begins with 13.0 less",
            "1 s",
        ),
        (left_out, GivenLog("a", whole, is_damaged=True), same, f"{played}, lines left out: 1"),
        (named, GivenLog("a", whole, is_damaged=True), same, f'{played}, lines left out: 1 ("line'),
    ]
    denied = (
        salvage(torn(9), None),
        salvage(NINE[:8], AT_NINE),
        left_out,
    )
    for of in (*denied, untold):  # a claim of damage does not excuse lines left out of a whole log
        earlier = GivenLog("a", whole, is_damaged=of is untold)  # nor damage that nobody told of
        [objection] = links([*given(b=continued(of, "damaged", "next")), earlier])[1]
        assert "are left out" in objection
    for of, earlier, begins, goes_on in says:
        with row(f"{begins} {goes_on}"):
            found = links([*given(b=continued(of, "damaged", "next")), earlier])
            assert (found.objections, found.unproven) == ([], ["b"])
            [remark] = found.remarks
            assert begins in remark
            assert goes_on in remark
    forged_one = forged(continued(effects, "damaged", "next"), 0, more_time)
    [objection] = links(given(a=whole, b=forged_one)).objections
    assert objection == "b does not begin with the times and the score that a has at its line 10"
    damaged = GivenLog("a", whole, is_damaged=True)
    [remark] = links([damaged, *given(b=forged_one)]).remarks
    assert "a has 0-0, left 21:01, right 21:42 at its line 10, b begins with 0-0, left 21" in remark
    played_on = continued(salvage(NINE, LATER), "damaged", "next")
    nothing_lost = forged(played_on, 0, lambda line: line.update(lost_ns=0))
    assert links(given(a=NINE, b=nothing_lost)).unproven == ["b"]
    used_up = forged(continued(effects, "damaged", "next"), 0, no_time)
    [remark] = links([damaged, *given(b=used_up)]).remarks
    assert "b begins with 0-0, left 0.0, right" in remark  # no flag is down


@pytest.mark.rule("R131", "R201")
def test_a_match_taken_up_by_version_1_0_0_goes_on_exactly() -> None:
    """That version noted times at presses alone, with the side and the instant of each."""

    def as_then(line: dict[str, Any]) -> None:
        begin, after_press = line["state"]["recent"]
        assert begin["reserves"] != after_press["reserves"]
        line["state"]["recent"] = [{"at_ns": None, "side": "left", **after_press}]

    moves = (inputs.Pressed(20 * S, LEFT), inputs.CentrePressed(50 * S), inputs.Adjourned(50 * S))
    first = match_in("RUNNING").give(*moves).lines
    heir = forged(taken_up(first, "second", *PLAYED), 0, as_then)
    assert replay(heir).match.state.recent[0].reserves.left is not None
    assert links(given(a=first, b=heir)) == links(given(a=first, b=taken_up(first, "second")))


def player(**values: object) -> Callable[[dict[str, Any]], None]:
    """Somebody changes what a log begins with of the left player."""
    return lambda line: line["state"]["players"][0].update(values)


def must_wait(line: dict[str, Any]) -> None:
    line["state"]["turn"].update(must_wait=True)


@pytest.mark.rule("R131")
def test_a_delay_that_is_forfeited_counts_where_the_rules_have_one() -> None:
    """Version 1.0.0 noted it where they have none, too; a turn off the clock always counts."""
    changes = (player(next_delay="skip"), player(next_delay="wait"), must_wait)
    for delay_ns in (0, 12 * S):
        match = Written(delay_ns=delay_ns).ready()
        match.give(inputs.Pressed(0, RIGHT), inputs.CentrePressed(20 * S))
        first = match.give(inputs.Adjourned(20 * S)).lines
        heir = taken_up(first, "second")
        for change in (*changes, player(next_delay="free"), player(breaks_taken=1)):
            found = links(given(a=first, b=forged(heir, 0, change)))
            assert bool(found.objections) is (delay_ns > 0 or change not in changes)
    before = Written(delay_ns=0).ready().give(inputs.Adjourned(20 * S)).lines  # no turn
    heir = forged(taken_up(before, "second"), 0, changes[0])
    assert links(given(a=before, b=heir)).objections == []


@pytest.mark.rule("R224")
def test_a_match_that_the_director_began_elsewhere_may_be_another_log() -> None:
    """If score, players and length are the same, and that one is not over."""
    timed = msgspec.structs.replace(match_settings(length=3), reserves=Pair(60 * S, 60 * S))
    _, line = Chain("b", BOOT).append(open_match(timed, 0, Writer("test"))[1], WALL)
    later = Written(length=3, score=(1, 0)).lines
    for begun, says in ((Written().lines, False), (later, True), ([line[:-1]], True)):
        assert bool(links(given(b=begun)).remarks) is says
    over = inputs.MatchEnded(3, LEFT, "director")
    others = inputs.NamesSet(3, Pair("Ada", "Cy"))
    for length, added in ((3, ()), (5, ()), (3, (others,)), (3, (over,))):
        match = Written(length=length).ready().give(inputs.ScoreSet(2, LEFT, 1), *added)
        remarks = "".join(links(given(a=renamed(match.lines, "a"), b=later)).remarks)
        assert ("perhaps: a ends with 1-0" in remarks) is (length == 3 and not added)
    match = Written(length=3, score=(1, 0)).ready().give(inputs.Adjourned(4))
    heir = taken_up(match.lines, "b")
    assert not any(begun_at_score(given(b=heir)))  # its log says what it goes on from


def origin_with(change: dict[str, object]) -> Callable[[dict[str, Any]], None]:
    """A forger changes what a log says of the one before it."""
    return lambda line: line["origin"].update(change)


@pytest.mark.rule("R131")
def test_a_log_without_damage_has_to_name_its_line() -> None:
    """R131: a forger who leaves the hash out, or names no line, proves nothing by that."""
    changes: list[dict[str, object]] = [{"hash": ""}, {"seq": 0}, {"seq": 99}]
    for change in changes:
        with row(str(change)):
            found = links(given(a=ONE, b=forged(TWO[:1], 0, origin_with(change))))
            says = "a has 8 lines" if change == {"seq": 99} else "a has another line there"
            assert says in "".join(found.objections)
            assert found.remarks == []


@pytest.mark.rule("R131")
def test_of_a_damaged_log_the_lines_before_the_damage_count() -> None:
    """From the first one on; a hash that is stated has to be right, whatever was restored."""
    opened = GivenLog("a", ONE[:1], is_damaged=True)
    found = links([*given(b=taken_up(ONE[:1], "second")), opened])
    assert [remark.partition(":")[0] for remark in found.remarks] == [
        "b continues a after its line 1"
    ]
    nothing = forged(TWO[:1], 0, origin_with({"seq": 0}))
    found = links([*given(b=nothing), opened])
    assert (len(found.remarks), found.objections) == (1, [])
    assert "a has no undamaged line 0" in found.remarks[0]
    effects = continued(salvage(torn(3), None), "damaged", "next")
    other = forged(effects, 0, origin_with({"hash": "0" * 32}))
    assert "a has another line there" in "".join(links(given(a=TEN.lines, b=other)).objections)


@pytest.mark.rule("R131")
def test_a_match_that_is_taken_up_has_its_times_to_the_nanosecond() -> None:
    """R131: at each stop; only the instants of the other clock are gone, and a break is over."""
    for phase in ("READY", "STOPPED", "GAME_OVER", "BREAK", "NO_CLOCK"):
        with row(phase):
            match = match_in(phase)
            before = match.state
            lines = match.give(inputs.Adjourned(21 * S)).lines
            assert match.state.phase is Phase.PUT_ASIDE
            recovery = continue_in_new_log(salvage(lines, None), TAKEN_UP, "boot", 5)
            assert recovery.restored is not None
            assert recovery.restored.lost_ns == 0
            after, _ = advance(recovery.match.state, recovery.restored)
            expected = before.replace(pause=None, at_ns=5, recent=after.recent, done=None)
            expected = expected.replace(phase=Phase.READY) if phase == "BREAK" else expected
            assert after == expected
