// The results, newest first; a result that arrives is put at its place.

import { byId, element, foreign, setText } from "./dom.js";
import { follow } from "./page.js";
import {
  begunText,
  durationText,
  nameOf,
  remarks,
  resultScore,
  winnerText,
} from "./result_words.js";
import { link, loadWords } from "./words.js";

/** Return a table row of a result. */
function row(result, say) {
  const address = link(`/match/${encodeURIComponent(result.match)}`);
  const won = (side) => (result.winner === side ? "won" : "");
  const score = element("a", { href: address, class: "score" }, resultScore(result));
  const warn = !result.complete || result.forks ? "warn" : "";
  const cells = [
    element("th", { scope: "row" }, foreign(result.board || result.clock || "")),
    element("td", { class: won("left") }, foreign(nameOf(result, "left", say))),
    element("td", { class: "middle" }, score),
    element("td", { class: won("right") }, foreign(nameOf(result, "right", say))),
    element("td", { class: "number" }, begunText(result)),
    element("td", { class: "number" }, durationText(result)),
    element("td", { class: `remarks ${warn}` }, foreign(remarks(result, say).join("; "))),
    element("td", { class: "number code" }, foreign(result.head ?? "")),
  ];
  return element("tr", {}, ...cells);
}

class Results {
  #results = new Map();
  #say;

  constructor(say) {
    this.#say = say;
    document.title = say("page_results");
    byId("search").addEventListener("input", () => this.show());
  }

  /** Take the results that the hub has. */
  async load() {
    const answer = await fetch("/api/results", { cache: "no-store" });
    if (!answer.ok) return;
    for (const result of (await answer.json()).results) this.#results.set(result.match, result);
    this.show();
  }

  result(result) {
    this.#results.set(result.match, result);
    this.show();
  }

  forget() {
    this.#results.clear();
    this.load();
  }

  show() {
    const asked = byId("search").value.trim().toLowerCase();
    const shown = [...this.#results.values()].filter((result) => isFound(result, asked));
    shown.sort((one, other) => (other.begun ?? "").localeCompare(one.begun ?? ""));
    byId("rows").replaceChildren(...shown.map((result) => row(result, this.#say)));
    byId("table").hidden = shown.length === 0;
    byId("none").hidden = shown.length > 0;
    const known = this.#results.size > 0;
    setText(byId("none"), this.#say(known ? "page_no_result_found" : "page_no_results"));
  }

  draw() {
    return null;
  }
}

function isFound(result, asked) {
  const { left, right } = result.players;
  return [result.board, left, right].some((text) => (text ?? "").toLowerCase().includes(asked));
}

const say = await loadWords();
const results = new Results(say);
follow("/api/events", results, say);
results.load();
