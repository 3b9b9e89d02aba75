// When the round is likely to end: one line, and the boards that are likely to be the last.

import { playerName, scoreText } from "./board_words.js";
import { ask } from "./director.js";
import { byId, element, foreign, setText } from "./dom.js";

const EVERY_MS = 10_000;
const STEP_MIN = 5; // nobody can name the minute
const MINUTE_MS = 60_000;

/** Return an instant of the hub as wall time, rounded to five minutes. */
function about(hubNs, nowNs, round) {
  const stepMs = STEP_MIN * MINUTE_MS;
  const at = new Date(round((Date.now() + (hubNs - nowNs) / 1e6) / stepMs) * stepMs);
  return `${at.getHours()}:${String(at.getMinutes()).padStart(2, "0")}`;
}

/** Return a duration in seconds, with a digit after the point where it is short. */
function secondsText(milliseconds) {
  return (milliseconds / 1000).toFixed(milliseconds < 9950 ? 1 : 0);
}

/** The line and the list. */
export class Forecast {
  #say;
  #boards = new Map();
  #found = null; // the latest answer

  constructor(say) {
    this.#say = say;
  }

  /** Ask the hub again and again; it tells nobody but the director. */
  async follow() {
    try {
      this.#found = await ask("GET", "/api/forecast");
      this.#draw();
    } catch (error) {
      byId("round").hidden = true;
      if (!(error instanceof TypeError)) return; // refused; else the hub cannot be reached now
    }
    setTimeout(() => this.follow(), EVERY_MS);
  }

  /** Take the boards as they are drawn, for names and scores. */
  take(boards) {
    const first = this.#boards.size === 0;
    this.#boards = boards;
    if (first && this.#found) this.#draw();
  }

  #draw() {
    const found = this.#found;
    const playing = found.boards.length + found.without.length;
    byId("round").hidden = playing === 0;
    setText(byId("round-end"), this.#end(found, playing));
    const forecasts = new Map(found.boards.map((each) => [each.board, each]));
    const last = found.last.map((id) => forecasts.get(id));
    byId("round-last").replaceChildren(...last.map((each) => this.#line(each, found)));
  }

  #end({ ends, without, hub_ns: nowNs }, count) {
    const texts = [];
    if (ends !== null) {
      const middle = about(ends.middle_ns, nowNs, Math.round);
      texts.push(this.#say("page_round_ends", { middle, late: about(ends.late_ns, nowNs, Math.ceil) }));
    }
    texts.push(this.#say("page_round_plays", { n: count }));
    if (without.length) texts.push(this.#say("page_round_without", { boards: without.join(", ") }));
    return texts.join(" · ");
  }

  #line(each, { ends, hub_ns: nowNs }) {
    const board = this.#boards.get(each.board);
    const times = this.#say("page_round_board", {
      board: each.board,
      early: about(each.ends.early_ns, nowNs, Math.floor),
      late: about(each.ends.late_ns, nowNs, Math.ceil),
    });
    const reasons = board ? [this.#long(each.long, board), this.#slow(each.slow, board)] : [];
    return element("li", {}, bar(each.ends, ends, nowNs), foreign([times, ...reasons].filter(Boolean).join(" ")));
  }

  #long(long, board) {
    if (long === null) return "";
    const numbers = { turns: long.turns, in_all: long.in_all, others: long.others };
    const score = scoreText(board);
    return this.#say("page_round_long", { score, ...numbers });
  }

  #slow(slow, board) {
    if (slow === null) return "";
    return this.#say("page_round_slow", {
      name: playerName(board, slow.side, this.#say),
      turns: slow.turns,
      mean: secondsText(slow.mean_ms),
      middle: secondsText(slow.middle_ms),
      room_mean: secondsText(slow.room_mean_ms),
      room_middle: secondsText(slow.room_middle_ms),
    });
  }
}

/** Return a bar from now to the late time, with a tick at the middle one; its text says the same. */
function bar(ends, round, nowNs) {
  const percent = (ns, wholeNs) => `${Math.min(100, ((ns - nowNs) / (wholeNs - nowNs)) * 100)}%`;
  const tick = element("span", { class: "tick" });
  const made = element("span", { class: "until", "aria-hidden": "true" }, tick);
  made.style.setProperty("--late", percent(ends.late_ns, round.late_ns));
  made.style.setProperty("--middle", percent(ends.middle_ns, ends.late_ns));
  return made;
}
