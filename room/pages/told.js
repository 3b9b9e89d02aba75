// What the hub and the clocks say in English, in the reader's language: phrase by phrase, as the
// panels say an error of the settings file. Names, keys and values stay as they are.

import { loadTexts } from "./words.js";

const PHRASE = /^(told|error)_/; // the keys of texts that are in English what is said, word for word
const PARTS = ["what", "more", "why", "found", "allowed"]; // of a text, that are phrases themselves

let loading = null;

/** Load the phrases, once; return the function that says a text of the hub: `told(text)`. */
export function loadTold(say) {
  loading ??= loaded(say);
  return loading;
}

async function loaded(say) {
  if (document.documentElement.lang === "en") return (text) => text;
  return teller(await loadTexts("en").catch(() => ({})), say);
}

/** Return the function that says an English text in the language of `say`; `english`: its texts. */
export function teller(english, say) {
  const phrases = Object.entries(english)
    .filter(([key]) => PHRASE.test(key))
    .sort(([, one], [, other]) => other.length - one.length) // the most exact ones first
    .map(([key, text]) => [key, pattern(text)]);
  const told = (text) => {
    for (const [key, pattern] of phrases) {
      const found = pattern.exec(text);
      if (found) return say(key, values(found.groups ?? {}));
    }
    return text;
  };
  const values = (groups) => {
    const said = Object.entries(groups).map(([name, value]) => [name, valueOf(name, value)]);
    return Object.fromEntries(said);
  };
  const valueOf = (name, value) => {
    if (name === "key") return field(value);
    return PARTS.includes(name) ? told(value) : value;
  };
  const field = (key) => {
    const name = key.split(".").at(-1); // without its table
    const label = `page_offer_${name}`; // of its field in the form
    const said = say(label);
    return said === label ? told(name) : said;
  };
  return told;
}

function pattern(text) {
  const parts = text.split(/\{(\w+)\}/); // plain texts, and between them the names of placeholders
  const found = parts.map((part, at) => (at % 2 ? `(?<${part}>.+?)` : escaped(part)));
  return new RegExp(`^${found.join("")}$`, "s");
}

function escaped(text) {
  return text.replace(/[$()*+.?[\\\]^{|}]/g, "\\$&");
}
