// Times in words, for screen readers: "5 minutes, 2 seconds", where "5:02" is read as a time of day.

import { shownSeconds } from "./time.js";

const HOUR_S = 3600;
const MINUTE_S = 60;
const parts = new Map(); // by unit and language

/** Return a number of hours, minutes or seconds in the page's language. */
function counted(number, unit) {
  const { lang } = document.documentElement;
  const key = `${unit} ${lang}`;
  if (!parts.has(key)) {
    parts.set(key, new Intl.NumberFormat(lang, { style: "unit", unit, unitDisplay: "long" }));
  }
  return parts.get(key).format(number);
}

/** Return whole seconds in words; parts that are 0 are left out, but for the last one. */
function inWords(seconds) {
  const numbers = {
    hour: Math.floor(seconds / HOUR_S),
    minute: Math.floor((seconds % HOUR_S) / MINUTE_S),
    second: seconds % MINUTE_S,
  };
  const said = Object.entries(numbers).filter(([, number]) => number > 0);
  if (said.length === 0) said.push(["second", 0]);
  return said.map(([unit, number]) => counted(number, unit)).join(", ");
}

/** Return a side's reserve in words, with a word if it is uncertain. */
export function spokenTime(board, side, nowNs, say) {
  const time = inWords(shownSeconds(board, side, nowNs));
  return board.certain ? time : say("page_about_time", { time });
}
