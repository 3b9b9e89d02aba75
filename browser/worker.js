// Python and the program, in a thread of their own: pages stay usable while it loads and works.
//
// A request is {id, command, files}, its answer {id, output, errors, code}; or {id, module, name,
// args}, for a function that returns a text, its answer {id, value}. Before the first answer
// come {alive}, the lock of this thread, {loaded, of} of the bytes that are loaded, and {ready: true}.

import { loadPyodide } from "./runtime/pyodide.js";
import createPyodideModule from "./runtime/pyodide.asm.js";

const RUNTIME = new URL("./runtime/", import.meta.url).href;
const WASM = "pyodide.asm.wasm";
const STDLIB = "python_stdlib.zip";
const SIZE = 3_542_000 + 2_546_000 + 700_000; // bytes, about: for the bar alone

let loaded = 0;

// The browser gives this lock to the page when the program has ended, for whatever reason.
const ALIVE = `gammonclock-${Math.random()}`;
globalThis.navigator.locks?.request(ALIVE, () => {
  postMessage({ alive: ALIVE });
  return new Promise(() => {});
});

// Read a file in parts, to be able to say how much is there.
async function read(name) {
  const answer = await globalThis.plainFetch(new URL(name, import.meta.url));
  if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
  const parts = [];
  const reader = answer.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    parts.push(value);
    loaded += value.length;
    postMessage({ loaded: Math.min(loaded, SIZE), of: SIZE });
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

// Servers name media types as they like, and some unpack what they send. So the program is read as
// bytes, unpacked if it still is packed, and gets its type here.
async function wasm() {
  const bytes = await read(`runtime/${WASM}.bin`);
  const headers = { "Content-Type": "application/wasm" };
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return new Response(bytes, { headers });
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream, { headers });
}

globalThis.plainFetch = globalThis.fetch;
globalThis.fetch = async (address, options) => {
  const asked = String(address.url ?? address);
  if (asked.endsWith(WASM)) return wasm();
  // Not as a blob: the content security policy refuses to fetch one.
  if (asked.endsWith(STDLIB)) return new Response(await read(`runtime/${STDLIB}`));
  return globalThis.plainFetch(address, options);
};

// Pyodide warns of a program that the browser refuses, want of memory, and waits for it for ever.
const refused = new Promise((_, reject) => {
  const { instantiateStreaming } = WebAssembly;
  WebAssembly.instantiateStreaming = async (...given) => {
    try {
      return await instantiateStreaming(...given);
    } catch (error) {
      reject(error);
      throw error;
    }
  };
});

async function load() {
  const program = read("program.zip");
  const python = await loadPyodide({
    createPyodideModule,
    indexURL: RUNTIME,
    packageBaseUrl: RUNTIME,
    env: { COLUMNS: "80", HOME: "/home/pyodide", LC_ALL: "C.UTF-8" },
  });
  python.unpackArchive(await program, "zip", { extractDir: "/program" });
  python.runPython("import sys; sys.path.insert(0, '/program')");
  return python;
}

const textOf = (error) => error?.message ?? String(error);

const loading = Promise.race([load(), refused]);
loading.then(
  () => postMessage({ ready: true }),
  (error) => postMessage({ failed: textOf(error) }),
);

let turn = Promise.resolve();

onmessage = ({ data }) => {
  turn = turn.then(() => answer(data)).catch((error) => postMessage({ id: data.id, failed: textOf(error) }));
};

async function answer({ id, command, files, module, name, args }) {
  const python = await loading;
  if (module !== undefined) {
    const given = args.map((each) => python.toPy(each));
    postMessage({ id, value: python.pyimport(module)[name](...given) });
    return;
  }
  const given = new Map(files.map(({ name, bytes }) => [name, new Uint8Array(bytes)]));
  const run = python.pyimport("run_command").run;
  const asked = python.toPy(command);
  const dropped = python.globals.get("dict")();
  for (const [name, bytes] of given) dropped.set(name, python.toPy(bytes).tobytes());
  const ended = run(asked, dropped);
  postMessage({ id, output: ended.output, errors: ended.errors, code: ended.code });
  for (const each of [asked, dropped, ended]) each.destroy();
}
