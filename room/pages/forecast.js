// When the round is likely to end: one line, and the boards that are likely to be the last.

import { playerName, scoreText } from "./board_words.js";
import { ask } from "./director.js";
import { byId, element, foreign, setAttribute, setText } from "./dom.js";
import { instantOf } from "./time.js";

const EVERY_MS = 10_000;
const STEP_MIN = 5; // nobody can name the minute
const MINUTE_MS = 60_000;
const MOST_NAMED = 5; // boards in a line of text
const BY = "gammonclock.round-by"; // in the browser: when the round should end

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

/** Return how many boards there are, and the names of the first of them. */
function counted(boards) {
  const named = boards.slice(0, MOST_NAMED).join(", ");
  return { n: boards.length, boards: boards.length > MOST_NAMED ? `${named} …` : named };
}

/** The line and the list. */
export class Forecast {
  #say;
  #boards = new Map();
  #known = 0; // boards, when they were taken
  #found = null; // the latest answer

  constructor(say) {
    this.#say = say;
    const by = byId("round-by");
    by.value = sessionStorage.getItem(BY) ?? "";
    by.addEventListener("input", () => {
      sessionStorage.setItem(BY, by.value);
      if (this.#found) this.#draw();
    });
  }

  /** Ask the hub again and again; it tells nobody but the director. */
  async follow() {
    try {
      const first = this.#found === null;
      this.#found = await ask("GET", "/api/1/forecast");
      if (first && sessionStorage.getItem(BY) === null) byId("round-by").value = this.#found.round_by;
      this.#draw();
    } catch (error) {
      byId("round").hidden = true;
      if (!(error instanceof TypeError)) return; // refused; else the hub cannot be reached now
    }
    setTimeout(() => this.follow(), EVERY_MS);
  }

  /** Take the boards as they are drawn, for names and scores. */
  take(boards) {
    const more = boards.size !== this.#known;
    this.#boards = boards;
    this.#known = boards.size;
    if (more && this.#found) this.#draw();
  }

  #draw() {
    const found = this.#found;
    const playing = found.boards.length + found.without.length;
    byId("round").hidden = playing === 0;
    setText(byId("round-end"), this.#end(found, playing));
    setAttribute(byId("round"), "data-late", String(this.#isLate(found.ends)));
    const forecasts = new Map(found.boards.map((each) => [each.board, each]));
    const last = found.last.map((id) => forecasts.get(id));
    const opened = document.querySelectorAll("#round-last details[open]");
    const open = new Set([...opened].map((each) => each.dataset.board));
    byId("round-last").replaceChildren(...last.map((each) => this.#line(each, open)));
  }

  #end({ ends, without, too_far: tooFar, hub_ns: nowNs }, count) {
    const texts = [];
    if (ends !== null) {
      const middle = about(ends.middle_ns, nowNs, Math.round);
      texts.push(this.#say("page_round_ends", { middle, late: about(ends.late_ns, nowNs, Math.ceil) }));
    }
    if (this.#isLate(ends)) texts.push(this.#say("page_round_after", { time: byId("round-by").value }));
    texts.push(this.#say("page_round_plays", { n: count }));
    if (without.length) texts.push(this.#say("page_round_without", counted(without)));
    if (tooFar.length) texts.push(this.#say("page_round_far", counted(tooFar)));
    return texts.join(" · ");
  }

  /** Return whether something may end after the time by which the round should end. */
  #isLate(ends) {
    const limitMs = instantOf(byId("round-by").value, Date.now());
    if (ends === null || limitMs === null) return false;
    return Date.now() + (ends.late_ns - this.#found.hub_ns) / 1e6 > limitMs;
  }

  #line(each, open) {
    const { ends, hub_ns: nowNs } = this.#found;
    const board = this.#boards.get(each.board);
    const times = this.#say("page_round_board", {
      board: each.board,
      score: board ? scoreText(board) : "?",
      early: about(each.ends.early_ns, nowNs, Math.floor),
      late: about(each.ends.late_ns, nowNs, Math.ceil),
    });
    const after = this.#isLate(each.ends)
      ? `${this.#say("page_round_after", { time: byId("round-by").value })}.`
      : "";
    const reasons = board ? [this.#long(each.long), this.#slow(each, board)] : [];
    const text = foreign([times, after, ...reasons].filter(Boolean).join(" "), { class: "said" });
    const line = element("li", {}, bar(each.ends, ends, nowNs), text);
    setAttribute(line, "data-late", String(Boolean(after)));
    if (board) line.append(this.#evidence(each, board, open.has(each.board)));
    return line;
  }

  #long(long) {
    return long === null ? "" : this.#say("page_round_long", long);
  }

  #slow({ slow, sides }, board) {
    const played = sides.find(({ side }) => side === slow);
    return played ? this.#say("page_round_slow", this.#turns(played, board)) : "";
  }

  /** Return how long the turns of both sides have been, folded. */
  #evidence({ board: id, sides }, board, isOpen) {
    const lines = sides.map((each) => this.#say("page_round_side", this.#turns(each, board)));
    const text = lines.length ? lines.join("\n") : this.#say("page_round_few");
    const summary = element("summary", {}, this.#say("page_round_turns"));
    const folded = element("details", { "data-board": id }, summary, foreign(text));
    folded.open = isOpen;
    return folded;
  }

  #turns({ side, turns, mean_ms: mean, middle_ms: middle, share }, board) {
    const { room } = this.#found;
    return {
      name: playerName(board, side, this.#say),
      turns,
      mean: secondsText(mean),
      middle: secondsText(middle),
      room_mean: secondsText(room.mean_ms),
      room_middle: secondsText(room.middle_ms),
      percent: Math.round(share * 100),
    };
  }
}

/** Return a bar from now to the late time, with a tick at the middle one; its text says the same. */
function bar(ends, round, nowNs) {
  const percent = (ns, wholeNs) => `${Math.min(100, ((ns - nowNs) / (wholeNs - nowNs)) * 100)}%`;
  const tick = element("span", { class: "tick" });
  const made = element("span", { class: "until", "aria-hidden": "true" }, tick);
  made.style.setProperty("--until", percent(ends.late_ns, round.late_ns));
  made.style.setProperty("--middle", percent(ends.middle_ns, ends.late_ns));
  return made;
}
