// What a question may be answered from, as chips: notes, folders, tags, domains.

import { get } from "./api.js";
import { el, fill, icon } from "./dom.js";

/** @typedef {import("./types").Scope} Scope */
/** @typedef {keyof Scope} Kind */

/** @returns {Scope} */
export function emptyScope() {
  return { files: [], folders: [], tags: [], categories: [], domains: [] };
}

/** Writes a scope for the address. @param {Scope} scope */
export function written(scope) {
  return Object.entries(scope).flatMap(([kind, values]) => values.map((/** @type {string} */ value) => `${kind}:${value}`)).join("\n");
}

/** Reads a scope off the address. @param {string} text @returns {Scope} */
export function readScope(text) {
  const scope = emptyScope();
  for (const line of text.split("\n")) {
    const [, kind, value] = /^([a-z]+):(.+)$/u.exec(line) ?? [];
    if (kind in scope) scope[/** @type {Kind} */ (kind)].push(value);
  }
  return scope;
}

/** @type {Record<Kind, string>} */
const LABELS = { files: "note", folders: "folder", tags: "tag", categories: "category", domains: "domain" };

export class ScopeRow {
  /** @param {(scope: Scope) => void} changed */
  constructor(changed) {
    this.changed = changed;
    this.scope = emptyScope();
    /** Names that may be chosen, each with its kind. @type {Map<string, [Kind, string]>} */
    this.known = new Map();
    this.names = el("datalist", { id: "scope-names" });
    this.input = el("input", { class: "scope-input", list: "scope-names", placeholder: "Limit to a folder, #tag or note", "aria-label": "Limit the answer to a folder, tag or note", autocomplete: "off", onchange: () => this.add(), onkeydown: (/** @type {KeyboardEvent} */ e) => e.key === "Enter" && (e.preventDefault(), this.add()) });
    this.chips = el("span", { class: "scope-chips", role: "list", "aria-label": "Scope" });
    this.node = el("div", { class: "scope" }, this.chips, this.input, this.names);
    this.load();
  }

  async load() {
    /** @type {[import("./types").Facets, { domains: import("./types").Domain[] }]} */
    const [facets, { domains }] = await Promise.all([get("/facets"), get("/domains", {}, { isOfServer: true })]);
    for (const { value } of facets.folders) this.known.set(`${value}/`, ["folders", value]);
    for (const { value } of facets.tags) this.known.set(`#${value}`, ["tags", value]);
    if (domains.length > 1) for (const { name } of domains) this.known.set(`domain ${name}`, ["domains", name]);
    fill(this.names, [...this.known.keys()].map((name) => el("option", { value: name })));
  }

  /** @param {Scope | null} scope */
  set(scope) {
    this.scope = { ...emptyScope(), ...(scope ?? {}) };
    this.draw();
  }

  /** @param {Kind} kind @param {string} value */
  put(kind, value) {
    if (!this.scope[kind].includes(value)) this.scope[kind] = [...this.scope[kind], value];
    this.draw();
    this.changed(this.scope);
  }

  add() {
    const typed = this.input.value.trim();
    if (!typed) return;
    this.input.value = "";
    const [kind, value] = this.known.get(typed) ?? guessed(typed);
    this.put(kind, value);
  }

  draw() {
    const all = /** @type {[Kind, string][]} */ (Object.entries(this.scope).flatMap(([kind, values]) => values.map((/** @type {string} */ value) => [kind, value])));
    fill(this.chips, all.map(([kind, value]) =>
      el("span", { class: "chip", role: "listitem", data: { kind, value } },
        el("span", { class: "chip-name" }, `${LABELS[kind]}:`), el("bdi", null, value),
        el("button", { type: "button", class: "chip-off", "aria-label": `Remove ${LABELS[kind]} ${value}`, onclick: () => this.remove(kind, value) }, icon("M5 5l10 10M15 5 5 15")))));
  }

  /** @param {Kind} kind @param {string} value */
  remove(kind, value) {
    this.scope[kind] = this.scope[kind].filter((other) => other !== value);
    this.draw();
    this.changed(this.scope);
  }
}

/** @param {string} typed @returns {[Kind, string]} */
function guessed(typed) {
  if (typed.startsWith("#")) return ["tags", typed.slice(1)];
  return /\.\w{1,5}$/u.test(typed) ? ["files", typed] : ["folders", typed.replace(/\/$/u, "")];
}
