"""The log as it lies on the disk when the clock starts: torn, in segments, spoilt, elsewhere."""

import errno
import gzip
import os
import tracemalloc
from collections.abc import Callable
from io import BytesIO
from itertools import product
from pathlib import Path
from random import Random
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZIP_LZMA, ZipFile

import pytest

from clock.eventlog.codec import START, missing_lines, right_hash, stated_hash
from clock.eventlog.verification import verify
from clock.storage import log_reader
from clock.storage.disk import BLOCK_SIZE
from clock.storage.journal import JournalError
from clock.storage.log_reader import (
    CURRENT,
    inspect,
    log_path,
    open_log,
    plain,
    read_lines,
    read_log,
    untorn_length,
)
from lab.support.faulty_disk import FaultyDisk
from lab.support.journals import LINES, NAME, RAW, found, found_lines, opened, written
from lab.support.last_run import checkpoint_at, left_behind, match_in, put_log
from lab.support.logs import forged, monkey_logs, renamed
from lab.support.paths import DATA
from lab.support.rows import rest_slow, row


def zipped(files: dict[str, bytes], method: int = ZIP_DEFLATED) -> bytes:
    archive = BytesIO()
    with ZipFile(archive, "w", method) as written_to:
        for name, data in files.items():
            written_to.writestr(name, data)
    return archive.getvalue()


def relink(directory: Path, target: str) -> None:
    """Have the link lead elsewhere."""
    (directory / CURRENT).unlink()
    (directory / CURRENT).symlink_to(target)


# --- an end that was torn ---------------------------------------------------------------------


@pytest.mark.rule("T12")
@pytest.mark.parametrize(
    "tail",
    [
        bytes(512),
        b"\n",
        b"\xff\n",
        LINES[2][:-9] + b"\0" * 8 + b"\n",
        bytes(99) + b"\n",
        LINES[2],
        LINES[3][:-2],
    ],
    ids=["zeros", "empty", "one byte", "zeroed end", "zeroed", "twice", "cut"],
)
def test_a_last_line_that_is_bad_is_torn_whatever_it_ends_with(tmp_path: Path, tail: bytes) -> None:
    """T12: a sector that was never written may lie in the middle of it."""
    path = written(tmp_path, LINES[:3])
    path.write_bytes(b"".join(LINES[:3]) + tail)
    assert found_lines(tmp_path) == tuple(RAW[:3])
    assert path.with_suffix(".torn").read_bytes() == tail


def test_every_torn_line_is_kept(tmp_path: Path) -> None:
    path = written(tmp_path, LINES[:3])
    for tail in (b"first", b"second"):
        with path.open("ab") as log:
            log.write(tail)
        found_lines(tmp_path)
    assert path.with_suffix(".torn").read_bytes() == b"firstsecond"


def test_whatever_was_opened_to_recover_is_closed(tmp_path: Path) -> None:
    """A clock that fails and starts again and again would run out of files."""
    match = match_in("RUNNING")
    with left_behind(tmp_path, match.lines, checkpoint_at(match, 9)).open("ab") as log:
        log.write(b"torn")
    disk = FaultyDisk(tmp_path)
    assert found_lines(tmp_path, disk) == tuple(match.lines)
    (tmp_path / "match.jsonl").unlink()
    os.mkfifo(tmp_path / "match.jsonl")
    with pytest.raises(JournalError, match="not a regular file"):
        found(tmp_path, disk)
    assert len(disk.named("close")) == len(disk.named("open"))


def test_a_bad_line_before_the_last_is_damage_and_stays(tmp_path: Path) -> None:
    """It is evidence; replaying says where it is."""
    path = written(tmp_path, LINES[:4], NAME)
    damaged = b"".join([LINES[0], b"{}\n", *LINES[2:4]])
    path.write_bytes(damaged)
    assert found_lines(tmp_path) == (RAW[0], b"{}", *RAW[2:4])
    assert path.read_bytes() == damaged
    assert not path.with_suffix(".torn").exists()
    path.write_bytes(b"".join([LINES[0], *LINES[2:4]]).replace(b"\n", b"\r\n"))
    for _ in range(2):
        assert found_lines(tmp_path) == (RAW[0], *RAW[2:4])


@pytest.mark.rule("T12")
@pytest.mark.parametrize("data", [b"", b"{", LINES[0][:-2], b"\0" * 512, b"\n"])
def test_a_log_without_a_whole_line_is_no_match(tmp_path: Path, data: bytes) -> None:
    """T12: nothing is left of it, which is told; the next match can begin."""
    path = written(tmp_path, LINES[:1])
    path.write_bytes(data)
    assert inspect(path).contradicted == 0
    journal = opened(tmp_path)
    saved = journal.reopen()
    assert saved is not None
    gone = "the match match cannot be restored: the log is empty"
    assert (saved.lines, saved.other) == ((), gone)
    assert journal.begin(path.stem) == f"{path.stem}-2"
    journal.close()


def test_a_log_is_named_by_its_file_or_else_by_its_latest_line(tmp_path: Path) -> None:
    lines = [*renamed(RAW[:2], "a"), *renamed(RAW[:1], "b"), b"{", b"", b"spoilt"]
    named = (
        "a.jsonl",
        "a.jsonl.gz",
        "a.2.jsonl",
        "a.txt",
        "a",
        "c.jsonl",
        "x.a.jsonl",
        "a.x.jsonl",
    )
    for name in named:
        (tmp_path / name).write_bytes(b"".join(line + b"\n" for line in lines))
    logs = [read_log(tmp_path / name) for name in named]
    assert [log and log.match for log in logs] == ["a"] * 5 + ["b"] * 3


def test_a_link_to_itself_leads_nowhere(tmp_path: Path) -> None:
    (tmp_path / CURRENT).symlink_to(CURRENT)
    assert log_path(tmp_path / CURRENT) == tmp_path / CURRENT


# --- every byte of a match --------------------------------------------------------------------

MATCH = b"".join((DATA / "nbgf-analog.jsonl").read_bytes().splitlines(keepends=True)[:20])
WHOLE = MATCH.split(b"\n")[:-1]
LAST_LINK = MATCH.rindex(b"\n", 0, -1)  # without this line feed the last two lines are one
HASHES = [START, *filter(None, map(stated_hash, WHOLE))]  # the hash before each line


def flipped(data: bytes, at: int, bit: int) -> bytes:
    return data[:at] + bytes((data[at] ^ 1 << bit,)) + data[at + 1 :]


@pytest.mark.slow
@pytest.mark.rule("T12")
def test_a_log_cut_at_every_byte() -> None:
    """T12: the lines that are whole, and no other."""
    ends = [at + 1 for at, byte in enumerate(MATCH) if byte == ord("\n")]
    for length in range(len(MATCH) + 1):
        assert untorn_length(MATCH[:length]) == max(
            (end for end in ends if end <= length), default=0
        )


@pytest.mark.slow
@pytest.mark.rule("T12")
def test_a_log_changed_at_every_byte() -> None:
    """T12: the first wrong line is the changed one, and only if it is the last is it cut off."""
    for at in range(len(MATCH)):
        data, line = flipped(MATCH, at, at % 8), MATCH.count(b"\n", 0, at)
        length = untorn_length(data)
        lines = data[:length].split(b"\n")[:-1]
        assert lines[:line] == WHOLE[:line]
        assert all(right_hash(wrong, HASHES[line]) is None for wrong in lines[line : line + 1])
        assert (length < len(data)) == (at >= LAST_LINK)


# --- segments ---------------------------------------------------------------------------------

FORMS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    "has a byte order mark": lambda text: b"\xef\xbb\xbf" + text,
    "was in UTF-16": lambda text: text.decode().encode("utf-16"),
    "was compressed": lambda text: gzip.compress(text[:900]) + gzip.compress(text[900:]),
}


ANOTHER = "it has another line "
Part = tuple[list[bytes], str]  # a file that is called like a part, and why it is none


def parts_from(random: Random, lines: list[bytes]) -> list[Part]:
    """Parts of a log, some of which repeat lines, and others that do not continue it."""
    ends = [*sorted(random.sample(range(1, len(lines)), random.randrange(4))), len(lines)]
    begins = [0, *(random.randrange(max(1, end - 2), end + 1) for end in ends[:-1])]
    parts = [(lines[begin:end], "") for begin, end in zip(begins, ends, strict=True)]
    again, first = random.randrange(1, len(lines)), ends[0]
    repeated = lines[again : first - random.randrange(2)]
    parts[1:1] = [(repeated, "")] * bool(repeated)
    gap = f"{missing_lines(first + 1, first + 2)} before it"
    parts[1:1] = [(lines[first + 2 :], gap)] * (first + 2 < len(lines))
    at, begin = random.randrange(1, len(lines)), random.randrange(1, len(lines))
    changed = forged(lines, at, lambda line: line.update(wall="2001-01-01T00:00:00+00:00"))
    after = f"{ANOTHER}{at + 1}" if begin <= at else f"its first line does not follow line {begin}"
    strangers = [
        (renamed(lines, "x"), "it is another log"),
        (lines[:begin], "it begins a log of its own"),
        ([], "it has no whole line"),
        (changed[begin:], after),
        ([b"spoilt", *lines[-1:]], f"its first line does not follow line {len(lines) - 2}"),
    ]
    return parts + random.sample(strangers, random.randrange(4))


def put_parts(
    folder: Path, random: Random, lines: list[bytes], stem: str, end: str
) -> tuple[list[str], str, list[str], bytes, bool]:
    """Write parts of a log, and of others.

    Returns:
        The names of the parts, and of the one that the end is in; what is said of all files; what
        was torn; whether a clock can append to it.
    """
    folder.mkdir()
    parts, form = parts_from(random, lines), random.choice(list(FORMS))
    numbers = sorted(random.sample(range(2, 40), len(parts) - 1))
    names = [f"{stem}{end}", *(f"{stem}.{each}{end}" for each in numbers)]
    given = dict(zip(names, parts, strict=True))
    true = [name for name, (_, why) in given.items() if not why]
    last = [name for name in true if given[name][0][-1] == lines[-1]][-1]
    line_feed = random.choice((b"", b"\n", b"\n"))  # at the end of the log
    is_plain = bool(line_feed) and not form
    torn = random.choice((b"", bytes(512), LINES[3][:-9] + b"\n")) * is_plain
    for name, (has, _) in random.sample([*given.items()], len(given)):
        ended = line_feed + torn if name == last else random.choice((b"", b"\n"))
        (folder / name).write_bytes(FORMS[form](b"\n".join(has) + ended) if has else b"torn")
    notes = [f"{name} is left out: {why}" for name, (_, why) in given.items() if why]
    notes += [f"{name} {form}: its lines are the same" for name in true if form]
    return true, last, notes, torn, is_plain


@pytest.mark.rule("T12", "R214")
@pytest.mark.parametrize("part", rest_slow(range(4)))
def test_a_match_in_parts_is_read_as_it_was_written(tmp_path: Path, part: int) -> None:
    """T12: whichever of its files is named; what is left out is named, with the reason."""
    for seed in range(part * 50, part * 50 + 50):
        random, folder = Random(seed), tmp_path / str(seed)
        lines = list(match_in(random.choice(("BREAK", "GAME_OVER", "FINISHED"))).lines)
        end = random.choice((".jsonl", ".jsonl.gz", ".JSONL.txt"))
        used, last, notes, torn, is_plain = put_parts(folder, random, lines, "T [7]", end)
        contradicted = [int(note.partition(ANOTHER)[2]) for note in notes if ANOTHER in note]
        whole = b"".join(line + b"\n" for line in lines)
        for name in used:
            with row(seed, name):
                log = read_log(folder / name)
                assert log is not None
                assert (log.match, log.lines, log.torn) == ("match", tuple(lines), torn)
                assert ([each.name for each in log.files], [*log.notes]) == (used, notes)
                assert log.contradicted == sum(contradicted)
                assert (log.last.name, log.is_plain) == (last, is_plain)
                seen = inspect(folder / name)
                assert (seen.lines, seen.notes) == ((*lines, *torn.splitlines()), log.notes)
                data = [file.read_bytes() for file in folder.iterdir()]
                with open_log(folder / name) as stream:  # one file as it is
                    assert stream.read() == (data[0] if len(data) == 1 else whole)


@pytest.mark.rule("R84", "R214")
@pytest.mark.parametrize("part", rest_slow(range(4)))
def test_a_match_in_parts_goes_on_although_the_card_fails(tmp_path: Path, part: int) -> None:
    """R84: the link may lead to any of them, and the power is cut at the end."""
    for seed in range(part * 20, part * 20 + 20):
        random, folder = Random(seed), tmp_path / str(seed)
        whole = renamed(monkey_logs(seed % 5, 60)[0][:14], "match")
        lines = whole[: random.randrange(5, len(whole))]
        used, *_ = put_parts(folder, random, lines, "match", ".jsonl")
        (folder / CURRENT).symlink_to(random.choice(used))
        disk = FaultyDisk(folder)
        with row(seed):
            journal = opened(folder, disk)
            saved = journal.reopen()
            assert saved is not None
            assert saved.lines == tuple(lines)
            for line in whole[len(lines) :]:
                call = random.choice(("sync_data", "write", "open", "rename", "sync"))
                disk.failing[call] = [errno.EIO] * random.choice((0, 0, 1, 3))
                gone = random.random() < 0.2
                disk.unreadable = {(each.name, 0) for each in folder.iterdir() if gone}
                journal.add(line + b"\n")
            disk.failing.clear()
            disk.unreadable.clear()
            journal.retry()
            journal.close()
            for directory in (folder, disk.power_cut(tmp_path / f"{seed}-cut")):
                assert read_lines(directory / CURRENT) == whole


def test_a_segment_after_a_gap_is_given_whole(tmp_path: Path) -> None:
    """Lines between are lost: that is damage, and replaying says where it is. It may have all."""
    path = written(tmp_path, LINES[:2])
    segment = path.with_name("match.2.jsonl")
    relink(tmp_path, segment.name)
    for lines, read in ((LINES[4:5], (RAW[0], RAW[1], RAW[4])), (LINES[:5], tuple(RAW[:5]))):
        segment.write_bytes(b"".join(lines))
        assert found_lines(tmp_path) == read
    path.rename(tmp_path / "match.3.jsonl").write_bytes(b"".join(LINES[5:7]))
    assert found_lines(tmp_path) == tuple(RAW[:7])


# --- what the link leads to -------------------------------------------------------------------


def test_a_link_that_leads_nowhere_is_no_match(tmp_path: Path) -> None:
    """The log was removed; a new match can begin."""
    written(tmp_path, LINES).unlink()
    assert found_lines(tmp_path) == ()
    assert written(tmp_path, LINES).read_bytes() == b"".join(LINES)


@pytest.mark.parametrize("form", [bytes, gzip.compress])
@pytest.mark.parametrize("name", ["notes.txt", "notes", "notes.old.jsonl", "match.jsonl.bak"])
def test_a_link_to_a_file_of_another_name(
    tmp_path: Path, name: str, form: Callable[[bytes], bytes]
) -> None:
    """Somebody has renamed the log and put the link right: it is the match, and goes on."""
    path = written(tmp_path, LINES[:3])
    path.unlink()
    (tmp_path / name).write_bytes(form(b"".join(LINES[:3])))
    relink(tmp_path, name)
    journal = opened(tmp_path)
    saved = journal.reopen()
    journal.add(LINES[3])
    journal.close()
    assert saved is not None
    assert saved.lines == tuple(RAW[:3])
    assert found_lines(tmp_path) == tuple(RAW[:4])
    relink(tmp_path, name)
    (tmp_path / name).write_text("no log at all")
    assert found_lines(tmp_path) == ()


def test_a_log_that_was_rewritten_goes_on_after_its_last_line(tmp_path: Path) -> None:
    """In a file of its own, at once: the link leads there before anything is played."""
    path = written(tmp_path, LINES[:3], NAME)
    path.write_bytes(gzip.compress(path.read_bytes()))
    journal = opened(tmp_path)
    journal.reopen()
    journal.wait()
    assert (tmp_path / f"{NAME}.2.jsonl").read_bytes() == LINES[2]
    journal.close()


@pytest.mark.rule("R213")
@pytest.mark.parametrize("target", ["/dev/zero", ".", "directory", "pipe"])
def test_a_spoilt_link_costs_no_match(tmp_path: Path, target: str) -> None:
    """It is not read: that may never end. The log lies beside it."""
    written(tmp_path, LINES)
    relink(tmp_path, target)
    if target == "directory":
        (tmp_path / CURRENT).unlink()
        (tmp_path / CURRENT).mkdir()
    if target == "pipe":
        (tmp_path / CURRENT).unlink()
        os.mkfifo(tmp_path / CURRENT)
    assert found_lines(tmp_path) == tuple(RAW)


POINTERS = [b"a/b", b"\\u0000", b"x" * 300]


@pytest.mark.parametrize(
    "text",
    [b"", b"{}", b'{"log":7}', b"\xff", b"[" * 400, *(b'{"log":"%b"}' % each for each in POINTERS)],
)
def test_a_file_that_names_no_log_leads_to_itself(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / CURRENT
    path.write_bytes(text)
    assert log_path(path) == path


# --- a card that does not give back what was written ------------------------------------------


@pytest.mark.rule("T12")
def test_blocks_that_cannot_be_read_are_damage_and_nothing_is_cut_off(tmp_path: Path) -> None:
    """T12: perhaps they can be read another time; what is before and after them counts."""
    path = written(tmp_path, LINES)
    path.with_name("match.2.jsonl").touch()  # the card took no line there
    data, last = path.read_bytes(), path.stat().st_size // BLOCK_SIZE
    for bad in (1, last):
        disk = FaultyDisk(tmp_path)
        disk.unreadable = {(path.name, bad * BLOCK_SIZE)}
        lines = found_lines(tmp_path, disk)
        assert lines is not None
        gap = slice(bad * BLOCK_SIZE, (bad + 1) * BLOCK_SIZE)
        size = len(data[gap])
        expected = data[: gap.start] + bytes(size) + data[gap.stop :]
        assert b"\n".join(lines) == expected.removesuffix(b"\n")
        assert path.read_bytes() == data
        assert not path.with_suffix(".torn").exists()
        for saved, is_plain in ((data.replace(b"\n", b"\r\n"), False), (data, True)):
            path.write_bytes(saved)
            log = read_log(path, disk=disk)
            assert log is not None
            assert log.is_plain == is_plain  # nothing is appended to what an editor has saved
    assert found_lines(tmp_path) == tuple(RAW)


def test_a_log_of_which_no_block_can_be_read(tmp_path: Path) -> None:
    path, disk = written(tmp_path, LINES), FaultyDisk(tmp_path)
    disk.unreadable = {(path.name, at) for at in range(0, path.stat().st_size, BLOCK_SIZE)}
    with pytest.raises(JournalError, match="Input/output error"):
        found(tmp_path, disk)


@pytest.mark.rule("R84", "T12")
def test_a_line_whose_sync_failed_is_not_believed_by_the_next_run(tmp_path: Path) -> None:
    """R84: reading gives it, and the disk has it not; the program ended before it could move."""
    logs = tmp_path / "logs"
    disk = FaultyDisk(logs)
    journal = opened(logs, disk)
    journal.begin("match")
    journal.add(*LINES[:4])
    disk.failing |= {name: [errno.EIO] * 99 for name in ("sync_data", "truncate", "open")}
    journal.append(LINES[4])
    journal.close()
    disk.failing.clear()
    journal = opened(logs, disk)
    saved = journal.reopen()
    assert saved is not None
    journal.add(*LINES[len(saved.lines) : 8])
    journal.close()
    assert journal.drain() == []
    assert found_lines(disk.power_cut(tmp_path / "cut")) == tuple(RAW[:8])


# --- names, and pieces that do not fit --------------------------------------------------------


def test_a_segment_that_follows_no_line_is_cut_at_its_last_whole_one(tmp_path: Path) -> None:
    """The file before it was spoilt, or ends with a line that states no hash."""
    lines = match_in("RUNNING").lines
    put_log(tmp_path / "match.2.jsonl", lines[4:])
    second = (tmp_path / "match.2.jsonl").read_bytes()
    for first in ([lines[0], b"spoilt"], [b"spoilt"], [lines[0], *[b"spoilt"] * 19]):
        put_log(tmp_path / "match.jsonl", first)
        (tmp_path / "match.2.jsonl").write_bytes(second + b"torn")
        log = read_log(tmp_path / "match.jsonl")
        assert log is not None
        assert (log.saved, log.torn) == (second, b"torn")
        assert log.lines == (*first[:4], *lines[4:])


def test_a_log_of_any_size_fills_no_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So many lines of each file are read; the named part, and of the others so many bytes."""
    paths = [tmp_path / f"match{number}.jsonl" for number in ("", ".2", ".3")]
    ends = (0, 4, 7, 9)
    for path, begin, end in zip(paths, ends, ends[1:], strict=False):
        put_log(path, RAW[begin:end])
    sizes = [path.stat().st_size for path in paths]
    two, whole = sum(sizes[:2]), sum(sizes)
    for named, most, left_out, begin, end in (
        (0, whole, None, 4, 4),
        (0, whole - 1, 2, 7, 9),
        (2, whole - 1, None, 4, 4),
        (2, two - 1, 1, 4, 7),
    ):
        with row(named, most):
            log = read_log(paths[named], most)
            assert log is not None
            assert log.lines == (*RAW[:begin], *RAW[end:9])
            assert [note.partition(" cannot be")[0] for note in log.notes] == (
                [] if left_out is None else [f"{paths[left_out].name} is left out: it"]
            )
    for tail, most in product((b"", b"\n", b"\n\n", b"\ntorn"), (8, 9, 10)):
        monkeypatch.setattr(log_reader, "MAX_LINES", most)
        (tmp_path / "other.jsonl").write_bytes(b"\n".join(RAW[:9]) + tail)
        with row(tail, most):
            log = read_log(tmp_path / "other.jsonl")
            assert log is not None
            assert log.lines == tuple(RAW[: min(most, 9)])


@pytest.mark.rule("R214")
def test_what_a_pc_saved_anew_is_the_same_log_and_said_to_be() -> None:
    read = inspect(DATA / "cases" / "crlf.jsonl")
    assert read.notes == ("crlf.jsonl has the line ends of Windows: its lines are the same",)
    assert verify(read.lines).match.chain.seq == len(read.lines)
    whole = inspect(DATA / "cases" / "with-last-lf.jsonl")
    assert (whole.notes, verify(whole.lines).match.chain.seq) == ((), len(whole.lines))


MOST = b"".join(line + b"\n" for line in match_in("STOPPED").lines)


@pytest.mark.rule("R214")
@pytest.mark.parametrize(
    ("data", "note"),
    [
        (MOST.replace(b"\n", b"\r"), "has the line ends of an old Mac: its lines are the same"),
        (MOST.decode().encode("utf-16-le"), "was in UTF-16: its lines are the same"),
        (MOST.decode().encode("utf-16-be"), "was in UTF-16: its lines are the same"),
        (MOST.decode().encode("utf-16")[:-1], "was in UTF-16: its lines are the same"),
        (
            MOST.replace(b"\n", b"\r\r\n"),
            "has the line ends of Windows: its lines are the same",
        ),
        (
            zipped({"a/": b"", "__MACOSX/._match": b"", "a/match.jsonl": MOST}),
            "was compressed: its lines are the same",
        ),
        (MOST[:-1] + b"\r", "has the line ends of Windows: its lines are the same"),
        (MOST + b"\n\r\n \n", "ends with empty lines: they are left out"),
        (MOST + b"\r\n" + b"\r" * 2_000_000, "ends with empty lines: they are left out"),
    ],
    ids=[
        "CR",
        "LE",
        "BE",
        "half a line feed",
        "CR CR LF",
        "ZIP",
        "one CR",
        "empty lines",
        "CR CR CR",
    ],
)
def test_other_programs_leave_the_lines_as_they_are(tmp_path: Path, data: bytes, note: str) -> None:
    path = tmp_path / "match.jsonl"
    path.write_bytes(data)
    read = inspect(path)
    assert read.notes[-1] == f"match.jsonl {note}"
    assert read.lines == tuple(match_in("STOPPED").lines)


@pytest.mark.rule("R214")
@pytest.mark.parametrize("method", [ZIP_DEFLATED, ZIP_BZIP2, ZIP_LZMA])
def test_a_spoilt_archive_is_read_as_it_stands(method: int) -> None:
    """Each of its bytes may be another one; what it has then is its lines, or no log."""
    archive = zipped({"match.jsonl": b"".join(LINES[:2])}, method)
    for at in range(len(archive)):
        data = flipped(archive, at, at % 8)
        assert plain(data)[0] in (data, b"".join(LINES[:2]))


def test_what_would_fill_the_memory_is_not_decompressed(monkeypatch: pytest.MonkeyPatch) -> None:
    bomb, parts = (
        gzip.compress(bytes(16 << 20)),
        gzip.compress(MOST[:99]) + gzip.compress(MOST[99:]),
    )
    for most in (len(MOST), len(MOST) - 1):
        monkeypatch.setattr(log_reader, "MAX_LOG", most)
        for data in (parts, gzip.compress(MOST), zipped({"match.jsonl": MOST})):
            assert plain(data).data == (MOST if most == len(MOST) else data)
    tracemalloc.start()
    assert plain(bomb).data == bomb
    assert tracemalloc.get_traced_memory()[1] < 1 << 20
    tracemalloc.stop()


@pytest.mark.rule("R214")
def test_of_a_compressed_log_that_was_cut_off_the_rest_counts(tmp_path: Path) -> None:
    path, data = tmp_path / "match.jsonl", gzip.compress(MOST)
    counts = []
    for length in (len(data) - 9, len(data) - 40, len(data) // 2):
        path.write_bytes(data[:length])
        counts.append(len(read.lines) if (read := read_log(path)) else 0)
    assert counts == sorted(counts, reverse=True)
    assert counts[0] == 6
    assert counts[-1] < counts[1] < counts[0]
