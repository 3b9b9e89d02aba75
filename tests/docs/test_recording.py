"""The recording in the README is that of the clock as it is."""

import re

import pytest

from lab.docs.generate_recording import RECORDING, TAKEN_S, recording


@pytest.mark.slow
def test_the_recording_is_up_to_date() -> None:
    """The file is what `make docs` would write."""
    assert RECORDING.read_text(encoding="utf-8") == recording()


def test_the_recording_loads_nothing_and_is_small() -> None:
    """A page that shows it shows all of it, in each of its frames."""
    text = RECORDING.read_text(encoding="utf-8")
    assert not re.findall(r"https?://(?!www\.w3\.org/2000/svg)|@font-face|<script", text)
    assert {len(values.split(";")) for values in re.findall(r'values="([^"]*)"', text)} == {
        len(TAKEN_S)
    }
    assert len(text) < 150_000
