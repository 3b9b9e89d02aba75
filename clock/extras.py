"""How the optional parts of this program, the extras of `pyproject.toml`, are installed."""

import sys


def extra_missing(what: str, extra: str) -> str:
    """Return a message that says how to install a missing extra from this project's folder."""
    return (
        f'{what} needs the extra "{extra}": pip install ".[{extra}]" in the folder with this'
        f" project, with the pip of {sys.prefix}; docs/laptop.md says how from a wheel"
    )
