// A board for a stream, on a transparent ground. With ?delay=30 state and clock are 30 s old, so that
// the picture tells no player anything.

import { Delayed } from "./delayed.js";
import {
  attention,
  attentionDetail,
  attentionText,
  boardOutcome,
  flagText,
  lengthWithLimit,
  noteText,
  SIDES,
  stateText,
} from "./board_words.js";
import { byId, element, idOfPage, setAttribute, setScale, setText } from "./dom.js";
import { follow } from "./page.js";
import { Side } from "./side.js";
import {
  clockText,
  delayPermille,
  earlier,
  isRunning,
  nextChange,
  nextSecondNs,
  SECOND_NS,
  shownDelay,
  shownTurn,
} from "./time.js";
import { loadWords } from "./words.js";

const MOST_DELAY_S = 3600;
const SHOWN = ["call", "late", "not_heard"]; // what the public may see of what a board asks

class Player extends Side {
  constructor(side) {
    super();
    this.delay = element("span", { class: "delay" });
    this.flag = element("span", { class: "flag" });
    const clock = element("span", { class: "clock" }, this.time, this.delay, this.bar);
    const parts = [this.points, this.name, this.runs, this.flag, clock];
    this.node = element("p", { class: "player", "data-side": side }, ...parts);
  }

  draw(board, side, nowNs, say) {
    super.draw(board, side, nowNs, say);
    const permille = isRunning(board, side) ? delayPermille(board, side, nowNs) : 0;
    const note = noteText(board, side, nowNs, say);
    const turn = shownTurn(board, side, nowNs);
    const flag = flagText(board, side, say);
    setText(this.delay, permille ? shownDelay(board, side, nowNs) : "");
    setText(this.flag, flag || (turn ? `${turn} ${say("this_turn")}` : note));
    setAttribute(this.flag, "data-fell", String(flag !== ""));
    setScale(this.bar, permille);
  }
}

class Overlay {
  #id = idOfPage();
  #delayNs = delayOfPage();
  #past = new Delayed();
  #players = { left: new Player("left"), right: new Player("right") };
  #say;

  constructor(say) {
    this.#say = say;
    byId("players").append(...SIDES.map((side) => this.#players[side].node));
    document.title = say("page_board", { board: this.#id });
  }

  changed(board, nowNs) {
    if (board.id === this.#id) this.#past.add(board, nowNs);
  }

  forget() {
    this.#past.forget();
  }

  draw(boards, nowNs) {
    const latest = boards.get(this.#id);
    if (latest && this.#past.empty) this.#past.add(latest, nowNs);
    const thenNs = nowNs - this.#delayNs;
    const next = this.#drawThen(latest, thenNs);
    return next === null ? null : next + this.#delayNs;
  }

  #drawThen(latest, thenNs) {
    const board = this.#past.at(thenNs);
    const change = this.#past.nextNs(thenNs);
    byId("bar").hidden = board === null;
    byId("begins").hidden = board !== null || change === null;
    if (board === null) return this.#drawBegin(change, thenNs);
    const shown = { ...board, certain: board.certain && latest?.certain !== false };
    for (const side of SIDES) this.#players[side].draw(shown, side, thenNs, this.#say);
    const kind = SHOWN.includes(attention(shown)) ? attention(shown) : "";
    const text = kind
      ? attentionText(shown, kind, thenNs, this.#say)
      : stateText(shown, thenNs, this.#say);
    const who = kind === "late" ? attentionDetail(shown, kind, this.#say) : "";
    setText(byId("length"), lengthWithLimit(shown, this.#say));
    const outcome = boardOutcome(shown, this.#say);
    const said = [text, who].filter(Boolean).join(" · ");
    setText(byId("state"), outcome || (shown.state === "RUNNING" && !kind ? "" : said));
    setText(byId("fingerprint"), outcome ? (shown.head ?? "") : "");
    return earlier(change, nextChange(shown, thenNs));
  }

  /** Say when a delayed picture begins: what was before the page was opened is not known. */
  #drawBegin(changeNs, thenNs) {
    if (changeNs === null) return null;
    const time = clockText(changeNs - thenNs);
    setText(byId("begins"), this.#say("page_starts_in", { time }));
    return thenNs + nextSecondNs(changeNs - thenNs);
  }
}

/** Return the delay of ?delay=30 in nanoseconds; 0 for anything that is no number of seconds. */
function delayOfPage() {
  const seconds = Number(new URLSearchParams(location.search).get("delay"));
  return seconds > 0 ? Math.round(Math.min(seconds, MOST_DELAY_S) * SECOND_NS) : 0;
}

const say = await loadWords();
follow(new Overlay(say), say, idOfPage());
