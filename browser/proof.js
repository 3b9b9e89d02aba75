// Logs, a log code and a list of results, judged by `gammonclock verify`.

import { find, language, make, onFiles, say, show, start, state } from "./page.js";
import { readFiles } from "./runtime.js";

const VERDICTS = { PROVEN: "good", CONSISTENT: "good", "NOT PROVEN": "open", CONTRADICTED: "bad" };
const runtime = start();
let files = [];
let turn = 0;

// A list of results is a table or JSON; a log has lines that begin with {"v":, in any encoding.
function isLog({ name, bytes }) {
  const begin = new Uint8Array(bytes.slice(0, 64));
  if (begin[0] === 0x1f && begin[1] === 0x8b) return true; // compressed
  const text = String.fromCharCode(...begin.filter((each) => each > 0 && each < 128));
  return /^\s*\{"v":/.test(text) || !/\.(csv|json|xlsx|txt)$/i.test(name);
}

async function check() {
  if (!files.length) return state(say("no_file"));
  const mine = ++turn;
  state(say("checking"));
  const lists = files.filter((each) => !isLog(each));
  const command = ["verify"];
  const head = find("#head").value.trim();
  if (head) command.push(`--head=${head}`);
  if (lists.length) command.push(`--results=${lists[0].name}`);
  if (language !== "en") command.push("--language", language);
  command.push("--", ...files.filter(isLog).map(({ name }) => name)); // one may begin with "-"
  try {
    const ended = await runtime.run(command, files);
    if (mine !== turn) return undefined;
    const [word] = ended.output.split(":", 1);
    find("#verdict").className = VERDICTS[word] ?? "bad";
    const key = word in VERDICTS ? word.toLowerCase().replace(" ", "_") : "none";
    find("#verdict").textContent = say(`verdict_${key}`);
    show(ended);
    state(lists.length > 1 ? say("one_list", { name: lists[0].name }) : say("done"));
  } catch (error) {
    state(say("failed", { why: error.message }), true);
  }
  return undefined;
}

onFiles(async (chosen) => {
  try {
    files = await readFiles(chosen);
  } catch (error) {
    return state(say("too_large", { name: error.message }), true);
  }
  find("#given").replaceChildren(...files.map(({ name }) => make("li", name)));
  return check();
});
find("#compare").onsubmit = (event) => {
  event.preventDefault();
  check();
};
