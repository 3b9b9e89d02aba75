"""docs/library.md is right: its code runs, and what it promises is there."""

import re
from importlib import import_module

import pytest

from lab.support.paths import ROOT

TEXT = (ROOT / "docs" / "library.md").read_text(encoding="utf-8")


def test_its_code_runs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(ROOT)
    code = "\n".join(re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL))
    exec(compile(code, "library.md", "exec"), {})  # noqa: S102 (that is what is tested)
    assert capsys.readouterr().out.splitlines() == [
        "Ada - Ben 2 6 FINISHED",
        "the log code: CDQT-3EN4-8AQ6",
        "5 games, 24 turns; the slowest took 720.0 s",
        "used by right: 39000000000 ns",
        "['FlagFellEvent']",
        "STOPPED 0 0 13:31",
        "STOPPED 0 2 30 13:52",
    ]


def test_what_it_promises_is_there() -> None:
    rows = re.findall(r"^\| `(clock\.\S+)`\S* \| (`.*) \|$", TEXT, re.MULTILINE)
    assert len(rows) >= 8
    for module, names in rows:
        for name in re.findall(r"`([\w]+)`", names.partition(":")[0]):
            assert hasattr(import_module(module), name), f"{module}.{name}"
