"use strict";
(() => {
  const root = document.documentElement;
  const status = document.getElementById("status");
  const all = (selector, from = document) => [...from.querySelectorAll(selector)];
  // Without scripts the page shows everything but what would do nothing.
  all("[hidden]").forEach((button) => { button.hidden = false; });

  // Light and dark.
  const theme = document.getElementById("theme");
  const prefers = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : prefers.matches);
  const nameTheme = () => { theme.textContent = isDark() ? "Light" : "Dark"; };
  theme.addEventListener("click", () => { root.dataset.theme = isDark() ? "light" : "dark"; nameTheme(); });
  prefers.addEventListener("change", nameTheme);
  nameTheme();

  // Numbers as CSV.
  const cell = (text) => (/[",\n\r]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text);
  const lines = (rows) => rows.map((row) => row.map((one) => cell(String(one ?? ""))).join(",")).join("\n") + "\n";
  const say = (text) => {
    status.textContent = text;
    clearTimeout(say.later);
    say.later = setTimeout(() => { status.textContent = ""; }, 3000);
  };
  const byHand = (text) => {
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  };
  const copy = async (text) => {
    root.dataset.copied = text.length;
    try {
      await navigator.clipboard.writeText(text);
      say("Copied as CSV");
    } catch {
      say(byHand(text) ? "Copied as CSV" : "The browser does not let this page copy");
    }
  };
  const tableRows = (table) => all("tr", table).map((row) =>
    [...row.cells].map((one) => one.dataset.v ?? one.querySelector("[title]")?.title ?? one.textContent));
  const figureRows = (figure) => {
    const rows = [["panel", "layer", "x", "y", "low", "high"]];
    for (const panel of figure.panels) {
      for (const { name, mark } of panel.layers) {
        const head = [panel.y.label, name];
        (mark.top ?? mark.x).forEach((_, at) => {
          if (mark.kind === "bars") {
            rows.push([...head, (mark.edges[at] + mark.edges[at + 1]) / 2, "", mark.base[at], mark.top[at]]);
          } else {
            rows.push([...head, mark.x[at], mark.y?.[at], mark.low?.[at], mark.high?.[at]]);
          }
        });
      }
    }
    return rows;
  };

  // Tables: sort and copy.
  for (const table of all("table")) {
    all("thead button", table).forEach((button) => button.addEventListener("click", () => {
      const head = button.closest("th");
      const column = head.cellIndex;
      const first = head.classList.contains("word") ? "ascending" : "descending";
      const other = first === "ascending" ? "descending" : "ascending";
      const order = head.getAttribute("aria-sort") === first ? other : first;
      all("th[aria-sort]", table).forEach((one) => one.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", order);
      const sign = order === "ascending" ? 1 : -1;
      const key = (row) => {
        const one = row.cells[column];
        if (head.classList.contains("word")) return one.textContent;
        const value = one.dataset.v ?? "";
        // What is not there comes last in either order.
        return value === "" ? -Infinity * sign : Number(value.replace("inf", "Infinity"));
      };
      const compare = (a, b) => (typeof a === "string" ? a.localeCompare(b, undefined, { numeric: true })
        : a < b ? -1 : a > b ? 1 : 0);
      const body = table.tBodies[0];
      const rows = [...body.rows].map((row) => [key(row), row]);
      rows.sort((a, b) => sign * compare(a[0], b[0]));
      body.append(...rows.map(([, row]) => row));
    }));
    table.closest("section, figure").querySelectorAll(`button[data-copy="${table.id}"]`)
      .forEach((button) => button.addEventListener("click", () => copy(lines(tableRows(table)))));
  }

  // Of several figures the one that is chosen in a table.
  for (const table of all("table.segments")) {
    const choices = all("input", table);
    const pick = () => choices.forEach((one) => {
      document.getElementById(one.value).hidden = !one.checked;
      one.closest("tr").classList.toggle("picked", one.checked);
    });
    choices.forEach((one) => {
      one.addEventListener("change", pick);
      one.closest("tr").addEventListener("click", (event) => { if (!event.target.closest("label")) one.click(); });
    });
    pick();
  }

  // Figures: values on hovering and by keys, layers on request, numbers to copy.
  const show = (number) => (Number.isFinite(number) ? String(Number(number.toPrecision(3))) : "");
  const nearest = (x, at) => {
    let best = 0;
    for (let place = 1; place < x.length; place += 1) {
      if (Math.abs(x[place] - at) < Math.abs(x[best] - at)) best = place;
    }
    return best;
  };
  for (const box of all("figure[data-figure]")) {
    const figure = JSON.parse(box.querySelector("script").textContent);
    const svg = box.querySelector("svg");
    const output = box.querySelector("output");
    const [left, right, from, to] = svg.dataset.x.split(" ").map(Number);
    const heights = all(".panel", svg).map((panel) => panel.dataset.y.split(" ").map(Number));
    const cross = document.createElementNS(svg.namespaceURI, "path");
    cross.setAttribute("class", "cross");
    const layers = figure.panels.flatMap((panel) => panel.layers);
    const several = layers.some((layer) => layer.series > 0);
    const step = (to - from) / 50;
    let at = null;
    const read = (x) => {
      const parts = [];
      const line = layers.filter((layer) => layer.role === "truth");
      for (const { name, series, mark } of line) {
        // Beyond its ends a curve has no value.
        if (x < mark.x[0] - step || x > mark.x[mark.x.length - 1] + step) continue;
        const point = nearest(mark.x, x);
        const band = layers.find((layer) => layer.role === "band" && layer.series === series);
        const sure = band ? ` (${show(band.mark.low[point])} to ${show(band.mark.high[point])})` : "";
        parts.push(`${several ? name : "g"} = ${show(mark.y[point])}${sure}`);
      }
      for (const { name, mark } of layers.filter((layer) => layer.mark.kind === "bars")) {
        const bin = Math.min(mark.top.length - 1, mark.edges.findLastIndex((edge) => edge <= x));
        if (bin >= 0) parts.push(`${name} ${show(mark.top[bin] - mark.base[bin])}`);
      }
      return parts.length ? `f = ${show(x)}: ${parts.join(", ")}` : `f = ${show(x)}: nothing there`;
    };
    const point = (x) => {
      at = Math.min(to, Math.max(from, x));
      const place = left + ((at - from) / (to - from)) * (right - left);
      const [top] = heights[0];
      const [, bottom] = heights[heights.length - 1];
      cross.setAttribute("d", `M${place} ${top}V${bottom}`);
      svg.append(cross);
      output.textContent = read(at);
    };
    const leave = () => { cross.remove(); output.textContent = ""; at = null; };
    svg.setAttribute("tabindex", "0");
    svg.addEventListener("pointermove", (event) => {
      const frame = svg.getBoundingClientRect();
      const place = ((event.clientX - frame.left) / frame.width) * svg.viewBox.baseVal.width;
      point(from + ((place - left) / (right - left)) * (to - from));
    });
    svg.addEventListener("pointerleave", leave);
    svg.addEventListener("blur", leave);
    svg.addEventListener("focus", () => { if (svg.matches(":focus-visible")) point((from + to) / 2); });
    svg.addEventListener("keydown", (event) => {
      const move = { ArrowLeft: -step, ArrowRight: step, PageUp: 10 * step, PageDown: -10 * step }[event.key];
      if (event.key === "Home") point(from);
      else if (event.key === "End") point(to);
      else if (move) point((at ?? (from + to) / 2) + move);
      else return;
      event.preventDefault();
    });
    for (const button of all("button[data-layer]", box)) {
      button.addEventListener("click", () => {
        button.setAttribute("aria-pressed", String(svg.classList.toggle("show")));
      });
    }
    for (const button of all("button[data-copy]", box)) {
      button.addEventListener("click", () => copy(lines(figureRows(figure))));
    }
  }
})();
