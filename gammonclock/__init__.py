"""The commands of `gammonclock`: each is a module that is imported when the command is called.

Exit codes (contract): 0 done, 2 wrong usage or configuration, 3 hardware missing, 4 log damaged;
141 if the reader of the output, such as `head`, went before its end. Errors of the user, of files
and of hardware end in one message that says what to do, never in a traceback.
"""

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def importing() -> Iterator[None]:
    """Import modules without garbage collections, which would take a tenth of the clock's start.

    There is nothing to collect in modules, so later collections leave them out.
    """
    before = len(sys.modules)
    gc.disable()
    try:
        yield
    finally:
        if len(sys.modules) > before:
            gc.freeze()
        gc.enable()
