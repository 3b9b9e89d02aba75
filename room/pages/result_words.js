// A result in words, for the list of results and for the page of a match.

import { outcomeText, SIDES } from "./board_words.js";
import { elapsedText } from "./time.js";

/** Return a player's name, or the word for their side. */
export function nameOf(result, side, say) {
  return result.players[side] || say(side);
}

/** Return who won and how the match ended, or that it was not finished. */
export function outcome(result, say) {
  if (!result.complete) return say("report_not_finished");
  const winner = SIDES.includes(result.winner) ? nameOf(result, result.winner, say) : "";
  return outcomeText(winner, result.end ? `end_${result.end}` : "", say);
}

/** Return the score with the length: "11-7/11". */
export function resultScore(result) {
  return `${result.score.join("-")}/${result.length}`;
}

/** Return when a match began, as the log's text has it: to the minute. */
export function begunText(result) {
  return (result.begun ?? "").slice(0, 16).replace("T", " ");
}

/** Return how long a match took; "" if that is not known. */
export function durationText(result) {
  return result.duration_ns === null ? "" : elapsedText(result.duration_ns);
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
  ].filter(Boolean);
}

/** Return the day and the round of a result: "2026-05-01 · Round 2". */
export function roundText(result, say) {
  const day = begunText(result).slice(0, 10);
  const round = result.round === null ? say("page_no_round") : say("page_round", { n: result.round });
  return [day, round].filter(Boolean).join(" · ");
}

/** Return lists of results of the same round, the latest round first. */
export function byRound(results) {
  const groups = new Map();
  for (const result of [...results].sort(latestFirst)) {
    const key = `${begunText(result).slice(0, 10)} ${result.round}`;
    groups.set(key, [...(groups.get(key) ?? []), result]);
  }
  return [...groups.values()];
}

function latestFirst(one, other) {
  const [day, otherDay] = [one, other].map((result) => begunText(result).slice(0, 10));
  return (
    otherDay.localeCompare(day) ||
    (other.round ?? 0) - (one.round ?? 0) ||
    begunText(other).localeCompare(begunText(one))
  );
}
