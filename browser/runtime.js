// The program in its worker, as a page sees it.

const LARGEST = 64 * 1024 * 1024; // bytes of one file; a log of 19,000 turns has 8 million

export class TooLarge extends Error {}
export class Ended extends Error {} // the program is there no more

// Starts to load at once; tells `watch` of {loaded, of}, then of {ready: true} or {failed: error}.
export class Runtime {
  #worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
  #waiting = new Map();
  #id = 0;
  #ended = null;

  constructor(watch = () => {}) {
    this.#worker.onmessage = ({ data }) => {
      if (data.alive) navigator.locks.request(data.alive, () => end(new Ended()));
      else if (data.failed && data.id === undefined) end(new Error(data.failed));
      else if (data.id !== undefined) this.#settle(data);
      else if (!this.#ended) watch(data);
    };
    this.#worker.onerror = ({ message }) => end(message ? new Error(message) : new Ended());
    const end = (error) => {
      this.#ended = error;
      for (const { reject } of this.#waiting.values()) reject(error);
      this.#waiting.clear();
      watch({ failed: error });
    };
    // A page that is left keeps its memory for some time: 100 MB at each reload.
    addEventListener("pagehide", ({ persisted }) => persisted || this.#worker.terminate());
  }

  #settle(data) {
    const { resolve, reject } = this.#waiting.get(data.id) ?? {};
    this.#waiting.delete(data.id);
    if (data.failed === undefined) resolve?.(data);
    else reject?.(new Error(data.failed));
  }

  // Runs a command on files, each {name, bytes}; returns {output, errors, code}.
  async run(command, files = []) {
    return this.ask({ command, files });
  }

  // Calls a function of a module of the program's, which returns JSON; its arguments are plain values.
  async json(module, name, args) {
    return JSON.parse((await this.ask({ module, name, args })).value);
  }

  ask(request) {
    if (this.#ended) return Promise.reject(this.#ended);
    const id = ++this.#id;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#worker.postMessage({ id, ...request });
    });
  }
}

// Reads what was dropped or chosen; two files of one name get different ones.
export async function readFiles(list) {
  const found = new Map();
  for (const file of list) {
    if (file.size > LARGEST) throw new TooLarge(file.name);
    let name = file.name;
    for (let number = 2; found.has(name); number += 1) name = `${number}/${file.name}`.replace("/", "-");
    found.set(name, { name, bytes: await file.arrayBuffer() });
  }
  return [...found.values()];
}
