"""The README's diagram, commands and links are right."""

import re

import click.testing
import pytest

from gammonclock.__main__ import main
from tools.docs.generate_state_diagram import README, with_diagram

TEXT = README.read_text(encoding="utf-8")


def test_the_state_diagram_is_that_of_the_table() -> None:
    """The diagram is what `make docs` would write."""
    assert with_diagram(TEXT) == TEXT


@pytest.mark.parametrize(
    "command", sorted(set(re.findall(r"^    gammonclock ([a-z-]+)", TEXT, re.MULTILINE)))
)
def test_the_commands_it_names_are_there(command: str) -> None:
    """Each command has a help."""
    assert click.testing.CliRunner().invoke(main, [command, "--help"]).exit_code == 0


@pytest.mark.parametrize("path", sorted(set(re.findall(r"\]\(([\w/.-]+)\)", TEXT))))
def test_the_files_it_links_to_are_there(path: str) -> None:
    """Each link leads to a file; code may be installed elsewhere."""
    assert (README.parent / path).exists() or path.startswith(("clock", "hardware"))
