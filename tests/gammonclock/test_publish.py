"""`gammonclock publish`: its messages and its end."""

from pathlib import Path

from lab.support.commands import LOG, refused, said
from lab.support.paths import DATA


def test_logs_are_published_in_a_language(tmp_path: Path) -> None:
    (tmp_path / "logs" / "my.jsonl").mkdir(parents=True)
    result = said("publish", tmp_path, LOG, DATA, tmp_path / "logs", "--language", "de")
    assert result.exit_code == 0
    assert result.stderr.endswith("my.jsonl: Is a directory\n")
    assert result.stdout.startswith(f"{tmp_path / 'index.html'}: ")
    assert "Ergebnisse" in (tmp_path / "index.html").read_text(encoding="utf-8")


def test_a_damaged_log_is_published_as_one(tmp_path: Path) -> None:
    log, pages = tmp_path / "7.jsonl", tmp_path / "pages"
    lines = LOG.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join([*lines[:9], *lines[10:]]))
    result = said("publish", pages, log)
    assert result.exit_code == 4
    assert "its log is damaged" in result.stderr
    assert "Log damaged" in (pages / "index.html").read_text(encoding="utf-8")


def test_what_cannot_be_published_is_refused(tmp_path: Path) -> None:
    """No source, two hubs, a hub that is not there, a folder that is a file."""
    assert "Missing argument" in refused("publish", tmp_path)
    assert "no such file" in refused("publish", tmp_path, tmp_path / "missing")
    hubs = ("http://127.0.0.1:1/", "http://127.0.0.1:2/")
    for two in (hubs, (hubs[0], LOG)):
        assert "name one hub" in refused("publish", tmp_path, *two)
    assert "127.0.0.1:1: " in refused("publish", tmp_path, hubs[0])
    (tmp_path / "file").touch()
    assert "is a file" in refused("publish", tmp_path / "file", LOG)
    assert "No such file" in refused("publish", tmp_path / "a" / "b", LOG)
