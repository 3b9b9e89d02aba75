// A side of a board: what every layout shows of a player.

import { marked, playerName } from "./board_words.js";
import { element, foreign, setAttribute, setText } from "./dom.js";
import { isRunning, shownReserve } from "./time.js";

/** The elements of a side; a layout puts them into its `node`, with those of its own. */
export class Side {
  constructor() {
    this.name = foreign("", { class: "name" });
    this.points = element("span", { class: "points" });
    this.time = element("span", { class: "time" });
    this.bar = element("span", { class: "delay-bar" });
  }

  draw(board, side, nowNs, say) {
    setText(this.name, playerName(board, side, say));
    setText(this.points, String(board.players[side].points));
    setText(this.time, marked(board, shownReserve(board, side, nowNs)));
    setAttribute(this.node, "data-running", String(isRunning(board, side)));
  }
}
