// Where the file is measured, so that the page stays alive meanwhile. It is started from the page's own bytes, not from
// an address, and so the page's policy binds it too.
"use strict";
let calipers = null;
// The turn of the page that this is, which answers carry.
let turn = 0;
const letters = new TextEncoder();
const bytes = (place, length) => new Uint8Array(calipers.memory.buffer, place, length);
const words = (place, length) => new TextDecoder().decode(bytes(place, length));

// Fills the room that calipers makes.
const put = (...parts) => {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  let place = calipers.calipers_room(length) >>> 0;
  if (place === 0) throw new Error(`${length.toLocaleString("en")} bytes do not fit in what a browser gives a page`);
  for (const part of parts) {
    bytes(place, part.length).set(part);
    place += part.length;
  }
};
const answer = (length) => words(calipers.calipers_answer() >>> 0, length >>> 0);

// What should not have happened, told once. What ends without a word has found no more memory.
let failed = false;
const fault = (text) => {
  if (!failed) postMessage({ kind: "fault", text, ready: calipers !== null });
  failed = true;
};
const wordless = (error) => (error instanceof WebAssembly.RuntimeError
  ? "This file does not fit in the memory that a browser gives a page" : String(error.message ?? error));

const begin = async (module) => {
  let told = 0;
  const env = {
    calipers_progress: (done, total) => {
      // A few times a second is as much as anybody reads.
      if (performance.now() - told < 100) return;
      told = performance.now();
      postMessage({ kind: "doing", turn, text: `fitting: ${done} of ${total}` });
    },
    calipers_fault: (place, length) => fault(words(place >>> 0, length)),
  };
  calipers = (await WebAssembly.instantiate(module, { env })).exports;
};

const measure = ({ turn: now, name, content, asked }) => {
  turn = now;
  const start = performance.now();
  if (content) {
    const called = letters.encode(name);
    put(called, new Uint8Array(content));
    calipers.calipers_open(called.length);
  }
  put(letters.encode(JSON.stringify(asked)));
  const found = JSON.parse(answer(calipers.calipers_measure()));
  const seconds = (performance.now() - start) / 1000;
  const page = found.error ? "" : answer(calipers.calipers_page(seconds, Date.now() / 1000));
  postMessage({ kind: "found", turn, name, found, page, seconds });
};

// One thing after the other: a file may come before everything is ready.
let last = Promise.resolve();
onmessage = ({ data }) => {
  last = last.then(() => (data.module ? begin(data.module) : measure(data)))
    .catch((error) => fault(wordless(error)));
};
