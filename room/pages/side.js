// A side of a board: what every layout shows of a player.

import { marked, playerName } from "./board_words.js";
import { element, foreign, setAttribute, setText } from "./dom.js";
import { spokenTime } from "./spoken_time.js";
import { isRunning, shownReserve } from "./time.js";

// From so many characters on a name is long: smaller, and on several lines.
const LONG = { very: 21, long: 13, some: 9 };

/** The elements of a side; a layout puts them into its `node`, with those of its own. */
export class Side {
  constructor() {
    this.name = foreign("", { class: "name" });
    this.points = element("span", { class: "points" });
    this.time = element("span", { class: "time", role: "timer" });
    this.runs = element("span", { class: "unseen" }); // colours say it to who sees them
    this.bar = element("span", { class: "delay-bar" });
  }

  draw(board, side, nowNs, say) {
    const name = playerName(board, side, say);
    setText(this.name, name);
    setAttribute(this.name, "data-long", howLong(name));
    this.name.style.setProperty("--letters", name.length);
    setText(this.points, String(board.players[side].points));
    const runs = isRunning(board, side);
    setText(this.time, marked(board, shownReserve(board, side, nowNs)));
    setAttribute(this.time, "aria-label", spokenTime(board, side, nowNs, say));
    setText(this.runs, runs ? say("page_runs") : "");
    setAttribute(this.node, "data-running", String(runs));
  }
}

function howLong(name) {
  return Object.keys(LONG).find((kind) => name.length >= LONG[kind]) ?? "";
}
