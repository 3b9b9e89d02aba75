// The results by round, the latest first; a result that arrives is put at its place.

import { byId, element, foreign, setText } from "./dom.js";
import { follow } from "./page.js";
import {
  begunText,
  byRound,
  durationText,
  nameOf,
  outcome,
  remarks,
  resultScore,
  roundText,
} from "./result_words.js";
import { link, loadWords } from "./words.js";

/** Return a table row of a result. */
function row(result, say) {
  const address = link(`/match/${encodeURIComponent(result.match)}`);
  const won = (side) => (result.winner === side ? "won" : "");
  const score = element("a", { href: address, class: "score" }, resultScore(result));
  const doubted = result.forks || result.damage ? "warn" : "";
  const unfinished = result.complete ? "" : "warn";
  const cells = [
    element("th", { scope: "row" }, foreign(result.board || result.clock || "")),
    element("td", { class: won("left") }, foreign(nameOf(result, "left", say))),
    element("td", { class: "middle" }, score),
    element("td", { class: won("right") }, foreign(nameOf(result, "right", say))),
    element("td", { class: `outcome ${unfinished}` }, foreign(outcome(result, say))),
    element("td", { class: "number" }, begunText(result)),
    element("td", { class: "number" }, durationText(result)),
    element("td", { class: `remarks ${doubted}` }, foreign(remarks(result, say).join("; "))),
    element("td", { class: "number code" }, foreign(result.head ?? "")),
  ];
  return element("tr", {}, ...cells);
}

/** Return the part of the table that has the results of a round. */
function section(title, results, say) {
  const heading = element("th", { scope: "rowgroup", colspan: "9" }, title);
  const rows = results.map((result) => row(result, say));
  return element("tbody", {}, element("tr", { class: "round" }, heading), ...rows);
}

class Results {
  #results = [];
  #loading = false;
  #wanted = false; // results have come since the latest load began
  #say;

  constructor(say) {
    this.#say = say;
    document.title = say("page_results");
    byId("search").addEventListener("input", () => this.show());
  }

  /** Take the results that the hub has. */
  async load() {
    this.#wanted = false;
    const answer = await fetch("/api/results", { cache: "no-store" });
    if (!answer.ok) return;
    this.#results = (await answer.json()).results;
    this.show();
  }

  /** Load all results anew, once for all that come meanwhile: one may change the others' rounds. */
  async result() {
    this.#wanted = true;
    if (this.#loading) return;
    this.#loading = true;
    try {
      while (this.#wanted) await this.load();
    } finally {
      this.#loading = false;
    }
  }

  forget() {
    this.#results = [];
    this.result();
  }

  show() {
    const asked = byId("search").value.trim().toLowerCase();
    const shown = this.#results.filter((result) => isFound(result, asked));
    const sections = byRound(shown).map(([first, ...others]) =>
      section(roundText(first, this.#say), [first, ...others], this.#say),
    );
    for (const old of byId("list").querySelectorAll("tbody")) old.remove();
    byId("list").append(...sections);
    byId("table").hidden = shown.length === 0;
    byId("none").hidden = shown.length > 0;
    const known = this.#results.length > 0;
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
results.result();
