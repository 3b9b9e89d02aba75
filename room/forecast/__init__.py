"""When does a match end, and when the round? PURE: the same logs give the same forecast.

The dice decide when a match ends, far more than its players. So a forecast is not an instant but a
spread of `DRAWS` equally likely ones. It is made in four steps, one module each:

- `games`: the turns and games that are left at a score, as a walk over the scores;
- `pace`: how long a side's turns were, folded from the lines of a log;
- `match`: the time that the turns left will take, capped by the reserves;
- `round`: all boards together, which are the last ones, and why.

No draw is random: where two things vary, the golden ratio spreads one evenly over the other.
"""
