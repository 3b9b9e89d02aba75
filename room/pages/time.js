// Times as the panels show them: a port of clock/match/durations.py and clock/ui/face.py.
//
// Durations are whole numbers of nanoseconds below 2**53. A board is what /api/1/boards says.

export const SECOND_NS = 1_000_000_000;
const TENTH_NS = SECOND_NS / 10;
const TENTHS_BELOW_NS = 20 * SECOND_NS; // a reserve below this is shown in tenths, but
const STEP_NS = 2 * TENTH_NS; // in even ones
const FLAGGED = "0:00";
const DAY_MS = 24 * 3600 * 1000;

/** Return the remainder of a division that rounds down: never negative. */
function remainder(value, divisor) {
  const rest = value % divisor;
  return rest < 0 ? rest + divisor : rest;
}

/** Return a quotient rounded down; exact, where a division of floats is not. */
function roundedDown(value, divisor) {
  return (value - remainder(value, divisor)) / divisor;
}

/** Return a quotient rounded up. */
function roundedUp(value, divisor) {
  return roundedDown(value + divisor - 1, divisor);
}

function twoDigits(number) {
  return String(number).padStart(2, "0");
}

/** Return whole seconds as "M:SS", or "H:MM:SS" from an hour on. */
function secondsText(seconds) {
  const minutes = roundedDown(seconds, 60);
  const hours = roundedDown(minutes, 60);
  const second = twoDigits(seconds % 60);
  return hours ? `${hours}:${twoDigits(minutes % 60)}:${second}` : `${minutes}:${second}`;
}

/** Return the seconds of a duration, rounded up. */
function wholeSeconds(durationNs) {
  return roundedUp(durationNs, SECOND_NS);
}

/** Return a time that runs down, rounded up to a second. */
export function clockText(durationNs) {
  return secondsText(wholeSeconds(durationNs));
}

/** Return a time that has passed, rounded down to a second. */
export function elapsedText(durationNs) {
  return secondsText(roundedDown(durationNs, SECOND_NS));
}

/** Return a reserve: even tenths of a second below 20 s; "0:00" only when flagged. */
function reserveText(durationNs, flagged) {
  if (flagged && durationNs <= 0) return FLAGGED;
  const tenths = roundedUp(durationNs, STEP_NS) * 2;
  if (tenths * TENTH_NS >= TENTHS_BELOW_NS) return clockText(durationNs);
  return `${roundedDown(tenths, 10)}.${tenths % 10}`;
}

/** Return how long the text of a running reserve stays the same; at least 1. */
function nextChangeNs(reserveNs) {
  const stepNs = reserveNs > 0 && reserveNs <= TENTHS_BELOW_NS ? STEP_NS : SECOND_NS;
  return remainder(reserveNs, stepNs) || stepNs;
}

/** Return the same for a text of whole seconds that runs down; below 0 it is a time passed. */
export function nextSecondNs(durationNs) {
  return remainder(durationNs, SECOND_NS) || SECOND_NS;
}

/** Return whether this side's clock runs. */
export function isRunning(board, side) {
  return board.turn !== null && board.turn.side === side;
}

/** Return how long the turn of a running side has lasted, delay included; at least 0. */
function elapsedNs(board, side, nowNs) {
  return isRunning(board, side) ? Math.max(0, nowNs - board.turn.since_ns) : 0;
}

/** Return the delay left to a side: of its turn, or of its next one. */
export function delayLeftNs(board, side, nowNs) {
  if (!isRunning(board, side)) return board.reserves[side].delay_ns;
  return Math.max(0, board.turn.delay_ns - elapsedNs(board, side, nowNs));
}

/** Return whether a flag can fall: not without a limit, nor in practice. */
function hasFlags(board) {
  return board.limit === "flag";
}

/** Return the reserve left to a side; below 0 only where no flag falls. */
function reserveLeftNs(board, side, nowNs) {
  const reserveNs = board.reserves[side].reserve_ns;
  const lowest = hasFlags(board) ? 0 : -Infinity;
  if (!isRunning(board, side)) return Math.max(lowest, reserveNs);
  const usedNs = Math.max(0, elapsedNs(board, side, nowNs) - board.turn.delay_ns);
  return Math.max(lowest, reserveNs - usedNs);
}

function addsBack(board) {
  return board.method === "bronstein"; // reserve and delay are one number
}

/** Return a side's reserve as its panel shows it. */
export function shownReserve(board, side, nowNs) {
  const leftNs = shownNs(board, side, nowNs);
  if (board.limit === "pace") return elapsedText(-leftNs); // what the player has used
  if (!hasFlags(board) && leftNs <= 0) {
    const passed = elapsedText(-leftNs);
    return leftNs > -SECOND_NS ? passed : `-${passed}`;
  }
  return reserveText(leftNs, board.reserves[side].flagged);
}

/** Return the same in whole seconds. */
export function shownSeconds(board, side, nowNs) {
  return Math.abs(wholeSeconds(shownNs(board, side, nowNs)));
}

function shownNs(board, side, nowNs) {
  const { flagged } = board.reserves[side];
  const added = addsBack(board) && !flagged ? delayLeftNs(board, side, nowNs) : 0;
  return reserveLeftNs(board, side, nowNs) + added;
}

/** Return how long a turn has lasted where there is no limit; "" if it is not this side's. */
export function shownTurn(board, side, nowNs) {
  if (board.limit !== "pace" || board.mover !== side || board.turn_ns == null) return "";
  return elapsedText(board.turn_ns + elapsedNs(board, side, nowNs));
}

/** Return a side's delay as its panel shows it: whole seconds, or "" for none. */
export function shownDelay(board, side, nowNs) {
  if (addsBack(board) || board.delay_full_ns === 0) return "";
  return String(wholeSeconds(delayLeftNs(board, side, nowNs)));
}

/** Return the part of the delay that is left, 0 to 1000, in steps of seconds like the number. */
export function delayPermille(board, side, nowNs) {
  const seconds = wholeSeconds(delayLeftNs(board, side, nowNs));
  if (addsBack(board) || !board.delay_full_ns) return 0;
  return Math.min(1000, roundedDown(seconds * SECOND_NS * 1000, board.delay_full_ns));
}

/** Return the next instant at which a time of a board's clock changes; null: none will. */
function clockChange(board, nowNs) {
  if (board.turn === null) return null;
  const { side, since_ns: sinceNs } = board.turn;
  if (nowNs < sinceNs) return sinceNs; // the page's clock is a little behind the hub's
  const delayNs = delayLeftNs(board, side, nowNs);
  const reserveNs = reserveLeftNs(board, side, nowNs);
  if (board.limit === "pace") {
    const turnNs = board.turn_ns + elapsedNs(board, side, nowNs);
    return nowNs + Math.min(nextSecondNs(reserveNs), nextSecondNs(-turnNs));
  }
  if (!delayNs) return reserveNs || !hasFlags(board) ? nowNs + nextChangeNs(reserveNs) : null;
  if (!addsBack(board)) return nowNs + nextSecondNs(delayNs);
  if (board.reserves[side].flagged) return nowNs + delayNs;
  return nowNs + Math.min(delayNs, nextChangeNs(reserveNs + delayNs));
}

/** Return the next instant at which any time shown of a board changes; null: none will. */
export function nextChange(board, nowNs) {
  const counted = [board.until_ns, board.attention_ns, board.certain ? null : board.heard_ns];
  const changes = counted
    .filter((atNs) => atNs !== null)
    .map((atNs) => nowNs + nextSecondNs(atNs - nowNs));
  return changes.reduce(earlier, clockChange(board, nowNs));
}

/** Return the earlier of two instants, either of which may be null. */
export function earlier(one, other) {
  if (one === null || other === null) return one ?? other;
  return Math.min(one, other);
}

/** Return a time of day, "17:00", as the instant nearest to now, in milliseconds; null: none. */
export function instantOf(text, nowMs) {
  if (!text) return null;
  const at = new Date(nowMs);
  at.setHours(...text.split(":").map(Number), 0, 0);
  at.setDate(at.getDate() + Math.round((nowMs - at) / DAY_MS));
  return at.getTime();
}
