"""The bench has its kernel, or none of its tests is run.

The one rule: a missing kernel is an error, said once, with what to do.
"""

import pytest
from bench.kernel import KernelError, kernel


def pytest_sessionstart(session: pytest.Session) -> None:
    """Look for it before anything is run."""
    try:
        kernel()
    except KernelError as error:
        raise pytest.UsageError(str(error)) from error
