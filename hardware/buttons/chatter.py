"""A line that chatters is cut off, and looked at again every second.

A wire that has come loose, or a contact that is worn out, can bring thousands of edges a second.
Nobody presses 100 times a second, so beyond that nothing that the line says is believed.

The one rule: integers in, integers out; nothing here reads a clock or a pin.
"""

from collections import deque

CHATTER_NS = 1_000_000_000
# In that time; pressed and let go with all its bounces a contact makes about 20.
CHATTER_EDGES = 200
LOOK_NS = 100_000_000  # how long a line that was cut off is looked at
LOOK_EDGES = 20  # in that time: the same rate


class Gate:
    """Cuts a line off when it chatters, and looks at it again every second."""

    def __init__(self) -> None:
        self.until_ns: int | None = None  # cut off or looked at until then; None: the line is well
        self.listening = True
        self._edges: deque[int] = deque(maxlen=CHATTER_EDGES + 1)

    def count(self, at_ns: int) -> None:
        """An edge, which may be one too many."""
        self._edges.append(at_ns)
        if self.until_ns is not None:
            too_many = self.listening and len(self._edges) > LOOK_EDGES
        else:
            too_many = len(self._edges) > CHATTER_EDGES and at_ns - self._edges[0] < CHATTER_NS
        if too_many:
            self.shut(at_ns)

    def shut(self, at_ns: int) -> None:
        """Nobody listens to the line for a while."""
        self.until_ns = at_ns + CHATTER_NS
        self.listening = False
        self._edges.clear()

    def reopened(self, now_ns: int) -> bool:
        """Whether the line is well again, as of now; it is when it was quiet while looked at."""
        if self.until_ns is None or now_ns < self.until_ns:
            return False
        self._edges.clear()
        self.until_ns = None if self.listening else now_ns + LOOK_NS
        self.listening = True
        return self.until_ns is None
