"""The example in `lab/bench.md` works."""

import re
from pathlib import Path

from lab.support.paths import ROOT

PAGE = ROOT / "lab" / "bench.md"


def test_the_example(tmp_path: Path) -> None:
    text = PAGE.read_text(encoding="utf-8")
    [example] = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    names: dict[str, object] = {}
    exec(compile(example, PAGE.name, "exec"), names)  # noqa: S102 (it is our own)
    [test] = [value for name, value in names.items() if name.startswith("test_")]
    assert callable(test)
    test(tmp_path)
