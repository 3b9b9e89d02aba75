// The words of the panels and the pages, in four languages.

const LANGUAGES = ["en", "de", "da", "nb"];
const NORWEGIAN = ["no", "nn"]; // Bokmål is the nearest that there is

/** Return the language for an address and a browser's preferences. */
export function chooseLanguage(search, preferred) {
  const asked = new URLSearchParams(search).get("lang");
  for (const tag of [asked ?? "", ...preferred]) {
    const language = tag.toLowerCase().split("-")[0];
    if (LANGUAGES.includes(language)) return language;
    if (NORWEGIAN.includes(language)) return "nb";
  }
  return "en";
}

/** Return the function that says a word: `say(key, values)`. An unknown key is said as it is. */
export function sayer(words) {
  const known = new Map(Object.entries(words));
  return (key, values = {}) =>
    (known.get(key) ?? key).replace(/\{(\w+)\}/g, (placeholder, name) =>
      String(values[name] ?? placeholder),
    );
}

/** Load the words of a language, by their keys. */
async function loadTexts(language) {
  const answer = await fetch(`/api/1/words?lang=${language}`, { cache: "no-store" });
  return answer.ok ? answer.json() : {};
}

/** Load the words of the reader's language and put them where the page has `data-say`. */
export async function loadWords() {
  const language = chooseLanguage(location.search, navigator.languages);
  const say = sayer(await loadTexts(language));
  document.documentElement.lang = language;
  translate(document, say);
  return say;
}

function translate(root, say) {
  for (const target of root.querySelectorAll("[data-say]")) {
    target.textContent = say(target.dataset.say);
  }
  for (const target of root.querySelectorAll("[data-label]")) {
    target.setAttribute("aria-label", say(target.dataset.label));
  }
  for (const target of root.querySelectorAll("[data-hint]")) {
    target.setAttribute("placeholder", say(target.dataset.hint));
  }
  for (const target of root.querySelectorAll("a[data-link]")) {
    target.href = link(target.getAttribute("href"));
  }
}

/** Return an address of the hub in the language that this page's address names. */
export function link(path) {
  const language = new URLSearchParams(location.search).get("lang");
  const mark = path.includes("?") ? "&" : "?";
  return language ? `${path}${mark}lang=${encodeURIComponent(language)}` : path;
}
