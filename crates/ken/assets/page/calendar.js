// A calendar of notes: one square a day, darker where there are more.

import { get } from "./api.js";
import { counted, el, fill } from "./dom.js";
import { go } from "./state.js";

/** @typedef {import("./types").Count} Count */

const DAY = 86_400_000;

export class CalendarView {
  /** @param {HTMLElement} node */
  constructor(node) {
    this.node = el("div", { class: "years" }, el("p", { class: "hit-how", role: "status" }, "…"));
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
    } catch (error) {
      fill(this.node, el("p", { class: "trouble" }, error instanceof Error ? error.message : String(error)));
    }
  }
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
  /** @type {Node[]} */
  const days = Array.from({ length: lead }, () => el("i"));
  for (let day = first; day.getUTCMonth() === month; day = new Date(day.getTime() + DAY)) {
    const key = day.toISOString().slice(0, 10);
    const n = counts.get(key) ?? 0;
    if (!n) {
      days.push(el("i", { class: "day" }));
      continue;
    }
    const cell = el("button", { type: "button", class: "day has-notes", title: `${key}: ${counted(n, "note")}`, "aria-label": `${key}, ${counted(n, "note")}`, onclick: () => open(`on:${key}`) });
    cell.style.setProperty("--share", String(Math.round(25 + 75 * Math.min(1, Math.log1p(n) / Math.log1p(most)))) + "%");
    days.push(cell);
  }
  return el("div", { class: "month" }, el("h3", null, name), el("div", { class: "days" }, days));
}

/** @param {string} q */
function open(q) {
  go({ view: "find", see: "", q, note: "", line: 0 });
}
