"""Which options of `gammonclock report` go together."""

from pathlib import Path

import pytest

from gammonclock.console import WRONG_USAGE
from lab.support.commands import LOG, failed, said
from lab.support.paths import DATA

EBF, US = str(DATA / "ebf.jsonl"), str(DATA / "us.jsonl")


@pytest.mark.parametrize("name", ["match.jpeg", "match", ".png"])
def test_report_draws_only_png_svg_and_pdf(name: str, tmp_path: Path) -> None:
    """Another suffix ends with code 2; the message names the three, and no file is written."""
    file = tmp_path / name
    message = failed(WRONG_USAGE, "report", LOG, "--chart", str(file))
    assert str(file) in message
    assert ".png, .svg, .pdf" in message
    assert not file.exists()


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ((EBF, "--csv", "--json"), "--json and --csv exclude each other"),
        ((EBF, "--csv", "--xlsx"), "--csv and --xlsx exclude each other"),
        ((EBF, "--xlsx", US), "is a log"),
        ((EBF, "--rulings", "--turn", "1"), "--turn and --rulings exclude each other"),
        ((EBF, "--html"), "--html needs --rulings"),
        ((EBF, US, "--rulings"), "--rulings needs a single LOG"),
        ((EBF, US, "--turns"), "--turns needs a single LOG"),
        ((EBF, US, "--chart", "x.png"), "--chart needs a single LOG"),
        ((EBF, "--turn", "99"), "--turn: found 99, allowed 1 to 24"),
    ],
)
def test_wrong_usage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], why: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert said("report", *arguments).exit_code == WRONG_USAGE
    assert why in said("report", *arguments).stderr


def test_a_workbook_is_a_file_or_standard_output(tmp_path: Path) -> None:
    file = tmp_path / "results.xlsx"
    assert said("report", EBF, US, "--xlsx", str(file)).exit_code == 0
    assert file.read_bytes().startswith(b"PK")
    assert said("report", EBF, US, "--xlsx").stdout_bytes.startswith(b"PK")


def test_what_goes_together() -> None:
    """The last turn of a match, and all turns of several as CSV."""
    assert said("report", EBF, "--turn", "24").exit_code == 0
    assert said("report", EBF, US, "--csv", "--turns").exit_code == 0
    for first in ("--turn", "--stop"):
        assert said("report", EBF, first, "1").exit_code == 0
