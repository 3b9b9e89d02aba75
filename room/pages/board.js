// One board, large: both panels side by side, one above the other on a phone.

import {
  attention,
  attentionDetail,
  attentionText,
  conflictsText,
  detailText,
  flagText,
  lengthWithLimit,
  noteText,
  playerName,
  SIDES,
  stateText,
  twiceText,
} from "./board_words.js";
import { ask, directorLink, token } from "./director.js";
import { byId, element, idOfPage, setAttribute, setScale, setText } from "./dom.js";
import { follow } from "./page.js";
import { Side } from "./side.js";
import { delayPermille, nextChange, shownDelay, shownTurn } from "./time.js";
import { messageWording } from "./messages.js";
import { link, loadWords } from "./words.js";

/** A side of the board, as its panel shows it. */
class Panel extends Side {
  constructor(side) {
    super();
    this.delay = element("span", { class: "delay" });
    this.note = element("span", { class: "note" });
    this.flag = element("strong", { class: "flag" });
    const head = element("h2", { class: "player" }, this.name, this.points, this.runs);
    const below = element("p", { class: "below" }, this.delay, this.note, this.flag);
    this.node = element("section", { class: "panel", "data-side": side }, head);
    this.node.append(this.time, element("span", { class: "track" }, this.bar), below);
  }

  draw(board, side, nowNs, say) {
    super.draw(board, side, nowNs, say);
    setAttribute(this.time, "data-length", String(Math.max(5, this.time.textContent.length)));
    const turn = shownTurn(board, side, nowNs);
    setText(this.delay, turn || shownDelay(board, side, nowNs));
    setText(this.note, turn ? say("this_turn") : noteText(board, side, nowNs, say));
    setText(this.flag, flagText(board, side, say));
    setScale(this.bar, delayPermille(board, side, nowNs));
  }
}

class BoardPage {
  #id = idOfPage();
  #panels = { left: new Panel("left"), right: new Panel("right") };
  #say;
  #told = [];
  #isOut = false; // of the room

  constructor(say) {
    this.#say = say;
    byId("panels").append(...SIDES.map((side) => this.#panels[side].node));
    byId("overlay").href = link(`/overlay/${encodeURIComponent(this.#id)}`);
    byId("rule").href = directorLink(`/rule/${encodeURIComponent(this.#id)}`);
    const title = say("page_board", { board: this.#id });
    setText(byId("title"), title);
    document.title = title;
    setText(byId("waiting"), say("page_waiting", { board: this.#id }));
    byId("out").addEventListener("click", () => this.#takeOut());
  }

  /** Take the board out of the room, or put it back; the hub's events tell what has become of it. */
  async #takeOut() {
    const path = `/api/1/taken_out/${encodeURIComponent(this.#id)}`;
    const found = await ask(this.#isOut ? "DELETE" : "POST", path).catch((error) => error);
    const problem = found instanceof Error ? messageWording(this.#say)(found) : "";
    byId("problem").classList.toggle("shown", problem !== "");
    setText(byId("problem"), problem);
  }

  draw(boards, nowNs) {
    const board = boards.get(this.#id);
    byId("waiting").hidden = board !== undefined;
    byId("board").hidden = board === undefined;
    byId("out").hidden = !token || !board || Boolean(board.hall);
    if (board === undefined) return null;
    this.#isOut = Boolean(board.taken_out);
    setText(byId("out"), this.#say(this.#isOut ? "page_put_back" : "page_take_out"));
    for (const side of SIDES) this.#panels[side].draw(board, side, nowNs, this.#say);
    this.#drawState(board, nowNs);
    return nextChange(board, nowNs);
  }

  #drawState(board, nowNs) {
    const say = this.#say;
    const kind = attention(board);
    const state = stateText(board, nowNs, say);
    const out = board.taken_out ? say("page_taken_out") : "";
    const asks = kind ? attentionText(board, kind, nowNs, say) : out;
    setAttribute(byId("board"), "data-attention", kind);
    setAttribute(byId("board"), "data-certain", String(board.certain));
    setText(byId("length"), lengthWithLimit(board, say));
    setText(byId("state"), state);
    setText(byId("asks"), asks === state ? "" : asks);
    const detail = ["claimed", "twice"].includes(kind) ? "" : kind && attentionDetail(board, kind, say);
    setText(byId("detail"), detail || detailText(board, say));
    const doubts = [conflictsText(board, say), twiceText(board, say)];
    setText(byId("conflicts"), doubts.filter(Boolean).join(". "));
    const code = board.settings_code ? say("page_code", { code: board.settings_code }) : "";
    setText(byId("code"), [code, board.head ? say("report_fingerprint") : ""].filter(Boolean).join(" · "));
    setText(byId("fingerprint"), board.head ?? "");
    setText(byId("uncertain"), board.certain ? "" : say("page_uncertain"));
    this.#tell(board, kind);
  }

  /** Tell a screen reader what has changed of score, state and calls, but not each second. */
  #tell(board, kind) {
    const nameOf = (side) => playerName(board, side, this.#say);
    const score = SIDES.map((side) => `${nameOf(side)} ${board.players[side].points}`).join(", ");
    const { turn } = board;
    const state = turn
      ? `${nameOf(turn.side)}: ${this.#say("page_runs")}`
      : [byId("state").textContent, detailText(board, this.#say)].filter(Boolean).join(", ");
    const parts = [
      [score, score],
      [`${board.state} ${turn?.side} ${board.says}`, state],
      [kind, byId("asks").textContent],
    ];
    const news = parts.filter(([key], at) => key !== this.#told[at]).map(([, text]) => text);
    this.#told = parts.map(([key]) => key);
    if (news.some(Boolean)) setText(byId("told"), news.filter(Boolean).join(". "));
  }
}

const say = await loadWords();
follow(new BoardPage(say), say, idOfPage());
