"use strict";
// Tables: a click on a column's head sorts by it, another one turns the order round.
/**
 * @param {HTMLTableRowElement} row
 * @param {number} column
 */
function value(row, column) {
  const cell = row.cells[column];
  const text = cell.dataset.value ?? cell.textContent.trim();
  const number = parseFloat(text.replace("−", "-").replace(/^[+±]/, ""));
  return Number.isNaN(number) ? (text === "?" || text === "" ? -Infinity : text.toLowerCase()) : number;
}
/**
 * @param {number | string} a
 * @param {number | string} b
 */
function order(a, b) {
  if (typeof a === typeof b) return a < b ? -1 : a > b ? 1 : 0;
  return typeof a === "number" ? -1 : 1;
}
for (const table of /** @type {NodeListOf<HTMLTableElement>} */ (document.querySelectorAll("table.sortable"))) {
  const heads = table.tHead ? [...table.tHead.rows[0].cells] : [];
  heads.forEach((head, column) => {
    head.tabIndex = 0;
    const sort = () => {
      const rising = head.getAttribute("aria-sort") === "descending" || !head.hasAttribute("aria-sort") && head.classList.contains("left");
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", rising ? "ascending" : "descending");
      const body = table.tBodies[0];
      const keyed = [...body.rows].map((row) => ({ row, key: value(row, column) }));
      keyed.sort((x, y) => (rising ? 1 : -1) * order(x.key, y.key));
      body.append(...keyed.map(({ row }) => row));
    };
    head.addEventListener("click", sort);
    head.addEventListener("keydown", (event) => { if (event.key === "Enter") sort(); });
  });
}
// A table broader than the page scrolls in its box, which shows a hint until the end is reached.
for (const box of document.querySelectorAll(".box")) {
  const inner = /** @type {HTMLElement} */ (box.querySelector(".scroll"));
  const look = () => {
    const broad = inner.scrollWidth > inner.clientWidth + 1;
    box.classList.toggle("more", broad && inner.scrollLeft + inner.clientWidth < inner.scrollWidth - 8);
    box.classList.toggle("broad", broad);
    if (broad) inner.tabIndex = 0;
  };
  inner.addEventListener("scroll", look, { passive: true });
  new ResizeObserver(look).observe(inner);
}
// Mosaics of many players: the content of the cell under the pointer.
const tip = document.createElement("div");
tip.id = "tip";
document.body.append(tip);
/**
 * @param {{ names: string[], cells?: string[], percent: string }} data
 * @param {number} row
 * @param {number} column
 */
function description(data, row, column) {
  const count = data.names.length;
  if (data.cells) return data.cells[row * count + column];
  const low = Math.min(row, column), high = Math.max(row, column);
  const code = data.percent.charCodeAt(low * count - (low * (low + 1)) / 2 + high - low - 1) - 0xc0;
  if (code < 0) return undefined;
  const percent = row < column ? code : 100 - code;
  return `${percent === 0 ? "<1" : percent === 100 ? ">99" : percent} %`;
}
for (const figure of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("figure[data-hover]"))) {
  const data = JSON.parse(document.getElementById(figure.dataset.hover ?? "")?.textContent ?? "");
  const cover = /** @type {SVGElement | null} */ (figure.querySelector(".cover"));
  if (!cover) continue;
  const count = data.names.length;
  const show = (/** @type {PointerEvent} */ event) => {
    const box = cover.getBoundingClientRect();
    const row = Math.min(count - 1, Math.floor((event.clientY - box.top) / box.height * count));
    const column = Math.min(count - 1, Math.floor((event.clientX - box.left) / box.width * count));
    const text = row === column ? undefined : description(data, row, column);
    tip.textContent = `${row + 1} ${data.names[row]} – ${column + 1} ${data.names[column]}: ${text ?? "no games"}`;
    tip.style.display = row === column ? "none" : "block";
    tip.style.left = `${Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8)}px`;
    tip.style.top = `${event.clientY + 16}px`;
  };
  cover.addEventListener("pointermove", show);
  cover.addEventListener("pointerdown", show);
  cover.addEventListener("pointerleave", () => { tip.style.display = "none"; });
}
// The meeting graph: a player under the pointer stands out with its opponents.
for (const node of /** @type {NodeListOf<SVGElement>} */ (document.querySelectorAll(".node"))) {
  const svg = /** @type {SVGSVGElement} */ (node.ownerSVGElement);
  node.addEventListener("pointerenter", () => {
    const near = new Set([node.dataset.node]);
    for (const edge of /** @type {NodeListOf<SVGElement>} */ (svg.querySelectorAll(".edges path"))) {
      const ends = (edge.dataset.ends ?? "").split(" ");
      const mine = ends.includes(node.dataset.node ?? "");
      edge.classList.toggle("near", mine);
      if (mine) ends.forEach((end) => near.add(end));
    }
    for (const other of /** @type {NodeListOf<SVGElement>} */ (svg.querySelectorAll(".node"))) other.classList.toggle("near", near.has(other.dataset.node));
    svg.classList.add("picked");
  });
  node.addEventListener("pointerleave", () => svg.classList.remove("picked"));
}
