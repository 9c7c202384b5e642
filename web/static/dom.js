// Elements, addresses and documents.

import { el, svg } from "./elements.js";

export { el, svg };

/** The address of a path of this server: `path` begins with a slash. */
export function at(path) {
  return (document.body.dataset.base ?? "") + path;
}

/** The address of something whose name is data. */
export function named(...parts) {
  return at("/" + parts.map((part) => encodeURIComponent(part)).join("/"));
}

/** The JSON of an address of this server; an Error with its sentence if there is none. */
export async function get(path) {
  const answer = await fetch(at(path), { headers: { Accept: "application/json" } });
  if (!answer.ok) throw new Error((await answer.json().catch(() => ({}))).error ?? `${answer.status} ${answer.statusText}`);
  return answer.json();
}

/** The JSON answer to a POST with a JSON body. */
export async function post(path, body) {
  const answer = await fetch(at(path), {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "application/json" },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error((await answer.json().catch(() => ({}))).error ?? `${answer.status} ${answer.statusText}`);
  return answer.json();
}

/** Change the content of an element; a link that had the focus gets it again, if it is still there. */
export function keepingFocus(element, change) {
  const href = element.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
  change();
  if (href) [...element.querySelectorAll("a")].find((one) => one.getAttribute("href") === href)?.focus();
}

/** Show an error in place of the page. */
export function failed(error) {
  document.getElementById("main").replaceChildren(el("p", { class: "failed", role: "alert" }, error.message));
}
