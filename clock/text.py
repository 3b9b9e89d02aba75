"""Text that comes from a file or from a person, as it can be shown."""


def printable(text: str, *, keep: str = "") -> str:
    """Replace each character that does not print, and could control a terminal, by "?".

    Those in `keep` stay although they do not print.
    """
    return "".join(each if each.isprintable() or each in keep else "?" for each in text)
