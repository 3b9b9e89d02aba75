// The hub as a second witness: a log that is handed in later, against what the hub heard.
// The file stays in the browser.

/** Return the whole lines of a log. Every byte becomes one character, so that none gets lost. */
function linesOf(bytes) {
  return new TextDecoder("latin1").decode(bytes).split("\n").slice(0, -1);
}

/** Return the match that a log is of; "": no line can be read. */
function matchOf(bytes) {
  for (const line of new TextDecoder().decode(bytes).split("\n")) {
    try {
      const { match } = JSON.parse(line);
      if (match) return match;
    } catch {
      // a damaged line
    }
  }
  return "";
}

/** Compare the lines of a log with those that the hub heard: how many are the same from the first. */
function compare(log, heard) {
  const differs = heard.findIndex((line, index) => line !== log[index]);
  return { same: differs < 0 ? heard.length : differs, log: log.length, heard: heard.length };
}

/** Return the word that says what was found, and its values. */
function verdict({ same, log, heard }) {
  if (same === heard && log > heard) return ["page_handed_later", { n: heard, later: log - heard }];
  if (same === heard) return ["page_handed_same", { n: heard }];
  if (same === log) return ["page_handed_short", { n: log, missing: heard - log }];
  return ["page_handed_differs", { line: same + 1 }];
}

/**
 * Compare a file with the log at an address of the hub; return what to say.
 *
 * The lines name their match; the hub may have it under another name, that of a file.
 */
export async function judge(file, address) {
  const [given, answer] = await Promise.all([
    file.arrayBuffer(),
    fetch(address, { cache: "no-store" }),
  ]);
  if (!answer.ok) return ["page_handed_hidden", {}];
  const heard = await answer.arrayBuffer();
  const named = matchOf(given);
  if (named !== matchOf(heard)) return ["page_handed_other", { match: named || "?" }];
  return verdict(compare(linesOf(given), linesOf(heard)));
}
