"""Scripts: one act a line, and an error that says where and what is allowed."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clock.apps.script import ACTS, ScriptError, Segment, parse, parse_bytes
from clock.match.types import Button
from clock.ui.dialogue import HOLD_NS, ButtonMoved
from clock.units import SECOND_NS


def moves(button: Button, down_ns: int, up_ns: int) -> tuple[ButtonMoved, ...]:
    """A button goes down and comes up."""
    return ButtonMoved(button, True, down_ns), ButtonMoved(button, False, up_ns)


def message(script: str) -> str:
    with pytest.raises(ScriptError) as caught:
        parse(script, "my.script")
    return str(caught.value)


@pytest.mark.parametrize("button", list(Button))
def test_a_press_goes_down_and_up_at_once(button: Button) -> None:
    [segment] = parse(f"2 press {button.value}", "x")
    assert segment == Segment(moves(button, 2 * SECOND_NS, 2 * SECOND_NS), 2 * SECOND_NS)


def test_a_hold_lasts_until_the_clock_accepts_it() -> None:
    [segment] = parse("2 hold centre\n1 press left", "x")
    up_ns = 2 * SECOND_NS + HOLD_NS
    assert segment.moves[:2] == moves(Button.CENTRE, 2 * SECOND_NS, up_ns)
    assert segment.moves[2].at_ns == segment.end_ns == up_ns + SECOND_NS


def test_a_wait_has_no_edges() -> None:
    assert parse("5 wait\n0 wait\n0.5 wait", "x") == (Segment((), 5_500_000_000),)


def test_a_power_cut_begins_a_new_segment() -> None:
    first, second, third = parse("3 press left\n4 power cut\n0 power cut\n1 press right", "x")
    assert first == Segment(moves(Button.LEFT, 3 * SECOND_NS, 3 * SECOND_NS), 7 * SECOND_NS)
    assert second == Segment((), 0)
    assert third.moves[0].at_ns == SECOND_NS


@given(st.decimals(0, 99_999, places=9))
def test_seconds_are_exact_to_the_nanosecond(seconds: Decimal) -> None:
    """No float: what is written is what is played."""
    [segment] = parse(f"{seconds:.9f} wait", "x")
    assert segment.end_ns == seconds * SECOND_NS


def test_comments_and_empty_lines_are_ignored() -> None:
    text = "# a match\n\n   \n  1   press    left   # left's turn # ends\n#0 press right\n"
    assert parse(text, "x") == parse("1 press left", "x")


def test_an_empty_script_is_one_empty_segment() -> None:
    assert parse("", "x") == (Segment((), 0),)


@pytest.mark.parametrize("end", [b"\r\n", b"\n", b"\r\n\r\n"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_line_ends_and_byte_order_marks_of_any_system_are_accepted(end: bytes, mark: bytes) -> None:
    """With the line ends and the mark at the beginning that some editors write."""
    content = mark + end.join((b"1 press left", "2 wait # Åse drøfter".encode(), b""))
    assert parse_bytes(content, "x") == parse("1 press left\n2 wait", "x")


def test_a_file_that_is_not_utf8_is_refused_with_its_line() -> None:
    with pytest.raises(ScriptError) as caught:
        parse_bytes(b"\n2 wait # \xe5\n", "my.script")
    assert str(caught.value) == (
        "my.script, line 2: found bytes that are not UTF-8;"
        " save it as plain text with the encoding UTF-8"
    )


def test_an_error_names_file_and_line_and_what_is_allowed() -> None:
    assert message("1 wait\n\n# comment\n1 push left") == (
        "my.script, line 4: found '1 push left'; allowed is SECONDS (0 to 99999, at most 9"
        f" decimals) and one of: {ACTS}"
    )


@pytest.mark.parametrize(
    "line",
    [
        *("press left", "1", "-1 wait", "+1 wait", "1,5 wait", "1e3 wait", ".5 wait", "5. wait"),
        *("1.0000000001 wait", "100000 wait", "nan wait", "inf wait", "٣ wait", "1:00 wait"),
        *("1 hold left", "1 hold right", "1 Press left", "1 press Left", "1 press middle"),
        *("1 press", "1 press left right", "1 power", "1 power cutter", "1wait", "\x00"),
    ],
)
def test_an_invalid_line_is_an_error(line: str) -> None:
    assert message(f"0 wait\n{line}").startswith(f"my.script, line 2: found {line!r}; allowed is")


def test_line_numbers_are_those_of_an_editor() -> None:
    """A form feed or a Unicode line end does not begin a line."""
    assert message("1 wait # \x0c\u2028\x85\nwhat").startswith("my.script, line 2: ")


def test_a_long_line_is_not_repeated_in_full() -> None:
    assert len(message("9" * 10_000)) < 300


@pytest.mark.rule("R107")
@pytest.mark.parametrize(("answer", "button"), [("now", Button.RIGHT), ("done", Button.LEFT)])
def test_a_script_answers_the_crawford_question(answer: str, button: Button) -> None:
    """The centre opens the question, a plunger answers, the centre takes it and carries it out."""
    [segment] = parse(f"2 crawford {answer}", "x")
    pressed = [move.button for move in segment.moves if move.down]
    assert pressed == [Button.CENTRE, button, Button.CENTRE, Button.CENTRE]
