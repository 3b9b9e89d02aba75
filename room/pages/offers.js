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
const PASTED_MS = 300; // from the last letter typed
const BY = "gammonclock.by"; // in the browser: who offers

/** A line of the table: a board. */
class Row {
  #names = {};
  #sent = null; // the offer and the names as they were sent, until the clock has taken them

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
      this.#names[side].addEventListener("input", () => {
        if (this.names.some(Boolean)) this.chosen.checked = true;
      });
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

  /** The names as they are typed: who types one means this board. */
  get names() {
    return SIDES.map((side) => this.#names[side].value.trim());
  }

  /** Return what is wanted for this board; without names those of the clock's file stay. */
  get wanted() {
    const { names } = this;
    return names.every(Boolean) ? { board: this.id, names } : { board: this.id };
  }

  /** Whether one player is named and the other is not. */
  get isHalf() {
    const { names } = this;
    return names.some(Boolean) && !names.every(Boolean);
  }

  /** Note that what is typed was sent. */
  send(offer) {
    this.#sent = { offer, typed: this.#typed };
  }

  /** Clear the names if they were sent with an offer that the clock has taken. */
  take(offer) {
    if (this.#sent?.offer !== offer) return;
    if (this.#typed === this.#sent.typed) for (const side of SIDES) this.#names[side].value = "";
    this.#sent = null;
  }

  /** Whether something was sent that the clock has not taken. */
  get isSent() {
    return this.#sent !== null;
  }

  get #typed() {
    return JSON.stringify(this.names);
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
  #boards = new Map();
  #state = ""; // of the offers whose boards are shown; "": all boards
  #pasted = 0; // the timer of what was pasted
  #sent = ""; // what is the same for all boards, as it was sent; "": nothing, or it was taken

  constructor(say) {
    this.#say = say;
    document.title = say("page_offers");
    byId("by").value = localStorage.getItem(BY) ?? "";
    byId("by").addEventListener("input", () => localStorage.setItem(BY, byId("by").value));
    byId("form").addEventListener("input", () => this.#count());
    byId("form").addEventListener("submit", (event) => this.#send(event));
    byId("all").addEventListener("input", (event) => this.#choose(event.target.checked));
    byId("list").addEventListener("change", (event) => this.#read(event.target.files[0]));
    byId("paste").addEventListener("input", (event) => this.#paste(event.target.value));
    byId("search").addEventListener("input", () => this.#find());
    byId("search").addEventListener("keydown", (event) => {
      if (event.key === "Enter") event.preventDefault(); // it would send the offers
    });
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
    if (offer.state === "taken") this.#clear(offer);
  }

  /** Clear what a clock has taken; what is the same for all boards when the last one has. */
  #clear({ board, offer }) {
    this.#rows.get(board)?.take(offer);
    if (!this.#sent || [...this.#rows.values()].some((row) => row.isSent)) return;
    if (this.#common === this.#sent) {
      for (const field of [...new FormData(byId("form")).keys(), "paste", "list"]) {
        byId("form").elements.namedItem(field).value = ""; // `elements.length` is their number
      }
    }
    this.#sent = "";
  }

  /** What is the same for all boards, as it is typed. */
  get #common() {
    return JSON.stringify([this.#match(), byId("paste").value, byId("list").value]);
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
    this.#boards = boards;
    shown.forEach((board, index) => this.#row(board.id, index));
    for (const board of shown) {
      this.#rows.get(board.id).draw(board, this.#offers.get(board.id), nowNs, this.#say);
    }
    this.#drawStates();
    this.#find();
    return shown.map((board) => nextChange(board, nowNs)).reduce(earlier, null);
  }

  /** Show how many offers are in each state; a click shows their boards alone. */
  #drawStates() {
    const counts = new Map();
    for (const id of this.#rows.keys()) {
      const state = this.#offers.get(id)?.state;
      if (state) counts.set(state, (counts.get(state) ?? 0) + 1);
    }
    if (!counts.has(this.#state)) this.#state = "";
    const drawn = JSON.stringify([[...counts], this.#state]);
    if (byId("states").dataset.drawn === drawn) return;
    byId("states").dataset.drawn = drawn;
    const focused = document.activeElement?.dataset.state;
    byId("states").replaceChildren(...[...counts].map((each) => this.#stateButton(...each)));
    byId("states").querySelector(`[data-state="${focused}"]`)?.focus();
  }

  #stateButton(state, count) {
    const pressed = String(state === this.#state);
    const attributes = { type: "button", "data-state": state, "aria-pressed": pressed };
    const button = element("button", attributes, `${this.#say(`page_offer_${state}`)}: ${count}`);
    button.addEventListener("click", () => {
      this.#state = state === this.#state ? "" : state;
      this.#drawStates();
      this.#find();
    });
    return button;
  }

  /** Show the boards that are looked for, and no others. */
  #find() {
    const asked = byId("search").value.trim().toLowerCase();
    for (const row of this.#rows.values()) {
      const { players } = this.#boards.get(row.id);
      const texts = [row.id, ...SIDES.map((side) => players[side].name ?? ""), ...row.names];
      const isFound = texts.some((text) => text.toLowerCase().includes(asked));
      const inState = !this.#state || this.#offers.get(row.id)?.state === this.#state;
      row.node.hidden = !(isFound && inState);
    }
    this.#count();
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

  /** Choose the boards that are shown; choose none at all. */
  #choose(checked) {
    for (const row of this.#rows.values()) {
      if (!checked || !row.node.hidden) row.chosen.checked = checked;
    }
    this.#count();
  }

  #count() {
    const { length } = this.#chosen;
    setText(byId("send"), this.#say("page_offer_send", { n: length }));
    byId("send").disabled = length === 0;
    const shown = [...this.#rows.values()].filter((row) => !row.node.hidden);
    const all = shown.length > 0 && shown.every((row) => row.chosen.checked);
    byId("all").checked = all;
    byId("all").indeterminate = length > 0 && !all;
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
      for (const row of rows) row.send(this.#offers.get(row.id)?.offer);
      this.#sent = this.#common;
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

  /** Read what was pasted from a spreadsheet, when no more of it comes. */
  #paste(text) {
    clearTimeout(this.#pasted);
    if (text.trim()) this.#pasted = setTimeout(() => this.#read(text), PASTED_MS);
  }

  /** Fill in the players of a pairing list: a file, or a text. */
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
