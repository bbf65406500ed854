// One question and its answer: thinking, sources, text as it forms, citations as they are checked.

import { el, fill } from "./dom.js";
import { card, verdict } from "./passage.js";
import { place } from "./places.js";
import { prose } from "./prose.js";

/** @typedef {import("./types").Citation} Citation */
/** @typedef {import("./types").Outcome} Outcome */
/** @typedef {import("./types").Turn} Turn */
/** @typedef {{ edit: (question: string) => void, again: () => void, show: (turn: number) => void, domain: string }} Does */

export class TurnView {
  /** @param {string} question @param {Does} does */
  constructor(question, does) {
    this.does = does;
    this.question = question;
    this.text = "";
    this.isOver = false;
    /** @type {Map<number, Citation>} */
    this.found = new Map();
    /** @type {Map<number, Citation[]>} */
    this.checked = new Map();
    this.thoughts = el("pre", { class: "thoughts" });
    this.thinking = el("details", { class: "thinking", hidden: true }, el("summary", null, "Thinking"), this.thoughts);
    this.sources = el("ol", { class: "sources", "aria-label": "Sources" });
    this.answer = el("div", { class: "answer note-body" });
    this.cards = el("div", { class: "cards" });
    this.foot = el("div", { class: "turn-foot" });
    this.asked = el("div", { class: "asked" });
    this.node = el("article", { class: "turn" }, this.asked, this.thinking, this.sources, this.answer, this.cards, this.foot);
    this.drawQuestion([]);
    this.frame = 0;
  }

  /** Shows a turn that was kept. @param {Turn} turn */
  static kept(turn, /** @type {Does} */ does) {
    const view = new TurnView(turn.question, does);
    for (const source of turn.sources) {
      if (!view.found.has(source.number)) view.found.set(source.number, source);
      view.note(source);
    }
    view.text = turn.answer;
    view.isOver = true;
    view.drawQuestion(turn.alternatives, turn.id);
    view.draw();
    view.end(turn.state === "answered" ? "" : turn.state === "stopped" ? "stopped" : "not answered", turn.model, turn.answer !== "");
    return view;
  }

  /** @param {number[]} alternatives @param {number} [own] */
  drawQuestion(alternatives, own) {
    const at = own === undefined ? -1 : alternatives.indexOf(own);
    const step = (/** @type {number} */ by, /** @type {string} */ sign, /** @type {string} */ label) =>
      el("button", { type: "button", class: "quiet", "aria-label": label, disabled: alternatives[at + by] === undefined, onclick: () => this.does.show(alternatives[at + by]) }, sign);
    fill(
      this.asked,
      el("h3", { class: "asked-text", dir: "auto" }, this.question),
      el("span", { class: "asked-acts" },
        alternatives.length > 1 ? [step(-1, "‹", "Earlier wording"), el("span", { class: "hit-how" }, `${at + 1} of ${alternatives.length}`), step(1, "›", "Later wording")] : null,
        el("button", { type: "button", class: "quiet", onclick: () => this.does.edit(this.question) }, "Edit")),
    );
  }

  /** Takes one line of the stream. @param {any} line */
  take(line) {
    if (line.type === "thinking") {
      this.thinking.hidden = false;
      this.thoughts.append(line.text);
    } else if (line.type === "metadata") {
      if (line.stage === "found") this.found.set(line.number, line);
      else this.note(line);
      this.later();
    } else if (line.type === "text") {
      this.text += line.text;
      this.later();
    } else if (line.type === "error") {
      this.foot.append(el("p", { class: "trouble", role: "alert" }, line.detail, line.hint ? ` (${line.hint})` : ""));
    } else if (line.type === "done") {
      this.text = line.answer;
      this.isOver = true;
      this.draw();
      this.finish(line);
    }
  }

  /** Keeps what checking a citation came to. @param {Citation} one */
  note(one) {
    if (one.citation_verified === undefined || one.citation_verified === null) return;
    const all = this.checked.get(one.number) ?? [];
    all.push(one);
    this.checked.set(one.number, all);
  }

  /** Draws once a frame, however many pieces come. */
  later() {
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      this.draw();
    });
  }

  draw() {
    fill(this.sources, [...this.found.values()].map((one) => this.source(one)));
    fill(this.answer, prose(this.text, (number, occurrence) => this.reference(number, occurrence)));
  }

  /** @param {Citation} one */
  source(one) {
    const checks = this.checked.get(one.number);
    const worst = checks?.find((check) => !check.citation_verified) ?? checks?.[0];
    const { name, label } = verdict(worst);
    return el("li", null, el("button", { type: "button", class: `source source-${checks ? name : "found"}`, title: one.excerpt ?? label, onclick: () => this.open(one.number, worst) },
      el("span", { class: "card-n" }, String(one.number)), el("bdi", { class: "source-title" }, one.title), el("bdi", { class: "source-place", dir: "ltr" }, one.place ?? place(one)),
      checks ? el("span", { class: "unseen" }, label) : null));
  }

  /** @param {number} number @param {number} occurrence */
  reference(number, occurrence) {
    const checks = this.checked.get(number) ?? [];
    const check = checks[Math.min(occurrence, checks.length - 1)];
    const { name, label } = verdict(check);
    if (!this.found.has(number)) return document.createTextNode(`[${number}]`);
    const sign = name === "good" ? "✓" : name === "bad" ? "✗" : "";
    return el("button", { type: "button", class: `cite cite-${name}`, "aria-label": `Citation ${number}, ${label}`, title: label, onclick: () => this.open(number, check) }, `${number}${sign}`);
  }

  /** Opens the passage of a citation below the answer, or closes it. @param {number} number @param {Citation} [check] */
  open(number, check) {
    const key = `${number}:${check?.quote ?? check?.claim ?? ""}`;
    const shown = /** @type {HTMLElement | undefined} */ ([...this.cards.children].find((node) => /** @type {HTMLElement} */ (node).dataset.key === key));
    if (shown) return shown.remove();
    const found = this.found.get(number);
    if (!found) return;
    const made = card(found, check, this.does.domain);
    made.dataset.key = key;
    fill(this.cards, made);
    made.scrollIntoView({ block: "nearest" });
  }

  /** @param {Outcome} done */
  finish(done) {
    this.foot.append(
      el("p", { class: `verified ${done.n_checked && done.n_verified < done.n_checked ? "is-bad" : ""}` },
        done.n_checked ? done.verified : "nothing cited", ` · ${done.evidence} evidence`),
      ...done.notices.map((notice) => el("p", { class: "notice" }, notice)),
    );
    this.end(done.complete ? "" : "not complete", done.model, true);
  }

  /** @param {string} state @param {string | null} model @param {boolean} isAnswered */
  end(state, model, isAnswered) {
    this.isOver = true;
    this.foot.append(
      el("p", { class: "turn-acts" },
        state ? el("span", { class: "state" }, state) : null,
        isAnswered ? el("span", { class: "hit-how" }, model ? `written by ${model}` : "in the words of your notes") : null,
        el("button", { type: "button", class: "quiet again", onclick: () => this.does.again() }, "Answer again")),
    );
  }
}
