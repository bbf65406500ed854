// One hit of the list: where it stands, what it says, and why it stands where it stands.

import { get } from "./api.js";
import { chart } from "./chart.js";
import { el, fill, marked } from "./dom.js";
import { place } from "./places.js";

/** @typedef {import("./types").Hit} Hit */
/** @typedef {import("./types").Stage} Stage */

/** Hits that are asked for to explain one of them; where several domains are asked, it may stand lower in its own. */
const EXPLAINED = 20;
/** @type {Record<string, string>} */
const SOURCES = { name: "name", lexical: "words", vector: "meaning", links: "links" };

/**
 * @param {Hit} hit @param {number} index
 * @param {{ open: (index: number) => void, filter: (name: string, value: string) => void, query: () => string }} does
 */
export function hitItem(hit, index, does) {
  const why = el("div", { class: "why", hidden: true });
  const toggle = el(
    "button",
    { type: "button", class: "quiet", "aria-expanded": "false", onclick: () => explain(hit, why, toggle, does.query()) },
    "Why this?",
  );
  return el(
    "li",
    { class: "hit", id: `hit-${index}`, data: { index: String(index) } },
    el(
      "a",
      { class: "hit-title", href: "#", dir: "auto", onclick: (/** @type {Event} */ e) => (e.preventDefault(), does.open(index)) },
      hit.title,
    ),
    el("p", { class: "hit-place" }, el("bdi", { dir: "ltr" }, hit.domain ? el("span", { class: "hit-domain" }, hit.domain) : null, trail(hit)), hit.date ? el("time", null, hit.date) : null),
    el("p", { class: "hit-excerpt", dir: "auto" }, marked(hit.excerpt, hit.highlights)),
    el(
      "div",
      { class: "hit-foot" },
      hit.tags.slice(0, 4).map((tag) =>
        el("button", { type: "button", class: "tag", dir: "auto", onclick: () => does.filter("tag", tag) }, `#${tag}`),
      ),
      el("span", { class: "hit-how" }, `by ${hit.sources.map((name) => SOURCES[name] ?? name).join(" and ")}`),
      toggle,
    ),
    hit.superseded_by ? el("p", { class: "notice" }, `replaced by ${hit.superseded_by}`) : null,
    hit.picture ? el("p", { class: "hit-also" }, hit.picture === hit.path ? "read from a picture" : `read from the picture ${hit.picture}`) : null,
    hit.also_in?.length ? el("p", { class: "hit-also" }, `also in ${hit.also_in.slice(0, 3).join(", ")}`) : null,
    why,
  );
}

/** Says where a hit stands: folders, then headings. @param {Hit} hit */
function trail(hit) {
  const sections = hit.breadcrumb.slice(1);
  return [place(hit), ...sections].join(" › ");
}

/** @param {Hit} hit @param {HTMLElement} why @param {HTMLElement} toggle @param {string} query */
async function explain(hit, why, toggle, query) {
  why.hidden = !why.hidden;
  toggle.setAttribute("aria-expanded", String(!why.hidden));
  if (why.hidden || why.childElementCount) return;
  try {
    /** @type {import("./types").SearchAnswer} */
    const answer = await get("/search", { q: query, k: EXPLAINED, explain: true }, hit.domain ? { domain: hit.domain } : {});
    const stages = answer.hits.find((other) => other.id === hit.id)?.explain ?? [];
    fill(why, chart(stages));
  } catch (error) {
    fill(why, el("p", { class: "trouble" }, String(error instanceof Error ? error.message : error)));
  }
}
