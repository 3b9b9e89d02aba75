"""`gammonclock verify`: what it proves, fingerprints, lists of results, and the first bad line."""

import json
from pathlib import Path

import pytest

from clock import __version__
from clock.eventlog.codec import Chain
from clock.eventlog.fingerprint import Shown, fingerprint_text, qr_text
from clock.eventlog.salvage import salvage
from clock.eventlog.verification import MEANINGS, Verdict
from clock.match.events import Stamps, Writer
from clock.match.inputs import Adjourned
from clock.match.machine import open_match
from clock.match.types import Pair
from clock.ui.i18n import LANGUAGES, texts
from clock.virtual import VirtualClock
from gammonclock.console import DAMAGED, WRONG_USAGE
from lab.support.commands import CONFIG, LOG, failed, said
from lab.support.last_run import Written, continued, flipped, match_in, put_log
from lab.support.logs import forged
from lab.support.world import match_settings
from tests.eventlog.test_links import ONE, TWO, taken_up, torn


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_verdict_has_its_meaning_in_the_language(language: str) -> None:
    """The verdict itself stays: programs look for it."""
    meaning = texts(language)["report_verdict_consistent"]
    assert said("verify", LOG, "--language", language).stdout.startswith(f"CONSISTENT: {meaning}.")
    assert texts("en")["report_verdict_consistent"] == MEANINGS[Verdict.CONSISTENT]


@pytest.mark.rule("R83")
def test_verify_says_what_it_proved() -> None:
    """R83: how the match stands, which version wrote it, and the log codes that were shown."""
    lines = [json.loads(line) for line in Path(LOG).read_bytes().splitlines()]
    games = [line for line in lines if line["event"] == "game_over"]
    end = "FINISHED, score 2-6 of 7, left 0:00, right 12:24"
    assert said("verify", LOG).stdout.splitlines() == [
        f"CONSISTENT: {MEANINGS[Verdict.CONSISTENT]}.",
        f"{LOG}: undamaged and consistent. {len(lines)} records, {end}",
        f"  written by version {__version__}",
        "  clock 00000000, board not named",
        *(
            f"  log code {fingerprint_text(game['hash'])} at line {game['seq']}, a game scored:"
            f" {game['score'][0]}-{game['score'][1]}"
            for game in games
        ),
        f"  log code {fingerprint_text(lines[-1]['hash'])} at line {len(lines)}, the end",
        f"  read: {LOG}, {Path(LOG).stat().st_size:,} bytes",
    ]
    assert len(games) == 4


def test_verify_says_which_clock_wrote_a_log_at_which_board(tmp_path: Path) -> None:
    """As its first line names them; a script has no clock."""
    log = tmp_path / "match.jsonl"
    first = {"clock": "3fa91c02", "board": "7\x1b[2J"}
    lines = forged(Path(LOG).read_bytes().splitlines(), 0, lambda fields: fields.update(first))
    log.write_bytes(b"".join(line + b"\n" for line in lines))
    assert '  clock 3fa91c02, board "7?[2J"\n' in said("verify", str(log)).stdout


def test_verify_takes_several_logs(tmp_path: Path) -> None:
    """Each is judged; one bad log gives exit code 4, and the others are verified all the same."""
    bad = tmp_path / "bad.jsonl"
    bad.write_bytes(b"{}\n")
    result = said("verify", str(bad), LOG)
    assert result.exit_code == DAMAGED
    assert f"{bad} is not a log" in result.stderr
    assert f"{LOG}: undamaged and consistent" in result.stdout


def fingerprint_at(seq: int) -> tuple[str, str]:
    """Return the fingerprint of a line as text and as the text of a QR code."""
    line = json.loads(Path(LOG).read_bytes().splitlines()[seq - 1])
    return fingerprint_text(line["hash"]), qr_text(Shown(line["hash"], seq, Pair(*line["score"])))


@pytest.mark.parametrize("seq", [1, 41, 57, 114])
def test_verify_says_at_which_line_a_fingerprint_was_shown(seq: int) -> None:
    """However it was copied: as on the panels, without hyphens, in lower case, or scanned."""
    fingerprint, code = fingerprint_at(seq)
    for given in (fingerprint, fingerprint.lower().replace("-", ""), code, f" {code.lower()}"):
        result = said("verify", LOG, "--head", given)
        assert result.exit_code == 0
        assert f"the log code matches: it was shown at line {seq}," in result.stdout
        covered = "" if seq == 114 else f"; the {114 - seq} after it are not covered"
        assert f"those that the clock showed{covered}\n" in result.stdout
        assert result.stdout.startswith("PROVEN: ")


def test_verify_says_that_a_fingerprint_was_never_shown() -> None:
    """Exit code 4, also for a QR code with another line number or score."""
    _, code = fingerprint_at(57)
    begins, hash_, _, score = code.split(":")
    for given in ("7KQ2-M9XT-4WDA", f"{begins}:{hash_}:58:{score}", f"{begins}:{hash_}:57:9-9"):
        result = said("verify", LOG, "--head", given)
        assert result.exit_code == DAMAGED
        assert f"{LOG}: this log never showed that log code" in result.stderr


@pytest.mark.rule("R83")
def test_verify_compares_a_log_with_the_list_on_the_wall(tmp_path: Path) -> None:
    """R83: exit code 4 for a log that was cut or is not in it, 2 for what is no list."""
    results, cut = tmp_path / "results.csv", tmp_path / "cut.jsonl"
    results.write_text(said("report", LOG, "--csv").stdout + "Total,,\n")
    good = said("verify", LOG, "--results", str(results))
    assert (good.exit_code, good.stderr) == (0, "")
    assert (
        f"  the results have the log code {fingerprint_at(114)[0]} of line 114, the end\n"
        in good.stdout
    )
    assert f"line 3 of {results} is no result\n" in good.stdout
    assert good.stdout.startswith("PROVEN: ")
    cut.write_bytes(b"".join(Path(LOG).read_bytes().splitlines(keepends=True)[:-1]))
    refused = said("verify", str(cut), "--results", str(results))
    assert (refused.exit_code, "which this log never showed" in refused.stderr) == (DAMAGED, True)
    assert "do not have this match" not in refused.stdout
    titles, row = said("report", LOG, "--csv").stdout.splitlines()
    names, end = ["A" * 61, "B" * 60, *"cde"], f'("{"A" * 59}…", "{"B" * 60}", "c", "d", "e"'
    for more, absent in (([], f"5 {end})"), (["f"], f"6 {end}, ...)")):
        others = [row.replace("play-1", name) for name in (*names, *more)]
        results.write_text("\n".join((titles, row, *others)))
        missing = said("verify", LOG, "--results", str(results))
        assert missing.stdout.endswith(f"results whose logs were not given: {absent}\n")
        assert (missing.exit_code, missing.stdout.partition(":")[0]) == (5, "NOT PROVEN")
    assert "no list of results" in failed(WRONG_USAGE, "verify", LOG, "--results", CONFIG)


@pytest.mark.rule("R83")
def test_only_a_match_that_began_is_missed_in_the_list(tmp_path: Path) -> None:
    """A clock that is switched on leaves a log, confirmed or not, which no list has.

    One that was adjourned is in no list either, before it goes on in another log.
    """
    results, log = tmp_path / "results.csv", tmp_path / "other.jsonl"
    results.write_text(said("report", LOG, "--csv").stdout)
    ready = Written().ready().give(Adjourned(5)).lines
    logs = (Written(), False), (Written().ready(), False), (match_in("RUNNING"), True)
    for lines, is_said in (*((each.lines, begun) for each, begun in logs), (ONE, False)):
        put_log(log, lines)
        found = said("verify", LOG, str(log), "--results", str(results))
        verdict = "NOT PROVEN" if is_said else "CONSISTENT"
        assert (found.stdout.partition(":")[0], found.stderr) == (verdict, "")
        assert ("is not over in this log" in found.stdout) is is_said
        assert (found.exit_code == 0) is not is_said
    put_log(log, taken_up(ready, "second"))
    found = said("verify", LOG, str(log), "--results", str(results))
    assert "is not over in this log" in found.stdout


@pytest.mark.parametrize("fingerprint", ["", "7KQ2", "7KQ2-M9XT-4WDU", "GC2:"])
def test_what_is_no_fingerprint_is_wrong_usage(fingerprint: str) -> None:
    """Exit code 2; the message says what a fingerprint looks like."""
    assert "--head: " in failed(WRONG_USAGE, "verify", LOG, "--head", fingerprint)


@pytest.mark.rule("R83")
def test_verify_names_the_first_bad_line(tmp_path: Path) -> None:
    """R83: exit code 4; the file stays as it is."""
    path, lines = tmp_path / "match.jsonl", Path(LOG).read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:9], *lines[10:]]))
    before = path.read_bytes()
    found = said("verify", str(path))
    assert (found.exit_code, found.stdout.partition(":")[0]) == (DAMAGED, "CONTRADICTED")
    assert f"\n{path}: damaged or changed\n" in found.stdout
    assert found.stderr == (
        f"gammonclock: {path}, line 10: the hash is wrong: the line was changed, moved or torn."
        " The lines before it are undamaged and consistent.\n"
    )
    assert said("verify", str(path), LOG).stderr == found.stderr  # they do not contradict the whole
    assert path.read_bytes() == before


@pytest.mark.rule("R143")
def test_the_battery_in_the_first_line_is_verified(tmp_path: Path) -> None:
    """It decides nothing, and a log without one has no such field."""
    log = tmp_path / "my.jsonl"
    for battery in (None, 83):
        _, record = open_match(match_settings(), 0, Writer("test", battery=battery))
        _, line = Chain("match", "boot").append(record, "2026-05-01T10:00:00+02:00")
        log.write_bytes(line)
        assert (b'"battery":83' in line, b"battery" in line) == (battery is not None,) * 2
        assert said("verify", str(log)).exit_code == 0


def test_who_stamped_the_presses_is_in_the_log(tmp_path: Path) -> None:
    """Said where it was software; a log of the kernel's stamps is as it always was."""
    log = tmp_path / "my.jsonl"
    choices: tuple[Stamps, ...] = ("kernel", "software")
    for stamps in choices:
        _, record = open_match(match_settings(), 0, Writer("test", stamps=stamps))
        _, line = Chain("match", "boot").append(record, "2026-05-01T10:00:00+02:00")
        log.write_bytes(line)
        by_software = stamps == "software"
        assert (b'"version":"test","stamps":"software"' in line) is by_software
        assert (b"stamps" in line) is by_software
        assert ("stamped by software" in said("verify", str(log)).stdout) is by_software
        reported = " ".join(said("report", str(log)).stdout.split())  # a table may wrap it
        assert ("STAMPED BY SOFTWARE" in reported) is by_software


@pytest.mark.rule("R131")
def test_verify_says_whether_several_logs_are_one_match(tmp_path: Path) -> None:
    """R131: and --head that one of them showed it; exit code 4 if it was resumed twice."""
    one, two, other = (tmp_path / f"{name}.jsonl" for name in ("one", "two", "other"))
    put_log(one, ONE)
    put_log(two, TWO)
    put_log(other, taken_up(ONE, "elsewhere"))
    fingerprint = fingerprint_text(json.loads(ONE[-1])["hash"])
    good = said("verify", str(two), str(one), "--head", fingerprint)
    assert (good.exit_code, good.stderr) == (0, "")
    assert f"{two} continues {one} after its line {len(ONE)}: the same match" in good.stdout
    assert "it was shown at line 8" in good.stdout
    twice = said("verify", str(one), str(two), str(other))
    assert (twice.exit_code, "was resumed 2 times" in twice.stderr) == (DAMAGED, True)
    never = said("verify", str(one), str(two), "--head", "7KQ2-M9XT-4WDA")
    assert (never.exit_code, never.stderr.count("never showed")) == (DAMAGED, 2)
    alone = said("verify", str(two))
    assert (alone.exit_code, alone.stdout.partition(":")[0]) == (5, "NOT PROVEN")
    assert "is not among these" in alone.stdout
    text = said("verify", str(CONFIG), str(two), "--head", "7KQ2-M9XT-4WDA")
    assert f"{CONFIG}: this log never showed" not in text.stderr
    one.write_bytes(one.read_bytes() + b"{}\n")
    damaged = said("verify", str(one), str(two), "--head", "7KQ2-M9XT-4WDA")
    assert f"{one}: this log never showed" not in damaged.stderr
    assert f"{two}: this log never showed" in damaged.stderr


@pytest.mark.rule("R224")
def test_a_log_that_begins_at_a_score_is_told_with_the_one_that_ends_there(tmp_path: Path) -> None:
    """By verify and report: of the same players, on whichever sides, and not over."""
    one, two, other = (tmp_path / f"{name}.jsonl" for name in ("one", "two", "other"))
    clock = VirtualClock('[match]\nlength = 7\nnames = ["Ada", "Ben"]\n')
    clock.press("left").press("right").press("centre").press("left").press("centre")
    put_log(one, clock.choose("game_over", "left", 2).lines)
    put_log(other, clock.choose("score", "right", 1).lines)
    rest = 'names = ["Ben", "Ada"]\nscore = [0, 2]\nreserves = ["13:12", "14:00"]\n'
    put_log(two, VirtualClock(f"[match]\nlength = 7\n{rest}").lines)
    told = f"{two} begins with 0-2, left 13:12, right 14:00, as the director set it"
    perhaps = f"{told}; the same match, perhaps: {one} ends with 2-0, left 14:00, right 14:00\n"
    assert perhaps in said("verify", str(one), str(two)).stdout
    assert perhaps in said("report", str(one), str(two)).stderr
    assert f"{told}\n" in said("verify", str(two), str(other)).stdout
    assert said("report", str(two)).stderr == ""
    assert said("report", str(other), str(one)).stderr.count("begins with") == 0


@pytest.mark.rule("R131")
def test_verify_says_what_a_damaged_log_does_not_prove(tmp_path: Path) -> None:
    """R131: the damage gives exit code 4; how the other log continues it is said all the same."""
    old, new = tmp_path / "old.jsonl", tmp_path / "new.jsonl"
    put_log(old, torn(9))
    assert f"\n{old}: damaged or changed\n  read: {old}, " in said("verify", str(old)).stdout
    put_log(new, continued(salvage(torn(9), None), "damaged", "next"))
    found = said("verify", str(old), str(new))
    assert found.exit_code == DAMAGED
    assert f"{old}, line 9: the hash is wrong" in found.stderr
    joint = f"{new} continues {old} after its line 8: the same match, with the same times and score"
    assert f"{joint}; not proven: what was played after it, lines left out: 2" in found.stdout
    put_log(old, torn(3))
    put_log(new, continued(salvage(torn(3), None), "damaged", "next"))
    assert f"{old} has no undamaged line 10" in said("verify", str(new), str(old)).stdout
    put_log(old, flipped(ONE, 3))
    origin = {"seq": 4, "hash": json.loads(ONE[3])["hash"]}
    put_log(new, forged(TWO[:1], 0, lambda line: line["origin"].update(origin)))
    assert f"{old} has no undamaged line 4" in said("verify", str(new), str(old)).stdout


def test_two_copies_of_a_log_are_compared(tmp_path: Path) -> None:
    """As that of a card, and that of a hub which was switched off before the end."""
    card, hub = tmp_path / "card.jsonl", tmp_path / "hub.jsonl"
    put_log(card, ONE)
    put_log(hub, ONE)
    same = f"{hub} and {card} have the same {len(ONE)} lines\n"
    assert same in said("verify", str(hub), str(card)).stdout
    hub.write_bytes(hub.read_bytes().replace(b"\n", b"\r\n"))
    ends = "  note: hub.jsonl has the line ends of Windows: its lines are the same\n"
    assert ends in said("verify", str(hub)).stdout
    put_log(hub, ONE[:-2])
    short = f"have the same {len(ONE) - 2} lines; the 2 after them are in {card} alone\n"
    found = said("verify", str(card), str(hub))
    assert (found.exit_code, short in found.stdout) == (0, True)
    put_log(hub, ONE[:6])
    put_log(tmp_path / "hub.2.jsonl", forged(ONE, 5, lambda line: line.update(wall="x"))[4:])
    parts = said("verify", str(hub))
    why = f"{hub}: a later part has another line 6: one was changed"
    assert (parts.exit_code, why in parts.stderr) == (DAMAGED, True)
    (tmp_path / "hub.2.jsonl").unlink()
    put_log(hub, flipped(ONE, 3))
    assert "have the same" not in said("verify", str(card), str(hub)).stdout
