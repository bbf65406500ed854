// How a score came about, as a small bar chart: one bar a stage, from where the score was to where it is.

import { el } from "./dom.js";

/** @typedef {import("./types").Stage} Stage */

/** @type {Record<string, string>} */
const MEANS = {
  words: "how well the words fit", meaning: "how near the meaning is", fusion: "both as one", rerank: "names, headings, phrases, links …",
  scale: "as a share of the most there is", age: "how old it is", links: "what links vouch for", name: "called by its name",
};

/** @param {Stage[]} stages */
export function chart(stages) {
  // The longest way that the score has been is the width of all bars.
  const most = Math.max(1, ...stages.map(({ score }) => score));
  let before = 0;
  const rows = stages.flatMap((stage) => {
    const row = bar(stage, before, most);
    before = stage.score;
    return row;
  });
  return el(
    "table",
    { class: "bars" },
    el("caption", { class: "unseen" }, "How the score came about"),
    el("thead", { class: "unseen" }, el("tr", null, ["stage", "change", "effect", "score"].map((name) => el("th", { scope: "col" }, name)))),
    el("tbody", null, rows),
  );
}

/** @param {Stage} stage @param {number} before @param {number} most @returns {HTMLElement[]} */
function bar(stage, before, most) {
  const [from, to] = [Math.min(before, stage.score), Math.max(before, stage.score)].map((score) => share(score / most));
  const fill = el("span", { class: stage.score < before ? "bar-fill less" : "bar-fill" });
  fill.style.insetInlineStart = `${from}%`;
  fill.style.inlineSize = `${Math.max(to - from, 0.8)}%`;
  const rest = el("span", { class: "bar-rest" });
  rest.style.inlineSize = `${from}%`;
  const effect = stage.effect === "adds" ? signed(stage.value) : `${stage.effect === "times" ? "×" : stage.effect} ${short(stage.value)}`;
  return [
    el("tr", null, el("th", { scope: "row" }, stage.stage), el("td", { class: "bar-cell" }, el("span", { class: "bar-track" }, rest, fill)),
      el("td", { class: "number" }, effect), el("td", { class: "number" }, short(stage.score))),
    el("tr", null, el("td", { class: "bar-detail", colspan: "4" }, [MEANS[stage.stage], stage.detail].filter(Boolean).join(": "))),
  ];
}

/** @param {number} part */
const share = (part) => Math.min(1, Math.max(0, part)) * 100;
/** @param {number} value */
const short = (value) => value.toFixed(2);
/** @param {number} value */
const signed = (value) => (value < 0 ? "−" : "+") + short(Math.abs(value));
