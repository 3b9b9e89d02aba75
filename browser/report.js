// Logs as `gammonclock report` tells them.

import { find, inLanguage, operands, runOnFiles, save, say } from "./page.js";

const KINDS = { "--csv": ["csv", "text/csv"], "--json": ["json", "application/json"] };
const view = find("#view");

const commandOf = (files) => ["report", ...[view.value].filter(Boolean), ...inLanguage, ...operands(files)];

function told({ output }) {
  find("#save").disabled = !output;
  return say("done");
}

view.onchange = runOnFiles("working", commandOf, told);
find("#views").onsubmit = (event) => event.preventDefault();
find("#save").onclick = () => {
  const [suffix, type] = KINDS[view.value] ?? ["txt", "text/plain"];
  save(`report.${suffix}`, find("pre[data-output]").textContent, type);
};
