"""Files that commands write: no log and no file that was read is written over."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest

from gammonclock.output_file import OutputFile
from lab.support.commands import CONFIG, LOG, SCRIPT, refused, said


def same(path: Path) -> Path:
    return path


def link(path: Path) -> Path:
    new = path.with_name(f"link{path.suffix}")
    new.symlink_to(path.name)
    return new


def link_to_a_link(path: Path) -> Path:
    new = path.with_name(f"second{path.suffix}")
    new.symlink_to(link(path))
    return new


def second_name(path: Path) -> Path:
    """Return another name of the same file."""
    new = path.with_name(f"other{path.suffix}")
    new.hardlink_to(path)
    return new


def roundabout(path: Path) -> Path:
    """Return the path in another spelling."""
    return path.parent / ".." / path.parent.name / "." / path.name


SPELLINGS = [same, link, link_to_a_link, second_name, roundabout]


Spelling = Callable[[Path], Path]


FORCE = [(), ("--force",)]


@pytest.mark.parametrize("force", FORCE)
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_play_never_writes_over_what_it_reads(
    tmp_path: Path, spelling: Spelling, force: tuple[str, ...]
) -> None:
    for each in (SCRIPT, CONFIG):
        folder = tmp_path / each.suffix[1:]
        folder.mkdir()
        script, config = folder / "my.script", folder / "my.toml"
        script.write_bytes(SCRIPT.read_bytes())
        config.write_bytes(CONFIG.read_bytes())
        log = spelling(folder / f"my{each.suffix}")
        message = refused("play", script, "--config", config, "--log", log, *force)
        assert f"--log: {log} is the same file as {folder}/my{each.suffix}" in message
        assert script.read_bytes() == SCRIPT.read_bytes()
        assert config.read_bytes() == CONFIG.read_bytes()


def test_play_never_writes_over_a_configuration_that_it_finds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "my.toml"
    config.write_bytes(CONFIG.read_bytes())
    monkeypatch.setenv("GAMMONCLOCK_CONFIG", str(config))
    assert "is the same file as" in refused("play", SCRIPT, "--log", config, "--force")
    assert config.read_bytes() == CONFIG.read_bytes()


@pytest.mark.parametrize("force", FORCE)
@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("name", ["match.jsonl", "match.JSONL", "match.torn", "match.png"])
def test_no_command_writes_over_a_log(
    tmp_path: Path, name: str, spelling: Spelling, force: tuple[str, ...]
) -> None:
    log = tmp_path / name
    log.write_bytes(LOG.read_bytes() if name == "match.png" else b"")
    before, path = log.read_bytes(), spelling(log)
    assert "is a log, which no command writes over" in refused(
        "play", SCRIPT, "--log", path, *force
    )
    if name == "match.png":
        message = refused("report", LOG, "--chart", path, *force)
        assert f"--chart: {path} is a log" in message
        assert f"is the same file as {log}" in refused("report", log, "--chart", path, *force)
    assert log.read_bytes() == before


@pytest.mark.slow
def test_other_files_are_replaced_only_with_force(tmp_path: Path) -> None:
    """A chart and a log under another name; never through a link."""
    chart, text = tmp_path / "match.svg", tmp_path / "match.txt"
    for path in (chart, text):
        path.write_text("something else, and rather longer than nothing")
    draw = ("report", LOG, "--chart", chart)
    play = ("play", SCRIPT, "--config", CONFIG, "--log", text)
    for command, path in ((draw, chart), (play, text)):
        message = refused(*command)
        assert "exists; choose another name, or replace it with --force" in message
        assert path.read_text().startswith("something else")
        assert said(*command, "--force").exit_code == 0
    assert chart.read_bytes().startswith(b"<?xml")
    new = tmp_path / "new.txt"
    assert said("play", SCRIPT, "--config", CONFIG, "--log", new).exit_code == 0
    assert not new.stat().st_mode & 0o111
    assert text.read_bytes() == LOG.read_bytes()
    through = ("report", LOG, "--chart", link(chart), "--force")
    assert "is a link, through which nothing is written" in refused(*through)


def test_of_several_logs_none_is_written_if_one_cannot_be(tmp_path: Path) -> None:
    script, log, second = (tmp_path / name for name in ("my.script", "my.jsonl", "my-2.jsonl"))
    menu = "0 hold centre\n0.2 press left\n0.2 press centre\n0 press centre\n"
    script.write_text(menu)
    second.write_bytes(LOG.read_bytes())
    assert f"--log: {second} is a log" in refused("play", script, "--log", log)
    assert not log.exists()
    assert second.read_bytes() == LOG.read_bytes()


def test_a_file_in_the_place_of_a_folder_is_named() -> None:
    assert "Not a directory" in refused("play", SCRIPT, "--log", SCRIPT / "my.txt")
    missing = SCRIPT.parent / "missing" / "my.txt"
    why = f"{missing}: the file cannot be written: No such file or directory"
    assert why in refused("play", SCRIPT, "--log", missing)


def test_a_link_to_nothing_is_not_followed(tmp_path: Path) -> None:
    """What it leads to may be a log that is about to be written."""
    path = tmp_path / "link.txt"
    path.symlink_to("missing.jsonl")
    assert "is a link to a file that does not exist" in refused("play", SCRIPT, "--log", path)
    assert not (tmp_path / "missing.jsonl").exists()


@pytest.mark.parametrize("force", FORCE)
def test_nothing_is_written_to_a_pipe_or_a_device(tmp_path: Path, force: tuple[str, ...]) -> None:
    """Opening a pipe would wait for a reader."""
    pipe = tmp_path / "chart.png"
    os.mkfifo(pipe)
    for command in (("play", SCRIPT, "--log"), ("report", LOG, "--chart")):
        assert f"{pipe}: not a regular file" in refused(*command, pipe, *force)
    assert "not a regular file" in refused("play", SCRIPT, "--log", "/dev/null", *force)


def test_a_file_that_cannot_be_read_is_no_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.csv").write_text("mine")

    def refuse(_: Path) -> NoReturn:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("gammonclock.output_file.open_to_read", refuse)
    output = OutputFile("--csv", (), force=False)
    with pytest.raises(SystemExit):
        output.check(tmp_path / "mine.csv")
    OutputFile("--csv", (), force=True).check(tmp_path / "mine.csv")
