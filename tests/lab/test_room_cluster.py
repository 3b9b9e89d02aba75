"""A broker that cannot be had here is said to be left out."""

import os
from pathlib import Path

import pytest

from lab import room_cluster


def test_without_root_or_its_tree_rabbitmq_is_said_to_be_left_out(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tried: list[Path | None] = []
    monkeypatch.setattr(room_cluster, "run_apart", lambda folder, tree, *given: tried.append(tree))
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    room_cluster.main()
    assert tried == [None]
    assert capsys.readouterr().out == room_cluster.NOT_RUN
