"""Text that comes from a file or from a person, as it can be shown."""


def printable(text: str, *, keep: str = "") -> str:
    """Replace each character that does not print, and could control a terminal, by "?".

    Those in `keep` stay although they do not print.
    """
    if text.isprintable():  # nearly always: a long report has the same names 100,000 times
        return text
    return "".join(each if each.isprintable() or each in keep else "?" for each in text)


def quoted(text: str, most: int = 24) -> str:
    """Return what somebody else wrote in quotes, and cut; it passes for no sentence of ours."""
    shown = printable(text).replace('"', "'")
    return f'"{shown}"' if len(shown) <= most else f'"{shown[: most - 1]}…"'
