"""Both panels of a box on their bus, served to a guest as `/dev/i2c-0` or on SPI."""

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from clock.match.types import Pair
from lab.bench.closing import Closing
from lab.bench.i2c import I2cServer
from lab.bench.i2c_bus import I2cBus
from lab.bench.panel import Panel
from lab.bench.spi import SpiServer, SpiWires
from lab.support.panel_models import MODELS

LEFT_AT, RIGHT_AT = 0x3C, 0x3D
SEEDS = {LEFT_AT: 1, RIGHT_AT: 2}  # of the noise in their memories
LINES = (24, 25)  # DC and RES on SPI, the clock's own choice


class PanelPair(Closing):
    """The left and the right panel with their bus: `panels.of[LEFT].reserve`."""

    def __init__(
        self,
        path: Path,
        *,
        driver: str = "ssd1306",
        on_spi: bool = False,
        rotate: tuple[int, int] = (0, 0),
        hz: int | None = None,
        time_travel: bool = False,
    ) -> None:
        """Serve the panels until `close`.

        Args:
            path: the adapter's socket, at most 107 characters; it must not exist.
            driver: one of `MODELS`.
            on_spi: whether they are on SPI; then nothing is on the I2C bus.
            rotate: quarter turns by which each panel is mounted, as in the configuration file.
            hz: the speed of the I2C bus; None if transfers take no time.
            time_travel: whether the guest's clock jumps over idle time.
        """
        models = {at: MODELS[driver](seed) for at, seed in SEEDS.items()}
        self.bus = I2cBus({} if on_spi else dict(models), hz)
        self.spi = SpiWires(dict(enumerate(models.values())) if on_spi else {}, *LINES)
        self._wires = self.spi if on_spi else self.bus
        left, right = (
            Panel(model, self._wires.lock, turns)
            for model, turns in zip(models.values(), rotate, strict=True)
        )
        self.of = Pair(left, right)
        with ExitStack() as parts:
            server = parts.enter_context(I2cServer(path, self.bus, time_travel=time_travel))
            self.options = [server.option]
            if on_spi:
                place = path.with_name("spi")
                spi = parts.enter_context(SpiServer(place, self.spi, time_travel=time_travel))
                self.options.append(spi.option)
            self._servers = parts.pop_all()

    def wait(self, seen: Callable[[], bool], limit_s: float) -> bool:
        """Wait in real time until a condition holds; return whether it does.

        Args:
            seen: the condition, which is tried after every transfer.
            limit_s: the timeout in seconds.
        """
        return self._wires.wait(seen, limit_s)

    def close(self) -> None:
        """Stop serving, and raise the error that ended a server's thread, if there was one."""
        self._servers.close()
