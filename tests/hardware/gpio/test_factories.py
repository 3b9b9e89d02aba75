"""The pin factories that a configuration can name."""

import pytest
from gpiozero.pins.mock import MockFactory

from clock.config.schema import Buttons
from hardware.gpio import factories
from hardware.gpio.factories import FACTORIES, HardwareError, pin_factory


def test_a_name_brings_its_factory() -> None:
    """As gpiozero knows it."""
    assert isinstance(pin_factory("mock"), MockFactory)


def test_every_name_that_may_be_configured_is_known() -> None:
    """And the default is one of them."""
    assert Buttons().pin_factory in FACTORIES


def test_a_factory_that_is_not_installed_is_an_error_that_names_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One error, whatever failed."""
    monkeypatch.setitem(factories.FACTORIES, "lgpio", ("no_such_module", "Factory"))
    with pytest.raises(HardwareError, match="no pins through lgpio: No module"):
        pin_factory("lgpio")
