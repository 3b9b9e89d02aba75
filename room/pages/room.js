// The room: what asks for the director first, then all boards.

import { Alerts, showIcon } from "./alerts.js";
import {
  asks,
  ATTENTION,
  attention,
  attentionDetail,
  attentionText,
  byAttention,
  inRoom,
  playerName,
  scoreText,
  SIDES,
} from "./board_words.js";
import { byId, element, foreign, setAttribute, setText } from "./dom.js";
import { fit } from "./fit.js";
import { Forecast } from "./forecast.js";
import { Halls } from "./halls.js";
import { offerTest } from "./notify.js";
import { follow } from "./page.js";
import { finds } from "./search.js";
import { Sound } from "./sound.js";
import { nameTag, Tiles } from "./tile.js";
import { earlier, elapsedText, nextChange } from "./time.js";
import { link, loadWords } from "./words.js";

const SOUNDS = ["call", "flag", "late"]; // the kinds of attention that are heard
const TYPE_PX = { least: 13, most: 72 };
const LIST_FROM = 100; // more boards than this are a list
const FILTERS = {
  all: () => true,
  asks: (board) => asks(board) !== "",
  playing: (board) => board.turn !== null,
  stopped: (board) => board.turn === null && board.state !== "FINISHED",
  finished: (board) => board.state === "FINISHED",
  out: () => true,
};
const MOST_CARDS = 60; // that stand above the boards; the others are in the list
const LONGEST_NAMES = 40; // characters of both names in full size

/** A card of the strip above the boards. */
class Card {
  constructor(board) {
    this.id = nameTag(board);
    this.what = element("strong", { class: "what" });
    this.since = element("span", { class: "since" });
    this.players = foreign("", { class: "players" });
    this.detail = foreign("", { class: "detail" });
    const address = link(`/board/${encodeURIComponent(board.id)}`);
    const second = element("span", { class: "second" }, this.since, this.players);
    const text = element("span", { class: "text" }, this.what, second, this.detail);
    this.node = element("li", { class: "card" }, element("a", { href: address }, this.id, text));
  }

  draw(board, nowNs, say) {
    const kind = asks(board);
    const sinceNs = board.attention_ns;
    const isTime = kind === "not_heard" || kind === "late"; // its text says how long
    const since = sinceNs && !isTime ? elapsedText(Math.max(0, nowNs - sinceNs)) : "";
    const names = SIDES.map((side) => playerName(board, side, say)).join(" – ");
    setAttribute(this.node, "data-attention", kind);
    setText(this.what, attentionText(board, kind, nowNs, say));
    setText(this.since, since);
    setText(this.players, `${scoreText(board)}  ${names}`);
    setAttribute(this.players, "data-long", String(names.length > LONGEST_NAMES));
    setText(this.detail, attentionDetail(board, kind, say));
  }
}

/** The strip of all boards that ask for something. */
class Strip {
  #cards = new Map();

  /** Draw the boards of these that ask; return when the next time changes. */
  draw(boards, nowNs, say) {
    const list = byId("asks");
    const asking = boards.filter(FILTERS.asks).sort(byAttention);
    const wanted = asking.slice(0, MOST_CARDS);
    const more = asking.length - wanted.length;
    setText(byId("more"), more ? say("page_more_ask", { n: more }) : "");
    this.#drawLow(boards, say);
    const ids = new Set(wanted.map((board) => board.id));
    for (const [id, card] of this.#cards) {
      if (ids.has(id)) continue;
      card.node.remove();
      this.#cards.delete(id);
    }
    wanted.forEach((board, index) => this.#place(list, board, index));
    for (const board of wanted) this.#cards.get(board.id).draw(board, nowNs, say);
    byId("calm").hidden = wanted.length > 0 || boards.length === 0;
    return wanted.map((board) => nextChange(board, nowNs)).reduce(earlier, null);
  }

  /** Name the boards with little time that need nobody, the one with it for longest first. */
  #drawLow(boards, say) {
    const low = boards.filter((board) => attention(board) === "low" && !asks(board)).sort(byAttention);
    const named = low.map(({ id }) => id).join(", ");
    setText(byId("low"), named ? `${say("page_low")}: ${named}` : "");
  }

  #place(list, board, index) {
    if (!this.#cards.has(board.id)) this.#cards.set(board.id, new Card(board));
    const { node } = this.#cards.get(board.id);
    const focused = node.contains(document.activeElement);
    if (list.children[index] === node) return;
    list.insertBefore(node, list.children[index] ?? null);
    if (focused) node.firstElementChild.focus();
  }
}

class Room {
  #say;
  #strip = new Strip();
  #tiles = new Tiles(byId("boards"), ATTENTION);
  #halls = null; // made with the first board of another hall
  #byHall = true;
  #ask = () => undefined;
  #forecast;
  #sound = new Sound((state) => this.#showSound(state));
  #alerts;
  #asked = new Map(); // what each board asked for last
  #arranged = ""; // what the tiles were arranged for; "": what stands above them has another height
  #filter = "all";
  #view = null; // "tiles" or "list"; null: what fits

  constructor(say) {
    this.#say = say;
    this.#alerts = new Alerts(say);
    this.#forecast = new Forecast(say);
    this.#forecast.follow();
    this.#showSound(this.#sound.state);
  }

  /** Let the page's controls draw anew. */
  listen(ticker) {
    this.#ask = () => ticker.ask();
    byId("by-hall").addEventListener("click", () => {
      this.#byHall = !this.#byHall;
      ticker.ask();
    });
    for (const button of document.querySelectorAll("[data-filter]")) {
      button.addEventListener("click", () => {
        this.#filter = button.dataset.filter;
        ticker.ask();
      });
    }
    byId("search").addEventListener("input", () => ticker.ask());
    const above = new ResizeObserver(() => {
      this.#arranged = "";
      ticker.ask();
    });
    for (const each of document.querySelectorAll(".bar, .banner, .strip, #round")) above.observe(each);
    byId("sound").addEventListener("click", () => this.#sound.toggle());
    byId("view").addEventListener("click", () => {
      this.#view = byId("boards").dataset.view === "list" ? "tiles" : "list";
      ticker.ask();
    });
    document.addEventListener("keydown", (event) => this.#key(event, ticker));
  }

  /** "/" goes to the search, Escape out of it. */
  #key(event, ticker) {
    const search = byId("search");
    if (event.key === "/" && document.activeElement !== search) {
      event.preventDefault();
      search.focus();
    }
    if (event.key !== "Escape" || document.activeElement !== search) return;
    search.value = "";
    search.blur();
    ticker.ask();
  }

  /** Say and sound that a board has begun to ask for the director. */
  changed(board, nowNs) {
    const kind = attention(board);
    const before = this.#asked.get(board.id);
    this.#asked.set(board.id, kind);
    if (kind === before || !SOUNDS.includes(kind)) return;
    const what = attentionText(board, kind, nowNs, this.#say);
    const text = this.#say("page_announced", { board: board.id, what });
    byId("announced").textContent = text;
    this.#alerts.tell(board.id, text);
    this.#sound.play();
  }

  /** Let the next board of this name ask anew: it is another clock. */
  gone(id) {
    this.#asked.delete(id);
  }

  forget() {
    this.#asked.clear();
  }

  draw(boards, nowNs) {
    const all = inRoom(boards.values());
    const out = [...boards.values()].filter((board) => board.taken_out);
    this.#forecast.take(boards);
    const of = this.#filter === "out" ? out : all;
    const shown = of.filter(FILTERS[this.#filter]).filter((board) => this.#isFound(board));
    const asks = this.#strip.draw(all, nowNs, this.#say);
    const next = this.#drawBoards(all, shown, nowNs);
    this.#count(all, out);
    byId("none").hidden = shown.length > 0;
    setText(byId("none"), this.#say(all.length ? "page_none_found" : "page_no_boards"));
    return earlier(asks, next);
  }

  /** Draw the boards all together, or by hall; return when the next time changes. */
  #drawBoards(all, shown, nowNs) {
    const hasHalls = all.some((board) => board.hall);
    if (hasHalls) this.#halls ??= new Halls(this.#ask);
    const byHall = hasHalls && this.#byHall;
    setAttribute(byId("by-hall"), "aria-pressed", String(byHall));
    byId("by-hall").hidden = !hasHalls;
    byId("halls").hidden = !byHall;
    byId("boards").hidden = byHall;
    byId("view").hidden = byHall;
    const searched = byId("search").value.trim() !== "" || this.#filter !== "all";
    if (byHall) return this.#halls.draw(shown, nowNs, this.#say, searched);
    const next = this.#tiles.draw(shown, nowNs, this.#say);
    this.#arrange(shown.length);
    return next;
  }

  /** Whether the search finds a board: by its name, its players or its hall. */
  #isFound(board) {
    const names = SIDES.map((side) => board.players[side].name ?? "");
    return finds(byId("search").value, board.board ?? board.id, [board.id, board.hall ?? "", ...names]);
  }

  /** Make the boards as large as all of them fit, or a list. */
  #arrange(count) {
    const { innerWidth, innerHeight } = window;
    const arranged = [count, innerWidth, innerHeight, this.#view].join(" ");
    if (arranged === this.#arranged) return;
    this.#arranged = arranged;
    const list = byId("boards");
    const box = byId("room").getBoundingClientRect();
    const style = getComputedStyle(document.documentElement);
    const footer = parseFloat(style.getPropertyValue("--footer"));
    const height = window.innerHeight - (box.top + window.scrollY) - footer;
    const { columns, size, overflows } = fit(count, box.width, height, TYPE_PX);
    const view = this.#view ?? (overflows && count > LIST_FROM ? "list" : "tiles");
    setAttribute(list, "data-view", view);
    setAttribute(list, "data-fits", String(!overflows));
    list.style.setProperty("--columns", columns);
    list.style.setProperty("--size", `${overflows ? Math.max(size, 15) : size}px`);
    list.style.setProperty("--height", `${height}px`);
    setText(byId("view"), this.#say(view === "list" ? "page_tiles" : "page_list"));
  }

  #count(all, out) {
    for (const button of document.querySelectorAll("[data-filter]")) {
      const { filter } = button.dataset;
      const count = (filter === "out" ? out : all).filter(FILTERS[filter]).length;
      setText(button.querySelector(".count"), String(count));
      button.hidden = filter === "out" && filter !== this.#filter && count === 0;
      setAttribute(button, "aria-pressed", String(filter === this.#filter));
    }
    const calls = all.filter((board) => SOUNDS.includes(attention(board))).length;
    showIcon(calls > 0);
    document.title = calls ? `(${calls}) ${this.#say("page_room")}` : this.#say("page_room");
  }

  #showSound(state) {
    if (this.#say === undefined) return;
    const button = byId("sound");
    setText(button.querySelector(".label"), this.#say(`page_sound_${state}`));
    setAttribute(button, "aria-pressed", String(state !== "off"));
    setAttribute(button, "data-sound", state);
  }
}

const say = await loadWords();
const room = new Room(say);
room.listen(follow(room, say));
offerTest(say);
