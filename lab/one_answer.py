"""Give each reader of logs the same files, as people hand them over: all must say the same.

    python -m lab.one_answer [PART]    2,000 files; of them each PART-th

A log is whole, cut at each byte of its last two lines, edited, or saved anew by another program.
What `verify` says of it is compared with `report`, `logs`, *Resume match*, start-up, and the hub:
as the present match of a folder, as an earlier one, as a single file, and played at its own pace.
"""

import gzip
import re
import sys
from collections.abc import Callable, Iterator
from functools import cache
from multiprocessing import Pool
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import NamedTuple

from clock.eventlog.codec import START, DamagedError, right_hash
from clock.eventlog.verification import verify
from clock.report.build import summary
from clock.storage.inventory import logged_matches
from clock.storage.last_match import find_last_match
from clock.storage.log_reader import CURRENT, inspect
from clock.storage.unfinished import unfinished_matches
from lab.support.last_run import match_in
from room.boards.followed_log import StoredLog
from room.boards.place_logs import PlaceLogs
from room.lines.events import EarlierLinesRead, LinesRead, SourceEvent, TroubleChanged
from room.sources.directory import DirectoryFollower
from room.sources.named import PacedFile

Change = Callable[[Random, bytes], bytes]
COUNT = 2000
CUT = ("STOPPED", "PUT_ASIDE")  # phases of the logs that are cut at each byte
PHASES = (*CUT, "REVIEW", "READY", "RUNNING", "GAME_OVER", "NO_CLOCK", "FINISHED")
DAY_NS = 86_400 * 10**9


class Case(NamedTuple):
    """A file, and how it was made."""

    name: str
    phase: str
    data: bytes


class Answer(NamedTuple):
    """What a reader says of a file."""

    right: int  # lines before the first bad one
    bad: int  # the first bad line; 0: none


@cache
def text_of(phase: str) -> bytes:
    """Return the log of a match in a phase."""
    return b"".join(line + b"\n" for line in match_in(phase).lines)


def _lines(change: Callable[[Random, list[bytes]], object]) -> Change:
    def changed(random: Random, data: bytes) -> bytes:
        lines = data.splitlines(keepends=True)
        change(random, lines)
        return b"".join(lines)

    changed.__name__ = change.__name__
    return changed


def one_byte(random: Random, data: bytes) -> bytes:
    """Write another byte."""
    at = random.randrange(len(data))
    return data[:at] + bytes((data[at] ^ 1 << random.randrange(8),)) + data[at + 1 :]


def number(random: Random, data: bytes) -> bytes:
    """Write another digit."""
    at = random.choice([found.start() for found in re.finditer(rb"\d", data)])
    return data[:at] + b"%d" % ((data[at] - 47) % 10) + data[at + 1 :]


def dropped(random: Random, lines: list[bytes]) -> None:
    """Leave out a line."""
    del lines[random.randrange(len(lines))]


def twice(random: Random, lines: list[bytes]) -> None:
    """Write a line twice."""
    at = random.randrange(len(lines))
    lines.insert(random.randrange(at, len(lines)) + 1, lines[at])


def swapped(random: Random, lines: list[bytes]) -> None:
    """Change the order of two lines."""
    one, other = random.sample(range(len(lines)), 2)
    lines[one], lines[other] = lines[other], lines[one]


def empty(random: Random, lines: list[bytes]) -> None:
    """Put an empty line somewhere."""
    lines.insert(random.randrange(len(lines) + 1), random.choice((b"\n", b" \n", b"\r\n")))


def other(random: Random, lines: list[bytes]) -> None:
    """Put a line of another match somewhere."""
    lines.insert(random.randrange(len(lines) + 1), random.choice(match_in("BREAK").lines) + b"\n")


def zeroed(random: Random, data: bytes) -> bytes:
    """Have a sector that was never written."""
    at = random.randrange(len(data))
    return data[:at] + bytes(random.choice((40, 512))) + data[at + 512 :]


EDITS: tuple[Change, ...] = (
    one_byte, number, _lines(dropped), _lines(twice), _lines(swapped), _lines(empty),
    _lines(other), zeroed,
)  # fmt: skip
SAVED: dict[str, Callable[[bytes], bytes]] = {
    "as it was": bytes,
    "CR LF": lambda data: data.replace(b"\n", b"\r\n"),
    "CR": lambda data: data.replace(b"\n", b"\r"),
    "a mark": lambda data: b"\xef\xbb\xbf" + data,
    "a mark, CR LF": lambda data: b"\xef\xbb\xbf" + data.replace(b"\n", b"\r\n"),
    "UTF-16": lambda data: data.decode("latin-1").encode("utf-16"),
    "UTF-16, CR LF": lambda data: data.replace(b"\n", b"\r\n").decode("latin-1").encode("utf-16"),
    "UTF-16BE": lambda data: data.decode("latin-1").encode("utf-16-be"),
    "gzip": gzip.compress,
    "gzip, CR LF": lambda data: gzip.compress(data.replace(b"\n", b"\r\n")),
    "no last line feed": lambda data: data.removesuffix(b"\n"),
    "empty lines": lambda data: data + b"\n\n",
    "the last line CR LF": lambda data: data.removesuffix(b"\n") + b"\r\n",
    "a control Z": lambda data: data + b"\x1a",
    "zeros": lambda data: data + bytes(512),
}


def corpus() -> Iterator[Case]:
    """Yield 2,000 files."""
    made = 0
    for phase in CUT:
        data = text_of(phase)
        begin = data.rindex(b"\n", 0, data.rindex(b"\n", 0, -1)) + 1
        for at in range(begin, len(data)):
            yield Case(f"{phase} cut at byte {at}", phase, data[:at])
        made += len(data) - begin
    for at in range(COUNT - made):
        random = Random(at)
        phase, saved = random.choice(PHASES), list(SAVED)[at % len(SAVED)]
        data, edited = text_of(phase), "whole"
        if at >= len(SAVED) * len(PHASES):
            edit = random.choice(EDITS)
            data, edited = edit(random, data), edit.__name__
        data = SAVED[saved](data)
        if random.random() < 0.1:
            data, edited = data[: random.randrange(len(data))], f"{edited}, cut"
        yield Case(f"{phase} {edited}, saved with {saved} ({at})", phase, data)


def of_verify(path: Path) -> Answer:
    """Return what `verify` says."""
    lines = inspect(path).lines
    return _read(lambda: len(verify(lines).lines))


def _of_report(path: Path) -> Answer:
    lines = inspect(path).lines

    def reported() -> int:
        summary(lines)
        return len(lines)

    return _read(reported)


def _read(count: Callable[[], int]) -> Answer:
    try:
        return Answer(count(), 0)
    except DamagedError as damage:
        return Answer(damage.line - 1, damage.line)


def _of_logs(path: Path) -> Answer:
    (match,) = [each for each in logged_matches(path.parent) if each.files[0] == path]
    if match.play is None:
        return Answer(0, 1)
    bad = _line(match.play.damage or "")
    return Answer(bad - 1 if bad else len(inspect(path).lines), bad)


def _line(why: str) -> int:
    found = re.search(r"lines? (\d+)", why)
    return int(found[1]) if found else 0


def _of_start(path: Path) -> Answer:
    last = find_last_match(path.parent, None)
    if last is None or last.log is None:
        return Answer(0, 1)
    count, before = 0, START
    for line in last.log.lines:
        if (found := right_hash(line, before)) is None:
            break
        count, before = count + 1, found
    is_bad = count < len(last.log.lines) or bool(last.log.torn.strip())
    return Answer(count, count + 1 if is_bad else 0)


def _resume_match(path: Path) -> bool | None:
    """Return whether *Resume match* calls a log damaged; None: it does not list it."""
    found = unfinished_matches(path.parent, None)
    return found[0].is_damaged if found else None


def _of_hub(path: Path, match: str, *, earlier: bool = False) -> Answer:
    """Return what a hub says that follows the folder of a log, or the file alone."""
    told: list[SourceEvent] = []
    follower = DirectoryFollower(path, told.append, lambda: DAY_NS)
    for _ in range(2):
        follower.scan()
    while earlier and follower.read_earlier():
        pass
    follower.close()
    return _told(told, match)


def _of_paced(path: Path, match: str) -> Answer:
    told: list[SourceEvent] = []
    source = PacedFile(path, 1e12, lambda: DAY_NS)
    source.start(told.append)
    if source._thread is not None:
        source._thread.join()
    return _told(told, match)


def _told(told: list[SourceEvent], match: str) -> Answer:
    """Return what a hub makes of the events of one log."""
    logs, found, is_torn = dict[str, PlaceLogs](), Answer(0, 1), False
    for event in told:
        if isinstance(event, TroubleChanged):
            is_torn = "in the middle of a line" in event.what
        if not isinstance(event, LinesRead | EarlierLinesRead) or event.match != match:
            continue
        of = logs.setdefault(event.place.key, PlaceLogs(event.place, lambda *_: StoredLog()))
        if isinstance(event, EarlierLinesRead):
            (ended,) = of.add_earlier(event).ended
            bad = _line(ended.damage or "")
            found = Answer(bad - 1 if bad else len(ended.lines), bad)
            continue
        of.add(event)
        if of.present is not None:
            right, bad = of.present.proven.lines, _line(of.present.shown.damage or "")
            found = Answer(right, bad)
    return found._replace(bad=found.right + 1) if is_torn and not found.bad else found


def differences(case: Case) -> list[str]:
    """Return which readers say something else of a file than `verify`, and what."""
    with TemporaryDirectory() as made:
        folder = Path(made).resolve()
        path, link = folder / "match.jsonl", folder / CURRENT
        path.write_bytes(case.data)
        link.symlink_to(path.name)
        said = of_verify(path)
        answers = {
            "report": _of_report(path),
            "logs": _of_logs(path),
            "start-up": _of_start(path),
            "the hub, a folder": _of_hub(folder, "match"),
            "the hub, a file": _of_hub(path, "match"),
            "the hub, paced": _of_paced(path, "match"),
        }
        listed = _resume_match(path)
        (folder / "next.jsonl").write_bytes(text_of("READY"))
        link.unlink()
        link.symlink_to("next.jsonl")
        answers["the hub, an earlier match"] = _of_hub(folder, "match", earlier=True)
    found = [f"{reader} {answer}" for reader, answer in answers.items() if answer != said]
    found += [f"Take up {listed}"] if listed not in (None, said.bad > 0) else []
    return [f"{case.name}: {', '.join(found)}, but verify {said}"] if found else []


def main() -> None:
    """Give the files to the readers, and print where they differ."""
    step = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    cases = list(corpus())[::step]
    with Pool() as pool:
        found = [each for said in pool.imap_unordered(differences, cases, 20) for each in said]
    print("\n".join([*found, f"{len(cases)} files, {len(found)} differences"]))
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
