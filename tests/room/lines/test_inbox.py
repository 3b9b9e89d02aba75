"""Lines come late, twice, in any order, damaged or forged: what is stored is always a log."""

from collections import Counter
from functools import cache
from random import Random

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from clock.eventlog.codec import stated_hash
from lab.support.examples import examples
from lab.support.logs import body, forged, monkey_logs, sealed
from room.hub.store.arranged import ArrangedLog, LineRow, arranged
from room.lines.inbox import LogHashes, Verdict, envelope_of, hashes_of, receive

LOG = max(monkey_logs(3, 120), key=len)
FORK = forged(LOG, 6, lambda fields: fields.update(wall="2030-01-01T00:00:00+00:00"))
OTHER = sealed(body(line).replace(b'"match":"play-', b'"match":"other-') for line in LOG)


def after(lines: list[bytes]) -> tuple[LogHashes, list[Verdict]]:
    hashes, verdicts = LogHashes(), []
    for line in lines:
        hashes, verdict = receive(hashes, line)
        verdicts.append(verdict)
    return hashes, verdicts


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
@hypothesis_settings(max_examples=examples(500))
def test_any_order_is_handled_as_the_oracle_says(seed: int) -> None:
    random, oracle, hashes = Random(seed), Oracle(), LogHashes()
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
        hashes, verdict = receive(hashes, line)
        assert verdict is oracle.receive(line)
        assert hashes.by_line == tuple(stated_hash(each) for each in oracle.stored)


# --- thousands of interleavings ---------------------------------------------------------------


def branch(lines: list[bytes], at: int) -> list[bytes]:
    """A log that differs from another one from a line on."""
    return forged(lines, at, lambda fields: fields.update(wall="2031-01-01T00:00:00+00:00"))


SHORT = LOG[:7]
EARLY, LATE, NEXT = branch(SHORT, 1), branch(SHORT, 4), OTHER[:7]
LOGS = (SHORT, EARLY, LATE, branch(EARLY, 5), NEXT, branch(NEXT, 3))
NOISE = SHORT[3].replace(b'"wall":"2', b'"wall":"3', 1)
RESTART = b""  # of the hub


class Hub:
    """What a hub does with the lines of a place, as far as it is decided here."""

    def __init__(self) -> None:
        self.hashes: dict[str, LogHashes] = {}
        self.rows: dict[str, list[LineRow]] = {}

    def take(self, match: str, line: bytes) -> Verdict:
        """Take a line, and keep it if it is new."""
        hashes, verdict = receive(self.hashes.get(match, LogHashes()), line)
        self.hashes[match] = hashes
        if verdict in (Verdict.STORED, Verdict.FORK):
            self.rows.setdefault(match, []).append(LineRow(0, hashes.seq, verdict, line))
        return verdict

    def restart(self) -> None:
        """Know only what was kept."""
        for match, rows in self.rows.items():
            self.hashes[match], _ = after(arranged(ArrangedLog([], []), rows).lines)


class Tree:
    """What must be stored: each line follows one other, found by its place and not by hashes."""

    def __init__(self) -> None:
        self.stored: dict[str, tuple[bytes, ...]] = {}

    def take(self, match: str, line: bytes) -> Verdict:
        stored, way = self.stored.get(match, ()), WAYS[line]
        seq = len(way)
        if seq > len(stored) + 1:
            return Verdict.MISSING
        if line == NOISE or stored[: seq - 1] != way[:-1]:
            return Verdict.DAMAGED
        if stored[:seq] == way:
            return Verdict.KNOWN
        self.stored[match] = way
        return Verdict.STORED if seq > len(stored) else Verdict.FORK


WAYS = {log[at]: tuple(log[: at + 1]) for log in LOGS for at in range(len(log))}  # up to each line
WAYS[NOISE] = (*SHORT[:3], NOISE)
HASHES = {line: stated_hash(line) for line in WAYS}
MATCHES = {line: "one" for log in (*LOGS[:4], [NOISE]) for line in log}


def interleaving(random: Random) -> list[bytes]:
    """Lines of some logs: lost, repeated, moved, with noise and restarts in between."""
    lost, moved = random.choice((0, 0.1, 0.3)), random.choice((0, 1, 4))
    sent = [*random.choice(LOGS), *random.choice(LOGS)]
    sent += random.choices((*sent, NOISE, RESTART), k=random.randrange(8))
    kept = [line for line in sent if random.random() >= lost]
    places = [at + moved * random.random() for at in range(len(kept))]
    return [kept[at] for at in sorted(range(len(kept)), key=places.__getitem__)]


@pytest.mark.slow
def test_thousands_of_interleavings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of several branches of two matches: what is stored is what the tree of their lines says."""
    monkeypatch.setattr(
        "room.lines.inbox.envelope_of", cache(envelope_of)
    )  # of lines that come often
    random, seen = Random(1), Counter[Verdict]()
    for number in range(10_000):
        hub, tree = Hub(), Tree()
        for line in interleaving(random):
            if line == RESTART:
                hub.restart()
                continue
            match = MATCHES.get(line, "two")
            verdict = tree.take(match, line)
            assert hub.take(match, line) is verdict, number
            seen[verdict] += 1
        for match, stored in tree.stored.items():
            assert hub.hashes[match].by_line == tuple(HASHES[line] for line in stored), number
            assert arranged(ArrangedLog([], []), hub.rows[match]).lines == list(stored), number
    assert min(seen[verdict] for verdict in Verdict) > 1_000


@given(st.binary(max_size=200))
@hypothesis_settings(max_examples=examples(200))
def test_noise_changes_nothing(noise: bytes) -> None:
    hashes, _ = after(LOG[:5])
    assert receive(hashes, noise) == (hashes, Verdict.DAMAGED)


@pytest.mark.parametrize("at", [0, 4, 5])
def test_a_changed_byte_is_damage(at: int) -> None:
    hashes, _ = after(LOG[:5])
    changed = LOG[at].replace(b'"wall":"2', b'"wall":"3', 1)
    assert changed != LOG[at]
    assert receive(hashes, changed) == (hashes, Verdict.DAMAGED)


@pytest.mark.parametrize("seq", [0, -1])
def test_no_line_stands_before_the_first(seq: int) -> None:
    hashes, _ = after(LOG[:5])
    line = forged(LOG[:1], 0, lambda fields: fields.update(seq=seq))[0]
    assert receive(hashes, line) == (hashes, Verdict.DAMAGED)


def test_a_log_is_stored_line_by_line() -> None:
    hashes, verdicts = after(LOG)
    assert set(verdicts) == {Verdict.STORED}
    assert hashes.seq == len(LOG)
    assert hashes == hashes_of(hashes.match, [*LOG[:3], b"noise", *LOG[3:]])
    assert [hashes.point(seq).hash for seq in (1, 3)] == [stated_hash(LOG[0]), stated_hash(LOG[2])]
    assert hashes_of("m", []) == LogHashes()


def test_a_fork_is_followed() -> None:
    """From the first line that differs on; the other branch can come back."""
    hashes, verdicts = after([*LOG[:9], *FORK[5:9], *LOG[6:8]])
    assert verdicts[9:] == [
        Verdict.KNOWN,
        Verdict.FORK,
        *[Verdict.STORED] * 2,
        Verdict.FORK,
        Verdict.STORED,
    ]
    assert hashes.by_line[-1] == stated_hash(LOG[7])


def test_another_latest_line_is_a_fork() -> None:
    _, verdicts = after([*LOG[:7], FORK[6]])
    assert verdicts[-1] is Verdict.FORK
