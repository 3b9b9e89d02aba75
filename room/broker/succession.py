"""Decide when a hub may take a room that another hub may have.

The broker lets one client log in as the hub at a time: a second login ends the connection of the
first. So a hub first looks under another login, and logs in as the hub only when no other hub has
the room. A hub that waits for that stands by: it asks the other one again and again, and counts by
its own clock how long there is no answer. No two hubs' clocks are compared.
"""

from clock.units import SECOND_NS
from room.broker.topics import HubState

FIRST_NS = SECOND_NS // 2  # for what the broker has retained to come
RETURN_NS = 3 * SECOND_NS  # for a hub that has lost its connection to connect again
SILENCE_NS = 9 * SECOND_NS  # without an answer, until a hub counts as gone
ASK_NS = 2 * SECOND_NS  # between questions


class Succession:
    """What a hub has heard of the others."""

    def __init__(self) -> None:
        self.own = 0  # the session in which this hub itself had the room last; 0: never
        self.other: HubState | None = None  # the latest other hub that had the room
        self._said: HubState | None = None  # since the latest connection
        self._said_ns = 0
        self._silent = 0  # the session of a hub that gave no answer; the broker may believe in it

    def connected(self, now_ns: int) -> None:
        """Begin to listen anew: the broker may have forgotten everything."""
        self._said, self._said_ns = None, now_ns

    def hear(self, state: HubState, now_ns: int, *, answers: bool = False) -> None:
        """Note what is said of a hub.

        Args:
            state: of the hub. The broker says its last will, which may come late.
            now_ns: the present instant.
            answers: the hub lives, and answers a question; False: the broker may have retained it.
        """
        before, is_online = self._said, state.state == "online"
        if before is not None and not is_online and before.session != state.session:
            return
        if is_online and state.session == self._silent and not answers:
            return
        self._said, self._said_ns = state, now_ns
        if self.is_taken:
            self.other = state

    def take(self) -> None:
        """Note that this hub takes the room: what it has waited for is over."""
        if self.is_taken and self._said is not None:
            self._silent = self._said.session
        self._said = self.other = None

    @property
    def is_taken(self) -> bool:
        """Whether another hub has said that it has the room, and not yet that it has not."""
        return self._said is not None and self._said.state == "online" and not self._is_own

    @property
    def free_ns(self) -> int:
        """When the room may be taken, if nothing else is heard until then."""
        return self._said_ns + self._patience_ns()

    @property
    def _is_own(self) -> bool:
        return self._said is not None and self.own != 0 and self._said.session == self.own

    def _patience_ns(self) -> int:
        stands_by = self.other is not None
        if self._said is None:
            return RETURN_NS if stands_by else FIRST_NS
        if self.is_taken:
            return SILENCE_NS
        is_lost = self._said.state == "lost" and not self._is_own
        return RETURN_NS if is_lost and stands_by else 0
