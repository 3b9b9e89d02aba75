"""The pins of a clock: buttons, buzzer and lamps; imported when the first picture is shown."""

from contextlib import ExitStack

import msgspec
from gpiozero import GPIOZeroError
from gpiozero.pins import Factory

from clock.apps.appliance import Wake
from clock.config.settings import Settings
from clock.match.types import Side
from clock.runtime.alerts import Alert
from hardware.buttons.plungers import Plungers
from hardware.gpio.factories import HardwareError, pin_factory
from hardware.outputs import Buzzer, Lamps
from hardware.system.fd_store import FdStore, KeepsLines


def claim_pins(
    settings: Settings, store: FdStore, pins: ExitStack, wake: Wake
) -> "tuple[Plungers, BuzzerAndLamps]":
    """Claim the pins; `pins` gives those of the buttons back.

    Raises:
        HardwareError: the buttons' pins cannot be used.
    """
    factory = pin_factory(settings.buttons.pin_factory)
    pins.callback(factory.close)
    if isinstance(factory, KeepsLines):
        factory.keep_lines(store)
    try:
        table = settings.buttons
        plungers = Plungers(msgspec.structs.asdict(table.pins), table.settle_ms, factory)
    except (GPIOZeroError, OSError) as error:
        raise HardwareError(f"the buttons' pins cannot be used: {error}") from error
    pins.callback(plungers.close)
    return plungers, BuzzerAndLamps(settings, factory, wake)


class BuzzerAndLamps:
    """The `Outputs` of the loop, made of the hardware's."""

    def __init__(self, settings: Settings, pins: Factory, wake: Wake) -> None:
        lamps = settings.lamps
        self._buzzer = Buzzer(settings.sound.buzzer_pin, pins, changed=wake)
        self._lamps = Lamps(lamps.left, lamps.right, pins, changed=wake)

    def announce(self, alert: Alert) -> None:
        """See `ports.Outputs.announce`."""
        match alert:
            case Alert.LOW_TIME:
                self._buzzer.low_time()
            case Alert.FLAG:
                self._buzzer.flag()

    def light(self, running: Side | None) -> None:
        """See `ports.Outputs.light`."""
        self._lamps.show(left=running is Side.LEFT, right=running is Side.RIGHT)

    def faults(self) -> list[tuple[str, str | None]]:
        """Return the faults and recoveries since the last call."""
        return [*self._buzzer.faults(), *self._lamps.faults()]

    def close(self) -> None:
        """Silence the buzzer and switch the lamps off."""
        self._buzzer.close()
        self._lamps.close()
