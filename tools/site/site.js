// Menu on narrow pages, search over headings, living pages in the place of their pictures, charts in the page's colours.
const dark = window.matchMedia("(prefers-color-scheme: dark)");

const menu = document.querySelector("button.menu");
const pages = document.getElementById("navigation");
menu.addEventListener("click", () => {
  const open = menu.getAttribute("aria-expanded") !== "true";
  menu.setAttribute("aria-expanded", String(open));
  pages.classList.toggle("open", open);
});
const current = pages.querySelector("[aria-current]");
if (current && pages.scrollHeight > pages.clientHeight) pages.scrollTop = current.offsetTop - pages.clientHeight / 2;

// ---- search ----
const search = document.querySelector(".search");
const field = search.querySelector("input");
const found = search.querySelector("ul");
search.hidden = false;

function look() {
  const words = field.value.trim().toLowerCase().split(/\s+/).filter(Boolean);
  const hits = words.length ? window.deIndex.filter(([said, page]) => {
    const text = `${said} ${page}`.toLowerCase();
    return words.every((word) => text.includes(word));
  }) : [];
  const exact = ([said]) => Number(said.toLowerCase() !== words[0]);
  hits.sort((a, b) => exact(a) - exact(b));
  found.replaceChildren(...hits.slice(0, 12).map(([said, page, address]) => {
    const link = document.createElement("a");
    link.href = document.body.dataset.up + address;
    link.append(said);
    const where = document.createElement("small");
    where.append(page);
    if (page !== said) link.append(where);
    const line = document.createElement("li");
    line.append(link);
    return line;
  }));
  if (words.length && !hits.length) {
    const none = document.createElement("li");
    none.append("No heading or name has these words.");
    found.append(none);
  }
}
field.addEventListener("input", look);
search.addEventListener("keydown", (event) => {
  const links = [...found.querySelectorAll("a")];
  const at = links.indexOf(document.activeElement);
  if (event.key === "Escape") { field.value = ""; look(); field.focus(); }
  else if (event.key === "Enter" && at < 0 && links.length) links[0].click();
  else if (event.key === "ArrowDown" && links.length) { links[Math.min(at + 1, links.length - 1)].focus(); event.preventDefault(); }
  else if (event.key === "ArrowUp" && at >= 0) { (links[at - 1] ?? field).focus(); event.preventDefault(); }
});
document.addEventListener("click", (event) => {
  if (!search.contains(event.target)) found.replaceChildren();
});

// ---- living pages ----
for (const button of document.querySelectorAll("button[data-page]")) {
  button.addEventListener("click", () => {
    const frame = document.createElement("iframe");
    frame.src = button.dataset.page;
    frame.title = "The Explorer";
    const panel = button.closest(".panel");
    panel.classList.add("living");
    panel.querySelector("figure").replaceWith(frame);
    button.remove();
    frame.focus();
  });
}

// ---- charts ----
const INK = "#1f2328";
const holders = document.querySelectorAll(".chart");

function draw() {
  const ink = getComputedStyle(document.body).color;
  const written = (text) => text.replaceAll(`"color":"${INK}"`, `"color":"${ink}"`);
  for (const holder of holders) {
    const { data, layout, config } = JSON.parse(written(JSON.stringify(JSON.parse(holder.querySelector("script").textContent))));
    holder.style.minHeight = `${layout.height ?? 450}px`;
    const wide = Math.min(layout.width ?? 760, holder.parentElement.clientWidth);
    const options = { ...config, displaylogo: false, displayModeBar: false, responsive: false };
    Plotly.react(holder.querySelector(".plot") ?? holder.appendChild(Object.assign(document.createElement("div"), { className: "plot" })),
      data, { ...layout, width: Math.max(wide, 480) }, options);
  }
}
if (holders.length && window.Plotly) {
  draw();
  dark.addEventListener("change", draw);
}
