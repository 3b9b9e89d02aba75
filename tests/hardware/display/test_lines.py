"""Lines that a program drives: a pulse that could not be given is given later."""

from pathlib import Path
from typing import cast

import pytest
from gpiod.line import Value

from gpiozero_gpiod.chip import OpenChip
from hardware.display.lines import Outputs
from lab.support.gpio_kernel import FakeKernel

RES = 25


@pytest.mark.rule("R140")
def test_a_line_that_is_in_use_is_pulsed_when_it_is_free(tmp_path: Path) -> None:
    """The error names the pin and who has it; then the line stays high."""
    (tmp_path / "gpiochip0").touch()
    kernel = FakeKernel([("gpiochip0", "pinctrl-rp1")])
    levels: list[int] = []

    def outputs() -> Outputs:
        open_chip = cast("OpenChip", kernel.open_chip)
        return Outputs(open_chip, tmp_path, lambda _: levels.append(kernel.level(RES)))

    other, lines = outputs(), outputs()
    other.drive(RES, True)
    with pytest.raises(OSError, match="GPIO25 is already in use by 'gpiozero'"):
        lines.pulse_once(RES)
    other._claimed[RES].release()
    for _ in range(3):
        lines.pulse_once(RES)
    assert levels == [0, 1]
    assert kernel.requests[RES].get_value(RES) is Value.ACTIVE
    lines._claimed[RES].release()
    lines._claim(RES)
    assert kernel.level(RES) == 1  # from the first moment on
