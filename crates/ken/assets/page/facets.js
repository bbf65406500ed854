// What the notes that were found have in common, as filters with counts.

import { get, isAbort } from "./api.js";
import { condition, split } from "./chips.js";
import { el, fill } from "./dom.js";

/** @typedef {import("./types").Facets} Facets */
/** @typedef {import("./types").Count} Count */
/** @typedef {import("./types").Domain} Domain */

const SHOWN = 8;

export class FacetList {
  /** @param {HTMLElement} node @param {{ toggle: (condition: string) => void, domain: (names: string[]) => void }} does */
  constructor(node, does) {
    this.node = node;
    this.does = does;
    /** @type {Domain[]} */
    this.domains = [];
    /** @type {AbortController | null} */
    this.asking = null;
    /** Groups that show all they have. @type {Set<string>} */
    this.open = new Set();
    this.loaded = get("/domains", {}, { isOfServer: true }).then((answer) => {
      this.domains = /** @type {{ domains: Domain[] }} */ (answer).domains;
    }, () => {});
  }

  /** @param {string} query @param {string[]} chosen Domains. */
  async update(query, chosen) {
    this.asking?.abort();
    const { signal } = (this.asking = new AbortController());
    try {
      await this.loaded;
      const ask = async (/** @type {string} */ of) => /** @type {[string, Facets]} */ ([of, await get("/facets", query ? { q: query } : {}, { signal, domain: of })]);
      const own = chosen.length ? chosen : this.domains.filter((one) => one.default).map(({ name }) => name);
      const asked = await Promise.all(own.map(ask));
      const facets = sum(asked.map(([, one]) => one));
      const counts = new Map(asked.map(([name, { notes }]) => [name, notes]));
      this.draw(facets, query, own, counts);
      const others = this.domains.filter(({ name }) => !own.includes(name));
      if (others.length === 0) return;
      for (const [name, { notes }] of await Promise.all(others.map(({ name }) => ask(name)))) counts.set(name, notes);
      if (!signal.aborted) this.draw(facets, query, own, counts);
    } catch (error) {
      if (!isAbort(error)) fill(this.node);
    }
  }

  /** @param {Facets} facets @param {string} query @param {string[]} chosen @param {Map<string, number>} counts */
  draw(facets, query, chosen, counts) {
    const active = new Set(split(query).conditions);
    const value = (/** @type {string} */ name, /** @type {string} */ text) => condition(name, text);
    const outer = surrounding(facets);
    const redraw = () => this.draw(facets, query, chosen, counts);
    const group = (/** @type {string} */ title, /** @type {Count[]} */ all, /** @type {(value: string) => string} */ of, /** @type {(value: string) => string} */ label) =>
      this.group(title, all, active, of, label, redraw);
    fill(
      this.node,
      el("h2", { class: "facets-title" }, "Narrow down"),
      this.domains.length > 1 ? this.domainGroup(chosen, counts) : null,
      group("Tags", facets.tags, (tag) => value("tag", tag), (tag) => `#${tag}`),
      group("Folders", folders(facets.folders, active, outer), (folder) => value("path", `${folder}/`), (folder) => (outer && folder.startsWith(`${outer}/`) ? folder.slice(outer.length + 1) : folder)),
      group("Dates", dates(facets.months, active), (date) => value("on", date), dateName),
      group("Formats", facets.endings.length > 1 ? facets.endings : [], (ending) => value("file", ending), (ending) => ending.slice(1)),
      el("p", { class: "facets-foot" }, query ? "Counts are of the best notes that were found." : "Counts are of all notes."),
    );
  }

  /**
   * @param {string} title @param {Count[]} all @param {Set<string>} active
   * @param {(value: string) => string} of @param {(value: string) => string} label @param {() => void} redraw
   */
  group(title, all, active, of, label, redraw) {
    if (all.length === 0) return null;
    const isOpen = this.open.has(title);
    const shown = isOpen ? all : all.filter((one, i) => i < SHOWN || active.has(of(one.value)));
    const rows = shown.map((one) => {
      const chosen = of(one.value);
      return el(
        "li",
        null,
        el(
          "button",
          { type: "button", class: "facet", "aria-pressed": String(active.has(chosen)), onclick: () => this.does.toggle(chosen) },
          el("bdi", { class: "facet-name" }, label(one.value)),
          el("span", { class: "facet-n" }, one.n.toLocaleString()),
        ),
      );
    });
    const more = all.length > SHOWN &&
      el("button", { type: "button", class: "quiet", onclick: () => (this.open[isOpen ? "delete" : "add"](title), redraw()) }, isOpen ? "Fewer" : `${all.length - SHOWN} more`);
    return el("section", { class: "facet-group" }, el("h3", null, title), el("ul", null, rows), more);
  }

  /** Several domains may be asked at once. @param {string[]} chosen @param {Map<string, number>} counts */
  domainGroup(chosen, counts) {
    const toggled = (/** @type {string} */ name) => (chosen.includes(name) ? chosen.filter((other) => other !== name) : [...chosen, name]);
    const rows = this.domains.map(({ name }) =>
      el(
        "li",
        null,
        el(
          "button",
          { type: "button", class: "facet", "aria-pressed": String(chosen.includes(name)), onclick: () => this.does.domain(toggled(name)) },
          el("bdi", { class: "facet-name" }, name),
          el("span", { class: "facet-n" }, counts.get(name)?.toLocaleString() ?? ""),
        ),
      ),
    );
    return el("section", { class: "facet-group" }, el("h3", null, "Domains"), el("ul", null, rows));
  }
}

/** Counts of several domains as one. @param {Facets[]} all @returns {Facets} */
function sum(all) {
  if (all.length === 1) return all[0];
  const added = (/** @type {"tags" | "folders" | "months" | "endings"} */ kind) => {
    /** @type {Map<string, number>} */
    const counts = new Map();
    for (const facets of all) for (const { value, n } of facets[kind]) counts.set(value, (counts.get(value) ?? 0) + n);
    const rows = [...counts].map(([value, n]) => ({ value, n }));
    return kind === "months" ? rows.sort((a, b) => (a.value < b.value ? 1 : -1)) : rows.sort((a, b) => b.n - a.n || (a.value < b.value ? -1 : 1));
  };
  return { notes: all.reduce((n, { notes }) => n + notes, 0), tags: added("tags"), folders: added("folders"), months: added("months"), endings: added("endings") };
}

/** The innermost folder that lies around everything: it narrows nothing, those in it do. @param {Facets} facets */
function surrounding({ folders, notes }) {
  const isAround = (/** @type {Count} */ { value, n }) => n === notes && folders.some((inner) => inner.value.startsWith(`${value}/`));
  return folders.filter(isAround).reduce((longest, { value }) => (value.length > longest.length ? value : longest), "");
}

/** Shows outer folders, and what lies in the chosen ones. @param {Count[]} all @param {Set<string>} active @param {string} outer */
function folders(all, active, outer) {
  const parent = (/** @type {string} */ value) => value.slice(0, Math.max(0, value.lastIndexOf("/")));
  const chosen = all.map(({ value }) => value).filter((value) => active.has(condition("path", `${value}/`)));
  return all.filter(({ value }) => parent(value) === outer || chosen.some((folder) => folder === value || folder === parent(value)));
}

/** Shows years, and the months of the chosen one. @param {Count[]} months @param {Set<string>} active @returns {Count[]} */
function dates(months, active) {
  /** @type {Map<string, number>} */
  const years = new Map();
  for (const { value, n } of months) years.set(value.slice(0, 4), (years.get(value.slice(0, 4)) ?? 0) + n);
  const out = [];
  for (const [year, n] of years) {
    const own = months.filter(({ value }) => value.startsWith(year));
    const isChosen = active.has(condition("on", year)) || own.some(({ value }) => active.has(condition("on", value)));
    out.push({ value: year, n });
    if (isChosen) out.push(...own);
  }
  return out;
}

/** @param {string} date */
function dateName(date) {
  if (date.length === 4) return date;
  const [year, month] = date.split("-").map(Number);
  const name = new Date(Date.UTC(year, month - 1, 1)).toLocaleDateString(undefined, { month: "long", timeZone: "UTC" });
  return `${name} ${year}`;
}
