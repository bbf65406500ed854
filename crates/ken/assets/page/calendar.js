// A calendar of notes: one square a day, darker where there are more. Arrows go from day to day with notes.

import { get } from "./api.js";
import { counted, el, fill, say } from "./dom.js";
import { go, read, remember } from "./state.js";

/** @typedef {import("./types").Count} Count */

const DAY = 86_400_000;
/** The first day of the week is a Monday; this one was. */
const MONDAY = Date.UTC(2024, 0, 1);

export class CalendarView {
  /** @param {HTMLElement} node */
  constructor(node) {
    this.node = el("div", { class: "years" }, el("p", { class: "hit-how", role: "status" }, "…"));
    /** Days with notes, the first one first. @type {HTMLElement[]} */
    this.days = [];
    fill(node, this.node);
    this.load();
  }

  async load() {
    try {
      /** @type {{ days: Count[] }} */
      const { days } = await get("/calendar");
      const counts = new Map(days.map(({ value, n }) => [value, n]));
      const years = [...new Set(days.map(({ value }) => value.slice(0, 4)))].sort().reverse();
      const most = Math.max(1, ...counts.values());
      fill(this.node, years.length ? years.map((year) => yearTable(Number(year), counts, most)) : el("p", { class: "notice" }, "No note has a date."));
      this.days = /** @type {HTMLElement[]} */ ([...this.node.querySelectorAll(".has-notes")]).sort((a, b) => (dayOf(a) < dayOf(b) ? -1 : 1));
      const kept = this.days.findIndex((one) => dayOf(one) === read().day);
      this.stand(kept < 0 ? this.days.length - 1 : kept, false);
      if (kept >= 0) this.days[kept].focus();
    } catch (error) {
      fill(this.node, el("p", { class: "trouble" }, error instanceof Error ? error.message : String(error)));
    }
  }

  /** One day is in the order of Tab, the others are reached by arrows. @param {number} at @param {boolean} isMoved */
  stand(at, isMoved) {
    const day = this.days[at];
    if (!day) return;
    this.days.forEach((one) => (one.tabIndex = -1));
    day.tabIndex = 0;
    if (!isMoved) return;
    day.focus();
    day.scrollIntoView({ block: "nearest" });
    remember({ day: dayOf(day) });
    say(day.getAttribute("aria-label") ?? "");
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const focused = this.days.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    const at = focused < 0 ? this.days.findIndex((one) => one.tabIndex === 0) : focused;
    const to = this.target(event.key, at);
    if (to === null) return false;
    this.stand(Math.min(this.days.length - 1, Math.max(0, to)), true);
    return true;
  }

  /** Returns where a key leads from a day. @param {string} key @param {number} at @returns {number | null} */
  target(key, at) {
    const part = (/** @type {number} */ n) => (/** @type {HTMLElement} */ one) => dayOf(one).slice(0, n);
    const other = (/** @type {number} */ n, /** @type {number} */ by) => {
      const name = part(n);
      const own = name(this.days[at]);
      const names = [...new Set(this.days.map(name))];
      const wanted = names[names.indexOf(own) + by];
      return wanted === undefined ? at : this.days.findIndex((one) => name(one) === wanted);
    };
    /** @type {Record<string, () => number>} */
    const keys = {
      ArrowRight: () => at + 1, ArrowLeft: () => at - 1, ArrowDown: () => other(7, 1), ArrowUp: () => other(7, -1),
      PageDown: () => other(4, 1), PageUp: () => other(4, -1), Home: () => 0, End: () => this.days.length - 1,
    };
    return this.days.length && key in keys ? keys[key]() : null;
  }
}

/** @param {HTMLElement} day */
function dayOf(day) {
  return day.dataset.day ?? "";
}

/** @param {number} year @param {Map<string, number>} counts @param {number} most */
function yearTable(year, counts, most) {
  const total = [...counts].filter(([day]) => day.startsWith(String(year))).reduce((sum, [, n]) => sum + n, 0);
  const months = Array.from({ length: 12 }, (_, month) => monthGrid(year, month, counts, most));
  return el("section", { class: "year", "aria-label": `${year}` },
    el("h2", null, String(year), " ", el("button", { type: "button", class: "quiet", onclick: () => open(`on:${year}`) }, counted(total, "note"))),
    el("div", { class: "months" }, months));
}

/** @param {number} year @param {number} month @param {Map<string, number>} counts @param {number} most */
function monthGrid(year, month, counts, most) {
  const first = new Date(Date.UTC(year, month, 1));
  const name = first.toLocaleDateString(undefined, { month: "short", timeZone: "UTC" });
  const lead = (first.getUTCDay() + 6) % 7;
  const weekday = (/** @type {number} */ n) => new Date(MONDAY + n * DAY).toLocaleDateString(undefined, { weekday: "narrow", timeZone: "UTC" });
  /** @type {Node[]} */
  const days = [...Array.from({ length: 7 }, (_, n) => el("span", { class: "weekday", "aria-hidden": "true" }, weekday(n))), ...Array.from({ length: lead }, () => el("i"))];
  for (let day = first; day.getUTCMonth() === month; day = new Date(day.getTime() + DAY)) {
    const key = day.toISOString().slice(0, 10);
    const n = counts.get(key) ?? 0;
    if (!n) {
      days.push(el("i", { class: "day" }));
      continue;
    }
    const said = `${day.toLocaleDateString(undefined, { dateStyle: "full", timeZone: "UTC" })}: ${counted(n, "note")}`;
    const cell = el("button", { type: "button", class: "day has-notes", tabindex: "-1", title: said, "aria-label": said, data: { day: key }, onclick: () => (remember({ day: key }), open(`on:${key}`)) });
    cell.style.setProperty("--share", String(Math.round(25 + 75 * Math.min(1, Math.log1p(n) / Math.log1p(most)))) + "%");
    days.push(cell);
  }
  const inMonth = `${year}-${String(month + 1).padStart(2, "0")}`;
  const hasNotes = [...counts.keys()].some((day) => day.startsWith(inMonth));
  return el("div", { class: "month" }, el("h3", null, hasNotes ? el("button", { type: "button", class: "quiet", onclick: () => open(`on:${inMonth}`) }, name) : name), el("div", { class: "days" }, days));
}

/** @param {string} q */
function open(q) {
  go({ view: "find", q, note: "", line: 0 });
}
