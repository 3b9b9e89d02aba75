// The address of each board's page, as text and as QR code, to print for the tables of the hall.

import { inRoom } from "./board_words.js";
import { byId, element, foreign } from "./dom.js";
import { follow } from "./page.js";
import { loadWords } from "./words.js";

const OPTION = "--host 0.0.0.0"; // in that text: it is to be typed as it stands there
const LOCAL = ["127.0.0.1", "localhost", "[::1]"];

/** Return the code and the address of a board's page. */
function card(id, address, say) {
  const path = `board/${encodeURIComponent(id)}`;
  const code = element("img", { src: `/qr/${path}.svg`, alt: "", width: "160", height: "160" });
  const title = element("h2", {}, foreign(say("page_board", { board: id })));
  const text = element("span", {}, address, element("wbr"), path); // no number falls into halves
  return element("li", {}, title, code, text);
}

class Addresses {
  #address;
  #shown = "";
  #say;

  /** `address` is that of the hub for other devices. */
  constructor(address, say) {
    this.#address = address;
    this.#say = say;
    document.title = say("page_addresses");
    const [before, after] = say("page_local").split(OPTION);
    byId("local").replaceChildren(before, element("span", { class: "option" }, OPTION), after);
    byId("local").hidden = !LOCAL.includes(new URL(address).hostname);
    byId("print").addEventListener("click", () => window.print());
  }

  draw(boards) {
    const ids = inRoom(boards.values()).map((board) => board.id);
    byId("none").hidden = ids.length > 0;
    if (this.#shown === ids.join("/")) return null;
    this.#shown = ids.join("/");
    byId("sheet").replaceChildren(...ids.map((id) => card(id, this.#address, this.#say)));
    return null;
  }
}

const say = await loadWords();
const answer = await fetch("/api/1/address", { cache: "no-store" });
follow(new Addresses((await answer.json()).address, say), say);
