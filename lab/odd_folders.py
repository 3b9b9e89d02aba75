"""Lay odd neighbours beside a log, as an attacker or a PC would: no reader may be turned by them.

    python -m lab.odd_folders [FOLDERS [FIRST]]    10,000 by default, from number 0 on

Each folder has a log, whole or cut anywhere, and neighbours: second parts of other logs, forged
ones, names that are no UTF-8, links that lead nowhere, pipes, directories, huge files. Each reader
must say of the log what it says of it alone, and the true parts of a log must be joined.
"""

import gzip
import os
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import Pool
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from clock.eventlog.codec import DamagedError
from clock.eventlog.verification import verify
from clock.storage.inventory import logged_matches
from clock.storage.last_match import find_last_match
from clock.storage.log_reader import CURRENT, inspect, read_log
from clock.storage.unfinished import unfinished_matches
from lab.support.last_run import PHASES, match_in
from lab.support.logs import monkey_logs, renamed, sealed
from lab.support.paths import DATA

Make = Callable[[Path], object]
SLOWEST_S = 1.0  # for a reader, with files of up to 16 MB
STRANGERS = [path.read_bytes() for path in sorted(DATA.glob("*.jsonl"))]


def lines_of(random: Random) -> list[bytes]:
    """Return the lines of a match in any phase, perhaps with damage."""
    if random.random() < 0.5:
        return list(match_in(random.choice(list(PHASES))).lines)
    return monkey_logs(random.randrange(50), 60)[0]


def neighbours(random: Random, stem: str, lines: list[bytes]) -> dict[bytes, Make]:
    """Return what else lies in the folder: nothing of it continues the log exactly."""
    after = sealed([line.replace(b'"left_ns":', b'"left_ns":9') for line in renamed(lines, "x")])
    begin = random.randrange(1, len(lines) + 2)
    forged = [line.replace(b'"match":"x"', b'"match":"match"') for line in after[begin - 1 :]]
    text = b"".join(line + b"\n" for line in lines)
    contents: tuple[Make, ...] = (
        lambda path: path.write_bytes(random.choice(STRANGERS)),
        lambda path: path.write_bytes(text),  # line 1 again: a log of its own
        lambda path: path.write_bytes(b"\n".join([*forged, b""])),
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(bytes(4096)),
        lambda path: path.write_bytes(b"\n" * random.choice((9, 60_000))),
        lambda path: path.mkdir(),
        lambda path: os.mkfifo(path),  # noqa: PLW0108 (of one type with the others)
        lambda path: path.symlink_to("nowhere"),
        lambda path: path.symlink_to(path.name),
        lambda path: path.symlink_to("/dev/zero"),
    )
    names = [
        *(f"{stem}.{number}.jsonl".encode() for number in (2, 3, 9, 40)),
        *(f"{stem}{end}".encode() for end in (".1.jsonl", ".02.jsonl", ".x.jsonl", "-2.jsonl")),
        *(b"\xe9t\xe9.jsonl", b"zz\xff.jsonl", b"9999-01-01.jsonl", b"(1).jsonl", b"A.JSONL"),
    ]
    chosen = random.sample(names, random.randrange(1, 6))
    return {name: contents[random.randrange(len(contents))] for name in chosen}


def answers(folder: Path, path: Path) -> dict[str, object]:
    """Return what each reader says of a log, however its folder looks."""
    found: dict[str, object] = {}
    log, seen = read_log(path), inspect(path)
    found["start"] = log and (log.match, log.lines, log.saved, log.torn)
    found["lines"] = (seen.lines, seen.contradicted)
    try:
        found["verify"] = [line.hash for line in verify(seen.lines).lines]
    except DamagedError as damage:
        found["verify"] = str(damage)
    (listed,) = [each for each in logged_matches(folder) if each.files[0] == path]
    found["logs"] = (listed.play, listed.files)
    found["resume"] = [each for each in unfinished_matches(folder, None) if each.log == str(path)]
    last = find_last_match(folder, None)
    found["last"] = last and last.log and (last.log.match, last.log.lines)
    return found


def odd_folder(number: int) -> str:
    """Compare what is said of a log with and without neighbours; return how, "" if alike."""
    random = Random(number)
    with TemporaryDirectory() as made:
        folder = Path(made).resolve()
        stem = random.choice(("match", "final", "semi.1", "T 7"))
        path, lines = folder / f"{stem}.jsonl", lines_of(random)
        data = b"".join(line + b"\n" for line in lines)
        path.write_bytes(data[: random.choice((len(data), random.randrange(1, len(data))))])
        (folder / CURRENT).symlink_to(path.name)
        alone = answers(folder, path)
        for name, make in neighbours(random, stem, lines).items():
            with suppress(FileExistsError):
                make(folder / os.fsdecode(name))
        begun = time.process_time()  # other programs of this computer do not count
        beside = answers(folder, path)
        if time.process_time() - begun > len(beside) * SLOWEST_S:
            return f"{number}: slow"
        if alone["last"] is None:  # a copy under another name may restore it
            del alone["last"]
        different = [reader for reader in alone if alone[reader] != beside[reader]]
        return f"{number}: {', '.join(different)}" if different else _as_handed(random, path, lines)


def _as_handed(random: Random, path: Path, lines: list[bytes]) -> str:
    """Compare the log with the same one in true parts, or as a PC has written it anew."""
    text = b"\n".join(lines)
    for part in path.parent.glob(f"{path.stem}.*.jsonl"):
        part.rmdir() if part.is_dir() and not part.is_symlink() else part.unlink()
    cut = random.randrange(1, len(lines)) if len(lines) > 1 else 1
    forms: tuple[Callable[[], object], ...] = (
        lambda: path.write_bytes(text + b"\n"),
        lambda: path.write_bytes(text),
        lambda: path.write_bytes(text.replace(b"\n", b"\r\n") + b"\r\n"),
        lambda: path.write_bytes(b"\xef\xbb\xbf" + text),
        lambda: path.write_bytes(text.decode().encode("utf-16")),
        lambda: path.write_bytes(gzip.compress(text + b"\n")),
        lambda: (
            path.write_bytes(b"\n".join(lines[:cut]) + b"\n"),
            path.with_name(f"{path.stem}.2.jsonl").write_bytes(b"\n".join([*lines[cut:], b""])),
        ),
    )
    forms[0]()
    plain = answers(path.parent, path)
    random.choice(forms)()
    said = answers(path.parent, path)
    other = [reader for reader in ("lines", "verify", "resume") if said[reader] != plain[reader]]
    return f"{path}: written otherwise, {', '.join(other)} differ" if other else ""


def main() -> None:
    """Try so many folders, and name those in which a reader was turned."""
    given = [int(each) for each in sys.argv[1:]]
    count, first = (*given, *(10_000, 0)[len(given) :])
    numbers = range(first, first + count)
    with Pool() as pool:
        turned = [said for said in pool.imap_unordered(odd_folder, numbers, 20) if said]
    print("\n".join([*turned, f"{count} folders, {len(turned)} differences"]))
    sys.exit(bool(turned))


if __name__ == "__main__":
    main()
