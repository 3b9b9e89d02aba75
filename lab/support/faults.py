"""Seeded faults: what somebody could do wrong in the product, and the law that must see it."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import Any, NamedTuple
from unittest.mock import patch

from clock.match import machine
from clock.match.inputs import Input
from clock.match.transitions import TABLE, Transition
from clock.match.types import Phase
from clock.ui.i18n import texts

PutIn = Callable[[], AbstractContextManager[object]]


class Wrong(NamedTuple):
    """A change of the product that lasts as long as it is open, and what shows it."""

    put_in: PutIn
    needs: Mapping[str, Any]  # of the search or the room, by name


class MissedError(Exception):
    """A fault was not found, or another law than the named one saw it first."""


class Fault(NamedTuple):
    """A fault, in words that name what goes wrong."""

    name: str
    law: str  # its name
    put_in: PutIn
    needs: Mapping[str, Any]

    def must_be(self, law: str, how: str) -> None:
        """Raise MissedError if another law saw it; `how` says more of that."""
        if law != self.law:
            raise MissedError(f"{self.name}: seen by {law!r}, not by {self.law!r}: {how}")


def seeded(
    wrongs: Mapping[Callable[..., object] | str, Mapping[str, Wrong]],
) -> tuple[Fault, ...]:
    """Return faults by the law that must see them, each with its name."""
    return tuple(
        Fault(name, law if isinstance(law, str) else law.__name__, *wrong)
        for law, named in wrongs.items()
        for name, wrong in named.items()
    )


def replaced(owner: object, name: str, wrong: object, **needs: Any) -> Wrong:
    """Replace a function of a module or a class."""
    return Wrong(lambda: patch.object(owner, name, wrong), needs)


def wrapped(owner: object, name: str, wrong: Callable[..., object], **needs: Any) -> Wrong:
    """Replace a function by one that gets the right one before its arguments."""
    right = getattr(owner, name)
    return replaced(owner, name, lambda *given, **named: wrong(right, *given, **named), **needs)


def entry(phase: Phase, kind: type[Input], wrong: Callable[..., Any], **needs: Any) -> Wrong:
    """Replace what an input does in a phase."""
    transition = Transition(wrong, tuple(Phase))
    return Wrong(lambda: patch.dict(TABLE, {(phase, kind): transition}), needs)


def after(phase: Phase, kind: type[Input], change: Callable[..., Any], **needs: Any) -> Wrong:
    """Change the match after what an input does in a phase."""

    def wrong(right: Any, state: Any, happened: Any) -> Any:
        changed, event = right(state, happened)
        is_here = state.phase is phase and isinstance(happened, kind)
        return change(changed) if is_here else changed, event

    return wrapped(machine, "apply_at_once", wrong, **needs)


def text(language: str, key: str, wrong: str) -> Wrong:
    """Replace a text of the panels."""
    return Wrong(lambda: patch.dict(texts(language, "panels"), {key: wrong}), {})
