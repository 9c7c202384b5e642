// The page of a player: its rating, its score by side and against each opponent, its failures, its games.
import { el, failed, given, keepingFocus, main, named } from "./dom.js";
import { number, percent } from "./format.js";
import { GameList } from "./game_list.js";
import { failuresText, follow, played, points, sidesTable, total } from "./results.js";

/**
 * @import { PlayerDocument } from "./documents.d.ts"
 * @import { Sides } from "./page_types.d.ts"
 */

const run = given("run");
const player = new URLSearchParams(location.search).get("player") ?? "";
const list = new GameList(run, "player", ["player"]);

const rating = el("p", { class: "answer" });
const notes = el("div");
const sides = el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "By side" });
const opponents = el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Opponents" });
const failures = el("div");

/**
 * @param {string} path
 * @param {Record<string, string>} words
 */
const page = (path, words) => `${named("runs", run, path)}?${new URLSearchParams(words)}`;

function build() {
  main.replaceChildren(
    el("p", { class: "crumbs" }, el("a", { href: named("runs", run) }, run), " › player"),
    el("h1", null, player), rating, notes,
    el("section", null, el("h2", null, "By side"), sides),
    el("section", null, el("h2", null, "Opponents"), opponents),
    el("section", null, el("h2", null, "Failures"), failures),
    el("section", null, el("h2", null, "Games"), list.elements),
  );
}

/** @param {PlayerDocument} found */
async function show(found) {
  await list.load();
  if (!main.contains(rating)) build();
  rating.textContent = ratingText(found);
  const wrong = [found.benched && `benched: ${found.benched}`, found.absent].filter(Boolean);
  notes.replaceChildren(...wrong.map((text) => el("p", { class: "warning" }, text)));
  sides.replaceChildren(sidesTable(found.sides));
  keepingFocus(opponents, () => opponents.replaceChildren(opponentsTable(found)));
  keepingFocus(failures, () => failures.replaceChildren(failuresText(found.failures, (kind) => page("player", { player, outcome: "lost", termination: kind }))));
  main.dataset.ready = "true";
}

/** @param {PlayerDocument} found */
function ratingText({ ranking }) {
  const rank = ranking.findIndex((one) => one.name === player);
  const own = ranking[rank];
  if (!own || own.elo === null) return "No rating yet.";
  const error = own.plus === null ? "" : number(own.plus) === number(own.minus) ? ` ± ${number(own.plus)}` : ` +${number(own.plus)} −${number(own.minus)}`;
  const next = ranking[rank + 1];
  const los = next && own.los !== null ? `; stronger than ${next.name} with a likelihood of ${percent(own.los)}` : "";
  return `${number(own.elo)}${error} Elo, rank ${rank + 1} of ${ranking.length}${los}`;
}

/** @param {PlayerDocument} found */
function opponentsTable({ ranking, opponents: met }) {
  const ranks = new Map(ranking.map((one, place) => [one.name, place]));
  const rows = [...met].sort((a, b) => (ranks.get(a.name) ?? Infinity) - (ranks.get(b.name) ?? Infinity));
  const heads = [["opponent", "left"], ["Elo", ""], ["score", ""], ["games", "more"], ["W-D-L", ""], ["first", "more"], ["second", "more"]];
  const line = (/** @type {{ name: string, sides: Sides }} */ { name, sides: both }) => {
    const counts = total(both);
    const elo = ranking[ranks.get(name) ?? -1]?.elo ?? null;
    return el(
      "tr",
      null,
      el("th", { class: "left", scope: "row" }, el("a", { href: page("player", { player: name }) }, name)),
      el("td", null, elo === null ? "" : number(elo)),
      el("td", null, el("a", { href: page("pair", { player, opponent: name }), "aria-label": `${points(counts)} against ${name}` }, points(counts))),
      el("td", { class: "more" }, String(played(counts))),
      el("td", null, counts.join("-")),
      both.map((side) => el("td", { class: "more" }, points(side))),
    );
  };
  return el(
    "table",
    { class: "opponents" },
    el("thead", null, el("tr", null, heads.map(([text, kind]) => el("th", { class: kind || null, scope: "col" }, text)))),
    el("tbody", null, rows.map(line)),
  );
}

follow(`/api/runs/${encodeURIComponent(run)}/player?${new URLSearchParams({ player })}`, show).catch(failed);
