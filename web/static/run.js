// The page of a run.
import { given, main } from "./dom.js";
import { Live } from "./live.js";
import { RunModel } from "./run_model.js";
import { Headline } from "./headline.js";
import { Standings } from "./standings.js";
import { Crosstable } from "./crosstable.js";
import { Running } from "./running.js";
import { MeetingGraph } from "./meeting_graph.js";
import { Course } from "./course.js";
import { Nodes } from "./nodes.js";
import { Events, Failures } from "./lists.js";

/**
 * @import { Change, RunSnapshot, RunningGamesNews } from "./documents.d.ts"
 * @typedef {{ element: HTMLElement, show: (state: RunModel) => void }} Part
 */

const SLOW_MS = 500; // between two pictures of the large parts
const run = given("run");
main.classList.add("run");

const headline = new Headline(run);
let birth = "";
/** @type {Part[]} */
let quick = [headline];
/** @type {Part[]} */
let slow = [];
main.replaceChildren(headline.element);

/** Make the parts of the page; a run that was started anew gets new ones. */
function build() {
  const [running, standings, events] = [new Running(run), new Standings(run), new Events(run)];
  const [crosstable, graph, course, nodes, failures] = [new Crosstable(run), new MeetingGraph(), new Course(), new Nodes(), new Failures(run)];
  quick = [headline, running, standings, events];
  slow = [crosstable, graph, course, nodes, failures];
  const order = [headline, standings, running, crosstable, graph, course, nodes, failures, events];
  main.replaceChildren(...order.map((part) => part.element));
}

/** @type {RunModel | null} */
let state = null;
let drawing = 0;
let slowAt = -SLOW_MS;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let slowTimer;

function draw() {
  drawing = 0;
  if (!state) return;
  const wait = slowAt + SLOW_MS - performance.now();
  if (wait <= 0) state.rank();
  for (const part of quick) part.show(state);
  clearTimeout(slowTimer);
  if (wait > 0) {
    slowTimer = setTimeout(changed, wait);
    return;
  }
  for (const part of slow) part.show(state);
  slowAt = performance.now();
  main.dataset.seq = String(state.seq);
}

function changed() {
  if (!drawing) drawing = requestAnimationFrame(draw);
}

/**
 * Return the handler of a part of the state.
 * @template {"progress" | "plan" | "standings" | "nodes"} P
 * @param {P} name
 */
function part(name) {
  return (/** @type {RunModel[P]} */ content) => {
    if (!state) return;
    state[name] = content;
    changed();
  };
}

new Live(`/api/runs/${encodeURIComponent(run)}/live`, {
  status: (/** @type {boolean} */ open) => headline.connected(open),
  /** @param {RunSnapshot} content */
  snapshot(content) {
    state = new RunModel(content);
    const [born] = content.id.split("-");
    if (birth !== born) build();
    birth = born;
    headline.trouble("");
    slowAt = -SLOW_MS; // now
    changed();
  },
  /** @param {Change[]} list */
  changes(list) {
    if (!state) return;
    for (const change of list) state.apply(change);
    changed();
  },
  /** @param {RunningGamesNews} content */
  tables(content) {
    if (!state) return;
    state.move(content);
    changed();
  },
  progress: part("progress"),
  plan: part("plan"),
  standings: part("standings"),
  nodes: part("nodes"),
  /** @param {{ trouble: string }} content */
  trouble(content) {
    state = null;
    headline.trouble(content.trouble);
  },
});
