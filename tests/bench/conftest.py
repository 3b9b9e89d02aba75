"""Run the bench's tests only if its kernel has been built."""

import pytest

from tools.bench.kernel import KernelError, kernel


def pytest_sessionstart(session: pytest.Session) -> None:
    """Stop with a usage error if there is no kernel."""
    try:
        kernel()
    except KernelError as error:
        raise pytest.UsageError(str(error)) from error
