// A note beside the list: rendered by the server, opened at the lines that were found, with the words marked.

import { get, inPath, isAbort } from "./api.js";
import { el, fill, say, setSanitised } from "./dom.js";
import { citation, copy, editorName, inEditor, place } from "./places.js";
import { address, go, read } from "./state.js";

/** @typedef {import("./types").Preview} Preview */
/** @typedef {import("./types").Hit} Hit */
/** @typedef {{ note: string, domain?: string, from?: string, line?: number, end?: number, words?: string[], quote?: string, section?: string | null, page?: number | null }} Wanted */

const SIMILAR = 6;

/** A pane that shows one note at a time. */
export class NotePane {
  /** @param {HTMLElement} node */
  constructor(node) {
    this.node = node;
    /** @type {AbortController | null} */
    this.asking = null;
    this.shown = "";
    /** The domain of the note, if it is not the one that is asked. */
    this.domain = "";
    node.addEventListener("click", (event) => this.follow(event));
  }

  clear() {
    this.asking?.abort();
    this.shown = "";
    fill(this.node);
    this.node.classList.remove("is-open");
  }

  /** @param {Wanted} wanted */
  async show(wanted) {
    const key = JSON.stringify(wanted);
    if (key === this.shown) return;
    this.shown = key;
    this.asking?.abort();
    const asking = (this.asking = new AbortController());
    this.node.classList.add("is-open");
    try {
      /** @type {Record<string, string | number>} */
      const params = {};
      if (wanted.from) params.from = wanted.from;
      if (wanted.line) params.line = wanted.line;
      /** @type {Preview} */
      const note = await get(`/preview/${inPath(wanted.note)}`, params, of(wanted, asking.signal));
      this.domain = wanted.domain ?? "";
      this.draw(note, wanted);
      await this.alike(note, of(wanted, asking.signal));
    } catch (error) {
      if (isAbort(error)) return;
      const message = error instanceof Error ? error.message : String(error);
      fill(this.node, this.closing(), el("p", { class: "trouble", role: "alert" }, message));
    }
  }

  /** @param {Preview} note @param {Wanted} wanted */
  draw(note, wanted) {
    const [start, end] = lines(note, wanted);
    const body = el("div", { class: "note-body", data: { path: note.path } });
    setSanitised(body, note.html);
    const blocks = mark(body, start, end);
    markWords(blocks.length ? blocks : [body], wanted.words ?? []);
    if (wanted.quote) markQuote(body, wanted.quote);
    fill(
      this.node,
      el(
        "article",
        { class: "note", "aria-label": note.title },
        el(
          "header",
          { class: "note-head" },
          this.closing(),
          el("h2", { dir: "auto", tabindex: "-1" }, note.title),
          el("p", { class: "note-path" }, el("bdi", { dir: "ltr" }, place({ path: note.path, start_line: note.has_lines && end > 0 ? start : null, end_line: end, page: wanted.page }))),
          el(
            "p",
            { class: "note-facts" },
            note.date ? el("time", null, note.date) : null,
            note.tags.map((tag) => el("span", { class: "tag", dir: "auto" }, `#${tag}`)),
          ),
          actions(note, wanted, start),
        ),
        note.is_cut ? el("p", { class: "notice" }, "This note is long; only the lines around the passage are shown.") : null,
        body,
        el("section", { class: "alike", "aria-label": "Similar notes" }),
      ),
    );
    hideTitle(body, note.title);
    const first = body.querySelector(".is-quote") ?? blocks[0];
    this.node.scrollTop = 0;
    // The pane is scrolled, never the page around it.
    if (first && (start > 1 || wanted.quote)) {
      const above = first.getBoundingClientRect().top - this.node.getBoundingClientRect().top;
      this.node.scrollTop = Math.max(0, above - this.node.clientHeight / 3);
    }
    say(`${note.title} is shown`);
  }

  closing() {
    return el("button", { type: "button", class: "note-close quiet", "aria-label": "Close the note", onclick: () => go({ note: "", from: "", line: 0, of: read().view === "see" ? read().of : "" }) }, "Close");
  }

  /** Lists notes that are like this one. @param {Preview} note @param {{ signal: AbortSignal, domain?: string }} how */
  async alike(note, how) {
    /** @type {{ hits: Hit[] }} */
    const answer = await get(`/similar/${inPath(note.path)}`, { k: SIMILAR }, how);
    const section = this.node.querySelector(".alike");
    if (!section || answer.hits.length === 0) return;
    const list = answer.hits.map((hit) =>
      el("li", null, el("a", { href: address({ note: hit.path }, read()), dir: "auto", data: { note: hit.path } }, hit.title), el("span", { class: "hit-place" }, el("bdi", { dir: "ltr" }, hit.path))),
    );
    fill(section, el("h3", null, "Similar notes"), el("ul", null, list));
  }

  /** Opens the note that a link leads to. @param {MouseEvent} event */
  follow(event) {
    const link = /** @type {HTMLElement | null} */ (event.target instanceof Element ? event.target.closest("a[data-note]") : null);
    if (!link || event.metaKey || event.ctrlKey) return;
    event.preventDefault();
    const from = /** @type {HTMLElement | null} */ (link.closest(".note-body"))?.dataset.path ?? "";
    go({ note: link.dataset.note ?? "", of: this.domain, from, line: 0 });
  }

  focus() {
    /** @type {HTMLElement | null} */ (this.node.querySelector("h2"))?.focus();
  }
}

/** @param {Wanted} wanted @param {AbortSignal} signal */
function of({ domain }, signal) {
  return domain ? { signal, domain } : { signal };
}

/** The title stands above the note already. @param {HTMLElement} body @param {string} title */
function hideTitle(body, title) {
  const heading = body.querySelector("h1");
  const first = [...body.querySelectorAll(".block")].find((block) => block.textContent?.trim());
  if (heading?.textContent?.trim() === title.trim() && heading.closest(".block") === first) heading.hidden = true;
}

/** Returns the lines to point at. @param {Preview} note @param {Wanted} wanted @returns {[number, number]} */
function lines(note, wanted) {
  if (wanted.line) return [wanted.line, wanted.end ?? wanted.line];
  const isPart = note.start_line > 1 || note.end_line < note.n_lines;
  return isPart ? [note.start_line, note.end_line] : [1, 0];
}

/** Points at the blocks on some lines and returns them. @param {HTMLElement} body @param {number} start @param {number} end */
function mark(body, start, end) {
  const blocks = /** @type {HTMLElement[]} */ ([...body.querySelectorAll("[data-line]")]);
  const inside = blocks.filter((block) => Number(block.dataset.line) <= end && Number(block.dataset.end) >= start);
  inside.forEach((block) => block.classList.add("is-found"));
  return inside;
}

/** Marks words wherever they begin. @param {HTMLElement[]} blocks @param {string[]} words */
export function markWords(blocks, words) {
  const known = [...new Set(words.map((word) => word.toLowerCase()))].filter((word) => word.length > 1);
  if (known.length === 0) return;
  const escaped = known.map((word) => word.replace(/[.*+?^${}()|[\]\\]/gu, "\\$&"));
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(${escaped.join("|")})`, "giu");
  for (const block of blocks) {
    for (const text of texts(block)) wrap(text, pattern, "");
  }
}

/** Marks a quote, even where markup stands inside of it. @param {HTMLElement} body @param {string} quote */
export function markQuote(body, quote) {
  const all = texts(body);
  const letters = (/** @type {string} */ text) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
  const wanted = letters(quote);
  if (wanted.length < 3) return;
  const whole = all.map((text) => letters(text.data)).join("");
  let from = whole.indexOf(wanted);
  if (from < 0) return;
  const to = from + wanted.length;
  let at = 0;
  for (const text of all) {
    const n = letters(text.data).length;
    if (n > 0 && at < to && at + n > from) enclose(text, letterAt(text.data, from - at), letterAt(text.data, to - at));
    at += n;
  }
}

/** Returns the place of the nth letter of a text. @param {string} text @param {number} n */
function letterAt(text, n) {
  if (n <= 0) return 0;
  let seen = 0;
  for (let i = 0; i < text.length; i++) {
    if (/[\p{L}\p{N}]/u.test(text[i]) && seen++ === n) return i;
  }
  return text.length;
}

/** @param {Text} text @param {number} from @param {number} to */
function enclose(text, from, to) {
  const middle = text.splitText(from);
  middle.splitText(Math.max(0, to - from));
  const around = el("mark", { class: "is-quote" });
  middle.replaceWith(around);
  around.append(middle);
}

/** @param {Node} node @returns {Text[]} */
function texts(node) {
  const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
  const found = [];
  while (walker.nextNode()) found.push(/** @type {Text} */ (walker.currentNode));
  return found;
}

/** @param {Text} text @param {RegExp} pattern @param {string} name */
function wrap(text, pattern, name) {
  const parts = text.data.split(pattern);
  if (parts.length < 2) return;
  text.replaceWith(...parts.map((part, i) => (i % 2 ? el("mark", { class: name }, part) : part)));
}

/** @param {Preview} note @param {Wanted} wanted @param {number} start */
function actions(note, wanted, start) {
  const one = { ...note, section: wanted.section, start_line: note.has_lines && wanted.line ? start : null, end_line: wanted.end ?? null, page: wanted.page ?? null };
  const editor = inEditor(note, start);
  const copied = async (/** @type {Event} */ event) => {
    const button = /** @type {HTMLElement} */ (event.currentTarget);
    await copy(citation(one, wanted.quote ?? ""));
    button.textContent = "Copied";
    say("The citation is copied");
  };
  return el(
    "p",
    { class: "note-acts" },
    el("a", { href: note.uri, class: "act" }, "Open in Obsidian"),
    editor ? el("a", { href: editor, class: "act" }, `Open in ${editorName()}`) : null,
    el("button", { type: "button", class: "act", onclick: copied }, "Copy citation"),
    el("button", { type: "button", class: "act", onclick: () => go({ view: "see", see: "graph", center: "", open: "", note: note.path, of: wanted.domain ?? "", line: 0 }) }, "Show links"),
    el("button", { type: "button", class: "act", onclick: () => go({ view: "ask", note: note.path, of: wanted.domain ?? "", line: 0, c: "" }) }, "Ask about it"),
  );
}
