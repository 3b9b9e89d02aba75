// Logs as `gammonclock report` tells them.

import { find, language, make, onFiles, save, say, show, start, state } from "./page.js";
import { readFiles } from "./runtime.js";

const KINDS = { "--csv": ["csv", "text/csv"], "--json": ["json", "application/json"] };
const runtime = start();
let files = [];
let turn = 0;

async function report() {
  if (!files.length) return state(say("no_file"));
  const mine = ++turn;
  state(say("working"));
  const command = ["report"];
  if (find("#view").value) command.push(find("#view").value);
  if (language !== "en") command.push("--language", language);
  command.push("--", ...files.map(({ name }) => name));
  try {
    const ended = await runtime.run(command, files);
    if (mine !== turn) return undefined;
    show(ended);
    find("#save").disabled = !ended.output;
    state(say("done"));
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
  return report();
});
find("#view").onchange = report;
find("#views").onsubmit = (event) => event.preventDefault();
find("#save").onclick = () => {
  const [suffix, type] = KINDS[find("#view").value] ?? ["txt", "text/plain"];
  save(`report.${suffix}`, find("pre[data-output]").textContent, type);
};
