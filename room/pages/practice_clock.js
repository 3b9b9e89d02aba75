// A practice clock on the server: its events, and the presses that are sent to it in their order.

const AGAIN_MS = 500; // until a press that did not arrive, or one of too many, is sent again
const TRIES = 10;

/** A clock could not be had, or has ended; `kind` is "busy", "ended" or "refused". */
export class ClockError extends Error {
  constructor(kind, message = "") {
    super(message);
    this.kind = kind;
  }
}

async function post(path, body) {
  const headers = { "content-type": "application/json" };
  return fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
}

/** Switch a clock on; return its id, and the lessons and profiles that there are. */
export async function newClock(wishes) {
  const answer = await post("/practice/clocks", wishes);
  if (answer.ok) return answer.json();
  const { error } = await answer.json().catch(() => ({ error: "" }));
  throw new ClockError([429, 503].includes(answer.status) ? "busy" : "refused", error);
}

/**
 * A clock that is on.
 *
 * The listener's methods: `shown(data)`, `connection(open)` and `ended()`.
 */
export class PracticeClock {
  #path;
  #listener;
  #number = 0;
  #sent = Promise.resolve();
  #down = new Set();
  #source;

  constructor(id, listener) {
    this.#path = `/practice/clocks/${encodeURIComponent(id)}`;
    this.#listener = listener;
    this.#source = new EventSource(`${this.#path}/events`);
    this.#source.addEventListener("shown", (event) => {
      listener.connection(true);
      listener.shown(JSON.parse(event.data));
    });
    this.#source.onerror = () => {
      if (this.#source.readyState === EventSource.CLOSED) this.#end();
      else listener.connection(false);
    };
  }

  /** Press or release a button, unless it is so already. */
  press(button, down) {
    if (this.#down.has(button) === down) return;
    if (down) this.#down.add(button);
    else this.#down.delete(button);
    this.#number += 1;
    const pressed = { number: this.#number, button, down };
    this.#sent = this.#sent.then(() => this.#send(pressed));
  }

  /** Release all buttons: the page is left. */
  release() {
    for (const button of this.#down) this.press(button, false);
  }

  /** Leave the clock. */
  close() {
    this.#source.close();
  }

  async #send(pressed) {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const answer = await post(`${this.#path}/press`, pressed).catch(() => null);
      if (answer?.status === 404) this.#end();
      if (answer !== null && answer.status !== 429) return;
      if (answer === null) this.#listener.connection(false);
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }

  #end() {
    this.#source.close();
    this.#listener.ended();
  }
}
