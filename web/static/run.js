// The page of a run.
import { Live } from "./live.js";
import { RunState } from "./run_state.js";
import { Headline } from "./headline.js";
import { Standings } from "./standings.js";
import { Crosstable } from "./crosstable.js";
import { Running } from "./running.js";
import { MeetingGraph } from "./meeting_graph.js";
import { Course } from "./course.js";
import { Events, Failures } from "./lists.js";

const SLOW_MS = 500; // between two pictures of the large parts
const run = document.body.dataset.run;
const main = document.getElementById("main");
main.classList.add("run");

const headline = new Headline(run);
let birth = "";
let quick = [headline];
let slow = [];
main.replaceChildren(headline.element);

/** Make the parts of the page; a run that was started anew gets new ones. */
function build() {
  const [running, standings, events] = [new Running(run), new Standings(run), new Events(run)];
  const [crosstable, graph, course, failures] = [new Crosstable(run), new MeetingGraph(), new Course(), new Failures(run)];
  quick = [headline, running, standings, events];
  slow = [crosstable, graph, course, failures];
  const order = [headline, standings, running, crosstable, graph, course, failures, events];
  main.replaceChildren(...order.map((part) => part.element));
}

let state = null;
let drawing = 0;
let slowAt = -SLOW_MS;
let slowTimer = 0;

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
  main.dataset.seq = state.seq;
}

function changed() {
  if (!drawing) drawing = requestAnimationFrame(draw);
}

function part(name) {
  return (content) => {
    if (!state) return;
    state[name] = content;
    changed();
  };
}

new Live(`/api/runs/${encodeURIComponent(run)}/live`, {
  status: (open) => headline.connected(open),
  snapshot(content) {
    state = new RunState(content);
    const [born] = content.id.split("-");
    if (birth !== born) build();
    birth = born;
    headline.trouble("");
    slowAt = -SLOW_MS; // now
    changed();
  },
  changes(list) {
    if (!state) return;
    for (const change of list) state.apply(change);
    changed();
  },
  tables(content) {
    if (!state) return;
    state.move(content);
    changed();
  },
  progress: part("progress"),
  plan: part("plan"),
  standings: part("standings"),
  trouble(content) {
    state = null;
    headline.trouble(content.trouble);
  },
});
