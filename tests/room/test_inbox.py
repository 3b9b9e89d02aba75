"""Lines come late, twice, in any order, damaged or forged: what is stored is always a log."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from clock.eventlog.codec import stated_hash
from room.inbox import Head, Verdict, receive
from tests.support.examples import examples
from tests.support.logs import body, forged, monkey_logs, sealed

LOG = max(monkey_logs(3, 120), key=len)
FORK = forged(LOG, 6, lambda fields: fields.update(wall="2030-01-01T00:00:00+00:00"))
OTHER = sealed(body(line).replace(b'"match":"play-', b'"match":"other-') for line in LOG)


def after(lines: list[bytes]) -> tuple[Head, list[Verdict]]:
    """The head and the verdicts after some lines."""
    head, verdicts = Head(), []
    for line in lines:
        head, verdict = receive(head, line)
        verdicts.append(verdict)
    return head, verdicts


class Oracle:
    """What must be stored, found by comparing lines instead of hashes."""

    def __init__(self) -> None:
        self.stored: list[bytes] = []

    def receive(self, line: bytes) -> Verdict:
        """The verdict on a line of one of the two branches."""
        branches = [branch for branch in (LOG, FORK) if line in branch]
        if not branches:
            return Verdict.DAMAGED
        seq = branches[0].index(line) + 1
        if seq > len(self.stored) + 1:
            return Verdict.MISSING
        if line in self.stored:
            return Verdict.KNOWN
        if not any(branch[: seq - 1] == self.stored[: seq - 1] for branch in branches):
            return Verdict.DAMAGED
        verdict = Verdict.STORED if seq > len(self.stored) else Verdict.FORK
        self.stored[seq - 1 :] = [line]
        return verdict


@given(st.integers(0, 10**9))
@hypothesis_settings(max_examples=examples(1000))
def test_any_order_is_handled_as_the_oracle_says(seed: int) -> None:
    """Loss, repetition, reordering, another branch and another log, at random."""
    random, oracle, head = Random(seed), Oracle(), Head()
    lines = [line for line in LOG[:25] for _ in range(random.randrange(3))]
    begin, end = sorted(random.sample(range(len(FORK[:30])), 2))
    at = random.randrange(len(lines) + 1)
    lines[at:at] = [*FORK[begin:end], *OTHER[1:3]]
    for _ in range(random.randrange(6)):
        one, two = random.randrange(len(lines)), random.randrange(len(lines))
        lines[one], lines[two] = lines[two], lines[one]
    if lines[0] not in LOG[:1]:
        lines.insert(0, LOG[0])
    for line in lines:
        head, verdict = receive(head, line)
        assert verdict is oracle.receive(line)
        assert head.hashes == tuple(stated_hash(each) for each in oracle.stored)


@given(st.binary(max_size=200))
@hypothesis_settings(max_examples=examples(500))
def test_noise_changes_nothing(noise: bytes) -> None:
    """Whatever it is."""
    head, _ = after(LOG[:5])
    assert receive(head, noise) == (head, Verdict.DAMAGED)


@pytest.mark.parametrize("at", [0, 4, 5])
def test_a_changed_byte_is_damage(at: int) -> None:
    """In a line that is known, and in the next one."""
    head, _ = after(LOG[:5])
    changed = LOG[at].replace(b'"wall":"2', b'"wall":"3', 1)
    assert changed != LOG[at]
    assert receive(head, changed) == (head, Verdict.DAMAGED)


def test_a_log_is_stored_line_by_line() -> None:
    """As it comes."""
    head, verdicts = after(LOG)
    assert set(verdicts) == {Verdict.STORED}
    assert head.seq == len(LOG)


def test_a_fork_is_followed() -> None:
    """From the first line that differs on; the other branch can come back."""
    head, verdicts = after([*LOG[:9], *FORK[5:9], *LOG[6:8]])
    assert verdicts[9:] == [
        Verdict.KNOWN,
        Verdict.FORK,
        *[Verdict.STORED] * 2,
        Verdict.FORK,
        Verdict.STORED,
    ]
    assert head.hashes[-1] == stated_hash(LOG[7])
