"""Keep the clock in memory, so that no press waits for the SD card.

When memory runs out, the kernel gives up pages that it can read again, those of running programs
first. Each is then read from the card when it is next used: a clock that reads hundreds of them is
late, and one that is late for some seconds is restarted by the service manager's watchdog.
"""

import ctypes

# See mlockall(2): what is mapped, what will be, and of both only the pages that are ever used.
CURRENT, FUTURE, ON_FAULT = 1, 2, 4


def stay_in_memory() -> bool:
    """Have the kernel give up no page that this process uses; return whether it does so.

    It does where the service manager allows it (LimitMEMLOCK=infinity), or for root.
    """
    return bool(ctypes.CDLL(None).mlockall(CURRENT | FUTURE | ON_FAULT) == 0)
