// Keeps one release of all files for use without a network, and never mixes two.

const OURS = `gammonclock ${registration.scope} `; // another copy on this host has its own
const KEPT = `${OURS}RELEASE`;

async function fill() {
  const { files } = await (await fetch("files.json", { cache: "no-store" })).json();
  const kept = await caches.open(KEPT);
  await kept.addAll(files.filter((name) => name !== "service_worker.js").map((name) => new Request(name, { cache: "no-cache" })));
}

addEventListener("install", (event) => event.waitUntil(fill()));

// A page of the release before has its files; when it is loaded again it gets these.
addEventListener("activate", (event) =>
  event.waitUntil(
    (async () => {
      const names = await caches.keys();
      const old = names.filter((name) => name.startsWith(OURS) && name !== KEPT);
      await Promise.all(old.map((name) => caches.delete(name)));
    })(),
  ),
);

addEventListener("message", () => skipWaiting());

addEventListener("fetch", (event) => {
  const address = new URL(event.request.url);
  if (event.request.method !== "GET" || address.origin !== location.origin) return;
  event.respondWith(
    (async () => {
      const kept = await caches.open(KEPT);
      const found = await kept.match(event.request, { ignoreSearch: true });
      return found ?? fetch(event.request);
    })(),
  );
});
