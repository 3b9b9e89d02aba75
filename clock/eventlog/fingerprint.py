"""The fingerprint of a log: the hash of its latest line, as people can write it down or scan it.

Players write the twelve characters on the score sheet, or photograph the QR code. Whoever has the
fingerprint of a line can tell whether a log is the one that was shown, without any key: changing
anything up to that line changes its hash, and with it the fingerprint.
"""

import re
from typing import NamedTuple

from clock.match.types import Pair

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"  # Crockford's base 32: no I, L, O, U
FINGERPRINT_BITS = 60  # 40 bits could be forged within minutes, 60 take years
HASH_BITS = 128
_LOOKALIKES = str.maketrans("OIL", "011")
_DIGITS = str.maketrans(ALPHABET, "0123456789ABCDEFGHIJKLMNOPQRSTUV")  # as `int` reads them
_QR_PREFIX = "GC2"
_QR_PATTERN = re.compile(
    rf"{_QR_PREFIX}:([{ALPHABET}]{{26}}):([0-9]{{1,9}}):([0-9]{{1,2}})-([0-9]{{1,2}})"
)


class FingerprintError(ValueError):
    """A text is not the fingerprint of a log; the message says what one looks like."""


class Shown(NamedTuple):
    """What the QR code on the panels says."""

    hash: str  # 32 hex digits
    seq: int  # of the line
    score: Pair[int]


def fingerprint_text(hash_: str) -> str:
    """Return the fingerprint of a line, such as `7KQ2-M9XT-4WDA`, from its hash: 32 hex digits."""
    text = _base32(int(hash_, 16) >> (HASH_BITS - FINGERPRINT_BITS), FINGERPRINT_BITS // 5)
    return "-".join(text[at : at + 4] for at in range(0, len(text), 4))


def parse_fingerprint(text: str) -> str:
    """Return a fingerprint as `fingerprint_text` writes it, however a person wrote it.

    Lower case, missing or other separators, and O, I and L for 0 and 1 are accepted.

    Raises:
        FingerprintError: it is no fingerprint.
    """
    letters = [letter for letter in text.upper() if letter.isalnum()]
    plain = "".join(letters).translate(_LOOKALIKES)
    if len(plain) != FINGERPRINT_BITS // 5 or set(plain) - set(ALPHABET):
        raise FingerprintError(
            f'"{text}" is not a log code: it has twelve characters, such as 7KQ2-M9XT-4WDA'
        )
    return "-".join(plain[at : at + 4] for at in range(0, len(plain), 4))


def qr_text(shown: Shown) -> str:
    """Return what the QR code says: capitals, digits, `-` and `:` only, at most 44 of them."""
    left, right = shown.score
    code = _base32(int(shown.hash, 16), -(-HASH_BITS // 5))
    return f"{_QR_PREFIX}:{code}:{shown.seq}:{left}-{right}"


def parse_qr(text: str) -> Shown:
    """Return what a QR code says; raise FingerprintError if it is not the code of a log."""
    found = _QR_PATTERN.fullmatch(text.strip())
    number = int(found[1].translate(_DIGITS), 32) if found else 0
    if found is None or number >= 1 << HASH_BITS:
        raise FingerprintError(
            f'"{text}" is not the QR code of a log: those begin with {_QR_PREFIX}:'
        )
    return Shown(f"{number:032x}", int(found[2]), Pair(int(found[3]), int(found[4])))


def _base32(number: int, length: int) -> str:
    """Return a number in Crockford's base 32, with leading zeros."""
    digits = []
    for _ in range(length):
        number, digit = divmod(number, 32)
        digits.append(ALPHABET[digit])
    return "".join(reversed(digits))
