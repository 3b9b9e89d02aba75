// Logs, a log code and a list of results, judged by `gammonclock verify`.

import { find, inLanguage, operands, runOnFiles, say } from "./page.js";

// Only what was compared with something from outside looks good.
const VERDICTS = { PROVEN: "good", CONSISTENT: "plain", "NOT PROVEN": "open", CONTRADICTED: "bad" };

// A list of results is a table or JSON; a log has lines that begin with {"v":, in any encoding.
function isLog({ name, bytes }) {
  const begin = new Uint8Array(bytes.slice(0, 64));
  if (begin[0] === 0x1f && begin[1] === 0x8b) return true; // compressed
  const text = String.fromCharCode(...begin.filter((each) => each > 0 && each < 128));
  return /^\s*\{"v":/.test(text) || !/\.(csv|json|xlsx|txt)$/i.test(name);
}

const listsOf = (files) => files.filter((each) => !isLog(each));

function commandOf(files) {
  const fingerprint = find("#fingerprint").value.trim();
  const [list] = listsOf(files);
  const compared = [...(fingerprint ? [`--head=${fingerprint}`] : []), ...(list ? [`--results=${list.name}`] : [])];
  return ["verify", ...compared, ...inLanguage, ...operands(files.filter(isLog))];
}

function told({ output }, files) {
  const [word] = output.split(":", 1);
  const verdict = find("#verdict");
  verdict.className = VERDICTS[word] ?? "bad";
  verdict.textContent = say(`verdict_${word in VERDICTS ? word.toLowerCase().replace(" ", "_") : "none"}`);
  const [first, ...others] = listsOf(files);
  return others.length ? say("one_list", { name: first.name }) : say("done");
}

const check = runOnFiles("checking", commandOf, told);
find("#compare").onsubmit = (event) => {
  event.preventDefault();
  check();
};
