// One timer for all times of a page.

const GRID_MS = 25; // wakes fall on multiples of this, so that all boards share at most 40 a second
const LONGEST_MS = 60_000;

/** Return how long to wait from `nowMs` until the first multiple of the grid at or after `dueMs`. */
export function waitMs(nowMs, dueMs) {
  const wakeMs = Math.ceil(dueMs / GRID_MS) * GRID_MS;
  return Math.min(LONGEST_MS, Math.max(1, Math.ceil(wakeMs - nowMs)));
}

/** Draws a page, sleeps until the next text changes, and draws again. */
export class Ticker {
  #draw;
  #timer;
  #asked = false;
  #soon = new MessageChannel(); // runs after the events that have already arrived, unlike a microtask

  /** `draw(nowMs)` returns when the next text changes, by performance.now(); null: never. */
  constructor(draw) {
    this.#draw = draw;
    this.#soon.port1.onmessage = () => this.#wake();
  }

  /** Draw soon, once for all that happens in the meantime. */
  ask() {
    if (this.#asked) return;
    this.#asked = true;
    this.#soon.port2.postMessage("draw");
  }

  #wake() {
    this.#asked = false;
    clearTimeout(this.#timer);
    const nowMs = performance.now();
    const dueMs = this.#draw(nowMs);
    if (dueMs !== null) this.#timer = setTimeout(() => this.#wake(), waitMs(nowMs, dueMs));
  }
}
