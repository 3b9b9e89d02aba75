// A board as a tile, or as a line of a list: who plays, both times, the score, what it asks for.

import {
  attention,
  attentionText,
  boardOutcome,
  flagText,
  lengthText,
  limitText,
  SIDES,
  stateText,
  turnText,
} from "./board_words.js";
import { element, foreign, setAttribute, setScale, setText } from "./dom.js";
import { Side } from "./side.js";
import { delayPermille, earlier, isRunning, nextChange } from "./time.js";
import { link } from "./words.js";

const LONGEST = 5; // characters that a time's box holds in full size
const SILENT = ["RUNNING", "FINISHED"]; // what the head of a tile does not say: its rows do
const LONGEST_OUTCOME = 30; // characters of who won and how in full size
const LONGEST_ID = 4; // characters of a board's name in full size: the id of a clock has 8

/** Return an element with a board's name; long names are smaller. */
export function nameTag(board) {
  return foreign(board.id, { class: "id", "data-long": String(board.id.length > LONGEST_ID) });
}

class Row extends Side {
  constructor() {
    super();
    this.flag = element("span", { class: "flag", role: "img" });
    const parts = [this.points, this.name, this.runs, this.flag, this.time, this.bar];
    this.node = element("span", { class: "row" }, ...parts);
  }

  draw(board, side, nowNs, say) {
    super.draw(board, side, nowNs, say);
    this.#drawFlag(board.reserves[side], flagText(board, side, say));
    setAttribute(this.time, "data-long", String(this.time.textContent.length > LONGEST));
    setScale(this.bar, isRunning(board, side) ? delayPermille(board, side, nowNs) : 0);
  }

  /** Show a fallen flag as a sign, which leaves room for the name. */
  #drawFlag({ flagged, flag }, text) {
    this.flag.hidden = !flagged;
    setText(this.flag, flagged ? `⚑${flag ?? ""}` : "");
    setAttribute(this.flag, "aria-label", text);
  }
}

/** A tile's elements. */
class Tile {
  #rows = { left: new Row(), right: new Row() };
  #kinds;
  #board = null;
  #drawnNs = 0;
  #nextNs = null;

  /** `kinds` are the kinds of attention that this page shows. */
  constructor(board, kinds) {
    this.#kinds = kinds;
    this.id = nameTag(board);
    this.length = element("span", { class: "length" });
    this.state = element("span", { class: "state" });
    const head = element("span", { class: "head" }, this.id, this.length, this.state);
    const address = link(`/board/${encodeURIComponent(board.id)}`);
    const rows = SIDES.map((side) => this.#rows[side].node);
    this.outcome = foreign("", { class: "how" });
    this.result = element("span", { class: "result" }, this.outcome);
    this.link = element("a", { href: address }, head, ...rows, this.result);
    this.node = element("li", { class: "tile" }, this.link);
  }

  /** Draw the board if it or a time of it has changed; return when the next time changes. */
  draw(board, nowNs, say) {
    const same = board === this.#board && nowNs >= this.#drawnNs;
    if (same && (this.#nextNs === null || nowNs < this.#nextNs)) return this.#nextNs;
    this.#drawNow(board, nowNs, say);
    this.#board = board;
    this.#drawnNs = nowNs;
    this.#nextNs = nextChange(board, nowNs);
    return this.#nextNs;
  }

  #drawNow(board, nowNs, say) {
    const asked = attention(board);
    const kind = this.#kinds.includes(asked) ? asked : "";
    const isSilent = SILENT.includes(board.state);
    const idle = isSilent ? turnText(board, nowNs, say) : stateText(board, nowNs, say);
    const state = kind ? attentionText(board, kind, nowNs, say) : idle;
    setAttribute(this.node, "data-attention", kind);
    setAttribute(this.node, "data-state", board.state);
    setAttribute(this.node, "data-certain", String(board.certain));
    setText(this.length, lengthText(board));
    setAttribute(this.length, "data-long", String(board.best_of_three));
    setText(this.state, state);
    const twice = board.rivals?.length && kind !== "twice" ? say("page_twice") : "";
    const remarks = [boardOutcome(board, say), limitText(board, say), twice];
    const outcome = remarks.filter(Boolean).join(" · ");
    this.result.hidden = !outcome;
    setAttribute(this.node, "data-remark", String(Boolean(outcome)));
    setText(this.outcome, outcome);
    setAttribute(this.outcome, "data-long", String(outcome.length > LONGEST_OUTCOME));
    for (const side of SIDES) {
      const { node } = this.#rows[side];
      this.#rows[side].draw(board, side, nowNs, say);
      setAttribute(node, "data-winner", String(board.state === "FINISHED" && board.winner === side));
    }
  }
}

/** The tiles of a list of boards. */
export class Tiles {
  #tiles = new Map();
  #list;
  #kinds;

  constructor(list, kinds) {
    this.#list = list;
    this.#kinds = kinds;
  }

  /** Draw these boards in this order, and no others; return when the next time changes. */
  draw(boards, nowNs, say) {
    if (!this.#isPlaced(boards)) this.#place(boards);
    const next = boards.map((board) => this.#tiles.get(board.id).draw(board, nowNs, say));
    return next.reduce(earlier, null);
  }

  #isPlaced(boards) {
    const placed = [...this.#tiles.keys()];
    return placed.length === boards.length && boards.every(({ id }, at) => id === placed[at]);
  }

  /** Move only what stands elsewhere: moving an element takes the keyboard's focus from it. */
  #place(boards) {
    const before = this.#tiles;
    const tileOf = (board) => before.get(board.id) ?? new Tile(board, this.#kinds);
    this.#tiles = new Map(boards.map((board) => [board.id, tileOf(board)]));
    for (const [id, tile] of before) if (!this.#tiles.has(id)) tile.node.remove();
    let next = this.#list.firstElementChild;
    for (const { node } of this.#tiles.values()) {
      if (node === next) next = next.nextElementSibling;
      else this.#list.insertBefore(node, next);
    }
  }
}
