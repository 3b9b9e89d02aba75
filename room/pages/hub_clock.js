// The hub's clock as a page knows it, from the page's own clock and the hub's messages.

const WINDOW_MS = 5 * 60 * 1000; // messages older than this are forgotten, so that drift is followed

/**
 * The offset between the page's clock (performance.now()) and the hub's.
 *
 * A message is never early, so the least of (arrival - sent) is nearest to the truth.
 */
export class HubClock {
  #least = []; // of rising instants and rising values: the first one is the least of the window

  /** Take what the hub's clock said when it sent a message that arrived at `arrivedMs`. */
  hear(hubNs, arrivedMs) {
    const offsetMs = arrivedMs - hubNs / 1e6;
    const kept = this.#least.filter((heard) => {
      return heard.offsetMs < offsetMs && heard.arrivedMs >= arrivedMs - WINDOW_MS;
    });
    this.#least = [...kept, { arrivedMs, offsetMs }];
  }

  /** Forget all messages: the hub is another one, or the computer slept. */
  forget() {
    this.#least = [];
  }

  /** Whether the hub's time is known. */
  get known() {
    return this.#least.length > 0;
  }

  /** Return the hub's time at an instant of the page's clock, in whole nanoseconds. */
  hubNs(pageMs) {
    return Math.round((pageMs - this.#least[0].offsetMs) * 1e6);
  }

  /** Return the instant of the page's clock at a time of the hub. */
  pageMs(hubNs) {
    return hubNs / 1e6 + this.#least[0].offsetMs;
  }
}
