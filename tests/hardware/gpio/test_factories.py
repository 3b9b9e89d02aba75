"""The pin factories that a configuration can name."""

import pytest
from gpiozero.pins.mock import MockFactory

from clock.config.schema import ButtonsTable
from hardware.gpio import factories
from hardware.gpio.factories import FACTORIES, HardwareError, pin_factory


def test_a_factory_is_found_by_its_name() -> None:
    assert isinstance(pin_factory("mock"), MockFactory)


def test_the_default_of_the_configuration_is_a_factory() -> None:
    assert ButtonsTable().pin_factory in FACTORIES


def test_a_factory_that_is_not_installed_is_an_error_that_names_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(factories.FACTORIES, "lgpio", ("no_such_module", "Factory"))
    with pytest.raises(HardwareError, match="cannot use the pins through lgpio: No module"):
        pin_factory("lgpio")
