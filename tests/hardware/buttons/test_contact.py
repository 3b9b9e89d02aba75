"""A contact between a pin and ground: its pin's settings, its stamps, and when it is ignored."""

import gc
from pathlib import Path

from gpiod.line import Edge as Detection
from gpiozero.pins.mock import MockFactory

from hardware.buttons.contact import Contact
from lab.support.gpio_pi import LEFT, Pi

Reports = list[tuple[int, bool]]


def test_its_pin_is_an_input_with_pull_up_and_no_debouncing() -> None:
    """A button connects its pin to ground; gpiozero leaves its edges alone, and refers weakly."""
    factory, reports = MockFactory(), Reports()
    pin = factory.pin(LEFT)
    pin.bounce, pin.edges = 0.1, "none"  # of an earlier user
    contact = Contact(LEFT, factory, lambda at_ns, down: reports.append((at_ns, down)))
    assert (pin.function, pin.pull, pin.bounce, pin.edges) == ("input", "up", None, "both")
    gc.collect()
    pin.drive_low()
    assert ([down for _, down in reports], contact.down) == ([True], True)
    contact.close()


def test_stamps_that_are_integers_stay_exact() -> None:
    """Floats of seconds are exact to the ns for a week only; integers always."""
    reports = Reports()
    contact = Contact(LEFT, MockFactory(), lambda at_ns, down: reports.append((at_ns, down)))
    contact._changed(2**53 + 1, 0)
    contact._changed(1.5, 1)
    assert reports == [(2**53 + 1, True), (1_500_000_000, False)]
    contact.close()


def test_a_contact_that_nobody_listens_to_is_ignored_in_the_kernel(tmp_path: Path) -> None:
    """So that one that chatters takes no time; it can be listened to again."""
    pi, reports = Pi(tmp_path), Reports()
    contact = Contact(LEFT, pi.factory, lambda at_ns, down: reports.append((at_ns, down)))
    contact.listen(wanted=False)
    assert pi.settings().edge_detection is Detection.NONE
    contact.listen(wanted=True)
    pi.kernel.press(LEFT, 7)
    pi.factory.drain()
    assert reports == [(7, True)]
    contact.close()
    pi.close()
