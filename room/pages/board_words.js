// What a board says in words: its state, its score and why it asks for the director.

import { clockText, delayLeftNs, elapsedText, SECOND_NS, shownTurn } from "./time.js";

export const SIDES = ["left", "right"];
// In order of importance, as the hub sends them.
export const ATTENTION = [
  "call",
  "flag",
  "late",
  "low",
  "claimed",
  "twice",
  "fault",
  "damaged",
  "not_heard",
  "settings",
];
const PHASES = {
  REVIEW: "review",
  READY: "ready",
  STOPPED: "stopped",
  FREE_TURN: "free_turn",
  GAME_OVER: "game_over",
  BREAK: "break",
  NO_CLOCK: "no_clock",
  PUT_ASIDE: "put_aside",
  UNKNOWN: "page_unknown",
};
const MINUTE_NS = 60 * SECOND_NS;

/** Return a player's name, or the word for their side. */
export function playerName(board, side, say) {
  return board.players[side].name || say(side);
}

/** Return the score as on the panels: "3-5/11", with "C" in the Crawford game. */
export function scoreText(board) {
  return `${SIDES.map((side) => board.players[side].points).join("-")}/${pointsText(board)}`;
}

/** Return the match's length to stand beside the points: "/11", after the legs of a best of three. */
export function lengthText(board) {
  const legs = board.best_of_three ? `${board.legs.join("-")} · ` : "";
  return `${legs}/${pointsText(board)}`;
}

/** Return the same in words: "11 points", and whether this is the Crawford game. */
function lengthWords(board, say) {
  const legs = board.best_of_three ? `${say("matches", { score: board.legs.join("-") })}, ` : "";
  const crawford = board.crawford === "now" ? `, ${say("crawford_game")}` : "";
  return `${legs}${say("points", { points: board.length })}${crawford}`;
}

/** Return the same, and whether the match has no limit or is for practice. */
export function lengthWithLimit(board, say) {
  return [lengthWords(board, say), limitText(board, say)].filter(Boolean).join(" · ");
}

function pointsText(board) {
  return board.crawford === "now" ? `${board.length} C` : String(board.length);
}

/**
 * Return who won a match and how it ended.
 *
 * `winner` is a name, or "" if nobody won; `end` is how it ended, as a key. Without either the log is
 * damaged, and says only that the match is over.
 */
export function outcomeText(winner, end, say) {
  if (!winner && !end) return say("finished");
  const who = winner ? say("report_wins", { player: winner }) : say("report_no_winner");
  return [who, end && say(end)].filter(Boolean).join(", ");
}

/** Return the outcome of a board's match; "" while it is not over. */
export function boardOutcome(board, say) {
  if (board.state !== "FINISHED") return "";
  const winner = board.winner ? playerName(board, board.winner, say) : "";
  return outcomeText(winner, board.says[1], say);
}

/** Return the mark of a side's fallen flag; "" if it has not fallen. */
export function flagText(board, side, say) {
  const { flagged, flag } = board.reserves[side];
  return flagged ? say("flag_mark", { order: flag ?? "" }).trim() : "";
}

/** Return the word beside a side's delay; "" if there is none. */
export function noteText(board, side, nowNs, say) {
  const { note } = board.reserves[side];
  if (!note || (note === "wait" && !delayLeftNs(board, side, nowNs))) return "";
  return say(note);
}

/** Return a time, marked if it is not certain. */
export function marked(board, text) {
  return board.certain ? text : `~${text}`;
}

/** Return what a board does, in a few words. */
export function stateText(board, nowNs, say) {
  if (board.state === "RUNNING" && board.turn !== null) {
    if (board.limit === "pace") return say("used_in_all");
    return say(delayLeftNs(board, board.turn.side, nowNs) ? "delay_runs" : "time_runs");
  }
  if (board.until_ns !== null) return waitText(board, nowNs, say);
  if (board.state === "FINISHED") return boardOutcome(board, say);
  return board.says.length ? say(board.says[0]) : say(PHASES[board.state] ?? board.state);
}

/** Return the time of the turn on the clock, where there is no limit: "1:36 this turn". */
export function turnText(board, nowNs, say) {
  const time = board.mover && shownTurn(board, board.mover, nowNs);
  return time ? `${time} ${say("this_turn")}` : "";
}

/** Return the second line of what the panels say, such as the reason of a stop; "" for none. */
export function detailText(board, say) {
  return board.says.length > 1 && board.state !== "FINISHED" ? say(board.says[1]) : "";
}

/** Return how long a break lasts, or since when a player is late. */
function waitText(board, nowNs, say) {
  const leftNs = board.until_ns - nowNs;
  if (board.state !== "BREAK") return say("late_since", { time: elapsedText(Math.max(0, -leftNs)) });
  if (leftNs > 0) return `${say("break")} ${clockText(leftNs)}`;
  return say("break_over", { time: elapsedText(-leftNs) });
}

/** Return since when a board has not been heard. */
function notHeardText(board, nowNs, say) {
  const silentNs = Math.max(0, nowNs - board.heard_ns);
  const seconds = Math.floor(silentNs / SECOND_NS);
  const time = silentNs < MINUTE_NS ? `${seconds} s` : elapsedText(silentNs);
  return say("page_not_heard_for", { time });
}

/** Return the kind of attention that a board asks for first; "" for none. */
export function attention(board) {
  return board.attention[0] ?? "";
}

/** Return the kind of attention for which a board needs the director; "" for none: low time needs nobody. */
export function asks(board) {
  return board.attention.find((kind) => kind !== "low") ?? "";
}

/** Return why a board asks for attention, in a few words. */
export function attentionText(board, kind, nowNs, say) {
  switch (kind) {
    case "call":
      return say("call_director");
    case "flag":
      return SIDES.map((side) => flagText(board, side, say)).filter(Boolean).join(", ");
    case "late":
      return board.until_ns === null ? say("page_late") : waitText(board, nowNs, say);
    case "not_heard":
      return notHeardText(board, nowNs, say);
    case "claimed":
      return say(board.conflicts[0]?.what === "clock" ? "page_copied" : "page_claimed");
    default:
      return say(`page_${kind}`);
  }
}

/** Return the details of an attention, as texts of the clock; "" for none. */
export function attentionDetail(board, kind, say) {
  switch (kind) {
    case "call":
      return detailText(board, say);
    case "claimed":
      return contendersText(board.conflicts.slice(1), say);
    case "twice":
      return board.rivals.join(", ");
    case "fault":
      return board.faults.join(", ");
    case "damaged":
      return board.damage ?? "";
    case "settings":
      return `${board.settings_code} ≠ ${board.settings_expected}`;
    case "late":
      return board.late ? playerName(board, board.late, say) : "";
    case "flag":
      return SIDES.filter((side) => board.reserves[side].flagged)
        .map((side) => playerName(board, side, say))
        .join(", ");
    default:
      return "";
  }
}

/** Return who is in conflict over something, and since what time of the day. */
function contendersText(conflicts, say) {
  const time = (since) => since.slice("2026-05-01T".length, "2026-05-01T10:00".length);
  return conflicts.map((each) => contenderText(each, time, say)).join(", ");
}

/** Return a source, and since when it has sent something; `shown` makes a text of the instant. */
export function contenderText({ source, since }, shown, say) {
  return since ? say("page_since", { who: source, time: shown(since) }) : source;
}

/** Return who says to have a board or its match, if several do; else "". */
export function conflictsText(board, say) {
  const [first] = board.conflicts;
  if (first === undefined) return "";
  return say(`page_conflict_${first.what}`, { who: contendersText(board.conflicts, say) });
}

/** Return as which other logs a match that was resumed twice goes on; else "". */
export function twiceText({ rivals = [] }, say) {
  return rivals.length ? say("page_taken_up_twice", { logs: rivals.join(", ") }) : "";
}

/** Return what must be known of a match to read its times: no limit, or practice; else "". */
export function limitText({ limit }, say) {
  const words = { pace: "no_limit", practice: "practice" };
  return words[limit] ? say(words[limit]) : "";
}

/** Compares names with the numbers in them as numbers: round 10 comes after round 9. */
export const NAMES = new Intl.Collator("en", { numeric: true });

/**
 * Compare two places: by hall, then by name. A clock without a board is called by its own number, which
 * is no number of a board: it comes after them.
 */
export function byPlace(one, other) {
  return (
    NAMES.compare(one.hall, other.hall) ||
    Number(one.isClock) - Number(other.isClock) ||
    NAMES.compare(one.name, other.name)
  );
}

/** Return the boards that the director has not taken out of the room. */
export function inRoom(boards) {
  return [...boards].filter((board) => !board.taken_out);
}

/** Compare two boards by their halls and names. */
export function byName(one, other) {
  return byPlace(placeOf(one), placeOf(other));
}

function placeOf({ id, hall, board, clock }) {
  return { hall: hall ?? "", isClock: !board && Boolean(clock) && id.includes(clock), name: id };
}

/** Compare two boards by what they ask for, then by how long they have been asking. */
export function byAttention(one, other) {
  return (
    ATTENTION.indexOf(asks(one)) - ATTENTION.indexOf(asks(other)) ||
    (one.attention_ns ?? 0) - (other.attention_ns ?? 0) ||
    byName(one, other)
  );
}
