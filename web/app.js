// The page: a file in, what a worker found of it out. Nothing is sent anywhere.
const $ = (id) => document.getElementById(id);
const make = (tag, fields = {}, ...children) => {
  const made = Object.assign(document.createElement(tag), fields);
  made.append(...children);
  return made;
};

// What measures: compiled once, and started anew for every file that comes while another is measured.
const load = async (path) => {
  const found = await fetch(path);
  if (!found.ok) throw new Error(`${path}: ${found.status} ${found.statusText}`);
  return found;
};
const parts = Promise.all([
  load("worker.js").then((found) => found.blob()).then((source) => URL.createObjectURL(source)),
  load("calipers.wasm").then((found) => found.arrayBuffer()).then((found) => WebAssembly.compile(found)),
]);
let worker = null;
let busy = false;
const start = async () => {
  const [source, module] = await parts;
  worker?.terminate();
  worker = new Worker(source);
  worker.onmessage = ({ data }) => hear[data.kind](data);
  worker.onerror = (event) => hear.fault({ text: event.message });
  worker.postMessage({ module });
};

// What was opened, and the addresses of what may be downloaded.
let file = null;
let links = [];
const say = (text) => { $("doing").textContent = text; };
const clear = () => {
  for (const id of ["fault", "result", "understood"]) $(id).hidden = true;
  $("shown").replaceChildren();
  links.forEach((link) => URL.revokeObjectURL(link));
  links = [];
};

const measure = async (asked) => {
  clear();
  say(`reading ${file.name}`);
  try {
    const is_new = busy || !worker || !file.opened;
    if (busy || !worker) await start();
    const content = is_new ? await file.blob.arrayBuffer() : null;
    busy = true;
    file.opened = true;
    worker.postMessage({ name: file.name, content, asked }, content ? [content] : []);
  } catch (error) {
    hear.fault({ text: String(error.message ?? error) });
  }
};
const open = (blob, name) => {
  file = { blob, name, opened: false };
  $("columns").hidden = true;
  $("columns").open = false;
  // What was chosen of another file says nothing of this one.
  for (const id of ["label", "boxes", "positive"]) $(id).replaceChildren();
  $("logits").checked = false;
  measure({});
};

// What the worker says.
const hear = {
  doing: ({ text }) => say(text),
  found: ({ found, page, seconds }) => {
    busy = false;
    offer(found);
    if (found.error) fault(found.error);
    else show(found, page, seconds);
  },
  // What should not have happened: what is left of the worker is of no use.
  fault: ({ text }) => {
    busy = false;
    worker?.terminate();
    worker = null;
    fault({ message: text, list: [], hint: "calipers estimate FILE, on the command line, has more memory and reads more" });
  },
};
const fault = ({ message, list, hint }) => {
  say("");
  $("message").textContent = message;
  $("list").replaceChildren(...list.map((line) => make("li", { textContent: line })));
  $("hint").textContent = hint ? `hint: ${hint}` : "";
  $("fault").hidden = false;
  if (!$("columns").hidden) $("columns").open = true;
};

// What a report shows first, from the report itself: it needs no words of its own here.
const show = ({ json, understood }, page, seconds) => {
  const body = page.slice(page.indexOf("<main>"), page.indexOf("</main>"));
  const report = new DOMParser().parseFromString(body, "text/html");
  report.querySelectorAll(".tools, figure script").forEach((one) => one.remove());
  report.querySelectorAll("thead button").forEach((one) => one.replaceWith(one.textContent));
  const shown = [".verdict", "section", "figure"].map((part) => report.querySelector(part)).filter(Boolean);
  $("shown").replaceChildren(...shown.map((one) => document.adoptNode(one)));
  $("understood").textContent = `${file.name}: ${understood}`;
  $("understood").hidden = false;
  const stem = file.name.replace(/(\.(csv|tsv|tab|txt|jsonl|ndjson|npz|gz))+$/i, "");
  for (const [id, text, kind, ending] of [["page", page, "text/html", ".html"], ["json", json, "application/json", ".json"]]) {
    const link = URL.createObjectURL(new Blob([text], { type: kind }));
    links.push(link);
    Object.assign($(id), { href: link, download: stem + ending });
  }
  $("result").hidden = false;
  say(`measured in ${seconds.toFixed(2)} s`);
};

// Columns to choose from, as they were understood.
const offer = ({ columns, json }) => {
  $("columns").hidden = columns.length === 0;
  if (columns.length === 0) return;
  const used = json ? JSON.parse(json).columns ?? {} : chosen();
  const scores = json ? Object.keys(used.probabilities ?? used.logits ?? {}) : used.scores;
  const label = json ? used.labels : used.label;
  const option = (text, value = text) => make("option", { textContent: text, value });
  const logits = json ? Boolean(used.logits) : used.logits;
  $("label").replaceChildren(option("by its name", ""), ...columns.map((one) => option(one.name)));
  $("label").value = label ?? "";
  $("boxes").replaceChildren(...columns.filter((one) => one.numbers).map((one) => make("label", { className: "box" },
    make("input", { type: "checkbox", value: one.name, checked: scores.includes(one.name) }), make("span", { textContent: one.name }))));
  $("logits").checked = logits;
  const classes = () => {
    const before = $("positive").value;
    const values = columns.find((one) => one.name === $("label").value)?.values ?? [];
    $("positive").replaceChildren(option("the one it is named after, or 1", ""), ...values.map((one) => option(one)));
    $("positive").value = values.includes(before) ? before : "";
  };
  $("label").onchange = classes;
  classes();
};
const chosen = () => ({
  label: $("label").value || null,
  scores: [...$("boxes").querySelectorAll("input:checked")].map((one) => one.value),
  logits: $("logits").checked,
  positive: $("positive").value || null,
});
$("choice").addEventListener("submit", (event) => {
  event.preventDefault();
  measure(chosen());
});

// Ways in.
$("file").addEventListener("change", () => {
  const [one] = $("file").files;
  if (one) open(one, one.name);
});
$("sample").addEventListener("click", async () => {
  try {
    open(await (await load("cells_lgbm.csv")).blob(), "cells_lgbm.csv");
  } catch (error) {
    hear.fault({ text: String(error.message ?? error) });
  }
});
// Anywhere on the page will do: a file that is dropped beside the frame would replace the page otherwise.
for (const kind of ["dragenter", "dragover", "dragleave", "drop"]) {
  document.addEventListener(kind, (event) => {
    event.preventDefault();
    $("drop").classList.toggle("over", kind === "dragenter" || kind === "dragover");
  });
}
document.addEventListener("drop", (event) => {
  const [one] = event.dataTransfer?.files ?? [];
  if (one) open(one, one.name);
});

start().catch((error) => hear.fault({ text: String(error.message ?? error) }));
