// Elements from data. Text stays text: nothing here reads markup.

const SVG = "http://www.w3.org/2000/svg";

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== undefined && child !== null));
  return element;
}

/** An element of HTML: `el("a", { href, class, onclick }, "text", child, [children])`. */
export function el(tag, attributes, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/** An element of SVG. */
export function svg(tag, attributes, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}
