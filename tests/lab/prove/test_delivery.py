"""The search of the delivery of logs: its faults, and what its broker does."""

from lab.prove.delivery import Post


def test_a_full_broker_loses_any_of_its_messages() -> None:
    """It holds what it has room for, each message once, in no order."""
    post = Post(2)
    one, two, three = (post.number(text) for text in (b"one", b"two", b"three"))
    (both,) = post.after(post.empty, (two, one, two))
    assert both == bytes([one, two])
    assert set(post.after(both, (three,))) == {both, bytes([one, three]), bytes([two, three])}
