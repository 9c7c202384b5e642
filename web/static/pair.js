// The page of a pair: its score, its results by side, the failures of both, all games.
import { el, failed, given, keepingFocus, main, named } from "./dom.js";
import { counted, number } from "./format.js";
import { GameList } from "./game_list.js";
import { failuresText, follow, played, sidesTable, total } from "./results.js";

/** @import { PairDocument } from "./documents.d.ts" */

const run = given("run");
const query = new URLSearchParams(location.search);
const [player, opponent] = ["player", "opponent"].map((name) => query.get(name) ?? "");
const list = new GameList(run, "pair", ["player", "opponent"]);

const result = el("p", { class: "answer" });
const ratings = el("p", { class: "muted" });
const sides = el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "By side" });
const failures = [el("div"), el("div")];

/**
 * @param {string} path
 * @param {Record<string, string>} words
 */
const page = (path, words) => `${named("runs", run, path)}?${new URLSearchParams(words)}`;
const link = (/** @type {string} */ name) => el("a", { href: page("player", { player: name }) }, name);

function build() {
  main.replaceChildren(
    el("p", { class: "crumbs" }, el("a", { href: named("runs", run) }, run), " › pair · ", el("a", { href: page("pair", { player: opponent, opponent: player }) }, "the other side")),
    el("h1", null, link(player), " – ", link(opponent)), result, ratings,
    el("section", null, el("h2", null, `By side of ${player}`), sides),
    el("section", null, el("h2", null, "Failures"), [player, opponent].map((name, which) => [el("h3", null, name), failures[which]])),
    el("section", null, el("h2", null, "Games"), list.elements),
  );
}

/** @param {PairDocument} found */
async function show(found) {
  await list.load();
  if (!main.contains(result)) build();
  const counts = total(found.sides);
  result.textContent = found.score ? `${found.score} for ${player} after ${counted(played(counts), "game")}: ${counts[0]} won, ${counts[1]} drawn, ${counts[2]} lost` : "No finished games.";
  const elo = (/** @type {string} */ name) => found.ranking.find((one) => one.name === name)?.elo ?? null;
  const [own, others] = [elo(player), elo(opponent)];
  const ahead = own === null || others === null ? null : own - others;
  ratings.textContent = ahead === null ? "" : `Over all games ${player} is rated ${number(Math.abs(ahead))} Elo ${ahead < 0 ? "below" : "above"} ${opponent}.`;
  sides.replaceChildren(sidesTable(found.sides));
  failures.forEach((box, which) => {
    const [name, other] = which ? [opponent, player] : [player, opponent];
    const address = (/** @type {string} */ kind) => page("pair", { player: name, opponent: other, outcome: "lost", termination: kind });
    keepingFocus(box, () => box.replaceChildren(failuresText(found.failures[name], address)));
  });
  main.dataset.ready = "true";
}

follow(`/api/runs/${encodeURIComponent(run)}/pair?${new URLSearchParams({ player, opponent })}`, show).catch(failed);
