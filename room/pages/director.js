// The director's pages: the token in their address, which only the director knows.

const SILENT = { error: "The hub does not answer. Try again.", key: "message_silent", values: {} };
const KEPT = "gammonclock.token"; // in this tab of the browser, until it is closed
const BY = "gammonclock.by"; // in the browser, for all its tabs

/** The director's token; "" if neither this page's address nor one before it in this tab had one. */
export const token = taken();

/** Take the token out of the address, where others may read it, and keep it. */
function taken() {
  const address = new URL(location.href);
  const given = address.searchParams.get("token");
  if (!given) return sessionStorage.getItem(KEPT) ?? "";
  sessionStorage.setItem(KEPT, given);
  address.searchParams.delete("token");
  history.replaceState(history.state, "", address);
  return given;
}

/** Let a field keep in the browser, for all of the director's pages, who acts on them. */
export function keepBy(field) {
  field.value = localStorage.getItem(BY) ?? "";
  field.addEventListener("input", () => localStorage.setItem(BY, field.value));
}

/** Return an address of the hub for the director, in the language of this page's address. */
export function directorLink(path) {
  const given = { lang: new URLSearchParams(location.search).get("lang"), token };
  const kept = Object.entries(given).filter(([, value]) => value);
  const query = kept.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
  return query ? `${path}?${query}` : path;
}

/**
 * Ask the hub for something that only the director may.
 *
 * The Error thrown says in English why the hub refused, or that it did not answer (see
 * `messages.js`), and has the status of a refusal.
 */
export async function ask(method, path, body) {
  const headers = { authorization: `Bearer ${token}` };
  const options = { method, headers, body, cache: "no-store" };
  const answer = await fetch(path, options).catch(() => null);
  const found = await answer?.json().catch(() => null); // a page of a hub that waits is no JSON
  if (found && answer.ok) return found;
  const { error, key, values } = found ?? SILENT;
  throw Object.assign(new Error(error), { key, values, status: answer?.status });
}

for (const link of document.querySelectorAll("a[data-director]")) {
  link.hidden = !token;
  link.href = directorLink(link.getAttribute("href"));
}
