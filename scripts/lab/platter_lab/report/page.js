"use strict";
// Charts: each specification stands beside its place, as JSON.
for (const script of document.querySelectorAll("script[data-chart]")) {
  const place = document.getElementById(script.dataset.chart);
  vegaEmbed(place, JSON.parse(script.textContent), {mode: "vega-lite", renderer: "svg", actions: {export: true, source: false, compiled: false, editor: false}})
    .then(() => { place.dataset.drawn = "1"; })
    .catch(error => { place.className += " error"; place.textContent = "This chart could not be drawn: " + error.message; console.error(error); });
}

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
