// The clock itself, in virtual time that this page gives it: differences of the browser's clock.

import { oneTab } from "./one_tab.js";
import { find, inOrder, language, make, save, say, start, state } from "./page.js";

const [WIDTH, HEIGHT] = [128, 64];
const KEYS = { a: "left", l: "right", " ": "centre" };
const KEPT = "gammonclock-practice";
const TICK_MS = 50;
const GAP_MS = 2000; // between the two clocks of a browser: the computer slept
const LONGEST_MS = 150_000; // a hidden tab ticks once a minute; Windows' clock goes on while it sleeps
const speed = () => Number(find("#speed").value);

let runtime = null; // only where the match is played
let before = performance.now();
let wallBefore = Date.now();
let busy = false;
let isPlaying = false;
let isLost = false; // with the page: nothing keeps it

const after = inOrder();
const ask = (call, ...args) => runtime.json("practice_clock", call, args);

// The seconds of the match since the call before; null if the computer slept meanwhile.
function passed() {
  const [now, wall] = [performance.now(), Date.now()];
  const [seconds, slept] = [(now - before) / 1000, wall - wallBefore - (now - before)];
  const [from, to] = [wallBefore, wall].map((each) => new Date(each).toLocaleTimeString(language));
  [before, wallBefore] = [now, wall];
  if (slept <= GAP_MS && seconds * 1000 <= LONGEST_MS) return seconds * speed();
  state(say("slept", { from, to }));
  return null;
}

function draw({ panels, task }) {
  const asked = task && say(task);
  let isNew = find("#task").textContent !== asked;
  if (isNew) find("#task").textContent = asked;
  panels.forEach(({ pixels, words }, number) => {
    const canvas = find(number ? "#right" : "#left");
    if (canvas.dataset.pixels === pixels) return;
    isNew = true;
    canvas.dataset.pixels = pixels;
    canvas.setAttribute("aria-label", words);
    const image = new ImageData(WIDTH, HEIGHT);
    for (let at = 0; at < WIDTH * HEIGHT; at += 1) {
      const lit = (parseInt(pixels.substr((at >> 3) * 2, 2), 16) >> (7 - (at & 7))) & 1;
      image.data.set(lit ? [255, 246, 214, 255] : [10, 11, 13, 255], at * 4);
    }
    canvas.getContext("2d").putImageData(image, 0, 0);
  });
  return isNew;
}

// Shows what the clock shows, here and in other tabs, and keeps a match that has another line.
async function show(shown) {
  if (draw(shown)) tell(shown);
  if (shown.task) return; // a lesson is not kept, and the match before it stays
  if (shown.log === kept.log && shown.lines === kept.lines) return;
  [kept.log, kept.lines] = [shown.log, shown.lines];
  try {
    localStorage.setItem(KEPT, JSON.stringify(await ask("files")));
  } catch {
    isLost = true;
    state(say("not_kept"), true);
  }
}

function kept() {
  try {
    return localStorage.getItem(KEPT) ?? "";
  } catch {
    return "";
  }
}

async function begin(old) {
  const lesson = find("#lesson").value;
  if (lesson) {
    const shown = await ask("begin_lesson", lesson, language);
    return play(shown, "");
  }
  const length = find("#length");
  const settings = [
    "[match]",
    `length = ${length.validity.valid ? Number(length.value) || 7 : 7}`,
    "[rules]",
    `profile = "${find("#rules").value}"`,
    "[display]",
    `language = "${language}"`,
  ];
  const shown = await ask("begin", `${settings.join("\n")}\n`, old);
  return shown.error ? state(shown.error, true) : play(shown, say("kept_here"));
}

function play(shown, told) {
  passed();
  isPlaying = true;
  state(told);
  return show(shown);
}

function press(button, down) {
  if (!isPlaying) return;
  const seconds = passed();
  find(`#${button}-button`).classList.toggle("down", down);
  after(async () => show(seconds === null ? await ask("cut") : await ask("move", button, down, seconds)));
}

function tick() {
  if (!isPlaying || busy) return;
  busy = true;
  const seconds = passed();
  after(async () => {
    try {
      await show(seconds === null ? await ask("cut") : await ask("wait", seconds));
    } finally {
      busy = false;
    }
  });
}

for (const button of ["left", "centre", "right"]) {
  const place = find(`#${button}-button`);
  place.onpointerdown = (event) => {
    place.setPointerCapture(event.pointerId);
    press(button, true);
  };
  place.onpointerup = () => press(button, false);
  place.onpointercancel = () => press(button, false);
}

const isTyping = ({ target }) => /^(INPUT|SELECT)$/.test(target.tagName);
addEventListener("keydown", (event) => {
  const button = KEYS[event.key.toLowerCase()];
  if (!button || event.repeat || isTyping(event)) return;
  event.preventDefault();
  press(button, true);
});
addEventListener("keyup", (event) => {
  const button = KEYS[event.key.toLowerCase()];
  if (!button || isTyping(event)) return;
  event.preventDefault();
  press(button, false);
});

addEventListener("beforeunload", (event) => isLost && event.preventDefault());

find("#new").onsubmit = (event) => {
  event.preventDefault();
  find("#lesson").value = "";
  after(() => begin(""));
};
find("#lesson").onchange = () => after(() => begin(kept()));
find("#save").onclick = () =>
  after(async () => {
    const files = await ask("files");
    for (const [name, content] of Object.entries(files)) {
      const bytes = Uint8Array.from(content.match(/../g) ?? [], (each) => parseInt(each, 16));
      if (name.endsWith(".jsonl")) save(name, bytes, "application/jsonl");
    }
  });

async function open() {
  const { rules, lessons } = await ask("choices");
  for (const name of rules) find("#rules").append(make("option", name, { value: name }));
  for (const name of lessons) find("#lesson").append(make("option", say(`lesson_${name}`), { value: name }));
  find("#rules").value = "wbgf";
  await begin(kept());
  setInterval(tick, TICK_MS);
  navigator.wakeLock?.request("screen").catch(() => {});
  navigator.storage?.persist?.();
}

function enable(isMine) {
  for (const each of document.querySelectorAll("main :is(button, input, select)")) each.disabled = !isMine;
}

function take() {
  enable(true);
  runtime = start();
  after(open);
}

function watch(shown) {
  enable(false);
  if (shown) draw(shown);
  if (find("#state").textContent !== say("other_tab")) state(say("other_tab"), true);
}

const tell = oneTab(take, watch);
