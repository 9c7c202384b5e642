// The page of the finished games of a run.
import { el, failed, given, main, named } from "./dom.js";
import { GameList } from "./game_list.js";

const run = given("run");
const list = new GameList(run, "games");

list.load().then(() => main.replaceChildren(el("p", { class: "crumbs" }, el("a", { href: named("runs", run) }, run)), el("h1", null, "Games"), ...list.elements), failed);
