// Which boards of the director's offers are shown: by a search, and by what became of the offers.

import { SIDES } from "./board_words.js";
import { byId, element } from "./dom.js";
import { finds } from "./search.js";

export class OfferFilter {
  #say;
  #changed;
  #state = ""; // of the offers whose boards are shown; "": all boards

  /** Call `changed()` when other boards are to be shown. */
  constructor(say, changed) {
    this.#say = say;
    this.#changed = changed;
    byId("search").addEventListener("input", changed);
  }

  /** Whether a board is to be shown. */
  shows(row, board, offer) {
    const players = [...SIDES.map((side) => board?.players[side].name ?? ""), ...row.names];
    const isFound = finds(byId("search").value, row.id, players);
    return isFound && (!this.#state || offer?.state === this.#state);
  }

  /** Show how many offers are in each state; a click shows their boards alone. */
  draw(offers) {
    const counts = new Map();
    for (const { state } of offers) counts.set(state, (counts.get(state) ?? 0) + 1);
    if (!counts.has(this.#state)) this.#state = "";
    const drawn = JSON.stringify([[...counts], this.#state]);
    if (byId("states").dataset.drawn === drawn) return;
    byId("states").dataset.drawn = drawn;
    const focused = document.activeElement?.dataset.state;
    byId("states").replaceChildren(...[...counts].map((each) => this.#button(...each)));
    byId("states").querySelector(`[data-state="${focused}"]`)?.focus();
  }

  #button(state, count) {
    const pressed = String(state === this.#state);
    const attributes = { type: "button", "data-state": state, "aria-pressed": pressed };
    const button = element("button", attributes, `${this.#say(`page_offer_${state}`)}: ${count}`);
    button.addEventListener("click", () => {
      this.#state = state === this.#state ? "" : state;
      this.#changed();
    });
    return button;
  }
}
