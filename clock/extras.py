"""How the optional parts of this program, the extras of `pyproject.toml`, are installed."""

INSTALL = 'pipx install --force ".[room,chart]"'  # both: --force would take away the other one


def extra_missing(what: str, extra: str) -> str:
    """Return a message that says how to install what is not there; nothing is published."""
    install = INSTALL if extra in INSTALL else INSTALL.replace("]", f",{extra}]")
    return (
        f'{what} needs the extra "{extra}": {install} in the folder with this project;'
        " docs/laptop.md says how from a wheel"
    )
