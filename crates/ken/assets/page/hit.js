// One hit of the list: where it stands, what it says, and why it stands where it stands.

import { get } from "./api.js";
import { el, fill, marked } from "./dom.js";
import { place } from "./places.js";

/** @typedef {import("./types").Hit} Hit */
/** @typedef {import("./types").Stage} Stage */

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
    el("p", { class: "hit-place" }, el("bdi", null, trail(hit)), hit.date ? el("time", null, hit.date) : null),
    el("p", { class: "hit-excerpt", dir: "auto" }, marked(hit.excerpt, hit.highlights)),
    el(
      "div",
      { class: "hit-foot" },
      hit.tags.slice(0, 4).map((tag) =>
        el("button", { type: "button", class: "tag", onclick: () => does.filter("tag", tag) }, `#${tag}`),
      ),
      el("span", { class: "hit-how" }, `by ${hit.sources.map((name) => SOURCES[name] ?? name).join(" and ")}`),
      toggle,
    ),
    hit.superseded_by ? el("p", { class: "notice" }, `replaced by ${hit.superseded_by}`) : null,
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
    const answer = await get("/search", { q: query, k: hit.rank, explain: true });
    const stages = answer.hits.find((other) => other.id === hit.id)?.explain ?? [];
    fill(why, chart(stages));
  } catch (error) {
    fill(why, el("p", { class: "trouble" }, String(error instanceof Error ? error.message : error)));
  }
}

/** Draws how a score came about: one bar a stage, from where the score was to where it is. @param {Stage[]} stages */
function chart(stages) {
  let before = 0;
  const rows = stages.map((stage) => {
    const [from, to] = [Math.min(before, stage.score), Math.max(before, stage.score)];
    const bar = el("span", { class: stage.score < before ? "bar-fill less" : "bar-fill" });
    bar.style.insetInlineStart = `${clamp(from) * 100}%`;
    bar.style.inlineSize = `${Math.max(clamp(to) - clamp(from), 0.006) * 100}%`;
    before = stage.score;
    const effect = stage.effect === "adds" ? signed(stage.value) : `${stage.effect} ${short(stage.value)}`;
    return el(
      "tr",
      null,
      el("th", { scope: "row" }, stage.stage),
      el("td", { class: "bar-cell" }, el("span", { class: "bar-track" }, bar)),
      el("td", { class: "number" }, effect),
      el("td", { class: "number" }, short(stage.score)),
      el("td", { class: "bar-detail" }, stage.detail),
    );
  });
  return el(
    "table",
    { class: "bars" },
    el("caption", { class: "unseen" }, "How the score came about"),
    el("thead", { class: "unseen" }, el("tr", null, ["stage", "change", "effect", "score", "detail"].map((name) => el("th", { scope: "col" }, name)))),
    el("tbody", null, rows),
  );
}

/** @param {number} value */
const clamp = (value) => Math.min(1, Math.max(0, value));
/** @param {number} value */
const short = (value) => value.toFixed(2);
/** @param {number} value */
const signed = (value) => (value < 0 ? "−" : "+") + short(Math.abs(value));
