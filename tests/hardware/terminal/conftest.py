"""No test of the terminal depends on how busy the machine is."""

import pytest
import textual.pilot


@pytest.fixture(autouse=True)
def _busy_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no test depend on how Textual's pilot guesses that the app is idle.

    It takes a process that gets no processor time for an idle one. Here it always does so.
    """

    async def at_once(*_: float) -> None:
        """Return as on a machine that is busy with something else."""

    monkeypatch.setattr(textual.pilot, "wait_for_idle", at_once)
