"""The commands of `gammonclock`: each is a module that is imported when the command is called.

Exit codes (contract): 0 done, 2 wrong usage or configuration, 3 hardware missing, 4 log damaged;
141 if the reader of the output, such as `head`, went before its end. Errors of the user, of files
and of hardware end in one message that says what to do, never in a traceback.
"""

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager

# What hashlib and msgspec use where it is there, and do without: OpenSSL, 3.4 MB, for hashes that
# Python computes as well, and `typing_extensions`, which imports the parser of Python.
HEAVY = ("_hashlib", "typing_extensions")


@contextmanager
def importing(*, without: tuple[str, ...] = ()) -> Iterator[None]:
    """Import modules without garbage collections, which would take a tenth of the clock's start.

    There is nothing to collect in modules, so later collections leave them out. Modules that are
    named in `without` cannot be imported meanwhile, unless they have been before.
    """
    before = len(sys.modules)
    hidden = [name for name in without if name not in sys.modules]
    sys.modules.update(dict.fromkeys(hidden))  # type: ignore[arg-type]  # None: there is none
    gc.disable()
    try:
        yield
    finally:
        for name in hidden:
            del sys.modules[name]
        if len(sys.modules) > before:
            gc.freeze()
        gc.enable()
