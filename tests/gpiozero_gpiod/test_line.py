"""A line's queue: lost edges, edges of before, and edges of other lines."""

from gpiozero_gpiod.chip import EVENT_BUFFER_SIZE
from lab.support.gpio_pi import LEFT, BlockedThread, Pi, Recorder


def test_lost_edges_are_counted_and_an_opposite_edge_is_inserted(pi: Pi) -> None:
    """The full queue drops its oldest edges; the level before the first one is made up."""
    pin, recorder = pi.recorded()
    blocked = BlockedThread(pi)
    for turn in range(EVENT_BUFFER_SIZE + 3):
        pi.kernel.drive(LEFT, turn % 2, 10_000 + turn)
    factory_thread_reads = [(10_003, 0), (10_003, 1)]
    blocked.resume()
    assert [recorder.next() for _ in range(2)] == factory_thread_reads
    last = [recorder.next() for _ in range(EVENT_BUFFER_SIZE - 1)][-1]
    assert last == (10_000 + EVENT_BUFFER_SIZE + 2, 0)
    assert pi.factory.lost_edges == 3
    pi.kernel.release(LEFT)
    assert recorder.next() == (pi.kernel.now_ns, 1)
    pin.close()
    pi.recorded()
    assert pi.factory.lost_edges == 3


def test_lost_edges_of_one_kind_are_only_counted(pi: Pi) -> None:
    _, recorder = pi.recorded(edges="falling")
    pi.kernel.requests[LEFT].seqno += 7
    pi.kernel.press(LEFT)
    pi.factory.drain()
    assert recorder.edges == [(pi.kernel.now_ns, 0)]
    assert pi.factory.lost_edges == 7
    pi.kernel.requests[LEFT].seqno = -1  # the kernel counts with 32 bits
    pi.kernel.release(LEFT)
    pi.kernel.press(LEFT)
    pi.factory.drain()
    assert pi.factory.lost_edges == 7


def test_earlier_edges_are_not_delivered_to_a_new_handler(pi: Pi) -> None:
    """Neither those in the kernel's queue nor those already read; and none counts as lost."""
    pin, recorder = pi.recorded()
    blocked = BlockedThread(pi)
    pi.kernel.press(LEFT)
    pin.when_changed = None
    newcomer = Recorder()
    pin.when_changed = newcomer.record
    blocked.resume()
    pi.kernel.release(LEFT)
    assert newcomer.next() == (pi.kernel.now_ns, 1)
    assert recorder.edges == []
    assert pi.factory.lost_edges == 0
    pin.edges = "rising"
    blocked = BlockedThread(pi, 6)
    pi.kernel.press(LEFT)
    pi.kernel.release(LEFT)
    pin.edges = "falling"
    blocked.resume()
    pi.kernel.press(LEFT)
    assert newcomer.next() == (pi.kernel.now_ns, 0)
