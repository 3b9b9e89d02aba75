// One event stream for all tabs of a browser: over HTTP/1.1 it opens six connections to a hub, no more.
//
// One tab leads: it has the stream, and passes on what comes. A Web Lock says which; where the
// browser has none (http from another computer) it is the tab that has begun last.

const NAME = "gammonclock events"; // of the lock and of the channel
const ANSWER_MS = 100; // within which a tab that leads answers one that comes
const KINDS = ["hello", "tick", "board", "gone", "result", "offer", "ruling", "troubles"];
const OF_A_BOARD = ["board", "gone", "offer", "ruling"];

export class SharedEvents {
  #id = Math.random();
  #board;
  #hear;
  #lose;
  #channel = new BroadcastChannel(NAME);
  #source = null; // of the tab that leads
  #isGreeted = false; // by the hub, since the stream was opened
  #boards = new Set(); // that the tabs want; null: all of them
  #sinceMs = 0; // when this tab began to lead
  #resign = () => {};
  #queue = null; // ends the wait for the lock
  #timer = 0; // until this tab leads where there are no locks

  /**
   * Hear the hub's events.
   *
   * `board`: the id of the only one that is wanted, or null; `hear(kind, data, id)` of an event;
   * `lose()` when the connection is lost.
   */
  constructor(board, hear, lose) {
    this.#board = board;
    this.#hear = hear;
    this.#lose = lose;
    this.#channel.addEventListener("message", ({ data }) => this.#receive(data));
    window.addEventListener("pagehide", () => this.#leave());
    window.addEventListener("pageshow", (event) => event.persisted && this.#join());
    this.#join();
  }

  /** Whether this tab leads, and the hub has refused the stream. */
  get isClosed() {
    return this.#source?.readyState === EventSource.CLOSED;
  }

  /** Open the stream anew, here if need be: the tab that leads sleeps, or nothing comes any more. */
  renew() {
    if (this.#source) this.#open();
    else if (navigator.locks) this.#request({ steal: true });
    else this.#lead();
  }

  #join() {
    this.#post({ kind: "join", board: this.#board });
    if (navigator.locks) this.#wait();
    else this.#leadAfter(ANSWER_MS);
  }

  /** Leave the stream to another tab: this one is closed, or kept for the way back. */
  #leave() {
    clearTimeout(this.#timer);
    this.#queue?.abort();
    if (this.#source) this.#post({ kind: "left" });
    this.#yield();
  }

  // --- who leads ------------------------------------------------------------------------------

  #wait() {
    if (this.#queue) return;
    this.#queue = new AbortController();
    this.#request({ signal: this.#queue.signal }, () => (this.#queue = null));
  }

  #request(options, granted = () => {}) {
    const lead = () => {
      granted();
      this.#lead();
      return new Promise((resolve) => (this.#resign = resolve));
    };
    navigator.locks.request(NAME, options, lead).catch(() => {
      if (options.signal?.aborted) this.#queue = null; // the page is left
      else this.#stolen();
    });
  }

  #stolen() {
    this.#yield();
    this.#wait();
  }

  #leadAfter(ms) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#lead(), ms);
  }

  #lead() {
    clearTimeout(this.#timer);
    this.#sinceMs = Date.now();
    this.#boards = new Set([this.#board]);
    this.#open();
    this.#post({ kind: "lead", sinceMs: this.#sinceMs });
  }

  #yield() {
    this.#source?.close();
    this.#source = null;
    this.#resign();
  }

  #open() {
    this.#source?.close();
    const [board, ...others] = this.#boards;
    const isOnly = board !== null && others.length === 0;
    const query = isOnly ? `?board=${encodeURIComponent(board)}` : "";
    const source = new EventSource(`/api/events${query}`);
    this.#source = source;
    this.#isGreeted = false;
    source.addEventListener("error", () => this.#pass({ kind: "lost" }));
    for (const kind of KINDS) {
      source.addEventListener(kind, ({ data, lastEventId }) => {
        this.#isGreeted = true;
        this.#pass({ kind: "event", event: kind, text: data, lastEventId });
      });
    }
  }

  // --- between the tabs -----------------------------------------------------------------------

  #post(message) {
    this.#channel.postMessage({ ...message, id: this.#id });
  }

  /** Pass on what comes, to this tab too. */
  #pass(message) {
    this.#post(message);
    this.#take(message);
  }

  #receive(message) {
    if (message.kind === "join") this.#admit(message);
    else if (message.kind === "left") this.#leftBy();
    else {
      clearTimeout(this.#timer);
      if (message.kind === "lead") this.#follow(message);
      else if (!this.#source) this.#take(message);
    }
  }

  /** Send another tab all that there is: whatever comes after the hub's greeting is whole. */
  #admit({ board }) {
    if (!this.#source) return;
    this.#post({ kind: "here" });
    const isWhole = this.#boards.has(null) || this.#boards.size > 1;
    const isCovered = isWhole || this.#boards.has(board);
    this.#boards.add(board);
    if (this.#isGreeted || !isCovered) this.#open();
  }

  #leftBy() {
    if (!navigator.locks) this.#leadAfter(Math.random() * ANSWER_MS);
  }

  /** Follow another tab that leads; of two that do, the one that has begun last. */
  #follow({ id, sinceMs }) {
    const isLater = sinceMs > this.#sinceMs || (sinceMs === this.#sinceMs && id > this.#id);
    if (this.#source && (navigator.locks || !isLater)) return;
    this.#yield();
    this.#post({ kind: "join", board: this.#board });
  }

  #take({ kind, event, text, lastEventId }) {
    if (kind === "lost") this.#lose();
    if (kind !== "event") return;
    const data = JSON.parse(text);
    const isOther = OF_A_BOARD.includes(event) && (data.id ?? data.board) !== this.#board;
    if (this.#board === null || !isOther) this.#hear(event, data, lastEventId);
  }
}
