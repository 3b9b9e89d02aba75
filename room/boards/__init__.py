"""Boards, made from the lines that the sources report, and the result of each match. Pure.

Theory of operation
-------------------
A *place* is a board as a source knows it: a log directory, a serial port, a clock at the broker.
`Register.handle` takes one event of a source and returns its effects: lines to be stored, logs
whose result is to be computed, offers that were refused. It reads no clock, as every event has its
instant, and it writes nothing: the hub carries out the effects before it handles the next event.

Of each place three things are known, each by a module of its own:

- Its logs (`place_logs`, `followed_log`). Every line is a repetition, the next one, one after a
  gap, one of another branch, or damaged; `room.lines.inbox` decides which. A log that replays is
  *proven*; what later lines state after a gap or damage is *shown*, but never as certain. Of two
  branches the later one counts, and both are stored. A log that the hub knows from before is
  recalled from the database when its first line comes.
- The liveness of its clock (`liveness`): when it was heard, the offset between its raw clock and
  the hub's, and which line its heartbeat named. Without an offset, without a heartbeat for
  `SILENCE_NS`, or with a line on its way, times may be wrong, and the board says so.
- Its board (`board`, a contract with pages and programs), made of the two (`fields`, `signs`).

A board is whole in itself: nothing has to be remembered from the one before. `Register.refresh`
makes those boards anew that an event or the time has changed, and returns those that differ.
Only those of which something was reported are made at each event. Each board has the instant from
which on time alone may change it (`changes_at_ns`), and is looked at then: so a room costs what
happens in it, however many boards there are.

When a match is over, or another one begins at the place, its log is an `EndedLog`: `results` makes
a `Result` of it. A log that does not replay has a result too, of what its lines state.
"""
