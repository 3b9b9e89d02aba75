// A settings file by a form; the file itself is what counts, and Python reads and writes it.

import { find, hasWord, inLanguage, inOrder, language, make, onFiles, save, say, show, start, state } from "./page.js";
import { readFiles } from "./runtime.js";

const NAME = "gammonclock.toml";
const FIRST = "wbgf"; // whose file the form begins with
const runtime = start();
const changed = new Map(); // what was filled in since the federation's file was taken
let text = "";
const typed = new Set(); // the fields whose value the text does not have yet,
let filling = []; // but for the one that is just being filled in
let isTemplate = true;
const after = inOrder(); // each works on the text that the one before wrote
const ask = (call, ...args) => runtime.json("settings_form", call, args);

const isOfFederation = ({ table, key }) => table === "rules" && key === "profile";

// A value that is chosen, in words; a federation or a chip has its name alone.
function worded(key, value) {
  const word = [`choice_${key}_${value}`, `choice_${value}`, `name_${value}`].find(hasWord);
  return word ? say(word) : value;
}

function control(field) {
  const id = `${field.table}.${field.key}`;
  if (!field.choices.length) {
    const input = make("input", "", { id, autocomplete: "off", spellcheck: "false" });
    input.placeholder = field.usual;
    return input;
  }
  const select = make("select", "", { id });
  if (!isOfFederation(field)) select.append(make("option", say("usual", { value: worded(field.key, field.usual) || "–" }), { value: "" }));
  for (const each of field.choices) select.append(make("option", worded(field.key, each), { value: each }));
  return select;
}

function build(fields, main, more) {
  for (const field of fields) {
    const box = make("div");
    const row = make("label");
    row.append(make("span", say(`label_${field.key}`)), control(field));
    const note = make("p", language === "en" ? field.comment : "", { class: "hint" });
    const error = make("p", "", { class: "bad", id: `${field.table}.${field.key}-error` });
    error.hidden = true;
    row.lastChild.setAttribute("aria-describedby", error.id);
    const sum = make("p", "", { class: "hint", id: `${field.table}.${field.key}-sum` });
    box.append(row, error, ...("sum" in field ? [sum] : []), ...(note.textContent ? [note] : []));
    (field.main ? main : more).append(box);
    row.lastChild.oninput = ({ target }) => typed.add(target.id);
    row.lastChild.onchange = ({ target }) =>
      after(() => {
        typed.delete(target.id);
        return fill(field, target.value);
      });
  }
}

function buildPreset(fields, number) {
  const box = make("fieldset");
  const [main, more] = [make("div", "", { class: "fields" }), make("div", "", { class: "fields" })];
  const others = make("details");
  others.append(make("summary", say("more")), more);
  const remove = make("button", say("remove_preset"), { type: "button" });
  remove.onclick = () => after(async () => take(await ask("remove_preset", text, number)));
  build(fields, main, more);
  box.append(make("legend"), main, others, remove);
  find("#add-preset").before(box);
}

async function fill(field, value) {
  filling = [field.table, field.key, value];
  changed.set(`${field.table}.${field.key}`, filling);
  if (!isOfFederation(field) || !isTemplate) return take(await ask("change", text, field.table, field.key, value));
  return begin(value);
}

// Takes the file of a federation, and writes into it what was filled in.
async function begin(federation) {
  let found = await ask("start", federation);
  for (const each of changed.values()) found = await ask("change", found.text, ...each);
  return take(found);
}

// Has the command check a file; returns its error, "" if there is none.
async function check(bytes) {
  const ended = await runtime.run(["check-config", ...inLanguage, NAME], [{ name: NAME, bytes }]);
  show(ended);
  find("#save").disabled = ended.code !== 0;
  const of = (name) => ended.output.match(new RegExp(`^${name} +(.*)$`, "m"))?.[1];
  const banks = { left: of("left bank"), right: of("right bank"), code: of("settings code") };
  find("#banks").textContent = ended.code === 0 ? say("banks", banks) : "";
  const error = ended.errors.trim().replace(/^gammonclock: /, "");
  state(error || say("done"), Boolean(error));
  return error;
}

async function take(found) {
  [text, filling] = [found.text, []];
  if (!find("#main-fields").children.length) build(found.fields, find("#main-fields"), find("#more-fields"));
  const boxes = document.querySelectorAll("#presets fieldset");
  if (boxes.length !== found.presets.length) {
    for (const each of boxes) each.remove();
    found.presets.forEach(buildPreset);
  }
  found.presets.forEach(([name], number) => {
    document.querySelectorAll("#presets legend")[number].textContent = name.value;
  });
  const message = await check(new TextEncoder().encode(text));
  for (const field of [...found.fields, ...found.presets.flat()]) {
    const input = document.getElementById(`${field.table}.${field.key}`);
    if (!typed.has(input.id)) input.value = field.value;
    if (input.tagName === "INPUT") input.placeholder = field.usual;
    const error = document.getElementById(`${input.id}-error`);
    error.hidden = found.error !== input.id;
    error.textContent = error.hidden ? "" : message;
    input.setAttribute("aria-invalid", String(!error.hidden));
    if ("sum" in field) document.getElementById(`${input.id}-sum`).textContent = field.sum;
  }
  find("#text").value = text;
}

find("#text").onchange = () =>
  after(async () => {
    isTemplate = false;
    return take(await ask("read", find("#text").value));
  });
find("#add-preset").onclick = () =>
  after(async () => {
    isTemplate = false; // another federation's file would not have it
    const number = document.querySelectorAll("#presets fieldset").length + 1;
    await take(await ask("add_preset", text, say("new_preset", { number })));
    document.getElementById(`preset.${number - 1}.name`)?.focus();
  });
find("#form").onsubmit = (event) => event.preventDefault();
find("#save").onclick = () => save(NAME, text, "application/toml");
onFiles((chosen) =>
  after(async () => {
    const [file] = await readFiles(chosen.slice(0, 1));
    isTemplate = false;
    const found = await ask("read_bytes", [...new Uint8Array(file.bytes)]);
    await (found.text === null ? check(file.bytes) : take(found));
  }),
);
const PANELS = ["display", "language", language]; // as this page, until somebody says otherwise
changed.set(PANELS.slice(0, 2).join("."), PANELS);

// What was entered stays over a change of the page's language, where the browser keeps anything; so
// does what the text does not have yet.
const KEPT = "gammonclock-settings";
let kept = null;
try {
  kept = JSON.parse(sessionStorage.getItem(KEPT));
  sessionStorage.removeItem(KEPT);
} catch {
  // it keeps nothing
}
addEventListener("language", () => {
  const late = [...typed].map((id) => [...id.match(/^(.*)\.(.*)$/).slice(1), document.getElementById(id).value]);
  if (filling.length) late.unshift(filling);
  const entered = [...(isTemplate ? changed.values() : []), ...late].filter((each) => each !== PANELS);
  try {
    if (entered.length || !isTemplate) sessionStorage.setItem(KEPT, JSON.stringify({ isTemplate, text, entered }));
  } catch {
    // as above
  }
});

async function goOn({ text: written, entered }) {
  if (isTemplate) {
    for (const each of entered) changed.set(each.slice(0, 2).join("."), each);
    return begin(changed.get("rules.profile")?.[2] ?? FIRST);
  }
  let found = await ask("read", written);
  for (const each of entered) found = await ask("change", found.text, ...each);
  return take(found);
}

isTemplate = kept?.isTemplate ?? true;
after(async () => (kept ? goOn(kept) : begin(FIRST)));
