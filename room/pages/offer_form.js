// What is the same for all boards that are offered a match, and the pairing list that fills them in.

import { ask, keepBy } from "./director.js";
import { byId, element, foreign, setText } from "./dom.js";

const PASTED_MS = 300; // from the last letter typed

export class OfferForm {
  #fill;
  #say;
  #told;
  #pasted = 0; // the timer of what was pasted
  #sent = ""; // what is the same for all boards, as it was sent; "": nothing, or it was taken

  /** Hear of pairings: `fill(pairings)`, each with its board and both names; `told`: see `messages.js`. */
  constructor(fill, say, told) {
    this.#fill = fill;
    this.#say = say;
    this.#told = told;
    keepBy(byId("by"));
    byId("list").addEventListener("change", (event) => this.#read(event.target.files[0]));
    byId("paste").addEventListener("input", (event) => this.#paste(event.target.value));
  }

  /** Offer the rules that there are, once. */
  addProfiles(names) {
    const { profile } = byId("form").elements;
    if (profile.options.length > 1) return;
    profile.append(...names.map((name) => element("option", { value: name }, name)));
  }

  /** The name of who offers. */
  get by() {
    return byId("by").value.trim();
  }

  /** What is the same for all boards: the fields that are not empty. */
  get match() {
    const given = [...new FormData(byId("form"))].filter(([, value]) => value.trim());
    const match = Object.fromEntries(given.map(([name, value]) => [name, value.trim()]));
    if (match.length) match.length = Number(match.length);
    if (match.score) match.score = (match.score.match(/\d+/g) ?? []).map(Number);
    if (match.reserves) match.reserves = match.reserves.split(/[ ,]+/);
    return match;
  }

  /** All of it, as it is typed. */
  get #typed() {
    return JSON.stringify([this.match, byId("paste").value, byId("list").value]);
  }

  /** Note that what is typed was sent. */
  send() {
    this.#sent = this.#typed;
  }

  /** Clear what was sent, since the last clock has taken it; what was typed since then stays. */
  take() {
    if (!this.#sent) return;
    if (this.#typed === this.#sent) {
      for (const field of [...new FormData(byId("form")).keys(), "paste", "list"]) {
        byId("form").elements.namedItem(field).value = ""; // `elements.length` is their number
      }
    }
    this.#sent = "";
  }

  /** Say why the hub has refused something. */
  refused(error) {
    this.complain([this.#told(error)]);
  }

  /** Say what is wrong, each problem in a line, where the director sees it: the button is below. */
  complain(problems) {
    byId("problems").replaceChildren(...problems.map((text) => element("li", {}, foreign(text))));
    if (problems.length) byId("problems").scrollIntoView({ block: "nearest" });
  }

  /** Read what was pasted from a spreadsheet, when no more of it comes. */
  #paste(text) {
    clearTimeout(this.#pasted);
    if (text.trim()) this.#pasted = setTimeout(() => this.#read(text), PASTED_MS);
  }

  /** Hear of the players of a pairing list: a file, or a text. */
  async #read(list) {
    if (!list) return;
    try {
      const path = `/api/1/pairings?lang=${document.documentElement.lang}`;
      const { pairings, problems, guess, summary } = await ask("POST", path, list);
      const isRight = !guess || confirm(this.#asked(guess, pairings));
      if (isRight) this.#fill(pairings);
      else byId("list").value = ""; // so that the same file can be chosen again
      const isWhole = isRight && problems.length === 0;
      setText(byId("said"), isWhole ? summary : "");
      const problem = isRight ? summary : this.#say("page_pairings_refused"); // it says all problems
      this.complain(isWhole ? [] : [problem]);
    } catch (error) {
      this.refused(error);
    }
  }

  /** Return the question whether names are right, since their encoding is a guess. */
  #asked(encoding, pairings) {
    const names = pairings.flatMap((each) => each.names).filter((name) => /[^ -~]/.test(name));
    return [this.#say("page_pairings_guess", { encoding }), "", ...names].join("\n");
  }
}
