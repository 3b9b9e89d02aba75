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
from room.store.store import Store, StoreError

MAX_ANSWER = 64 * 1024 * 1024  # of an answer; the longest logs have one
TIMEOUT_S = 10
NO_MATCH = 404


class WitnessError(Exception):
    """The hub cannot be asked; the message says why."""


class FirstLine(msgspec.Struct):
    """What a hub saw first of a match, from one clock."""

    seq: int
    head: str
    wall: str
    fork_seq: int = 0
    fork_wall: str = ""

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
    """What a hub heard of a match."""

    lines: Sequence[bytes]  # none: the hub does not know the match
    forks: int = 0  # how often lines came that contradict lines that came before
    first: Sequence[FirstLine] = ()  # from each clock that sent it


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
    match = match_of(log)
    heard = ask(where, match)
    if not heard.lines:
        return Testimony(
            f": the hub does not know the match {match or 'of this log'}, or shows it to the"
            " director only: name the address with the token"
        )
    found = compare(log, heard.lines)
    forks = (
        f"the hub heard {heard.forks} times lines that contradict earlier ones, and counts"
        " the later ones: compare the head with the score sheet"
    )
    seen = [remark for first in heard.first for remark in first.remarks(log)]
    remarks = (found.agreement, *seen, forks if heard.forks else "")
    return Testimony(found.objection, tuple(filter(None, remarks)))


def compare(log: Sequence[bytes], heard: Sequence[bytes]) -> Comparison:
    """Compare a log with what a hub heard, byte for byte."""
    pairs = enumerate(zip(log, heard, strict=False))
    shorter = min(len(log), len(heard))
    same = next((number for number, (one, other) in pairs if one != other), shorter)
    return Comparison(same, len(log), len(heard))


def match_of(log: Sequence[bytes]) -> str:
    """Return the name of a log's match; empty: no line can be read."""
    found = (envelope_of(line) for line in log)
    return next((envelope.match for envelope in found if envelope is not None), "")


def ask(where: str, match: str) -> Heard:
    """Return what a hub heard of a match.

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


def _of_database(where: str, match: str) -> Heard:
    try:
        with closing(Store(where)) as store:
            lines = store.lines(match)
            forks = [result.forks for result in store.results() if result.match == match]
            first = store.first_heard(match).values()
            return Heard(lines, sum(forks), [_first_line(each) for each in first])
    except StoreError as error:
        raise WitnessError(str(error)) from error


def _of_hub(address: str, match: str) -> Heard:
    try:
        parts = urlsplit(address)
        token = parse_qs(parts.query).get("token", [""])[0]
        base = f"{parts.scheme}://{parts.netloc}/api/matches/{quote(match, safe='')}"
        log, report = _get(f"{base}/log", token), _get(base, token)
    except (OSError, HTTPException, ValueError) as error:
        raise WitnessError(f"{address.partition('?')[0]}: {error}") from error
    found = msgspec.json.decode(report or b"{}")
    forks = (found.get("result") or {}).get("forks", 0)
    first = msgspec.convert(found.get("first_heard", []), list[FirstLine])
    return Heard(log.split(b"\n")[:-1], int(forks), first)


def _first_line(first: FirstHeard) -> FirstLine:
    return FirstLine(first.seq, head_text(first.hash), first.wall, first.fork_seq, first.fork_wall)


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
