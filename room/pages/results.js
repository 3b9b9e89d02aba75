// The results by round, the latest first; a result that arrives is put at its place.

import { NAMES } from "./board_words.js";
import { ask } from "./director.js";
import { byId, cell, element, foreign, setText } from "./dom.js";
import { follow } from "./page.js";
import {
  begunText,
  byRound,
  durationText,
  isDoubted,
  matchPath,
  nameOf,
  ORDERS,
  outcome,
  placeText,
  remarks,
  resultScore,
  roundText,
} from "./result_words.js";
import { finds } from "./search.js";
import { messageWording } from "./messages.js";
import { link, loadWords } from "./words.js";

const CONFLICT = 409; // the status of a refusal: the logs do not fit

/** Return the buttons that join a log with what it says that it continues, or part them again. */
function joinButtons({ match, source, joined, apart }, say, told) {
  const path = `/api/1/matches/${encodeURIComponent(match)}/joined`;
  const button = (text, earlier) => {
    const made = element("button", { type: "button" }, text);
    const said = element("span", { role: "status" });
    made.addEventListener("click", async () => {
      made.disabled = true; // until the result comes anew, or the hub refuses
      setText(said, "");
      try {
        await ask("POST", path, JSON.stringify({ source, earlier }));
      } catch (error) {
        setText(said, ` ${error.status === CONFLICT ? say("page_not_joined") : told(error)}`);
        made.disabled = false;
      }
    });
    return element("span", {}, made, said);
  };
  const named = apart.filter((each) => each.may_join);
  return [
    ...named.map((each) => button(say("page_join", { log: each.match, who: each.source }), each.source)),
    ...(joined ? [button(say("page_part"), "")] : []),
  ];
}

/** Return a table row of a result; `told`: see `messages.js`, or null for others than the director. */
function row(result, say, told) {
  const address = link(matchPath(result));
  const won = (side) => (result.winner === side ? "won" : "");
  const score = element("a", { href: address, class: "score" }, resultScore(result));
  const doubted = isDoubted(result) ? "warn" : "";
  const joins = told ? joinButtons(result, say, told) : [];
  const unfinished = result.complete ? "" : "warn";
  const cells = [
    element("th", { scope: "row", role: "rowheader" }, foreign(placeText(result, say))),
    cell(won("left"), foreign(nameOf(result, "left", say))),
    cell("middle", score),
    cell(won("right"), foreign(nameOf(result, "right", say))),
    cell(`outcome ${unfinished}`, foreign(outcome(result, say))),
    cell("number", begunText(result)),
    cell("number", durationText(result)),
    cell(`remarks ${doubted}`, foreign(remarks(result, say).join("; "))),
    cell("number code", foreign(result.head ?? "")),
  ];
  cells.at(-2).append(...joins);
  return element("tr", { role: "row" }, ...cells);
}

/** Return the part of the table that has the results of a round. */
function section(title, results, say, told) {
  const about = { scope: "rowgroup", colspan: "9", role: "rowheader" };
  const heading = element("th", about, title);
  const rows = results.map((result) => row(result, say, told));
  const first = element("tr", { class: "round", role: "row" }, heading);
  return element("tbody", { role: "rowgroup" }, first, ...rows);
}

class Results {
  #results = [];
  #event = "";
  #told = null; // for the director
  #loading = false;
  #wanted = false; // results have come since the latest load began
  #say;

  constructor(say) {
    this.#say = say;
    document.title = say("report_results");
    for (const each of [byId("search"), ...document.querySelectorAll(".by")]) {
      each.addEventListener("input", () => this.show());
    }
    byId("xlsx").href += `?lang=${document.documentElement.lang}`;
    byId("print").addEventListener("click", () => window.print());
  }

  /** Take the results that the hub has. */
  async load() {
    this.#wanted = false;
    const answer = await fetch("/api/1/results", { cache: "no-store" });
    if (!answer.ok) return;
    const { results, event, director } = await answer.json();
    this.#told = director ? messageWording(this.#say) : null;
    this.#results = results;
    this.#event = event.name;
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
    const asked = byId("search").value;
    const say = this.#say;
    const wanted = CHOICES.map(([name, valueOf]) => [
      choose(byId(`by-${name}`), this.#results.map((result) => valueOf(result, say)), say),
      valueOf,
    ]);
    const isWanted = (result) =>
      wanted.every(([value, valueOf]) => value === "" || valueOf(result, say) === value);
    const shown = this.#results.filter((result) => isWanted(result) && isFound(result, asked));
    const order = ORDERS[byId("order").value];
    const others = shown.filter((result) => result.is_other);
    const rounds = byRound(shown.filter((result) => !result.is_other), order);
    const several = new Set(this.#results.map((result) => result.event)).size > 1;
    const sections = rounds.map((of) =>
      section(roundText(of[0], say, several), of, say, this.#told),
    );
    if (others.length) {
      const apart = section(say("page_other_matches"), byRound(others, order).flat(), say, this.#told);
      apart.className = "apart";
      sections.push(apart);
    }
    const [[event], [round]] = wanted;
    const title = [say("report_results"), event || this.#event, round].filter(Boolean).join(" · ");
    setText(byId("title"), title);
    document.title = title;
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

const CHOICES = [
  ["event", (result) => result.event],
  ["round", roundText],
  ["hall", (result) => result.hall ?? ""],
];

/** Offer the different values of results to choose from; return the one that is chosen. */
function choose(select, values, say) {
  const different = [...new Set(values.filter(Boolean))].sort(NAMES.compare).reverse();
  const chosen = different.includes(select.value) ? select.value : "";
  const known = [...select.options].slice(1).map((option) => option.value);
  if (known.join("\n") !== different.join("\n")) {
    const all = element("option", { value: "" }, `${select.ariaLabel}: ${say("page_all")}`);
    const options = different.map((value) => element("option", { value }, value));
    select.replaceChildren(all, ...options);
    select.value = chosen;
  }
  select.hidden = different.length < 2;
  return chosen;
}

function isFound(result, asked) {
  const { left, right } = result.players;
  return finds(asked, result.board, [result.hall ?? "", left ?? "", right ?? ""]);
}

const say = await loadWords();
const results = new Results(say);
follow(results, say);
results.result();
