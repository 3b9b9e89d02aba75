"""Accounts have turns, and the things of each stay in their order."""

from room.lines.turns import TurnQueue


def turns_of(things: str) -> TurnQueue[str]:
    """Things named by their account and a number."""
    turns = TurnQueue[str](lambda thing: thing[0])
    for thing in things.split():
        turns.append(thing)
    return turns


def drained(turns: TurnQueue[str]) -> str:
    """All things, in the order of their turns."""
    return " ".join(turns.popleft() for _ in range(len(turns)))


def test_accounts_have_turns() -> None:
    """Who comes last waits for one thing of each other account."""
    turns = turns_of("a1 a2 a3 a4 b1 b2 c1")
    assert (len(turns), turns.of("a"), turns.of("d")) == (7, 4, 0)
    assert drained(turns) == "a1 b1 c1 a2 b2 a3 a4"
    assert (len(turns), turns.of("a")) == (0, 0)


def test_who_had_a_turn_is_behind_those_that_wait() -> None:
    turns = turns_of("a1 a2 b1")
    assert turns.popleft() == "a1"
    turns.append("c1")
    assert drained(turns) == "b1 a2 c1"


def test_what_is_given_back_comes_first_of_its_account() -> None:
    turns = turns_of("a1 a2 a3 b1")
    turns.give_back([turns.popleft(), *turns.drain("a")])
    assert drained(turns) == "b1 a1 a2 a3"
    assert [*turns.drain("a")] == []
