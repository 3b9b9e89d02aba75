"""The hub as a second witness: a log that is handed in later, against what the hub heard.

The hub keeps each line as it came. A log that is changed afterwards, with all
hashes computed anew, differs from what the hub has.
"""

import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import closing
from http.client import HTTPException
from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qs, quote, urlsplit

import msgspec

from clock.eventlog.head import head_text
from room.lines.first_heard import FirstHeard
from room.lines.inbox import envelope_of
from room.settings.room import POSTGRESQL
from room.store.opening import StoreError
from room.store.store import Store

MAX_ANSWER = 64 * 1024 * 1024  # of an answer; the longest logs have one
TIMEOUT_S = 10
NO_MATCH = 404
ON_PAPER = "Compare the head with the score sheet"


class WitnessError(Exception):
    """The hub cannot be asked; the message says why."""


class FirstLine(msgspec.Struct):
    """What a hub saw first of a match, from one source."""

    seq: int
    head: str
    wall: str
    fork_seq: int = 0
    fork_wall: str = ""
    source: str = ""
    since: str = ""

    def remarks(self, log: Sequence[bytes]) -> Iterator[str]:
        """Yield what that says of a log."""
        if self.wall:
            last = "the last line" if self.seq == len(log) else "a line"
            yield f"the hub first saw {last}, {self.seq}, at {self.wall}"
        if self.fork_seq:
            yield (
                f"line {self.fork_seq} came with another content at {self.fork_wall}: the hub had"
                f" seen the lines up to {self.seq} before, with the head {self.head}"
            )


class Heard(NamedTuple):
    """What a hub heard of a match from one source."""

    lines: Sequence[bytes]
    forks: int  # how often lines came that contradict lines that came before
    first: FirstLine | None


class Comparison(NamedTuple):
    """A log beside what a hub heard of it."""

    same: int  # lines from the first on that are the same
    log: int  # lines of the log
    heard: int  # lines that the hub heard

    @property
    def agrees(self) -> bool:
        """Whether the hub heard the log as it is, as far as the hub heard it."""
        return self.same == self.heard

    @property
    def agreement(self) -> str:
        """In words; empty: there is none."""
        rest = self.log - self.heard
        after = f"; it did not hear the {rest} after them" if rest else ""
        return f"the hub heard the same {self.heard} lines{after}" if self.agrees else ""

    @property
    def objection(self) -> str:
        """What follows the log's name in a message; empty: they agree."""
        if self.agrees:
            return ""
        if self.same == self.log:
            return f": the end is missing: the hub heard {self.heard - self.log} more lines"
        return f", line {self.same + 1}: the hub heard another line; those before agree"


class Testimony(NamedTuple):
    """What a hub says of a log, in words."""

    objection: str  # what follows the log's name in a message; empty: they agree
    remarks: tuple[str, ...] = ()


def testify(log: Sequence[bytes], where: str) -> Testimony:
    """Ask a hub about a log.

    Args:
        log: its lines.
        where: see `ask`.

    Raises:
        WitnessError: the hub or its database cannot be asked.
    """
    match = match_of_lines(log)
    heard = [each for each in ask(where, match) if each.lines]
    if not heard:
        return Testimony(
            f": the hub does not know the match {match or 'of this log'}, or shows it to the"
            " director only: name the address with the token"
        )
    if len(heard) > 1:
        return _of_several(log, heard)
    return _of_one(log, heard[0])


def _of_one(log: Sequence[bytes], heard: Heard) -> Testimony:
    found = compare(log, heard.lines)
    times = "once" if heard.forks == 1 else f"{heard.forks} times"
    forks = (
        f"the hub heard lines that contradict earlier ones ({times}), and counts the later ones."
        f" {ON_PAPER}"
    )
    seen = heard.first.remarks(log) if heard.first else ()
    remarks = (found.agreement, *seen, forks if heard.forks else "")
    return Testimony(found.objection, tuple(filter(None, remarks)))


def _of_several(log: Sequence[bytes], heard: Sequence[Heard]) -> Testimony:
    """Return what a hub says of a log of which several sources sent one: each is named.

    One that differs is an objection, even if another agrees: the hub cannot know which is right.
    """
    objection, remarks = "", list[str]()
    for each in heard:
        name, found = each.first.source if each.first else "another source", _of_one(log, each)
        remarks += [f"from {name}: {remark}" for remark in found.remarks]
        if found.objection and objection:
            remarks.append(f"from {name}{found.objection}")
        elif found.objection:
            objection = f"{found.objection} (from {name}). {ON_PAPER}"
    return Testimony(objection, tuple(remarks))


def compare(log: Sequence[bytes], heard: Sequence[bytes]) -> Comparison:
    """Compare a log with what a hub heard, byte for byte."""
    pairs = enumerate(zip(log, heard, strict=False))
    shorter = min(len(log), len(heard))
    same = next((number for number, (one, other) in pairs if one != other), shorter)
    return Comparison(same, len(log), len(heard))


def match_of_lines(log: Sequence[bytes]) -> str:
    """Return the name of a log's match; empty: no line can be read."""
    found = (envelope_of(line) for line in log)
    return next((envelope.match for envelope in found if envelope is not None), "")


def ask(where: str, match: str) -> list[Heard]:
    """Return what a hub heard of a match, from each source that sent it.

    Args:
        where: the address of its pages, with the director's token if it needs one; or its database.
        match: the name of the match.

    Raises:
        WitnessError: the hub or its database cannot be asked.
    """
    if where.startswith(("http://", "https://")):
        return _of_hub(where, match)
    if not where.startswith(POSTGRESQL) and not Path(where).is_file():
        raise WitnessError(f"{where}: there is no such file; name a database or a hub's address")
    return _of_database(where, match)


def _of_database(where: str, match: str) -> list[Heard]:
    try:
        with closing(Store(where)) as store:
            first = store.first_heard(match)
            return [
                Heard(
                    store.lines(match, source),
                    store.known(match, source).forks,
                    _first_line(source, first[source]) if source in first else None,
                )
                for source in store.sources(match)
            ]
    except StoreError as error:
        raise WitnessError(str(error)) from error


def _of_hub(address: str, match: str) -> list[Heard]:
    try:
        parts = urlsplit(address)
        token = parse_qs(parts.query).get("token", [""])[0]
        base = f"{parts.scheme}://{parts.netloc}/api/matches/{quote(match, safe='')}"
        report = msgspec.json.decode(_get(base, token) or b"{}")
        first = msgspec.convert(report.get("first_heard", []), list[FirstLine])
        wanted: list[FirstLine | None] = [*first] or [None]
        return [_of_source(base, token, each) for each in wanted]
    except (OSError, HTTPException, ValueError) as error:
        raise WitnessError(f"{address.partition('?')[0]}: {error}") from error


def _of_source(base: str, token: str, first: FirstLine | None) -> Heard:
    source = f"?source={quote(first.source, safe='')}" if first else ""
    log, report = _get(f"{base}/log{source}", token), _get(f"{base}{source}", token)
    forks = (msgspec.json.decode(report or b"{}").get("result") or {}).get("forks", 0)
    return Heard(log.split(b"\n")[:-1], int(forks), first)


def _first_line(source: str, first: FirstHeard) -> FirstLine:
    head = head_text(first.hash)
    fork = (first.fork_seq, first.fork_wall)
    return FirstLine(first.seq, head, first.wall, *fork, source, first.since)


def _get(address: str, token: str) -> bytes:
    """Return what stands at an address; nothing if it does not exist."""
    request = urllib.request.Request(address)  # noqa: S310 (http or https)
    if token:
        request.add_header("Authorization", f"Bearer {token}")
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT_S) as answer:  # noqa: S310
            found: bytes = answer.read(MAX_ANSWER)
            return found
    except urllib.error.HTTPError as error:
        with error:
            if error.code == NO_MATCH:
                return b""
            raise OSError(f"{error.code} {error.reason}") from error
