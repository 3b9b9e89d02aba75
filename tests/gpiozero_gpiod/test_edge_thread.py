"""The thread that delivers edges: real threads and descriptors, on a fake kernel."""

import logging
import os
import select
import threading
from queue import SimpleQueue

import pytest
from gpiozero import LED

from lab.support.gpio_pi import LEFT, RIGHT, SAFETY_S, BlockedThread, Pi, edge_threads


def test_edges_of_all_lines_are_delivered_in_the_order_of_their_stamps(pi: Pi) -> None:
    """Each line has its own queue; what is read together is sorted."""
    _, recorder = pi.recorded(LEFT)
    pi.input(RIGHT).when_changed = recorder.record
    blocked = BlockedThread(pi)
    edges = [(RIGHT, 10_000, 0), (LEFT, 10_000, 0), (RIGHT, 14_000, 1), (LEFT, 15_000, 1)]
    for number, at_ns, level in edges:
        pi.kernel.drive(number, level, at_ns)
    blocked.resume()
    assert [recorder.next() for _ in edges] == [edge[1:] for edge in edges]


@pytest.mark.rule("R39")
def test_drain_delivers_before_it_returns(pi: Pi) -> None:
    """Whatever the factory's thread is doing; each edge once, in order."""
    _, recorder = pi.recorded()
    for turn in range(500):
        pi.kernel.press(LEFT)
        pressed = pi.kernel.now_ns, 0
        pi.kernel.release(LEFT)
        pi.factory.drain()
        assert len(recorder.edges) == 2 * turn + 2
        assert recorder.edges[-2:] == [pressed, (pi.kernel.now_ns, 1)]


@pytest.mark.rule("R67")
def test_an_edge_stays_in_the_kernel_until_it_is_drained(pi: Pi) -> None:
    """The program is called each time there are edges; if it hangs, they are not lost."""
    _, recorder = pi.recorded()
    called: SimpleQueue[None] = SimpleQueue()
    pi.factory.call_to_drain(lambda: called.put(None))
    for _ in range(50):
        heard = len(recorder.edges)
        pi.kernel.press(LEFT)
        called.get(timeout=SAFETY_S)
        pi.kernel.release(LEFT)
        assert len(recorder.edges) == heard
        assert called.empty()
        pi.factory.drain()
        assert len(recorder.edges) == heard + 2


def test_a_factory_that_is_never_drained_can_be_closed(pi: Pi) -> None:
    """Its thread ends although edges wait."""
    pi.recorded()
    called = threading.Event()
    pi.factory.call_to_drain(called.set)
    pi.kernel.press(LEFT)
    pi.kernel.release(LEFT)
    assert called.wait(SAFETY_S)
    pi.factory.close()
    assert not edge_threads()


def test_many_threads_may_drain(pi: Pi) -> None:
    _, recorder = pi.recorded()
    driven: list[tuple[int, int]] = []
    done = threading.Event()

    def keep_draining() -> None:
        while not done.is_set():
            pi.factory.drain()

    drainers = [threading.Thread(target=keep_draining) for _ in range(3)]
    for drainer in drainers:
        drainer.start()
    for turn in range(2_000):
        pi.kernel.drive(LEFT, turn % 2)
        driven.append((pi.kernel.now_ns, turn % 2))
        if turn % 100 == 0:
            pi.factory.drain()
    pi.factory.drain()
    done.set()
    for drainer in drainers:
        drainer.join(SAFETY_S)
    assert recorder.edges == driven
    assert pi.factory.lost_edges == 0


def test_a_handler_may_drain(pi: Pi) -> None:
    _, recorder = pi.recorded(then=pi.factory.drain)
    for level in (0, 1):
        pi.kernel.drive(LEFT, level)
        assert recorder.next() == (pi.kernel.now_ns, level)


@pytest.mark.parametrize("error", [ValueError("a bug"), SystemExit(1)])
def test_an_error_of_a_handler_is_logged_and_the_thread_lives_on(
    pi: Pi, caplog: pytest.LogCaptureFixture, error: BaseException
) -> None:
    """The same thread delivers the next edge, to this handler and to others."""

    def fail() -> None:
        raise error

    _, recorder = pi.recorded(then=fail)
    for level in (0, 1):
        pi.kernel.drive(LEFT, level)
        recorder.next()
    pi.factory.drain()
    [before, after] = [record for record in caplog.records if record.levelno == logging.ERROR]
    assert before.getMessage() == after.getMessage() == "the handler of GPIO17 failed"
    assert before.exc_info is not None
    assert before.exc_info[1] is error
    assert len(edge_threads()) == 1


def test_a_line_that_vanishes_does_not_spin(pi: Pi, caplog: pytest.LogCaptureFixture) -> None:
    """Its chip was unplugged: logged once, watched no more, and the other lines work on."""
    pi.recorded(RIGHT)
    _, recorder = pi.recorded()
    pi.kernel.requests[RIGHT].vanish()
    pi.factory.drain()
    pi.kernel.press(LEFT)
    assert recorder.next() == (pi.kernel.now_ns, 0)
    pi.factory.drain()
    gone = [record.getMessage() for record in caplog.records]
    assert gone == ["GPIO27 is gone; its edges are no longer watched"]


@pytest.mark.parametrize("drained", [False, True])
def test_a_handler_may_close_the_factory(pi: Pi, drained: bool) -> None:
    """In whichever thread it is called, that thread does not wait for itself. No edge follows."""
    _, recorder = pi.recorded(then=pi.factory.close)
    [thread] = edge_threads()
    pi.kernel.press(LEFT)
    pi.kernel.release(LEFT)
    if drained:
        pi.factory.drain()
    recorder.next()
    thread.join(SAFETY_S)
    assert (thread.is_alive(), len(recorder.edges)) == (False, 1)


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_child_that_closes_everything_takes_nothing_away(pi: Pi) -> None:
    """Gpiozero closes it when the child ends: the parent still watches its lines, and sleeps."""
    _, recorder = pi.recorded()
    child = os.fork()
    if child == 0:
        pi.factory.close()
        os._exit(0)
    assert os.waitpid(child, 0) == (child, 0)
    pi.kernel.press(LEFT)
    assert recorder.next() == (pi.kernel.now_ns, 0)
    assert not select.select([pi.factory.edges._closing], [], [], 0)[0]


def test_there_is_no_thread_before_a_handler(pi: Pi) -> None:
    LED(LEFT, pin_factory=pi.factory).close()
    assert not edge_threads()
    pi.recorded()
    assert [thread.daemon for thread in edge_threads()] == [True]
