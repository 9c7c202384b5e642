// The nodes of a run in a cluster; hidden for another run.
import { el } from "./dom.js";
import { clock, number } from "./format.js";

/**
 * @import { RunModel } from "./run_model.js"
 * @import { NodeDocument } from "./documents.d.ts"
 */

const HEADS = [
  ["node", "left"], ["address", "left more"], ["state", "left"], ["tables", "more"], ["games", ""], ["a minute", ""], ["void", "", "void games: they were played again"], ["speed", "more", "the speed of a fixed search"], ["last word", "more"],
  ["χ²", "", "whether the players score here as they do at the other nodes"], ["p", "", "the probability of results at least as uneven if chance alone is at work"],
];

const NO_TEST = "–";

export class Nodes {
  constructor() {
    this.shown = "";
    this.body = el("tbody");
    this.notes = el("ul", { class: "plain" });
    const heads = HEADS.map(([text, kind, title]) => el("th", { class: kind || null, scope: "col", title }, text));
    const box = el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Nodes" }, el("table", { class: "nodes" }, el("thead", null, el("tr", null, heads)), this.body));
    this.element = el("section", { id: "nodes", class: "wide", hidden: true }, el("h2", null, "Nodes"), box, this.notes);
  }

  /** @param {RunModel} state */
  show({ nodes }) {
    this.element.hidden = !nodes;
    const shown = JSON.stringify(nodes?.nodes ?? []);
    if (this.shown === shown) return;
    this.shown = shown;
    this.body.replaceChildren(...(nodes?.nodes ?? []).map(row));
    const texts = [...(nodes?.nodes ?? []).flatMap(notes), ...untested(nodes?.nodes ?? [])];
    this.notes.replaceChildren(...texts.map((text) => el("li", null, text)));
  }
}

/** @param {NodeDocument} node */
function row(node) {
  const test = node.agreement;
  const texts = [
    node.name, node.address ?? "", node.state, node.tables ? String(node.tables) : "", String(node.games),
    node.games_per_minute === null ? "" : number(node.games_per_minute, 1), node.void ? String(node.void) : "",
    node.nps ? `${number(node.nps / 1000)} kn/s` : "", node.heard ? clock(node.heard) : "",
    test ? `${number(test.chi_square, 1)}, ${test.degrees} df` : NO_TEST, test ? chance(test.p_value) : NO_TEST,
  ];
  return el("tr", { "data-node": node.name }, texts.map((text, place) =>
    el(place ? "td" : "th", { class: HEADS[place][1] || null, scope: place ? null : "row" }, text)));
}

/** @param {number} p */
function chance(p) {
  return p < 0.001 ? "<0.001" : number(p, p < 0.0995 ? 3 : 2);
}

/**
 * What else there is to say of a node.
 * @param {NodeDocument} node
 */
function notes(node) {
  const found = node.why ? [`${node.name} ${node.state}: ${node.why}`] : [];
  for (const [name, why] of Object.entries(node.cannot ?? {})) found.push(`${node.name}: player ${name} cannot play there: ${why}`);
  for (const [name, by] of Object.entries(node.outliers)) {
    found.push(`${node.name}: ${name} scores ${number(Math.abs(by), 1)} standard deviations ${by > 0 ? "more" : "less"} than elsewhere`);
  }
  return found;
}

/**
 * Why nodes that play have no test; `tournament nodes` counts the games that are missing.
 * @param {NodeDocument[]} nodes
 */
function untested(nodes) {
  const names = nodes.filter((node) => !node.agreement && (node.games || node.state !== "refused")).map((node) => node.name);
  return names.length ? [`${NO_TEST} no test of ${names.join(", ")} yet: it needs games of one pair with the same player first, there and at another node, with different results`] : [];
}
