"""Which matches of a card can be resumed (R131)."""

import gzip
import json
from pathlib import Path

import pytest
from msgspec import structs

from clock.eventlog.fingerprint import fingerprint_text
from clock.eventlog.salvage import salvage
from clock.match import inputs
from clock.match.types import Pair, Phase
from clock.storage import unfinished
from clock.storage.unfinished import END_BYTES, read_lines_of, unfinished_matches
from lab.support.last_run import PHASES, S, Written, flipped, match_in, put_log
from lab.support.logs import body, renamed, sealed
from lab.support.world import LEFT
from tests.eventlog.test_links import ONE, THREE, TWO, taken_up


@pytest.fixture
def cards(tmp_path: Path) -> tuple[Path, Path]:
    """The log directory, and the folder for logs of other clocks."""
    own, handed = tmp_path / "logs", tmp_path / "matches"
    own.mkdir()
    handed.mkdir()
    return own, handed


def listed(cards: tuple[Path, Path]) -> list[str]:
    """The names of the matches that are offered."""
    return [each.match for each in unfinished_matches(*cards)]


@pytest.mark.rule("R131")
def test_a_log_that_goes_on_elsewhere_is_not_offered(cards: tuple[Path, Path]) -> None:
    """R131: of a chain the last one is, wherever each lies, and a copy only once."""
    own, handed = cards
    put_log(own / "match.jsonl", ONE)
    assert listed(cards) == ["match"]
    put_log(handed / "copied by a PC (1).jsonl", TWO)
    assert listed(cards) == ["second"]
    put_log(own / "third.jsonl", THREE)
    assert listed(cards) == ["third"]
    (handed / "copied by a PC (1).jsonl").unlink()
    assert sorted(listed(cards)) == ["match", "third"]
    put_log(handed / "match.jsonl", ONE)
    assert sorted(listed(cards)) == ["match", "third"]
    damaged = TWO[0].replace(b'"wall":"2', b'"wall":"3')
    put_log(handed / "heir.jsonl", [damaged, *TWO[1:]])
    assert "match" in listed(cards)


@pytest.mark.rule("R131")
def test_what_is_told_of_a_match(cards: tuple[Path, Path]) -> None:
    """R131: those that were adjourned come first; the fingerprint of a damaged log is not shown."""
    own, handed = cards
    put_log(own / "running.jsonl", renamed(match_in("RUNNING").lines, "running"))
    put_log(handed / "match.jsonl", flipped(ONE, 3))
    aside, broken_off = unfinished_matches(own, handed)
    assert (aside.match, aside.is_adjourned, aside.is_own, aside.is_damaged) == (
        ("match", True, False, True)
    )
    assert (aside.mover, aside.score, aside.names) == (LEFT, Pair(0, 0), Pair("Left", "Right"))
    assert aside.fingerprint == ""
    assert aside.reserves == Pair(22 * 60 * S - 8 * S, 22 * 60 * S)
    longer = match_in("STOPPED").give(inputs.Adjourned(20 * S))
    put_log(handed / "match.jsonl", longer.lines)
    at_put_aside = fingerprint_text(json.loads(longer.lines[-1])["hash"])
    assert unfinished_matches(own, handed)[0].fingerprint == at_put_aside
    put_log(handed / "match.jsonl", ONE)
    assert unfinished_matches(own, handed)[0].fingerprint == at_put_aside
    changed = ONE[-2].replace(b'"left_ns":1', b'"left_ns":2')
    put_log(handed / "match.jsonl", [*ONE[:-2], changed, ONE[-1]])
    (forgery, _) = unfinished_matches(own, handed)
    assert (forgery.fingerprint, forgery.is_damaged) == ("", True)  # though it states the true hash
    assert (broken_off.match, broken_off.is_adjourned, broken_off.is_own) == (
        "running",
        False,
        True,
    )
    assert broken_off.mover is LEFT


@pytest.mark.rule("R131")
def test_a_log_may_be_handed_over_under_the_name_of_the_latest(cards: tuple[Path, Path]) -> None:
    """R131: `current.jsonl`, as it is called where it was copied from."""
    put_log(cards[1] / "current.jsonl", ONE)
    (found,) = unfinished_matches(*cards)
    assert (found.match, found.is_own) == ("match", False)
    assert len(read_lines_of(Path(found.log))) == len(ONE)


def test_what_is_no_match_under_way_is_left_out(
    cards: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also what is no log, files of other systems, and a folder that is not there."""
    own, handed = cards
    for phase in ("REVIEW", "FINISHED"):
        put_log(own / f"{phase}.jsonl", match_in(phase).lines)
    put_log(own / "current.jsonl", ONE)
    (handed / "notes.txt").write_text("no log")
    for name in ("empty.jsonl", "._match.jsonl"):
        (handed / name).write_bytes(b"" if name == "empty.jsonl" else b"\n".join(ONE))
    (handed / "noise.jsonl").write_bytes(b"\xff\n" * 9)
    (own / "folder.jsonl").mkdir()
    put_log(own / "match.failed", ONE)
    over = match_in("FINISHED").lines
    put_log(own / "over.jsonl", [*over, *renamed(over, "another")])
    assert listed(cards) == []
    assert unfinished_matches(own / "none", None) == ()
    for name in ("1.jsonl", "2.jsonl", "3.jsonl"):
        put_log(own / name, renamed(ONE, name[0]))
        put_log(handed / name, renamed(ONE, f"handed-{name[0]}"))
    monkeypatch.setattr(unfinished, "MOST_LOGS", 5)  # by their names four others are newer
    assert sorted(listed(cards)) == ["3", "handed-2", "handed-3"]
    monkeypatch.undo()
    for number in range(unfinished.MOST_READ):  # what goes on in another log is looked at last
        put_log(own / f"9{number}.jsonl", renamed(ONE, f"9{number}"))
        put_log(handed / f"{number}.jsonl", taken_up(renamed(ONE, f"9{number}"), f"heir-{number}"))
    assert {"1", "2", "3"} <= set(listed(cards))


@pytest.mark.rule("R131")
def test_a_log_goes_on_where_it_ends_or_where_it_was_put_aside(cards: tuple[Path, Path]) -> None:
    """R131: from the first line on; what continues it elsewhere, or more than it has, does not."""
    own, handed = cards
    put_log(own / "second.jsonl", TWO[:1])
    put_log(handed / "third.jsonl", taken_up(TWO[:1], "third"))
    assert listed(cards) == ["third"]
    put_log(own / "second.jsonl", ONE)
    put_log(handed / "third.jsonl", taken_up(ONE[:-1], "third"))  # a press follows
    assert listed(cards) == ["third"]
    put_log(handed / "third.jsonl", taken_up(ONE[:5], "third"))
    assert sorted(listed(cards)) == ["match", "third"]
    put_log(own / "second.jsonl", ONE[:5])
    put_log(handed / "third.jsonl", TWO)
    assert sorted(listed(cards)) == ["match", "second"]
    for name, lines in (("b", renamed(ONE, "b")), ("a", renamed(ONE, "a")[:5])):
        put_log(own / f"{name}.jsonl", renamed(ONE, name))  # b is looked at first
        put_log(handed / f"{name}.jsonl", taken_up(lines, f"heir-{name}"))
    assert sorted(listed(cards)) == ["a", "heir-a", "heir-b", "match", "second"]
    for name in ("a", "b"):
        (own / f"{name}.jsonl").unlink()
        (handed / f"{name}.jsonl").unlink()
    another = [body(line).replace(b'"wall":"2000', b'"wall":"2001') for line in ONE]
    put_log(own / "second.jsonl", sealed(another))
    assert sorted(listed(cards)) == ["match", "second"]


@pytest.mark.rule("R131")
def test_the_newest_come_first_and_of_damaged_ones_each(cards: tuple[Path, Path]) -> None:
    """R131: without a fingerprint nobody knows whether two are copies of one."""
    own, handed = cards
    put_log(own / "match.jsonl", flipped(ONE, 3))
    put_log(handed / "match.jsonl", flipped(ONE, 3))
    assert listed(cards) == ["match", "match"]
    (own / "match.jsonl").unlink()
    put_log(own / "z.jsonl", renamed(ONE, "z"))
    later = [body(line).replace(b'"wall":"2000', b'"wall":"2001') for line in renamed(ONE, "a")]
    put_log(handed / "a.jsonl", sealed(later))
    put_log(handed / "match.jsonl", ONE)
    assert listed(cards)[0] == "a"


def test_a_log_that_proves_nothing_is_left_out_and_no_file_stays_open(
    cards: tuple[Path, Path],
) -> None:
    """Its only line has a wrong hash; or the last one that can be read says that it is over."""
    own, _ = cards
    put_log(own / "torn.jsonl", [TWO[0].replace(b'"wall":"2', b'"wall":"3')])
    put_log(own / "over.jsonl", [*match_in("FINISHED").lines, b"spoilt"])
    open_files = len([*Path("/proc/self/fd").iterdir()])
    assert listed(cards) == []
    assert len([*Path("/proc/self/fd").iterdir()]) == open_files


@pytest.mark.rule("R131")
def test_if_not_all_can_be_read_those_that_go_on_nowhere_are(
    cards: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """R131: one that was adjourned is looked at first, and one that goes on elsewhere last."""
    own, handed = cards
    put_log(own / "match.jsonl", ONE)
    put_log(own / "z.jsonl", renamed(match_in("STOPPED").lines, "z"))
    put_log(own / "a.jsonl", renamed(ONE, "a"))
    put_log(handed / "second.jsonl", TWO)
    put_log(own / "zz.jsonl", renamed(match_in("FINISHED").lines, "zz"))
    for most, found in ((1, ["a", "second"]), (2, ["a", "second", "z"])):
        monkeypatch.setattr(unfinished, "MOST_READ", most)
        assert sorted(listed(cards)) == found
    monkeypatch.setattr(unfinished, "MOST_BYTES", (own / "a.jsonl").stat().st_size)
    assert "a" in listed(cards)
    assert "z" not in listed(cards)


def test_a_match_in_parts_is_listed_once(cards: tuple[Path, Path]) -> None:
    lines = renamed(ONE, "a")
    put_log(cards[0] / "a.jsonl", lines[:5])
    put_log(cards[0] / "a.2.jsonl", lines[5:])
    put_log(cards[0] / "0.jsonl", renamed(ONE, "0"))
    assert sorted(listed(cards)) == ["0", "a"]


@pytest.mark.rule("R131", "R214")
@pytest.mark.parametrize(
    "name", ["m.json", "2026~1.JSO", "of board 7/m.jsonl", "m.jsonl.txt", "A.JSONL", "m.gz"]
)
def test_a_log_is_found_however_it_was_handed_over(cards: tuple[Path, Path], name: str) -> None:
    own, handed = cards
    (handed / name).parent.mkdir(exist_ok=True)
    put_log(handed / name, ONE)
    if name == "m.gz":
        (handed / name).write_bytes(gzip.compress((handed / name).read_bytes()))
    (handed / ".Trash").mkdir()
    put_log(handed / ".Trash" / "deleted.jsonl", renamed(ONE, "deleted"))
    (handed / ".hidden.jsonl").write_bytes((handed / name).read_bytes())
    (handed / "notes.txt").write_text("no log")
    assert listed((own, handed)) == ["match"]


@pytest.mark.parametrize("after", [b"\n" * 40_000, bytes(100_000), b"\r\n" * 8192])
def test_empty_space_after_a_log_hides_no_match(after: bytes, cards: tuple[Path, Path]) -> None:
    """As many line feeds or zeros as somebody or a failing card appends; its end counts."""
    begun = Written().give(*[inputs.Pressed(0, LEFT)] * 60, *PHASES["RUNNING"])
    path = cards[0] / "match.jsonl"
    for lines in (ONE, begun.lines):
        put_log(path, lines)
        with path.open("ab") as file:
            file.write(after)
        assert listed(cards) == ["match"]
    assert END_BYTES < len(b"".join(begun.lines)) < 2 * END_BYTES


@pytest.mark.parametrize("of", [["match", "second"], ["match", "over"], ["over", "match"]])
def test_a_file_with_two_logs_shows_the_one_that_goes_on(
    of: list[str], cards: tuple[Path, Path]
) -> None:
    """Damaged, and as it is resumed: with what its own lines say."""
    own, handed = cards
    over = renamed(match_in("FINISHED").lines, "over")
    logs = {"match": match_in("STOPPED").lines, "second": renamed(ONE, "second"), "over": over}
    put_log(handed / "both.jsonl", [line for name in of for line in logs[name]])
    (both,) = unfinished_matches(own, handed)
    put_log(own / "match.jsonl", logs["match"])
    (alone,) = unfinished_matches(own, None)
    assert both == structs.replace(alone, log=both.log, is_own=False, is_damaged=True)
    salvaged = salvage(read_lines_of(Path(both.log)), None, "both")
    assert (salvaged.origin.match, salvaged.state.phase) == ("match", Phase.STOPPED)
