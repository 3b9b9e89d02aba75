"""Five disputes of players: the report answers each one in a terminal of 80 columns.

The scripts are in `disputes`. A director reads the tables of stops, flags and breaks; the number of
the turn there leads to the table of that turn, which has the turns before it.
"""

from pathlib import Path

import click.testing
import pytest

from gammonclock.__main__ import main

DISPUTES = Path(__file__).parent / "disputes"
SETTINGS = str(DISPUTES / "disputes.toml")
NAMES = sorted(path.stem for path in DISPUTES.glob("*.script"))


def said(*arguments: str) -> str:
    """What a command that ends well prints in a terminal of 80 columns."""
    environment = {"COLUMNS": "80"}
    result = click.testing.CliRunner(env=environment).invoke(main, arguments)
    assert (result.exit_code, result.stderr) == (0, "")
    return result.stdout


@pytest.fixture
def log(tmp_path: Path, request: pytest.FixtureRequest) -> str:
    """The log of a dispute."""
    path, script = tmp_path / "match.jsonl", DISPUTES / f"{request.param}.script"
    said("play", str(script), "--config", SETTINGS, "--log", str(path))
    return str(path)


def section(title: str, report: str) -> list[str]:
    """The lines of a report from a title to the next empty line, without repeated spaces."""
    lines = [" ".join(line.split()) for line in report.splitlines()]
    begin = lines.index(title)
    return lines[begin : lines.index("", begin)]


def column(heading: str, following: str | None, table: list[str]) -> str:
    """What stands below a heading, put together from the lines over which it is folded."""
    headings = table[1]
    begin = headings.index(heading)
    end = None if following is None else headings.index(following)
    return " ".join(" ".join(line[begin:end].split()) for line in table[3:]).strip()


def raw_section(title: str, report: str) -> list[str]:
    """The lines of a section as they are."""
    lines = [line.rstrip() for line in report.splitlines()]
    begin = lines.index(title)
    return lines[begin : lines.index("", begin)]


def events(turn: int, report: str) -> list[str]:
    """What happened in a turn."""
    lines = [" ".join(line.split()) for line in report.splitlines()]
    begin = lines.index("", lines.index(f"Turn {turn}, and the turns before it")) + 1
    return lines[begin + 2 : lines.index("", begin)]


@pytest.mark.rule("R102")
@pytest.mark.parametrize("log", NAMES, indirect=True)
def test_every_dispute_fits_a_terminal_of_80(log: str) -> None:
    """Nothing is cut; the turns are not all listed, and no player is called left or right."""
    report = said("report", log)
    assert max(map(len, report.splitlines())) <= 80
    assert "…" not in report
    assert "All turns" not in report
    head, _, rest = report.partition("\n")
    assert "Anna (Left) - Bo (Right)" in head
    assert "Left's" not in rest
    assert "Right's" not in rest


@pytest.mark.rule("R102")
@pytest.mark.parametrize("log", ["flag"], indirect=True)
def test_my_flag_fell_while_the_clock_should_have_been_stopped(log: str) -> None:
    """The clock had run since the centre started it; it was stopped 2.4 s after the flag fell."""
    report = said("report", log)
    flags = raw_section("Flags", report)
    assert column("Ran since", "Fell", flags) == "12:02:31"
    assert column("Fell", "Clocks", flags) == "12:16:15.000"
    assert column("Clocks stopped", "Then", flags) == "12:16:17.400"
    assert events(3, report) == [
        "7 12:01:21.000 0:00.000 Bo's plunger, Anna's clock runs",
        "8 12:01:31.000 0:10.000 Centre button, Anna's clock stopped",
        "9 12:02:31.000 1:00.000 Anna's clock runs, exactly as it was",
        "10 12:04:11.000 1:40.000 Bo's plunger, not on move",
        "11 12:16:15.000 12:04.000 Anna: flag 1",
        "12 12:16:17.400 0:02.400 Centre button, Anna's clock stopped",
        "13 12:16:17.800 0:00.400 Anna's plunger, Time expired",
        "14 12:16:20.800 0:03.000 Flag claimed, Anna: time expired, 0:02.400 played",
        "on",
    ]


@pytest.mark.rule("R102")
@pytest.mark.parametrize("log", ["sleeve"], indirect=True)
def test_my_opponents_sleeve_pressed_my_plunger_in_turn_80(log: str) -> None:
    """Turn 80 took a third of a second: the report says by which plunger, not by whose hand."""
    report = said("report", log)
    turn = "80 12:19:40.800 Bo 0:00.350 12:03 → 12:03 Bo's plunger"
    before = section("Turn 81, and the turns before it", report)[3:]
    assert [int(row.split()[0]) for row in before if row[0].isdigit()] == list(range(75, 82))
    assert turn in before
    assert section("Quickest turns", report)[3] == turn
    assert "It cannot know who pressed it" in " ".join(report.split())
    assert events(81, report)[:2] == [
        "85 12:19:41.150 0:00.000 Bo's plunger, Anna's clock runs",
        "86 12:19:45.150 0:04.000 Centre button, Anna's clock stopped",
    ]


@pytest.mark.rule("R102")
@pytest.mark.parametrize("log", ["illegal_move"], indirect=True)
def test_the_time_of_an_illegal_move_was_not_given_back(log: str) -> None:
    """The stopped clock was Bo's; Bo had used 33 s of the reserve and was given no time."""
    report = said("report", log)
    stops = raw_section("Stops", report)
    assert column("Clock of", "Then", stops) == "Bo: Illegal move"
    assert column("Reserves", "Time", stops) == "13:51 / 13:11"
    assert column("Time given", None, stops) == "none"
    turn = "6 12:01:56.000 Bo 0:45.000 13:44 → 13:11 Centre button: Illegal move"
    assert section("Turn 6, and the turns before it", report)[-1] == turn
    assert (
        events(6, report)[-1] == "17 12:02:48.000 0:06.600 Anna's clock runs, must WAIT for delay"
    )


@pytest.mark.rule("R102")
@pytest.mark.parametrize("log", ["break"], indirect=True)
def test_who_asked_for_the_break(log: str) -> None:
    """For whom each break counts, and which plungers were pressed to choose that."""
    breaks = section("Breaks", said("report", log))
    assert breaks[3:] == [
        "15 12:01:28 Bo Bo's plunger 12:01:27.400 5:00 4:50 -",
        "27 12:07:15 Anna Anna's plunger 12:07:14.300, 5:00 - -",
        "Bo's plunger 12:07:14.800",
    ]


@pytest.mark.rule("R102")
@pytest.mark.parametrize("log", ["claim"], indirect=True)
def test_was_the_claim_before_or_after_my_press(log: str) -> None:
    """Anna's press came 0.414 s before the stop; the claim has no claimant."""
    report = said("report", log)
    assert events(4, report) == [
        "9 12:15:36.600 0:00.000 Anna's plunger, Bo's clock runs",
        "10 12:15:37.014 0:00.414 Centre button, Bo's clock stopped",
        "11 12:15:37.314 0:00.300 Anna's plunger, Time expired",
        "12 12:15:40.314 0:03.000 Flag claimed, Anna: time expired, 0:21.600 played on",
    ]
    flags = raw_section("Flags", report)
    assert column("Clocks stopped", "Then", flags) == "12:15:37.014"
    assert column("Then", None, flags) == "claimed 12:15:40.314, 0:21.600 played on"


@pytest.mark.rule("R102")
@pytest.mark.parametrize("log", ["sleeve"], indirect=True)
def test_all_turns_are_listed_on_request(log: str) -> None:
    """`--turns` adds every turn, the last one under way."""
    turns = section("All turns", said("report", log, "--turns"))[3:]
    turns = [row for row in turns if row[0].isdigit()]  # not what is folded
    assert [int(row.split()[0]) for row in turns] == list(range(1, 85))
    assert turns[79] == "80 12:19:40.800 Bo 0:00.350 12:03 → 12:03 Bo's plunger"
    assert turns[-1].endswith("under way")
