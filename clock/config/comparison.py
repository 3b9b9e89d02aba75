"""Which of several files differ in the rules of their matches, and where.

Two files with equal settings codes have the same rules; board, names and everything about the box
may differ.
"""

from collections.abc import Iterator, Mapping

from clock.config.settings import Settings, differences
from clock.match.rules import MatchSettings


def comparison(files: Mapping[str, Settings]) -> Iterator[str]:
    """Yield lines that say which files have the rules of the first one, and how others differ."""
    first, *others = files
    different = {name: list(_differences(files[first], files[name])) for name in others}
    same = [first, *(name for name in others if not different[name])]
    if len(same) > 1:
        yield f"The same rules: {', '.join(same)}"
    for name, lines in different.items():
        if lines:
            yield f"Other rules than {first}: {name}"
            yield from (f"  {line}" for line in lines)


def _differences(one: Settings, other: Settings) -> Iterator[str]:
    """Yield what the second of two files has instead, first without, then in each preset."""
    yield from _match_differences("", one.match, other.match)
    ours, theirs = ({each.name: each.match for each in file.presets} for file in (one, other))
    for name in {**ours, **theirs}:
        heading = f'preset "{name}"'
        if name in ours and name in theirs:
            yield from _match_differences(f"{heading}: ", ours[name], theirs[name])
        else:
            yield f"{heading} {'is missing' if name in ours else 'is added'}"


def _match_differences(within: str, one: MatchSettings, other: MatchSettings) -> Iterator[str]:
    if one.code != other.code:
        codes = ("settings code", one.code, other.code)
        for name, old, new in (*differences(one, other), codes):
            yield f"{within}{name} is {new}, not {old}"
