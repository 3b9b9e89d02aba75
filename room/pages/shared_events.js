// One event stream for all tabs of a browser: over HTTP/1.1 it opens six connections to a hub, no more.
//
// One tab leads: it has the stream, and passes on what comes. A Web Lock says which; a browser has
// none for http from another computer. The news of the lock and the messages between the tabs come in
// any order, and late to a tab that sleeps. So each lead has a number, higher than those before it: of
// two tabs that lead, the one with the lower number gives up, and nobody listens to it any more.

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
  #leader = { number: 0, id: 0 }; // the latest one that this tab knows; perhaps itself
  #resign = () => {}; // gives the lock back
  #request = null; // for the lock, the latest of this tab; it can be aborted
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
    else if (navigator.locks) this.#ask({ steal: true });
    else this.#lead();
  }

  #join() {
    this.#post({ kind: "join", board: this.#board });
    if (navigator.locks) this.#ask();
    else this.#leadAfter(ANSWER_MS);
  }

  /** Leave the stream to another tab: this one is closed, or kept for the way back. */
  #leave() {
    clearTimeout(this.#timer);
    this.#request?.abort();
    this.#request = null;
    if (this.#source) this.#post({ kind: "left" });
    this.#yield();
  }

  // --- who leads ------------------------------------------------------------------------------

  /** Ask for the lock, instead of what this tab asked before; ask again when it is lost. */
  #ask(options = {}) {
    this.#request?.abort();
    const request = new AbortController();
    this.#request = request;
    const lead = () => {
      if (this.#request !== request) return null;
      this.#lead();
      return new Promise((resolve) => (this.#resign = resolve));
    };
    const lost = () => {
      if (this.#request !== request) return;
      this.#yield();
      this.#ask();
    };
    const { signal } = request;
    navigator.locks.request(NAME, options.steal ? options : { signal }, lead).then(lost, lost);
  }

  #leadAfter(ms) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#lead(), ms);
  }

  #lead() {
    clearTimeout(this.#timer);
    this.#leader = { number: Math.max(Date.now(), this.#leader.number + 1), id: this.#id };
    this.#boards = new Set([this.#board]);
    this.#open();
    this.#tell({ kind: "lead" });
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
    const source = new EventSource(`/api/1/events${query}`);
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
    this.#channel.postMessage(message);
  }

  /** Tell the other tabs something as the one that leads. */
  #tell(message) {
    this.#post({ ...message, leader: this.#leader });
  }

  /** Pass on what comes, to this tab too. */
  #pass(message) {
    this.#tell(message);
    this.#take(message);
  }

  #receive(message) {
    if (message.kind === "join") this.#admit(message);
    else if (message.kind === "left") this.#leftBy();
    else if (isEarlier(message.leader, this.#leader)) this.#correct();
    else {
      this.#follow(message);
      this.#take(message);
    }
  }

  /** Send another tab all that there is: whatever comes after the hub's greeting is whole. */
  #admit({ board }) {
    if (!this.#source) return;
    this.#tell({ kind: "here" });
    const isWhole = this.#boards.has(null) || this.#boards.size > 1;
    const isCovered = isWhole || this.#boards.has(board);
    this.#boards.add(board);
    if (this.#isGreeted || !isCovered) this.#open();
  }

  #leftBy() {
    if (!navigator.locks) this.#leadAfter(Math.random() * ANSWER_MS);
  }

  /** Tell a tab that believes to lead which one does. */
  #correct() {
    if (this.#source) this.#tell({ kind: "lead" });
  }

  /** Follow the tab that leads; ask a new one for what this tab wants. */
  #follow({ kind, leader }) {
    clearTimeout(this.#timer);
    if (!isEarlier(this.#leader, leader)) return;
    this.#leader = leader;
    const asks = kind === "lead" || this.#source; // one that was there before has heard this tab join
    this.#yield();
    if (asks) this.#post({ kind: "join", board: this.#board });
  }

  #take({ kind, event, text, lastEventId }) {
    if (kind === "lost") this.#lose();
    if (kind !== "event") return;
    const data = JSON.parse(text);
    const isOther = OF_A_BOARD.includes(event) && (data.id ?? data.board) !== this.#board;
    if (this.#board === null || !isOther) this.#hear(event, data, lastEventId);
  }
}

function isEarlier(one, other) {
  return one.number < other.number || (one.number === other.number && one.id < other.id);
}
