"""Several halls on one page, their hubs killed and cut off; many: `make halls`."""

from pathlib import Path

import pytest

from tools.halls import run


@pytest.mark.slow
@pytest.mark.rule("R146")
def test_one_page_has_each_log_of_all_halls_once(tmp_path: Path) -> None:
    """Some kills and cuts, while the clocks of three halls play two matches each."""
    told = run(tmp_path, halls=3, clocks=3, kills=4, seed=1, step_s=0.01)
    assert told.kills + told.cuts == 4
    assert told.kills > 0 < told.cuts
