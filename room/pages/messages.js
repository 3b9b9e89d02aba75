// What the hub and the clocks say in English, in the reader's language, by the keys of its words.

/**
 * Return the function that says why the hub or a clock refused something: `wording(message)`.
 *
 * What is said has a `key` and `values` beside its English text, an Error's `message`, `why` or `text`.
 */
export function messageWording(say, language = document.documentElement.lang) {
  const wording = ({ message, why, text = message ?? why, key, values }) => {
    if (!key || language === "en") return text;
    const named = Object.entries(values ?? {}).map(([name, value]) => [name, valueOf(name, value)]);
    const said = say(key, Object.fromEntries(named));
    return said === key ? text : said; // a clock of another version has other words
  };
  const valueOf = (name, value) => {
    if (typeof value?.key === "string") return wording(value);
    return name === "key" ? field(value) : value;
  };
  const field = (key) => {
    const name = key.split(".").at(-1); // without its table
    const label = `page_offer_${name}`; // of its field in the form
    const said = say(label);
    return said === label ? name : said;
  };
  return wording;
}
