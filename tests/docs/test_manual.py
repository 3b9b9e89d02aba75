"""The manual page and the completion of bash: they are those of the commands, and work."""

import subprocess

import pytest

from gammonclock.__main__ import COMMANDS
from lab.docs.generate_manual import COMPLETION, MANUAL, completion, manual
from lab.support.needs import needs


def test_both_files_are_those_of_the_commands() -> None:
    """`make docs` writes them anew."""
    assert MANUAL.read_text("utf-8") == manual()
    assert COMPLETION.read_text("utf-8") == completion()


@pytest.mark.slow
def test_the_manual_page_names_every_command() -> None:
    """As `man` shows it, without a warning."""
    show = [needs("groff"), "-ww", "-man", "-Tutf8", "-P-cbou", str(MANUAL)]
    shown = subprocess.run(show, capture_output=True, text=True, check=True)
    assert shown.stderr == ""
    text = shown.stdout.replace("\N{MINUS SIGN}", "-")
    for name in COMMANDS:
        assert f"\n   gammonclock {name} " in text, name
    assert "--simulate" in text


@pytest.mark.parametrize(
    ("words", "completed"),
    [
        (["ve"], ["verify"]),
        (["room-"], ["room-cards", "room-join"]),
        (["run", "--re"], ["--resume"]),
        (["run", "--config", ""], []),  # a file
        (["verify", "curr"], []),
    ],
)
def test_bash_completes_commands_and_options(words: list[str], completed: list[str]) -> None:
    line = " ".join(f"'{word}'" for word in ("gammonclock", *words))
    script = f'. "{COMPLETION}"; COMP_WORDS=({line}); COMP_CWORD={len(words)}; _gammonclock'
    asked = ["bash", "-c", f'{script}; printf "%s\\n" "${{COMPREPLY[@]}}"']
    said = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
    assert said.split() == completed
