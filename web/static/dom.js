// Elements, addresses and documents.

import { el, svg } from "./elements.js";

export { el, svg };

/** The part of the page between its head and its foot. */
export const main = /** @type {HTMLElement} */ (document.getElementById("main"));

/**
 * What the server wrote into the page; empty without it.
 * @param {string} name
 */
export function given(name) {
  return document.body.dataset[name] ?? "";
}

/**
 * The address of a path of this server: `path` begins with a slash.
 * @param {string} path
 */
export function at(path) {
  return (document.body.dataset.base ?? "") + path;
}

/**
 * The address of something whose name is data.
 * @param {(string | number)[]} parts
 */
export function named(...parts) {
  return at("/" + parts.map((part) => encodeURIComponent(part)).join("/"));
}

/**
 * The JSON of an address of this server; an Error with its sentence if there is none.
 * @param {string} path
 * @returns {Promise<any>}
 */
export async function get(path) {
  return await asked(path, {});
}

/**
 * The JSON answer to a POST with a JSON body.
 * @param {string} path
 * @param {object} body
 * @returns {Promise<any>}
 */
export async function post(path, body) {
  return await asked(path, { "Content-Type": "application/json" }, { method: "POST", body: JSON.stringify(body) });
}

/**
 * The JSON answer to a request.
 * @param {string} path
 * @param {Record<string, string>} headers
 * @param {RequestInit} [request]
 * @returns {Promise<any>}
 */
async function asked(path, headers, request) {
  const answer = await fetch(at(path), { ...request, headers: { Accept: "application/json", ...headers } });
  if (!answer.ok) throw new Error((await answer.json().catch(() => ({}))).error ?? `${answer.status} ${answer.statusText}`);
  return answer.json();
}

/**
 * Change the content of an element; a link that had the focus gets it again, if it is still there.
 * @param {Element} element
 * @param {() => void} change
 */
export function keepingFocus(element, change) {
  const href = element.contains(document.activeElement) ? document.activeElement?.getAttribute("href") : null;
  change();
  if (href) [...element.querySelectorAll("a")].find((one) => one.getAttribute("href") === href)?.focus();
}

/**
 * Show an error in place of the page.
 * @param {Error} error
 */
export function failed(error) {
  main.replaceChildren(el("p", { class: "failed", role: "alert" }, error.message));
}
