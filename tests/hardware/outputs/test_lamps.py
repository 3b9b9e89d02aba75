"""The lamps on mock pins."""

import pytest
from gpiozero.pins.mock import MockFactory, MockPin

from hardware.outputs.lamps import Lamps

LEFT, RIGHT = 5, 6


def test_without_pins_nothing_is_claimed() -> None:
    factory = MockFactory()
    lamps = Lamps(pin_factory=factory)
    lamps.show(left=True, right=False)
    lamps.close()
    assert lamps.faults() == []
    assert factory.pins == {}


@pytest.mark.parametrize("left", [True, False])
@pytest.mark.parametrize("right", [True, False])
def test_the_lamps_show_whose_clock_runs(left: bool, right: bool) -> None:
    factory = MockFactory()
    pins: list[MockPin] = [factory.pin(LEFT), factory.pin(RIGHT)]
    lamps = Lamps(LEFT, RIGHT, factory)
    assert [pin.state for pin in pins] == [False, False]
    lamps.show(left=left, right=right)
    assert [pin.state for pin in pins] == [left, right]
    lamps.close()
    assert [pin.states[-1].state for pin in pins] == [False, False]
    assert lamps.faults() == []


def test_a_pin_is_written_to_only_when_something_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[tuple[str, bool]] = []
    set_state = MockPin._set_state

    def noted(pin: MockPin, value: bool) -> None:
        written.append((pin.info.name, value))
        set_state(pin, value)

    factory = MockFactory()
    lamps = Lamps(LEFT, RIGHT, factory)
    monkeypatch.setattr(MockPin, "_set_state", noted)
    for _ in range(10):
        lamps.show(left=True, right=False)
    for _ in range(10):
        lamps.show(left=False, right=True)
    assert written == [("GPIO5", True), ("GPIO5", False), ("GPIO6", True)]
    lamps.close()


def test_a_pin_in_use_is_a_fault_until_it_is_free() -> None:
    """It is reported once; the other lamp works."""
    factory = MockFactory()
    other = Lamps(left=LEFT, pin_factory=factory)
    lamps = Lamps(LEFT, RIGHT, factory)
    lamps.show(left=True, right=True)
    ((part, what),) = lamps.faults()
    assert part == "lamps"
    assert "GPIO5 is already in use" in str(what)
    assert factory.pin(RIGHT).state
    assert not factory.pin(LEFT).state
    other.close()
    lamps.show(left=True, right=True)
    assert lamps.faults() == [("lamps", None)]
    assert factory.pin(LEFT).state
    lamps.close()


def test_a_lamp_that_failed_is_written_to_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not known whether it is lit, so the same is written again."""

    def broken(pin: MockPin, value: bool) -> None:
        raise OSError(5, "Input/output error")

    factory = MockFactory()
    lamps = Lamps(LEFT, RIGHT, factory)
    with monkeypatch.context() as patch:
        patch.setattr(MockPin, "_set_state", broken)
        for _ in range(3):
            lamps.show(left=True, right=True)
    message = "[Errno 5] Input/output error"
    assert lamps.faults() == [("lamps", f"{message}, {message}")]
    lamps.show(left=True, right=True)
    assert lamps.faults() == [("lamps", None)]
    assert factory.pin(LEFT).state
    assert factory.pin(RIGHT).state


def test_closing_a_lamp_that_fails_is_not_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(lamp: MockPin) -> None:
        raise OSError(5, "Input/output error")

    factory = MockFactory()
    lamps = Lamps(LEFT, RIGHT, factory)
    with monkeypatch.context() as patch:
        patch.setattr(MockPin, "close", broken)
        lamps.close()
