"""The state of a clock's board in a topic of its own, for other programs than the hub."""

from room.broker.topics import BoardState
from room.lines.track import Track, follow
from room.sources.events import LinesRead


def followed(track: tuple[str, Track], read: LinesRead) -> tuple[str, Track]:
    """Return the present match and what its lines say, after some more lines."""
    match, state = track if track[0] == read.match else (read.match, Track())
    for line in read.lines:
        state = follow(state, line)
    return match, state


def board_state(board: str, track: Track) -> BoardState | None:
    """Return the state of a board for other programs; None without a line that can be read."""
    record, state = track.record, track.state
    if record is None or state is None:
        return None
    return BoardState(
        board=board,
        match=track.match.chain.match if track.match else "",
        seq=track.seq,
        state=record.phase.value,
        names=state.names,
        score=record.score,
        length=state.length,
        running=record.running,
        left_ns=record.left_ns,
        right_ns=record.right_ns,
        delay_ns=record.delay_ns,
        boot=track.boot,
        at_ns=record.at_ns,
    )
