// A walk along links, hop by hop, with the reason why each note was kept or left.

import { get, inPath } from "./api.js";
import { counted, el, fill, say } from "./dom.js";
import { stem } from "./layout.js";
import { go, read, remember } from "./state.js";

/** @typedef {{ direction: string, from: string, line: number, target: string, shown: string | null }} Via */
/** @typedef {{ path: string, title: string, hop: number, score: number, similarity: number, decay_weight: number, via: Via | null, way: string[], start_line: number | null, retain_reason?: string, drop_reason?: string }} Seen */
/** @typedef {{ path: string, title: string, query: string | null, hops_walked: number, stopped_early: boolean, retained: Seen[], dropped: Seen[] }} Walk */

/** @type {Record<string, string>} */
const REASONS = {
  seed: "where the walk begins",
  start: "where the walk begins",
  above_prune_floor: "near enough to go on from",
  kept_despite_decay_zero: "kept although it is old",
  below_prune_threshold: "too far from what is looked for",
  beam_overflow: "others were nearer",
};

export class WalkView {
  /** @param {HTMLElement} node */
  constructor(node) {
    this.query = el("input", { type: "search", class: "walk-q", placeholder: "Towards what? (the note itself, if empty)", "aria-label": "What the walk looks for" });
    this.deep = el("input", { type: "checkbox", id: "deep" });
    this.steps = el("ol", { class: "steps", "aria-label": "Steps of the walk" });
    this.head = el("p", { class: "results-sum", role: "status" });
    this.back = el("button", { type: "button", class: "act", onclick: () => this.step(-1) }, "‹ Step back");
    this.on = el("button", { type: "button", class: "act", onclick: () => this.step(1) }, "Next step ›");
    const form = el("form", { class: "walk-form", onsubmit: (/** @type {Event} */ e) => (e.preventDefault(), this.begin()) },
      this.query, el("label", { for: "deep" }, this.deep, " wide"), el("button", { class: "primary" }, "Walk"), this.back, this.on);
    fill(node, el("div", { class: "walk" }, form, this.head, this.steps));
    this.path = "";
    this.shown = "\0";
    this.hop = 0;
    /** @type {Walk | null} */
    this.walked = null;
  }

  /** @param {import("./types").State} state */
  show(state) {
    const path = state.center || state.note;
    const key = JSON.stringify([path, state.to, state.wide, state.of]);
    if (key === this.shown) return;
    this.shown = key;
    this.path = path;
    this.query.value = state.to;
    this.deep.checked = state.wide === "1";
    if (path) this.walk(Number(state.hop) || 0);
    else fill(this.steps, el("li", { class: "notice" }, "Choose a note first: search for one, or pick one on the map."));
  }

  /** Walks from where the walk began, by what is typed now. */
  begin() {
    this.shown = "";
    go({ center: this.path, to: this.query.value.trim(), wide: this.deep.checked ? "1" : "", hop: "" });
  }

  /** @param {number} hop How far it is shown. */
  async walk(hop) {
    const query = this.query.value.trim();
    try {
      /** @type {Walk} */
      const walked = await get(`/traverse/${inPath(this.path)}`, { ...(query ? { q: query } : {}), deep: this.deep.checked });
      this.walked = walked;
      this.hop = Math.min(hop, walked.hops_walked);
      this.draw();
    } catch (error) {
      fill(this.steps, el("li", { class: "trouble" }, error instanceof Error ? error.message : String(error)));
    }
  }

  /** @param {number} by */
  step(by) {
    if (!this.walked) return;
    this.hop = Math.min(this.walked.hops_walked, Math.max(0, this.hop + by));
    remember({ hop: this.hop ? String(this.hop) : "" });
    this.draw();
  }

  draw() {
    const walk = /** @type {Walk} */ (this.walked);
    const end = this.hop === walk.hops_walked ? (walk.stopped_early ? "; the walk stopped here, nothing nearer was in sight" : "; the walk ends here") : "";
    this.head.textContent = `After ${counted(this.hop, "hop")} of ${walk.hops_walked}: ${counted(this.at(walk.retained), "note")} kept, ${this.at(walk.dropped)} left${end}`;
    this.back.disabled = this.hop === 0;
    this.on.disabled = this.hop === walk.hops_walked;
    const begin = { path: walk.path, title: walk.title, hop: 0, score: 1, similarity: 1, decay_weight: 1, via: null, way: [], start_line: null, retain_reason: "start" };
    const kept = walk.retained.some((seen) => seen.hop === 0) ? walk.retained : [begin, ...walk.retained];
    const hops = Array.from({ length: this.hop + 1 }, (_, hop) => this.hopItem(hop, kept.filter((seen) => seen.hop === hop), walk.dropped.filter((seen) => seen.hop === hop)));
    fill(this.steps, hops);
    say(this.head.textContent);
  }

  /** @param {Seen[]} all */
  at(all) {
    return all.filter((seen) => seen.hop <= this.hop && seen.hop > 0).length;
  }

  /** @param {number} hop @param {Seen[]} kept @param {Seen[]} dropped */
  hopItem(hop, kept, dropped) {
    return el("li", { class: "step" },
      el("h3", null, hop === 0 ? "Start" : `Hop ${hop}`),
      el("ul", null, kept.map((seen) => this.seen(seen, "kept", seen.retain_reason ?? ""))),
      dropped.length ? el("details", null, el("summary", null, `${counted(dropped.length, "note")} left`), el("ul", null, dropped.map((seen) => this.seen(seen, "left", seen.drop_reason ?? "")))) : null);
  }

  /** @param {Seen} seen @param {string} kind @param {string} reason */
  seen(seen, kind, reason) {
    const via = seen.via && `${seen.via.direction === "backlink" ? "linked from" : "by the link"} “${seen.via.shown ?? seen.via.target}” in ${stem(seen.via.from)}, line ${seen.via.line}`;
    const bar = el("span", { class: "bar-fill" });
    bar.style.insetInlineStart = "0";
    bar.style.inlineSize = `${Math.max(1, Math.min(100, seen.score * 100))}%`;
    return el("li", { class: `seen seen-${kind}` },
      el("button", { type: "button", class: "link", onclick: () => go({ note: seen.path, of: read().of, from: "", line: seen.start_line ?? 0, center: this.path }) }, el("bdi", null, seen.title)),
      el("span", { class: "bar-track", title: `score ${seen.score.toFixed(2)}, similarity ${seen.similarity.toFixed(2)}` }, bar),
      el("span", { class: "hit-how" }, [REASONS[reason] ?? reason.replaceAll("_", " "), via].filter(Boolean).join(" · ")));
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.key !== "ArrowRight" && event.key !== "ArrowLeft") return false;
    this.step(event.key === "ArrowRight" ? 1 : -1);
    return true;
  }

}
