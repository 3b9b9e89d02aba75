"""The values of a match in JSON and CSV."""

import csv
import io
import json

import msgspec
import pytest

from clock.report.fields import COLUMNS
from clock.report.results import Reported, as_csv, as_json
from clock.ui.i18n import sayer
from lab.support.reports import told
from lab.support.world import LEFT, World, match_settings


@pytest.mark.rule("R102")
def test_nothing_is_zero_seconds_and_not_null() -> None:
    """A stop that was resumed at once, and a turn that took no time: 0.0 in JSON and CSV."""
    of = [Reported("f", told(World.running(LEFT).press(LEFT).centre().centre()))]
    (match,) = json.loads(as_json(of, sayer("en")))
    assert (match["stops"][0]["length_s"], match["turns"][0]["length_s"]) == (0.0, 0.0)
    first, *_ = csv.DictReader(io.StringIO(as_csv(of, every_turn=True).decode()))
    assert first["length_s"] == "0.0"
    last = json.loads(as_json([Reported("f", told(World()))], sayer("en")))[0]
    assert (last["duration_s"], last["began"]) == (0.0, "2026-05-01T10:00:00+02:00")


def test_the_table_of_results_names_the_board() -> None:
    (board,) = (column for column in COLUMNS if column.heading == "board")
    of = told(World())
    for name, shown in (("7", "7"), ("", "-")):
        assert board.text(msgspec.structs.replace(of, board=name), sayer("en")) == shown


def test_what_the_settings_name_stands_in_both_files() -> None:
    """The board, the event and the round; nothing where they name none."""
    named = msgspec.structs.replace(match_settings(), event="Open", round="Final")
    for settings, names in ((named, ("Open", "Final")), (match_settings(), (None, None))):
        (match,) = json.loads(as_json([Reported("f", told(World(settings)))], sayer("en")))
        assert (match["event"], match["round"]) == names
