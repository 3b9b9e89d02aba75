"""The seeded faults of all searches and rooms: names, and laws that see them."""

from lab.prove.__main__ import PARTS
from lab.prove.buttons import LAWS as BUTTONS_LAWS
from lab.prove.delivery_laws import BOTH_LAWS, CLOCK_LAWS, HUB_LAWS
from lab.prove.director import DIRECTORS_LAWS
from lab.prove.laws import LAWS
from lab.prove.search import FATE, NO_EXCEPTION, TWINS
from lab.room_seeds import faults, laws

OF_PROGRAMS = ([fault for part in PARTS for fault in part.faults], faults.FAULTS)


def test_each_fault_can_be_put_in() -> None:
    """It puts in place what the product has under that name, and takes it out again."""
    for seeded in OF_PROGRAMS:
        for fault in seeded:
            with fault.put_in():
                pass
        assert len({fault.name for fault in seeded}) == len(seeded)


def test_each_law_has_a_fault_that_it_sees() -> None:
    seen = [{fault.law for fault in part.faults} for part in PARTS]
    of_parts = (LAWS, DIRECTORS_LAWS, (*BOTH_LAWS, *CLOCK_LAWS, *HUB_LAWS), BUTTONS_LAWS)
    others: tuple[set[str], ...] = (
        {FATE, NO_EXCEPTION, TWINS},
        set(),
        {NO_EXCEPTION},
        {NO_EXCEPTION},
    )
    wanted = [{law.__name__ for law in named} for named in of_parts]
    assert seen == [each | rest for each, rest in zip(wanted, others, strict=True)]
    of_rooms = {law.__name__ for law in (*laws.EVERY_MOMENT, *laws.WHEN_QUIET)}
    assert {fault.law for fault in faults.FAULTS} <= of_rooms
