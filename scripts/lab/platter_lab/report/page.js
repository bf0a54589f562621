"use strict";
// Charts: each specification stands beside its place, as JSON. A chart has the width of its place. Panels stand below each other where each would
// have less than PANEL pixels. The signal `plot` is the width that all panels of a row have without their axes.
const PANEL = 260, NARROWEST = 110, PRINTED = 650, PRINTED_HALF = 300;
const OPTIONS = {mode: "vega-lite", renderer: "svg", actions: {export: true, source: false, compiled: false, editor: false},
                 formatLocale: {decimal: ".", thousands: "\u202f", grouping: [3], currency: ["", ""]}};
const parts = spec => spec.layer || spec.hconcat || spec.vconcat || [];
const encodings = (spec, channel) =>
  [spec.encoding && spec.encoding[channel], ...parts(spec).flatMap(part => encodings(part, channel))].filter(Boolean);
const widthOf = spec => spec.width || widthOf(parts(spec)[0]);

class Chart {
  constructor(place, spec) {
    this.place = place;
    this.spec = spec;
    this.panels = spec.hconcat ? spec.hconcat.length : 1;
    const plot = this.panels * widthOf(spec);
    spec.params = [...(spec.params || []), {name: "plot", value: plot}];
    for (const {legend} of encodings(spec, "color")) {
      if (legend && legend.columns) legend.columns = {expr: `max(1, floor(plot * ${legend.columns / plot}))`};
      if (legend && legend.gradientLength) legend.gradientLength = {expr: `min(plot, ${legend.gradientLength})`};
    }
    this.addScales((spec.usermeta || {}).scales || {});
  }

  // A box for each channel that can have a logarithmic scale.
  addScales(titles) {
    const row = Object.assign(document.createElement("div"), {className: "scales", textContent: Object.keys(titles).length ? "logarithmic: " : ""});
    for (const [channel, title] of Object.entries(titles)) {
      const label = document.createElement("label"), box = Object.assign(document.createElement("input"), {type: "checkbox"});
      box.checked = encodings(this.spec, channel).some(one => one.scale && one.scale.type === "log");
      box.dataset.channel = channel;
      box.addEventListener("change", () => this.setScale(channel, box.checked));
      label.append(box, " " + title);
      row.append(label);
    }
    this.place.after(row);
  }

  setScale(channel, logarithmic) {
    for (const one of encodings(this.spec, channel)) {
      if (one.type !== "quantitative") continue;
      const {type, zero, nice, padding, ...kept} = one.scale || {};
      const apart = channel === "color" ? {} : {padding: 8};
      one.scale = {...kept, ...(logarithmic ? {type: "log", nice: false, ...apart} : {type: "linear", zero: false})};
    }
    for (const one of this.spec.params) {
      if (one.name === "log_" + channel) one.value = logarithmic;
      else if (one.bind && one.bind !== "scales") one.value = this.view.signal(one.name);
    }
    return this.draw();
  }

  async draw() {
    const {hconcat, ...other} = this.spec;
    this.stacked = this.isNarrow();
    if (this.view) this.view.finalize();
    try {
      this.view = (await vegaEmbed(this.place, this.stacked ? {...other, vconcat: hconcat} : this.spec, OPTIONS)).view;
      await this.fit(this.place.clientWidth);
      this.place.dataset.drawn = "1";
    } catch (error) {
      this.place.className += " error";
      this.place.textContent = "This chart could not be drawn: " + error.message;
      console.error(error);
    }
  }

  isNarrow() { return this.panels > 1 && this.place.clientWidth < this.panels * PANEL; }

  // To the present width of the place.
  resize() { return this.isNarrow() === this.stacked ? this.fit(this.place.clientWidth) : this.draw(); }

  // Axes and legends keep their size, which is known once they are drawn.
  async fit(room) {
    const across = this.stacked ? 1 : this.panels, signal = across > 1 ? "childWidth" : "width";
    for (let tries = 0; tries < 3; ++tries) {
      const beyond = Number(this.place.querySelector("svg.marks").getAttribute("width")) - room, width = this.view.signal(signal);
      const next = Math.max(NARROWEST, Math.floor(width - beyond / across));
      if (next === width) return;
      await this.view.signal(signal, next).signal("plot", across * next).resize().runAsync();
    }
  }
}

const charts = [...document.querySelectorAll("script[data-chart]")].map(
  script => new Chart(document.getElementById(script.dataset.chart), JSON.parse(script.textContent)));
Promise.all(charts.map(chart => chart.draw())).then(() => {
  const drawn = charts.filter(chart => chart.place.dataset.drawn), resize = () => drawn.forEach(chart => chart.resize());
  let timer = 0;
  addEventListener("resize", () => { clearTimeout(timer); timer = setTimeout(resize, 100); });
  addEventListener("beforeprint", () => drawn.forEach(chart => chart.fit(chart.place.closest(".half") ? PRINTED_HALF : PRINTED)));
  addEventListener("afterprint", resize);
});

// Tables. A filter is words that a row must have, and conditions "column<5", "column>=2", "column=text" on cells, by the heading's beginning.
const value = cell => cell.dataset.key !== undefined ? Number(cell.dataset.key) : cell.textContent.toLowerCase();
for (const box of document.querySelectorAll(".table")) {
  const heads = [...box.querySelectorAll("th")], body = box.querySelector("tbody"), rows = [...body.rows];
  const field = box.querySelector("input"), shown = box.querySelector(".shown");
  const tests = text => (text.toLowerCase().match(/"[^"]*"|\S+/g) || []).map(word => {
    const parts = /^"?(.+?)(<=|>=|<|>|=)(.+?)"?$/.exec(word);
    const column = parts ? heads.findIndex(head => head.textContent.toLowerCase().startsWith(parts[1].trim())) : -1;
    if (column < 0) return row => row.textContent.toLowerCase().includes(word.replaceAll('"', ""));
    const wanted = parts[3].trim(), number = Number(wanted);
    return row => {
      const has = value(row.cells[column]);
      if (parts[2] === "=") return typeof has === "number" && wanted !== "" && !isNaN(number) ? has === number : row.cells[column].textContent.toLowerCase().includes(wanted);
      if (typeof has !== "number" || isNaN(number)) return false;
      return parts[2] === "<" ? has < number : parts[2] === ">" ? has > number : parts[2] === "<=" ? has <= number : has >= number;
    };
  });
  if (field) field.addEventListener("input", () => {
    const all = tests(field.value);
    let count = 0;
    for (const row of rows) count += !(row.hidden = !all.every(test => test(row)));
    shown.textContent = (count === rows.length ? "" : count + " of ") + rows.length + " " + box.dataset.name;
  });
  heads.forEach((head, column) => head.addEventListener("click", () => {
    const order = head.dataset.order === "1" ? -1 : 1;
    heads.forEach(one => delete one.dataset.order);
    head.dataset.order = order;
    const compare = (a, b) => typeof a === typeof b ? (a < b ? -1 : a > b ? 1 : 0) : typeof a === "number" ? -1 : 1;
    rows.sort((a, b) => order * compare(value(a.cells[column]), value(b.cells[column]))).forEach(row => body.append(row));
  }));
}
