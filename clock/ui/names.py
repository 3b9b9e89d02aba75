"""What rules are called, and players where there is little room.

The short forms of two players' names tell them apart. A name is whole if it fits, else the family
name (R125). What stands behind a family name, "Jr.", "III" or "(GER)", is none, nor a title, "Dr.";
a particle before it, "van der", belongs to it. Two players of one family are told apart by their
given names, and if these begin alike by as many letters as it takes (R216).
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import takewhile
from typing import NamedTuple

from clock.config.schema import MatchTable
from clock.match.types import Pair

_PARTICLES = (
    "af auf av d da das de degli dei del dela della den der des di do dos du e el la las le les lo"
    " los op san st st. sant santa t 't te ten ter und van vande vanden vander vom von zu zum zur y"
)
_SUFFIXES = "jr jr. junior sr sr. senior ii iii iv v vi 2nd 3rd phd ph.d. md dr dr."
_TITLES = "dr dr. prof prof. mr mr. mrs mrs. ms ms. herr frau hr. fr. ing. mag. sir"
PARTICLES, SUFFIXES = frozenset(_PARTICLES.split()), frozenset(_SUFFIXES.split())
TITLES = frozenset(_TITLES.split())
ASIDE = re.compile(r"\s*[(\[{][^)\]}]*[)\]}]")  # "(GER)", wherever it stands
_WORD = re.compile(r"[^\W_]+\.?")
LEAST = 4  # characters of a short name
UNNAMED = MatchTable().names  # players whom the settings file does not name

_FEDERATIONS = {"dbgf": "DBgF", "nbgf": "NBgF"}  # the others are in capitals


def rules_name(profile: str) -> str:
    """Return what players call a profile: `WBGF`, `NBgF-lyn`."""
    federation, *kind = profile.split("-")
    return "-".join([_FEDERATIONS.get(federation, federation.upper()), *kind])


class _Parts(NamedTuple):
    given: str
    family: str
    suffix: str


def short_name(name: str, most: int, other: str = "") -> str:
    """Return a name in at most so many characters, which differs from the opponent's.

    That is the whole name, else the family name, else that with as much of the given name as tells
    the two apart. Only what is too long all the same is cut.
    """
    if len(name) <= most or not name:
        return name
    if name.casefold() == other.casefold():
        other = ""  # nothing tells them apart
    forms = tuple(_forms(_parts(name), _parts(other)))
    whole = next((form for form in forms if len(form) <= most), None)
    if whole is not None:
        return whole
    others = {
        shortened(form, most).casefold() for form in (other, *_forms(_parts(other), _parts(name)))
    }
    cut = (shortened(form, most) for form in forms)
    return next((form for form in cut if form.casefold() not in others), _end(name, other, most))


@lru_cache(32)
def short_names(name: str, other: str) -> tuple[str, ...]:
    """Return ever shorter names, of which the first that fits is shown."""
    forms = (short_name(name, most, other) for most in range(len(name) - 1, LEAST - 1, -1))
    return tuple(dict.fromkeys(forms))


def both_names(names: Pair[str], most: int) -> str:
    """Return both names in at most so many characters, shortened alike."""
    left = short_name(names.left, max((most - 3) // 2, most - 3 - len(names.right)), names.right)
    return f"{left} - {short_name(names.right, most - 3 - len(left), names.left)}"


def _parts(name: str) -> _Parts:
    words = ASIDE.sub(" ", name).split() or name.split()
    before, _, after = (part.strip() for part in " ".join(words).partition(","))
    if before and after and after.casefold() not in SUFFIXES:
        family, behind = _without_suffix(before.split())  # "Smith III, John"
        given, suffix = _without_suffix(after.replace(",", " ").split())
        return _Parts(" ".join(given), " ".join(family), suffix or behind)
    words, suffix = _without_suffix(" ".join(words).replace(",", " ").split())
    inner = range(1, len(words) - 1)
    at = next((at for at in inner if words[at].casefold() in PARTICLES), len(words) - 1)
    if words and words[0] in PARTICLES:  # no given name
        at = 0
    return _Parts(" ".join(words[:at]), " ".join(words[at:]), suffix)


def _without_suffix(words: list[str]) -> tuple[list[str], str]:
    """Return a name without what stands behind it, which is returned, and the title before it."""
    at, end = 0, len(words)
    while end > 1 and words[end - 1].casefold() in SUFFIXES:
        end -= 1
    while at < end - 1 and words[at].casefold() in TITLES:
        at += 1
    return words[at:end], " ".join(words[end:])


def _forms(of: _Parts, other: _Parts) -> Iterator[str]:
    """Yield the short forms of a name that cannot be the opponent's, the best ones first."""
    bare, others = ((parts.family.split() or [""])[-1] for parts in (of, other))
    same = bare.casefold() == others.casefold()
    if not same:
        yield from (of.family, bare)
    elif of.family.casefold() != other.family.casefold():
        yield of.family
    initial = _initial(of.given, other.given)
    if initial:
        yield from (f"{initial} {of.family}", f"{initial} {bare}")
    elif of.suffix.casefold() != other.suffix.casefold():
        yield from (f"{of.family} {of.suffix}".strip(), f"{bare} {of.suffix}".strip())


def _initial(given: str, other: str) -> str:
    """Return as much of a given name as tells it from another one; "" if they are the same."""
    if given.casefold() == other.casefold():
        return ""
    alike = _alike(given, other) + 1
    alike += sum(1 for _ in takewhile(lambda each: not each.isalnum(), given[alike - 1 :]))
    return given if alike >= len(given) else f"{given[:alike].rstrip()}."


def _alike(one: str, other: str) -> int:
    """Return with how many letters both begin."""
    pairs = zip(one.casefold(), other.casefold(), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def shortened(form: str, most: int) -> str:
    """Return as much of a text as fits; three dots stand for the rest, and for a number in it."""
    if len(form) <= most:
        return form
    begin, rest = form[: max(0, most - 1)], form[max(0, most - 1) :]
    begin = begin.rstrip("0123456789:") if re.match(r"\d|:\d", rest) else begin
    return f"{begin.rstrip()}…"


def _end(name: str, other: str, most: int) -> str:
    """Return how a name begins, and the word with which it begins to differ from the other one.

    If that stands in the family name or behind it, it begins with this: "Schmidt…GER".
    """
    at, family = _alike(name, other), _parts(name).family
    differs = _WORD.search(name, at)
    if not at or differs is None:
        return shortened(name, most)
    end = differs[0][: most - 2]
    begins = family if 0 <= name.rfind(family) <= at else name
    return f"{begins[: most - 1 - len(end)].rstrip()}…{end}"
