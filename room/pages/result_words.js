// A result in words, for the list of results and for the page of a match.

import { byPlace, contenderText, NAMES, outcomeText, SIDES } from "./board_words.js";
import { elapsedText } from "./time.js";

const SIMULATED = "00000000"; // what each clock without a box of its own calls itself, as in Python

/** Return a player's name, or the word for their side. */
export function nameOf(result, side, say) {
  return result.players[side] || say(side);
}

/** Return who won and how the match ended, or that it was not finished. */
export function outcome(result, say) {
  if (result.put_aside) return say("put_aside");
  if (!result.complete) return say("report_not_finished");
  const winner = SIDES.includes(result.winner) ? nameOf(result, result.winner, say) : "";
  return outcomeText(winner, result.end ? `end_${result.end}` : "", say);
}

/** Return the score with the length: "11-7/11"; after the matches won, if it is a best of three. */
export function resultScore(result) {
  const score = `${result.score.join("-")}/${result.length}`;
  return result.best_of_three ? `${result.legs.join("-")} (${score})` : score;
}

/** Return an instant of a log to the minute. */
function minute(text) {
  return text.slice(0, "2026-05-01T10:00".length).replace("T", " ");
}

/** Return the address of a match's page, with its source if several sent the match. */
export function matchPath({ match, source, conflicts }) {
  const path = `/match/${encodeURIComponent(match)}`;
  return conflicts.length ? `${path}?source=${encodeURIComponent(source)}` : path;
}

/** Return who sent a result, if that is not clear: other logs of the match, and other boards. */
function conflictRemarks({ conflicts, source, board, assigned }, say) {
  const [own, ...others] = conflicts;
  const told = (word, given) =>
    given.length > 0 &&
    say(word, { who: given.map((each) => contenderText(each, minute, say)).join(", ") });
  return [
    told("page_sent_by", own ? [own] : []),
    told("page_log_differs", others.filter((each) => !each.agrees)),
    told("page_log_same", others.filter((each) => each.agrees)),
    board && assigned && assigned !== board && say("page_stranger", { who: source, board: assigned }),
  ];
}

/** Return of which logs a match is, and which are missing, go on twice or are not joined with it. */
function logRemarks({ logs = [], missing, rivals = [], clocks = [], apart = [] }, say) {
  return [
    ...apart.map(({ match, source, is_earlier }) =>
      say(is_earlier ? "page_apart_earlier" : "page_apart_later", { log: match, who: source }),
    ),
    clocks.length > 0 && say("page_clocks", { who: clocks.join(", ") }),
    logs.length > 1 && say("page_logs", { logs: logs.join(", ") }),
    missing && say("page_log_missing", { log: missing }),
    rivals.length > 0 && say("page_taken_up_twice", { logs: rivals.join(", ") }),
  ];
}

/** Return when a match began, as the log's text has it: to the minute. */
export function begunText(result) {
  return minute(result.begun);
}

/** Return how long a match took; "" if that is not known. */
export function durationText(result) {
  return result.begun ? elapsedText(result.duration_ns) : "";
}

/** Return what a reader must know of a result beside the score, as texts. */
export function remarks(result, say) {
  const flagged = result.flags.map((side) => nameOf(result, side, say)).join(", ");
  return [
    flagged && `${say("report_flags")}: ${flagged}`,
    result.restorations && `${say("report_restarts")}: ${result.restorations}`,
    result.corrections && say("page_corrections", { n: result.corrections }),
    result.forks && say("page_forks"),
    result.damage && say("page_damaged"),
    result.practice && say("practice"),
    ...logRemarks(result, say),
    ...conflictRemarks(result, say),
  ].filter(Boolean);
}

/** Return whether a result needs a look at the score sheet. */
export function isDoubted(result) {
  const { forks, damage, conflicts, board, assigned, missing, rivals = [], apart = [] } = result;
  const isStranger = board && assigned && assigned !== board;
  const isTwice = missing || rivals.length > 0 || apart.length > 0;
  return Boolean(forks || damage || isStranger || isTwice || conflicts.some((each) => !each.agrees));
}

/** Return the day of a round; none of one that an event has once, whatever the clocks' dates are. */
function dayOfRound({ named_round, event, day }) {
  return named_round && event ? "" : day;
}

/** Return the day and the round of a result: "2026-05-01 · Round 2", or as the settings name it;
 *  the event's name before a round that the event has once, if there are several events. */
export function roundText(result, say, withEvent = false) {
  const day = dayOfRound(result);
  const event = withEvent && result.named_round ? result.event : "";
  const counted = result.round === null ? "" : say("report_round", { n: result.round });
  const round = result.named_round || counted || say("page_no_round");
  return [day, event, round].filter(Boolean).join(" · ");
}

/** Return where a match was played: the board, after its hall if that is another one. */
export function placeText({ hall, board, clock }, say) {
  const name = board || (clock === SIMULATED ? say("page_simulated") : clock);
  return [hall, name].filter(Boolean).join(" · ");
}

function placeOf({ hall, board, clock }) {
  return { hall: hall ?? "", isClock: !board, name: board || clock };
}

/** How the results of a round can be sorted; what is equal stands in the order of the time. */
export const ORDERS = {
  board: (one, other) => byPlace(placeOf(one), placeOf(other)),
  latest: () => 0,
  player: (one, other) => NAMES.compare(one.players.left ?? "", other.players.left ?? ""),
};

/** Return lists of results of the same round, the latest round first. */
export function byRound(results, order = ORDERS.board) {
  const groups = new Map();
  for (const result of [...results].sort(latestFirst)) {
    const round = result.named_round ? [result.event, result.named_round] : [result.round];
    const key = [dayOfRound(result), ...round].join("\n");
    groups.set(key, [...(groups.get(key) ?? []), result]);
  }
  return [...groups.values()].map((of) => of.sort(order));
}

function latestFirst(one, other) {
  const [begun, otherBegun] = [one, other].map((result) => Date.parse(result.begun) || 0);
  return (
    other.day.localeCompare(one.day) ||
    (other.round ?? 0) - (one.round ?? 0) ||
    otherBegun - begun
  );
}
