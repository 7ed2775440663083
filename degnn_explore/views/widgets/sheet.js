// A table: a click on a heading sorts, a click on a row's link tells Python. All text goes in as text, never as markup.
function render({ model, el }) {
  const box = document.createElement("div");
  box.className = "de-sheet-box";
  el.append(box);
  let by = -1, down = false;

  const draw = () => {
    const columns = model.get("columns"), rows = model.get("rows"), action = model.get("action");
    box.replaceChildren();
    if (!rows.length) {
      const empty = document.createElement("div");
      empty.className = "de-hint";
      empty.textContent = model.get("empty");
      box.append(empty);
      return;
    }
    const table = document.createElement("table");
    table.className = "de-sheet";
    const head = table.createTHead().insertRow();
    columns.forEach((column, c) => {
      const th = document.createElement("th");
      th.scope = "col";
      if (column.title) th.title = column.title;
      if (column.align) th.style.textAlign = column.align;
      const button = document.createElement("button");
      button.className = "de-sort";
      button.textContent = column.label + (by === c ? (down ? " ↓" : " ↑") : "");
      button.onclick = () => { down = by === c ? !down : column.first !== "up"; by = c; draw(); };
      th.setAttribute("aria-sort", by === c ? (down ? "descending" : "ascending") : "none");
      th.append(button);
      head.append(th);
    });
    if (action) head.append(document.createElement("th"));
    const order = rows.map((_, i) => i);
    if (by >= 0) {
      const value = (i) => rows[i][by].sort ?? rows[i][by].text;
      order.sort((a, b) => {
        const x = value(a), y = value(b);
        const less = typeof x === "number" && typeof y === "number" ? x - y : String(x).localeCompare(String(y));
        return down ? -less : less;
      });
    }
    const body = table.createTBody();
    for (const i of order) {
      const tr = body.insertRow();
      rows[i].forEach((cell, c) => {
        const td = tr.insertCell();
        if (columns[c].align) td.style.textAlign = columns[c].align;
        if (cell.dot) {
          const dot = document.createElement("span");
          dot.className = "de-dot";
          dot.style.background = cell.dot;
          td.append(dot);
        }
        const text = document.createElement("span");
        text.textContent = cell.text;
        if (cell.css) text.className = cell.css;
        td.append(text);
      });
      if (action) {
        const td = tr.insertCell();
        td.className = "de-act";
        const link = document.createElement("button");
        link.className = "de-link";
        link.textContent = action;
        link.onclick = () => model.send({ type: "row", row: i });
        td.append(link);
      }
    }
    box.append(table);
  };

  const heard = (message) => {
    if (message?.type === "download") {
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([message.text], { type: message.mime }));
      link.download = message.name;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    } else if (message?.type === "copy") {
      const told = (good) => () => model.send({ type: good ? "copied" : "not copied" });
      if (navigator.clipboard) navigator.clipboard.writeText(message.text).then(told(true), told(false));
      else told(false)();  // a page from another machine without https has no clipboard
    }
  };
  const names = ["columns", "rows", "action", "empty"].map((name) => `change:${name}`).join(" ");
  model.on(names, draw);
  model.on("msg:custom", heard);
  draw();
  return () => { model.off(names, draw); model.off("msg:custom", heard); };
}

export default { initialize, render };
