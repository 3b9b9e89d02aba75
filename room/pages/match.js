// A match: its result, the fingerprint of its log, the chart and the tables of the report.

import { byId, element, foreign, idOfPage, setText } from "./dom.js";
import { follow } from "./page.js";
import {
  begunText,
  durationText,
  isDoubted,
  matchPath,
  nameOf,
  outcome,
  remarks,
  resultScore,
} from "./result_words.js";
import { link, loadWords } from "./words.js";

/** Return a table of the report; one without headings is a list of what the match was. */
function sheet({ title, headings, rows }) {
  const cell = (text) => element("td", {}, foreign(text));
  const body = rows.map((texts) => element("tr", {}, ...texts.map(cell)));
  const table = element("table", {}, element("tbody", {}, ...body));
  if (headings.some(Boolean)) {
    const heads = headings.map((heading) => element("th", { scope: "col" }, heading));
    table.prepend(element("thead", {}, element("tr", {}, ...heads)));
  }
  const label = title || document.title;
  const region = { class: "scroll", tabindex: "0", role: "region", "aria-label": label };
  const section = element("section", {}, element("div", region, table));
  if (title) section.prepend(element("h2", {}, title));
  return section;
}

/** Show the result in large type. */
function showResult(result, say) {
  for (const side of ["left", "right"]) {
    setText(byId(side), nameOf(result, side, say));
    byId(side).classList.toggle("won", result.winner === side);
  }
  setText(byId("score"), resultScore(result));
  setText(byId("outcome"), outcome(result, say));
  setText(byId("when"), [begunText(result), durationText(result)].filter(Boolean).join(" · "));
  setText(byId("remarks"), remarks(result, say).join("; "));
  byId("remarks").classList.toggle("warn", isDoubted(result));
}

/** Return where the hub has a match, or something of it, from the source that is asked for. */
function addressOf(match, part = "") {
  const source = new URLSearchParams(location.search).get("source");
  const path = `/api/1/matches/${encodeURIComponent(match)}${part}`;
  return source ? `${path}?source=${encodeURIComponent(source)}` : path;
}

/** Say when the hub first saw the last line, and whether other lines came after that. */
function heardText({ seq, head, wall, fork_seq, fork_wall }, say) {
  const time = (text) => text.replace("T", " ").slice(0, 19);
  const texts = wall ? [say("page_first_heard", { n: seq, time: time(wall) })] : [];
  if (fork_seq) {
    const values = { n: fork_seq, time: time(fork_wall), last: seq, fingerprint: head };
    texts.push(say("page_first_fork", values));
  }
  return texts.join(" ");
}

/** Show what was heard first from each source; those whose log is not shown are links to it. */
function showHeard(match, heard, say) {
  const lines = heard.map((each, at) => {
    const { source, agrees } = each;
    const told = agrees || heard.length < 2 ? [] : [` ${say("page_differs_here")}`];
    const address = link(matchPath({ match, source, conflicts: heard }));
    const name = at ? element("a", { href: address }, foreign(source)) : foreign(source);
    const who = heard.length > 1 ? [name, ": "] : [];
    const wrong = told.length || each.fork_seq ? "warn" : "";
    return element("li", { class: wrong }, ...who, heardText(each, say), ...told);
  });
  byId("heard").hidden = !heard.some((each) => each.wall || each.fork_seq) && heard.length < 2;
  byId("heard").replaceChildren(...lines);
}

function showFiles(match, { head, chart }) {
  setText(byId("fingerprint"), head ?? "");
  byId("proof").hidden = !head;
  byId("log").href = addressOf(match, "/log");
  byId("chart").hidden = !chart;
  if (chart) byId("picture").src = chart;
}

async function show(match, say) {
  document.title = `${say("report_match")} ${match}`;
  setText(byId("title"), match);
  const language = document.documentElement.lang;
  const path = addressOf(match);
  const mark = path.includes("?") ? "&" : "?";
  const answer = await fetch(`${path}${mark}lang=${language}`, { cache: "no-store" });
  byId("match").hidden = !answer.ok;
  byId("none").hidden = answer.ok;
  setText(byId("none"), say("page_no_match"));
  if (!answer.ok) return;
  const found = await answer.json();
  if (found.result) showResult(found.result, say);
  else setText(byId("outcome"), say("report_not_finished"));
  showFiles(match, found);
  showHeard(match, found.first_heard, say);
  byId("tables").replaceChildren(...found.report.tables.map(sheet));
}

const say = await loadWords();
const match = idOfPage();
byId("picture").alt = say("page_chart");
const view = {
  draw: () => null,
  result: (result) => result.match === match && show(match, say),
  forget: () => show(match, say),
};
follow(view, say);
show(match, say);
