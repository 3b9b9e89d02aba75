// The hub's events: boards, results and the hub's clock, over a stream that comes back.

import { HubClock } from "./hub_clock.js";
import { SharedEvents } from "./shared_events.js";

const SILENT_MS = 25_000; // the hub sends a tick every 10 s: after this the connection is dead
const CHECK_MS = 5_000;
const SLEPT_MS = 3 * CHECK_MS; // a check this late means that the computer slept
const CLOCK_SAMPLES = 3;

/**
 * Follow the hub's events.
 *
 * The listener's methods: `board(board)`, `gone(id)`, `result(result)`, `offer(offer)` of the next
 * match, `ruling(ruling)` that is proposed, `forget()` when all that was heard is void,
 * `troubles(said)` of the hub itself, `connection(open)`, `newVersion()`, and `timeChanged()` when the offset was measured.
 */
export class Feed {
  clock = new HubClock();
  #listener;
  #events;
  #store = null;
  #version = null;
  #heardMs = performance.now();
  #checkedMs = performance.now();
  #connected = null;

  /** Listen to the events of the board with an id; null: of all boards. */
  constructor(board, listener) {
    this.#listener = listener;
    const hear = (kind, data, id) => this.#heard(kind, data, id);
    this.#events = new SharedEvents(board, hear, () => this.#lost());
    setInterval(() => this.#check(), CHECK_MS);
    document.addEventListener("visibilitychange", () => document.hidden || this.#wake());
  }

  #heard(kind, data, id) {
    const arrivedMs = performance.now();
    this.#heardMs = arrivedMs;
    this.#follow(id);
    const wasAway = this.#connected !== true;
    this.#isConnected(true);
    if (kind === "hello" || kind === "tick") this.#time(data, arrivedMs, wasAway);
    if (data.troubles !== undefined) this.#listener.troubles(data.said);
    if (kind === "gone") this.#listener.gone(data.id);
    if (["board", "result", "offer", "ruling"].includes(kind)) this.#listener[kind](data);
  }

  #lost() {
    this.#heardMs = performance.now(); // the tab that leads is awake, and tries again
    this.#isConnected(false);
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

  #time(data, arrivedMs, wasAway) {
    const isHello = data.version !== undefined;
    if (isHello && wasAway) this.clock.forget(); // for how long the connection was away is unknown
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
    if (!this.#events.isClosed && nowMs - this.#heardMs < SILENT_MS) return;
    this.#heardMs = nowMs;
    this.#isConnected(false);
    this.#events.renew();
  }

  /** Measure the offset anew: the page's clock may have stood still, or gone on alone. */
  async #wake() {
    const fresh = new HubClock();
    try {
      for (let sample = 0; sample < CLOCK_SAMPLES; sample += 1) {
        const answer = await fetch("/api/1/clock", { cache: "no-store" });
        fresh.hear((await answer.json()).hub_ns, performance.now());
      }
    } catch {
      return; // no hub: the connection's own error says so
    }
    this.clock = fresh;
    this.#listener.timeChanged();
  }
}
