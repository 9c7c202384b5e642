// Elements from data. Text stays text: nothing here reads markup.

/** @import { Attributes, Child } from "./types.d.ts" */

const SVG = "http://www.w3.org/2000/svg";

/**
 * @template {Element} E
 * @param {E} element
 * @param {Attributes} [attributes]
 * @param {Child[]} [children]
 * @returns {E}
 */
function filled(element, attributes = null, children = []) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  const all = /** @type {(Node | string | null | undefined)[]} */ (/** @type {unknown[]} */ (children).flat(Infinity));
  element.append(...all.filter((child) => child !== undefined && child !== null));
  return element;
}

/**
 * An element of HTML: `el("a", { href, class, onclick }, "text", child, [children])`.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Attributes} [attributes]
 * @param {Child[]} children
 */
export function el(tag, attributes, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/**
 * An element of SVG.
 * @template {keyof SVGElementTagNameMap} T
 * @param {T} tag
 * @param {Attributes} [attributes]
 * @param {Child[]} children
 */
export function svg(tag, attributes, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}
