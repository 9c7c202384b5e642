// The games of the run on a board. `boards` has the modules of games/static/.
/**
 * @import { Change, Geometry, Replay as Game } from "../../games/static/types.d.ts"
 * @import { Replay } from "../../games/static/replay.js"
 */
/**
 * A game: number, first, second, result, reason, moves, regions, forbidden, lines, scores, and the fields of its replay
 * that do not follow from its moves.
 * @typedef {[number, number, number, string, string, string, string, Record<string, [number, string, string][]>,
 *   number[][], [number, number][], Rest | undefined]} Line
 * @typedef {Partial<Game> & { texts?: Text[] }} Rest
 * A board, or the lines that differ from the board before, with their places.
 * @typedef {string | [number, string][]} Text
 */
const viewer = document.getElementById("viewer");
/**
 * @param {Geometry | null} geometry
 * @param {Line} line
 */
function expanded(geometry, [number, first, second, result, reason, moves, regions, forbidden, lines, scores, { texts = [], ...rest } = {}]) {
  const played = {
    game: geometry?.game ?? "", first: 0, moves: moves ? moves.split(" ") : [], result, text: `${result}, ${reason}`,
    stones: geometry?.cells.map(() => 0) ?? [], legal: [], lines, regions: [], forbidden: {}, ...rest,
  };
  const side = (/** @type {number} */ ply) => boards["sides.js"].mover(played, ply - 1);
  const shared = { number, first, second, reason, scores: scores.map(([ply, value]) => ({ ply, side: side(ply), value: value / 1000 })) };
  if (geometry === null) return { ...shared, replay: { changes: [], ...played, boards: whole(texts) } };
  const filled = [...played.stones];
  const changes = played.changes ?? played.moves.map((move, ply) => {
    const column = geometry.drops[move];
    const cell = column ? column.find((one) => filled[one] === 0) : geometry.cells.findIndex((one) => one.move === move);
    return cell === undefined ? [] : [/** @type {Change} */ ([cell, filled[cell] = 1 + side(ply + 1)])];
  });
  const size = geometry.regions.length;
  const points = Object.entries(forbidden).map(([ply, all]) => [ply, all.map(([cell, kind, sign]) => ({ cell, kind, sign }))]);
  return {
    ...shared,
    replay: {
      ...played, changes,
      regions: size ? Array.from({ length: played.moves.length + 1 }, (_, ply) => regions.slice(ply * size, (ply + 1) * size)) : [],
      forbidden: Object.fromEntries(points),
    },
  };
}
/** @param {Text[]} texts */
function whole(texts) {
  /** @type {string[]} */
  let lines = [];
  return texts.map((text) => {
    lines = typeof text === "string" ? text.split("\n") : [...lines];
    if (typeof text !== "string") for (const [place, line] of text) lines[place] = line;
    return lines.join("\n");
  });
}
/** @param {HTMLElement} viewer */
function startViewer(viewer) {
  const { el } = boards["elements.js"];
  /** @type {{ names: string[], geometry: Geometry | null, games: Line[] }} */
  const data = JSON.parse(document.getElementById("viewer-games")?.textContent ?? "");
  const choice = (/** @type {string} */ label) => {
    const select = el("select", { "aria-label": label }, el("option", { value: "" }, "all players"),
      data.names.map((name, place) => el("option", { value: place }, name)));
    select.addEventListener("change", list);
    return select;
  };
  const players = [choice("Player"), choice("Opponent")];
  const count = el("p", { class: "muted", role: "status" });
  const rows = el("ol", { class: "viewer-games" });
  const title = el("p", { class: "viewer-title" });
  const box = el("div", {}), control = el("div", {});
  const show = el("div", { class: "viewer-show", hidden: true }, el("div", {}, title, box), control);
  viewer.append(el("div", { class: "viewer-choice" }, players[0], " against ", players[1]), count, rows, show);
  const board = data.geometry === null ? new boards["text_board.js"].TextBoard(box) : new boards["board.js"].Board(box, data.geometry);
  /** @type {Replay | null} */
  let replay = null;
  let shown = 0;
  /**
   * @param {Line} game
   * @param {HTMLSelectElement} one
   * @param {HTMLSelectElement} other
   */
  function of(game, one, other) {
    const met = (/** @type {1 | 2} */ place) => one.value === "" || game[place] === Number(one.value);
    const against = (/** @type {1 | 2} */ place) => other.value === "" || game[place] === Number(other.value);
    return met(1) && against(2) || met(2) && against(1);
  }
  function list() {
    const found = data.games.filter((game) => of(game, players[0], players[1]));
    count.textContent = `${found.length} ${found.length === 1 ? "game" : "games"}`;
    rows.replaceChildren(...found.map((game) => el("li", {}, el("button", { type: "button", "data-game": game[0], onclick: () => open(game) },
      `${game[0]}  ${data.names[game[1]]} – ${data.names[game[2]]}  ${game[3]}`, el("span", { class: "muted" }, `  ${game[4]}`)))));
  }
  /** @param {Line} game */
  function open(game) {
    const one = expanded(data.geometry, game);
    const names = [data.names[one.first], data.names[one.second]];
    show.hidden = false;
    title.textContent = `Game ${one.number}: ${names[0]} – ${names[1]}`;
    replay?.close();
    shown = one.number;
    const permalink = `#game=${shown}&ply=`, isAddressed = location.hash.startsWith(permalink);
    const next = replay = new boards["replay.js"].Replay(control, board, { names, permalink });
    next.update(one.replay, one.scores);
    next.go(isAddressed ? next.ply : 0);
    for (const row of rows.querySelectorAll("button")) row.toggleAttribute("aria-current", Number(row.dataset.game) === one.number);
  }
  function follow() {
    const number = Number(/^#game=(\d+)(&ply=\d+)?$/.exec(location.hash)?.[1]);
    const game = data.games.find((one) => one[0] === number);
    if (!game || number === shown) return; // the replay follows the ply
    open(game);
    viewer.scrollIntoView();
  }
  const grid = /** @type {SVGElement | null} */ (document.querySelector("figure .pairs"));
  grid?.ownerSVGElement?.addEventListener("click", (event) => {
    const area = grid.getBoundingClientRect(), size = data.names.length;
    const row = Math.floor((event.clientY - area.top) / area.height * size);
    const column = Math.floor((event.clientX - area.left) / area.width * size);
    if (row < 0 || column < 0 || row >= size || column >= size || row === column) return;
    players[0].value = String(row);
    players[1].value = String(column);
    list();
    viewer.scrollIntoView();
  });
  list();
  follow();
  addEventListener("hashchange", follow);
}
if (viewer) startViewer(viewer);
