"""The search of the delivery of logs: its faults, and what its broker does."""

from lab.prove.delivery import DELIVERY, Post
from lab.prove.delivery_laws import BOTH_LAWS, CLOCK_LAWS, HUB_LAWS
from lab.prove.search import NO_EXCEPTION


def test_each_law_has_a_fault_that_it_sees() -> None:
    laws = {law.__name__ for law in (*BOTH_LAWS, *CLOCK_LAWS, *HUB_LAWS)}
    assert {control.law for control in DELIVERY.controls} == laws | {NO_EXCEPTION}


def test_a_full_broker_loses_any_of_its_messages() -> None:
    """It holds what it has room for, each message once, in no order."""
    post = Post(2)
    one, two, three = (post.number(text) for text in (b"one", b"two", b"three"))
    (both,) = post.after(post.empty, (two, one, two))
    assert both == bytes([one, two])
    assert set(post.after(both, (three,))) == {both, bytes([one, three]), bytes([two, three])}
