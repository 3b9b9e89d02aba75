"""A gpiozero pin factory on libgpiod 2, usable by any gpiozero program.

`factory` is what programs import, and has the settings of a pin in gpiozero's terms, `line` in the
kernel's; `chip` finds and claims, `edge_thread` delivers edges, `inherited` keeps lines over a
restart. Imports only gpiod and gpiozero: it is also a distribution of its own, gpiozero-gpiod.
"""

from gpiozero_gpiod.factory import GpiodFactory

__all__ = ["GpiodFactory"]
