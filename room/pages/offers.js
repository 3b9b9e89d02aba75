// The director's offers of the next match: to which boards, who plays, and what became of them.

import { byName, playerName, scoreText, SIDES, stateText } from "./board_words.js";
import { ask } from "./director.js";
import { byId, cell, element, foreign, setAttribute, setText } from "./dom.js";
import { follow } from "./page.js";
import { earlier, nextChange } from "./time.js";
import { loadWords } from "./words.js";

const LONGEST_NAME = 40; // characters; the panels shorten them
const WITHDRAWABLE = ["waiting", "sent"];
const PENDING = [...WITHDRAWABLE, "shown"];
const BY = "gammonclock.by"; // in the browser: who offers

/** A line of the table: a board. */
class Row {
  #names = {};

  constructor(id, say, withdraw) {
    this.id = id;
    this.chosen = element("input", {
      type: "checkbox",
      "aria-label": say("page_board", { board: id }),
    });
    this.now = foreign();
    this.state = foreign();
    this.withdraw = element("button", { type: "button", hidden: "" }, say("page_offer_withdraw"));
    this.withdraw.addEventListener("click", () => withdraw(id));
    for (const side of SIDES) {
      const label = say("page_offer_player", { side: say(side), board: id });
      const attributes = { maxlength: LONGEST_NAME, autocomplete: "off", "aria-label": label };
      this.#names[side] = element("input", { ...attributes, placeholder: say(side) });
    }
    this.node = element(
      "tr",
      { role: "row" },
      cell("", this.chosen),
      element("th", { scope: "row", role: "rowheader" }, foreign(id)),
      cell("now", this.now),
      ...SIDES.map((side) => cell("name", this.#names[side])),
      cell("state", this.state),
      cell("", this.withdraw),
    );
  }

  /** Put the players of a pairing list into the line, and choose it. */
  fill(names) {
    SIDES.forEach((side, index) => (this.#names[side].value = names[index]));
    this.chosen.checked = true;
  }

  /** Return what is wanted for this board; without names those of the clock's file stay. */
  get wanted() {
    const names = SIDES.map((side) => this.#names[side].value.trim());
    return names.every(Boolean) ? { board: this.id, names } : { board: this.id };
  }

  /** Whether one player is named and the other is not. */
  get isHalf() {
    const names = SIDES.map((side) => this.#names[side].value.trim());
    return names.some(Boolean) && !names.every(Boolean);
  }

  draw(board, offer, nowNs, say) {
    const names = SIDES.map((side) => playerName(board, side, say)).join(" – ");
    const plays = board.state === "RUNNING";
    const now = plays ? say("page_playing") : stateText(board, nowNs, say);
    setText(this.now, [now, scoreText(board), names].join(" · "));
    setAttribute(this.node, "data-offer", offer?.state ?? "");
    const state = offer ? withBy(say(`page_offer_${offer.state}`), offer) : "";
    setText(this.state, offer?.why ? `${state}: ${offer.why}` : state);
    this.withdraw.hidden = !WITHDRAWABLE.includes(offer?.state);
  }
}

/** Return a text with who made an offer, if that was said. */
function withBy(text, { by }) {
  return by ? `${text} (${by})` : text;
}

class OffersPage {
  #say;
  #rows = new Map(); // by the ids of the boards
  #offers = new Map(); // the latest offer of each board
  #names = []; // of the boards that take offers

  constructor(say) {
    this.#say = say;
    document.title = say("page_offers");
    byId("by").value = localStorage.getItem(BY) ?? "";
    byId("by").addEventListener("input", () => localStorage.setItem(BY, byId("by").value));
    byId("form").addEventListener("input", () => this.#count());
    byId("form").addEventListener("submit", (event) => this.#send(event));
    byId("all").addEventListener("input", (event) => this.#choose(event.target.checked));
    byId("list").addEventListener("change", (event) => this.#read(event.target.files[0]));
  }

  /** Take what the hub has; without the director's token it says why there is nothing. */
  async load() {
    try {
      this.#take(await ask("GET", "/api/offers"));
    } catch (error) {
      setText(byId("none"), error.message);
      return;
    }
    byId("none").hidden = true;
    byId("form").hidden = false;
    this.#count();
  }

  #take(found) {
    this.#names = found.boards;
    for (const offer of found.offers) this.offer(offer);
    const profile = byId("form").elements.profile;
    if (profile.options.length > 1) return;
    profile.append(...found.profiles.map((name) => element("option", { value: name }, name)));
  }

  offer(offer) {
    this.#offers.set(offer.board, offer);
  }

  forget() {
    this.#offers.clear();
    this.load();
  }

  draw(boards, nowNs) {
    const ids = new Set(this.#names);
    const shown = [...boards.values()].filter((board) => ids.has(board.id)).sort(byName);
    for (const [id, row] of this.#rows) {
      if (boards.has(id)) continue;
      row.node.remove();
      this.#rows.delete(id);
    }
    shown.forEach((board, index) => this.#row(board.id, index));
    for (const board of shown) {
      this.#rows.get(board.id).draw(board, this.#offers.get(board.id), nowNs, this.#say);
    }
    return shown.map((board) => nextChange(board, nowNs)).reduce(earlier, null);
  }

  #row(id, index) {
    if (!this.#rows.has(id)) {
      this.#rows.set(id, new Row(id, this.#say, (board) => this.#withdraw(board)));
      this.#count();
    }
    const { node } = this.#rows.get(id);
    const rows = byId("rows");
    if (rows.children[index] !== node) rows.insertBefore(node, rows.children[index] ?? null);
  }

  get #chosen() {
    return [...this.#rows.values()].filter((row) => row.chosen.checked);
  }

  #choose(checked) {
    for (const row of this.#rows.values()) row.chosen.checked = checked;
    this.#count();
  }

  #count() {
    const { length } = this.#chosen;
    setText(byId("send"), this.#say("page_offer_send", { n: length }));
    byId("send").disabled = length === 0;
    byId("all").checked = length > 0 && length === this.#rows.size;
    byId("all").indeterminate = length > 0 && length < this.#rows.size;
  }

  /** Return what the same is for all boards: the fields that are not empty. */
  #match() {
    const given = [...new FormData(byId("form"))].filter(([, value]) => value.trim());
    const match = Object.fromEntries(given.map(([name, value]) => [name, value.trim()]));
    return match.length ? { ...match, length: Number(match.length) } : match;
  }

  async #send(event) {
    event.preventDefault();
    const rows = this.#chosen;
    const half = rows.filter((row) => row.isHalf).map((row) => row.id);
    if (half.length) {
      this.#complain(half.map((board) => this.#say("page_offer_half", { board })));
      return;
    }
    const pending = rows
      .map((row) => this.#offers.get(row.id))
      .filter((offer) => PENDING.includes(offer?.state));
    const boards = pending.map((offer) => withBy(offer.board, offer)).join(", ");
    if (pending.length && !confirm(this.#say("page_offer_replace", { boards }))) return;
    const wanted = {
      match: this.#match(),
      boards: rows.map((row) => row.wanted),
      by: byId("by").value.trim(),
      replaces: pending.map((offer) => offer.offer),
    };
    await this.#do(() => ask("POST", "/api/offers", JSON.stringify(wanted)), () => {
      this.#choose(false);
      setText(byId("said"), this.#say("page_offer_made", { n: rows.length }));
    });
  }

  async #withdraw(board) {
    await this.#do(() => ask("DELETE", `/api/offers/${encodeURIComponent(board)}`));
  }

  async #do(asked, done = () => {}) {
    setText(byId("said"), "");
    this.#complain([]);
    try {
      this.#take(await asked());
      done();
    } catch (error) {
      this.#complain([error.message]);
    }
  }

  /** Fill in the players of a pairing list. */
  async #read(file) {
    if (!file) return;
    try {
      const { pairings, problems } = await ask("POST", "/api/pairings", file);
      for (const { board, names } of pairings) this.#rows.get(board)?.fill(names);
      this.#complain(problems);
    } catch (error) {
      this.#complain([error.message]);
    }
    this.#count();
  }

  #complain(problems) {
    byId("problems").replaceChildren(...problems.map((text) => element("li", {}, foreign(text))));
  }
}

const say = await loadWords();
const page = new OffersPage(say);
const ticker = follow("/api/events", page, say);
page.load().then(() => ticker.ask());
