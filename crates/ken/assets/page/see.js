// See: the links around a note, a walk, the map of all notes, and the calendar. The note that is chosen stands beside them.

import { CalendarView } from "./calendar.js";
import { el, fill } from "./dom.js";
import { DomainChoice, asked } from "./domains.js";
import { GraphView } from "./graph.js";
import { MapView } from "./map.js";
import { NotePane } from "./note.js";
import { go, read, remember } from "./state.js";
import { WalkView } from "./walk.js";

/** @typedef {import("./types").State} State */
/** @typedef {{ show?: (state: State) => void, key?: (event: KeyboardEvent) => boolean, leave?: () => void }} Part */

/** @type {[string, string][]} */
const PARTS = [["map", "Map"], ["graph", "Links"], ["walk", "Walk"], ["calendar", "Calendar"]];

export class SeeView {
  /** @param {HTMLElement} main */
  constructor(main) {
    this.tabs = el("div", { class: "tabs", role: "tablist", "aria-label": "Ways to see" }, PARTS.map(([name, label]) =>
      el("button", { type: "button", role: "tab", class: "tab", id: `tab-${name}`, "aria-controls": "seen", data: { part: name }, onclick: () => go({ see: name }) }, label)));
    this.stage = el("div", { class: "seen-part", id: "seen", role: "tabpanel" });
    this.pane = el("section", { class: "pane", "aria-label": "Note" });
    this.note = new NotePane(this.pane);
    this.choice = new DomainChoice();
    this.node = el("div", { class: "see" }, el("div", { class: "see-head" }, this.tabs, this.choice.node), el("div", { class: "see-body" }, this.stage, this.pane));
    fill(main, this.node);
    this.shown = "";
    this.domain = "";
    /** @type {Part | null} */
    this.part = null;
  }

  /** @param {State} state */
  update(state) {
    const wanted = PARTS.some(([name]) => name === state.see) ? state.see : "map";
    this.choice.show(state);
    const domain = asked(state);
    if (wanted !== this.shown || domain !== this.domain) {
      this.shown = wanted;
      this.domain = domain;
      this.part?.leave?.();
      this.stage.className = `seen-part part-${wanted}`;
      this.stage.setAttribute("aria-labelledby", `tab-${wanted}`);
      this.part = this.make(wanted);
      for (const tab of this.tabs.children) {
        const isHere = /** @type {HTMLElement} */ (tab).dataset.part === wanted;
        tab.setAttribute("aria-selected", String(isHere));
        /** @type {HTMLElement} */ (tab).tabIndex = isHere ? 0 : -1;
      }
    }
    // The middle stays the middle, whatever is read beside it.
    if (state.note && !state.center && (wanted === "graph" || wanted === "walk")) {
      remember({ center: state.note });
      state = read();
    }
    this.part?.show?.(state);
    this.node.classList.toggle("has-note", state.note !== "");
    if (state.note && wanted !== "calendar") this.note.show({ note: state.note, domain: state.of || undefined, line: state.line || undefined });
    else this.note.clear();
  }

  /** @param {string} name @returns {Part} */
  make(name) {
    if (name === "graph") return new GraphView(this.stage);
    if (name === "walk") return new WalkView(this.stage);
    if (name === "calendar") return new CalendarView(this.stage);
    return new MapView(this.stage);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const at = PARTS.findIndex(([name]) => name === this.shown);
    const isTab = event.target instanceof Element && event.target.getAttribute("role") === "tab";
    if (isTab && (event.key === "ArrowRight" || event.key === "ArrowLeft")) {
      const next = PARTS[(at + (event.key === "ArrowRight" ? 1 : PARTS.length - 1)) % PARTS.length][0];
      go({ see: next });
      document.getElementById(`tab-${next}`)?.focus();
      return true;
    }
    if (event.key === "Escape" && read().note) {
      go({ note: "", of: read().of, line: 0 });
      return true;
    }
    return this.part?.key?.(event) ?? false;
  }

  leave() {
    this.part?.leave?.();
  }
}
