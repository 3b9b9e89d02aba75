"""Commands that are run apart from the person who runs the tests."""

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Ignore configuration and logs of the person who runs the tests."""
    monkeypatch.delenv("GAMMONCLOCK_CONFIG", raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
