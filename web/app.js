// The page: a file in, what a worker found of it out. Nothing is sent anywhere.
const $ = (id) => document.getElementById(id);
const make = (tag, fields = {}, ...children) => {
  const made = Object.assign(document.createElement(tag), fields);
  made.append(...children);
  return made;
};

// What measures: compiled once, and started anew for every file that comes while another is measured.
const load = async (path, read) => {
  try {
    const found = await fetch(path);
    if (!found.ok) throw new Error(`${found.status} ${found.statusText}`);
    return await found[read]();
  } catch (error) {
    throw new Error(`${path}: ${error.message}`);
  }
};
const parts = Promise.all([
  load("worker.js", "blob").then((source) => URL.createObjectURL(source)),
  load("calipers.wasm", "arrayBuffer").then((found) => WebAssembly.compile(found)),
]);
let worker = null;
let busy = false;
// Counts what was asked for: what was asked for before is neither waited for nor shown.
let turn = 0;
const start = ([source, module]) => {
  const own = new Worker(source);
  own.onmessage = ({ data }) => {
    // What a worker cannot do at all, it says of no turn.
    if (own === worker && (data.turn ?? turn) === turn) hear[data.kind](data);
  };
  own.onerror = (event) => {
    if (own === worker) hear.fault({ text: event.message || "worker.js does not start", ready: false });
  };
  own.postMessage({ module });
  worker = own;
};
const stop = () => {
  worker?.terminate();
  worker = null;
};

// What was opened, and the addresses of what may be downloaded.
let file = null;
let links = [];
const say = (text) => { $("doing").textContent = [text, file?.note].filter(Boolean).join("; "); };
const clear = () => {
  for (const id of ["fault", "result", "understood"]) $(id).hidden = true;
  $("shown").replaceChildren();
  links.forEach((link) => URL.revokeObjectURL(link));
  links = [];
};

const measure = async (asked) => {
  const own = file;
  const mine = ++turn;
  if (busy) stop();
  busy = true;
  clear();
  say(`reading ${own.name}`);
  let made = null;
  try {
    made = await parts;
    const content = worker && own.opened ? null : await own.read();
    if (mine !== turn) return;
    if (!worker) start(made);
    own.opened = true;
    worker.postMessage({ turn, name: own.name, content, asked }, content ? [content] : []);
  } catch (error) {
    if (mine === turn) hear.fault({ text: words(error), ready: made !== null });
  }
};
const open = (name, read, note = "") => {
  file = { name, read, note, opened: false };
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
  found: ({ name, found, page, seconds }) => {
    busy = false;
    offer(found);
    if (found.error) fault("This file cannot be measured", found.error);
    else show(name, found, page, seconds);
  },
  // What should not have happened: what is left of the worker is of no use, and what is being read for it neither.
  fault: ({ text, ready }) => {
    busy = false;
    turn += 1;
    stop();
    const [head, hint] = ready
      ? ["This file cannot be measured", "calipers estimate FILE, on the command line, has more memory and reads more"]
      : ["This page could not start", "load it again, or use calipers estimate FILE, on the command line"];
    fault(head, { message: text, list: [], hint });
  },
};
const words = (error) => String(error.message ?? error);
const fault = (head, { message, list, hint }) => {
  say("");
  $("head").textContent = head;
  $("message").textContent = message;
  $("list").replaceChildren(...list.map((line) => make("li", { textContent: line })));
  $("hint").textContent = hint ? `hint: ${hint}` : "";
  $("fault").hidden = false;
  if (!$("columns").hidden) $("columns").open = true;
};

// What a report shows first, from the report itself: it needs no words of its own here.
const show = (name, { json, understood }, page, seconds) => {
  const body = page.slice(page.indexOf("<main>"), page.indexOf("</main>"));
  const report = new DOMParser().parseFromString(body, "text/html");
  report.querySelectorAll(".tools, figure script").forEach((one) => one.remove());
  report.querySelectorAll("thead button").forEach((one) => one.replaceWith(one.textContent));
  const shown = [".verdict", "section", "figure"].map((part) => report.querySelector(part)).filter(Boolean);
  $("shown").replaceChildren(...shown.map((one) => document.adoptNode(one)));
  $("understood").textContent = `${name}: ${understood}`;
  $("understood").hidden = false;
  const stem = name.replace(/(\.(csv|tsv|tab|txt|jsonl|ndjson|npz|gz))+$/i, "");
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
const take = ([one, ...others]) => {
  const note = others.length ? `the first of ${others.length + 1} files: one is measured at a time` : "";
  if (one) open(one.name, () => one.arrayBuffer(), note);
};
$("file").addEventListener("change", () => {
  take($("file").files);
  // So that the same file may be chosen again, and no other's name stays here when one is dropped.
  $("file").value = "";
});
$("sample").addEventListener("click", () => open("cells_lgbm.csv", () => load("cells_lgbm.csv", "arrayBuffer")));
// Anywhere on the page will do: a file that is dropped beside the frame would replace the page otherwise.
for (const kind of ["dragenter", "dragover", "dragleave", "drop"]) {
  document.addEventListener(kind, (event) => {
    event.preventDefault();
    $("drop").classList.toggle("over", kind === "dragenter" || kind === "dragover");
  });
}
document.addEventListener("drop", (event) => take(event.dataTransfer?.files ?? []));

// What the page said until now was that nothing runs.
say("");
parts.then((made) => { if (!worker) start(made); }).catch((error) => hear.fault({ text: words(error), ready: false }));
