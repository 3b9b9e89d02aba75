"""A gpiozero pin factory on libgpiod 2, usable by any gpiozero program.

`factory` is what programs import; `pin` has the settings of a pin in gpiozero's terms, `line` in
the kernel's; `chip` finds and claims, `edge_thread` delivers edges, `inherited` keeps lines over a
restart. `factories` names gpiozero's other factories for a configuration file.
Imports only gpiod and gpiozero, nothing else of the hardware: it is to be published on its own.
"""
