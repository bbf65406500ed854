// Elements, made and filled. Text is always text: the one place that takes HTML takes what the server sanitised.

/** @typedef {Node | string | number | null | undefined | false} Child */

/**
 * Makes an element. Properties that begin with `on` are listeners, `data` and `aria` are maps.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Record<string, any> | null} [props]
 * @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function el(tag, props, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props ?? {})) set(node, name, value);
  node.append(...kept(children.flat()));
  return node;
}

/** @param {HTMLElement} node @param {string} name @param {any} value */
function set(node, name, value) {
  if (value === null || value === undefined || value === false) return;
  if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
  else if (name === "data") Object.assign(node.dataset, value);
  else if (name === "class") node.className = value;
  else node.setAttribute(name, value === true ? "" : String(value));
}

/** @param {Child[]} children @returns {(Node | string)[]} */
function kept(children) {
  return children
    .filter((child) => child !== null && child !== undefined && child !== false)
    .map((child) => (child instanceof Node ? child : String(child)));
}

/** Puts new children in the place of all old ones. @param {Element} node @param {...(Child | Child[])} children */
export function fill(node, ...children) {
  node.replaceChildren(...kept(children.flat()));
}

/** @template {Element} [T=HTMLElement] @param {string} id @returns {T} */
export function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`there is no #${id}`);
  return /** @type {T} */ (/** @type {unknown} */ (found));
}

const policy = /** @type {any} */ (globalThis).trustedTypes?.createPolicy("kenning", {
  createHTML: (/** @type {string} */ html) => html,
});

/** Fills an element with HTML that the server has sanitised. @param {Element} node @param {string} html */
export function setSanitised(node, html) {
  node.innerHTML = policy ? policy.createHTML(html) : html;
}

/** Tells people who cannot see the page what changed. @param {string} text */
export function say(text) {
  byId("live").textContent = text;
}

/**
 * Cuts a text at ranges of characters, as the server counts them, and marks these.
 * @param {string} text @param {[number, number][]} ranges @returns {(Node | string)[]}
 */
export function marked(text, ranges) {
  const chars = Array.from(text);
  const piece = (/** @type {number} */ from, /** @type {number} */ to) => chars.slice(from, to).join("");
  /** @type {(Node | string)[]} */
  const out = [];
  let at = 0;
  for (const [from, to] of ranges) {
    if (from > at) out.push(piece(at, from));
    out.push(el("mark", null, piece(Math.max(from, at), to)));
    at = Math.max(at, to);
  }
  if (at < chars.length) out.push(piece(at, chars.length));
  return out;
}

/** Says a number with its noun. @param {number} n @param {string} noun @param {string} [plural] */
export function counted(n, noun, plural) {
  return `${n.toLocaleString()} ${n === 1 ? noun : (plural ?? noun + "s")}`;
}

const SVG = "http://www.w3.org/2000/svg";

/** Draws an icon from one path, 20 by 20. @param {string} path */
export function icon(path) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 20 20");
  svg.setAttribute("aria-hidden", "true");
  svg.setAttribute("class", "icon");
  const line = document.createElementNS(SVG, "path");
  line.setAttribute("d", path);
  svg.append(line);
  return svg;
}
