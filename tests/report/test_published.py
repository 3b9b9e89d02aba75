"""A log against the list of results that hung on the wall."""

import json
from collections.abc import Sequence

import pytest

from clock.eventlog.fingerprint import fingerprint_text
from clock.eventlog.verification import verify
from clock.match import inputs
from clock.match.rules import Offer
from clock.match.types import Pair
from clock.report.build import summary
from clock.report.published import Fingerprints, Listed, PublishedError, compare, read_fingerprints
from clock.report.results import Reported, as_csv, as_json
from clock.ui.i18n import sayer
from lab.support.last_run import S, match_in
from lab.support.logs import forged, renamed
from lab.support.match_scripts import named
from lab.support.paths import DATA
from lab.support.reports import lines_of
from lab.support.rows import row
from lab.support.world import LEFT, RIGHT, World, match_settings

LOG = (DATA / "ebf.jsonl").read_bytes().splitlines()
MATCH = json.loads(LOG[0])["match"]
FINGERPRINTS = [fingerprint_text(json.loads(line)["hash"]) for line in LOG]
REPORTED = [Reported("=ebf.jsonl", summary(LOG))]
CSV, JSON = as_csv(REPORTED, every_turn=False), as_json(REPORTED, sayer("en"))


def said(log: Sequence[bytes], fingerprints: Fingerprints) -> str:
    """What a list says of a log; what is against it ends with "!"."""
    confirmed, objections = compare(verify(log), fingerprints)
    return "; ".join((*confirmed, *(f"{each}!" for each in objections)))


def exported(log: Sequence[bytes]) -> Fingerprints:
    """The list that the report of a log makes."""
    return read_fingerprints(as_csv([Reported("a.jsonl", summary(log))], every_turn=False))


@pytest.mark.parametrize(
    "data",
    [
        CSV,
        JSON,
        b"\xef\xbb\xbf" + CSV.replace(b",", b";").replace(b"\r\n", b"\n"),
        CSV.decode().replace(",", "\t").encode("utf-16"),
        b"sep=;\r\n"
        + CSV.decode().replace(",", ";").replace("2000-01-01T", "01.01.2000 ").encode(),
        b'{"results":%b}' % JSON,
    ],
    ids=["csv", "json", "spreadsheet", "unicode", "excel", "room"],
)
def test_each_export_confirms_the_log(data: bytes) -> None:
    assert (
        said(LOG, read_fingerprints(data))
        == f"the results have the log code {FINGERPRINTS[-1]} of line 114, the end"
    )


SHEET = CSV.decode().replace(",2,6,", ",2.0,6.0,").replace(",right,", ",RIGHT,")


@pytest.mark.parametrize(
    "text",
    [SHEET, SHEET.replace(",2.0,6.0,", ',"2,0","6,0",'), f"Open 2026,\n,,\n{CSV.decode()}"],
    ids=["decimals", "decimal commas", "a title"],
)
def test_what_spreadsheets_add_denies_nothing(text: str) -> None:
    assert ",RIGHT," in SHEET
    found = compare(verify(LOG), read_fingerprints(text.encode()), LOG)
    assert (len(found[0]), found[1]) == (1, [])


@pytest.mark.parametrize(
    "line", [b"Total" + b"," * 30 + b"1", b"Total,3,,,,", b",,1", b"checked by Ada"]
)
def test_a_line_that_is_no_result_is_told(line: bytes) -> None:
    found = read_fingerprints(CSV + b",,,\r\n\r\n" + line + b"\r\n")
    assert (found, found.others) == (read_fingerprints(CSV), (5,))


@pytest.mark.parametrize(
    ("text", "fingerprints", "others"),
    [
        ("match,left,right,head\n,Ada,Ben,X\nm,Ada,Ben,X", ["X"], (2,)),
        ("match,left,right,head\nm,,,\nm,Ada,,\nm,,,X", ["", "X"], (2,)),
        ("match,head\nm,\nm,X", ["", "X"], ()),
    ],
)
def test_a_result_has_a_match_and_a_fingerprint_or_a_name(
    text: str, fingerprints: list[str], others: tuple[int, ...]
) -> None:
    """A damaged log has no fingerprint, a list may lack names; the lines below are read, too."""
    found = read_fingerprints(text.encode())
    assert ([each.fingerprint for each in found["m"]], found.others) == (fingerprints, others)
    (cut_off,) = read_fingerprints(b"match,head,left,right\nm,X,Ada\n")["m"]
    assert cut_off.said == {"left": "Ada", "right": ""}


def test_what_a_spreadsheet_made_of_a_fingerprint_is_told_as_such() -> None:
    spoilt = CSV.decode().replace(FINGERPRINTS[-1], "1.00E+05")
    (objection,) = compare(verify(LOG), read_fingerprints(spoilt.encode()), LOG)[1]
    assert (
        "have the log code 1.00E+05, which this log never showed: it is none. A spre" in objection
    )
    with pytest.raises(
        PublishedError, match=r"save it there as CSV; .* give the CSV of report --csv"
    ):
        read_fingerprints(b"PK\x03\x04")


@pytest.mark.parametrize("encoding", ["cp1252", "cp850", "mac-roman", "cp1257"])
def test_a_list_that_excel_saved_again_confirms_the_log(encoding: str) -> None:
    """As CSV, CSV (MS-DOS) or CSV (Macintosh): which letters they are is only a guess."""
    log = (DATA / "cases" / "results-saved-by-excel.jsonl").read_bytes().splitlines()
    saved = (DATA / "cases" / "results-saved-by-excel.csv").read_bytes().decode("cp1252")
    confirmed, objections = compare(verify(log), read_fingerprints(saved.encode(encoding)), log)
    assert confirmed == ["the results have the log code 5AJQ-TK7N-T066 of line 5, the end"]
    assert objections == []
    other = compare(
        verify(log), read_fingerprints(saved.replace("se Roe", "sa Roe").encode(encoding)), log
    )
    assert "the results have left" in other[1][0]


@pytest.mark.rule("R83")
def test_a_log_that_is_not_the_one_on_the_list_is_refused() -> None:
    """R83: changed with every hash made right, cut off, or of another match."""
    fingerprints = read_fingerprints(CSV)
    for other in (
        forged(LOG, 113, lambda fields: fields.update(wall="2001-01-01T00:00:00+00:00")),
        LOG[:-1],
    ):
        assert said(other, fingerprints).startswith(
            f"the results have the log code {FINGERPRINTS[-1]}, which this"
        )
    assert said(renamed(LOG, "x"), fingerprints) == "the results do not have the match x!"


@pytest.mark.rule("R105")
def test_a_list_that_was_printed_before_the_next_match_was_offered_confirms_the_log() -> None:
    match = match_in("FINISHED")
    seq, printed = len(match.lines), exported(match.lines)
    match.give(inputs.OfferMade(1, Offer("offer-1", match_settings(length=9))))
    assert exported(match.lines) == printed
    confirmed, objections = compare(verify(match.lines), printed, match.lines)
    assert objections == []
    assert confirmed[0].endswith(
        f" of line {seq}, the end; the 1 after it change nothing of the result"
    )


@pytest.mark.rule("R105")
def test_a_list_that_was_right_when_it_was_printed_denies_nothing_of_what_came_later() -> None:
    """After any line: names, sides, the points of a game and the winner may be corrected."""
    match = match_in("FINISHED").give(
        inputs.Reopened(21 * S),
        inputs.NamesSet(21 * S, Pair("Cid", "Dan")),
        inputs.SidesSwapped(22 * S),
        inputs.ScoreSet(23 * S, LEFT, 3),
        inputs.MatchEnded(24 * S, RIGHT, "time"),
    )
    for seq in range(1, len(match.lines) + 1):
        confirmed, objections = compare(
            verify(match.lines), exported(match.lines[:seq]), match.lines
        )
        with row(seq):
            assert (len(confirmed), objections) == (1, [])


def test_a_list_may_have_an_earlier_fingerprint_none_or_several() -> None:
    assert "of line 57; the 57 after it are not covered" in said(
        LOG, {MATCH: [Listed(FINGERPRINTS[56])]}
    )
    assert said(LOG, {MATCH: [Listed("")]}).startswith(
        "the results have no log code for this match"
    )
    both = said(LOG, {MATCH: [Listed(FINGERPRINTS[-1]), Listed("7KQ2-M9XT-4WDA")]})
    other = (
        "the results have the log code 7KQ2-M9XT-4WDA, which this log never showed, too: several"
    )
    assert f"of line 114, the end; {other} clocks sent this match" in both
    neither = said(LOG[:50], {MATCH: [Listed(FINGERPRINTS[-1]), Listed(FINGERPRINTS[-2])]})
    assert neither.count("Either it was changed, or its end is missing") == 2


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"match,score\na,1\n",
        b"{}",
        b"[1]",
        b'[{"match":"a"}]',
        b"\xff",
        b'{"a":',
        b"[" * 100_000,
    ],
)
def test_what_is_no_list_of_results(data: bytes) -> None:
    with pytest.raises(PublishedError, match="it takes the CSV or JSON") as error:
        read_fingerprints(data)
    assert data[:6] != b"match," or "it has no line with these headings" in str(error.value)


def test_what_is_no_fingerprint_is_one_that_the_log_never_showed() -> None:
    """A person may have typed it; a room has none of a damaged log."""
    assert "have the log code 7KQ2, which this log never showed" in said(
        LOG, {MATCH: [Listed("7KQ2")]}
    )
    fingerprints = read_fingerprints(b'[{"match":"%b","head":null}]' % MATCH.encode())
    assert said(LOG, fingerprints).startswith("the results have no log code for this match")
    number = read_fingerprints(b'[{"match":"%b","head":1e5}]' % MATCH.encode())
    assert "have the log code 100000.0, which this log never showed" in said(LOG, number)
    assert read_fingerprints(b"match,head\na,b;c\n") == {"a": [Listed("b;c")]}


# --- what the rows say beside their fingerprints --------------------------------------------------


@pytest.mark.parametrize("names", [("Ann  Smith", "Bob"), (" Ann", "=Bob "), ("-Ann", "Łoś")])
def test_the_exports_of_a_log_say_the_same_as_the_log(names: tuple[str, str]) -> None:
    log = lines_of(World(named(match_settings(), *names)))
    reported = [Reported("a.jsonl", summary(log))]
    for data in (as_csv(reported, every_turn=False), as_json(reported, sayer("en"))):
        confirmed, objections = compare(verify(log), read_fingerprints(data), log)
        assert (len(confirmed), objections) == (1, [])


@pytest.mark.parametrize(
    ("column", "other"),
    [
        ("winner_name", "Ada"),
        ("loser_name", "ben"),
        ("winner", ""),
        ("length", "9"),
        ("end", "gin"),
    ],
)
def test_a_row_beside_the_true_fingerprint_says_nothing_else(column: str, other: str) -> None:
    """Whoever was named the winner on the wall, and why."""
    header, row = CSV.decode().splitlines()
    cells = dict(zip(header.split(","), row.split(","), strict=True))
    ours, cells[column] = cells[column], other
    data = f"{header}\n{','.join(cells.values())}\n".encode()
    assert compare(verify(LOG), read_fingerprints(data), LOG)[1] == [
        f'the results have {column} "{other}", the log "{ours}"'
    ]


@pytest.mark.parametrize("order", [1, -1])
def test_each_of_two_rows_with_one_fingerprint_is_compared(order: int) -> None:
    right = Listed(FINGERPRINTS[-1], {"left": "Ada", "score_right": "6"})
    wrong = Listed(FINGERPRINTS[-1], {"left": "Ada", "score_right": "7"})
    _, objections = compare(verify(LOG), {MATCH: [right, wrong][::order]}, LOG)
    assert objections == ['the results have score_right "7", the log "6"']
