// The hub's events: boards, results and the hub's clock, over one EventSource that comes back.

import { HubClock } from "./hub_clock.js";

const SILENT_MS = 25_000; // the hub sends a tick every 10 s: after this the connection is dead
const CHECK_MS = 5_000;
const SLEPT_MS = 3 * CHECK_MS; // a check this late means that the computer slept
const CLOCK_SAMPLES = 3;
const KINDS = ["hello", "tick", "board", "gone", "result", "offer", "troubles"];

/**
 * Follow the hub's events.
 *
 * The listener's methods: `board(board)`, `gone(id)`, `result(result)`, `offer(offer)` of the next
 * match, `forget()` when all that was heard is void, `troubles(texts, hubs)` of the hub itself and which hubs stand by, `connection(open)`, `newVersion()`, and
 * `timeChanged()` when the offset was measured.
 */
export class Feed {
  clock = new HubClock();
  #listener;
  #path;
  #source = null;
  #store = null;
  #version = null;
  #heardMs = performance.now();
  #checkedMs = performance.now();
  #connected = null;

  constructor(path, listener) {
    this.#path = path;
    this.#listener = listener;
    this.#open();
    setInterval(() => this.#check(), CHECK_MS);
    document.addEventListener("visibilitychange", () => document.hidden || this.#wake());
    window.addEventListener("pageshow", (event) => event.persisted && this.#open());
  }

  #open() {
    this.#source?.close();
    const source = new EventSource(this.#path);
    this.#source = source;
    this.#heardMs = performance.now();
    source.onerror = () => this.#isConnected(false);
    for (const kind of KINDS) {
      source.addEventListener(kind, (event) => this.#heard(kind, event));
    }
  }

  #heard(kind, event) {
    const arrivedMs = performance.now();
    const data = JSON.parse(event.data);
    this.#heardMs = arrivedMs;
    this.#follow(event.lastEventId);
    this.#isConnected(true);
    if (kind === "hello" || kind === "tick") this.#time(data, arrivedMs);
    if (data.troubles !== undefined) this.#listener.troubles(data.troubles, data.standing_by);
    if (kind === "gone") this.#listener.gone(data.id);
    if (["board", "result", "offer"].includes(kind)) this.#listener[kind](data);
  }

  /** Forget everything when another hub answers: its numbers and its clock begin anew. */
  #follow(eventId) {
    const store = eventId.slice(0, eventId.lastIndexOf("-"));
    if (this.#store !== null && store !== this.#store) {
      this.clock.forget();
      this.#listener.forget();
    }
    this.#store = store;
  }

  #time(data, arrivedMs) {
    const isHello = data.version !== undefined;
    if (isHello) this.clock.forget(); // nobody knows for how long the connection was away
    this.clock.hear(data.hub_ns, arrivedMs);
    this.#listener.timeChanged();
    if (!isHello) return;
    if (this.#version !== null && data.version !== this.#version) this.#listener.newVersion();
    this.#version = data.version;
  }

  #isConnected(open) {
    if (open === this.#connected) return;
    this.#connected = open;
    this.#listener.connection(open);
  }

  /** Notice a sleep of the computer, and a connection over which nothing comes any more. */
  #check() {
    const nowMs = performance.now();
    if (nowMs - this.#checkedMs > SLEPT_MS) this.#wake();
    this.#checkedMs = nowMs;
    const closed = this.#source.readyState === EventSource.CLOSED;
    if (!closed && nowMs - this.#heardMs < SILENT_MS) return;
    this.#isConnected(false);
    this.#open();
  }

  /** Measure the offset anew: the page's clock may have stood still, or gone on alone. */
  async #wake() {
    const fresh = new HubClock();
    try {
      for (let sample = 0; sample < CLOCK_SAMPLES; sample += 1) {
        const answer = await fetch("/api/clock", { cache: "no-store" });
        fresh.hear((await answer.json()).hub_ns, performance.now());
      }
    } catch {
      return; // no hub: the connection's own error says so
    }
    this.clock = fresh;
    this.#listener.timeChanged();
  }
}
