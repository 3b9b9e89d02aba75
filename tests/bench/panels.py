"""Both panels of a box on their bus, served to a guest as `/dev/i2c-0`.

The one rule: one line makes them, and one option of the kernel plugs them in.
"""

from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

from bench.i2c import I2cServer
from bench.i2c_bus import I2cBus
from bench.panel import Panel
from panel_models import MODELS

from clock.match.sides import Pair

LEFT_AT, RIGHT_AT = 0x3C, 0x3D
SEEDS = {LEFT_AT: 1, RIGHT_AT: 2}  # of the noise in their memories


class PanelPair:
    """The left and the right panel, and what hangs before them: `panels.of[LEFT].reserve`."""

    def __init__(
        self,
        path: Path,
        *,
        driver: str = "ssd1306",
        rotate: tuple[int, int] = (0, 0),
        hz: int | None = None,
        time_travel: bool = False,
    ) -> None:
        """Serves from now on, until `close`.

        Args:
            path: of a socket, at most 107 characters; it must not be there.
            driver: "ssd1306", "ssd1309" or "sh1106".
            rotate: quarter turns by which each is mounted, as in the box's configuration.
            hz: the clock of the bus; None: it takes no time.
            time_travel: whether the guest's clock jumps over idle time.
        """
        models = {at: MODELS[driver](seed) for at, seed in SEEDS.items()}
        self.bus = I2cBus(dict(models), hz)
        left, right = (
            Panel(model, self.bus.lock, turns)
            for model, turns in zip(models.values(), rotate, strict=True)
        )
        self.of = Pair(left, right)
        self._server = I2cServer(path, self.bus, time_travel=time_travel)
        self.option = self._server.option

    def wait(self, seen: Callable[[], bool], limit_s: float) -> bool:
        """Waits until something is seen, in real time; looks after every transfer.

        Args:
            seen: what is waited for.
            limit_s: how long at most, in seconds.

        Returns:
            Whether it was seen.
        """
        return self.bus.wait(seen, limit_s)

    def close(self) -> None:
        """Ends it; raises what went wrong in its thread."""
        self._server.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
