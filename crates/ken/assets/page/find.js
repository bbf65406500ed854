// Find: results as one types, facets beside them, and the note at the lines that were found.

import { isAbort, search } from "./api.js";
import { condition, split, toggled } from "./chips.js";
import { counted, el, fill, say } from "./dom.js";
import { FacetList } from "./facets.js";
import { hitItem } from "./hit.js";
import { NotePane } from "./note.js";
import { address, go, listed, read } from "./state.js";

/** @typedef {import("./types").State} State */
/** @typedef {import("./types").SearchAnswer} SearchAnswer */

const LIMIT = 20;
const NEWEST = 8;
/** How long a note has to be chosen before it is opened beside the list, in milliseconds. */
const OPEN_AFTER = 60;

/** @type {Record<string, string>} */
export const MEANING = {
  strong: "All of what you asked for stands in these notes.",
  moderate: "Much of what you asked for stands in these notes.",
  weak: "This is only near what you asked for; the notes hardly say.",
  none: "Your notes do not say.",
};

export class FindView {
  /** @param {HTMLElement} main */
  constructor(main) {
    this.list = el("ol", { class: "hits", "aria-label": "Results" });
    this.head = el("div", { class: "results-head" });
    this.side = el("aside", { class: "facets", "aria-label": "Filters" });
    this.pane = el("section", { class: "pane", "aria-label": "Note" });
    this.node = el("div", { class: "find" }, this.side, el("section", { class: "results", "aria-label": "Results" }, this.head, this.list), this.pane);
    this.note = new NotePane(this.pane);
    this.facets = new FacetList(this.side, {
      toggle: (one) => go({ q: toggled(read().q, one), note: "", line: 0 }),
      domain: (names) => go({ domain: names.join(","), note: "", line: 0 }),
    });
    /** @type {SearchAnswer | null} */
    this.answer = null;
    this.asked = "\0";
    this.chosen = -1;
    /** What is to be asked when the running question is answered. @type {State | null} */
    this.waiting = null;
    this.isAsking = false;
    this.timer = 0;
    fill(main, this.node);
  }

  /** @param {State} state */
  update(state) {
    this.node.classList.toggle("has-note", state.note !== "");
    const key = `${state.domain}\n${effective(state.q)}`;
    if (key !== this.asked) {
      this.asked = key;
      this.search(state);
    } else {
      this.showNote(state);
    }
  }

  /** Asks, one question at a time: what was typed meanwhile is asked when that one is answered. @param {State} state @returns {Promise<void>} */
  async search(state) {
    if (this.isAsking) {
      this.waiting = state;
      return;
    }
    this.isAsking = true;
    this.node.classList.add("is-asking");
    try {
      if (state.q.trim()) await this.ask(state);
      else this.start();
    } catch (error) {
      if (!isAbort(error)) this.fail(error);
    }
    this.isAsking = false;
    this.node.classList.remove("is-asking");
    const next = this.waiting;
    this.waiting = null;
    if (next) return this.search(next);
    this.showNote(read());
    this.facets.update(this.answer && this.answer.hits.length === 0 ? "" : state.q.trim(), listed(state.domain));
  }

  /** @param {State} state */
  async ask(state) {
    const query = effective(state.q);
    const started = performance.now();
    const before = this.answer;
    this.answer = await search({ q: query, k: LIMIT });
    this.draw(this.answer, before, performance.now() - started);
  }

  start() {
    this.answer = null;
    this.chosen = -1;
    fill(this.list);
    fill(
      this.head,
      el("div", { class: "welcome" },
        el("h1", null, "What do your notes say?"),
        el("p", null, "Type words or a question. Filters on the left become part of the query: ", el("code", null, "tag:work"), ", ", el("code", null, "since:2024"), ", ", el("code", null, "path:Projects"), "."),
        el("p", { class: "welcome-keys" }, el("kbd", null, "/"), " search ", el("kbd", null, "j"), " ", el("kbd", null, "k"), " move ", el("kbd", null, "Enter"), " open ", el("kbd", null, "?"), " all keys"),
      ),
    );
    this.newest().catch(() => {});
  }

  /** Before anything is asked, the newest notes are at hand. */
  async newest() {
    const { hits } = await search({ q: "since:1900", k: NEWEST, per_note: 1 });
    if (this.answer || read().q || hits.length === 0) return;
    this.head.append(el("section", { class: "newest" }, el("h2", null, "Newest notes"), el("ul", null, hits.map((hit) =>
      el("li", null, el("a", { href: address({ note: hit.path, of: hit.domain ?? "" }, read()), dir: "auto", onclick: (/** @type {MouseEvent} */ e) => !e.metaKey && !e.ctrlKey && (e.preventDefault(), go({ note: hit.path, of: hit.domain ?? "", from: "", line: 0 })) }, hit.title), el("span", { class: "hit-place" }, el("bdi", { dir: "ltr" }, hit.path), " ", el("time", null, hit.date ?? "")))))));
  }

  /** @param {SearchAnswer} answer @param {SearchAnswer | null} before @param {number} took */
  draw(answer, before, took) {
    const { evidence, hits } = answer;
    const summary = hits.length === 0 ? "nothing was found" : counted(hits.length, "passage");
    fill(
      this.head,
      el("p", { class: `evidence evidence-${evidence}`, title: `confidence ${answer.confidence}` },
        el("span", { class: "evidence-dots", "aria-hidden": "true" }, el("i"), el("i"), el("i")),
        el("b", null, evidence === "none" ? "no evidence" : `${evidence} evidence`), " ", MEANING[evidence] ?? ""),
      el("p", { class: "results-sum" }, `${summary} · ${Math.max(1, Math.round(took))} ms`),
      answer.notices.map((notice) => el("p", { class: "notice" }, notice)),
      hits.length === 0 ? nothing(answer.query) : null,
    );
    const does = {
      open: (/** @type {number} */ index) => this.open(index, true),
      filter: (/** @type {string} */ name, /** @type {string} */ value) => go({ q: toggled(read().q, condition(name, value)), note: "", line: 0 }),
      query: () => this.answer?.query ?? answer.query,
    };
    // Who has moved in a list that stays the same stays where they are.
    const shown = (/** @type {SearchAnswer | null} */ one) => JSON.stringify(one?.hits.map(({ id, excerpt }) => [id, excerpt]));
    if (shown(before) !== shown(answer)) {
      this.chosen = -1;
      fill(this.list, hits.map((hit, index) => hitItem(hit, index, does)));
    }
    say(`${summary}, ${evidence} evidence`);
  }

  /** @param {unknown} error */
  fail(error) {
    const hint = /** @type {{ hint?: string }} */ (error).hint;
    fill(this.list);
    fill(this.head, el("p", { class: "trouble", role: "alert" }, error instanceof Error ? error.message : String(error)), hint ? el("p", { class: "notice" }, hint) : null);
  }

  /** Shows the note that the address names; beside a fresh list, its first hit where there is room. @param {State} state */
  showNote(state) {
    const hits = this.answer?.hits ?? [];
    if (state.note) {
      const isIt = (/** @type {import("./types").Hit} */ hit) => hit.path === state.note && (hit.domain ?? "") === state.of;
      const index = hits.findIndex((hit) => isIt(hit) && (!state.line || hit.start_line === state.line));
      this.choose(index, false);
      this.note.show(wantedOf(hits[index], state));
    } else if (hits.length && isWide()) {
      this.choose(Math.max(0, this.chosen), false);
      this.note.show(wantedOf(hits[this.chosen], state));
    } else {
      this.choose(hits.length ? Math.max(0, this.chosen) : -1, false);
      this.note.clear();
    }
  }

  /** @param {number} index @param {boolean} isMoved */
  choose(index, isMoved) {
    this.list.querySelector(".is-chosen")?.classList.remove("is-chosen");
    this.chosen = index;
    const item = /** @type {HTMLElement | null} */ (this.list.children[index] ?? null);
    item?.classList.add("is-chosen");
    if (!item || !isMoved) return;
    item.scrollIntoView({ block: "nearest" });
    /** @type {HTMLElement | null} */ (item.querySelector(".hit-title"))?.focus({ preventScroll: true });
    const hit = this.answer?.hits[index];
    clearTimeout(this.timer);
    if (hit && isWide()) this.timer = setTimeout(() => this.note.show(wantedOf(hit, read())), OPEN_AFTER);
  }

  /** @param {number} index @param {boolean} isStep */
  open(index, isStep) {
    const hit = this.answer?.hits[index];
    if (!hit) return;
    go({ note: hit.path, of: hit.domain ?? "", from: "", line: hit.start_line ?? 0 }, { isStep });
    this.choose(index, false);
    if (!isWide()) this.note.focus();
  }

  /** @param {KeyboardEvent} event @returns {boolean} */
  key(event) {
    const n = this.answer?.hits.length ?? 0;
    const step = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[event.key];
    if (step && n) {
      this.choose(Math.min(n - 1, Math.max(0, this.chosen + step)), true);
      return true;
    }
    if (event.key === "Enter" && this.chosen >= 0) {
      this.open(this.chosen, true);
      this.note.focus();
      return true;
    }
    if (event.key === "Escape" && read().note) {
      go({ note: "", from: "", line: 0 });
      return true;
    }
    return false;
  }
}

/** What helps when nothing was found: without the conditions, fewer words, or an answer from what is near. @param {string} query */
function nothing(query) {
  const { words, conditions } = split(query);
  const offer = (/** @type {string} */ label, /** @type {Partial<State>} */ to) =>
    el("li", null, el("a", { href: address(to, read()), onclick: (/** @type {MouseEvent} */ e) => !e.metaKey && !e.ctrlKey && (e.preventDefault(), go(to)) }, label));
  const rarest = words.split(" ").sort((a, b) => b.length - a.length)[0];
  return el("div", { class: "nothing" },
    el("p", null, "Nothing in these notes comes near it. Perhaps:"),
    el("ul", null,
      conditions.length && words ? offer("Look without the filters", { q: words }) : null,
      words.includes(" ") ? offer(`Look for “${rarest}” alone`, { q: [rarest, ...conditions].join(" ") }) : null,
      offer("See what was written last", { q: "" }),
      offer("See all notes on the map", { view: "see", see: "map", q: "" })));
}

/** @param {import("./types").Hit | undefined} hit @param {State} state */
function wantedOf(hit, state) {
  if (!hit) return { note: state.note, domain: state.of || undefined, from: state.from, line: state.line || undefined };
  const words = hit.highlights.map(([from, to]) => Array.from(hit.excerpt).slice(from, to).join(""));
  return { note: hit.path, domain: hit.domain, line: hit.start_line ?? undefined, end: hit.end_line ?? undefined, words, quote: hit.start_line ? undefined : hit.excerpt.split("…")[0], section: hit.section, page: hit.page };
}

/** While somebody types, the last word may not be finished yet. @param {string} query */
function effective(query) {
  const isTyping = document.activeElement?.id === "q" && document.body.dataset.typing === "1";
  return isTyping && /(^|\s)[\p{L}\p{N}]{2,}$/u.test(query) ? `${query}*` : query;
}

function isWide() {
  return matchMedia("(min-width: 60rem)").matches;
}
