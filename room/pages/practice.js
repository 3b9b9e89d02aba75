// The page to practise on: two panels, three buttons, lessons.

import { byId, element, setText } from "./dom.js";
import { ClockError, newClock, PracticeClock } from "./practice_clock.js";
import { draw, panelWidth } from "./practice_panel.js";
import { Sound } from "./sound.js";
import { loadTold } from "./told.js";
import { loadWords } from "./words.js";

const SIDES = ["left", "right"];
const KEYS = new Map([
  ["a", "left"], ["arrowleft", "left"],
  ["l", "right"], ["arrowright", "right"],
  [" ", "centre"],
]);
const HOLD_MS = 1700; // the centre counts as held after 1.5 s
const MOST_OF_HEIGHT = 0.42; // that a panel takes, which is twice as wide as high
const LOG_LINES = 8;

class PracticePage {
  #say;
  #form = byId("wishes");
  #canvases = document.querySelectorAll("canvas");
  #clock = null;
  #beeps = 0;
  #learned = false;
  #said = ["", ""];
  #sound = new Sound((state) => setText(byId("sound"), this.#say?.(`page_sound_${state}`) ?? ""));

  constructor(say) {
    this.#say = say;
    document.title = say("practice_title");
    setText(byId("sound"), say(`page_sound_${this.#sound.state}`));
    byId("sound").addEventListener("click", () => this.#sound.toggle());
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#begin();
    });
    this.#form.lesson.addEventListener("change", () => this.#begin());
    this.#form.profile.addEventListener("change", () => this.#begin());
    for (const button of document.querySelectorAll("[data-button]")) this.#listen(button);
    for (const kind of ["keydown", "keyup"]) {
      document.addEventListener(kind, (event) => this.#key(event, kind === "keydown"));
    }
    byId("hold").addEventListener("click", () => this.#hold());
    document.addEventListener("visibilitychange", () => this.#clock?.release());
    window.addEventListener("blur", () => this.#clock?.release());
    window.addEventListener("resize", () => this.#fit());
    this.#begin(new URLSearchParams(location.search).get("at") ?? "");
  }

  async #begin(lesson = this.#form.lesson.value) {
    if (!this.#form.reportValidity()) return;
    this.#clock?.close();
    const { profile, length } = this.#form;
    const wishes = { lesson, language: document.documentElement.lang, length: Number(length.value) };
    if (profile.value) wishes.profile = profile.value;
    try {
      const made = await newClock(wishes);
      this.#offer(made, lesson);
      this.#show(lesson);
      this.#clock = new PracticeClock(made.id, this);
    } catch (error) {
      this.#refused(error instanceof ClockError ? error : new ClockError("lost"));
    }
  }

  /** Offer what can be chosen. */
  #offer({ lessons, profiles }, lesson) {
    const { lesson: select, profile } = this.#form;
    if (profile.options.length === 0) {
      profile.append(...profiles.map((name) => element("option", { value: name }, name)));
      const title = (name) => this.#say(`lesson_${name}`);
      select.append(...lessons.map((name) => element("option", { value: name }, title(name))));
    }
    select.value = lessons.includes(lesson) ? lesson : "";
  }

  #show(lesson) {
    const known = this.#form.lesson.value !== "";
    const task = byId("task");
    task.hidden = !known;
    task.classList.remove("learned");
    setText(task, known ? this.#say(`lesson_${lesson}_task`) : "");
    for (const part of document.querySelectorAll(".of-match")) part.hidden = known;
    for (const id of ["box", "hold", "log-part"]) byId(id).hidden = false;
    byId("log").replaceChildren();
    [this.#beeps, this.#learned, this.#said] = [0, false, ["", ""]];
    this.#fit();
  }

  async #refused(error) {
    const told = await loadTold(this.#say);
    const task = byId("task");
    task.hidden = false;
    task.classList.remove("learned");
    setText(task, this.#say(`practice_${error.kind}`, { why: told(error.message) }));
  }

  #fit() {
    for (const canvas of this.#canvases) {
      const room = Math.min(canvas.parentElement.clientWidth - 16, innerHeight * MOST_OF_HEIGHT * 2);
      canvas.style.inlineSize = `${panelWidth(room, devicePixelRatio)}px`;
    }
  }

  // --- the clock's events ---

  shown({ panels, log, beeps, learned }) {
    panels.forEach((panel, at) => panel !== null && this.#panel(panel, at));
    for (const line of log) byId("log").prepend(element("li", {}, line));
    while (byId("log").children.length > LOG_LINES) byId("log").lastChild.remove();
    if (beeps > this.#beeps) this.#sound.play();
    this.#beeps = beeps;
    if (learned && !this.#learned) {
      this.#learned = true;
      byId("task").classList.add("learned");
      byId("task").append(" ", element("strong", {}, this.#say("practice_learned")));
    }
  }

  #panel(panel, at) {
    draw(this.#canvases[at], panel);
    setText(byId(`text-${SIDES[at]}`), `${this.#say(SIDES[at])}: ${panel.times.join(" ")}. ${panel.texts.join(". ")}`);
    this.#said[at] = panel.texts.join(". ");
    setText(byId("told"), [...new Set(this.#said)].join(". "));
  }

  connection(open) {
    byId("connection").classList.toggle("shown", !open);
    setText(byId("connection"), open ? "" : this.#say("practice_no_connection"));
  }

  ended() {
    this.connection(true);
    this.#refused(new ClockError("ended"));
  }

  // --- the buttons ---

  #listen(button) {
    const name = button.dataset.button;
    button.addEventListener("pointerdown", (event) => {
      button.setPointerCapture(event.pointerId);
      this.#press(name, true);
    });
    for (const kind of ["pointerup", "pointercancel", "lostpointercapture"]) {
      button.addEventListener(kind, () => this.#press(name, false));
    }
    button.addEventListener("contextmenu", (event) => event.preventDefault());
    button.addEventListener("click", (event) => {
      if (event.detail > 0) return; // of a pointer, which has pressed it already
      this.#press(name, true);
      this.#press(name, false);
    });
  }

  #key(event, down) {
    const name = KEYS.get(event.key.toLowerCase());
    const elsewhere = event.target.closest?.("select, input, button:not([data-button]), a");
    if (name === undefined || elsewhere || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    if (!event.repeat) this.#press(name, down);
  }

  #press(name, down) {
    this.#clock?.press(name, down);
    document.querySelector(`[data-button="${name}"]`).classList.toggle("down", down);
  }

  #hold() {
    this.#press("centre", true);
    setTimeout(() => this.#press("centre", false), HOLD_MS);
  }
}

new PracticePage(await loadWords());
