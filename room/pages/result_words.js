// A result in words, for the list of results and for the page of a match.

import { SIDES } from "./board_words.js";
import { elapsedText } from "./time.js";

/** Return a player's name, or the word for their side. */
export function nameOf(result, side, say) {
  return result.players[side] || say(side);
}

/** Return who won: a name, or "" if nobody has. */
export function winnerText(result, say) {
  return SIDES.includes(result.winner) ? nameOf(result, result.winner, say) : "";
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
    !result.complete && say("page_incomplete"),
    result.forks && say("page_forks"),
  ].filter(Boolean);
}
