// The director's offers of the next match: to which boards, who plays, and what became of them.

import { byName, inRoom } from "./board_words.js";
import { ask, token } from "./director.js";
import { byId, setText } from "./dom.js";
import { OfferFilter } from "./offer_filter.js";
import { OfferForm } from "./offer_form.js";
import { isPending, Row, withBy } from "./offer_row.js";
import { follow } from "./page.js";
import { earlier, nextChange } from "./time.js";
import { messageWording } from "./messages.js";
import { loadWords } from "./words.js";

const TOGETHER_MS = 200; // within which the events of one round come

class OffersPage {
  #say;
  #told;
  #form;
  #filter;
  #rows = new Map(); // by the ids of the boards
  #offers = new Map(); // the latest offer of each board
  #before = null; // the offers that an earlier run of the hub knew, until this one says which it has
  #names = []; // of the boards that take offers
  #boards = new Map();
  changed = () => {}; // called when rows are to be drawn anew
  #heard = new Map(); // how many events had come when the latest of each board came
  #events = 0; // that have come
  #asking = 0; // the timer until the hub is asked for offers of which only events were heard
  #asked = new Map(); // clocks by boards, of which the hub was asked whether they take offers

  constructor(say, told) {
    this.#say = say;
    this.#told = told;
    this.#form = new OfferForm((pairings) => this.#fill(pairings), say, told);
    this.#filter = new OfferFilter(say, () => this.#find());
    document.title = say("page_offers");
    byId("form").addEventListener("input", () => this.#count());
    byId("form").addEventListener("submit", (event) => event.preventDefault()); // Enter in a field
    byId("send").addEventListener("click", () => byId("form").reportValidity() && this.#send());
    byId("all").addEventListener("input", (event) => this.#choose(event.target.checked));
  }

  /** Take what the hub has; without the director's token it says why there is nothing. */
  async load() {
    clearTimeout(this.#asking);
    this.#asking = 0;
    try {
      await this.#take(() => ask("GET", "/api/1/offers"));
    } catch (error) {
      setText(byId("none"), token ? this.#told(error) : this.#say("page_offer_director"));
      return;
    }
    byId("none").hidden = true;
    byId("form").hidden = false;
    this.#count();
    this.changed();
  }

  /** Take the hub's answer, but for boards of which an event came after the hub was asked. */
  async #take(asked) {
    const begun = this.#events;
    const { boards, offers, profiles, known } = await asked();
    this.#lose(new Set(known));
    this.#names = boards;
    for (const offer of offers) {
      const newer = this.#heard.get(offer.board) > begun ? this.#offers.get(offer.board) : null;
      if (!newer) this.#put(offer);
      else if (newer.offer === offer.offer) newer.match ??= offer.match;
    }
    this.#form.addProfiles(profiles);
  }

  /** Take an event. */
  offer(offer) {
    this.#heard.set(offer.board, ++this.#events);
    this.#put(offer);
  }

  #put(offer) {
    const known = this.#offers.get(offer.board);
    const match = known?.offer === offer.offer ? known.match : null; // an event does not tell it
    this.#offers.set(offer.board, { match, ...offer });
    // Another page has sent it: ask for the players, once for all that come together.
    if (!(match ?? offer.match)) this.#asking ||= setTimeout(() => this.load(), TOGETHER_MS);
    this.#clear(offer);
  }

  /** Clear the names that a clock has taken; what is the same for all boards with the last one. */
  #clear(offer) {
    if (offer?.state !== "taken") return;
    this.#rows.get(offer.board)?.take(offer.offer);
    if (![...this.#rows.values()].some((row) => row.isSent)) this.#form.take();
  }

  /** The hub has started anew: it hears of the boards one by one, and may have lost offers. */
  forget() {
    this.#before ??= new Map(this.#offers);
    this.#offers.clear();
    this.#heard.clear();
    this.#asked.clear();
    this.load();
  }

  /** Choose the boards again whose offers a hub that has started anew does not know. */
  #lose(known) {
    const before = this.#before;
    this.#before = null;
    const isLost = (row) => !known.has(before.get(row.id)?.offer) && row.lose(before.get(row.id));
    const lost = before ? [...this.#rows.values()].filter(isLost) : [];
    if (lost.length) setText(byId("said"), this.#say("page_offer_lost", { n: lost.length }));
  }

  draw(boards, nowNs) {
    const ids = new Set(this.#names);
    const known = inRoom(boards.values());
    const shown = known.filter((board) => ids.has(board.id)).sort(byName);
    this.#boards = new Map(known.map((board) => [board.id, board]));
    this.#askFor(known.filter((board) => !ids.has(board.id)));
    for (const [id, row] of this.#rows) {
      if (this.#isHeard(row)) continue;
      row.drawUnheard(this.#say(boards.has(id) ? "page_taken_out" : "page_offer_unheard"), this.#say);
      if (row.isFilled) continue; // what the director has typed stays until they clear it
      row.node.remove();
      this.#rows.delete(id);
    }
    shown.forEach((board, index) => this.#row(board.id, index));
    for (const board of shown) {
      const offer = this.#offers.get(board.id);
      this.#rows.get(board.id).draw(board, offer, nowNs, this.#say, this.#told);
    }
    this.#find();
    return shown.map((board) => nextChange(board, nowNs)).reduce(earlier, null);
  }

  gone(id) {
    this.#asked.delete(id);
  }

  /** Ask once of each clock at a board whether it takes offers. */
  #askFor(boards) {
    if (byId("form").hidden) return; // what is asked for at first is not here yet, or is refused
    const unknown = boards.filter(({ id, clock }) => this.#asked.get(id) !== clock);
    for (const { id, clock } of unknown) this.#asked.set(id, clock);
    if (unknown.length) this.load();
  }

  #isHeard(row) {
    return this.#boards.has(row.id) && this.#names.includes(row.id);
  }

  /** Show the boards that are looked for, and no others. */
  #find() {
    const offers = [...this.#rows.keys()].map((id) => this.#offers.get(id));
    this.#filter.draw(offers.filter(Boolean));
    for (const [id, row] of this.#rows) {
      row.node.hidden = !this.#filter.shows(row, this.#boards.get(id), this.#offers.get(id));
    }
    this.#count();
  }

  #row(id, index) {
    if (!this.#rows.has(id)) {
      this.#rows.set(id, new Row(id, this.#say, (board) => this.#withdraw(board)));
    }
    const { node } = this.#rows.get(id);
    const rows = byId("rows");
    if (rows.children[index] !== node) rows.insertBefore(node, rows.children[index] ?? null);
  }

  get #chosen() {
    return [...this.#rows.values()].filter((row) => row.chosen.checked);
  }

  /** Those that are chosen and shown: no other is sent. */
  get #wanted() {
    return this.#chosen.filter((row) => !row.node.hidden);
  }

  /** Choose the boards that are shown; choose none at all. */
  #choose(checked) {
    for (const row of this.#rows.values()) {
      if (!checked || !row.node.hidden) row.chosen.checked = checked;
    }
    this.#count();
  }

  #count() {
    const { length } = this.#wanted;
    setText(byId("send"), this.#say("page_offer_send", { n: length }));
    byId("send").disabled = length === 0;
    const shown = [...this.#rows.values()].filter((row) => !row.node.hidden);
    const all = shown.length > 0 && shown.every((row) => row.chosen.checked);
    byId("all").checked = all;
    byId("all").indeterminate = length > 0 && !all;
  }

  async #send() {
    const unheard = this.#wanted.filter((row) => !this.#isHeard(row)).map((row) => row.id);
    const question = this.#say("page_offer_not_whole", { boards: unheard.join(", ") });
    if (unheard.length && !confirm(question)) return;
    const rows = this.#wanted.filter((row) => this.#isHeard(row));
    if (!rows.length) return;
    const half = rows.filter((row) => row.isHalf).map((row) => row.id);
    if (half.length) {
      this.#form.complain(half.map((board) => this.#say("page_offer_half", { board })));
      return;
    }
    const pending = rows.map((row) => this.#offers.get(row.id)).filter(isPending);
    const boards = pending.map((offer) => withBy(offer.board, offer)).join(", ");
    if (pending.length && !confirm(this.#say("page_offer_replace", { boards }))) return;
    const wanted = {
      match: this.#form.match,
      boards: rows.map((row) => row.wanted),
      by: this.#form.by,
      replaces: pending.map((offer) => offer.offer),
    };
    await this.#do(() => ask("POST", "/api/1/offers", JSON.stringify(wanted)), () => {
      for (const row of rows) row.send(this.#offers.get(row.id)?.offer);
      this.#form.send();
      for (const row of rows) row.chosen.checked = false;
      for (const row of rows) this.#clear(this.#offers.get(row.id)); // taken before the answer came
      this.#count();
      setText(byId("said"), this.#say("page_offer_made", { n: rows.length }));
    });
  }

  async #withdraw(board) {
    const offer = this.#offers.get(board);
    const isOthers = offer?.by && offer.by !== this.#form.by;
    const question = () => this.#say("page_offer_withdraw_other", { board, by: offer.by });
    if (isOthers && !confirm(question())) return;
    const path = `/api/1/offers/${encodeURIComponent(board)}?by=${encodeURIComponent(this.#form.by)}`;
    await this.#do(() => ask("DELETE", path));
  }

  async #do(asked, done = () => {}) {
    setText(byId("said"), "");
    this.#form.complain([]);
    try {
      await this.#take(asked);
      done();
    } catch (error) {
      this.#form.refused(error);
    }
  }

  /** Fill in the players of a pairing list: a round, so that no other board keeps its own. */
  #fill(pairings) {
    const boards = new Set(pairings.map(({ board }) => board));
    const others = this.#chosen.filter((row) => !boards.has(row.id));
    const question = this.#say("page_pairings_replace", { n: others.length });
    if (boards.size && others.length && confirm(question)) for (const row of others) row.clear();
    for (const { board, names } of pairings) this.#rows.get(board)?.fill(names);
    this.#count();
  }
}

const say = await loadWords();
const page = new OffersPage(say, messageWording(say));
const ticker = follow(page, say);
page.changed = () => ticker.ask();
page.load();
