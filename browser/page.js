// What all pages share: the language, the navigation, the state of the program, files, results.

import { Ended, readFiles, Runtime } from "./runtime.js";

export const LANGUAGES = ["en", "de", "da", "nb"];
const PAGES = ["settings", "proof", "report", "practice"];
const KEY = "gammonclock-language";

function remembered() {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null; // a browser that keeps nothing
  }
}

function wanted() {
  const asked = new URLSearchParams(location.search).get("language");
  const found = [asked, remembered(), ...navigator.languages.map((each) => each.slice(0, 2))];
  const known = found.map((each) => (each === "no" ? "nb" : each));
  return known.find((each) => LANGUAGES.includes(each)) ?? "en";
}

let isReady = false; // the program is there, and nothing more is loaded
export const language = wanted();
const words = await (await fetch(new URL(`./words/${language}.json`, import.meta.url))).json();

// The text of a key; {name} in it becomes the value of that name.
export function say(key, values = {}) {
  return words[key].replace(/\{(\w+)\}/g, (_, name) => values[name]);
}

export const hasWord = (key) => key in words;

export const find = (selector) => document.querySelector(selector);

export function make(tag, text = "", attributes = {}) {
  const made = document.createElement(tag);
  made.textContent = text;
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

function dress() {
  find("#not-served")?.remove();
  document.documentElement.lang = language;
  for (const each of document.querySelectorAll("[data-word]")) each.textContent = say(each.dataset.word);
  for (const each of document.querySelectorAll("[data-hint]")) each.placeholder = say(each.dataset.hint);
  const header = find("header[data-page]");
  const nav = make("nav", "", { "aria-label": "gammonclock" });
  nav.append(make("a", "gammonclock", { href: "index.html", class: "home" }));
  for (const page of PAGES) {
    const link = make("a", say(`nav_${page}`), { href: `${page}.html` });
    if (page === header.dataset.page) link.setAttribute("aria-current", "page");
    nav.append(link);
  }
  const select = make("select", "", { "aria-label": say("language"), id: "language" });
  for (const each of LANGUAGES) select.append(make("option", say(`name_${each}`), { value: each }));
  select.value = language;
  select.onchange = () => {
    try {
      localStorage.setItem(KEY, select.value);
    } catch {
      // it holds for this page
    }
    dispatchEvent(new Event("language")); // a page keeps what was entered
    const address = new URL(location.href);
    address.searchParams.set("language", select.value);
    location.assign(address);
  };
  header.append(nav, select);
  document.title = `${say(`nav_${header.dataset.page}`)} · gammonclock`;
}

let isSaid = false; // of files or the match: it stays while the program loads

export function state(text, isBad = false) {
  isSaid = true;
  put(text, isBad);
}

function put(text, isBad = false) {
  const line = find("#state");
  if (line.textContent !== text) line.textContent = text; // the same again would be read out again
  line.classList.toggle("bad", isBad);
}

// Says that something did not work, and what to do.
function fail(error) {
  state(say("failed", { why: error instanceof Ended ? say("ended") : error.message }), true);
}

// Says something above all else, until the page is left; `acts` are buttons.
function notice(text, ...acts) {
  const line = make("p", `${text} `, { class: "notice", role: "status" });
  line.append(...acts);
  find("header[data-page]").append(line);
}

// The program, which begins to load; what it does is said in #state.
export function start() {
  if (wasEnded()) notice(say("died"));
  isSaid = false;
  return new Runtime((told) => {
    if (told.ready) isReady = true;
    if (told.failed) fail(told.failed);
    else if (!isSaid) put(told.ready ? say("ready") : say("loading", { percent: Math.round((100 * told.loaded) / told.of) }));
  });
}

// Has the program run the command of `commandOf(files)` on the files that are chosen, and shows what
// it prints; `told(ended, files)` returns what the line of the state then says. Returns what runs it
// again, for another form of the command.
export function runOnFiles(waiting, commandOf, told) {
  const runtime = start();
  let files = [];
  let turn = 0;

  async function run() {
    if (!files.length) return state(say("no_file"));
    const mine = ++turn;
    isSaid = false; // that it loads may be shown
    put(say(waiting));
    try {
      const ended = await runtime.run(commandOf(files), files);
      if (mine !== turn) return undefined; // another one was asked for meanwhile
      show(ended);
      return state(told(ended, files));
    } catch (error) {
      return fail(error);
    }
  }

  onFiles(async (chosen) => {
    try {
      files = await readFiles(chosen);
    } catch (error) {
      return state(say("too_large", { name: error.message }), true);
    }
    find("#given").replaceChildren(...files.map(({ name }) => make("li", name)));
    return run();
  });
  return run;
}

// Returns what does one thing after the other, whatever becomes of each.
export function inOrder() {
  let turn = Promise.resolve();
  return (work) => {
    turn = turn.then(work).catch(fail);
    return turn;
  };
}

// The names of files for a command line, on which one may begin with "-".
export const operands = (files) => ["--", ...files.map(({ name }) => name)];

// The option that words what a command prints as this page; in English it is as everywhere.
export const inLanguage = language === "en" ? [] : ["--language", language];

// Calls `take` with the files that are chosen, or dropped anywhere on the page.
export function onFiles(take) {
  const input = find("#files");
  const drop = find("#drop");
  input.onclick = () => (input.value = ""); // the same file, changed meanwhile, is another choice
  const chosen = () => {
    if (input.files.length) take([...input.files]);
  };
  input.onchange = chosen;
  addEventListener("dragover", (event) => {
    event.preventDefault();
    drop.classList.add("over");
  });
  addEventListener("dragleave", () => drop.classList.remove("over"));
  addEventListener("drop", (event) => {
    event.preventDefault();
    drop.classList.remove("over");
    if (event.dataTransfer.files.length) take([...event.dataTransfer.files]);
  });
  chosen(); // before this page had its words
}

// Shows what a command printed: standard output, then errors.
export function show({ output, errors, code }) {
  const place = find("pre[data-output]");
  place.textContent = output + errors;
  place.dataset.exit = code;
  find("#found").hidden = false;
}

// Has the browser save a text or bytes as a file.
export function save(name, content, type) {
  const address = URL.createObjectURL(new Blob([content], { type }));
  const link = make("a", "", { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

// Whether the browser ended this tab's page the last time: a page that is left takes the mark away.
function wasEnded() {
  const MARK = "gammonclock-open";
  try {
    const found = sessionStorage.getItem(MARK);
    sessionStorage.setItem(MARK, "1");
    addEventListener("pagehide", () => sessionStorage.removeItem(MARK));
    addEventListener("pageshow", () => sessionStorage.setItem(MARK, "1"));
    return Boolean(found);
  } catch {
    return false; // a browser that keeps nothing
  }
}

// Says that a new release waits. It is taken when somebody asks for it, or all pages are closed;
// pages that are open have all that they need of theirs, but for one that still loads.
async function watchReleases() {
  const container = navigator.serviceWorker;
  const found = await container.register(new URL("./service_worker.js", import.meta.url));
  container.addEventListener("controllerchange", () => isReady || location.reload());
  function tell(worker) {
    const button = make("button", say("load_release"), { type: "button" });
    button.onclick = () => {
      if (worker.state !== "installed") location.reload(); // another page had it take over
      worker.onstatechange = () => worker.state === "activated" && location.reload();
      worker.postMessage("take over");
    };
    notice(say("new_release"), button);
  }
  if (found.waiting) tell(found.waiting);
  found.addEventListener("updatefound", () => {
    const worker = found.installing;
    worker.addEventListener("statechange", () => worker.state === "installed" && found.active && tell(worker));
  });
}

dress();
if ("serviceWorker" in navigator && location.protocol !== "file:") watchReleases().catch(() => {});
