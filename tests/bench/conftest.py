"""Run the bench's tests only if its kernel has been built, the longest first."""

import pytest

from lab.bench.kernel import KernelError, kernel

LONGEST = ("test_power_cuts", "test_soak", "test_flags", "test_service", "test_link_soak")


def pytest_sessionstart(session: pytest.Session) -> None:
    """Stop with a usage error if there is no kernel."""
    try:
        kernel()
    except KernelError as error:
        raise pytest.UsageError(str(error)) from error


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the files that take longest, so that no core waits for them at the end."""
    order = {name: at for at, name in enumerate(LONGEST)}
    items.sort(key=lambda item: order.get(item.path.stem, len(LONGEST)))
