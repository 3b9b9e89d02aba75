"""[notify] of room.toml: where the hub tells what asks for the director."""

from typing import Annotated, Literal, get_args

from msgspec import Meta, Struct

from clock.config.schema import matching

Kind = Literal[
    "call",
    "flag",
    "late",
    "low",
    "claimed",
    "twice",
    "fault",
    "damaged",
    "not_heard",
    "settings",
    "hub",
]
"""What asks for the director at a board, most important first; last, the hub's own troubles."""
USUAL: tuple[Kind, ...] = ("call", "flag", "late", "not_heard", "hub")
NotifyUrl = Annotated[
    str,
    matching(
        r"(?:https?://[^\s\x00-\x1f\x7f]{1,500})?",
        'an address such as "https://ntfy.sh/open-2026-k3v9", or ""',
    ),
]
NotifyToken = Annotated[
    str, matching(r"[\x21-\x7e]{0,500}", "characters without spaces, or an empty text")
]
PerMinute = Annotated[int, Meta(ge=1, le=60, description="a whole number from 1 to 60")]


Kinds = Annotated[
    tuple[Kind, ...],
    Meta(description=f'a list of some of {", ".join(get_args(Kind))}, such as ["call", "flag"]'),
]


class NotifyTable(Struct, frozen=True, kw_only=True):
    """[notify]: where the hub tells what asks for the director."""

    url: NotifyUrl = ""
    """Empty: nowhere."""
    kind: Literal["json", "ntfy"] = "json"
    token: NotifyToken = ""
    """Sent as `Authorization: Bearer`; empty: none."""
    language: Literal["en", "de", "da", "nb"] = "en"
    """Of the notices; what is wrong with the hub itself is said in English."""
    about: Kinds = USUAL
    per_minute: PerMinute = 6
    """Nothing is sent more often; what comes meanwhile is sent together."""
