// The boards of other halls: each hall is a line that opens, so that only what is read is drawn.

import { asks, ATTENTION } from "./board_words.js";
import { byId, element, foreign, setAttribute, setText } from "./dom.js";
import { Tiles } from "./tile.js";
import { earlier } from "./time.js";

/** A hall: how many boards it has and what they do, and the boards when it is open. */
class Hall {
  constructor(name, ask) {
    this.count = element("span", { class: "count" });
    this.asks = element("span", { class: "what" });
    const title = element("summary", {}, foreign(name, { class: "name" }), this.count, this.asks);
    this.list = element("ul", { class: "boards", "data-view": "list" });
    this.node = element("details", { class: "hall" }, title, this.list);
    this.tiles = new Tiles(this.list, ATTENTION);
    this.node.addEventListener("toggle", ask);
  }

  /** Draw its boards, if it is open; return when the next time changes. */
  draw(boards, nowNs, say) {
    const asking = boards.filter((board) => asks(board) !== "").length;
    const playing = boards.filter((board) => board.turn !== null).length;
    setText(this.count, say("page_hall_boards", { n: boards.length, playing }));
    setText(this.asks, asking ? say("page_hall_asks", { n: asking }) : "");
    setAttribute(this.node, "data-asks", String(asking > 0));
    return this.node.open ? this.tiles.draw(boards, nowNs, say) : null;
  }
}

/** All halls, in the order of their names; this hub's own boards are one of them. */
export class Halls {
  #halls = new Map();
  #list = byId("halls");
  #searched = false;
  #ask;

  /** `ask` lets the page draw anew. */
  constructor(ask) {
    this.#ask = ask;
  }

  /** Draw boards by hall; what is searched for is opened. Return when the next time changes. */
  draw(boards, nowNs, say, searched) {
    const groups = new Map();
    for (const board of boards) {
      const name = board.hall || say("page_hall_own");
      if (!groups.has(name)) groups.set(name, []);
      groups.get(name).push(board);
    }
    const names = [...groups.keys()].sort((one, other) => one.localeCompare(other));
    for (const [name, hall] of this.#halls) {
      if (groups.has(name)) continue;
      hall.node.remove();
      this.#halls.delete(name);
    }
    const next = names.map((name, at) => this.#place(name, at).draw(groups.get(name), nowNs, say));
    if (searched !== this.#searched) {
      for (const hall of this.#halls.values()) hall.node.open = searched;
      this.#searched = searched;
    }
    return next.reduce(earlier, null);
  }

  #place(name, at) {
    const hall = this.#halls.get(name) ?? new Hall(name, this.#ask);
    if (!this.#halls.has(name)) hall.node.open = this.#searched; // another search has found it
    this.#halls.set(name, hall);
    if (this.#list.children[at] !== hall.node) {
      this.#list.insertBefore(hall.node, this.#list.children[at] ?? null);
    }
    return hall;
  }
}
