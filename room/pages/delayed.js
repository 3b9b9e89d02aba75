// The states of a board with the instants at which they came, to be shown later.

/** A board's recent past. */
export class Delayed {
  #states = []; // oldest first

  /** Take a state that came at an instant of the hub's clock. */
  add(board, atNs) {
    this.#states.push({ board, atNs });
  }

  /** Forget all states. */
  forget() {
    this.#states = [];
  }

  /** Whether no state has come. */
  get empty() {
    return this.#states.length === 0;
  }

  /** Return the board as it was at an instant, and forget what was before; null: not known. */
  at(thenNs) {
    while (this.#states.length > 1 && this.#states[1].atNs <= thenNs) this.#states.shift();
    const [first] = this.#states;
    return first && first.atNs <= thenNs ? first.board : null;
  }

  /** Return when the next state came after an instant; null: there is none. */
  nextNs(thenNs) {
    const next = this.#states.find(({ atNs }) => atNs > thenNs);
    return next ? next.atNs : null;
  }
}
