"""Bring logs from a clock to the hub over messages that may be lost, repeated or late.

Theory of operation
-------------------
The clock has a `Sender`, the hub a `Receiver` for each clock; neither knows of a network or reads a
clock. The broker promises nothing (QoS 0): whatever it loses, repeats or forgets, the hub has every
log byte for byte in the end, and an acknowledgement is never wrong.

Lines are numbered and carry hashes, each made with the one before. So the hub knows from a line
alone whether it is the next one, a known one, one after a gap, or one of another branch (a fork:
the clock's card lost lines that the hub has). A line that is on the hub's disk is acknowledged by
its number and hash; the clock forgets nothing before.

Both sides repeat what they have, never what has happened, so that no message is needed twice:
- The clock sends its *inventory* (the latest line of each of its logs) when a hub has come, when a
  match has begun, and after every `PATIENCE_NS` in which the hub did not get further. It does so
  every `REPEAT_NS`, too, when the hub seems to have all: lines that a card has lost may come to the
  hub late, after those which the clock wrote in their place, and the clock is not told of it.
- The hub answers with what it has of each log, and asks for the first line that it lacks. It asks
  also when a line comes too early, and when two heartbeats name the same missing line.
- The clock sends from there on, and its new lines as they come, but at most `WINDOW` lines of a log
  ahead of what the hub has on its disk.

An acknowledgement names its database: what another one had says nothing about this one, so a hub
with a new database is sent everything. Without a hub nothing is sent at all.
"""
