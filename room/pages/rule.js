// A ruling that the director proposes for one board: the items and questions of the box's menu, one
// after the other, then what would change. A hand at the box carries it out or refuses it.

import { ask, keepBy, token } from "./director.js";
import { byId, element, foreign, idOfPage, setText } from "./dom.js";
import { withBy } from "./offer_row.js";
import { follow } from "./page.js";
import { clockText, SECOND_NS } from "./time.js";
import { messageWording } from "./messages.js";
import { link, loadWords } from "./words.js";

const PENDING = ["sent", "shown"];
const MINUTE_S = 60;
const PAGE = "gammonclock.page"; // in this tab, also after it is loaded again
const NOTHING = "-"; // on the panels, where a reason can be chosen
const LOOK_MS = 10_000; // in which the hub hears again that this page is open

class RulePage {
  #id = idOfPage();
  #path = `/api/1/rulings/${encodeURIComponent(this.#id)}`;
  #say;
  #told;
  #look = null; // what the hub has said last
  #item = null; // the one that is filled in
  #answers = []; // to its questions, each with its text
  #entry = null; // the question that is open; null: the preview is shown
  #asked = 0; // how often the hub was asked: an older answer counts no more
  #seen = ""; // the board, as it was when the hub was asked last
  #page = (sessionStorage[PAGE] ??= String(Math.random())); // among the open ones of all directors
  #after = null; // the line of the log for which the form is filled in
  #isAnother = false; // the hub has started again while the form was open
  #kept = null; // a ruling of which a hub that has started again knows nothing

  constructor(say, told) {
    this.#say = say;
    this.#told = told;
    const title = `${say("page_rule")} · ${say("page_board", { board: this.#id })}`;
    setText(byId("title"), title);
    document.title = title;
    byId("board").href = link(`/board/${encodeURIComponent(this.#id)}`);
    keepBy(byId("by"));
    byId("back").addEventListener("click", () => this.#back());
    byId("withdraw").addEventListener("click", () => this.#withdraw());
    byId("choices").addEventListener("input", () => this.#foresee());
    setInterval(() => this.load(), LOOK_MS);
    byId("form").addEventListener("submit", (event) => {
      event.preventDefault();
      if (this.#entry === null) this.#propose();
      else this.#answer(...this.#entered());
    });
  }

  /** Ask the hub what can be ruled now, and what has become of the latest ruling. */
  async load() {
    const asked = ++this.#asked;
    try {
      const here = new URLSearchParams({ page: this.#page, by: byId("by").value.trim() });
      const look = await ask("GET", `${this.#path}?${this.#language}&${here}`);
      const lines = await this.#linesOf(pendingOf(look));
      if (asked === this.#asked) this.#take(look, lines);
    } catch (error) {
      if (asked !== this.#asked) return;
      byId("none").hidden = false;
      byId("rule").hidden = !this.#item; // what is filled in stays
      setText(byId("none"), token ? this.#told(error) : this.#say("page_offer_director"));
    }
  }

  ruling() {
    this.load();
  }

  changed({ id, seq, match, state }) {
    const seen = JSON.stringify([seq, match, state]);
    if (id !== this.#id || seen === this.#seen) return;
    this.#seen = seen;
    this.load();
  }

  /** The hub has started again, and hears of the board anew. */
  forget() {
    this.#isAnother = true;
    this.load();
  }

  draw() {
    return null;
  }

  get #language() {
    return `lang=${document.documentElement.lang}`;
  }

  /** Return what the hub asks for after these answers. */
  #form(item, answers) {
    const query = new URLSearchParams({ item, answers: JSON.stringify(answers) });
    return ask("GET", `${this.#path}/form?${this.#language}&${query}`);
  }

  /** Return what a pending ruling would change; nothing if it cannot be carried out any more. */
  async #linesOf(pending) {
    if (!pending) return [];
    const { item, answers } = pending.ruling ?? pending;
    const form = await this.#form(item, answers).catch(() => ({}));
    return form.preview ?? [];
  }

  #take(look, lines) {
    const before = this.#look;
    this.#look = look;
    byId("none").hidden = true;
    byId("rule").hidden = false;
    const players = Object.entries(look.players).map(([side, each]) => {
      const name = each.name || this.#say(side);
      const has = `${this.#say("report_score")} ${each.points} · ${clockText(each.reserve_ns)}`;
      return element("li", {}, foreign(name), element("br"), has);
    });
    byId("players").replaceChildren(...players);
    const others = look.others.map((by) =>
      element("p", {}, foreign(withBy(this.#say("page_rule_other"), { by }))),
    );
    byId("others").replaceChildren(...others);
    setText(byId("why"), look.why ? this.#told(look) : "");
    const known = pendingOf(before ?? {}) ?? before?.ruling;
    if (known && !look.ruling && look.standing?.id !== known.id) this.#kept = known; // by a restart
    this.#drawLatest(look, lines);
    this.#check(look);
    if (isSame(before?.items, look.items)) return; // or the keyboard would lose its place
    const buttons = look.items.map((each) => {
      const button = element("button", { type: "button", "data-item": each.item });
      setText(button, this.#title("item", each.item));
      button.addEventListener("click", () => this.#begin(each));
      return button;
    });
    byId("items").replaceChildren(...buttons);
  }

  /** Give up the form if the board has gone on; a hub that has just started may not know it yet. */
  #check(look) {
    if (!this.#item || !look.after) return;
    const isGone = !isSame(this.#after, look.after);
    if (isGone || look.why) {
      this.#close();
      if (!look.why) this.#complain(this.#say("page_rule_gone"));
    } else if (this.#isAnother) {
      this.#complain(this.#say("page_rule_kept"));
    }
    this.#isAnother = false;
  }

  /** Return what an item or a question of the box is called where there is more room than there. */
  #title(kind, name) {
    const key = `page_rule_${kind}_${name}`;
    const said = this.#say(key);
    return said === key ? this.#say(`${kind}_${name}`) : said;
  }

  #drawLatest(look, lines) {
    if (pendingOf(look) ?? look.ruling) this.#kept = null;
    const isLost = this.#kept && PENDING.includes(this.#kept.state ?? "shown");
    const kept = isLost ? { ...this.#kept, state: "lost" } : this.#kept;
    const latest = pendingOf(look) ?? look.ruling ?? (look.after && kept);
    byId("pending").hidden = !latest;
    if (!latest) return;
    const { item } = latest.ruling ?? latest;
    const state = latest.state ?? "shown";
    const said = withBy(this.#say(`page_rule_${state}`), latest);
    const why = latest.why ? `: ${this.#told(latest)}` : "";
    setText(byId("state"), `${this.#title("item", item)}: ${said}${why}`);
    byId("pending-lines").replaceChildren(...lines.map((line) => element("li", {}, foreign(line))));
    byId("withdraw").hidden = state !== "sent";
  }

  #complain(text) {
    setText(byId("problem"), text);
  }

  async #begin(item) {
    this.#item = item;
    this.#after = this.#look.after;
    this.#isAnother = false;
    this.#answers = [];
    await this.#next();
  }

  async #answer(answer, text) {
    this.#answers.push({ answer, text: `${this.#title("entry", this.#entry.name)} ${text}` });
    await this.#next();
  }

  async #back() {
    if (this.#answers.pop()) await this.#next();
    else this.#close();
  }

  #close() {
    const { item } = this.#item;
    this.#item = null;
    byId("form").hidden = true;
    byId("items").hidden = false;
    byId("items").querySelector(`[data-item="${item}"]`)?.focus();
    this.#complain("");
  }

  /** Show what a time or a number would do, while it is typed. */
  async #foresee() {
    const entry = this.#entry;
    const typed = () => JSON.stringify([...this.#given, this.#entered()[0]]);
    const answers = typed();
    const form = await this.#form(this.#item.item, JSON.parse(answers)).catch(() => ({}));
    if (entry === this.#entry && answers === typed()) this.#drawPreview(form.preview);
  }

  get #given() {
    return this.#answers.map(({ answer }) => answer);
  }

  /** Show the next question, or after the last one what would change. */
  async #next() {
    const item = this.#item;
    this.#complain("");
    try {
      const given = this.#given;
      const form = await this.#form(item.item, given);
      if (item === this.#item && given.length === this.#answers.length) this.#drawForm(form);
    } catch (error) {
      this.#answers.pop();
      this.#complain(this.#told(error));
    }
  }

  #drawForm({ entry, preview }) {
    this.#entry = entry;
    byId("items").hidden = true;
    byId("form").hidden = false;
    setText(byId("item"), this.#title("item", this.#item.item));
    const answers = this.#answers.map(({ text }) => element("li", {}, foreign(text)));
    byId("answers").replaceChildren(...answers);
    byId("entry").hidden = !entry;
    this.#drawPreview(preview);
    byId("signed").hidden = Boolean(entry);
    byId("go").hidden = entry?.kind === "choice";
    setText(byId("go"), this.#say(entry ? "page_rule_next" : "page_rule_propose"));
    if (entry) {
      setText(byId("question"), this.#title("entry", entry.name));
      byId("choices").replaceChildren(...this.#fields(entry));
    }
    const field = entry && byId("choices").querySelector("input, button");
    (field ?? byId("item")).focus();
  }

  #drawPreview(preview) {
    const lines = (preview ?? []).map((line) => element("li", {}, foreign(line)));
    byId("preview").replaceChildren(...lines);
  }

  #fields(entry) {
    const choices = (entry.options ?? []).map((option) => this.#choice(option));
    if (entry.kind === "choice") return choices;
    if (entry.kind === "names") return [this.#name("left"), this.#name("right"), ...choices];
    if (entry.kind === "number") {
      const title = this.#title("entry", entry.name);
      return [this.#number("number", title, entry.value, entry.least, entry.most)];
    }
    const seconds = Math.abs(Math.round(entry.value / SECOND_NS));
    const most = Math.floor(entry.most / SECOND_NS / MINUTE_S);
    const fields = [
      this.#number("minutes", this.#say("page_rule_minutes"), Math.floor(seconds / MINUTE_S), 0, most),
      this.#number("seconds", this.#say("page_rule_seconds"), seconds % MINUTE_S, 0, MINUTE_S - 1),
    ];
    if (entry.least >= 0) return fields;
    const taken = element("input", { type: "checkbox", name: "taken" });
    taken.checked = entry.value < 0;
    return [...fields, element("label", { class: "taken" }, taken, this.#say("page_rule_taken"))];
  }

  #choice({ answer, label }) {
    const text = label === NOTHING ? this.#say("page_rule_no_reason") : label;
    const button = element("button", { type: "button" }, foreign(text));
    button.addEventListener("click", () => this.#answer(answer, text));
    return button;
  }

  #name(side) {
    const field = element("input", { name: side, required: "", maxlength: 40, autocomplete: "off" });
    field.value = this.#look.players[side].name;
    return element("label", {}, element("span", {}, this.#say(side)), field);
  }

  #number(name, title, value, least, most) {
    const limits = { min: least, max: most, step: 1, required: "" };
    const field = element("input", { type: "number", inputmode: "numeric", name, ...limits });
    field.value = value;
    field.addEventListener("focus", () => field.select());
    return element("label", {}, element("span", {}, title), field);
  }

  /** Return the number, the time or the names that were entered, and their text. */
  #entered() {
    const { number, minutes, seconds, taken, left, right } = byId("form").elements;
    if (this.#entry.kind === "names") {
      const names = [left.value.trim(), right.value.trim()];
      return [names, names.join(" - ")];
    }
    if (this.#entry.kind === "number") return [Number(number.value), number.value];
    const ns = (Number(minutes.value) * MINUTE_S + Number(seconds.value)) * SECOND_NS;
    return taken?.checked && ns ? [-ns, `-${clockText(ns)}`] : [ns, clockText(ns)];
  }

  async #propose() {
    const pending = pendingOf(this.#look);
    const question = () => withBy(this.#say("page_rule_replace"), pending);
    if (pending && !confirm(question())) return;
    const wanted = {
      after: this.#after,
      item: this.#item.item,
      answers: this.#given,
      by: byId("by").value.trim(),
      replaces: pending?.id ?? "",
    };
    await this.#do(
      () => ask("POST", this.#path, JSON.stringify(wanted)),
      ({ ruling }) => {
        this.#look.ruling = ruling;
        this.#close();
      },
    );
  }

  async #withdraw() {
    await this.#do(() => ask("DELETE", this.#path));
  }

  async #do(asked, done = () => {}) {
    try {
      done(await asked());
    } catch (error) {
      this.#complain(this.#told(error));
    }
    await this.load();
  }
}

/** Return the ruling that nobody has answered: of this run of the hub, or on the panels from before. */
function pendingOf({ ruling, standing }) {
  return PENDING.includes(ruling?.state) ? ruling : standing;
}

function isSame(one, other) {
  return JSON.stringify(one) === JSON.stringify(other);
}

const say = await loadWords();
const page = new RulePage(say, messageWording(say));
follow(page, say, idOfPage());
page.load();
