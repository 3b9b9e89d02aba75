// The wall: all boards on a projector, as large as they fit; more than a screen holds take turns.

import { inRoom } from "./board_words.js";
import { byId } from "./dom.js";
import { fit } from "./fit.js";
import { follow } from "./page.js";
import { Tiles } from "./tile.js";
import { earlier, SECOND_NS } from "./time.js";
import { loadWords } from "./words.js";

const SHOWN = ["call", "flag", "late", "not_heard"]; // what the public sees of what a board asks
const MOST_BOARDS = 64; // at once: with more of them nothing is readable across a hall
const TURN_NS = 12 * SECOND_NS;

class Wall {
  #say;
  #arranged = "";
  #hall = new URLSearchParams(location.search).get("hall"); // the only one that is shown
  #tiles = new Tiles(byId("boards"), SHOWN);

  constructor(say) {
    this.#say = say;
    document.title = say("page_wall");
  }

  draw(boards, nowNs) {
    const known = inRoom(boards.values());
    const all = known.filter((board) => !this.#hall || board.hall === this.#hall);
    const turns = Math.max(1, Math.ceil(all.length / MOST_BOARDS));
    const each = Math.ceil(all.length / turns);
    const turn = Math.floor(nowNs / TURN_NS) % turns;
    const shown = all.slice(turn * each, (turn + 1) * each);
    byId("none").hidden = all.length > 0; // before the boards, which have the place that is left
    this.#arrange(shown.length);
    const next = this.#tiles.draw(shown, nowNs, this.#say);
    byId("turn").textContent = turns > 1 ? `${turn + 1}/${turns}` : "";
    return turns > 1 ? earlier(next, (Math.floor(nowNs / TURN_NS) + 1) * TURN_NS) : next;
  }

  /** Make the boards as large as all of them fit. */
  #arrange(count) {
    const arranged = `${count} ${window.innerWidth} ${window.innerHeight}`;
    if (arranged === this.#arranged) return;
    this.#arranged = arranged;
    const list = byId("boards");
    const width = list.clientWidth;
    const height = window.innerHeight - list.getBoundingClientRect().top - byId("foot").offsetHeight;
    const { columns, size, overflows } = fit(count, width, height, { least: 9, most: 160 });
    list.dataset.fits = String(!overflows);
    list.style.setProperty("--columns", columns);
    list.style.setProperty("--size", `${size}px`);
    list.style.setProperty("--height", `${height}px`);
  }
}

const say = await loadWords();
follow(new Wall(say), say);
