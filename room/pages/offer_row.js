// A line of the director's offers: a board, its players as they are typed, and its latest offer.

import { playerName, scoreText, SIDES, stateText } from "./board_words.js";
import { cell, element, foreign, setAttribute, setText } from "./dom.js";

const LONGEST_NAME = 40; // characters; the panels shorten them
const WITHDRAWABLE = ["waiting", "sent"];
const PENDING = [...WITHDRAWABLE, "shown"];

/** Whether the players may still be shown an offer, or are. */
export function isPending(offer) {
  return PENDING.includes(offer?.state);
}

/** A line of the table: a board. */
export class Row {
  #names = {};
  #lost = null; // the names of an offer of which a hub that has started anew knows nothing
  #sent = null; // the offer and the names as they were sent, until the clock has taken them

  constructor(id, say, withdraw) {
    this.id = id;
    this.chosen = element("input", {
      type: "checkbox",
      "aria-label": say("page_board", { board: id }),
    });
    this.now = foreign();
    this.round = foreign();
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
      cell("of-round", this.round),
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

  /** Leave the line as if nothing had been filled in. */
  clear() {
    for (const side of SIDES) this.#names[side].value = "";
    this.chosen.checked = false;
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

  /** Choose the line again if its offer may be lost: the hub has started anew. */
  lose(offer) {
    if (!this.isSent || !isPending(offer)) return false;
    this.#lost = this.names;
    this.chosen.checked = true;
    return true;
  }

  /** Whether the director has chosen the board, or typed a name. */
  get isFilled() {
    return this.chosen.checked || this.isSent || this.names.some(Boolean);
  }

  /** Whether something was sent that the clock has not taken. */
  get isSent() {
    return this.#sent !== null;
  }

  get #typed() {
    return JSON.stringify(this.names);
  }

  /** Whether the players of a lost offer are on the board's clock: they have accepted it. */
  #isPlaying(board) {
    return SIDES.every((side, index) => board.players[side].name === this.#lost[index]);
  }

  #accept() {
    if (JSON.stringify(this.#lost) === this.#typed) this.clear();
    this.#lost = null;
    this.#sent = null;
  }

  /** Say why the board takes no offers now: nothing was heard of it yet, or it is taken out. */
  drawUnheard(why, say) {
    setText(this.now, why);
    setText(this.state, this.#lost ? say("page_offer_again") : "");
    this.withdraw.hidden = true;
  }

  draw(board, offer, nowNs, say, told) {
    const names = SIDES.map((side) => playerName(board, side, say)).join(" – ");
    const plays = board.state === "RUNNING";
    const now = plays ? say("page_playing") : stateText(board, nowNs, say);
    setText(this.now, [now, scoreText(board), names].join(" · "));
    setText(this.round, roundOf(offer, board));
    setAttribute(this.node, "data-offer", offer?.state ?? "");
    if (offer) this.#lost = null;
    if (this.#lost && this.#isPlaying(board)) this.#accept();
    setText(this.state, offer ? offerText(offer, say, told) : this.#lost ? say("page_offer_again") : "");
    this.withdraw.hidden = !WITHDRAWABLE.includes(offer?.state);
  }
}

/** Return round and event of a match that is offered, or else of the one at the board. */
function roundOf(offer, board) {
  const of = isPending(offer) ? (offer.match ?? {}) : { ...board, round: board.named_round };
  return [of.round, of.event].filter(Boolean).join(" · ");
}

/** Return what became of an offer, after what it was: the players are on the clock once it is taken. */
function offerText(offer, say, told) {
  const isWithdrawn = offer.state === "withdrawn" && offer.why; // by another director
  const what = isWithdrawn
    ? say("page_offer_withdrawn_by", { by: offer.why })
    : say(`page_offer_${offer.state}`);
  const state = withBy(what, offer);
  const said = offer.why && !isWithdrawn ? `${state}: ${told(offer)}` : state;
  const { names, length } = (offer.state !== "taken" && offer.match) || {};
  const match = [names?.join(" – "), length && `${say("page_offer_length")} ${length}`];
  return [...match, said].filter(Boolean).join(" · ");
}

/** Return a text with who made an offer, if that was said. */
export function withBy(text, { by }) {
  return by ? `${text} (${by})` : text;
}
