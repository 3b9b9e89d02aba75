// The director's pages: the token in their address, which only the director knows.

const PARAMETERS = ["lang", "token"];

/** The director's token; "" if this page's address has none. */
export const token = new URLSearchParams(location.search).get("token") ?? "";

/** Return an address of the hub for the director, in the language of this page's address. */
export function directorLink(path) {
  const given = new URLSearchParams(location.search);
  const kept = PARAMETERS.filter((name) => given.get(name));
  const query = kept.map((name) => `${name}=${encodeURIComponent(given.get(name))}`).join("&");
  return query ? `${path}?${query}` : path;
}

/** Ask the hub for something that only the director may; an Error says why it is refused. */
export async function ask(method, path, body) {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(path, { method, headers, body, cache: "no-store" });
  const found = await answer.json();
  if (!answer.ok) throw new Error(found.error);
  return found;
}

for (const link of document.querySelectorAll("a[data-director]")) {
  link.hidden = !token;
  link.href = directorLink(link.getAttribute("href"));
}
